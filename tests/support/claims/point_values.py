"""Terms and formulas of the core at a point: a second semantics, which shares no code with `kleis.semantics`.

Numbers are fractions, or floating point with a bound of the error.  What a formula comes to is the set of the truth values
that it may have: true, false, undefined (None).  Quantifiers over infinite sorts are tried at a few values, so that ∀ is
never only true nor ∃ only false.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, TypeAlias

from kleis import core
from kleis.core.goal import Goal
from tests.support.claims.inexact import (
    Inexact,
    NotClear,
    NoValue,
    Real,
    absolute,
    compared,
    function,
    over,
    power,
    times,
    total,
)

__all__ = ["UNCLEAR", "Point", "Truths"]

Truths: TypeAlias = "frozenset[bool | None]"
"""The truth values that a formula may have."""

UNCLEAR: Truths = frozenset({True, False, None})
_UNDEFINED: Truths = frozenset({None})

_MOST_STEPS = 20_000
_MOST_CASES = 700


class Point:
    """Values with the definitions of one goal, for a limited number of steps."""

    def __init__(self, goal: Goal, symbols: Mapping[core.Symbol, Callable[..., Any]] | None = None) -> None:
        self._goal = goal
        self._symbols = symbols or {}
        self._left = _MOST_STEPS

    # ── Formulas ─────────────────────────────────────────────────────────────────────────────────────────────

    def truth(self, formula: core.Term, at: Mapping[str, Any]) -> Truths:
        """The truth values that are possible."""
        match formula:
            case core.Connective(name="not", arguments=(part,)):
                return _opposite(self.truth(part, at))
            case core.Connective(name="implies", arguments=(left, right)):
                return _any([_opposite(self.truth(left, at)), self.truth(right, at)])
            case core.Connective(name=name, arguments=arguments):
                return (_all if name == "and" else _any)([self.truth(each, at) for each in arguments])
            case core.Quantifier(kind=kind, variables=variables, body=body):
                return self._quantified(kind, variables, body, at)
        try:
            return frozenset({bool(self.value(formula, at))})
        except NoValue:
            return _UNDEFINED
        except NotClear:
            return UNCLEAR

    def _quantified(
        self, kind: str, variables: tuple[core.Variable, ...], body: core.Term, at: Mapping[str, Any]
    ) -> Truths:
        try:
            ranges = [_range(each.sort, _guards(kind, body), each.name) for each in variables]
        except NotClear:
            return UNCLEAR
        if math.prod(len(values) for values, _ in ranges) > _MOST_CASES:
            return UNCLEAR
        names = [each.name for each in variables]
        found = [
            self.truth(body, {**at, **dict(zip(names, values, strict=True))})
            for values in product(*(values for values, _ in ranges))
        ]
        if not all(complete for _, complete in ranges):
            found.append(UNCLEAR)
        return (_all if kind == "forall" else _any)(found)

    def _sure(self, formula: core.Term, at: Mapping[str, Any]) -> bool:
        found = self.truth(formula, at)
        if len(found) > 1:
            raise NotClear
        if found == _UNDEFINED:
            raise NoValue
        return True in found

    # ── Values ───────────────────────────────────────────────────────────────────────────────────────────────

    def value(self, term: core.Term, at: Mapping[str, Any]) -> Any:
        """The value of a term; `NoValue` or `NotClear`."""
        self._left -= 1
        if self._left < 0:
            raise NotClear
        match term:
            case core.Variable(name=name):
                return at[name]
            case core.LiteralTerm(value=value):
                return value if isinstance(value, bool | str) else Fraction(value)
            case core.Connective() | core.Quantifier():
                return self._sure(term, at)
            case core.Equals(left=left, right=right):
                return _equal(self.value(left, at), self.value(right, at))
            case core.Coercion(term=part):
                return self.value(part, at)
            case core.Narrowing(term=part):
                found = self.value(part, at)
                if found < 0:
                    raise NoValue
                return found
            case core.Conditional(condition=condition, consequent=first, alternative=second):
                return self.value(first if self._sure(condition, at) else second, at)
            case core.Let(variable=variable, value=value, body=body):
                return self.value(body, {**at, variable.name: self.value(value, at)})
            case core.Lambda(variables=variables, body=body):
                names = [each.name for each in variables]
                return lambda *given: self.value(body, {**at, **dict(zip(names, given, strict=True))})
            case core.Application(function=called, arguments=arguments):
                return self.value(called, at)(*self._values(arguments, at))
            case core.Construction(constructor=constructor, arguments=arguments):
                return self._made(constructor.name, self._values(arguments, at))
            case core.Discrimination(constructor=constructor, term=part):
                return _made_by(self.value(part, at)) == constructor.name
            case core.Selection(constructor=constructor, index=index, term=part):
                found = self.value(part, at)
                if _made_by(found) != constructor.name:
                    raise NoValue
                return (found[0], found[1:])[index] if constructor.name == "Cons" else found[index]
            case core.SymbolCall(symbol=symbol, arguments=arguments):
                return self._symbols[symbol](*self._values(arguments, at))
            case core.DefinitionCall(definition=key, arguments=arguments):
                definition = self._goal.definition(key)
                names = [each.name for each in definition.parameters]
                return self.value(definition.body, dict(zip(names, self._values(arguments, at), strict=True)))
            case core.BuiltinCall(operation=operation, arguments=arguments):
                called = _BUILT_IN.get(operation.name)
                if called is None:
                    raise NotClear
                return called(*self._values(arguments, at))
        raise NoValue if isinstance(term, core.Undefined) else NotClear

    def _values(self, terms: Sequence[core.Term], at: Mapping[str, Any]) -> list[Any]:
        """Strict: a call has no value where an argument has none."""
        found, unclear = [], False
        for each in terms:
            try:
                found.append(self.value(each, at))
            except NotClear:
                unclear = True
        if unclear:
            raise NotClear
        return found

    def _made(self, name: str, fields: list[Any]) -> Any:
        if name == "Nil":
            return ()
        if name == "Cons":
            return (fields[0], *fields[1])
        return tuple(fields)


def _made_by(value: Any) -> str:
    assert isinstance(value, tuple)
    return "Cons" if value else "Nil"


# ── Truth values, and the values of quantifiers ──────────────────────────────────────────────────────────────


def _opposite(values: Truths) -> Truths:
    return frozenset(None if each is None else not each for each in values)


def _all(values: list[Truths]) -> Truths:
    """The conjunctions: false if one is, else undefined if one is."""
    found: Truths = frozenset({True})
    for each in set(values):
        found = frozenset(
            False if False in (a, b) else None if None in (a, b) else True for a in found for b in each
        )
    return found


def _any(values: list[Truths]) -> Truths:
    return _opposite(_all([_opposite(each) for each in values]))


_SAMPLE = [Fraction(each) for each in range(-7, 13)]
_PARTS = [*_SAMPLE, Fraction(1, 2), Fraction(-1, 2), Fraction(3, 2), Fraction(1, 3), Fraction(1, 100)]
_ORDERS = {"less_than": 1, "leq": 0, "greater_than": 1, "geq": 0}


def _guards(kind: str, body: core.Term) -> list[core.Term]:
    """What holds of the values that matter: the premise below ∀, each conjunct below ∃."""
    if kind == "exists":
        return [body]
    return [body.arguments[0]] if isinstance(body, core.Connective) and body.name == "implies" else []


def _range(sort: core.Sort, guards: list[core.Term], name: str) -> tuple[list[Any], bool]:
    """Values of a sort, and whether these are all that matter: guards may bound a whole number."""
    if sort == core.BOOL:
        return [False, True], True
    if sort in (core.NATURAL, core.INTEGER):
        low, high = _bounds(guards, name)
        low = max(low, 0) if sort == core.NATURAL else low
        if high - low <= 40:
            return [Fraction(each) for each in range(int(low), int(high) + 1)], True
        return [each for each in _SAMPLE if sort != core.NATURAL or each >= 0], False
    if sort in (core.RATIONAL, core.REAL):
        return _PARTS, False
    raise NotClear


def _bounds(guards: list[core.Term], name: str) -> tuple[int, int]:
    """Written bounds of a variable in the guards of a quantifier."""
    low, high = -1000, 1000
    left = list(guards)
    while left:
        guard = left.pop()
        match guard:
            case core.Connective(name="and", arguments=arguments):
                left += arguments
            case core.BuiltinCall(operation=operation, arguments=(one, other)) if operation.name in _ORDERS:
                less, more = (other, one) if operation.name[0] == "g" else (one, other)
                strict = _ORDERS[operation.name]
                less, more = _bare(less), _bare(more)
                if (
                    isinstance(less, core.Variable)
                    and less.name == name
                    and isinstance(more, core.LiteralTerm)
                ):
                    high = min(high, math.ceil(more.value) - strict)
                if (
                    isinstance(more, core.Variable)
                    and more.name == name
                    and isinstance(less, core.LiteralTerm)
                ):
                    low = max(low, math.floor(less.value) + strict)
    return low, high


def _bare(term: core.Term) -> core.Term:
    while isinstance(term, core.Coercion):
        term = term.term
    return term


# ── Built-ins ────────────────────────────────────────────────────────────────────────────────────────────────


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, Fraction | Inexact) and isinstance(b, Fraction | Inexact):
        return compared(a, b) == 0
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(_equal(x, y) for x, y in zip(a, b, strict=True))
    if callable(a) or callable(b):
        raise NotClear
    return bool(a == b)


def _exactly(a: Real) -> Fraction:
    if not isinstance(a, Fraction):
        raise NotClear
    return a


def _divided(a: Fraction, b: Fraction) -> Fraction:
    if b == 0:
        raise NoValue
    return Fraction(math.floor(a / b))


def _where(
    of: Callable[[float], float], low: float, high: float, *, open_ends: bool = False
) -> Callable[[Real], Real]:
    """A function between two ends, undefined elsewhere."""

    def at(a: Real) -> Real:
        for end, side in ((low, -1), (high, 1)):
            if math.isfinite(end):
                place = compared(a, Fraction(end)) * side
                if place > 0 or (place == 0 and open_ends):
                    raise NoValue
        return function(of, a)

    return at


def _root(a: Real) -> Real:
    if a == 0:
        return Fraction(0)
    if compared(a, Fraction(0)) < 0:
        raise NoValue
    return function(math.sqrt, a)


def _factorial(n: Fraction) -> Fraction:
    if n < 0:
        raise NoValue
    if n > 60:
        raise NotClear
    return Fraction(math.factorial(int(n)))


def _item(items: tuple[Any, ...], index: Fraction) -> Any:
    if not 0 <= index < len(items):
        raise NoValue
    return items[int(index)]


def _first(items: tuple[Any, ...]) -> Any:
    return _item(items, Fraction(0))


def _rest(items: tuple[Any, ...]) -> Any:
    _first(items)
    return items[1:]


def _folded(of: Callable[..., Any], start: Any, items: Sequence[Any]) -> Any:
    for each in items:
        start = of(start, each)
    return start


def _between(low: Fraction, high: Fraction) -> list[Fraction]:
    if high - low > 200:
        raise NotClear
    return [Fraction(each) for each in range(int(low), int(high) + 1)]


def _gathered(of: Callable[[Real, Real], Real], start: int) -> Callable[..., Real]:
    def all_of(body: Callable[..., Any], low: Fraction, high: Fraction) -> Real:
        found: Real = Fraction(start)
        for each in _between(low, high):
            found = of(found, body(each))
        return found

    return all_of


def _every(of: Callable[..., Any], items: Sequence[Any], wanted: bool) -> bool:
    for each in items:
        if of(each) is not wanted:
            return not wanted
    return wanted


def _matrix_product(a: Any, b: Any) -> Any:
    if isinstance(a, tuple) is not isinstance(b, tuple):
        raise NotClear
    if isinstance(a, tuple) and isinstance(b, tuple):
        columns = list(zip(*b, strict=True))
        return tuple(
            tuple(_folded(total, Fraction(0), list(map(times, row, each))) for each in columns) for row in a
        )
    return times(a, b)


def _entrywise(of: Callable[[Real, Real], Real]) -> Callable[[Any, Any], Any]:
    def at(a: Any, b: Any) -> Any:
        if isinstance(a, tuple) is not isinstance(b, tuple):
            raise NotClear
        if isinstance(a, tuple):
            return tuple(tuple(map(of, x, y)) for x, y in zip(a, b, strict=True))
        return of(a, b)

    return at


def _determinant(rows: Any) -> Real:
    if len(rows) == 1:
        found: Real = rows[0][0]
        return found
    parts = (
        times(
            Fraction((-1) ** at), times(each, _determinant([(*row[:at], *row[at + 1 :]) for row in rows[1:]]))
        )
        for at, each in enumerate(rows[0])
    )
    return _folded(total, Fraction(0), list(parts))  # type: ignore[no-any-return]  # of reals


def _added(a: Any, b: Any) -> Any:
    if len(a) != len(b):
        raise NoValue
    return tuple(map(total, a, b))


def _negated(a: Any) -> Any:
    return tuple(tuple(map(_negated, row)) for row in a) if isinstance(a, tuple) else times(Fraction(-1), a)


def _minus(a: Real, b: Real) -> Real:
    return total(a, _negated(b))


_INFINITY = math.inf
_E, _PI = Inexact(math.e, 1e-15), Inexact(math.pi, 1e-15)

_BUILT_IN: dict[str, Callable[..., Any]] = {
    "plus": _entrywise(total),
    "minus": _entrywise(_minus),
    "matrix_add": _entrywise(total),
    "matrix_sub": _entrywise(_minus),
    "times": _matrix_product,
    "multiply": _matrix_product,
    "scalar_matrix_mul": lambda a, m: tuple(tuple(times(a, each) for each in row) for row in m),
    "transpose": lambda m: tuple(zip(*m, strict=True)),
    "matrix": lambda rows: rows,
    "eye": lambda size: tuple(tuple(Fraction(i == j) for j in range(int(size))) for i in range(int(size))),
    "det": _determinant,
    "trace": lambda m: _folded(total, Fraction(0), [m[at][at] for at in range(len(m))]),
    "negate": _negated,
    "divide": over,
    "rational": over,
    "reciprocal": lambda a: over(Fraction(1), a),
    "abs": absolute,
    "power": power,
    "to_real": lambda a: a,
    "div": lambda a, b: _divided(_exactly(a), _exactly(b)),
    "mod": lambda a, b: _exactly(a) - b * _divided(a, _exactly(b)),
    "floor": lambda a: Fraction(math.floor(_exactly(a))),
    "ceil": lambda a: Fraction(math.ceil(_exactly(a))),
    "trunc": lambda a: Fraction(math.trunc(_exactly(a))),
    "sign": lambda a: Fraction(compared(a, Fraction(0))),
    "min": lambda a, b: a if compared(a, b) <= 0 else b,
    "max": lambda a, b: a if compared(a, b) >= 0 else b,
    "gcd": lambda a, b: Fraction(math.gcd(int(a), int(b))),
    "lcm": lambda a, b: Fraction(math.lcm(int(a), int(b))),
    "factorial": _factorial,
    "less_than": lambda a, b: compared(a, b) < 0,
    "leq": lambda a, b: compared(a, b) <= 0,
    "greater_than": lambda a, b: compared(a, b) > 0,
    "geq": lambda a, b: compared(a, b) >= 0,
    "sqrt": _root,
    "exp": lambda a: function(math.exp, a),
    "exp2": lambda a: power(Fraction(2), a),
    "ln": _where(math.log, 0, _INFINITY, open_ends=True),
    "log2": _where(math.log2, 0, _INFINITY, open_ends=True),
    "log10": _where(math.log10, 0, _INFINITY, open_ends=True),
    "sin": lambda a: function(math.sin, a),
    "cos": lambda a: function(math.cos, a),
    "tan": lambda a: function(math.tan, a),
    "asin": _where(math.asin, -1, 1),
    "acos": _where(math.acos, -1, 1),
    "atan": lambda a: function(math.atan, a),
    "sinh": lambda a: function(math.sinh, a),
    "cosh": lambda a: function(math.cosh, a),
    "tanh": lambda a: function(math.tanh, a),
    "asinh": lambda a: function(math.asinh, a),
    "acosh": _where(math.acosh, 1, _INFINITY),
    "atanh": _where(math.atanh, -1, 1, open_ends=True),
    "hypot": lambda a, b: _root(total(times(a, a), times(b, b))),
    "pi": lambda: _PI,
    "tau": lambda: times(Fraction(2), _PI),
    "e": lambda: _E,
    "sum_bounds": _gathered(total, 0),
    "prod_bounds": _gathered(times, 1),
    "sum_over": lambda body, low, high: _gathered(total, 0)(body, low, high - 1),
    "length": lambda items: Fraction(len(items)),
    "strlen": lambda text: Fraction(len(text)),
    "isEmpty": lambda items: not items,
    "head": _first,
    "tail": _rest,
    "nth": _item,
    "append": lambda a, b: a + b,
    "concat": lambda *parts: _folded(lambda a, b: a + b, parts[0], parts[1:]),
    "reverse": lambda items: items[::-1],
    "sum": lambda items: _folded(total, Fraction(0), items),
    "product": lambda items: _folded(times, Fraction(1), items),
    "range": lambda *ends: tuple(
        _between(Fraction(0), ends[0] - 1) if len(ends) == 1 else _between(ends[0], ends[1] - 1)
    ),
    "fst": lambda pair: pair[0],
    "snd": lambda pair: pair[1],
    "list_zip": lambda a, b: tuple(zip(a, b, strict=False)),
    "vec_add": _added,
    "list_map": lambda of, items: tuple(of(each) for each in items),
    "list_filter": lambda of, items: tuple(each for each in items if of(each)),
    "list_fold": _folded,
    "foldr": lambda of, start, items: _folded(lambda a, b: of(b, a), start, items[::-1]),
    "all": lambda of, items: _every(of, items, True),
    "any": lambda of, items: _every(of, items, False),
    "list_flatten": lambda lists: tuple(each for items in lists for each in items),
    "hasPrefix": lambda text, part: text.startswith(part),
    "hasSuffix": lambda text, part: text.endswith(part),
    "contains": lambda text, part: part in text,
    "in_set": lambda a, items: any(_equal(a, each) for each in items),
    "insert": lambda a, items: items | {a},
    "remove": lambda a, items: items - {a},
    "singleton": lambda a: frozenset({a}),
    "empty_set": lambda: frozenset(),
    "union": lambda *sets: frozenset().union(*sets),
    "intersect": lambda first, *sets: first.intersection(*sets),
    "difference": lambda a, b: a - b,
    "subset": lambda a, b: a <= b,
    "proper_subset": lambda a, b: a < b,
    "set_of": frozenset,
    "cardinality": lambda items: Fraction(len(items)),
}
