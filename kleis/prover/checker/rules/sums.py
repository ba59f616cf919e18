"""The rule `sums`: equations of sums over 1, …, n or 0, …, n, by induction on n.

    ∀(n : ℕ). Σ(0, n, λ i . 2ⁱ) = 2^(n + 1) − 1          both sides are equal at 0, and grow by the same from n to n + 1

See docs/reference/certificates.md §3.15.  With D(n) the difference of the sides, D(0) and D(n + 1) − D(n) have the form 0
(kleis/prover/checker/rules/normal_forms.py).  A sum up to n + c is an atom; one up to n + c + 1 is this atom and the last
summand.  What the forms ask for is shown for all n by an earlier step.

Invariants
    * No summand mentions n.  Hypotheses that do are left out, since the claim is shown for all n.
    * A sum begins so low that one summand is added at every step, and has a value because every summand has one.
"""

from __future__ import annotations

from collections.abc import Hashable

from kleis import core
from kleis.core.build_terms import conjunction
from kleis.core.goal import Goal
from kleis.core.traversal import canonical, free_variables, substitute
from kleis.prover.checker.format import Sums
from kleis.prover.checker.rules.identities import below, equations, hypotheses_of, not_said
from kleis.prover.checker.rules.matrix_forms import Matrices
from kleis.prover.checker.rules.normal_forms import Forms, Refined, is_number
from kleis.prover.checker.rules.polynomials import Form, Ring
from kleis.prover.checker.sequent import NotExpressible, RejectedError, Sequent
from kleis.prover.checker.write_terms import term_data

__all__ = ["STEPS", "asked_for_sums", "check_sums"]

STEPS = 1_000_000
_MOST_REFINEMENTS = 12
_MOST_SUMMANDS = 40


def check_sums(sequent: Sequent, proof: Sums, steps: int = STEPS) -> int:
    """The steps after which the claim was shown; `RejectedError` if it was not."""
    asked, used = asked_for_sums(sequent.goal, sequent.claim, proof.on, steps)
    if (asked is None) is not (not proof.given):
        raise RejectedError("what is given is not what the forms ask for")
    if asked is not None and term_data(canonical(sequent.premise(proof.given))) != term_data(
        canonical(asked)
    ):
        raise RejectedError("what is given is not what the forms ask for")
    return used


def asked_for_sums(goal: Goal, claim: core.Term, on: str, steps: int) -> tuple[core.Term | None, int]:
    """What has to be shown for all values, or None, and the steps; `RejectedError` where the induction fails."""
    binders, sides = equations(claim)
    variables = [each for part in binders if isinstance(part, tuple) for each in part]
    found = [each for each in variables if each.name == on]
    if [each.sort for each in found] != [core.NATURAL] or not all(
        is_number(each.left.sort) for each in sides
    ):
        raise RejectedError("no such natural number, or no equations of numbers")
    (n,) = found
    binders = [each for each in binders if isinstance(each, tuple) or n not in free_variables(each)]
    parts: dict[Hashable, int] = {}
    lowest: dict[Hashable, int] = {}
    left = steps
    for _ in range(_MOST_REFINEMENTS):
        ring = Ring(left)
        forms = Forms(goal, ring, parts)
        _Sums(forms, n, lowest)
        try:
            shown = _step(forms, n, sides)
            asked = list(forms.obligations)
        except Refined:
            left = ring.steps
            continue
        except NotExpressible as error:
            raise RejectedError(str(error)) from None
        if not shown:
            raise RejectedError("the sides do not agree at 0, or do not grow by the same")
        asked = not_said(asked, hypotheses_of(binders))
        return (below(binders, conjunction(asked)) if asked else None), steps - ring.steps
    raise RejectedError("sums up to too many ends")


def _step(forms: Forms, n: core.Variable, sides: list[core.Equals]) -> bool:
    """Whether every equation holds at 0, and from n to n + 1 if it does at n."""
    zero, one = core.LiteralTerm(0, core.NATURAL), core.LiteralTerm(1, core.NATURAL)
    parameters = (core.Variable("a", core.NATURAL), core.Variable("b", core.NATURAL))
    later = core.BuiltinCall(core.Operation("plus", parameters, core.NATURAL), (n, one))
    ring = forms.ring
    for each in sides:
        at = []
        for value in (zero, n, later):
            left, right = (forms.of(substitute(side, {n.name: value})) for side in (each.left, each.right))
            at.append(ring.plus(left, ring.negated(right)))
        nothing = forms.number(0)
        if not (ring.same(at[0], nothing) and ring.same(at[2], at[1])):
            return False
    return True


class _Sums:
    """Sums as forms.  `lowest` has the smallest c for which a sum up to n + c occurs; it is kept where all is repeated."""

    def __init__(self, forms: Forms, n: core.Variable, lowest: dict[Hashable, int]) -> None:
        self._forms = forms
        self._n = n
        self._lowest = lowest
        matrices = Matrices(forms)
        self._matrices = matrices.number
        forms.outside = self._form

    def _form(self, term: core.BuiltinCall) -> Form | None:
        if term.operation.name != "sum_bounds":
            return self._matrices(term)
        summand, first, last = term.arguments
        if not isinstance(summand, core.Lambda) or len(summand.variables) != 1 or not is_number(term.sort):
            return None
        low = self._forms.of(first).number
        if low is None or low.denominator != 1:
            raise NotExpressible("a sum that does not begin at a written number")
        high = self._forms.of(last)
        if high.number is not None:
            return self._written(summand, int(low), high)
        n = self._forms.of(self._n)
        offset = self._forms.ring.plus(high, self._forms.ring.negated(n)).number
        if offset is None or offset.denominator != 1 or self._n in free_variables(summand):
            return None
        key = ("sum", canonical(summand), int(low), term.sort)
        least = self._lowest.setdefault(key, int(offset))
        if offset < least:
            self._lowest[key] = int(offset)
            raise Refined
        if low > least + 1:
            raise NotExpressible("a sum that does not begin to grow at once")
        if offset - least > _MOST_SUMMANDS:
            raise NotExpressible("sums whose ends are far apart")
        found = self._forms.named(key)
        for place in range(least + 1, int(offset) + 1):
            found = self._forms.ring.plus(found, self._at(summand, _integer(self._n, place)))
        return found

    def _written(self, summand: core.Lambda, low: int, high: Form) -> Form:
        """A sum between written numbers."""
        last = high.number
        if last is None or last.denominator != 1 or last - low > _MOST_SUMMANDS:
            raise NotExpressible("a sum between other numbers")
        found = self._forms.number(0)
        for place in range(low, int(last) + 1):
            found = self._forms.ring.plus(found, self._at(summand, _integer(None, place)))
        return found

    def _at(self, summand: core.Lambda, place: core.Term) -> Form:
        (variable,) = summand.variables
        if variable.sort != core.INTEGER:
            raise NotExpressible("a summand of other numbers")
        return self._forms.of(substitute(summand.body, {variable.name: place}))


def _integer(variable: core.Variable | None, value: int) -> core.Term:
    """A written integer, or the sum of a natural number and one."""
    written: core.Term = core.LiteralTerm(abs(value), core.NATURAL)
    written = core.Coercion(written, core.INTEGER)
    a, b = core.Variable("a", core.INTEGER), core.Variable("b", core.INTEGER)
    if value < 0:
        written = core.BuiltinCall(core.Operation("negate", (a,), core.INTEGER), (written,))
    if variable is None:
        return written
    return core.BuiltinCall(
        core.Operation("plus", (a, b), core.INTEGER), (core.Coercion(variable, core.INTEGER), written)
    )
