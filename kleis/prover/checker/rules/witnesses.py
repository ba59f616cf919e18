"""Claims with terms in the place of their ∃, for the rule `ask`.

    ∀a b d. (∃k. a = d·k) ∧ (∃m. b = d·m) → (∃j. a + b = d·j)      at j = k + m is
    ∀a b d k m. a = d·k ∧ b = d·m → a + b = d·(k + m)

See docs/reference/certificates.md §3.2.

Why it is sound
    Where the second formula is true everywhere, so is the claim: at some k and m either the conclusion is true, and then
    its ∃ is; or at all k and m one of the hypotheses is false, and then the ∃ of one of them is.  Terms have the variable's
    sort, and are made of operations that have a value everywhere; functions are given by cases of such terms.  Quotients and
    remainders have values where divisors are not 0: that they are not becomes a part of the conclusion, so where it is true
    the term has a value.  Definitions are unfolded first, where that loses nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeGuard

from kleis import core
from kleis.core.build_terms import condition_at, conjunction
from kleis.core.goal import Goal
from kleis.core.traversal import apart_from, substitute, subterms
from kleis.prover.checker.rules.unfolding import Unfolding
from kleis.prover.checker.sequent import NotExpressible, RejectedError

__all__ = ["Opened", "at_witnesses", "is_total", "with_existentials_opened"]

_TOTAL = frozenset({"plus", "minus", "times", "negate", "abs", "min", "max", "floor", "ceil"})

_PARTIAL = frozenset({"divide", "div", "mod"})

_NUMBERS = (core.NATURAL, core.INTEGER, core.RATIONAL, core.REAL)

_MOST_PARTS = 20_000
"""Claims that unfold to more parts stay as they are."""


class Opened(NamedTuple):
    """A claim taken apart: ∀ variables, those of ∃ in hypotheses included, the hypotheses, and the conclusion."""

    variables: tuple[core.Variable, ...]
    hypotheses: tuple[core.Term, ...]
    conclusion: core.Term

    @property
    def wanted(self) -> tuple[core.Variable, ...]:
        """The variables of the ∃ with which the conclusion begins."""
        found: list[core.Variable] = []
        rest = self.conclusion
        while isinstance(rest, core.Quantifier) and rest.kind == "exists":
            found += rest.variables
            rest = rest.body
        return tuple(found)


def with_existentials_opened(goal: Goal, claim: core.Term) -> Opened:
    """The parts of a claim; bound variables are renamed where they would meet."""
    claim = _unfolded(goal, claim)
    variables: list[core.Variable] = []
    hypotheses: list[core.Term] = []
    taken: set[str] = set()

    def bind(quantified: core.Term) -> core.Term:
        renamed = apart_from(quantified, taken)
        assert isinstance(renamed, core.Quantifier), "renaming changes no form"
        variables.extend(renamed.variables)
        taken.update(each.name for each in renamed.variables)
        return renamed.body

    def assume(formula: core.Term) -> None:
        match formula:
            case core.Quantifier(kind="exists"):
                assume(bind(formula))
            case core.Connective(name="and", arguments=arguments):
                for each in arguments:
                    assume(each)
            case _:
                hypotheses.append(formula)

    while True:
        match claim:
            case core.Quantifier(kind="forall"):
                claim = bind(claim)
            case core.Connective(name="implies", arguments=(hypothesis, rest)):
                assume(hypothesis)
                claim = rest
            case _:
                return Opened(tuple(variables), tuple(hypotheses), apart_from(claim, taken))


def _unfolded(goal: Goal, claim: core.Term) -> core.Term:
    left = _MOST_PARTS

    def charge() -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise NotExpressible("a claim that unfolds to too many parts")

    try:
        return Unfolding(goal, charge)(claim)
    except NotExpressible:
        return claim


def at_witnesses(opened: Opened, terms: Sequence[core.Term]) -> core.Term:
    """The formula with terms for the first variables of the conclusion's ∃; `RejectedError` where they do not fit."""
    conclusion = opened.conclusion
    asked: list[core.Term] = []
    rest = list(terms)
    while rest:
        if not (isinstance(conclusion, core.Quantifier) and conclusion.kind == "exists"):
            raise RejectedError("more witnesses than the conclusion has ∃")
        bound, left = conclusion.variables[: len(rest)], conclusion.variables[len(rest) :]
        if len({each.name for each in conclusion.variables}) < len(conclusion.variables):
            raise RejectedError("an ∃ that binds a name twice")
        values = dict(zip((each.name for each in bound), rest, strict=False))
        for variable, term in zip(bound, rest, strict=False):
            if term.sort != variable.sort or not _is_value(term):
                raise RejectedError(f"no value for {variable.name} that is known to exist")
            asked += _conditions(term)
        body = core.Quantifier("exists", left, conclusion.body) if left else conclusion.body
        conclusion = substitute(body, values)
        rest = rest[len(bound) :]
    if asked:
        conclusion = conjunction((*asked, conclusion))
    for hypothesis in reversed(opened.hypotheses):
        conclusion = core.Connective("implies", (hypothesis, conclusion))
    return core.Quantifier("forall", opened.variables, conclusion) if opened.variables else conclusion


def _is_value(term: core.Term) -> bool:
    """Whether a term is a number, or a function of numbers, by cases of numbers that have a value everywhere."""
    if not isinstance(term, core.Lambda):
        return term.sort in _NUMBERS and all(
            _is_total_here(each) or _is_partial(each) for each in subterms(term)
        )
    body = term.body
    while isinstance(body, core.Conditional):
        test = body.condition
        if not (isinstance(test, core.Equals) and _is_number(test.left) and _is_number(test.right)):
            return False
        if not _is_number(body.consequent) or body.alternative.sort != body.consequent.sort:
            return False
        body = body.alternative
    return _is_number(body) and all(each.sort in _NUMBERS for each in term.variables)


def _conditions(term: core.Term) -> list[core.Term]:
    """What has to be true for a number to have a value."""
    found: list[core.Term] = []
    for each in subterms(term):
        if _is_partial(each):
            condition = condition_at(each)
            if condition is None:
                raise RejectedError("a quotient without its condition")
            found.append(condition)
    return found


def _is_partial(term: core.Term) -> TypeGuard[core.BuiltinCall]:
    """Whether a term is a quotient or a remainder of numbers."""
    partial = isinstance(term, core.BuiltinCall) and term.operation.name in _PARTIAL
    return partial and term.sort in _NUMBERS


def _is_number(term: core.Term) -> bool:
    return term.sort in _NUMBERS and is_total(term)


def is_total(term: core.Term) -> bool:
    """Whether a term is made of variables, numbers and operations that have a value everywhere."""
    return all(map(_is_total_here, subterms(term)))


def _is_total_here(term: core.Term) -> bool:
    match term:
        case core.Variable(sort=sort) | core.LiteralTerm(sort=sort) | core.Coercion(sort=sort):
            return sort in _NUMBERS
        case core.BuiltinCall(operation=operation):
            return operation.name in _TOTAL and term.sort in _NUMBERS
        case _:
            return False
