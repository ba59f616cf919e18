"""Tree to text.

- `notation`: chains of comparisons, sets, ∑ and ∏, found in the forms that they stand for
- `expressions`: types, patterns and expressions
- `program`: declarations, statements and programs; the entry points
- `formatter`: layout of source text (`kleis fmt`), from tokens and not from the tree

Call the `print_…` functions of `program`, or `formatter.format_source`.  Parentheses follow the table of
`kleis.syntax.operators`, so `expressions` and grammar.lark change together.
"""
