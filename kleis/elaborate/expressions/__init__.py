"""Expressions to core terms; `term_elaborator` alone recurs.

- `elaboration_context`: the protocol helpers call (new)
- `call_errors`: why a call fails
- `overload_candidates`: readings of a call, costs
- `special_forms`: connectives, equality, tuples, records
- `call_elaboration`: which candidate a call is
- `match_elaboration`: `match` to testers, selectors
- `term_elaborator`: one expression, one pass
- `elaboration_fixpoint`: passes until sorts are known
- `builtin_instances`: built-ins at fixed sorts
- `definitions`: definitions at their sorts
"""
