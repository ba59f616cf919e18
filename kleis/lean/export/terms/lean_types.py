"""Sorts as Lean types, and a value of each.  See docs/reference/lean.md §3.1.

A carrier is a type variable of the declaration.  A truth value is a ``Bool`` among values, and a ``Prop`` where functions
or relations give it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeAlias

from kleis import core
from kleis.core.sort_printing import sort_text
from kleis.lean.export.terms.lean_names import Locals
from kleis.lean.language import lean_tree as lean
from kleis.lean.language.lean_lexer import LeanError

__all__ = ["DataNames", "Encoder", "Sorts", "arrow", "call", "named", "not_expressible", "sort_of"]


def not_expressible(what: str, hint: str = "") -> LeanError:
    """The error of what has no form in Lean."""
    return LeanError(what, code="not-expressible", file="<lean>", hint=hint)


def call(function: lean.Term, *arguments: lean.Term) -> lean.Term:
    """An application; to no arguments, the function itself."""
    if not arguments:
        return function
    if isinstance(function, lean.Call):
        return lean.Call(function.function, (*function.arguments, *arguments))
    return lean.Call(function, arguments)


def arrow(*types: lean.Term) -> lean.Term:
    """``A → B → C``."""
    result = types[-1]
    for each in reversed(types[:-1]):
        result = lean.Infix("→", each, result)
    return result


class DataNames(Protocol):
    """The data types and records of a file."""

    def data(self, name: str) -> str:
        """The Lean name of a data type."""

    def constructor(self, constructor: core.Constructor) -> str:
        """The full name of a constructor: ``Vine.fork``."""

    def constructors(self, sort: core.Sort) -> tuple[core.Constructor, ...]:
        """All constructors of a sort that has some, in order."""

    def record(self, fields: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        """The Lean structure of records with these fields, and the names of its projections."""


class Sorts:
    """Types within one declaration, whose type variables are given."""

    def __init__(
        self,
        data: DataNames,
        carriers: Mapping[str, str],
        dimensions: Mapping[str, str],
        locals_: Locals,
        constants: Mapping[core.Sort, lean.Term] | None = None,
    ) -> None:
        self._data = data
        self._carriers = carriers
        self._dimensions = dimensions
        self._locals = locals_
        self.constants = constants or {}
        self.chosen: set[str] = set()
        """Carriers of which some value was asked for and no constant is known."""

    def fresh(self, stem: str) -> str:
        """A name for a new variable."""
        return self._locals.fresh(stem)

    def type(self, sort: core.Sort) -> lean.Term:
        """The type of the values of a sort."""
        match sort:
            case core.Basic(name="Regex"):
                raise not_expressible("regular expressions have no type in Lean")
            case core.Basic(name=name) | core.Numeric(name=name):
                return lean.Name(name)
            case core.BitVec(width=width):
                return lean.Call(lean.Name("BitVec"), (lean.Number(width),))
            case core.ListOf(element=element):
                return lean.Call(lean.Name("List"), (self.type(element),))
            case core.SetOf(element=element):
                return lean.Call(lean.Name("Set"), (self.type(element),))
            case core.TupleOf(items=()):
                return lean.Name("Unit")
            case core.TupleOf(items=items):
                return self._product([self.type(each) for each in items])
            case core.RecordOf(fields=fields):
                name, _ = self._data.record(tuple(each for each, _ in fields))
                return call(lean.Name(name), *(self.type(each) for _, each in fields))
            case core.MatrixOf(rows=rows, columns=columns, element=element):
                indexes = [lean.Call(lean.Name("Fin"), (self.number(each),)) for each in (rows, columns)]
                return lean.Call(lean.Name("Matrix"), (*indexes, self.type(element)))
            case core.FunctionOf(domain=domain, codomain=codomain):
                return arrow(*(self.type(each) for each in domain), self.result(codomain))
            case core.DataSort(name=name, arguments=arguments):
                return call(lean.Name(self._data.data(name)), *map(self.argument, arguments))
            case core.Carrier(name=name, arguments=arguments):
                return call(lean.Name(self._carrier(name)), *map(self.argument, arguments))
            case core.SortVariable(name=name):
                return lean.Name(self._carrier(name))

    def result(self, sort: core.Sort) -> lean.Term:
        """The type of what a function or relation gives."""
        return lean.Name("Prop") if sort == core.BOOL else self.type(sort)

    def argument(self, argument: core.Sort | core.Dimension) -> lean.Term:
        """A sort or number as an argument of a type."""
        return self.number(argument) if isinstance(argument, core.Dimension) else self.type(argument)

    def number(self, dimension: core.Dimension) -> lean.Term:
        """A dimension as a term of ℕ."""
        result: lean.Term | None = None
        for atoms, coefficient in dimension.terms:
            if coefficient < 0:
                raise not_expressible("a dimension with a minus sign: ℕ stops at 0 in Lean")
            factors: list[lean.Term] = [lean.Number(coefficient)] if coefficient != 1 or not atoms else []
            factors += [lean.Name(self._dimension(atom)) for atom in atoms]
            product = factors[0]
            for factor in factors[1:]:
                product = lean.Infix("*", product, factor)
            result = product if result is None else lean.Infix("+", result, product)
        return lean.Number(0) if result is None else result

    def _carrier(self, name: str) -> str:
        if name not in self._carriers:
            raise not_expressible(f"the carrier {name} is not bound here")
        return self._carriers[name]

    def _dimension(self, atom: str) -> str:
        if atom not in self._dimensions:
            raise not_expressible(f"the dimension {atom} is no number that is bound here")
        return self._dimensions[atom]

    @staticmethod
    def _product(types: list[lean.Term]) -> lean.Term:
        result = types[-1]
        for each in reversed(types[:-1]):
            result = lean.Infix("×", each, result)
        return result

    # ── a value of every sort ────────────────────────────────────────────────────────────────────────────

    def some(self, sort: core.Sort, below: frozenset[core.Sort] = frozenset()) -> lean.Term:
        """Some value of a sort, for places where Kleis has none."""
        if sort in self.constants:
            return self.constants[sort]
        match sort:
            case core.Basic(name="Bool"):
                return lean.Name("false")
            case core.Basic(name="String"):
                return lean.Text("")
            case core.Numeric() | core.BitVec() | core.MatrixOf():
                return lean.Typed(lean.Number(0), self.type(sort))
            case core.ListOf():
                return lean.Typed(lean.ListLiteral(()), self.type(sort))
            case core.SetOf():
                return lean.Typed(lean.Name("∅"), self.type(sort))
            case core.TupleOf(items=items):
                return lean.Tuple(tuple(self.some(each, below) for each in items))
            case core.FunctionOf(domain=domain, codomain=codomain):
                binders = tuple(lean.Binder((self._locals.fresh("a"),), self.type(each)) for each in domain)
                value = lean.Name("False") if codomain == core.BOOL else self.some(codomain, below)
                return lean.Bind("fun", binders, value)
            case core.DataSort():
                return self._some_data(sort, below)
            case core.Carrier(name=name):
                self.chosen.add(name)
                return lean.Typed(lean.Name("Classical.ofNonempty"), self.type(sort))
            case _:
                raise not_expressible(f"no value of {sort_text(sort)} can be written")

    def _some_data(self, sort: core.DataSort, below: frozenset[core.Sort]) -> lean.Term:
        for constructor in self._data.constructors(sort):
            fields = [each.sort for each in constructor.fields]
            if any(each in below | {sort} for each in fields):
                continue
            values = [self.some(each, below | {sort}) for each in fields]
            return lean.Typed(call(lean.Name(self._data.constructor(constructor)), *values), self.type(sort))
        raise not_expressible(f"no value of {sort_text(sort)} can be written")


# ── Encoders of built-ins ────────────────────────────────────────────────────────────────────────────────────

Encoder: TypeAlias = Callable[[core.Operation, Sequence[lean.Term], Sorts], "lean.Term | None"]
"""Takes an operation, the Lean terms of its arguments and the types at hand; gives a term that is right wherever the
operation is defined (a formula, of an operation that gives a truth value), or None where Lean has no counterpart."""


def sort_of(operation: core.Operation) -> core.Sort:
    """The sort that an operation is about: its first argument's, or its result's."""
    return operation.parameters[0].sort if operation.parameters else operation.result


def named(name: str) -> Encoder:
    """A function of the same arguments."""
    return lambda _, given, __: call(lean.Name(name), *given)
