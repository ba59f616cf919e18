"""The builtin operations: one table for evaluator, solver, name checks and help.

table.py assembles the rows of one module per family; row.py says what a row is and how a call of it runs; context.py
is what a builtin may use while it runs; sorts.py names the sorts of parameters.
"""

from __future__ import annotations

from kleis.builtins.row import Builtin, BuiltinParameter
from kleis.builtins.rows.table import BUILTINS, builtin_arities, find_builtin

__all__ = ["BUILTINS", "Builtin", "BuiltinParameter", "builtin_arities", "find_builtin"]
