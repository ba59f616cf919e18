"""The part of the abstract syntax that speaks of values: patterns and expressions.

Specification: kleis-language.md §2.9–§2.12, §3.1.  Import them from `kleis.syntax`, which describes the
whole tree.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from kleis.type_syntax import NO_SPAN, Node, Span, TypeExpression

__all__ = [
    "Apply",
    "AsPattern",
    "Ascription",
    "Binder",
    "Boolean",
    "Call",
    "Case",
    "Conditional",
    "ConstructorPattern",
    "Expression",
    "Lambda",
    "Let",
    "ListLiteral",
    "ListPattern",
    "LiteralPattern",
    "Match",
    "Name",
    "Number",
    "Parameter",
    "Pattern",
    "Quantifier",
    "QuantifierKind",
    "Text",
    "Using",
    "VariablePattern",
    "WildcardPattern",
]


# ── Patterns (§2.12) ─────────────────────────────────────────────────────────────────────────────────────────


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


# ── Expressions (§2.9–§2.12, §3.1) ───────────────────────────────────────────────────────────────────────────


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

    `name` may be a local variable that holds a function; the reader of the tree resolves it.
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
    """``using Group proposition``: the structure a proposition is about (proving.md §1)."""

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
