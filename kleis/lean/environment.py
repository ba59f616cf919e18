"""What a checked file has declared so far, and the constants of Lean and Mathlib that we write.

Specification: lean-and-corpus.md §5, §6.2.
"""

from __future__ import annotations

import msgspec

__all__ = ["CONSTANTS", "TYPES", "Entry", "Environment"]

TYPES: dict[str, int] = {
    **dict.fromkeys(("ℕ", "ℤ", "ℚ", "ℝ", "ℂ", "Bool", "String", "Unit", "Prop"), 0),
    **dict.fromkeys(("List", "Set", "Fin", "BitVec", "Nonempty"), 1),
    "Matrix": 3,
}
"""Types of Lean and Mathlib, with the number of their arguments."""

CONSTANTS: dict[str, int] = {
    **dict.fromkeys(
        ("True", "False", "true", "false", "∅", "Classical.ofNonempty", "Set.univ", "Real.pi"), 0
    ),
    **dict.fromkeys(
        (
            *("decide", "abs", "norm", "star", "sizeOf", "Int.toNat", "Int.natAbs", "Int.floor", "Int.ceil"),
            *(
                "Int.sign",
                "Nat.factorial",
                "Rat.num",
                "Rat.den",
                "Complex.re",
                "Complex.im",
                "Complex.normSq",
            ),
            *(
                "Real.sin",
                "Real.cos",
                "Real.tan",
                "Real.sinh",
                "Real.cosh",
                "Real.tanh",
                "Real.sqrt",
                "Real.exp",
            ),
            *("Real.arcsin", "Real.arccos", "Real.arctan", "Real.log", "Prod.fst", "Prod.snd", "List.length"),
            *("List.tail", "List.reverse", "List.flatten", "List.sum", "List.prod", "String.length"),
            *("Set.singleton", "Set.ncard", "Set.Finite", "BitVec.toNat", "BitVec.toInt", "BitVec.not"),
            *("BitVec.neg", "Eq.symm", "And.left", "And.right"),
        ),
        1,
    ),
    **dict.fromkeys(
        (
            *(
                "min",
                "max",
                "Int.fdiv",
                "Int.fmod",
                "Int.gcd",
                "Int.lcm",
                "Complex.mk",
                "List.headD",
                "List.map",
            ),
            *("List.filter", "List.flatMap", "List.replicate", "List.cons", "Set.insert", "Set.image"),
            *("Finset.Icc", "Finset.sum", "Finset.prod", "absurd", "Eq.trans", "congrArg"),
            *(
                "BitVec.and",
                "BitVec.or",
                "BitVec.xor",
                "BitVec.add",
                "BitVec.sub",
                "BitVec.mul",
                "BitVec.ult",
            ),
            *("BitVec.ule", "BitVec.slt", "BitVec.sle", "BitVec.append", "BitVec.ofInt", "BitVec.ofNat"),
            *("BitVec.zeroExtend", "BitVec.signExtend"),
        ),
        2,
    ),
    **dict.fromkeys(("List.getD", "List.foldl", "List.foldr"), 3),
    "rfl": 0,
}
"""Constants of Lean and Mathlib, with the most arguments we give them."""


class Entry(msgspec.Struct, frozen=True):
    """A declared name: how many explicit arguments it takes, and the names of its parameters."""

    name: str
    kind: str
    arity: int
    parameters: tuple[str, ...]


class Environment:
    """The declarations of a file.

    `fields` has the fields of classes and structures with their arities, the inherited ones included; `constructors`
    those of data types with the number of their parts.
    """

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}
        self.universes: set[str] = set()
        self.fields: dict[str, dict[str, int]] = {}
        self.constructors: dict[str, dict[str, int]] = {}

    def siblings(self, constructor: str) -> dict[str, int]:
        """All constructors of the type of one of them."""
        return self.constructors.get(constructor.rpartition(".")[0], {})
