"""Which candidate laws hold in a structure.

- `equations`: canonical equations, rewriting
- `finite_testing`: candidates on finite models
- `explore`: conjectures decided
"""
