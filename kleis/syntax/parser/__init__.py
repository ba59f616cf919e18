"""Text to tree, with every error named.

- `grammar.lark` (data): the grammar; its comments explain the terminals
- `grammar.tables` (data): the grammar compiled, written by `python -m kleis.syntax.parser.tables`
- `tables`: grammar.lark compiled by lark, shipped or cached on disk
- `lexer`: text to tokens in one linear pass
- `build_types`: what the rules for types and patterns build
- `build_expressions`: what the rules for expressions build
- `build_declarations`: what the rules for declarations and statements build
- `operator_chains`: flat chains of operators to trees
- `lints`: text that parses otherwise than its writer may think: `x²` is one name
- `common_mistakes`: text that does not parse, where the mistake is recognised, and what to write instead
- `parse_errors`: errors in words; where parsing resumes after one
- `parser`: the LALR automaton and the entry points
- `before_fork`: the parser ready, for processes whose children parse

Call `parser.parse_source`, `parse_program`, `parse_expression` or `parse_type`.
"""
