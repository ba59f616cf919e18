"""Data types and records in Lean, declared when they are first mentioned.  See docs/reference/lean.md §4.1.

Invariant: a group of data types is declared before anything that names one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from kleis import core
from kleis.core.sort_operations import sort_parts
from kleis.core.sort_printing import sort_text
from kleis.core.terms import list_constructors, tuple_constructor
from kleis.elaborate.elaborator import Elaborator
from kleis.elaborate.sorts.data_types import DataDeclaration
from kleis.lean.export.terms.lean_names import Locals, Names
from kleis.lean.export.terms.lean_types import Sorts, call, not_expressible
from kleis.lean.language import lean_tree as lean
from kleis.lean.language.lean_lexer import LeanError
from kleis.problems import Place

__all__ = ["UNIVERSES", "Data", "type_binders"]

UNIVERSES = ("u", "v", "w", *(f"u{number}" for number in range(1, 9)))

Emit = Callable[[lean.Command, "Place | None", str], None]
"""Takes a finished command: with its place in Kleis, and its Kleis name."""


def type_binders(names: list[str], *, implicit: bool) -> tuple[lean.Binder, ...]:
    """Binders of types, each in a universe of its own."""
    if len(names) > len(UNIVERSES):
        raise not_expressible("more type parameters than universes")
    style: Literal["implicit", "explicit"] = "implicit" if implicit else "explicit"
    return tuple(
        lean.Binder((name,), lean.Call(lean.Name("Type"), (lean.Name(universe),)), style)
        for name, universe in zip(names, UNIVERSES, strict=False)
    )


class Data:
    """The data types and records declared so far."""

    def __init__(self, elaborator: Elaborator, names: Names, emit: Emit) -> None:
        self._elaborator = elaborator
        self._names = names
        self._emit = emit
        self._data: dict[str, str] = {}
        self._made: dict[tuple[str, str], str] = {}
        self._records: dict[tuple[str, ...], tuple[str, tuple[str, ...]]] = {}
        self._constructors: dict[core.DataSort, tuple[core.Constructor, ...]] = {}

    # ── what terms ask ───────────────────────────────────────────────────────────────────────────────────

    def data(self, name: str) -> str:
        """The Lean name of a data type; declares it with its group at the first call."""
        if name not in self._data:
            self._declare(name)
        return self._data[name]

    def constructor(self, constructor: core.Constructor) -> str:
        """The full name of a constructor."""
        if isinstance(constructor.sort, core.RecordOf):
            name, _ = self.record(tuple(each for each, _ in constructor.sort.fields))
            return f"{name}.mk"
        if not isinstance(constructor.sort, core.DataSort):
            raise not_expressible(f"the constructor {constructor.name} has no name in Lean")
        owner = self.data(constructor.sort.name)
        return f"{owner}.{self._made[(constructor.sort.name, constructor.name)]}"

    def constructors(self, sort: core.Sort) -> tuple[core.Constructor, ...]:
        """All constructors of a sort, in order."""
        match sort:
            case core.ListOf():
                return list_constructors(sort)
            case core.TupleOf():
                return (tuple_constructor(sort),)
            case core.RecordOf(fields=fields):
                given = tuple(core.ConstructorField(name, each) for name, each in fields)
                return (core.Constructor("record", given, sort, alone=True),)
            case core.DataSort():
                if sort not in self._constructors:
                    for group in self._elaborator.groups((sort,)):
                        self._constructors |= {each.sort: each.constructors for each in group}
                return self._constructors[sort]
            case _:
                raise not_expressible(f"{sort_text(sort)} has no constructors")

    def record(self, fields: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        """The structure of records with these fields: its type parameters are the fields' types, in order."""
        if fields not in self._records:
            name = self._names.declare(
                f"record({', '.join(fields)})", "record", stem="Record_" + "_".join(fields)
            )
            types = [f"F{place}" for place, _ in enumerate(fields)]
            projections = tuple(
                self._names.declare(each, "projection", owner=name, avoid=types) for each in fields
            )
            members = tuple(lean.Field(p, lean.Name(t)) for p, t in zip(projections, types, strict=True))
            declared = lean.Class(name, type_binders(types, implicit=False), (), members, "structure")
            self._records[fields] = (name, projections)
            self._emit(declared, None, f"record({', '.join(fields)})")
        return self._records[fields]

    def derives(self, name: str) -> bool:
        """Whether equality of a data type's values is decided."""
        return bool(self._deriving(name))

    # ── declarations ─────────────────────────────────────────────────────────────────────────────────────

    def _declare(self, name: str) -> None:
        report = self._elaborator.data_report()
        declarations = self._elaborator.data()
        if name in report.rejected or name not in declarations:
            raise not_expressible(f"the data type {name} was refused")
        group = next(each for each in report.groups if name in each)
        for each in group:
            owner = self._data[each] = self._names.declare(each, "data type")
            for constructor in declarations[each].constructors:
                made = self._names.declare(constructor.name, "constructor", owner=owner)
                self._made[(each, constructor.name)] = made
        try:
            members = tuple(self._inductive(declarations[each]) for each in group)
        except LeanError:
            for each in group:
                del self._data[each]
            raise
        command: lean.Command = members[0] if len(members) == 1 else lean.Mutual(members)
        self._emit(command, declarations[group[0]].place, ", ".join(group))

    def _inductive(self, declaration: DataDeclaration) -> lean.Inductive:
        numbers = [each for each in declaration.parameters if _is_number(each, declaration)]
        owner = self._data[declaration.name]
        locals_ = Locals(self._names)
        named = {each: locals_(each) for each in declaration.parameters}
        universes = iter(UNIVERSES)
        parameters = tuple(
            lean.Binder(
                (named[each],),
                lean.Name("ℕ")
                if each in numbers
                else lean.Call(lean.Name("Type"), (lean.Name(next(universes)),)),
            )
            for each in declaration.parameters
        )
        sorts = Sorts(self, named, named, locals_)
        result = call(lean.Name(owner), *(lean.Name(named[each]) for each in declaration.parameters))
        constructors = []
        for each in declaration.constructors:
            fields = []
            inner = Locals(self._names, {*named.values(), *self._made.values()})
            for field in each.fields:
                stem = field.name if not field.name.startswith("_") else "part"
                fields.append(lean.Binder((inner.fresh(stem),), sorts.type(field.sort)))
            made = self._made[(declaration.name, each.name)]
            constructors.append(lean.Constructor(made, tuple(fields), result))
        return lean.Inductive(owner, parameters, tuple(constructors), self._deriving(declaration.name))

    def _deriving(self, name: str) -> tuple[str, ...]:
        """The classes that Lean can derive: none for mutual and nested types, nor where a part has no decided equality."""
        report = self._elaborator.data_report()
        group = next((each for each in report.groups if name in each), ())
        if len(group) != 1:
            return ()
        declaration = self._elaborator.data()[name]
        sorts = [field.sort for each in declaration.constructors for field in each.fields]
        return ("Repr", "DecidableEq") if all(self._plain(each, name) for each in sorts) else ()

    def _plain(self, sort: core.Sort, name: str) -> bool:
        match sort:
            case core.Basic(name=basic):
                return basic != "Regex"
            case core.Numeric(name=numeric):
                return numeric in ("ℕ", "ℤ", "ℚ")
            case core.SortVariable() | core.BitVec():
                return True
            case core.DataSort(name=other) if other == name:
                return True
            case core.ListOf() | core.TupleOf():
                return all(self._plain(each, "") for each in sort_parts(sort))
            case core.DataSort(name=other):
                return other != name and name != "" and self.derives(other)
            case _:
                return False


def _is_number(parameter: str, declaration: DataDeclaration) -> bool:
    """Whether a parameter is a number: its data type says so at its own parameters."""
    own = declaration.constructors[0].sort if declaration.constructors else None
    arguments = own.arguments if isinstance(own, core.DataSort) else ()
    place = declaration.parameters.index(parameter)
    return place < len(arguments) and isinstance(arguments[place], core.Dimension)
