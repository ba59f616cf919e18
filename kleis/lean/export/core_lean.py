"""Whether a file needs Mathlib, or is core Lean with notations of its own.

Core Lean has ℕ, ℤ and ℚ under the names Nat, Int and Rat.  ℝ, ℂ, sets, finite sums, matrices and some functions of
numbers are Mathlib's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kleis.lean.language import lean_tree as lean

__all__ = ["imports"]

_NOTATIONS = {"ℕ": "Nat", "ℤ": "Int", "ℚ": "Rat"}

_NAMES = frozenset(
    {
        "ℝ", "ℂ", "Set", "Matrix", "abs", "norm", "star", "∅", "Int.floor", "Int.ceil", "List.prod", "Nat.factorial",
    }
)  # fmt: skip

_SPACES = ("Real.", "Complex.", "Set.", "Finset.", "Matrix.")

_ORDERED = frozenset({"min", "max"})
"""Core Lean has these for ℕ and ℤ, not for ℚ."""

_OPERATORS = frozenset({"∪", "∩", "\\", "⊆"})

_TACTICS = frozenset({"norm_num", "linarith", "ring"})


def imports(commands: Iterable[lean.Command]) -> Sequence[lean.Command]:
    """What stands before the options of a file of these commands: an import, or notations of its own."""
    names: set[str] = set()
    mathlib = False
    for node in (each for command in commands for each in lean.walk(command)):
        match node:
            case lean.Name(text=text) | lean.Explicit(name=text):
                names.add(text)
            case lean.Infix(operator=operator):
                mathlib = mathlib or operator in _OPERATORS
            case lean.Close(name=name):
                mathlib = mathlib or name in _TACTICS
            case _:
                pass
    mathlib = mathlib or bool(names & _NAMES) or any(each.startswith(_SPACES) for each in names)
    mathlib = mathlib or ("ℚ" in names and bool(names & _ORDERED))
    if mathlib:
        return (lean.Import("Mathlib"),)
    return tuple(lean.Notation(symbol, name) for symbol, name in _NOTATIONS.items() if symbol in names)
