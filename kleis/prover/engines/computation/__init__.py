"""Claims decided by computing.

- `bounded_quantifiers`: quantifiers over finitely many values
- `evaluation`: proofs by computing
- `enumeration`: refutation at small values
"""
