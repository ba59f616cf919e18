"""Why recursive definitions terminate.

- `recursive_calls`: recursive calls with their paths
- `size_change`: structural descent, closed under composition
- `rankings`: measures, and lexicographic rankings of them
- `obligations`: what a ranking must prove
- `exact_domains`: whether the condition of a termination argument is exact
- `refute_obligation`: obligations tried at small values first
- `show_termination`: the termination argument of a group

Call `show_termination.show_termination` first. The arithmetic is that of `kleis.definedness`; termination arguments
are printed by `kleis.delaborate` and their obligations proved by `kleis.prover`. See docs/reference/proving.md §3.3.
"""
