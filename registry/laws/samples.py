"""Values of sorts, made up from a seed and made smaller: what laws are tried at.

Assignments begin small and grow. Smaller goes toward 0, "", [] and false, always within the sort.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random

from kleis import core
from kleis import values as kleis_values
from kleis.semantics.ranges import Function

__all__ = ["AT_EDGES", "Unsampled", "sample", "smaller"]

_EDGES = (0, 1, -1, 2, -2, 3, 7, 10, 255, -256, 2**31, -(2**63), 10**20)
_CHARACTERS = "aabbc 01-_éZ\n𝄞"


class Unsampled(Exception):
    """A sort of which no values are made up; the message says which."""


AT_EDGES = 0
"""The size for which `sample` takes integers at borders, and short texts and lists."""


def sample(random: Random, sort: core.Sort, size: int) -> kleis_values.Value:
    """A value of a sort; `size` bounds numbers and lengths, roughly."""
    match sort:
        case core.Numeric(name="ℕ"):
            return abs(_integer(random, size))
        case core.Numeric(name="ℤ"):
            return _integer(random, size)
        case core.Numeric(name="ℚ" | "ℝ"):
            return kleis_values.exact(Fraction(_integer(random, size), random.randint(1, 1 + size)))
        case core.Basic(name="Bool"):
            return random.random() < 0.5
        case core.Basic(name="String"):
            return "".join(random.choice(_CHARACTERS) for _ in range(random.randint(0, min(size or 2, 8))))
        case core.ListOf(element=element):
            return kleis_values.list_of(
                [sample(random, element, size) for _ in range(random.randint(0, min(size or 2, 8)))]
            )
        case core.TupleOf(items=()):
            return kleis_values.UNIT
        case core.TupleOf(items=(first, second)):
            return kleis_values.Data("Pair", (sample(random, first, size), sample(random, second, size)))
        case core.RecordOf(fields=fields):
            parts = [
                kleis_values.Data("field", (name, sample(random, inner, size))) for name, inner in fields
            ]
            return kleis_values.Data("record", tuple(parts))
        case core.FunctionOf(domain=domain, codomain=codomain):
            return _function(random, domain, codomain, size)
        case _:
            raise Unsampled("no values of the sort of a variable are made up")


def _integer(random: Random, size: int) -> int:
    if size == AT_EDGES or (size > 4 and random.random() < 0.1):
        return random.choice(_EDGES)
    return random.randint(-size, size)


def _function(random: Random, domain: tuple[core.Sort, ...], codomain: core.Sort, size: int) -> Function:
    """A constant function, or a small polynomial on integers, or the identity."""
    constant = sample(random, codomain, size)
    is_numeric = codomain == core.Numeric("ℤ") and all(
        each in (core.Numeric("ℤ"), core.Numeric("ℕ")) for each in domain
    )
    factors = [random.randint(-2, 2) for _ in domain]

    def value(*given: kleis_values.Value) -> kleis_values.Value:
        if is_numeric and isinstance(constant, int):
            return constant + sum(f * g for f, g in zip(factors, given, strict=True) if isinstance(g, int))
        return given[0] if len(domain) == 1 and domain[0] == codomain and factors[0] > 0 else constant

    return Function("f", domain, value, total=True)


def smaller(value: kleis_values.Value) -> Iterator[kleis_values.Value]:
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
        case kleis_values.ListValue():
            items = value.items()
            yield from (kleis_values.list_of(items[:at] + items[at + 1 :]) for at in range(len(items)))
            for at, item in enumerate(items):
                yield from (
                    kleis_values.list_of([*items[:at], each, *items[at + 1 :]]) for each in smaller(item)
                )
        case kleis_values.Data(constructor="Pair" | "record" | "field", fields=fields):
            for at, part in enumerate(fields):
                if value.constructor == "field" and not at:
                    continue
                for each in smaller(part):
                    yield kleis_values.Data(value.constructor, (*fields[:at], each, *fields[at + 1 :]))
        case _:
            return
