"""The formulas that a ranking must make true, as obligations for the prover.

Invariants
    * An obligation is closed, binds no name twice on a path, and does not mention the group it is about: the
      value of a call within a call is any value of its sort.
    * Obligations are implications.  They are to be *true* (not only "not false"): an undefined premise or an
      undefined measure proves nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kleis import core
from kleis.core.build_terms import as_number, at_arguments, at_least, conjunction, integer, less
from kleis.core.traversal import bound_by, free_variables, rebuild, substitute, subterms
from kleis.termination.recursive_calls import Bound, Call

__all__ = ["obligation", "without_symbols"]


def obligation(
    call: Call,
    group: Collection[str],
    conditions: Sequence[core.Term],
    *,
    before: Sequence[core.Term] = (),
    after: Sequence[core.Term] = (),
    preserved: Sequence[core.Term] = (),
) -> core.Term:
    """The closed formula of one call.

    Under the path and the caller's `conditions`: the measures `after` (over the callee's parameters) at the
    arguments are lexicographically less than `before`, which is bounded where it decreases; if there are none,
    `preserved` (over the callee's parameters) hold of the arguments.
    """
    abstracted = _Abstracted(call, frozenset(group))
    premises = [*conditions, *abstracted.premises]
    values = [
        as_number(at_arguments(each, call.callee, abstracted.arguments), core.INTEGER) for each in after
    ]
    if before:
        goal = _decrease(values, [as_number(each, core.INTEGER) for each in before])
    else:
        goal = conjunction(at_arguments(each, call.callee, abstracted.arguments) for each in preserved)
    formula = core.Connective("implies", (conjunction(premises), goal)) if premises else goal
    return _closed(formula)


def _decrease(after: Sequence[core.Term], before: Sequence[core.Term]) -> core.Term:
    ways = []
    for index, (new, old) in enumerate(zip(after, before, strict=True)):
        kept = [at_least(before[earlier], after[earlier]) for earlier in range(index)]
        ways.append(conjunction([*kept, less(new, old), at_least(old, integer(0))]))
    return ways[0] if len(ways) == 1 else core.Connective("or", tuple(ways))


class _Abstracted:
    """The premises of a call and its arguments, without calls of the group.

    An argument that is narrowed to ℕ becomes a variable over ℕ with a premise: the call happens only where the
    integer is one.
    """

    def __init__(self, call: Call, group: frozenset[str]) -> None:
        self._group = group
        self._taken = _names(call)
        self._replaced: dict[core.Term, core.Variable] = {}
        self.premises: list[core.Term] = []
        for step in call.path:
            if isinstance(step, Bound):
                self._suppose(core.Equals(step.variable, step.value))
            else:
                self._suppose(step.formula if step.holds else core.Connective("not", (step.formula,)))
        self.arguments = tuple(self._argument(each) for each in call.arguments)

    def _suppose(self, premise: core.Term) -> None:
        abstracted = self._without_group(premise)
        if not self._mentions(abstracted):
            self.premises.append(abstracted)

    def _argument(self, argument: core.Term) -> core.Term:
        abstracted = self._without_group(argument)
        if self._mentions(abstracted):
            return self._fresh(argument)
        if not isinstance(abstracted, core.Narrowing):
            return abstracted
        narrowed = self._fresh(abstracted)
        whole = as_number(abstracted.term, core.INTEGER)
        self.premises.append(core.Equals(core.Coercion(narrowed, core.INTEGER), whole))
        return narrowed

    def _mentions(self, term: core.Term) -> bool:
        return any(
            isinstance(each, core.DefinitionCall) and each.definition in self._group
            for each in subterms(term)
        )

    def _without_group(self, term: core.Term, bound: frozenset[str] = frozenset()) -> core.Term:
        """The term with calls of the group replaced by variables, except where they depend on what it binds."""
        if isinstance(term, core.DefinitionCall) and term.definition in self._group:
            if bound.isdisjoint(each.name for each in free_variables(term)):
                return self._fresh(term)
            return term
        inner = bound | {variable.name for variable in bound_by(term)}
        return rebuild(term, lambda part: self._without_group(part, inner))

    def _fresh(self, term: core.Term) -> core.Variable:
        known = self._replaced.get(term)
        if known is None:
            name = _unused("k" if term.sort == core.NATURAL else "r", self._taken)
            known = self._replaced[term] = core.Variable(name, term.sort)
        return known


def _names(call: Call) -> set[str]:
    """Every name that a call's formulas may use."""
    terms: list[core.Term] = [*call.arguments, call.caller.body]
    names = {variable.name for variable in (*call.caller.parameters, *call.callee.parameters)}
    for each in subterms(*terms):
        names |= {variable.name for variable in bound_by(each)}
        if isinstance(each, core.Variable):
            names.add(each.name)
    return names


def _closed(formula: core.Term) -> core.Term:
    """∀ over everything free, renamed where the formula binds the same name further in."""
    free = free_variables(formula)
    inner = {variable.name for each in subterms(formula) for variable in bound_by(each)}
    taken = inner | {variable.name for variable in free}
    renamed: dict[str, core.Term] = {}
    variables = []
    for variable in free:
        new = variable
        if variable.name in inner:
            new = core.Variable(_unused(variable.name, taken), variable.sort)
            renamed[variable.name] = new
        variables.append(new)
    body = substitute(formula, renamed) if renamed else formula
    return core.Quantifier("forall", tuple(variables), body) if variables else body


def _unused(stem: str, taken: set[str]) -> str:
    """A new name, which is taken from now on."""
    number = 1
    while f"{stem}{number}" in taken:
        number += 1
    taken.add(f"{stem}{number}")
    return f"{stem}{number}"


def without_symbols(formula: core.Term) -> core.Term:
    """An obligation without the premises that mention symbols."""
    if isinstance(formula, core.Quantifier):
        return core.Quantifier(formula.kind, formula.variables, without_symbols(formula.body))
    if not isinstance(formula, core.Connective) or formula.name != "implies":
        return formula
    premise, goal = formula.arguments
    all_of = (
        premise.arguments if isinstance(premise, core.Connective) and premise.name == "and" else (premise,)
    )
    kept = [each for each in all_of if not any(isinstance(part, core.SymbolCall) for part in subterms(each))]
    return core.Connective("implies", (conjunction(kept), goal))
