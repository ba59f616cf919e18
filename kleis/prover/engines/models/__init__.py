"""Countermodels.

- `finite_clauses`: finite models as SAT clauses
- `finite_models`: carriers of 1 to 8
- `finite_check`: tables evaluated again
- `standard_operations`: familiar operations
- `standard_models`: carriers as ℤ, ℝ, ℕ
"""
