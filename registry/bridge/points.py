"""Values of sorts, made up and made smaller: the points at which laws are tried (ADR 015).

All is a function of the seed. The first points are small; later ones grow. A value becomes smaller toward 0, "", [] and
false, and stays in its sort.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random

from kleis.core import Basic, FunctionOf, ListOf, Numeric, RecordOf, Sort, TupleOf
from kleis.semantics.ranges import Function
from kleis.values import UNIT, Data, ListValue, Value, exact, list_of

__all__ = ["Unsampled", "sample", "smaller"]

_EDGES = (0, 1, -1, 2, -2, 3, 7, 10, 255, -256, 2**31, -(2**63), 10**20)
_CHARACTERS = "aabbc 01-_éZ\n𝄞"


class Unsampled(Exception):
    """A sort of which no values are made up; the message says which."""


def sample(random: Random, sort: Sort, size: int) -> Value:
    """A value of a sort; `size` bounds numbers and lengths, roughly."""
    match sort:
        case Numeric(name="ℕ"):
            return abs(_integer(random, size))
        case Numeric(name="ℤ"):
            return _integer(random, size)
        case Numeric(name="ℚ" | "ℝ"):
            return exact(Fraction(_integer(random, size), random.randint(1, 1 + size)))
        case Basic(name="Bool"):
            return random.random() < 0.5
        case Basic(name="String"):
            return "".join(random.choice(_CHARACTERS) for _ in range(random.randint(0, min(size, 8))))
        case ListOf(element=element):
            return list_of([sample(random, element, size) for _ in range(random.randint(0, min(size, 8)))])
        case TupleOf(items=()):
            return UNIT
        case TupleOf(items=(first, second)):
            return Data("Pair", (sample(random, first, size), sample(random, second, size)))
        case RecordOf(fields=fields):
            parts = [Data("field", (name, sample(random, inner, size))) for name, inner in fields]
            return Data("record", tuple(parts))
        case FunctionOf(domain=domain, codomain=codomain):
            return _function(random, domain, codomain, size)
        case _:
            raise Unsampled("no values of the sort of a variable are made up")


def _integer(random: Random, size: int) -> int:
    if size > 4 and random.random() < 0.1:
        return random.choice(_EDGES)
    return random.randint(-size, size)


def _function(random: Random, domain: tuple[Sort, ...], codomain: Sort, size: int) -> Function:
    """A constant function, or a small polynomial on integers, or the identity."""
    constant = sample(random, codomain, size)
    is_numeric = codomain == Numeric("ℤ") and all(each in (Numeric("ℤ"), Numeric("ℕ")) for each in domain)
    factors = [random.randint(-2, 2) for _ in domain]

    def value(*given: Value) -> Value:
        if is_numeric and isinstance(constant, int):
            return constant + sum(f * g for f, g in zip(factors, given, strict=True) if isinstance(g, int))
        return given[0] if len(domain) == 1 and domain[0] == codomain and factors[0] > 0 else constant

    return Function("f", domain, value, total=True)


def smaller(value: Value) -> Iterator[Value]:
    """Simpler values of the same sort, the simplest first."""
    match value:
        case bool():
            if value:
                yield False
        case int():
            candidates = (
                0,
                1,
                value // 2,
                -value if value < 0 else value,
                value - 1 if value > 0 else value + 1,
            )
            yield from (each for each in candidates if (abs(each), each < 0) < (abs(value), value < 0))
        case str() if value:
            yield from (value[:at] + value[at + 1 :] for at in range(len(value)))
            if any(each != "a" for each in value):
                yield "a" * len(value)
        case ListValue():
            items = value.items()
            yield from (list_of(items[:at] + items[at + 1 :]) for at in range(len(items)))
            for at, item in enumerate(items):
                yield from (list_of([*items[:at], each, *items[at + 1 :]]) for each in smaller(item))
        case Data(constructor="Pair" | "record" | "field", fields=fields):
            for at, part in enumerate(fields):
                if value.constructor == "field" and not at:
                    continue
                for each in smaller(part):
                    yield Data(value.constructor, (*fields[:at], each, *fields[at + 1 :]))
        case _:
            return
