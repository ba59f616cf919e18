"""The engines `identities` and `laws`.

See docs/reference/proving.md §7.21, §7.22.  `identities` asks the checker's rule whether both sides of an equation are
one quotient of polynomials; `laws` puts instances of the laws of built-ins beside the claim and asks a solver.  What an
identity depends on, such as x > 0, is proved as `laws` does.

Invariants
    * No axiom is used by `identities`; `laws` uses them only where the laws alone do not suffice.
    * The proof is written as the steps of a certificate, which the checker's rules judge.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import msgspec

from kleis import core
from kleis.builtins.laws import LAWS as LAWS_OF_BUILTINS
from kleis.core.goal import Goal
from kleis.core.traversal import canonical, subterms
from kleis.decoding import decode_json
from kleis.prover.checker.format import Identity, Law, Proof, Step, Sums
from kleis.prover.checker.read_terms import operation_at
from kleis.prover.checker.rules.identities import asked_for, equations
from kleis.prover.checker.rules.laws import law
from kleis.prover.checker.rules.list_forms import is_of_lists
from kleis.prover.checker.rules.matrix_forms import is_matrix
from kleis.prover.checker.rules.normal_forms import is_number
from kleis.prover.checker.rules.sums import asked_for_sums
from kleis.prover.checker.sequent import RejectedError
from kleis.prover.checker.write_terms import UnwritableError, term_data
from kleis.prover.engines.laws.instances import instances_for, mentions_functions
from kleis.prover.engines.laws.proofs import Found, proof_by_laws
from kleis.prover.protocol.engine import Answer, Task

__all__ = ["IDENTITIES", "LAWS", "SUMS", "Identities", "Laws", "SumsByInduction", "steps_of"]

_PROOF = "steps"

_MOST_AXIOMS = 12

_WITHOUT_LAWS = 150_000
"""Steps where no law has an instance at the terms of a claim: `z3` was asked the same before, with more of them."""


class Identities:
    """The engine `identities`.  Its steps are those of the rule, then the solver's."""

    name = "identities"

    def applies(self, task: Task) -> bool:
        """To equations of numbers, of matrices, or of lists that are written out, under ∀ and hypotheses, that solvers alone know too little of."""
        claim = task.goal.claim
        if claim is None or task.goal.unsettled:
            return False
        try:
            equations(claim)
        except RejectedError:
            return False
        terms = (claim, *(each.body for each in task.goal.definitions))
        if any(_is_of_matrices(each) or _is_inverse(each) for each in subterms(*terms)):
            return True
        if mentions_functions(*terms):
            return True
        return any(isinstance(each, core.Construction) and is_of_lists(each.sort) for each in subterms(claim))

    def run(self, task: Task, steps: int) -> Answer:
        """Compare the sides, then prove what that asks for."""
        claim = task.goal.claim
        assert claim is not None
        try:
            asked, used = asked_for(task.goal, claim, steps)
        except RejectedError as error:
            return Answer(outcome="silent", reason="incomplete", detail=str(error))
        return _resting_on(task.goal, asked, Identity, "one form", used, steps)


def _is_of_matrices(term: core.Term) -> bool:
    """Whether a term is a matrix, or a number that is computed from one."""
    computed = isinstance(term, core.BuiltinCall) and term.operation.name in ("det", "trace", "matrix_get")
    return computed or is_matrix(term.sort)


def _is_inverse(term: core.Term) -> bool:
    """Whether a term is an inverse circular or hyperbolic function of something."""
    return isinstance(term, core.BuiltinCall) and term.operation.name in _INVERSE


_INVERSE = frozenset({"asin", "acos", "atan", "asinh", "acosh", "atanh"})


class SumsByInduction:
    """The engine `sums`: equations of sums up to a natural number.  Its steps are those of the rule, then the solver's."""

    name = "sums"

    def applies(self, task: Task) -> bool:
        """To equations of numbers with sums over intervals."""
        claim = task.goal.claim
        if claim is None or task.goal.unsettled or not any(map(_is_sum, subterms(claim))):
            return False
        try:
            _, sides = equations(claim)
        except RejectedError:
            return False
        return all(is_number(each.left.sort) for each in sides)

    def run(self, task: Task, steps: int) -> Answer:
        """Every natural number of the outermost ∀ in turn."""
        claim = task.goal.claim
        assert claim is not None
        binders, _ = equations(claim)
        why, used = "no natural number", 0
        for variable in (each for part in binders if isinstance(part, tuple) for each in part):
            if variable.sort != core.NATURAL:
                continue
            try:
                asked, taken = asked_for_sums(task.goal, claim, variable.name, steps - used)
            except RejectedError as error:
                why = str(error)
                continue
            used += taken
            rule = partial(Sums, variable.name)
            answer = _resting_on(task.goal, asked, rule, f"induction on {variable.name}", used, steps)
            if answer.outcome == "proved":
                return answer
            why = answer.detail
        return Answer(outcome="silent", reason="incomplete", detail=why, steps=used)


def _is_sum(term: core.Term) -> bool:
    return isinstance(term, core.BuiltinCall) and term.operation.name == "sum_bounds"


def _resting_on(
    goal: Goal, asked: core.Term | None, rule: Callable[[str], Proof], detail: str, used: int, steps: int
) -> Answer:
    """The answer by a rule, after a proof of what it asks for."""
    if asked is None:
        return _proved(Found((Step(rule("")),), used), detail)
    try:
        found = proof_by_laws(goal, asked, (), max(1, steps - used), operation_at())
        if not found.steps:
            return Answer(
                outcome="silent", reason="incomplete", detail="what it depends on is not shown", steps=steps
            )
        last = msgspec.structs.replace(found.steps[-1], shows=term_data(asked))
    except UnwritableError as error:
        return Answer(outcome="silent", reason="incomplete", detail=str(error), steps=used)
    whole = (*found.steps[:-1], last, Step(rule(f"step {len(found.steps)}")))
    return _proved(Found(whole, used + found.used), f"{detail}, where both sides have a value")


class Laws:
    """The engine `laws`.  Its steps are the solver's."""

    name = "laws"

    def applies(self, task: Task) -> bool:
        """To claims that mention functions which laws are about."""
        goal = task.goal
        if goal.claim is None or goal.unsettled:
            return False
        return mentions_functions(goal.claim, *(each.body for each in goal.definitions))

    def run(self, task: Task, steps: int) -> Answer:
        """Ask with the laws alone, then with the axioms too."""
        goal = task.goal
        assert goal.claim is not None
        name = self._same_law(goal.claim)
        if name is not None:
            return _proved(Found((Step(Law(name)),), 1), f"the law {name}")
        if not instances_for(goal.claim, bounds=True):
            steps = min(steps, _WITHOUT_LAWS)
        axioms = tuple(each.name for each in goal.axioms)
        ways: list[tuple[tuple[str, ...], bool]] = [((), False), ((), True)]
        if 0 < len(axioms) <= _MOST_AXIOMS:
            ways.append((axioms, True))
        used = 0
        for given, bounds in ways:
            try:
                found = proof_by_laws(
                    goal, goal.claim, given, steps // len(ways), operation_at(), bounds=bounds
                )
            except UnwritableError as error:
                return Answer(outcome="silent", reason="incomplete", detail=str(error), steps=used)
            used += found.used
            if found.steps:
                detail = f"by {', '.join(found.laws)}" if found.laws else "without a law"
                return _proved(msgspec.structs.replace(found, used=used), detail, given)
        return Answer(outcome="silent", reason="resource", detail="the laws do not show it", steps=used)

    def _same_law(self, claim: core.Term) -> str | None:
        """The law that a claim is, word for word."""
        data = term_data(canonical(claim))
        return next((name for name in LAWS_OF_BUILTINS if term_data(canonical(law(name))) == data), None)


IDENTITIES = Identities()
SUMS = SumsByInduction()
LAWS = Laws()


def _proved(found: Found, detail: str, given: tuple[str, ...] = ()) -> Answer:
    proof = ((_PROOF, msgspec.json.encode(found.steps).decode()),)
    return Answer(outcome="proved", core=given, steps=found.used, detail=detail, proof=proof)


def steps_of(answer: Answer) -> tuple[Step, ...]:
    """The steps that one of these engines left."""
    return decode_json(dict(answer.proof)[_PROOF], tuple[Step, ...])
