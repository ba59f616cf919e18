"""Core terms in Lean.

- `lean_names`: one Lean name for each
- `lean_types`: sorts as Lean types
- `lean_collections`: list, set, tuple built-ins
- `lean_builtins`: other built-ins, coercions
- `propositions`: formulas, partial parts joined
- `conditionals`: tests as matches, decidability
- `lean_terms`: terms with their definedness
"""
