"""Knuth–Bendix completion of unit equations.

- `shared_terms`: shared terms, unification, the path ordering
- `rewriting`: ordered rewriting, critical pairs
- `unit_equations`: the unit equations of a problem
- `precedences`: the precedences to try
- `search`: unfailing completion
- `engine`: the engine, and its proofs as chains
- `plain_terms`: terms for the checks
- `check_proof`: chains and rewrite systems, checked without the search

The format of a chain is written by `engine` and read by `check_proof`, and is part of certificates.
"""
