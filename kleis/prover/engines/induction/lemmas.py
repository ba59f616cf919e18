"""Template lemmas: laws that recursive functions often have, as candidates for induction to prove.

Specification: proving.md §3 ("template lemmas that are themselves proved"), provers.md §3 (own_ind).

Nothing here is known to hold.  `templates` lists candidates, in a fixed order; small values refute most of the wrong
ones (`plausible`), induction has to prove the others before anything may use them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product

import msgspec

from kleis.core import (
    BOOL,
    INTEGER,
    NATURAL,
    BuiltinCall,
    Construction,
    Constructor,
    DataSort,
    Definition,
    DefinitionCall,
    Equals,
    ListOf,
    Operation,
    Quantifier,
    Sort,
    Term,
    Variable,
)
from kleis.core.goal import Meaning
from kleis.core.traversal import free_variables
from kleis.errors import BudgetError
from kleis.prover.smt.encode_sorts import Sorts
from kleis.semantics.models import Model, evaluator_of
from kleis.semantics.ranges import Bounds
from kleis.semantics.reference import Account

__all__ = ["plausible", "templates"]

_MOST = 150
"""So many candidates are listed."""

_SMALL = Bounds(integer=1, natural=2, length=2, depth=3, values=12, points=250)


class _Function(msgspec.Struct, frozen=True):
    """A definition or built-in: its sorts, and how it is called."""

    key: str
    domain: tuple[Sort, ...]
    codomain: Sort
    call: Callable[[Sequence[Term]], Term]


def templates(meaning: Meaning) -> tuple[Term, ...]:
    """Closed formulas worth proving, the plainest first."""
    found: dict[Term, None] = {}
    for equation in _Templates(meaning).equations():
        if equation.left != equation.right:
            variables = tuple(dict.fromkeys(free_variables(equation)))
            found.setdefault(Quantifier("forall", variables, equation))
        if len(found) == _MOST:
            break
    return tuple(found)


def plausible(meaning: Meaning, formula: Term, account: Account | None = None) -> bool:
    """Whether no small values refute a formula, as far as the account of all candidates lasts."""
    evaluator = evaluator_of(meaning, Model({}, {}), _SMALL, "relativised", account)
    try:
        return evaluator.truth(formula).may_be_true
    except (BudgetError, KeyError):
        # Too large to try, or about a carrier that has no elements here: nothing is known against it.
        return True


class _Templates:
    def __init__(self, meaning: Meaning) -> None:
        self._sorts = Sorts(meaning)
        self._functions = [_defined(each) for each in meaning.definitions]
        self._data = list(
            dict.fromkeys(
                sort
                for each in self._functions
                for sort in each.domain
                if isinstance(sort, DataSort | ListOf)
            )
        )

        self._numbers = [
            sort for sort in (NATURAL, INTEGER) if any(sort in each.domain for each in self._functions)
        ]

    def _of(self, *sorts: Sort, built_in: bool = False) -> list[_Function]:
        """The functions of these sorts, the result last."""
        found = [each for each in self._functions if (*each.domain, each.codomain) == sorts]
        if built_in and len(sorts) == 3 and len(set(sorts)) == 1:
            found += _built_in(sorts[0])
        return found

    def equations(self) -> Iterator[Equals]:
        """All templates of all data sorts."""
        for sort in self._data:
            yield from self._units(sort)
        for sort in self._data:
            yield from self._binary(sort)
        for sort in self._data:
            yield from self._unary(sort)
        for sort in self._data:
            yield from self._homomorphisms(sort)
        for recurring in (*self._data, *self._numbers):
            yield from self._accumulators(recurring)
        for sort in self._data:
            yield from self._pairs(sort)

    def _made(self, sort: Sort) -> Iterator[tuple[Constructor, tuple[Variable, ...]]]:
        """The constructors with exactly one part of their own sort; that part is y, the last variable."""
        for each in self._sorts.constructors(sort):
            if sum(field.sort == sort for field in each.fields) == 1:
                yield (
                    each,
                    tuple(
                        Variable("y" if field.sort == sort else f"e{place}", field.sort)
                        for place, field in enumerate(each.fields)
                    ),
                )

    def _units(self, sort: Sort) -> Iterator[Equals]:
        x, y = Variable("x", sort), Variable("y", sort)
        for f in self._of(sort, sort, sort):
            for constructor in self._sorts.constructors(sort):
                if not constructor.fields:
                    constant = Construction(constructor, ())
                    yield Equals(f.call((x, constant)), x)
                    yield Equals(f.call((x, constant)), constant)
            for constructor, fields in self._made(sort):
                made = Construction(constructor, fields)
                inner = tuple(f.call((x, y)) if each == y else each for each in fields)
                yield Equals(f.call((x, made)), Construction(constructor, inner))
            for h in self._of(sort, sort, sort):
                for constructor, fields in self._made(sort):
                    made = Construction(constructor, fields)
                    if h.key != f.key and fields == (y,):
                        yield Equals(f.call((x, made)), h.call((x, f.call((x, y)))))

    def _binary(self, sort: Sort) -> Iterator[Equals]:
        x, y, z = (Variable(name, sort) for name in "xyz")
        empty = [Construction(each, ()) for each in self._sorts.constructors(sort) if not each.fields]
        for f in self._of(sort, sort, sort):
            yield Equals(f.call((f.call((x, y)), z)), f.call((x, f.call((y, z)))))
            for constant in empty:
                yield Equals(f.call((f.call((x, y)), constant)), f.call((y, x)))
            yield Equals(f.call((x, y)), f.call((y, x)))
            yield Equals(f.call((x, f.call((y, z)))), f.call((y, f.call((x, z)))))

    def _unary(self, sort: Sort) -> Iterator[Equals]:
        x = Variable("x", sort)
        same = self._of(sort, sort)
        for g in same:
            yield Equals(g.call((g.call((x,)),)), x)
        for g in self._functions:
            if g.domain == (sort,):
                for h in same:
                    if h.key != g.key:
                        yield Equals(g.call((h.call((x,)),)), g.call((x,)))
        for g, h in product(same, same):
            if g.key < h.key:
                yield Equals(g.call((h.call((x,)),)), h.call((g.call((x,)),)))

    def _homomorphisms(self, sort: Sort) -> Iterator[Equals]:
        x, y = Variable("x", sort), Variable("y", sort)
        for g in self._functions:
            if g.domain != (sort,):
                continue
            gx, gy = g.call((x,)), g.call((y,))
            for f in self._of(sort, sort, sort):
                left = g.call((f.call((x, y)),))
                for h in self._of(g.codomain, g.codomain, g.codomain, built_in=True):
                    yield Equals(left, h.call((gx, gy)))
                    yield Equals(left, h.call((gy, gx)))
                if g.codomain == BOOL:
                    yield Equals(left, Equals(gx, gy))

    def _accumulators(self, sort: Sort) -> Iterator[Equals]:
        """A function that collects in an argument, by one that does not."""
        x = Variable("x", sort)
        for f in self._functions:
            for place in (0, 1):
                if len(f.domain) != 2 or f.domain[place] != sort or f.domain[1 - place] != f.codomain:
                    continue
                a = Variable("a", f.codomain)
                left = f.call((x, a) if place == 0 else (a, x))
                for g in self._of(sort, f.codomain):
                    for h in self._of(f.codomain, f.codomain, f.codomain, built_in=True):
                        if h.key != f.key:
                            yield Equals(left, h.call((g.call((x,)), a)))

    def _pairs(self, sort: Sort) -> Iterator[Equals]:
        x, y, z = (Variable(name, sort) for name in "xyz")
        binary = self._of(sort, sort, sort)
        for f, h in product(binary, binary):
            if f.key != h.key:
                yield Equals(f.call((x, h.call((y, z)))), h.call((f.call((x, y)), f.call((x, z)))))
                yield Equals(f.call((h.call((x, y)), z)), h.call((f.call((x, z)), f.call((y, z)))))


def _defined(definition: Definition) -> _Function:
    domain = tuple(each.sort for each in definition.parameters)

    def call(arguments: Sequence[Term]) -> Term:
        return DefinitionCall(definition.key, tuple(arguments), definition.result)

    return _Function(definition.key, domain, definition.result, call)


def _built_in(sort: Sort) -> list[_Function]:
    """Sum and product of integers and natural numbers."""
    if sort not in (INTEGER, NATURAL):
        return []
    found = []
    for name in ("plus", "times"):
        operation = Operation(name, (Variable("a", sort), Variable("b", sort)), sort)

        def call(arguments: Sequence[Term], operation: Operation = operation) -> Term:
            return BuiltinCall(operation, tuple(arguments))

        found.append(_Function(name, (sort, sort), sort, call))
    return found
