"""Sorts as Lean types, and a value of each.

Specification: lean-and-corpus.md §6.2 (table), §6.4 (universes).  A carrier is a type variable of the declaration; a
truth value is ``Bool`` where values stand, and a formula where functions give it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeAlias

from kleis.core import (
    BOOL,
    Basic,
    BitVec,
    Carrier,
    Constructor,
    DataSort,
    Dimension,
    FunctionOf,
    ListOf,
    MatrixOf,
    Numeric,
    Operation,
    RecordOf,
    SetOf,
    Sort,
    SortVariable,
    TupleOf,
)
from kleis.core.sort_printing import sort_text
from kleis.lean.export.terms.lean_names import Locals
from kleis.lean.language.lean_lexer import LeanError
from kleis.lean.language.lean_tree import (
    Bind,
    Binder,
    Call,
    Infix,
    LeanTerm,
    ListLiteral,
    Name,
    Number,
    Text,
    Tuple,
    Typed,
)

__all__ = ["DataNames", "Encoder", "Sorts", "arrow", "call", "named", "refused", "sort_of"]


def refused(what: str, hint: str = "") -> LeanError:
    """The refusal of what has no Lean form."""
    return LeanError(what, code="not-expressible", file="<lean>", hint=hint)


def call(function: LeanTerm, *arguments: LeanTerm) -> LeanTerm:
    """An application; to no arguments, the function itself."""
    if not arguments:
        return function
    if isinstance(function, Call):
        return Call(function.function, (*function.arguments, *arguments))
    return Call(function, arguments)


def arrow(*types: LeanTerm) -> LeanTerm:
    """``A → B → C``."""
    result = types[-1]
    for each in reversed(types[:-1]):
        result = Infix("→", each, result)
    return result


class DataNames(Protocol):
    """The data types and records of a file."""

    def data(self, name: str) -> str:
        """The Lean name of a data type."""

    def constructor(self, constructor: Constructor) -> str:
        """The full name of a constructor: ``Vine.fork``."""

    def constructors(self, sort: Sort) -> tuple[Constructor, ...]:
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
        constants: Mapping[Sort, LeanTerm] | None = None,
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

    def type(self, sort: Sort) -> LeanTerm:
        """The type of the values of a sort."""
        match sort:
            case Basic(name="Regex"):
                raise refused("regular expressions have no type in Lean")
            case Basic(name=name) | Numeric(name=name):
                return Name(name)
            case BitVec(width=width):
                return Call(Name("BitVec"), (Number(width),))
            case ListOf(element=element):
                return Call(Name("List"), (self.type(element),))
            case SetOf(element=element):
                return Call(Name("Set"), (self.type(element),))
            case TupleOf(items=()):
                return Name("Unit")
            case TupleOf(items=items):
                return self._product([self.type(each) for each in items])
            case RecordOf(fields=fields):
                name, _ = self._data.record(tuple(each for each, _ in fields))
                return call(Name(name), *(self.type(each) for _, each in fields))
            case MatrixOf(rows=rows, columns=columns, element=element):
                indexes = [Call(Name("Fin"), (self.number(each),)) for each in (rows, columns)]
                return Call(Name("Matrix"), (*indexes, self.type(element)))
            case FunctionOf(domain=domain, codomain=codomain):
                return arrow(*(self.type(each) for each in domain), self.result(codomain))
            case DataSort(name=name, arguments=arguments):
                return call(Name(self._data.data(name)), *map(self.argument, arguments))
            case Carrier(name=name, arguments=arguments):
                return call(Name(self._carrier(name)), *map(self.argument, arguments))
            case SortVariable(name=name):
                return Name(self._carrier(name))

    def result(self, sort: Sort) -> LeanTerm:
        """The type of what a function or relation gives."""
        return Name("Prop") if sort == BOOL else self.type(sort)

    def argument(self, argument: Sort | Dimension) -> LeanTerm:
        """A sort or number as an argument of a type."""
        return self.number(argument) if isinstance(argument, Dimension) else self.type(argument)

    def number(self, dimension: Dimension) -> LeanTerm:
        """A dimension as a term of ℕ."""
        result: LeanTerm | None = None
        for atoms, coefficient in dimension.terms:
            if coefficient < 0:
                raise refused("a dimension with a minus sign: ℕ stops at 0 in Lean")
            factors: list[LeanTerm] = [Number(coefficient)] if coefficient != 1 or not atoms else []
            factors += [Name(self._dimension(atom)) for atom in atoms]
            product = factors[0]
            for factor in factors[1:]:
                product = Infix("*", product, factor)
            result = product if result is None else Infix("+", result, product)
        return Number(0) if result is None else result

    def _carrier(self, name: str) -> str:
        if name not in self._carriers:
            raise refused(f"the carrier {name} is not bound here")
        return self._carriers[name]

    def _dimension(self, atom: str) -> str:
        if atom not in self._dimensions:
            raise refused(f"the dimension {atom} is no number that is bound here")
        return self._dimensions[atom]

    @staticmethod
    def _product(types: list[LeanTerm]) -> LeanTerm:
        result = types[-1]
        for each in reversed(types[:-1]):
            result = Infix("×", each, result)
        return result

    # ── a value of every sort ────────────────────────────────────────────────────────────────────────────

    def some(self, sort: Sort, below: frozenset[Sort] = frozenset()) -> LeanTerm:
        """A value, whichever: it stands where Kleis has none."""
        if sort in self.constants:
            return self.constants[sort]
        match sort:
            case Basic(name="Bool"):
                return Name("false")
            case Basic(name="String"):
                return Text("")
            case Numeric() | BitVec() | MatrixOf():
                return Typed(Number(0), self.type(sort))
            case ListOf():
                return Typed(ListLiteral(()), self.type(sort))
            case SetOf():
                return Typed(Name("∅"), self.type(sort))
            case TupleOf(items=items):
                return Tuple(tuple(self.some(each, below) for each in items))
            case FunctionOf(domain=domain, codomain=codomain):
                binders = tuple(Binder((self._locals.fresh("a"),), self.type(each)) for each in domain)
                value = Name("False") if codomain == BOOL else self.some(codomain, below)
                return Bind("fun", binders, value)
            case DataSort():
                return self._some_data(sort, below)
            case Carrier(name=name):
                self.chosen.add(name)
                return Typed(Name("Classical.ofNonempty"), self.type(sort))
            case _:
                raise refused(f"no value of {sort_text(sort)} can be written")

    def _some_data(self, sort: DataSort, below: frozenset[Sort]) -> LeanTerm:
        for constructor in self._data.constructors(sort):
            fields = [each.sort for each in constructor.fields]
            if any(each in below | {sort} for each in fields):
                continue
            values = [self.some(each, below | {sort}) for each in fields]
            return Typed(call(Name(self._data.constructor(constructor)), *values), self.type(sort))
        raise refused(f"no value of {sort_text(sort)} can be written")


# What the readings of built-ins in Lean are made of.
#
# An encoder gets an operation, the Lean terms of its arguments and the types at hand; its answer is right wherever the
# operation is defined, and of an operation that gives a truth value a formula.  None says that there is no reading.

Encoder: TypeAlias = Callable[[Operation, Sequence[LeanTerm], Sorts], "LeanTerm | None"]


def sort_of(operation: Operation) -> Sort:
    """The sort that an operation is about: its first argument's, or its result's."""
    return operation.parameters[0].sort if operation.parameters else operation.result


def named(name: str) -> Encoder:
    """A function of the same arguments."""
    return lambda _, given, __: call(Name(name), *given)
