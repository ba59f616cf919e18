"""Sorts in SMT-LIB: names, constructors, and the guards that say that a value is one of the sort.

    ℕ, ℤ                          Int, with a guard ``x ≥ 0`` for ℕ
    ℚ, ℝ                          Real (kleis/prover/checker/translation/rationals.py says where)
    ℂ, lists, tuples, records, data  data types
    sets                          arrays to Bool, false of what is no element of the sort
    carriers                      sorts of their own

A list of ℕ is a list of ℤ with a guard, so that the coercion of the one to the other is the same value.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from kleis import core
from kleis.core.goal import Goal, constructors_of
from kleis.core.sort_operations import map_sort, sort_parts
from kleis.core.sort_printing import sort_text
from kleis.core.terms import TUPLES
from kleis.prover.checker.sequent import NotExpressible
from kleis.prover.checker.translation.program import Function, Program
from kleis.prover.checker.translation.text import TRUE, binder, both, choice

__all__ = ["Sorts", "constructed", "erased"]

_PLAIN = {"Bool": "Bool", "String": "String", "ℕ": "Int", "ℤ": "Int", "ℚ": "Real", "ℝ": "Real"}


def erased(sort: core.Sort) -> core.Sort:
    """The sort with ℤ for ℕ and ℝ for ℚ, also inside built-in sorts."""
    match sort:
        case core.Numeric(name="ℕ" | "ℤ"):
            return core.INTEGER
        case core.Numeric(name="ℚ" | "ℝ"):
            return core.REAL
        case core.ListOf() | core.SetOf() | core.TupleOf() | core.RecordOf() | core.FunctionOf():
            return map_sort(sort, erased)
        case _:
            return sort


def constructed(sort: core.Sort, goal: Goal) -> tuple[core.Constructor, ...]:
    """The constructors of a sort; none if it has none."""
    if isinstance(sort, core.TupleOf) and len(sort.items) >= len(TUPLES):
        raise NotExpressible("a tuple of more than five components")
    return constructors_of(goal, sort)


class Sorts:
    """The sorts of one script."""

    def __init__(self, goal: Goal, program: Program) -> None:
        self._goal = goal
        self._program = program
        self._names: dict[core.Sort, str] = {}
        self._constructors: dict[tuple[core.Sort, str], tuple[str, tuple[str, ...]]] = {}
        self._members: dict[core.Sort, str] = {}
        self._domains: dict[core.Sort, str] = {}

    def name(self, sort: core.Sort) -> str:
        """The sort in the script; it is declared if it is new."""
        sort = erased(sort)
        match sort:
            case core.Basic(name=name) | core.Numeric(name=name) if name in _PLAIN:
                return _PLAIN[name]
            case core.Numeric():
                return "h-complex"
            case core.BitVec(width=width):
                return f"(_ BitVec {width})"
            case core.SetOf(element=element):
                return f"(Array {self.name(element)} Bool)"
            case core.ListOf() | core.TupleOf() | core.RecordOf() | core.DataSort():
                if sort not in self._names:
                    self._declare(sort)
                return self._names[sort]
            case core.Carrier():
                if sort not in self._names:
                    self._names[sort] = self._program.fresh("s")
                    self._program.sorts.append(f"(declare-sort {self._names[sort]} 0)")
                return self._names[sort]
        raise NotExpressible(f"values of the sort {sort_text(sort)}")

    def constructor(self, constructor: core.Constructor) -> str:
        """The constructor's name in the script."""
        return self._of(constructor)[0]

    def field(self, constructor: core.Constructor, index: int) -> str:
        """The selector's name in the script."""
        return self._of(constructor)[1][index]

    def test(self, constructor: core.Constructor, text: str) -> str:
        """Whether a value was made by a constructor."""
        return TRUE if constructor.alone else f"((_ is {self.constructor(constructor)}) {text})"

    def others(self, constructor: core.Constructor) -> list[core.Constructor]:
        """The other constructors of its sort."""
        return [each for each in constructed(constructor.sort, self._goal) if each.name != constructor.name]

    def _of(self, constructor: core.Constructor) -> tuple[str, tuple[str, ...]]:
        self.name(constructor.sort)
        return self._constructors[erased(constructor.sort), constructor.name]

    def _declare(self, sort: core.Sort) -> None:
        """Declare a data type with those that are mutually recursive with it, after those it is made of."""
        below = self._reach(sort)
        group = [each for each in below if each == sort or sort in self._reach(each)]
        for each in below:
            if each not in group and each not in self._names:
                self._declare(each)
        for each in group:
            self._names[each] = self._program.fresh("d")
        bodies = []
        for each in group:
            made = []
            for constructor in constructed(each, self._goal):
                name = self._program.fresh("k")
                fields = tuple(self._program.fresh("g") for _ in constructor.fields)
                self._constructors[each, constructor.name] = name, fields
                sorts = (self.name(field.sort) for field in constructor.fields)
                listed = "".join(f" ({field} {inner})" for field, inner in zip(fields, sorts, strict=True))
                made.append(f"({name}{listed})")
            bodies.append(f"({' '.join(made)})")
        heads = " ".join(f"({self._names[each]} 0)" for each in group)
        self._program.sorts.append(f"(declare-datatypes ({heads}) ({' '.join(bodies)}))")

    def _reach(self, sort: core.Sort) -> dict[core.Sort, None]:
        """The data types that values of a sort are made of, itself included."""
        found: dict[core.Sort, None] = {}
        waiting = [erased(sort)]
        while waiting:
            each = waiting.pop()
            if each in found:
                continue
            parts = [erased(field.sort) for c in constructed(each, self._goal) for field in c.fields]
            if parts or isinstance(each, core.TupleOf | core.RecordOf | core.DataSort):
                found[each] = None
            waiting += parts or ([] if isinstance(each, core.Carrier) else sort_parts(each))
        return found

    # ── Guards ───────────────────────────────────────────────────────────────────────────────────────────────

    def is_guarded(self, sort: core.Sort) -> bool:
        """Whether there are values in the script that are none of the sort."""
        seen: set[core.Sort] = set()
        waiting = [sort]
        while waiting:
            each = waiting.pop()
            if each == core.NATURAL:
                return True
            if each not in seen and not isinstance(each, core.Carrier):
                seen.add(each)
                made = constructed(each, self._goal)
                waiting += [field.sort for c in made for field in c.fields] if made else sort_parts(each)
        return False

    def guard(self, sort: core.Sort, text: str) -> str:
        """The formula that says that a value in the script is one of the sort."""
        if not self.is_guarded(sort):
            return TRUE
        if sort == core.NATURAL:
            return f"(>= {text} 0)"
        if sort not in self._members:
            name = self._members[sort] = self._program.fresh("f")
            self._program.functions[name] = self._membership(name, sort)
        return f"({self._members[sort]} {text})"

    def _membership(self, name: str, sort: core.Sort) -> Function:
        x = self._program.fresh("x")
        if isinstance(sort, core.SetOf):
            y = self._program.fresh("x")
            inside = f"(=> (select {x} {y}) {self.guard(sort.element, y)})"
            body = binder("forall", ((y, self.name(sort.element)),), inside)
        else:
            body = TRUE
            for constructor in reversed(constructed(sort, self._goal)):
                fields = enumerate(constructor.fields)
                parts = (
                    self.guard(field.sort, f"({self.field(constructor, at)} {x})") for at, field in fields
                )
                body = choice(self.test(constructor, x), both(*parts), body)
        return Function(name, ((x, self.name(sort)),), "Bool", body, cases=self.cases((sort,)))

    def domain(self, sort: core.SetOf) -> str:
        """The set of all values of the elements' sort."""
        if sort.element not in self._domains:
            name = self._domains[sort.element] = self._program.fresh("c")
            x, element = self._program.fresh("x"), self.name(sort.element)
            self._program.constants.append(f"(declare-fun {name} () {self.name(sort)})")
            inside = f"(= (select {name} {x}) {self.guard(sort.element, x)})"
            self._program.facts.append(binder("forall", ((x, element),), inside, f"(select {name} {x})"))
        return self._domains[sort.element]

    def cases(
        self, sorts: tuple[core.Sort, ...]
    ) -> tuple[tuple[tuple[str, tuple[tuple[str, str], ...]], ...], ...]:
        """For each sort, its constructors in the script with fresh names and sorts of their fields."""
        return tuple(tuple(self._cases(sort)) for sort in sorts)

    def _cases(self, sort: core.Sort) -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
        numbers = count(1)
        for each in constructed(sort, self._goal):
            yield (
                self.constructor(each),
                tuple((f"y{next(numbers)}", self.name(field.sort)) for field in each.fields),
            )
