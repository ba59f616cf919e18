"""Countermodels.

- `finite_clauses`: finite models as SAT clauses
- `finite_models`: the engine: carriers of 1 to 8 elements
- `standard_operations`: familiar operations, as candidates
- `standard_models`: the engine: carriers as ℤ, ℝ, ℕ
"""
