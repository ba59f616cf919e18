"""The engine `remainders`: claims that depend on integers only by remainders, tried at all of these.

See docs/reference/proving.md §7.23.  The decision is the rule of the checker (`kleis.prover.checker.rules.remainders`).  A
claim that denies equations of integers is tried with congruences in their place, by one number after the other: x³ + y³ + z³
is never 4, since it never leaves 4 when divided by 9.
"""

from __future__ import annotations

import msgspec

from kleis import core
from kleis.core.build_terms import as_number, difference, integer
from kleis.core.traversal import subterms
from kleis.prover.checker.format import Ask, Instance, Remainders, Step
from kleis.prover.checker.read_terms import Vocabulary, operation_at
from kleis.prover.checker.rules.ask import ask
from kleis.prover.checker.rules.remainders import check_remainders
from kleis.prover.checker.rules.whole_numbers import WHOLE, written_number
from kleis.prover.checker.sequent import CheckError, RejectedError, Sequent
from kleis.prover.checker.translation.script import outermost
from kleis.prover.checker.write_terms import UnwritableError, term_data
from kleis.prover.protocol.engine import Answer, Task

__all__ = ["REMAINDERS"]

_MODULI = (3, 4, 5, 7, 8, 9, 11, 13, 16)

_CASES = 30_000
"""Steps for the cases of one number that the claim does not mention."""

_GREATEST = 64
"""Numbers that the claim mentions are tried up to this one."""

_QUESTION = 100_000
"""Steps in which a solver is to see that equal numbers leave the same."""


class RemaindersOfIntegers:
    """The engine.  Its steps are those of the rule."""

    name = "remainders"

    def applies(self, task: Task) -> bool:
        """To universal claims that mention remainders, or deny equations of integers."""
        claim = task.goal.claim
        if not isinstance(claim, core.Quantifier) or claim.kind != "forall":
            return False
        remainders = any(
            isinstance(each, core.BuiltinCall) and each.operation.name == "mod" for each in subterms(claim)
        )
        return remainders or _congruent(claim, 2) != claim

    def run(self, task: Task, steps: int) -> Answer:
        """Try all cases; then those of the claim with congruences."""
        claim = task.goal.claim
        assert claim is not None
        try:
            used = check_remainders(Sequent(task.goal, (), claim), steps)
        except RejectedError as error:
            why = str(error)
        else:
            return Answer(outcome="proved", steps=used, detail="true in all cases")
        found = self._by_congruences(task, claim, steps)
        return found or Answer(outcome="silent", reason="incomplete", detail=why)

    def _by_congruences(self, task: Task, claim: core.Term, steps: int) -> Answer | None:
        mentioned = _mentioned(claim)
        for modulus in (*mentioned, *(each for each in _MODULI if each not in mentioned)):
            stronger = _congruent(claim, modulus)
            if stronger == claim:
                return None
            most = steps if modulus in mentioned else min(_CASES, steps)
            try:
                used = check_remainders(Sequent(task.goal, (), stronger), most)
            except RejectedError:
                continue
            try:
                variables = tuple(map(term_data, outermost(claim)[0]))
                question = Ask((), (Instance("step 1", variables),))
                sequent = Sequent(task.goal, (("step 1", stronger),), claim)
                used += ask(
                    sequent, question, Vocabulary(task.goal, operation_at()), ("z3",), _QUESTION
                ).steps
                proof = (Step(Remainders(), term_data(stronger)), Step(question))
            except (CheckError, UnwritableError):
                return None
            written = (("steps", msgspec.json.encode(proof).decode()),)
            return Answer(outcome="proved", steps=used, detail=f"modulo {modulus}", proof=written)
        return None


REMAINDERS = RemaindersOfIntegers()


def _mentioned(claim: core.Term) -> tuple[int, ...]:
    """The numbers of the claim that can be divisors, largest first: a multiple tells apart what its factors do."""
    numbers = {written_number(each) for each in subterms(claim)}
    return tuple(sorted((each for each in numbers if each and 2 < each <= _GREATEST), reverse=True))


def _congruent(formula: core.Term, modulus: int, *, denied: bool = False) -> core.Term:
    """The formula with congruences for the equations of integers that it denies: it says more then."""
    match formula:
        case core.Quantifier(kind="forall", variables=variables, body=body) if not denied:
            return core.Quantifier("forall", variables, _congruent(body, modulus))
        case core.Connective(name="not", arguments=(part,)):
            return core.Connective("not", (_congruent(part, modulus, denied=not denied),))
        case core.Connective(name="implies", arguments=(left, right)):
            sides = _congruent(left, modulus, denied=not denied), _congruent(right, modulus, denied=denied)
            return core.Connective("implies", sides)
        case core.Connective(name="and" | "or" as name, arguments=arguments):
            return core.Connective(
                name, tuple(_congruent(each, modulus, denied=denied) for each in arguments)
            )
        case core.Equals(left=left, right=right) if denied and left.sort in WHOLE:
            sides = as_number(left, core.INTEGER), as_number(right, core.INTEGER)
            return core.Equals(_remainder(difference(*sides), modulus), integer(0))
        case _:
            return formula


def _remainder(term: core.Term, modulus: int) -> core.Term:
    parameters = (core.Variable("a", core.INTEGER), core.Variable("b", core.INTEGER))
    return core.BuiltinCall(core.Operation("mod", parameters, core.INTEGER), (term, integer(modulus)))
