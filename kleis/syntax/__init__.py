"""Source text to tree and back.

- `tree/`: the nodes, walking and rebuilding them
- `operators`: THE table of operators: spelling, precedence, associativity
- `superscripts`: names like `x²` that are powers where nothing declares them
- `unique_existence`: the form that ∃! stands for, made and found again
- `parser/`: text to tree, with every error
- `printer/`: tree to canonical text; the layout of `kleis fmt`

Call `parse_source` (never raises) or `parse_program` of `parser.parser`, and `print_program` of `printer.program`.
A new form of the language touches `tree/`, grammar.lark and the builders of `parser/`, and `printer/`; then
`kleis/theory/name_check/`, `kleis/evaluator/compiler.py` and `kleis/elaborate/expressions/`.
"""
