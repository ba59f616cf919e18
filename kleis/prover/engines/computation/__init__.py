"""Claims decided by computing.

- `evaluation`: proofs by computing
- `enumeration`: refutation at small values
- `remainders`: integers by their remainders
- `quotient_terms`: quotients as candidates for ∃
- `existentials`: terms for ∃
- `rational_roots`: equations without a rational solution
- `intervals`: intervals halved, roots by a change of sign
"""
