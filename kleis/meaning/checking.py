"""What is wrong with the declarations of one file: everything elaboration finds in them, for `kleis check`.

Specification: issue 4, item 3 ("`kleis check` now reports sorts, kinds, dimensions, definedness warnings, termination,
ambiguous operations"); proving.md §1.

Invariants
    * Every declaration is looked at, whatever is wrong with others; a problem is reported once, at its place.
    * Only what stands in the file is reported: imported files speak for themselves.
    * A definition is read at the types that are written.  One without them is a template, which has sorts, and so
      mistakes of sort, only where it is called.
    * Names are kleis/resolution.py's business, and what only lacks a type still runs: in definitions such refusals
      are left out, elsewhere they are warnings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from kleis.meaning.core import Term
from kleis.meaning.definedness_warnings import definedness_warnings
from kleis.meaning.meaning import Axiom, Meaning, MeaningError
from kleis.meaning.passes import read_piece
from kleis.meaning.reach import reach
from kleis.meaning.scope import Refused, Scope, Template
from kleis.operators import canonical_name
from kleis.problems import Place, Problem, place_of
from kleis.syntax import (
    Axiom as AxiomNode,
)
from kleis.syntax import (
    Call,
    DataDefinition,
    Declaration,
    FunctionDefinition,
    Implements,
    Lambda,
    Name,
    NestedStructure,
    OperationDeclaration,
    Program,
    Structure,
    StructureMember,
)

if TYPE_CHECKING:
    from kleis.meaning.elaborate import Elaborator
    from kleis.meaning.expressions import Unit
    from kleis.meaning.frames import NamedAxiom, StructureInstance

__all__ = ["check_program"]

_NO_ERRORS = frozenset(
    {
        "needs-type",
        "unknown-name",
        "unknown-operator",
        "unknown-constructor",
        "no-structure",
        "arity",
        "no-proposition",
    }
)
"""Why a proposition that reaches a declaration is refused, where that is no mistake of the declaration itself."""


def check_program(elaborator: Elaborator, program: Program) -> tuple[Problem, ...]:
    """The problems of the declarations of a program, which is part of the theory, in order of place."""
    check = _Check(elaborator, program)
    for item in program.items:
        check.item(item)
    check.whole()
    return tuple(sorted(check.found, key=lambda each: (each.line, each.column, each.severity)))


class _Check:
    """One check; `found` are the problems of the file, each once."""

    def __init__(self, elaborator: Elaborator, program: Program) -> None:
        self._elaborator = elaborator
        self._file = program.file
        self._found: dict[tuple[int, int, str], Problem] = {}
        self._typed: list[str] = []

    @property
    def found(self) -> Iterable[Problem]:
        """The problems so far."""
        return self._found.values()

    def item(self, item: Declaration) -> None:
        """Look at one declaration."""
        match item:
            case Structure():
                self._try(lambda: self._structure(item))
            case FunctionDefinition():
                self._definition(item, self._elaborator.globals.scope(self._file), canonical_name(item.name))
            case DataDefinition():
                self._try(lambda: self._elaborator.globals.data(item.name))
            case OperationDeclaration():
                self._operation(item)
            case Implements():
                self._try(lambda: self._elaborator.globals.read_implementation(item, self._file))
            case _:
                pass

    def whole(self) -> None:
        """What is known only when all was looked at: data types, termination, uncovered cases."""
        definitions = self._elaborator.definitions
        for problem in self._elaborator.data_report().problems:
            self._report(problem)
        for problem in definitions.uncovered.values():
            self._report(problem)
        for key, termination in definitions.terminations.items():
            place = definitions.places.get(key)
            if termination.kind == "unknown" and place is not None and place.file == self._file:
                self._report(_unending(definitions.finished[key].name, termination.reason, place))

    # ── reporting ────────────────────────────────────────────────────────────────────────────────────────────

    def _report(self, problem: Problem) -> None:
        if problem.file == self._file:
            self._found.setdefault((problem.line, problem.column, problem.code), problem)

    def _refused(self, error: MeaningError) -> None:
        self._report(
            Problem(
                "warning" if error.code in _NO_ERRORS else "error",
                error.code,
                error.message,
                error.hint,
                error.file,
                error.line,
                error.column,
                error.end_line,
                error.end_column,
                error.found,
                error.expected,
                error.related,
            )
        )

    def _try(self, look: Callable[[], object]) -> object:
        """What a look gives; None, and a problem, if it is refused."""
        try:
            return look()
        except MeaningError as error:
            self._refused(error)
            return None

    # ── structures ───────────────────────────────────────────────────────────────────────────────────────────

    def _structure(self, node: Structure) -> None:
        elaborator = self._elaborator
        if elaborator.theory.structures.get(node.name) != node:
            return  # refused as a duplicate, which the theory reports
        instance = (
            elaborator.arbitrary(node.name) if node.parameters else elaborator.globals.section(node.name)
        )
        for error in instance.refusals:
            self._refused(error)
        for warning in instance.warnings:
            self._report(warning)
        own = {id(each) for each in _axioms(node.members)}
        for named in instance.axioms:
            if id(named.node) in own and named.place.file == self._file:
                self._axiom(named)
        self._members(instance, node)

    def _axiom(self, named: NamedAxiom) -> None:
        axiom = self._try(lambda: self._elaborator.axiom(named))
        if isinstance(axiom, Axiom):
            self._definedness(axiom)

    def _definedness(self, axiom: Axiom) -> None:
        for warning in definedness_warnings(self._around(axiom.formula), self._elaborator.theory, (axiom,)):
            self._report(warning)

    def _around(self, formula: Term) -> Meaning:
        """The definitions and data types that a formula reaches."""
        definitions = self._elaborator.definitions
        reached = reach((formula,), definitions.finished)
        keys = reached.definitions.keys() & definitions.terminations.keys()
        return Meaning(
            claim=None,
            definitions=tuple(reached.definitions.values()),
            terminations=tuple((key, definitions.terminations[key]) for key in sorted(keys)),
            data=self._elaborator.groups(tuple(reached.sorts)),
        )

    def _members(self, instance: StructureInstance, node: Structure) -> None:
        for name, template in instance.templates:
            if template.node in node.members:
                self._template(template, name)

    # ── definitions and operations ───────────────────────────────────────────────────────────────────────────

    def _definition(self, node: FunctionDefinition, scope: Scope, name: str) -> None:
        if self._elaborator.theory.definitions.get(name) != node:
            return  # replaced by a later one, which the theory reports
        self._template(Template(name, node, scope, place_of(node, self._file)), name)

    def _template(self, template: Template, name: str) -> None:
        """Read a definition at the types that are written, by calling it."""
        node = template.node
        if any(each.type is None for each in node.parameters) or not (node.parameters or node.result):
            return
        arguments = tuple(Name(each.name, each.span) for each in node.parameters)
        value = Call(name, arguments, node.span) if arguments else Name(name, node.span)
        expression = Lambda(node.parameters, value, node.span) if arguments else value

        def read(unit: Unit) -> Term:
            return unit.term(expression)

        definitions, frame = self._elaborator.definitions, f"check/{template.key}"
        try:
            read_piece(definitions, template.scope, read, frame=frame, allow_free=False)
        except MeaningError as error:
            if error.code not in _NO_ERRORS:
                self._refused(error)

    def _operation(self, node: OperationDeclaration) -> None:
        place = place_of(node, self._file)
        for candidate in self._elaborator.globals.candidates(canonical_name(node.name)):
            if isinstance(candidate, Refused) and candidate.place == place:
                error = MeaningError(
                    candidate.message, code="refused-declaration", file=place.file, line=place.line,
                    column=place.column, end_line=place.line, end_column=place.column + len("operation"),
                )  # fmt: skip
                self._refused(error)


def _axioms(members: Iterable[StructureMember]) -> Iterator[AxiomNode]:
    for member in members:
        if isinstance(member, AxiomNode):
            yield member
        elif isinstance(member, NestedStructure):
            yield from _axioms(member.members)


def _unending(name: str, reason: str, place: Place) -> Problem:
    return Problem(
        "warning",
        "termination-not-shown",
        f"{name} is not shown to end: {reason}",
        "propositions that reach it are unknown; it still runs",
        place.file,
        place.line,
        place.column,
        place.line,
        place.column + len("define"),
    )
