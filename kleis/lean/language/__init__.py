"""The subset of Lean that is emitted: trees, their text, the parser and the checker that read it back.

- `lean_lexer`: any Lean text to tokens, and the words that Lean reserves
- `lean_tree`: the trees of the subset
- `lean_printer`: trees to text
- `parse_terms`: terms read back
- `lean_parser`: files read back
- `check_terms`: names, arities, matches, and the constants of Lean and Mathlib that are written
- `check_file`: the shape of a whole file

A new node of `lean_tree` needs `lean_printer`, `parse_terms` or `lean_parser`, and `check_terms`; a new constant of
Mathlib needs `check_terms`.  `lean_lexer` also serves `kleis.lean.acceptance` and `kleis.corpus.lean_source`.
"""
