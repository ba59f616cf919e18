"""What is proved without running Lean.

- `proofs`: computed, instance, case proofs
- `refutations`: counterexamples as declarations
"""
