"""Kleis syntax as the translation writes it: short ways to make nodes, and to read which names they use."""

from __future__ import annotations

from kleis.syntax.tree import (
    Ascription,
    Boolean,
    Call,
    Case,
    Conditional,
    ConstructorPattern,
    Expression,
    ListLiteral,
    ListPattern,
    Match,
    Name,
    Number,
    Parameter,
    Pattern,
    Text,
    VariablePattern,
    WildcardPattern,
)
from kleis.syntax.tree.traversal import walk

__all__ = [
    "EMPTY",
    "UNIT",
    "bound_in",
    "call",
    "choice",
    "constant",
    "integer",
    "is_atom",
    "is_total",
    "list_cases",
    "names_in",
    "of_pair",
    "pair",
    "record",
]

UNIT = Call("Unit", ())
EMPTY = ListLiteral(())


def call(name: str, *arguments: Expression) -> Call:
    """``name(arguments)``"""
    return Call(name, arguments)


def integer(value: int) -> Expression:
    """The numeral of an integer."""
    number = Number(str(abs(value)))
    return number if value >= 0 else call("negate", number)


def constant(value: bool | int | str | None) -> Expression:
    """The literal of a value of PIF."""
    match value:
        case None:
            return UNIT
        case bool():
            return Boolean(value)
        case int():
            return integer(value)
        case _:
            return Text(value)


def pair(first: Expression, second: Expression) -> Expression:
    """``(first, second)``"""
    return call("Pair", first, second)


def record(fields: dict[str, Expression]) -> Expression:
    """A record, its fields by name."""
    return Call("record", tuple(call("field", Text(name), fields[name]) for name in sorted(fields)))


def choice(condition: Expression, consequent: Expression, alternative: Expression) -> Expression:
    """``if … then … else …``"""
    return Conditional(condition, consequent, alternative)


def list_cases(
    scrutinee: Expression, empty: Expression | None, head: str, tail: str, other: Expression
) -> Match:
    """``match … { [] => … | Cons(head, tail) => … }``; without a case for [] it has no value there."""
    used = names_in(other)
    parts = tuple(_pattern(name, used) for name in (head, tail))
    cases = [] if empty is None else [Case(ListPattern(()), None, empty)]
    return Match(scrutinee, (*cases, Case(ConstructorPattern("Cons", parts), None, other)))


def of_pair(scrutinee: Expression, first: str, second: str, body: Expression) -> Expression:
    """``match … { (first, second) => … }``"""
    used = names_in(body)
    pattern = ConstructorPattern("Pair", (_pattern(first, used), _pattern(second, used)))
    return Match(scrutinee, (Case(pattern, None, body),))


def _pattern(name: str, used: frozenset[str]) -> Pattern:
    return VariablePattern(name) if name in used else WildcardPattern()


def is_atom(expression: Expression) -> bool:
    """Whether writing it twice costs nothing and asks nothing: it always has a value."""
    match expression:
        case Name() | Number() | Text() | Boolean() | ListLiteral(items=()) | Call(name="Unit"):
            return True
        case Call(name="negate", arguments=(Number(),)) | Ascription(expression=ListLiteral(items=())):
            return True
        case _:
            return False


_TOTAL = frozenset(
    [
        "plus",
        "minus",
        "times",
        "negate",
        "equals",
        "neq",
        "less_than",
        "leq",
        "greater_than",
        "geq",
        "logical_and",
        "logical_or",
        "logical_not",
        "Pair",
        "Cons",
        "concat",
        "strlen",
        "length",
        "reverse",
        "append",
        "sum",
        "product",
        "record",
        "field",
    ]
)


def is_total(expression: Expression) -> bool:
    """Whether it certainly has a value wherever its variables have: no division, no call of a definition."""
    match expression:
        case Call(name=name, arguments=arguments):
            return (name in _TOTAL or is_atom(expression)) and all(map(is_total, arguments))
        case Conditional(condition=a, consequent=b, alternative=c):
            return is_total(a) and is_total(b) and is_total(c)
        case ListLiteral(items=items):
            return all(map(is_total, items))
        case _:
            return is_atom(expression)


def bound_in(expression: Expression) -> frozenset[str]:
    """Every variable that is bound somewhere in it."""
    nodes = walk(expression)
    return frozenset(node.name for node in nodes if isinstance(node, VariablePattern | Parameter))


def names_in(expression: Expression) -> frozenset[str]:
    """Every name that occurs, of variables and of functions. (The translation gives no name twice.)"""
    return frozenset(node.name for node in walk(expression) if isinstance(node, Name | Call))
