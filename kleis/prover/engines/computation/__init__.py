"""Claims decided by computing.

- `bounded_quantifiers`: quantifiers over finitely many
- `evaluation`: proofs by computing
- `enumeration`: refutation at small values
"""
