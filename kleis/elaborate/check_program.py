"""What `kleis check` reports about a program that parses and loads: sorts, definedness, termination.

Errors are declarations that no proposition can use: a type without a meaning, an axiom that cannot be elaborated, a
data type that is rejected.  Warnings are an axiom not shown to be defined, a recursion without a termination argument,
a match that leaves values out, a nested structure of its own.

What only the evaluator runs (an untyped definition, the statements of an example) is no error: it may have no sorts
and still compute.  It gives a warning where its sorts are certainly wrong.  See docs/reference/proving.md §2.8.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from kleis.budget import deep
from kleis.core import NATURAL, Carrier, Narrowing, Symbol
from kleis.core.goal import Axiom, ElaborationError
from kleis.core.sort_operations import variables_of
from kleis.definedness.conditions import Definedness
from kleis.delaborate.describe_goal import expression_of
from kleis.elaborate.elaborator import Elaborator
from kleis.elaborate.scopes.declared_builtins import conflict_of, is_operator
from kleis.elaborate.scopes.implements import obligations_of
from kleis.elaborate.scopes.scope import Template
from kleis.elaborate.scopes.structure_scope import StructureInstance
from kleis.elaborate.sorts.read_sorts import BUILT_IN_TYPES
from kleis.problems import Place, Problem, place_of
from kleis.syntax import tree
from kleis.syntax.operators import canonical_name
from kleis.syntax.printer.program import print_expression

__all__ = ["check_program"]

_NOT_ELABORATED = frozenset({"no-proposition", "needs-type", "no-structure"})
"""Errors that keep a definition from having sorts, and are no mistake in it."""

_WARNINGS = frozenset({"higher-order", "unknown-name"})
"""Errors that the check of names reports, or that the logic causes: here they are warnings."""


@deep()
def check_program(elaborator: Elaborator, program: tree.Program) -> tuple[Problem, ...]:
    """The problems that elaboration finds in a program's items, in order of place."""
    check = _Check(elaborator, program.file)
    for item in program.items:
        match item:
            case tree.Structure():
                check.structure(item)
            case tree.DataDefinition():
                check.data(item)
            case tree.FunctionDefinition():
                check.definition(item)
            case tree.OperationDeclaration() | tree.AliasDefinition():
                check.type_of(item)
            case tree.Implements():
                check.implementation(item)
            case tree.Lemma():
                check.lemma(item)
    check.matches()
    found = dict.fromkeys(each for each in check.problems if each.file == program.file)
    return tuple(sorted(found, key=lambda each: (each.line, each.column, each.severity, each.message)))


class _Check:
    """One check of one program."""

    def __init__(self, elaborator: Elaborator, file: str) -> None:
        self.elaborator = elaborator
        self.theory = elaborator.theory
        self.file = file
        self.problems: list[Problem] = []
        self._reported: set[str] = set()

    def add(self, error: ElaborationError, severity: Literal["error", "warning"] = "error") -> None:
        """An error of elaboration as a problem."""
        if error.code in _WARNINGS:
            severity = "warning"
        self.problems.append(
            Problem(
                severity,
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

    def warn(self, place: Place, code: str, message: str, hint: str) -> None:
        """A warning at a place."""
        self._report("warning", place, code, message, hint)

    def _report(
        self, severity: Literal["error", "warning"], place: Place, code: str, message: str, hint: str
    ) -> None:
        self.problems.append(
            Problem(
                severity,
                code,
                message,
                hint,
                place.file,
                place.line,
                place.column,
                place.line,
                place.column + 1,
            )
        )

    # ── structures ───────────────────────────────────────────────────────────────────────────────────────

    def structure(self, item: tree.Structure) -> None:
        """The members and axioms of a structure."""
        if self.theory.structures.get(item.name) != item:
            return
        try:
            if item.parameters:
                instance = self.elaborator.arbitrary(item.name)
            else:
                instance = self.elaborator.globals.section(item.name)
        except ElaborationError as error:
            self.add(error)
            return
        for each in instance.errors:
            self.add(each)
        for symbol, place in instance.symbols.items():
            self._conflict(symbol, place, of_models=bool(item.parameters))
        self.problems += instance.warnings
        axioms = list(self._axioms(instance))
        for _, template in instance.templates:
            self._template(template, certain=True)
        self._definedness(axioms)

    def _axioms(self, instance: StructureInstance) -> Iterator[Axiom]:
        for named in instance.axioms:
            if named.scope.file != self.file:
                continue
            try:
                yield self.elaborator.axiom(named)
            except ElaborationError as error:
                self.add(error)

    def _definedness(self, axioms: list[Axiom]) -> None:
        """Warn of axioms that are not shown to be defined."""
        try:
            definedness = Definedness(self.elaborator.around([axiom.formula for axiom in axioms]))
        except ElaborationError as error:
            self.add(error)
            return
        for axiom in axioms:
            open_needs = definedness.undischarged(axiom.formula)
            if not open_needs:
                continue
            need = open_needs[0].proposition
            reason = (
                f"it has a value where {print_expression(expression_of(need))}"
                if need is not None
                else "a recursion may not end"
            )
            hint = "guard it: condition → …; an axiom says that it is true, and so that it is defined"
            subject = open_needs[0].subject
            if isinstance(subject, Narrowing) and subject.sort == NATURAL:
                number = print_expression(expression_of(subject.term))
                reason = f"{number} is to be a natural number, and ℕ begins at 0; {reason}"
                hint = f"write ℤ where the number may be negative; or {hint}"
            self.warn(
                axiom.place,
                "not-shown-defined",
                f"the axiom {axiom.name.rpartition('::')[2]} is not shown to be defined: {reason}",
                hint,
            )

    def _conflict(self, symbol: Symbol, place: Place, *, of_models: bool = False) -> None:
        """A declared operation that leaves its name to the built-in, which gives another sort at the declared ones."""
        conflict = conflict_of(symbol.name, symbol) if of_models or is_operator(symbol.name) else None
        if conflict is not None:
            self._report("error", place, "built-in-conflict", conflict.message, conflict.hint)

    # ── types, definitions ───────────────────────────────────────────────────────────────────────────────

    def data(self, item: tree.DataDefinition) -> None:
        """A data type: its fields, positivity, a base case."""
        if self.theory.data.get(item.name) != item:
            return
        try:
            self.elaborator.globals.data(item.name)
        except ElaborationError as error:
            self.add(error)
            return
        if item.name in BUILT_IN_TYPES:
            stays = (
                "the built-in stays; its constructors are true and false"
                if item.name == "Bool"
                else (
                    "every type written so is the data type, while numerals and operators keep the built-in one"
                )
            )
            self.warn(
                Place(self.file, item.span.line, item.span.column),
                "built-in-type",
                f"{item.name} is a built-in type: {stays}",
                "give the data type a name of its own",
            )
        report = self.elaborator.data_report()
        self.problems += [
            each for each in report.problems if each.line == item.line and each.file == self.file
        ]

    def type_of(self, item: tree.OperationDeclaration | tree.AliasDefinition) -> None:
        """The type of a declaration."""
        reader = self.elaborator.globals.reader
        try:
            if isinstance(item, tree.OperationDeclaration):
                variables, domain, codomain = reader.polymorphic(
                    item.type, {}, file=self.file, implicit_variables=True
                )
                if not variables:
                    symbol = Symbol(canonical_name(item.name), domain, codomain)
                    self._conflict(symbol, place_of(item, self.file))
            else:
                reader.alias(item, file=self.file)
        except ElaborationError as error:
            self.add(error)

    def definition(self, item: tree.FunctionDefinition) -> None:
        """A definition whose sorts are written, or a constant."""
        for candidate in self.elaborator.globals.candidates(item.name):
            if isinstance(candidate, Template) and candidate.node == item:
                self._template(candidate, certain=False)

    def _template(self, template: Template, *, certain: bool) -> None:
        """Elaborate a definition at its written sorts."""
        definitions = self.elaborator.definitions
        try:
            written = definitions.written_parameters(template)
            sorts = tuple(sort for sort in written if sort is not None and not variables_of(sort))
            if len(sorts) < len(written):
                return
            key = definitions.elaborate_at(template, sorts)
        except ElaborationError as error:
            typed = certain or (template.node.result is not None and len(template.node.parameters) > 0)
            overload = template.overload and not certain
            if error.code not in _NOT_ELABORATED or certain:
                self.add(
                    error,
                    "error" if typed and not overload and error.code not in _NOT_ELABORATED else "warning",
                )
            return
        self._termination(key)

    def _termination(self, key: str) -> None:
        """Warn of a recursion that is not shown to end."""
        definitions = self.elaborator.definitions
        termination = definitions.terminations.get(key)
        if termination is not None and termination.kind == "unknown" and key not in self._reported:
            self._reported.add(key)
            name = definitions.finished[key].name
            self.warn(
                definitions.places[key],
                "termination",
                f"termination of {name} is not shown: {termination.reason}",
                "name what becomes smaller, before the define: @decreases(…); without it propositions about "
                f"{name} stay unknown",
            )

    def matches(self) -> None:
        """Matches that leave values uncovered, and cases that no value reaches."""
        definitions = self.elaborator.definitions
        self.problems += (*definitions.uncovered.values(), *definitions.unreachable.values())

    # ── lemmas ───────────────────────────────────────────────────────────────────────────────────────────

    def lemma(self, item: tree.Lemma) -> None:
        """What a lemma states; whether it holds is not asked here."""
        try:
            self.elaborator.proposition(item.proposition, file=self.file)
        except ElaborationError as error:
            self.add(error)

    # ── implementations ──────────────────────────────────────────────────────────────────────────────────

    def implementation(self, item: tree.Implements) -> None:
        """What an implementation gives, and its obligations."""
        opaque = False
        try:
            implementation = self.elaborator.globals.read_implementation(item, self.file)
            # What is computed with at an undeclared type has no sort, but may well run.
            opaque = any(isinstance(each, Carrier) for each in implementation.instance.instance.arguments)
            for template in implementation.given.values():
                self._template(template, certain=not opaque)
            obligations_of(self.elaborator, implementation)
        except ElaborationError as error:
            self.add(error, "warning" if opaque else "error")
