"""Knuth–Bendix completion of unit equations.

- `shared_terms`: shared terms, unification, LPO
- `rewriting`: ordered rewriting, critical pairs
- `unit_equations`: unit equations of a problem
- `precedences`: which precedences to try
- `search`: unfailing completion
- `engine`: the engine, proofs as chains
- `plain_terms`: terms for the check
- `check_proof`: chains and systems rechecked
"""
