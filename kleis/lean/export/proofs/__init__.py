"""Proofs and refutations that are written without running Lean.

- `proofs`: finite decisions, ground instantiations, case proofs
- `refutations`: counterexamples as declarations
"""
