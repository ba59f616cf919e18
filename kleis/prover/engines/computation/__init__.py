"""Claims decided by computing.

- `evaluation`: proofs by computing
- `enumeration`: refutation at small values
"""
