"""A theory, or a proposition over it, as a Lean file.

- `export`: what to call first
- `stated_propositions`: the propositions that a theory states
- `assemble_file`: commands to a file with its tables
- `core_lean`: whether a file needs Mathlib
- `proofs/`: proofs and refutations that need no search in Lean
- `declarations/`: data types, definitions and classes, in the order that Lean needs
- `terms/`: sorts, terms and formulas of the core in Lean

A new built-in with a counterpart in Lean is a row of `terms.lean_builtins` or `terms.lean_collections`, and a constant in
`kleis.lean.language.check_terms`.
"""
