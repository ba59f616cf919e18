"""Syntax nodes of types, patterns and expressions.  Import them from `kleis.syntax.tree`."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

__all__ = [
    "NO_SPAN",
    "TUPLES",
    "AppliedType",
    "Apply",
    "AsPattern",
    "Ascription",
    "Binder",
    "Boolean",
    "Call",
    "Case",
    "Conditional",
    "ConstructorPattern",
    "DimensionOperation",
    "Expression",
    "ForAllType",
    "FunctionType",
    "Lambda",
    "Let",
    "ListLiteral",
    "ListPattern",
    "LiteralPattern",
    "Match",
    "Name",
    "NamedType",
    "Node",
    "Number",
    "NumberType",
    "Parameter",
    "Pattern",
    "ProductType",
    "Quantifier",
    "QuantifierKind",
    "Span",
    "Text",
    "TypeExpression",
    "TypeParameter",
    "Using",
    "VariablePattern",
    "WildcardPattern",
    "split_name",
]


class Span(msgspec.Struct, frozen=True, eq=False, gc=False, array_like=True):
    """A piece of source text: code points `start` ≤ i < `end`, beginning at 1-based `line` and `column`.

    All spans are equal and hash alike: a place is no part of the meaning of a tree.  To compare places, compare
    the fields.  The file is not here but in `Program.file`.
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

TUPLES = {2: "Pair", 3: "Tuple3", 4: "Tuple4", 5: "Tuple5"}
"""The constructor of a tuple by its length."""


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


# ── Types, kinds and dimensions ──────────────────────────────────────────────────────────────────────────────


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


# ── Patterns ─────────────────────────────────────────────────────────────────────────────────────────────────


class WildcardPattern(Node, frozen=True):
    """``_``"""

    span: Span = NO_SPAN


class VariablePattern(Node, frozen=True):
    """A name that starts with no upper-case letter."""

    name: str
    span: Span = NO_SPAN


class LiteralPattern(Node, frozen=True):
    """A number, a string, ``true`` or ``false``."""

    value: Number | Text | Boolean
    span: Span = NO_SPAN


class ConstructorPattern(Node, frozen=True):
    """``Some(x)``, ``None``; tuples are ``Pair``, ``Tuple3`` … ``Tuple5`` and ``()`` is ``Unit``."""

    name: str
    arguments: tuple[Pattern, ...] = ()
    span: Span = NO_SPAN


class ListPattern(Node, frozen=True):
    """``[a, b]``: a list of exactly these elements.  The same values as ``Cons(a, Cons(b, Nil))``."""

    items: tuple[Pattern, ...]
    span: Span = NO_SPAN


class AsPattern(Node, frozen=True):
    """``pattern as name``"""

    pattern: Pattern
    name: str
    span: Span = NO_SPAN


Pattern: TypeAlias = (
    WildcardPattern | VariablePattern | LiteralPattern | ConstructorPattern | ListPattern | AsPattern
)


# ── Expressions ─────────────────────────────────────────────────────────────────────────────────────────────


class Number(Node, frozen=True):
    """A numeral, spelled as in the source: ``3``, ``0.10``, ``1e3``.  Never negative."""

    text: str
    span: Span = NO_SPAN


class Text(Node, frozen=True):
    """A string literal, decoded."""

    value: str
    span: Span = NO_SPAN


class Boolean(Node, frozen=True):
    """``true`` or ``false``.  ``True`` and ``False`` are `Name`s: a program may declare them as constructors."""

    value: bool
    span: Span = NO_SPAN


class Name(Node, frozen=True):
    """A variable, constant, function as a value, or constructor without arguments; possibly qualified."""

    name: str
    span: Span = NO_SPAN


class Call(Node, frozen=True):
    """An operator or a named function with its arguments.  ``f()`` has none and is not ``Name("f")``.

    `name` may be a local variable that holds a function; the parser does not resolve names.
    """

    name: str
    arguments: tuple[Expression, ...]
    span: Span = NO_SPAN


class Apply(Node, frozen=True):
    """A computed function applied: ``f(x)(y)``, ``(λ x . x)(3)``.  `function` is never a `Name`."""

    function: Expression
    arguments: tuple[Expression, ...]
    span: Span = NO_SPAN


class ListLiteral(Node, frozen=True):
    """``[a, b, c]``"""

    items: tuple[Expression, ...]
    span: Span = NO_SPAN


QuantifierKind: TypeAlias = Literal["forall", "exists"]


class Binder(Node, frozen=True):
    """One variable of a quantifier; ``∀(x y : ℝ)`` has two binders with equal types."""

    name: str
    type: TypeExpression
    span: Span = NO_SPAN


class Quantifier(Node, frozen=True):
    """``∀(x y : T) where condition . body`` or ``∃…``; one node for all its binders."""

    kind: QuantifierKind
    binders: tuple[Binder, ...]
    where: Expression | None
    body: Expression
    span: Span = NO_SPAN


class Conditional(Node, frozen=True):
    """``if condition then consequent else alternative``"""

    condition: Expression
    consequent: Expression
    alternative: Expression
    span: Span = NO_SPAN


class Let(Node, frozen=True):
    """``let pattern : type = value in body``; not recursive."""

    pattern: Pattern
    type: TypeExpression | None
    value: Expression
    body: Expression
    span: Span = NO_SPAN


class Parameter(Node, frozen=True):
    """A parameter of a lambda or a definition, with its type if written."""

    name: str
    type: TypeExpression | None = None
    span: Span = NO_SPAN


class Lambda(Node, frozen=True):
    """``λ x (y : T) . body``, with one parameter or more."""

    parameters: tuple[Parameter, ...]
    body: Expression
    span: Span = NO_SPAN


class Case(Node, frozen=True):
    """``pattern if guard => body``"""

    pattern: Pattern
    guard: Expression | None
    body: Expression
    span: Span = NO_SPAN


class Match(Node, frozen=True):
    """``match scrutinee { case | case }``, with one case or more."""

    scrutinee: Expression
    cases: tuple[Case, ...]
    span: Span = NO_SPAN


class Ascription(Node, frozen=True):
    """``expression : type``"""

    expression: Expression
    type: TypeExpression
    span: Span = NO_SPAN


class Using(Node, frozen=True):
    """``using Group proposition``: the structure that a proposition is about."""

    structure: TypeExpression
    body: Expression
    span: Span = NO_SPAN


Expression: TypeAlias = (
    Number
    | Text
    | Boolean
    | Name
    | Call
    | Apply
    | ListLiteral
    | Quantifier
    | Conditional
    | Let
    | Lambda
    | Match
    | Ascription
    | Using
)
