"""Text to tree, with every error named.

- `tables`: grammar.lark compiled and cached
- `lexer`: text to tokens, linear
- `build_expressions`: what expression rules build
- `build_declarations`: what declaration rules build
- `operator_chains`: flat chains to trees
- `parse_errors`: found, expected, where to resume
- `common_mistakes`: other languages' habits by name
- `lints`: readings that may surprise
- `parser`: the automaton, four entry points
"""
