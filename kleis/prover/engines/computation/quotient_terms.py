"""Quotients as candidates for the ∃ of a claim, rounded where a whole number is wanted.

See docs/reference/proving.md §7.26.

    ∀(x : ℝ). x > 0 → ∃(n : ℕ). n * x > 1                 n = |⌊1 / x⌋| + 1
    ∀(a b : ℚ). a ≠ 0 → ∃(x : ℚ). a * x + b = 0           x = -b / a
    ∀(n m : ℤ). m > 0 → ∃(q r : ℤ). n = m * q + r ∧ …     q = div(n, m), r = mod(n, m)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kleis import core
from kleis.core.build_terms import as_number
from kleis.core.traversal import subterms

__all__ = ["numbers_in", "quotients"]

_WHOLE = (core.NATURAL, core.INTEGER)
_MOST_NUMBERS = 3
_MOST_ATOMS = 5


def numbers_in(formulas: Sequence[core.Term]) -> tuple[int, ...]:
    """The first positive whole numbers that formulas mention, and 1."""
    found = {1: None}
    for each in subterms(*formulas):
        if isinstance(each, core.LiteralTerm) and type(each.value) is int and each.value > 0:
            found.setdefault(each.value)
    return tuple(found)[:_MOST_NUMBERS]


def quotients(
    variables: Sequence[core.Variable], numbers: Sequence[int], sort: core.Sort
) -> Iterator[core.Term]:
    """Quotients over variables and numbers, the small ones first, as terms of a sort; their conditions are not in them."""
    variables = variables[:_MOST_ATOMS]
    given = {each.sort for each in variables}
    if sort in _WHOLE and given <= set(_WHOLE):
        yield from _of_whole(variables, sort)
        return
    field = core.REAL if core.REAL in given or sort == core.REAL else core.RATIONAL
    if sort == core.RATIONAL and field == core.REAL:
        return
    for quotient in _fractions(variables, numbers, field):
        yield from _fitted(quotient, sort)


def _of_whole(variables: Sequence[core.Variable], sort: core.Sort) -> Iterator[core.Term]:
    """Quotients rounded down, and remainders."""
    atoms = [as_number(each, core.INTEGER) for each in variables]
    for name in ("div", "mod"):
        for above in atoms:
            for below in atoms:
                if above != below:
                    found = _call(name, core.INTEGER, above, below)
                    yield found if sort == core.INTEGER else _call("abs", core.NATURAL, found)


def _fractions(
    variables: Sequence[core.Variable], numbers: Sequence[int], field: core.Sort
) -> Iterator[core.Term]:
    """Quotients of variables, written numbers, and sums, differences and multiples of them."""
    atoms = [as_number(each, field) for each in variables]
    written = [as_number(core.LiteralTerm(each, core.NATURAL), field) for each in numbers]
    apart = [_call("minus", field, one, other) for one in atoms for other in atoms if one != other]
    sums = [_call("plus", field, one, other) for place, one in enumerate(atoms) for other in atoms[:place]]
    multiples = [_call("times", field, one, other) for one in written[1:] for other in atoms]
    for below in (*atoms, *apart, *multiples, *sums):
        for above in (*written, *atoms, *apart, *sums):
            if above != below:
                yield _call("divide", field, above, below)


def _fitted(quotient: core.Term, sort: core.Sort) -> Iterator[core.Term]:
    """A quotient as a value of a sort, itself or the next."""
    if sort not in _WHOLE:
        yield as_number(quotient, sort)
        yield _call("negate", sort, as_number(quotient, sort))
        return
    for name in ("floor", "ceil"):
        rounded = _call(name, core.INTEGER, quotient)
        if sort == core.NATURAL:
            rounded = _call("abs", sort, rounded)
        yield rounded
        yield _call("plus", sort, rounded, as_number(core.LiteralTerm(1, core.NATURAL), sort))


def _call(name: str, result: core.Sort, *arguments: core.Term) -> core.Term:
    parameters = tuple(core.Variable(f"p{place}", each.sort) for place, each in enumerate(arguments))
    return core.BuiltinCall(core.Operation(name, parameters, result), arguments)
