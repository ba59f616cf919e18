"""Knuth–Bendix completion of unit equations.

- `shared_terms`: shared terms, unification, the path ordering
- `rewriting`: ordered rewriting, critical pairs
- `unit_equations`: the unit equations of a problem
- `precedences`: the precedences to try
- `weight_ordering`: the ordering of terms by weight
- `permutations`: equations up to the order of summands
- `search`: unfailing completion
- `engine`: the engine, and its proofs as chains
- `certified_names`: names of the checker for what the engine names
- `certified`: what the engine leaves, as data of the checker
- `check_proof`: the checks, which are rules of the checker

The format of a chain is written by `engine` and read by `certified`.
"""
