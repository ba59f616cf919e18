"""Sorts of the core in SMT-LIB: declarations, and the guards that make ℕ a set of integers.

See docs/reference/proving.md §8.3.

A sort of the core is a sort of SMT-LIB together with a *guard*: a formula that says which of its values are meant.
For ℕ that is ``x ≥ 0``; lists, tuples, data, sets and functions of guarded sorts have guards of their own.  Where
all values are meant there is none.

Invariants
    * Guards stand on every bound variable, symbol and constant of a guarded sort; nowhere else is ℕ known.
    * A data type is declared with its whole strongly connected component.
"""

from __future__ import annotations

from collections.abc import Sequence

from kleis import core
from kleis.core.goal import DataType, Goal, constructors_of
from kleis.core.sort_operations import erased
from kleis.core.sort_printing import sort_text
from kleis.prover.protocol.engine import Inexpressible
from kleis.prover.smt.smtlib_text import TRUE, application, conjunction, implication, quoted

__all__ = ["Sorts"]


class Sorts:
    """The sorts of one script: their names, and the declarations they need, in order.

    `opaque_languages`: regular expressions are a sort of which nothing is known.
    """

    def __init__(self, goal: Goal, *, opaque_languages: bool = False) -> None:
        self._goal = goal
        self.opaque_languages = opaque_languages
        self._names: dict[core.Sort, str] = {}
        self._guarded: dict[core.Sort, bool] = {}
        self._guards: dict[core.Sort, str] = {}
        self._group_of = {each.sort: group for group in goal.data for each in group}
        self.declarations: list[str] = []
        self.uses_rationals = False

    # ── names and declarations ───────────────────────────────────────────────────────────────────────────

    def name(self, sort: core.Sort) -> str:
        """The name of the SMT sort, which is declared if need be."""
        if sort not in self._names:
            same = erased(sort) if isinstance(sort, core.ListOf | core.TupleOf | core.RecordOf) else sort
            self._names[sort] = self._declare(sort) if same == sort else self.name(same)
        return self._names[sort]

    def _declare(self, sort: core.Sort) -> str:
        match sort:
            case core.REGEX if self.opaque_languages:
                name = quoted("k", sort_text(sort))
                self.declarations.append(f"(declare-sort {name} 0)")
                return name
            case core.Basic():
                return {core.BOOL: "Bool", core.STRING: "String", core.REGEX: "RegLan"}[sort]
            case core.Numeric(name="ℕ" | "ℤ"):
                return "Int"
            case core.Numeric(name="ℚ"):
                self.uses_rationals = True
                return "Real"
            case core.Numeric(name="ℝ"):
                return "Real"
            case core.Numeric():
                self.declarations.append(
                    "(declare-datatypes ((|d:ℂ| 0)) (((|c:complex| (|f:re| Real) (|f:im| Real)))))"
                )
                return "|d:ℂ|"
            case core.BitVec(width=width):
                return f"(_ BitVec {width})"
            case core.SetOf(element=element):
                return f"(Array {self.name(element)} Bool)"
            case core.FunctionOf(domain=domain, codomain=codomain):
                text = self.name(codomain)
                for each in reversed(domain):
                    text = f"(Array {self.name(each)} {text})"
                return text
            case core.Carrier():
                name = quoted("k", sort_text(sort))
                self.declarations.append(f"(declare-sort {name} 0)")
                return name
            case core.MatrixOf():
                name = quoted("k", sort_text(sort))
                self.declarations.append(f"(declare-sort {name} 0)")
                return name
            case core.DataSort():
                return self._declare_group([each.sort for each in self._group(sort)], sort)
            case core.ListOf() | core.TupleOf() | core.RecordOf():
                return self._declare_built_in(sort)
            case core.SortVariable():
                raise Inexpressible("incomplete", "a sort is not known")

    def _group(self, sort: core.DataSort) -> Sequence[DataType]:
        group = self._group_of.get(sort)
        if group is None:
            raise Inexpressible("incomplete", f"the data type {sort_text(sort)} is not among those in force")
        return group

    def constructors(self, sort: core.Sort) -> tuple[core.Constructor, ...]:
        """The constructors of a data type, list, tuple or record sort."""
        return constructors_of(self._goal, sort)

    def _declare_built_in(self, sort: core.Sort) -> str:
        """A list, tuple or record: declared with the data types it is part of, if it is part of any."""
        name = quoted("d", sort_text(sort))
        self._names[sort] = name
        for constructor in self.constructors(sort):
            for field in constructor.fields:
                if field.sort != sort:
                    self.name(field.sort)
        if not self._declared_already(name):
            self.declarations.append(self._datatypes([sort]))
        return name

    def _declared_already(self, name: str) -> bool:
        return any(f"({name} 0)" in each for each in self.declarations)

    def _declare_group(self, sorts: Sequence[core.Sort], wanted: core.Sort) -> str:
        """The data types of a component, with the lists and tuples through which they contain one another."""
        group: dict[core.Sort, None] = dict.fromkeys(sorts)
        for sort in list(group):
            for each in self._between(sort, frozenset(sorts), set()):
                group.setdefault(each)
        for sort in group:
            self._names[sort] = quoted("d", sort_text(sort))
        for sort in group:
            for constructor in self.constructors(sort):
                for field in constructor.fields:
                    self.name(field.sort)
        self.declarations.append(self._datatypes(list(group)))
        return self._names[wanted]

    def _between(
        self, sort: core.Sort, members: frozenset[core.Sort], seen: set[core.Sort]
    ) -> list[core.Sort]:
        """The built-in sorts on a way from a data type back to its component."""
        found: list[core.Sort] = []
        for constructor in self.constructors(sort):
            for field in constructor.fields:
                each = erased(field.sort)
                if isinstance(each, core.ListOf | core.TupleOf | core.RecordOf) and each not in seen:
                    seen.add(each)
                    inner = self._between(each, members, seen)
                    if inner or self._touches(each, members):
                        found += [each, *inner]
        return found

    def _touches(self, sort: core.Sort, members: frozenset[core.Sort]) -> bool:
        return any(field.sort in members for each in self.constructors(sort) for field in each.fields)

    def _datatypes(self, sorts: Sequence[core.Sort]) -> str:
        heads = " ".join(f"({self._names[sort]} 0)" for sort in sorts)
        bodies = []
        for sort in sorts:
            variants = []
            for constructor in self.constructors(sort):
                fields = " ".join(
                    f"({self.selector(constructor, index)} {self.name(field.sort)})"
                    for index, field in enumerate(constructor.fields)
                )
                variants.append(f"({self.constructor(constructor)}{' ' if fields else ''}{fields})")
            bodies.append(f"({' '.join(variants)})")
        return f"(declare-datatypes ({heads}) ({' '.join(bodies)}))"

    def constructor(self, constructor: core.Constructor) -> str:
        """The name of a constructor at its sort."""
        return quoted("c", f"{constructor.name}@{sort_text(erased(constructor.sort))}")

    def selector(self, constructor: core.Constructor, index: int) -> str:
        """The name of the selector of a field."""
        return quoted("f", f"{constructor.name}.{index}@{sort_text(erased(constructor.sort))}")

    def tester(self, constructor: core.Constructor, value: str) -> str:
        """Whether a value was made by a constructor."""
        self.name(constructor.sort)
        return TRUE if constructor.alone else f"((_ is {self.constructor(constructor)}) {value})"

    # ── guards ───────────────────────────────────────────────────────────────────────────────────────────

    def is_guarded(self, sort: core.Sort) -> bool:
        """Whether the SMT sort has values that are not values of the sort."""
        if sort not in self._guarded:
            self._guarded[sort] = False
            inner = self._inside(sort)
            self._guarded[sort] = sort == core.Numeric("ℕ") or any(self.is_guarded(each) for each in inner)
            if self._guarded[sort]:
                # A recursive type may have asked while the answer was open: it is known now.
                self._guarded = {each: guarded for each, guarded in self._guarded.items() if guarded}
        return self._guarded[sort]

    def _inside(self, sort: core.Sort) -> list[core.Sort]:
        match sort:
            case core.SetOf(element=element):
                return [element]
            case core.FunctionOf(domain=domain, codomain=codomain):
                return [*domain, codomain]
            case core.DataSort() | core.ListOf() | core.TupleOf() | core.RecordOf():
                return [field.sort for each in self.constructors(sort) for field in each.fields]
            case _:
                return []

    def guard(self, sort: core.Sort, value: str) -> str:
        """The formula that says a value of the SMT sort is one of the sort; ``true`` where all are."""
        if not self.is_guarded(sort):
            return TRUE
        match sort:
            case core.Numeric():
                return f"(>= {value} 0)"
            case core.SetOf(element=element):
                inner = self.guard(element, "|g:e|")
                return f"(forall ((|g:e| {self.name(element)})) (=> (select {value} |g:e|) {inner}))"
            case core.FunctionOf(domain=domain, codomain=codomain):
                return self._guard_function(domain, codomain, value)
            case _:
                return application(self._guard_predicate(sort), (value,))

    def _guard_function(self, domain: Sequence[core.Sort], codomain: core.Sort, value: str) -> str:
        names = [f"|g:x{place}|" for place in range(len(domain))]
        result = value
        for name in names:
            result = f"(select {result} {name})"
        bound = " ".join(f"({name} {self.name(each)})" for name, each in zip(names, domain, strict=True))
        given = conjunction(*(self.guard(each, name) for name, each in zip(names, domain, strict=True)))
        body = implication(given, self.guard(codomain, result))
        return body if body == TRUE else f"(forall ({bound}) {body})"

    def _guard_predicate(self, sort: core.Sort) -> str:
        """The predicate of a guard; mutually recursive ones are defined together, parts before wholes."""
        if sort not in self._guards:
            group = [each for each in self._guarded_parts(sort) if sort in self._guarded_parts(each)]
            group = group if sort in group else [sort]
            self._guards |= {each: quoted("g", sort_text(each)) for each in group}
            functions = [(self._guards[each], self.name(each), self._guard_body(each)) for each in group]
            if len(group) == 1 and f"({functions[0][0]} " not in functions[0][2]:
                ((name, smt, body),) = functions
                self.declarations.append(f"(define-fun {name} ((|g:t| {smt})) Bool {body})")
            else:
                heads = " ".join(f"({name} ((|g:t| {smt})) Bool)" for name, smt, _ in functions)
                bodies = " ".join(body for _, _, body in functions)
                self.declarations.append(f"(define-funs-rec ({heads}) ({bodies}))")
        return self._guards[sort]

    def _guard_body(self, sort: core.Sort) -> str:
        cases = []
        for constructor in self.constructors(sort):
            fields = [
                self.guard(field.sort, f"({self.selector(constructor, index)} |g:t|)")
                for index, field in enumerate(constructor.fields)
            ]
            cases.append(implication(self.tester(constructor, "|g:t|"), conjunction(*fields)))
        return conjunction(*cases)

    def _guarded_parts(self, sort: core.Sort) -> list[core.Sort]:
        """The sorts whose guard predicates the guard of a sort calls, directly or through others."""
        found: dict[core.Sort, None] = {}
        waiting = self._inside(sort)
        while waiting:
            each = waiting.pop()
            if each in found or not self.is_guarded(each):
                continue
            if isinstance(each, core.DataSort | core.ListOf | core.TupleOf | core.RecordOf):
                found[each] = None
            waiting += self._inside(each)
        return list(found)
