"""Kleis syntax as the translation writes it: short ways to make nodes, and the names in them."""

from __future__ import annotations

from kleis.syntax import tree
from kleis.syntax.tree.traversal import walk

__all__ = [
    "EMPTY",
    "UNIT",
    "bound_by",
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

UNIT = tree.Call("Unit", ())
EMPTY = tree.ListLiteral(())


def call(name: str, *arguments: tree.Expression) -> tree.Call:
    """``name(arguments)``"""
    return tree.Call(name, arguments)


def integer(value: int) -> tree.Expression:
    """The numeral of an integer."""
    number = tree.Number(str(abs(value)))
    return number if value >= 0 else call("negate", number)


def constant(value: bool | int | str | None) -> tree.Expression:
    """The literal of a value of PIF."""
    match value:
        case None:
            return UNIT
        case bool():
            return tree.Boolean(value)
        case int():
            return integer(value)
        case _:
            return tree.Text(value)


def pair(first: tree.Expression, second: tree.Expression) -> tree.Expression:
    """``(first, second)``"""
    return call("Pair", first, second)


def record(fields: dict[str, tree.Expression]) -> tree.Expression:
    """A record, its fields by name."""
    return tree.Call("record", tuple(call("field", tree.Text(name), fields[name]) for name in sorted(fields)))


def choice(
    condition: tree.Expression, consequent: tree.Expression, alternative: tree.Expression
) -> tree.Expression:
    """``if … then … else …``"""
    return tree.Conditional(condition, consequent, alternative)


def list_cases(
    scrutinee: tree.Expression, empty: tree.Expression | None, head: str, tail: str, other: tree.Expression
) -> tree.Match:
    """``match … { [] => … | Cons(head, tail) => … }``; without `empty` it has no value at []."""
    used = names_in(other)
    parts = tuple(_pattern(name, used) for name in (head, tail))
    cases = [] if empty is None else [tree.Case(tree.ListPattern(()), None, empty)]
    return tree.Match(scrutinee, (*cases, tree.Case(tree.ConstructorPattern("Cons", parts), None, other)))


def of_pair(scrutinee: tree.Expression, first: str, second: str, body: tree.Expression) -> tree.Expression:
    """``match … { (first, second) => … }``"""
    used = names_in(body)
    pattern = tree.ConstructorPattern("Pair", (_pattern(first, used), _pattern(second, used)))
    return tree.Match(scrutinee, (tree.Case(pattern, None, body),))


def _pattern(name: str, used: frozenset[str]) -> tree.Pattern:
    return tree.VariablePattern(name) if name in used else tree.WildcardPattern()


def is_atom(expression: tree.Expression) -> bool:
    """Whether an expression may be written twice: it is small and always has a value."""
    match expression:
        case (
            tree.Name()
            | tree.Number()
            | tree.Text()
            | tree.Boolean()
            | tree.ListLiteral(items=())
            | tree.Call(name="Unit")
        ):
            return True
        case (
            tree.Call(name="negate", arguments=(tree.Number(),))
            | tree.Ascription(expression=tree.ListLiteral(items=()))
        ):
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


def is_total(expression: tree.Expression) -> bool:
    """Whether an expression certainly has a value: no division, no call of a definition."""
    match expression:
        case tree.Call(name=name, arguments=arguments):
            return (name in _TOTAL or is_atom(expression)) and all(map(is_total, arguments))
        case tree.Conditional(condition=a, consequent=b, alternative=c):
            return is_total(a) and is_total(b) and is_total(c)
        case tree.ListLiteral(items=items):
            return all(map(is_total, items))
        case _:
            return is_atom(expression)


def bound_by(pattern: tree.Node) -> frozenset[str]:
    """The variables that a pattern binds."""
    return frozenset(
        node.name for node in walk(pattern) if isinstance(node, tree.VariablePattern | tree.AsPattern)
    )


def bound_in(expression: tree.Expression) -> frozenset[str]:
    """Every variable that is bound somewhere in an expression."""
    nodes = walk(expression)
    return frozenset(node.name for node in nodes if isinstance(node, tree.VariablePattern | tree.Parameter))


def names_in(expression: tree.Expression) -> frozenset[str]:
    """Every name of a variable or function that occurs. (The translation binds no name twice.)"""
    return frozenset(node.name for node in walk(expression) if isinstance(node, tree.Name | tree.Call))
