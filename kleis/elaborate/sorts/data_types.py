"""Data types: which declarations are lawful.

A data type must be strictly positive and have a value (docs/reference/proving.md §3.1).  ``data D = F(D → Bool)`` would
be a set as large as its own power set.  A type may stand where it is built from finitely or infinitely many of itself
(List(D), D × D, ℕ → D), not left of an arrow nor in a set; as an argument of another data type it stands as that type
uses the parameter.

Invariants
    * `check_data` looks at declarations as they are written, so it decides for all instances at once.
    * A rejected type, and every type that rests on one, is in `DataReport.rejected`; the groups hold the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Literal, TypeAlias

import msgspec

from kleis import core
from kleis.core.sort_operations import sort_parts
from kleis.core.sort_printing import sort_text
from kleis.problems import Place, Problem
from kleis.strongly_connected import components

__all__ = ["DataDeclaration", "DataReport", "check_data", "with_parts"]


class DataDeclaration(msgspec.Struct, frozen=True):
    """A data type as declared.

    Field sorts mention ``SortVariable(p)``, or a dimension with the atom p, for a parameter p.
    """

    name: str
    parameters: tuple[str, ...]
    constructors: tuple[core.Constructor, ...]
    place: Place


class DataReport(msgspec.Struct, frozen=True):
    """Which data types are lawful.

    groups
        Mutually recursive types together, parts before wholes, without the rejected ones.
    rejected
        Types with a problem, and those that rest on one.
    higher_order
        Types with a field of functions that give the type itself (``ℕ → D``): lawful, but their values are
        infinite trees, which solvers do not know.
    """

    groups: tuple[tuple[str, ...], ...]
    problems: tuple[Problem, ...]
    rejected: frozenset[str]
    higher_order: frozenset[str]


Use: TypeAlias = Literal["absent", "positive", "functional", "negative"]
"""How a name occurs in a sort; ``functional`` is positive right of an arrow.  From lawful to unlawful."""

_ORDER: tuple[Use, ...] = ("absent", "positive", "functional", "negative")


def _worst(uses: Iterable[Use]) -> Use:
    return max(uses, key=_ORDER.index, default="absent")


def check_data(declarations: Mapping[str, DataDeclaration]) -> DataReport:
    """Check positivity and base cases of data types."""
    edges = {name: sorted(_mentioned(each, declarations)) for name, each in declarations.items()}
    groups = components(edges)
    uses = _Uses(declarations, groups)
    problems = list(_not_positive(declarations, uses, groups))
    found = {problem.found for problem in problems}
    inhabited = _Inhabited(declarations)
    for name, declaration in declarations.items():
        if name not in found and not inhabited.type(name, (True,) * len(declaration.parameters)):
            problems.append(_without_base(declaration))
    rejected = {problem.found for problem in problems}
    for group in groups:
        if any(each in rejected or target in rejected for each in group for target in edges[each]):
            rejected.update(group)
    kept = tuple(group for group in groups if rejected.isdisjoint(group))
    functional = frozenset(
        name for group in kept for name in group if any(uses.of(name, each) == "functional" for each in group)
    )
    problems.sort(key=lambda problem: (problem.file, problem.line, problem.column))
    return DataReport(kept, tuple(problems), frozenset(rejected), functional)


# ── Positivity ───────────────────────────────────────────────────────────────────────────────────────────────


def with_parts(
    names: Iterable[str], declared: Callable[[str], DataDeclaration | None]
) -> dict[str, DataDeclaration]:
    """The types of these names and all that they are made of.

    Whether a type is lawful depends on these alone, so that a question need not look at all the others.
    """
    found: dict[str, DataDeclaration] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        declaration = None if name in found else declared(name)
        if declaration is not None:
            found[name] = declaration
            waiting += [each.name for each in _data_sorts(declaration)]
    return found


def _data_sorts(declaration: DataDeclaration) -> Iterator[core.DataSort]:
    """The data types that occur in the fields of a type."""
    waiting = list(_fields(declaration))
    while waiting:
        sort = waiting.pop()
        waiting.extend(sort_parts(sort))
        if isinstance(sort, core.DataSort):
            yield sort


def _mentioned(declaration: DataDeclaration, declarations: Mapping[str, DataDeclaration]) -> set[str]:
    """The declared types that occur in the fields of a type."""
    return {each.name for each in _data_sorts(declaration) if each.name in declarations}


class _Uses:
    """How the fields of each type use its parameters and the types of its own group: the least fixed point."""

    def __init__(
        self, declarations: Mapping[str, DataDeclaration], groups: Iterable[tuple[str, ...]]
    ) -> None:
        self._declarations = declarations
        self._known: dict[tuple[str, str], Use] = {}
        together = {name: group for group in groups for name in group}
        changed = True
        while changed:
            changed = False
            for name, declaration in declarations.items():
                for target in (*declaration.parameters, *together[name]):
                    use = _worst(
                        self.within(field, target, declaration.parameters) for field in _fields(declaration)
                    )
                    if use != self.of(name, target):
                        self._known[name, target] = use
                        changed = True

    def of(self, name: str, target: str) -> Use:
        """How a type uses a parameter of its own, or a type, in its own fields."""
        return self._known.get((name, target), "absent")

    def within(self, sort: core.Sort, target: str, parameters: tuple[str, ...]) -> Use:
        """How a sort in the fields of a type with these parameters uses a parameter or type."""
        match sort:
            case core.SortVariable(name=name):
                return "positive" if name == target and target in parameters else "absent"
            case core.FunctionOf(domain=domain, codomain=codomain):
                if any(self.within(each, target, parameters) != "absent" for each in domain):
                    return "negative"
                inner = self.within(codomain, target, parameters)
                return "functional" if inner == "positive" else inner
            case core.SetOf(element=element):
                return "absent" if self.within(element, target, parameters) == "absent" else "negative"
            case core.DataSort(name=name, arguments=arguments):
                own: Use = "positive" if name == target and target not in parameters else "absent"
                return _worst((own, *self._through(name, arguments, target, parameters)))
            case core.Carrier():
                return "absent"
            case _:
                return _worst(self.within(each, target, parameters) for each in sort_parts(sort))

    def _through(
        self,
        name: str,
        arguments: tuple[core.Sort | core.Dimension, ...],
        target: str,
        parameters: tuple[str, ...],
    ) -> Iterator[Use]:
        """How the arguments of a data type use the target, seen through how the type uses its parameters."""
        declaration = self._declarations.get(name)
        for index, argument in enumerate(arguments):
            inner = (
                "absent"
                if isinstance(argument, core.Dimension)
                else self.within(argument, target, parameters)
            )
            if inner == "absent":
                continue
            if declaration is None:
                yield inner
                continue
            outer = self.of(name, declaration.parameters[index])
            yield "absent" if outer == "absent" else _worst((inner, outer))


def _fields(declaration: DataDeclaration) -> Iterator[core.Sort]:
    for constructor in declaration.constructors:
        for field in constructor.fields:
            yield field.sort


def _not_positive(
    declarations: Mapping[str, DataDeclaration], uses: _Uses, groups: Iterable[tuple[str, ...]]
) -> Iterator[Problem]:
    for group in groups:
        for name in group:
            bad = [target for target in group if uses.of(name, target) == "negative"]
            if bad:
                yield _negative(declarations[name], declarations[bad[0]], uses)


def _negative(declaration: DataDeclaration, wrong: DataDeclaration, uses: _Uses) -> Problem:
    target = wrong.name
    fields = _fields(declaration)
    field = next(
        (each for each in fields if uses.within(each, target, declaration.parameters) == "negative"), None
    )
    where = "" if field is None else f" in a field of the sort {sort_text(field)}"
    return _problem(
        declaration,
        "data_not_positive",
        f"the data type {declaration.name} has {target} left of an arrow or in a set{where}: no set is that large",
        f"keep {target} right of arrows; finitely many values are a List({target})",
        wrong.place,
    )


# ── Base cases ───────────────────────────────────────────────────────────────────────────────────────────────


class _Inhabited:
    """Whether types have values, given which of their arguments have: the least fixed point."""

    def __init__(self, declarations: Mapping[str, DataDeclaration]) -> None:
        self._declarations = declarations
        self._known: dict[tuple[str, tuple[bool, ...]], bool] = {}

    def type(self, name: str, arguments: tuple[bool, ...]) -> bool:
        """Whether a type has a value."""
        self._known.setdefault((name, arguments), False)
        changed = True
        while changed:
            before = dict(self._known)
            for key, known in before.items():
                if not known:
                    self._known[key] = self._made(*key)
            changed = self._known != before
        return self._known[name, arguments]

    def _made(self, name: str, arguments: tuple[bool, ...]) -> bool:
        declaration = self._declarations[name]
        given = dict(zip(declaration.parameters, arguments, strict=False))
        return any(
            all(self._sort(field.sort, given) for field in constructor.fields)
            for constructor in declaration.constructors
        )

    def _sort(self, sort: core.Sort, given: Mapping[str, bool]) -> bool:
        match sort:
            case core.SortVariable(name=name):
                return given.get(name, True)
            case core.ListOf() | core.SetOf() | core.Carrier():
                return True
            case core.FunctionOf(codomain=codomain):
                return self._sort(codomain, given)
            case core.DataSort(name=name, arguments=arguments) if name in self._declarations:
                key = (
                    name,
                    tuple(isinstance(each, core.Dimension) or self._sort(each, given) for each in arguments),
                )
                return self._known.setdefault(key, False)
            case _:
                return all(self._sort(each, given) for each in sort_parts(sort))


def _without_base(declaration: DataDeclaration) -> Problem:
    first = declaration.constructors[0].name if declaration.constructors else ""
    return _problem(
        declaration,
        "data_without_base",
        f"the data type {declaration.name} has no value: each constructor needs one that is there before"
        + (f", {first} as well" if len(declaration.constructors) > 1 else ""),
        f"add a constructor without {declaration.name} in its fields, or put it into a List",
    )


def _problem(declaration: DataDeclaration, code: str, message: str, hint: str, *related: Place) -> Problem:
    place = declaration.place
    return Problem(
        "error",
        code,
        message,
        hint,
        place.file,
        place.line,
        place.column,
        place.line,
        place.column + len(declaration.name),
        declaration.name,
        (),
        related,
    )
