"""Lemmas that a stuck induction needs: its step, with the hypothesis used and the obstacle generalised.

The step of ``len(isort(l)) = len(l)`` is ``len(insort(h, isort(t))) = 1 + len(t)``, and the hypothesis says that
``len(t)`` is ``len(isort(t))``.  With that, and with any list in place of ``isort(t)``, the missing lemma is

    len(insort(h, s)) = 1 + len(s)

This is the way of Boyer and Moore: cross-fertilise, then generalise.  Nothing here is known to hold: small values refute
most wrong candidates, and induction has to prove the others.

Invariant: `speculated` depends on goal and claim alone, so a proof can name a candidate by its number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from kleis import core
from kleis.core.goal import Goal
from kleis.core.traversal import bound_by, canonical, free_variables, rebuild, substitute, subterms
from kleis.prover.engines.induction.schemes import InductionGoal, Scheme, goal_of, obligations, schemes
from kleis.prover.engines.induction.unfolding import Unfolding, matches

__all__ = ["speculated"]

_MOST = 24
"""The number of candidates for one claim."""

_LARGEST = 60
"""Larger candidates are no easier than the claim."""


def speculated(context: Goal, claim: core.Term) -> tuple[core.Term, ...]:
    """Closed formulas that the inductions on a claim would need, the most general first."""
    goal = goal_of(claim)
    unfolding = Unfolding(context)
    found: dict[core.Term, None] = {}
    for scheme in schemes(goal, (0,)):
        if scheme.steps:
            continue  # steps over integers are left to arithmetic
        for each in _of_scheme(context, goal, scheme, unfolding):
            closed = _closed(each)
            if closed is not None and closed != canonical(claim):
                found.setdefault(closed)
    return tuple(sorted(found, key=_size))[:_MOST]


def _of_scheme(
    context: Goal, goal: InductionGoal, scheme: Scheme, unfolding: Unfolding
) -> Iterator[core.Term]:
    """Formulas over variables, and over the constants of the induction."""
    for _, step in obligations(context, goal, scheme):
        constants = step.parts[len(goal.parts) :]
        hypotheses = step.hypotheses[len(goal.hypotheses) :]
        if not hypotheses:
            continue
        known = [_hypothesis(_with_variables(each, constants), unfolding) for each in hypotheses]
        body = unfolding.of(_with_variables(step.body, constants))
        for stuck in _branches(body):
            for used in _fertilised(stuck, known):
                yield from _generalised(used)


class _Hypothesis(msgspec.Struct, frozen=True):
    """What is known of the parts: a formula for all values of the other variables."""

    names: frozenset[str]
    formula: core.Term


def _hypothesis(term: core.Term, unfolding: Unfolding) -> _Hypothesis:
    if isinstance(term, core.Quantifier):
        return _Hypothesis(frozenset(each.name for each in term.variables), unfolding.of(term.body))
    return _Hypothesis(frozenset(), unfolding.of(term))


def _branches(body: core.Term) -> Iterator[core.Term]:
    """The goal, and the conclusion of an outermost implication."""
    yield body
    if isinstance(body, core.Connective) and body.name == "implies":
        yield body.arguments[1]


# ── Using the hypothesis ─────────────────────────────────────────────────────────────────────────────────────


def _fertilised(goal: core.Term, hypotheses: Sequence[_Hypothesis]) -> Iterator[core.Term]:
    """The goal with one side of a hypothesis in place of the other, or as a consequence of it."""
    equations = [each for each in hypotheses if isinstance(each.formula, core.Equals)]
    for old, new in (("right", "left"), ("left", "right")):
        used = goal
        for each in equations:
            used = _rewritten(used, each.names, getattr(each.formula, old), getattr(each.formula, new), old)
        if used != goal:
            yield used
    others = tuple(each.formula for each in hypotheses if not isinstance(each.formula, core.Equals))
    if others:
        premise = others[0] if len(others) == 1 else core.Connective("and", others)
        yield core.Connective("implies", (premise, goal))
    else:
        yield goal


def _rewritten(
    goal: core.Term, names: frozenset[str], old: core.Term, new: core.Term, side: str
) -> core.Term:
    """The goal with `new` in the first place that `old` matches; in an equation on one side alone."""
    if isinstance(goal, core.Equals):
        part = goal.left if side == "left" else goal.right
        changed = _first_rewritten(part, names, old, new)
        return core.Equals(changed, goal.right) if side == "left" else core.Equals(goal.left, changed)
    return goal if isinstance(old, core.Variable) else _first_rewritten(goal, names, old, new)


def _first_rewritten(term: core.Term, names: frozenset[str], old: core.Term, new: core.Term) -> core.Term:
    if isinstance(old, core.LiteralTerm) or (isinstance(old, core.Variable) and old.name in names):
        return term
    for each in subterms(term):
        found: dict[str, core.Term] = {}
        if matches(old, each, names, found):
            instance = substitute(new, found)
            if all(variable.name in found or variable.name not in names for variable in free_variables(new)):
                return _replaced(term, each, instance)
    return term


def _replaced(term: core.Term, old: core.Term, new: core.Term) -> core.Term:
    if term == old:
        return new
    return rebuild(term, lambda part: _replaced(part, old, new))


# ── Generalising ─────────────────────────────────────────────────────────────────────────────────────────────


def _generalised(formula: core.Term) -> Iterator[core.Term]:
    """The formula as it is, and with a variable for a call that occurs more than once or within another call."""
    for call in dict.fromkeys(_calls(formula)):
        free = {each.name for each in free_variables(formula)}
        if not {each.name for each in free_variables(call)} <= free:
            continue
        if call.sort == core.BOOL:
            continue
        general = _replaced(formula, call, core.Variable("s", call.sort))
        if any(_calls(general)):
            yield general
            for second in dict.fromkeys(_calls(general)):
                if second.sort != core.BOOL and _within_call(general, second):
                    yield _replaced(general, second, core.Variable("r", second.sort))
    yield formula


def _calls(term: core.Term) -> Iterator[core.DefinitionCall]:
    """The calls in a term without variables that are bound within it."""
    if bound_by(term):
        return
    if isinstance(term, core.DefinitionCall):
        yield term
    for part in _parts(term):
        yield from _calls(part)


def _parts(term: core.Term) -> list[core.Term]:
    found: list[core.Term] = []

    def note(part: core.Term) -> core.Term:
        found.append(part)
        return part

    rebuild(term, note)
    return found


def _within_call(formula: core.Term, call: core.DefinitionCall) -> bool:
    return any(isinstance(each, core.DefinitionCall) and call in each.arguments for each in subterms(formula))


# ── Closing ──────────────────────────────────────────────────────────────────────────────────────────────────


def _with_variables(term: core.Term, constants: Sequence[core.Symbol]) -> core.Term:
    """The term with variables for the constants of an induction."""
    names = {each: core.Variable(f"c{place}", each.codomain) for place, each in enumerate(constants)}

    def change(each: core.Term) -> core.Term:
        if isinstance(each, core.SymbolCall) and each.symbol in names:
            return names[each.symbol]
        return rebuild(each, change)

    return change(term)


def _closed(formula: core.Term) -> core.Term | None:
    """The formula for all values of its variables; None if it is trivial."""
    if isinstance(formula, core.LiteralTerm) or (
        isinstance(formula, core.Equals) and formula.left == formula.right
    ):
        return None
    if _size(formula) > _LARGEST or not any(
        isinstance(each, core.DefinitionCall) for each in subterms(formula)
    ):
        return None
    variables = free_variables(formula)
    if not variables:
        return None
    return canonical(core.Quantifier("forall", variables, formula))


def _size(term: core.Term) -> int:
    return sum(1 for _ in subterms(term))
