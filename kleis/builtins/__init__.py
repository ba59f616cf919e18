"""The built-in operations: one table for evaluator, prover, name checks and help.

- `row`: what a row and its signatures are, its context, how a call runs
- `shapes`: how signatures are written
- `matrix_shapes`: signatures of matrices, computed from their sizes
- `laws`: laws of built-in functions that the prover believes, by name
- `real_constants`: rational bounds of π, e and 2π
- `exact_numbers`: exact arithmetic, powers, roots
- `matrix_algebra`: matrices in both spellings
- `numeric/`: numerical computation in doubles, by the extra `numeric`
- `regular/`: regular expressions by derivatives
- `rows/`: the rows by tier, and the table

Call `find_builtin` first. A new operation is one row in a module of `rows/`: usage, signature, function, help, examples,
condition. Where solvers or Lean know the operation it also has an encoding (`kleis.prover.smt`, `kleis.prover.lowering`,
`kleis.lean.export.terms`). See docs/reference/kleis.md §8.1.
"""

from __future__ import annotations

from kleis.builtins.row import Builtin, BuiltinParameter
from kleis.builtins.rows.table import BUILTINS, builtin_arities, find_builtin

__all__ = ["BUILTINS", "Builtin", "BuiltinParameter", "builtin_arities", "find_builtin"]
