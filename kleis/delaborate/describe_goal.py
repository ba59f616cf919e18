"""A goal as text of Kleis, or nearly so (`kleis show --meaning`).  See docs/reference/proving.md §1.

    proposition   the claim, with every name, coercion and instance written out; elaborating it again in the same
                  theory gives the same goal
    conditions    where parts of it have a value, as propositions
    the rest      what is assumed, what it depends on, how the source was elaborated

Invariants
    * `Elaborator.proposition` of `proposition_of` is the same claim, up to the names of variables.
    * A `Description` holds text only; its JSON keys are stable.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from kleis import core
from kleis.budget import deep
from kleis.core.goal import Goal, Instance, Obligation, Termination
from kleis.core.traversal import subterms
from kleis.definedness.conditions import Definedness, Need
from kleis.delaborate.print_terms import TermPrinter
from kleis.delaborate.print_types import type_of
from kleis.delaborate.printed_names import Names
from kleis.syntax import tree
from kleis.syntax.printer.program import print_declaration, print_expression, print_type
from kleis.theory.theory import Theory

__all__ = [
    "AxiomText",
    "ConditionText",
    "DefinitionText",
    "Description",
    "FreeText",
    "ObligationText",
    "OpenQuestionText",
    "OperationText",
    "ResolutionText",
    "conditions",
    "describe",
    "expression_of",
    "proposition_of",
    "type_of",
]


class FreeText(msgspec.Struct, frozen=True):
    """A free name and its type."""

    name: str
    type: str


class OperationText(msgspec.Struct, frozen=True):
    """A built-in operation: its declaration at the sorts found, and where it has a value (empty: everywhere).

    `incomplete` says that solvers only approximate it.
    """

    declaration: str
    condition: str
    incomplete: bool


class AxiomText(msgspec.Struct, frozen=True):
    """An axiom assumed.  `certain` says whether it is shown to be defined."""

    name: str
    proposition: str
    standing: str
    certain: bool
    place: str


class DefinitionText(msgspec.Struct, frozen=True):
    """A definition reached, and why it terminates (empty if it is not recursive)."""

    name: str
    text: str
    termination: str


class ResolutionText(msgspec.Struct, frozen=True):
    """How a piece of the source was elaborated."""

    kind: str
    source: str
    meaning: str
    line: int
    column: int


class ConditionText(msgspec.Struct, frozen=True):
    """Where a part has a value.

    `proposition` is empty where no formula says it.  `certain` says whether it was shown to hold.
    """

    kind: str
    subject: str
    proposition: str
    certain: bool


class ObligationText(msgspec.Struct, frozen=True):
    """A formula to prove before what depends on it may be used."""

    kind: str
    name: str
    subject: str
    proposition: str


class OpenQuestionText(msgspec.Struct, frozen=True):
    """Why no engine may decide the claim."""

    reason: str
    message: str


class Description(msgspec.Struct, frozen=True, kw_only=True):
    """A goal as text.  `proposition` is None in the question whether the declarations have a model."""

    proposition: str | None
    using: str | None
    free: tuple[FreeText, ...]
    operations: tuple[OperationText, ...]
    instances: tuple[str, ...]
    carriers: tuple[str, ...]
    symbols: tuple[str, ...]
    axioms: tuple[AxiomText, ...]
    definitions: tuple[DefinitionText, ...]
    data: tuple[tuple[str, ...], ...]
    readings: tuple[ResolutionText, ...]
    conditions: tuple[ConditionText, ...]
    obligations: tuple[ObligationText, ...]
    unsettled: tuple[OpenQuestionText, ...]
    warnings: tuple[dict[str, Any], ...]

    def as_dict(self) -> dict[str, Any]:
        """The fields as JSON values."""
        answer: dict[str, Any] = msgspec.to_builtins(self)
        return answer


@deep()
def expression_of(
    term: core.Term, names: Names | None = None, variables: Iterable[core.Variable] = ()
) -> tree.Expression:
    """A term as an expression; `variables` are bound around it."""
    return TermPrinter(names if names is not None else Names()).expression(term, variables)


@deep()
def proposition_of(goal: Goal, theory: Theory | None = None) -> tree.Expression | None:
    """The claim as a proposition that elaborates to the same claim in the same theory; None if there is no claim."""
    if goal.claim is None:
        return None
    names = Names(goal, theory)
    body = expression_of(goal.claim, names)
    return tree.Using(names.using, body) if names.using is not None else body


@deep()
def conditions(goal: Goal) -> tuple[Need, ...]:
    """The conditions on which the truth of the claim depends."""
    return Definedness(goal).needs(goal.claim) if goal.claim is not None else ()


@deep()
def describe(goal: Goal, theory: Theory, *, ascii: bool = False) -> Description:
    """A goal with everything it needs, as text."""
    return _Describer(goal, theory, ascii).description()


class _Describer:
    """Writes the parts of one goal."""

    def __init__(self, goal: Goal, theory: Theory, ascii: bool) -> None:
        self._goal = goal
        self._theory = theory
        self._ascii = ascii
        self._names = Names(goal, theory)
        self._definedness = Definedness(goal)

    def description(self) -> Description:
        goal, using = self._goal, self._names.using
        proposition = proposition_of(goal, self._theory)
        return Description(
            proposition=self._written(proposition) if proposition is not None else None,
            using=self._type_text(using) if using is not None else None,
            free=tuple(FreeText(each.name, self._type(each.sort)) for each in goal.free),
            operations=tuple(dict.fromkeys(self._operations())),
            instances=tuple(self._instance(each) for each in goal.instances),
            carriers=tuple(self._type(each) for each in goal.carriers),
            symbols=tuple(self._symbol(each) for each in goal.symbols),
            axioms=tuple(
                AxiomText(
                    each.name,
                    self._text(each.formula),
                    each.standing,
                    self._definedness.certain(each.formula),
                    str(each.place),
                )
                for each in goal.axioms
            ),
            definitions=tuple(self._definition(each) for each in goal.definitions),
            data=tuple(
                tuple(self._data(each.sort, each.constructors) for each in group) for group in goal.data
            ),
            readings=tuple(
                ResolutionText(each.kind, each.source, each.meaning, each.place.line, each.place.column)
                for each in goal.readings
            ),
            conditions=tuple(dict.fromkeys(self._conditions())),
            obligations=tuple(self._obligation(each) for each in goal.obligations),
            unsettled=tuple(OpenQuestionText(each.reason, each.message) for each in goal.unsettled),
            warnings=tuple(each.as_dict() for each in goal.warnings),
        )

    # ── Terms and types ──────────────────────────────────────────────────────────────────────────────────────

    def _written(self, expression: tree.Expression) -> str:
        return print_expression(expression, ascii=self._ascii)

    def _text(self, term: core.Term, variables: Iterable[core.Variable] = ()) -> str:
        return self._written(expression_of(term, self._names, variables))

    def _type_text(self, written: tree.TypeExpression) -> str:
        return print_type(written, ascii=self._ascii)

    def _type(self, sort: core.Sort) -> str:
        return self._type_text(self._type_of(sort))

    def _type_of(self, sort: core.Sort | core.Dimension) -> tree.TypeExpression:
        return type_of(sort, self._names.carriers)

    def _operations(self) -> Iterable[OperationText]:
        """The built-ins of the claim, each with the sorts it has there."""
        for each in subterms(self._goal.claim) if self._goal.claim is not None else ():
            if isinstance(each, core.BuiltinCall):
                operation, condition = each.operation, each.operation.condition
                domain = tuple(parameter.sort for parameter in operation.parameters)
                yield OperationText(
                    self._operation(operation.name, domain, operation.result),
                    self._text(condition, operation.parameters) if condition is not None else "",
                    operation.incomplete,
                )

    # ── What it is about ──────────────────────────────────────────────────────────────────────────────────────

    def _instance(self, instance: Instance) -> str:
        if not instance.arguments:
            return instance.structure
        arguments = [self._type_text(self._type_of(each)) for each in instance.arguments]
        return f"{instance.structure}({', '.join(arguments)})"

    def _symbol(self, symbol: core.Symbol) -> str:
        return self._operation(self._names.symbol(symbol), symbol.domain, symbol.codomain)

    def _operation(self, name: str, domain: tuple[core.Sort, ...], codomain: core.Sort) -> str:
        sort = core.FunctionOf(domain, codomain) if domain else codomain
        return self._declared(tree.OperationDeclaration(name, self._type_of(sort)))

    def _declared(
        self, declaration: tree.OperationDeclaration | tree.FunctionDefinition | tree.DataDefinition
    ) -> str:
        return print_declaration(declaration, ascii=self._ascii)

    def _definition(self, definition: core.Definition) -> DefinitionText:
        parameters = tuple(
            tree.Parameter(each.name, self._type_of(each.sort)) for each in definition.parameters
        )
        node = tree.FunctionDefinition(
            definition.name,
            parameters,
            self._type_of(definition.result),
            expression_of(definition.body, self._names, definition.parameters),
        )
        termination = self._goal.termination(definition.key)
        why = self._termination(termination, definition) if termination is not None else ""
        return DefinitionText(definition.key, self._declared(node), why)

    def _termination(self, termination: Termination, definition: core.Definition) -> str:
        match termination.kind:
            case "structural":
                names = [definition.parameters[place].name for place in termination.arguments]
                why = f"structural on {', '.join(names)}" if names else "structural"
            case "measure":
                shown = [self._text(each, definition.parameters) for each in termination.measures]
                why = f"decreases {', '.join(shown)}"
            case "unknown":
                why = f"not shown: {termination.reason}"
        if termination.condition is not None:
            why += f", where {self._text(termination.condition, definition.parameters)}"
        return why

    def _data(self, sort: core.DataSort, constructors: tuple[core.Constructor, ...]) -> str:
        variants = tuple(
            tree.Variant(
                each.name,
                tuple(
                    tree.VariantField(
                        None if field.name.startswith("_") else field.name,
                        self._type_of(field.sort),
                    )
                    for field in each.fields
                ),
            )
            for each in constructors
        )
        shown = self._declared(tree.DataDefinition("_", (), variants))
        return shown.replace("data _", f"data {self._type(sort)}", 1)

    # ── What it depends on ───────────────────────────────────────────────────────────────────────────────────

    def _conditions(self) -> Iterable[ConditionText]:
        if self._goal.claim is None:
            return
        for need in self._definedness.needs(self._goal.claim):
            proposition, certain = need.proposition, self._definedness.discharged(need)
            if (
                certain
                and isinstance(proposition, core.Term)
                and not any(isinstance(each, core.Variable) for each in subterms(proposition))
            ):
                continue  # as 2 ≠ 0: it adds nothing to the claim
            yield ConditionText(
                need.kind,
                self._text(need.subject, need.variables),
                self._text(proposition) if proposition is not None else "",
                certain,
            )

    def _obligation(self, obligation: Obligation) -> ObligationText:
        return ObligationText(
            obligation.kind, obligation.name, obligation.subject, self._text(obligation.formula)
        )
