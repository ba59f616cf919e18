"""Where a term has a value: the conditions of its partial operations, each with the path that leads to it.

`kleis show --meaning` lists the conditions, `kleis check` warns where an axiom is not shown to be defined. See
docs/reference/proving.md §4.2.

Why a path may be assumed.  A branch of `if` matters only where its condition has the right value.  In a ∧ b, where a
has a value and it is false, b does not matter, whatever it is; likewise for ∨ and →.  The truth of a ∧ b does not
depend on the order of the operands, so those without conditions are taken first.  If every condition holds where its
path is true, the whole has a value.

Invariants
    * `Need.condition` is None where no formula says when the value exists: a recursion not shown to terminate.
    * The needs of a definition that is called are those that its own paths do not discharge, at the arguments of the
      call.  For a recursive definition they are asked for once, at its parameters.
    * `discharged` answers True only where the condition is true whenever the path is; False means "not shown".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, TypeAlias

import msgspec

from kleis import core
from kleis.core.build_terms import at_least, condition_at, integer
from kleis.core.goal import Goal
from kleis.core.traversal import bound_by, free_variables, parts, substitute

__all__ = ["Definedness", "Need", "NeedKind"]

NeedKind: TypeAlias = Literal["operation", "narrowing", "selection", "match", "termination"]

_NEVER = core.LiteralTerm(False, core.BOOL)

_MOST = 400
"""The most needs that one definition passes to its callers; beyond that they are one need without a formula."""


class Need(msgspec.Struct, frozen=True):
    """A condition on which a value depends.

    variables
        What is bound around the place, outermost first.
    path
        The formulas that are true where the value matters.
    values
        The variables of `let` around the place, with their values.
    condition
        What must be true there; None if no formula says it.
    subject
        The term that may have no value.
    """

    kind: NeedKind
    variables: tuple[core.Variable, ...]
    path: tuple[core.Term, ...]
    condition: core.Term | None
    subject: core.Term
    values: tuple[tuple[core.Variable, core.Term], ...] = ()

    @property
    def proposition(self) -> core.Term | None:
        """The condition as a closed formula, if what is free in it is bound around it."""
        if self.condition is None:
            return None
        formula = self.condition
        for premise in reversed(self.path):
            formula = core.Connective("implies", (premise, formula))
        for variable, value in reversed(self.values):
            if any(each.name == variable.name for each in free_variables(formula)):
                formula = core.Connective("implies", (core.Equals(variable, value), formula))
        used = {variable.name for variable in free_variables(formula)}
        variables = tuple(each for each in self.variables if each.name in used)
        return core.Quantifier("forall", variables, formula) if variables else formula


class _Place(msgspec.Struct, frozen=True):
    """What is bound around a term, what is true there, and what `let` gives."""

    variables: tuple[core.Variable, ...] = ()
    path: tuple[core.Term, ...] = ()
    values: tuple[tuple[core.Variable, core.Term], ...] = ()

    def given(self, formula: core.Term) -> _Place:
        """The place where a formula is true besides."""
        return _Place(self.variables, (*self.path, formula), self.values)

    def under(self, variables: tuple[core.Variable, ...]) -> _Place:
        """The place with more variables bound."""
        return _Place((*self.variables, *variables), self.path, self.values) if variables else self

    def where(self, variable: core.Variable, value: core.Term) -> _Place:
        """The place in the body of a `let`."""
        return _Place((*self.variables, variable), self.path, (*self.values, (variable, value)))

    def need(self, kind: NeedKind, condition: core.Term | None, subject: core.Term) -> Need:
        """A need at this place."""
        return Need(kind, self.variables, self.path, condition, subject, self.values)


class Definedness:
    """The needs of terms, with the definitions of one goal."""

    def __init__(self, goal: Goal) -> None:
        self._goal = goal
        self._definitions = {each.key: each for each in goal.definitions}
        self._terminations = dict(goal.terminations)
        self._known: dict[str, tuple[Need, ...]] = {}
        self._open: set[str] = set()

    def needs(self, term: core.Term) -> tuple[Need, ...]:
        """The conditions on which the value of a term depends, in order of the text."""
        return tuple(self._needs(term, _Place()))

    def undischarged(self, term: core.Term) -> tuple[Need, ...]:
        """The needs that are not discharged."""
        return tuple(need for need in self.needs(term) if not self.discharged(need))

    def certain(self, term: core.Term) -> bool:
        """Whether a term is shown to have a value for all values of its variables."""
        return all(self.discharged(need) for need in self._needs(term, _Place()))

    def discharged(self, need: Need) -> bool:
        """Whether the condition follows from the path, as far as linear arithmetic and case distinction show."""
        from kleis.definedness.entailment import follows

        return need.condition is not None and follows(
            need.path,
            need.condition,
            self._goal,
            {variable.name: value for variable, value in need.values},
        )

    # ── Terms ────────────────────────────────────────────────────────────────────────────────────────────────

    def _needs(self, term: core.Term, place: _Place) -> Iterator[Need]:
        match term:
            case core.Connective(name="not"):
                yield from self._needs(term.arguments[0], place)
            case core.Connective():
                yield from self._connective(term, place)
            case core.Conditional(condition=condition, consequent=consequent, alternative=alternative):
                yield from self._needs(condition, place)
                yield from self._needs(consequent, place.given(condition))
                yield from self._needs(alternative, place.given(_not(condition)))
            case core.Let(variable=variable, value=value, body=body):
                yield from self._needs(value, place)
                yield from self._needs(body, place.where(variable, value))
            case _:
                inner = place.under(bound_by(term))
                for part in parts(term):
                    yield from self._needs(part, inner)
                yield from self._own(term, place)

    def _connective(self, term: core.Connective, place: _Place) -> Iterator[Need]:
        operands = list(enumerate(term.arguments))
        partial = {index for index, each in operands if self._is_partial(each)}
        for index, each in sorted(operands, key=lambda operand: operand[0] in partial):
            if index in partial:
                yield from self._needs(each, place)
            turned = term.name == "or" or (term.name == "implies" and index == 1)
            place = place.given(_not(each) if turned else each)

    def _is_partial(self, term: core.Term) -> bool:
        """Whether a term has needs."""
        return any(True for _ in self._own(term, _Place())) or any(map(self._is_partial, parts(term)))

    def _own(self, term: core.Term, place: _Place) -> Iterator[Need]:
        """What a term needs besides what its parts need."""
        match term:
            case core.BuiltinCall():
                condition = condition_at(term)
                if condition is not None:
                    yield place.need("operation", condition, term)
            case core.Narrowing(term=inner):
                yield place.need("narrowing", at_least(inner, integer(0)), term)
            case core.Selection(constructor=constructor, term=inner) if not constructor.alone:
                yield place.need("selection", core.Discrimination(constructor, inner), term)
            case core.Undefined():
                yield place.need("match", _NEVER, term)
            case core.DefinitionCall(definition=key):
                yield from self._called(key, term, place)
            case _:
                pass

    # ── Definitions ──────────────────────────────────────────────────────────────────────────────────────────

    def _called(self, key: str, call: core.DefinitionCall, place: _Place) -> Iterator[Need]:
        definition = self._definitions.get(key)
        if definition is None:
            return
        values = dict(zip([each.name for each in definition.parameters], call.arguments, strict=True))
        termination = self._terminations.get(key)
        if termination is not None and termination.kind == "unknown":
            yield place.need("termination", None, call)
            return
        if termination is not None and termination.condition is not None:
            yield place.need("termination", substitute(termination.condition, values), call)
        if key in self._open:
            return
        needs = self._of_definition(definition)
        if needs and (definition.group or any(need.condition is None for need in needs)):
            yield place.need(needs[0].kind, None, call)
        else:
            for need in needs:
                yield _at(need, values, place)

    def _of_definition(self, definition: core.Definition) -> tuple[Need, ...]:
        """The needs of a body that its own paths do not discharge; for a recursive group those of all its bodies."""
        known = self._known.get(definition.key)
        if known is not None:
            return known
        group = [
            self._definitions[key]
            for key in definition.group or (definition.key,)
            if key in self._definitions
        ]
        keys = {each.key for each in group}
        self._open |= keys
        try:
            found = [need for each in group for need in self._undischarged_in(each)]
        finally:
            self._open -= keys
        if len(found) > _MOST:
            found = [msgspec.structs.replace(found[0], condition=None)]
        for each in group:
            self._known[each.key] = tuple(found)
        return tuple(found)

    def _undischarged_in(self, definition: core.Definition) -> Iterator[Need]:
        termination = self._terminations.get(definition.key)
        start = (
            (termination.condition,) if termination is not None and termination.condition is not None else ()
        )
        for need in self._needs(definition.body, _Place(definition.parameters, start)):
            if not self.discharged(need):
                yield msgspec.structs.replace(need, path=need.path[len(start) :])


def _at(need: Need, values: Mapping[str, core.Term], place: _Place) -> Need:
    """A need of a definition at the arguments of a call."""
    renamed: dict[str, core.Term] = dict(values)
    taken = {each.name for each in place.variables}
    taken |= {each.name for value in values.values() for each in free_variables(value)}
    fresh: dict[str, core.Variable] = {}
    for each in need.variables:
        if each.name not in values:
            name = _free_name(each.name, taken)
            taken.add(name)
            renamed[each.name] = fresh[each.name] = core.Variable(name, each.sort)
    return Need(
        need.kind,
        (*place.variables, *fresh.values()),
        (*place.path, *(substitute(each, renamed) for each in need.path)),
        substitute(need.condition, renamed) if need.condition is not None else None,
        substitute(need.subject, renamed),
        (
            *place.values,
            *((fresh[variable.name], substitute(value, renamed)) for variable, value in need.values),
        ),
    )


def _free_name(name: str, taken: Iterable[str]) -> str:
    found, count = name, 0
    names = frozenset(taken)
    while found in names:
        count += 1
        found = f"{name}{count}"
    return found


def _not(formula: core.Term) -> core.Term:
    if isinstance(formula, core.Connective) and formula.name == "not":
        return formula.arguments[0]
    return core.Connective("not", (formula,))
