"""Random closed propositions over finite sorts, as text; and ground ones over numbers, strings, lists, sets and words.

Everything partial is among their parts: division, narrowing, heads, `match` without a case, partial definitions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

__all__ = ["FINITE", "GROUND", "closed", "ground"]

FINITE = """
data Color = Red | Green | Blue
data Maybe = Nothing | Just(color : Color, flag : Bool)
define turn(c : Color) : Color = match c { Red => Green | Green => Blue | Blue => Red }
define warm(c : Color) : Color = match c { Red => Green | Green => Red }
define hue(m : Maybe) : Color = match m { Just(c, _) => c }
define sure(b : Bool, c : Color) : Bool = if warm(c) = Red then b else ¬b
"""
"""Two data types, and definitions total and partial."""

GROUND = """
data Shape = Dot | Box(side : ℤ) | Pile(top : Shape, rest : Shape)
define height(s : Shape) : ℤ = match s { Box(n) if n ≥ 1 => n | Dot => 0 }
define half(n : ℤ) : ℚ = if mod(n, 2) = 0 then n / 2 else 1 / (n - 3)
"""

_FORMS: Mapping[str, tuple[str, ...]] = {
    "Bool": (
        "(⟨Bool⟩ ∧ ⟨Bool⟩)",
        "(⟨Bool⟩ ∨ ⟨Bool⟩)",
        "(⟨Bool⟩ → ⟨Bool⟩)",
        "(⟨Bool⟩ ↔ ⟨Bool⟩)",
        "(¬ ⟨Bool⟩)",
        "(if ⟨Bool⟩ then ⟨Bool⟩ else ⟨Bool⟩)",
        "sure(⟨Bool⟩, ⟨Color⟩)",
        "(⟨Color⟩ = ⟨Color⟩)",
        "(⟨Color⟩ ≠ ⟨Color⟩)",
        "(⟨Maybe⟩ = ⟨Maybe⟩)",
        "(⟨Word⟩ = ⟨Word⟩)",
        "bvult(⟨Word⟩, ⟨Word⟩)",
        "bvsle(⟨Word⟩, ⟨Word⟩)",
        "(match ⟨Maybe⟩ { Just(_, k) => k })",
        "(match ⟨Color⟩ { Red => ⟨Bool⟩ | Blue => ⟨Bool⟩ })",
        "(match ⟨Maybe⟩ { Nothing => ⟨Bool⟩ | Just(Red, k) => k | Just(h, _) if h = Blue => ⟨Bool⟩ })",
        "(div(6, bv_to_int(⟨Word⟩)) < 3)",
        "(let k : Color = ⟨Color⟩ in (k = ⟨Color⟩))",
        "⟨∀⟩",
        "⟨∀⟩",
        "⟨∃⟩",
        "⟨∃⟩",
    ),
    "Color": (
        "turn(⟨Color⟩)",
        "warm(⟨Color⟩)",
        "hue(⟨Maybe⟩)",
        "(if ⟨Bool⟩ then ⟨Color⟩ else ⟨Color⟩)",
        "(match ⟨Word⟩ { _ => ⟨Color⟩ })",
        "(let k : Bool = ⟨Bool⟩ in (if k then ⟨Color⟩ else ⟨Color⟩))",
    ),
    "Maybe": ("Just(⟨Color⟩, ⟨Bool⟩)", "(if ⟨Bool⟩ then ⟨Maybe⟩ else Nothing)"),
    "Word": (
        "bvadd(⟨Word⟩, ⟨Word⟩)",
        "bvmul(⟨Word⟩, ⟨Word⟩)",
        "bvsub(⟨Word⟩, ⟨Word⟩)",
        "bvashr(⟨Word⟩, ⟨Word⟩)",
        "bvnot(⟨Word⟩)",
    ),
}
_LEAVES = {
    "Bool": ("true", "false"),
    "Color": ("Red", "Green", "Blue"),
    "Maybe": ("Nothing", "Just(Red, false)"),
    "Word": ("bv(0, 2)", "bv(3, 2)", "bv(2, 2)"),
}
_WRITTEN = {"Bool": "Bool", "Color": "Color", "Maybe": "Maybe", "Word": "BitVec(2)"}

_GROUND_FORMS: Mapping[str, tuple[str, ...]] = {
    "Bool": (
        "(⟨ℤ⟩ = ⟨ℤ⟩)",
        "(⟨ℤ⟩ < ⟨ℤ⟩)",
        "(⟨ℚ⟩ ≤ ⟨ℚ⟩)",
        "(⟨ℚ⟩ = ⟨ℤ⟩)",
        "(⟨String⟩ = ⟨String⟩)",
        "(⟨List(ℤ)⟩ = ⟨List(ℤ)⟩)",
        "(⟨Set(ℤ)⟩ = ⟨Set(ℤ)⟩)",
        "(⟨Shape⟩ = ⟨Shape⟩)",
        "in_set(⟨ℤ⟩, ⟨Set(ℤ)⟩)",
        "subset(⟨Set(ℤ)⟩, ⟨Set(ℤ)⟩)",
        "contains(⟨String⟩, ⟨String⟩)",
        "hasPrefix(⟨String⟩, ⟨String⟩)",
        "isAlphaNum(⟨String⟩)",
        "bvslt(⟨Word⟩, ⟨Word⟩)",
        "(⟨Word⟩ = ⟨Word⟩)",
        "((⟨ℤ⟩ : ℕ) = ⟨ℤ⟩)",
        "(⟨Bool⟩ ∧ ⟨Bool⟩)",
        "(⟨Bool⟩ ∨ ⟨Bool⟩)",
        "(⟨Bool⟩ → ⟨Bool⟩)",
        "(⟨Bool⟩ ↔ ⟨Bool⟩)",
        "(¬ ⟨Bool⟩)",
    ),
    "ℤ": (
        "(⟨ℤ⟩ + ⟨ℤ⟩)",
        "(⟨ℤ⟩ - ⟨ℤ⟩)",
        "(⟨ℤ⟩ * ⟨ℤ⟩)",
        "div(⟨ℤ⟩, ⟨ℤ⟩)",
        "mod(⟨ℤ⟩, ⟨ℤ⟩)",
        "abs(⟨ℤ⟩)",
        "sign(⟨ℤ⟩)",
        "min(⟨ℤ⟩, ⟨ℤ⟩)",
        "floor(⟨ℚ⟩)",
        "round(⟨ℚ⟩)",
        "ceil(⟨ℚ⟩)",
        "trunc(⟨ℚ⟩)",
        "((⟨ℤ⟩) ^ 2)",
        "strlen(⟨String⟩)",
        "indexOf(⟨String⟩, ⟨String⟩)",
        "bv_to_signed(⟨Word⟩)",
        "head(⟨List(ℤ)⟩)",
        "height(⟨Shape⟩)",
        "(match ⟨List(ℤ)⟩ { [h, k] => h + k | Cons(h, _) if h > 0 => h })",
        "(if ⟨Bool⟩ then ⟨ℤ⟩ else ⟨ℤ⟩)",
        "(let k : ℤ = ⟨ℤ⟩ in k + ⟨ℤ⟩)",
    ),
    "ℚ": ("(⟨ℚ⟩ + ⟨ℚ⟩)", "(⟨ℚ⟩ * ⟨ℚ⟩)", "(⟨ℚ⟩ / ⟨ℚ⟩)", "(⟨ℤ⟩ / ⟨ℤ⟩)", "half(⟨ℤ⟩)"),
    "String": (
        "concat(⟨String⟩, ⟨String⟩)",
        "substr(⟨String⟩, ⟨ℤ⟩, ⟨ℤ⟩)",
        "charAt(⟨String⟩, ⟨ℤ⟩)",
        "replace(⟨String⟩, ⟨String⟩, ⟨String⟩)",
        "intToStr(⟨ℤ⟩)",
    ),
    "List(ℤ)": ("Cons(⟨ℤ⟩, ⟨List(ℤ)⟩)", "tail(⟨List(ℤ)⟩)", "[⟨ℤ⟩, ⟨ℤ⟩]"),
    "Set(ℤ)": ("insert(⟨ℤ⟩, ⟨Set(ℤ)⟩)", "union(⟨Set(ℤ)⟩, ⟨Set(ℤ)⟩)", "intersect(⟨Set(ℤ)⟩, ⟨Set(ℤ)⟩)"),
    "Shape": ("Box(⟨ℤ⟩)", "Pile(⟨Shape⟩, ⟨Shape⟩)"),
    "Word": ("bvadd(⟨Word⟩, ⟨Word⟩)", "bvudiv(⟨Word⟩, ⟨Word⟩)", "bvsrem(⟨Word⟩, ⟨Word⟩)", "bv(⟨ℤ⟩, 4)"),
}
_GROUND_LEAVES = {
    "Bool": ("true", "false"),
    "ℤ": ("0", "1", "2", "(0 - 3)", "7"),
    "ℚ": ("0.5", "(0 - 7/3)", "(0 : ℚ)", "1.5"),
    "String": ('""', '"a"', '"é"', '"a😀b"', '"ab"', '"12"'),
    "List(ℤ)": ("([] : List(ℤ))", "[1, 2]", "[0]"),
    "Set(ℤ)": ("(empty_set : Set(ℤ))", "singleton(1)", "singleton(0 - 3)"),
    "Shape": ("Dot", "Box(2)"),
    "Word": ("bv(0, 4)", "bv(15, 4)", "bv(6, 4)"),
}

Scope = Mapping[str, tuple[str, ...]]


class _Writer:
    """Writes text of a sort from forms whose gaps are ⟨sorts⟩."""

    def __init__(
        self,
        draw: Callable[[Any], Any],
        forms: Mapping[str, Sequence[str]],
        leaves: Mapping[str, Sequence[str]],
    ) -> None:
        self._draw, self._forms, self._leaves = draw, forms, leaves
        self._count = 0

    def write(self, sort: str, scope: Scope, depth: int) -> str:
        """Text of a sort that nests `depth` forms at most."""
        names = scope.get(sort, ())
        if depth <= 0 or self._draw(st.integers(0, 5)) == 0:
            return str(self._draw(st.sampled_from([*names, *names, *self._leaves[sort]])))
        text, *parts = self._draw(st.sampled_from(self._forms[sort])).split("⟨")
        for part in parts:
            wanted, rest = part.split("⟩")
            if wanted in ("∀", "∃"):
                text += self._quantified(wanted, scope, depth - 1) + rest
            else:
                text += self.write(wanted, scope, depth - 1) + rest
        return str(text)

    def _quantified(self, sign: str, scope: Scope, depth: int) -> str:
        self._count += 1
        sort, name = self._draw(st.sampled_from(sorted(_WRITTEN))), f"x{self._count}"
        body = self.write("Bool", {**scope, sort: (*scope.get(sort, ()), name)}, depth)
        return f"({sign}({name} : {_WRITTEN[sort]}). {body})"


@st.composite
def closed(draw: st.DrawFn) -> str:
    """A closed proposition about FINITE: quantifiers range over finite sorts."""
    body = _Writer(draw, _FORMS, _LEAVES).write("Bool", {"Color": ("c",), "Bool": ("p",)}, 4)
    return f"{draw(st.sampled_from('∀∃'))}(c : Color, p : Bool). {body}"


@st.composite
def ground(draw: st.DrawFn) -> str:
    """A proposition about GROUND without variables."""
    return _Writer(draw, _GROUND_FORMS, _GROUND_LEAVES).write("Bool", {}, 4)
