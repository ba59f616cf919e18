"""What the engine `induction` leaves, as steps of a certificate.

See docs/reference/certificates.md §3.4.

The engine's proof lists paths: the lemma or the claim, then scheme and case, down to an obligation that a solver refutes
(`kleis.prover.engines.induction.engine`).  It is about the lowered task.  Here it becomes a step for each lemma and one
for the claim, each a tree of inductions with questions as leaves, in the words of the task as it was asked
(`kleis.prover.lowering.written_back`).

Invariants
    * A lemma that cannot be written back, or an induction that is none on the claim as it was asked: `CertificateError`.
      Nothing is approximated.
    * A leaf may use the axioms of the answer's core, the lemmas before it and the hypotheses around it, nothing else.
    * A lemma about functions of the claim is a statement about all functions, taken at those that the leaf is about; its
      other variables stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kleis import core
from kleis.prover.checker.format import Ask, Case, CertificateError, Instance, Proof, Step
from kleis.prover.checker.rules.induction import obligations
from kleis.prover.checker.rules.open_claims import HYPOTHESIS, as_function, functions_named, opened
from kleis.prover.checker.sequent import RejectedError, Sequent
from kleis.prover.checker.write_terms import UnwritableError as NoDataError
from kleis.prover.checker.write_terms import term_data
from kleis.prover.engines.induction.engine import CLAIM
from kleis.prover.engines.induction.lemmas import lemma_called
from kleis.prover.engines.induction.schemes import InductionGoal, schemes
from kleis.prover.engines.induction.search import SEPARATOR
from kleis.prover.lowering.defunctionalize import lowered
from kleis.prover.lowering.written_back import UnwritableError, WrittenBack, written_back
from kleis.prover.protocol.engine import Answer, Task

__all__ = ["induction_steps"]

_Paths = Sequence[Sequence[str]]


def induction_steps(task: Task, answer: Answer) -> tuple[Step, ...]:
    """The steps of an answer of the engine `induction`, that of the claim last; `CertificateError` if there are none.

    The premises they name are the task's axioms, its lemmas (``lemma 1``, …), earlier steps and hypotheses.
    """
    try:
        return _Steps(task, answer).all()
    except UnwritableError as error:
        raise _none(f"{error} of the lowered task has no name in the certificate") from None
    except NoDataError as error:
        raise _none(f"{error} has no place in a certificate") from None
    except RejectedError as error:
        raise _none(str(error)) from None


class _Steps:
    """The steps of one answer."""

    def __init__(self, task: Task, answer: Answer) -> None:
        self._task = task
        self._lowered = lowered(task, powers=True)
        self._paths = [path.split(SEPARATOR) for path, _ in answer.proof]
        named = [*((each.name, each.formula) for each in task.goal.axioms)]
        named += [(f"lemma {place}", each) for place, each in enumerate(task.lemmas, 1)]
        self._premises = [(name, formula) for name, formula in named if name in answer.core]
        self._lemmas: dict[str, WrittenBack] = {}

    def all(self) -> tuple[Step, ...]:
        heads = list(dict.fromkeys(path[0] for path in self._paths))
        if not heads or heads[-1] != CLAIM:
            raise _none("the proof does not end with the claim")
        return tuple(self._step(head, f"step {place}") for place, head in enumerate(heads, 1))

    def _step(self, head: str, name: str) -> Step:
        """The step of a lemma, which later steps use by this name, or of the claim."""
        paths = [path[1:] for path in self._paths if path[0] == head]
        if head == CLAIM:
            assert self._task.goal.claim is not None, "an induction is on a claim"
            return Step(self._proof(self._task.goal.claim, paths))
        lemma = lemma_called(self._lowered.task, head)
        if lemma is None:
            raise _none(f"no lemma is called {head}")
        back = written_back(lemma.formula, self._lowered, self._task.goal)
        step = Step(self._proof(back.closed(), paths), term_data(back.closed()))
        self._lemmas[name] = back
        return step

    # ── Trees ────────────────────────────────────────────────────────────────────────────────────────────────

    def _proof(self, claim: core.Term, paths: _Paths) -> Proof:
        known = tuple((name, each.closed()) for name, each in self._lemmas.items())
        functions = {each.name: each for each in _leading(claim) if isinstance(each.sort, core.FunctionOf)}
        return self._tree(Sequent(self._task.goal, (*self._premises, *known), claim), paths, functions)

    def _tree(self, sequent: Sequent, paths: _Paths, functions: Mapping[str, core.Term]) -> Proof:
        """The proof of a sequent; `functions` are the terms in it that stand for those of the claim."""
        if list(paths) == [[]]:
            return self._leaf(sequent, functions)
        named = {path[0] for path in paths if len(path) >= 2}
        goal = InductionGoal(*opened(sequent.claim))
        chosen = [each for each in schemes(goal, range(-10, 11)) if each.text() in named]
        if len(named) != 1 or not chosen or any(len(path) < 2 for path in paths):
            raise _none(
                f"{' and '.join(sorted(named)) or 'no induction'} is none on the claim as it was asked"
            )
        scheme = chosen[0]
        inner = {**functions, **{name: as_function(each) for name, each in functions_named(sequent).items()}}
        cases = []
        for name, left in obligations(sequent, scheme.step()):
            mine = [path[2:] for path in paths if path[1] == name]
            cases.append(Case(name, self._tree(left, mine, inner)))
        return scheme.step(tuple(cases))

    def _leaf(self, sequent: Sequent, functions: Mapping[str, core.Term]) -> Ask:
        usable = [
            name
            for name, each in self._lemmas.items()
            if all(function.name in functions for function in each.functions)
        ]
        instances = [
            Instance(name, tuple(term_data(functions[each.name]) for each in self._lemmas[name].functions))
            for name in usable
            if self._lemmas[name].functions
        ]
        hypotheses = [name for name, _ in sequent.premises if name.startswith(HYPOTHESIS)]
        given = (*(name for name, _ in self._premises), *usable, *hypotheses)
        return Ask(given, tuple(instances))


def _leading(claim: core.Term) -> Iterator[core.Variable]:
    """The variables of the ∀ that a claim begins with."""
    while isinstance(claim, core.Quantifier) and claim.kind == "forall":
        yield from claim.variables
        claim = claim.body


def _none(why: str) -> CertificateError:
    return CertificateError(f"no certificate: {why}", code="certificate-none")
