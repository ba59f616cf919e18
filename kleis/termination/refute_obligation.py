"""Small counterexamples: is an obligation plainly false at a few values?

A guess whose obligation fails at small values is not worth offering to a prover.

Invariants
    * `refutation` answers with values at which the obligation is false or undefined, as kleis/core/terms.py says.
    * Terms that are not understood here (symbols, calls, quantifiers, λ) decide nothing: where one is needed, that
      assignment is passed over.  None is therefore no proof.
    * The work is bounded by `_POINTS`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice, product
from math import ceil, floor
from typing import Final, NamedTuple, TypeAlias

from kleis import core
from kleis.core.traversal import free_variables

__all__ = ["Point", "refutation", "small_values", "value_text"]

_POINTS = 4000
_EACH = 9
"""How many values of a sort are tried."""


class Made(NamedTuple):
    """A value of a data type, tuple or record."""

    constructor: str
    fields: tuple[Small, ...]


Small: TypeAlias = "bool | int | Fraction | str | tuple[Small, ...] | Made"
"""A value; a list is a tuple."""

Point: TypeAlias = dict[str, Small]

Data: TypeAlias = Callable[[core.DataSort], Sequence[core.Constructor]]


class _Nothing(Exception):
    """The term has no value."""


class _Beyond(Exception):
    """The term cannot be computed here."""


def refutation(formula: core.Term, data: Data) -> Point | None:
    """Small values of the outermost variables at which a formula is not true; None if none is found."""
    variables: tuple[core.Variable, ...] = ()
    if isinstance(formula, core.Quantifier):
        variables, formula = formula.variables, formula.body
    given = _equations(formula, variables)
    free = [variable for variable in variables if variable.name not in given]
    ranges = [small_values(variable.sort, data) for variable in free]
    for values in islice(_near(ranges), _POINTS):
        point = dict(zip((variable.name for variable in free), values, strict=True))
        try:
            if _completed(point, given) and truth(formula, point) is not True:
                return point
        except _Beyond:
            continue
    return None


def _equations(
    formula: core.Term, variables: Sequence[core.Variable]
) -> dict[str, tuple[core.Variable, core.Term]]:
    """The variables to which the premises give values, in an order in which these can be computed."""
    if not isinstance(formula, core.Connective) or formula.name != "implies":
        return {}
    premise = formula.arguments[0]
    all_of = (
        premise.arguments if isinstance(premise, core.Connective) and premise.name == "and" else (premise,)
    )
    found: dict[str, tuple[core.Variable, core.Term]] = {}
    used: set[str] = set()
    for each in all_of:
        if not isinstance(each, core.Equals):
            continue
        used |= {variable.name for variable in free_variables(each.right)}
        left = each.left.term if isinstance(each.left, core.Coercion) else each.left
        if isinstance(left, core.Variable) and left in variables and left.name not in used:
            found.setdefault(left.name, (left, each.right))
    return found


def _completed(point: Point, given: Mapping[str, tuple[core.Variable, core.Term]]) -> bool:
    """Give the determined variables their values; False if a premise then fails, or has no value."""
    for name, (variable, term) in given.items():
        try:
            value = _value(term, point)
        except _Nothing:
            return False
        if variable.sort == core.Numeric("ℕ") and isinstance(value, int) and value < 0:
            return False
        point[name] = value
    return True


def _near(ranges: Sequence[Sequence[Small]]) -> Iterator[tuple[Small, ...]]:
    """Combinations of values, those with early values first as far as the number of points allows."""
    width = _EACH
    while width > 2 and width ** len(ranges) > _POINTS:
        width -= 1
    return product(*(each[:width] for each in ranges))


def small_values(sort: core.Sort, data: Data, depth: int = 2) -> tuple[Small, ...]:
    """A few values of a sort, the simplest first; none where no value is known here."""
    match sort:
        case core.Numeric(name="ℕ"):
            return tuple(range(_EACH))
        case core.Numeric(name="ℤ"):
            return (0, 1, -1, 2, -2, 3, -3, 5, -5)
        case core.Numeric(name="ℚ" | "ℝ"):
            return (0, 1, Fraction(1, 2), -1, 2, Fraction(-1, 2), 3)
        case _ if sort == core.BOOL:
            return (False, True)
        case _ if sort == core.STRING:
            return ("", "a", "ab", "b")
        case core.ListOf(element=element):
            items = small_values(element, data, depth - 1)[:3] if depth > 0 else ()
            return ((), *((item,) for item in items[:2]), *product(items[:2], repeat=2))
        case core.TupleOf(items=items):
            name = {0: "Unit", 2: "Pair"}.get(len(items), f"Tuple{len(items)}")
            parts = product(*(small_values(item, data, depth - 1)[:3] for item in items))
            return tuple(Made(name, each) for each in islice(parts, _EACH))
        case core.DataSort():
            return tuple(islice(_of_data(sort, data, depth), _EACH))
        case _:
            return ()


def _of_data(sort: core.DataSort, data: Data, depth: int) -> Iterator[Small]:
    for constructor in sorted(data(sort), key=lambda each: len(each.fields)):
        if depth > 0 or not constructor.fields:
            parts = (small_values(field.sort, data, depth - 1)[:3] for field in constructor.fields)
            for fields in product(*parts):
                yield Made(constructor.name, fields)


def value_text(value: Small) -> str:
    """A value as it is written."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return f'"{value}"'
        case Made(constructor=name, fields=fields):
            return f"{name}({', '.join(map(value_text, fields))})" if fields else name
        case tuple():
            return f"[{', '.join(map(value_text, value))}]"
        case _:
            return str(value)


# ── Computing ────────────────────────────────────────────────────────────────────────────────────────────────


def truth(formula: core.Term, point: Mapping[str, Small]) -> bool | None:
    """Strong Kleene truth; None where undefined.  What is `_Beyond` may be decided by what is not."""
    if isinstance(formula, core.Connective):
        return _connected(formula, point)
    if isinstance(formula, core.Conditional):
        condition = truth(formula.condition, point)
        if condition is None:
            return None
        return truth(formula.consequent if condition else formula.alternative, point)
    try:
        return bool(_value(formula, point))
    except _Nothing:
        return None


def _connected(formula: core.Connective, point: Mapping[str, Small]) -> bool | None:
    if formula.name == "not":
        inner = truth(formula.arguments[0], point)
        return None if inner is None else not inner
    deciding = formula.name != "and"
    beyond = undefined = False
    for index, argument in enumerate(formula.arguments):
        try:
            part = truth(argument, point)
        except _Beyond:
            beyond = True
            continue
        if part is not None and formula.name == "implies" and index == 0:
            part = not part
        if part is deciding:
            return deciding
        undefined = undefined or part is None
    if beyond:
        raise _Beyond
    return None if undefined else not deciding


def _value(term: core.Term, point: Mapping[str, Small]) -> Small:
    match term:
        case core.Variable(name=name):
            if name not in point:
                raise _Beyond
            return point[name]
        case core.LiteralTerm(value=value):
            return value
        case core.BuiltinCall():
            return _computed(term, [_value(each, point) for each in term.arguments])
        case core.Construction(constructor=constructor, arguments=arguments):
            return _made(constructor, tuple(_value(each, point) for each in arguments))
        case core.Discrimination(constructor=constructor, term=inner):
            return _fields(constructor, _value(inner, point)) is not None
        case core.Selection(constructor=constructor, index=index, term=inner):
            fields = _fields(constructor, _value(inner, point))
            if fields is None:
                raise _Nothing
            return fields[index]
        case core.Equals(left=left, right=right):
            return _value(left, point) == _value(right, point)
        case core.Connective() | core.Conditional() if term.sort == core.BOOL:
            answer = truth(term, point)
            if answer is None:
                raise _Nothing
            return answer
        case core.Conditional(condition=condition, consequent=yes, alternative=no):
            return _value(yes if _value(condition, point) else no, point)
        case core.Let(variable=variable, value=value, body=body):
            return _value(body, {**point, variable.name: _value(value, point)})
        case core.Coercion(term=inner):
            return _value(inner, point)
        case core.Narrowing(term=inner):
            number = _value(inner, point)
            if not isinstance(number, int) or number < 0:
                raise _Nothing
            return number
        case core.Undefined():
            raise _Nothing
        case _:
            raise _Beyond


def _made(constructor: core.Constructor, fields: tuple[Small, ...]) -> Small:
    if not isinstance(constructor.sort, core.ListOf):
        return Made(constructor.name, fields)
    if not fields:
        return ()
    rest = fields[1]
    if not isinstance(rest, tuple):
        raise _Beyond
    return (fields[0], *rest)


def _fields(constructor: core.Constructor, value: Small) -> tuple[Small, ...] | None:
    """The fields of a value made by a constructor; None if another made it."""
    if isinstance(value, Made):
        return value.fields if value.constructor == constructor.name else None
    if isinstance(value, tuple):
        if constructor.name == "Nil":
            return None if value else ()
        return (value[0], value[1:]) if value else None
    raise _Beyond


_BINARY: Final[Mapping[str, Callable[[Fraction | int, Fraction | int], Small]]] = {
    "plus": operator.add,
    "minus": operator.sub,
    "times": operator.mul,
    "min": min,
    "max": max,
    "leq": operator.le,
    "less_than": operator.lt,
    "geq": operator.ge,
    "greater_than": operator.gt,
    "neq": operator.ne,
}
_UNARY: Final[Mapping[str, Callable[[Fraction | int], Small]]] = {
    "negate": lambda a: -a,
    "abs": lambda a: a if a >= 0 else -a,
    "floor": floor,
    "ceil": ceil,
}
_DIVIDING: Final[Mapping[str, Callable[[Fraction, Fraction], Small]]] = {
    "div": lambda a, b: floor(a / b),
    "mod": lambda a, b: _exact(a - b * floor(a / b)),
    "divide": lambda a, b: _exact(a / b),
}


def _exact(number: Fraction) -> Small:
    return number.numerator if number.denominator == 1 else number


def _computed(call: core.BuiltinCall, values: list[Small]) -> Small:
    name = call.operation.name
    match values:
        case [int() | Fraction() as a, int() | Fraction() as b] if name in _BINARY:
            return _BINARY[name](a, b)
        case [int() | Fraction() as a, int() | Fraction() as b] if name in _DIVIDING:
            if b == 0:
                raise _Nothing
            return _DIVIDING[name](Fraction(a), Fraction(b))
        case [int() | Fraction() as a] if name in _UNARY:
            return _UNARY[name](a)
        case [str() as text] if name in ("length", "strlen"):
            return len(text)
        case [Made() as whole] if name in ("fst", "snd"):
            return whole.fields[name == "snd"]
        case [tuple() as items] if not isinstance(items, Made):
            return _of_list(name, items)
        case [tuple() as first, tuple() as second] if name == "append":
            if not isinstance(first, Made) and not isinstance(second, Made):
                return (*first, *second)
        case _:
            pass
    raise _Beyond


def _of_list(name: str, items: tuple[Small, ...]) -> Small:
    match name:
        case "length":
            return len(items)
        case "isEmpty":
            return not items
        case "reverse":
            return items[::-1]
        case "head" | "tail":
            if not items:
                raise _Nothing
            return items[0] if name == "head" else items[1:]
        case _:
            raise _Beyond
