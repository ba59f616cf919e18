"""Rule `ask`: solvers refute the premises that a step names, with instances of them, and the negated claim.

See docs/reference/certificates.md §3.2.  The step brings names and terms; the question is this checker's own
(`kleis.prover.checker.translation`), and so is how it is asked (`kleis.prover.checker.solvers`).

Why it is sound
    An interpretation in which the premises are true and the claim is not would be a model of the script.  An instance
    follows from its premise, so it adds nothing that could rule one out.  A claim with terms in the place of its ∃ says
    more than the claim (`witnesses`).
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kleis import core
from kleis.core.traversal import subterms
from kleis.prover.checker.format import Ask
from kleis.prover.checker.read_terms import Vocabulary
from kleis.prover.checker.rules.open_claims import HYPOTHESIS
from kleis.prover.checker.rules.witnesses import at_witnesses, with_existentials_opened
from kleis.prover.checker.sequent import FALSITY, NotExpressible, RejectedError, Sequent
from kleis.prover.checker.solvers import Answer, Solver, run
from kleis.prover.checker.translation.script import Instance, Script, outermost, translate

__all__ = ["STEPS", "AskReport", "ask", "premises_clash"]

STEPS = 2_000_000
"""Steps of the longest way in which a solver is asked about one leaf."""

_FEW_STEPS = 300_000
"""Steps in which a solver is to refute axioms alone."""

_MOST_INSTANCES = 1_000

_FEW = 10
"""What part of the steps a script with unknown built-ins has before it is tried otherwise."""


class AskReport(msgspec.Struct, frozen=True):
    """How a leaf was settled: what each solver said, and the premises that it was given, whole or by instances."""

    answers: tuple[Answer, ...]
    given: tuple[str, ...]

    @property
    def steps(self) -> int:
        """The steps of all solvers."""
        return sum(each.steps for each in self.answers)


def ask(
    sequent: Sequent, step: Ask, vocabulary: Vocabulary, solvers: Sequence[Solver], steps: int = STEPS
) -> AskReport:
    """Have every one of the solvers refute the leaf.

    `RejectedError` if one of them does not, or if the step names what is not there; `NotExpressible` if the leaf has no
    exact translation.  `vocabulary` has the sequent's constants.
    """
    if not solvers:
        raise RejectedError("no solver was asked")
    if len(step.instances) > _MOST_INSTANCES:
        raise RejectedError(f"more than {_MOST_INSTANCES} instances")
    used = tuple(dict.fromkeys((*step.given, *(each.of for each in step.instances))))
    leaf = _at_witnesses(sequent.with_premises(used), step, vocabulary)
    if len(set(step.given)) < len(step.given):
        raise RejectedError("a premise is named twice")
    variables, _ = outermost(leaf.claim)
    instances = []
    for each in step.instances:
        bound, _ = outermost(leaf.premise(each.of))
        if not 0 < len(each.at) <= len(bound):
            raise RejectedError(
                f"{each.of!r} is taken at {len(each.at)} terms and has {len(bound)} variables"
            )
        at = (
            vocabulary.of_sort(data, variable.sort, variables)
            for data, variable in zip(each.at, bound, strict=False)
        )
        instances.append(Instance(each.of, tuple(at)))
    script = translate(leaf, instances, step.given)
    weaker: list[tuple[Script, int]] = []
    if named := _by_name(leaf, step.given):
        weaker.append((translate(leaf, instances, step.given, by_name=named), steps // _FEW))
    if script.approximate:
        weaker.append((translate(leaf, instances, step.given, apart=True), steps))
    answers: list[Answer] = []
    for solver in solvers:
        answer = _answer(script, weaker, solver, steps)
        answers.append(answer)
        if answer.status == "sat":
            raise RejectedError(f"{solver} finds a model in which the premises hold and the claim does not")
        if answer.status != "unsat":
            raise RejectedError(f"{solver} does not refute it ({answer.detail})")
    return AskReport(tuple(answers), used)


def _at_witnesses(leaf: Sequent, step: Ask, vocabulary: Vocabulary) -> Sequent:
    """The leaf with the terms of a step in the place of the claim's ∃."""
    if not step.witnesses:
        return leaf
    opened = with_existentials_opened(leaf.goal, leaf.claim)
    if len(step.witnesses) > len(opened.wanted):
        raise RejectedError("more witnesses than the conclusion has ∃")
    terms = [
        vocabulary.of_sort(data, variable.sort, opened.variables)
        for data, variable in zip(step.witnesses, opened.wanted, strict=False)
    ]
    return msgspec.structs.replace(leaf, claim=at_witnesses(opened, terms))


def _by_name(leaf: Sequent, given: Sequence[str]) -> frozenset[str]:
    """The definitions without recursion of which laws speak and the claim does not: with what they stand for in their place,
    no solver would find where a law about them fits."""
    plain = {each.key for each in leaf.goal.definitions if not each.group}
    laws = [leaf.premise(each) for each in given if not each.startswith(HYPOTHESIS)]
    return frozenset(plain & (_called(*laws) - _called(leaf.claim)))


def _called(*formulas: core.Term) -> set[str]:
    return {each.definition for each in subterms(*formulas) if isinstance(each, core.DefinitionCall)}


def _answer(script: Script, weaker: Sequence[tuple[Script, int]], solver: Solver, steps: int) -> Answer:
    """What a solver says of a script, or of others that assert less: where definitions or values of unknown built-ins stand
    for anything.  These come with their steps."""
    if not weaker:
        return run(script, solver, steps)
    taken = 0
    for each, share in ((script, steps // _FEW), *weaker, (script, steps)):
        answer = run(each, solver, share)
        taken += answer.steps
        if answer.status == "unsat":
            break
    return msgspec.structs.replace(answer, steps=taken)


def premises_clash(sequent: Sequent, solver: Solver = "z3", steps: int = _FEW_STEPS) -> bool:
    """Whether a solver refutes the premises alone within a small budget; false where they have no translation."""
    try:
        script = translate(msgspec.structs.replace(sequent, claim=FALSITY))
    except NotExpressible:
        return False
    return bool(script.asserted) and run(script, solver, steps).status == "unsat"
