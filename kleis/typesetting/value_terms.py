"""Values as expressions, to be written as mathematics."""

from __future__ import annotations

from fractions import Fraction

from kleis import values
from kleis.syntax import tree
from kleis.typesetting.escape import literal
from kleis.typesetting.mathematics import expression_text

__all__ = ["value_text"]

_DEEPEST = 100
_LONGEST = 2_000


def value_text(value: values.Value, *, limit: int) -> str:
    """A value as Typst: a string as plain text, whole numbers as digits, all else as mathematics between dollars."""
    if isinstance(value, str):
        return literal(value)
    if isinstance(value, bool | int):
        return values.display_text(value, limit=limit)
    return f"${expression_text(_term(value, limit, 0))}$"


def _term(value: values.Value, limit: int, depth: int) -> tree.Expression:
    if depth > _DEEPEST:
        return tree.Text(values.display_text(value, limit=200))
    match value:
        case bool():
            return tree.Boolean(value)
        case int() | float() | Fraction():
            return _number(value)
        case values.Complex(real=real, imaginary=imaginary):
            times = tree.Call("times", (_number(imaginary), tree.Name("i")))
            return times if real == 0 else tree.Call("plus", (_number(real), times))
        case str():
            return tree.Text(value[:_LONGEST])
        case values.ListValue():
            return tree.ListLiteral(_terms(value.items()[:_LONGEST], limit, depth))
        case values.Data(constructor=name, fields=()):
            return tree.Name(name)
        case values.Data(constructor=name, fields=fields):
            return tree.Call(name, _terms(fields, limit, depth))
        case values.SetValue(members=members, complement=False):
            return tree.Call("finite_set", _terms(list(members.values())[:_LONGEST], limit, depth))
        case values.Symbol(name=name):
            return tree.Name(name)
        case values.Stuck(operation=operation, arguments=arguments):
            return tree.Call(operation, _terms(arguments, limit, depth))
        case values.Suspended(expression=expression, bindings=()):
            return expression
        case values.FunctionValue(source=source, captured=(), applied=()) if source is not None:
            return source
    return tree.Text(values.render_value(value, limit=_LONGEST))


def _terms(
    parts: list[values.Value] | tuple[values.Value, ...], limit: int, depth: int
) -> tuple[tree.Expression, ...]:
    return tuple(_term(each, limit, depth + 1) for each in parts)


def _number(number: values.Number) -> tree.Expression:
    if number < 0:
        return tree.Call("negate", (_number(-number),))
    if isinstance(number, Fraction):
        parts = (number.numerator, number.denominator)
        return tree.Call("divide", tuple(tree.Number(values.number_text(each)) for each in parts))
    return tree.Number(values.number_text(number))
