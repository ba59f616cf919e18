"""Countermodels.

- `symmetry`: copies of models left out
- `finite_clauses`: finite models as SAT clauses
- `finite_models`: the engine: carriers of 1 to 10 elements
- `table_formulas`: formulas over operation tables
- `catalogue/`: the engine: groups, rings, lattices and other familiar structures
- `standard_operations`: familiar operations, as candidates
- `stated_operations`: what axioms say that a symbol is, as candidates
- `standard_models`: the engine: carriers as numbers, texts and lists of ℤ
"""
