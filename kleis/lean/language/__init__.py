"""The emitted subset.

- `lean_lexer`: Lean text to tokens
- `lean_tree`: trees of the subset
- `lean_printer`: trees to text
- `parse_terms`: terms read back
- `lean_parser`: files read back
- `check_terms`: names, arities, matches
- `check_file`: shape of a file
"""
