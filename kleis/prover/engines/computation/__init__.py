"""Claims decided by computing.

- `evaluation`: proofs by computing
- `enumeration`: refutation at small values
- `remainders`: integers by their remainders
- `rational_roots`: equations without a rational solution
- `intervals`: intervals halved, roots by a change of sign
"""
