"""The parts of the abstract syntax that speak of no expression: spans, names, types, kinds and dimensions.

Specification: kleis-language.md §2.8, §3.2.  Import them from `kleis.syntax`, which describes the whole tree.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

__all__ = [
    "NO_SPAN",
    "AppliedType",
    "DimensionOperation",
    "ForAllType",
    "FunctionType",
    "NamedType",
    "Node",
    "NumberType",
    "ProductType",
    "Span",
    "TypeExpression",
    "TypeParameter",
    "split_name",
]


class Span(msgspec.Struct, frozen=True, eq=False, gc=False, array_like=True):
    """A piece of source text: code points `start` ≤ i < `end`, beginning at 1-based `line` and `column`.

    All spans are equal and hash alike: a place is no part of what a tree says.  To compare places, compare
    the fields.  The file is not here; it is known to whoever holds the tree (`Program.file`).
    """

    start: int
    end: int
    line: int
    column: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Span)

    def __hash__(self) -> int:
        return 0


NO_SPAN = Span(0, 0, 0, 0)
"""The span of a node that comes from no text; its line is 0."""


class Node(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="node"):
    """The base of every node.  `span` is the last field of each and may be left out."""

    @property
    def line(self) -> int:
        """The 1-based line where the node starts; 0 for a node that comes from no text."""
        span: Span = getattr(self, "span", NO_SPAN)
        return span.line


def split_name(name: str) -> tuple[str, ...]:
    """The parts of a qualified name: ``"Ring::additive::•"`` gives ``("Ring", "additive", "•")``."""
    return tuple(name.split("::"))


# ── Types, kinds and dimensions (§2.8, §3.2) ─────────────────────────────────────────────────────────────────


class NamedType(Node, frozen=True):
    """A type, type variable or dimension variable by name: ``ℝ``, ``T``, ``n``, ``Monoid::carrier``.

    ``()`` is ``NamedType("Unit")``.  Kinds are types too: ``Type``, ``Nat``, ``Type → Type``.
    """

    name: str
    span: Span = NO_SPAN


class NumberType(Node, frozen=True):
    """A whole number in the place of a type: the 3 of ``Vector(3)``."""

    value: int
    span: Span = NO_SPAN


class AppliedType(Node, frozen=True):
    """A type with arguments: ``List(ℤ)``, ``Matrix(m, n, ℝ)``."""

    name: str
    arguments: tuple[TypeExpression, ...]
    span: Span = NO_SPAN


class FunctionType(Node, frozen=True):
    """``A → B``; several arguments are a product or another function type on the right."""

    domain: TypeExpression
    codomain: TypeExpression
    span: Span = NO_SPAN


class ProductType(Node, frozen=True):
    """``A × B × C`` or ``(A, B, C)``: two or more items, flat; parentheses make a nested product."""

    items: tuple[TypeExpression, ...]
    span: Span = NO_SPAN


class ForAllType(Node, frozen=True):
    """``∀(n m : Nat, T). body``; a variable without a kind has ``kind = NamedType("Type")``."""

    variables: tuple[TypeParameter, ...]
    body: TypeExpression
    span: Span = NO_SPAN


class DimensionOperation(Node, frozen=True):
    """Arithmetic on dimensions inside type arguments: ``n + 1``, ``2 * m``, ``min(m, n)``.

    `operator` is one of ``+ - * / ^`` (two arguments) or ``min max gcd lcm``.
    """

    operator: str
    arguments: tuple[TypeExpression, ...]
    span: Span = NO_SPAN


TypeExpression: TypeAlias = (
    NamedType | NumberType | AppliedType | FunctionType | ProductType | ForAllType | DimensionOperation
)


class TypeParameter(Node, frozen=True):
    """A parameter of a structure, data type or alias, or a variable of a ∀-type, with its kind if written."""

    name: str
    kind: TypeExpression | None = None
    span: Span = NO_SPAN
