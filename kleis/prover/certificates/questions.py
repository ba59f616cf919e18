"""What the engines that ask solvers leave, as steps of a certificate: a question to a solver, with hints.

See docs/reference/certificates.md §3.2.

The answer's core says which premises suffice.  `residues` found that a claim about all integers follows from the remainders
that they leave; that there are no others is a step of its own, and the claim is asked with its instances at the claim's
variables.  Nothing of the scripts that engines ran is used.
"""

from __future__ import annotations

from collections.abc import Iterator

from kleis import core
from kleis.core.build_terms import as_number, integer
from kleis.core.traversal import free_variables
from kleis.prover.checker.format import Ask, CertificateError, Instance, Step
from kleis.prover.checker.write_terms import term_data
from kleis.prover.protocol.engine import Answer, Task

__all__ = ["question_steps"]

_RESIDUES = "residues"
_MODULO = "modulo "


def question_steps(task: Task, answer: Answer, engine: str) -> tuple[Step, ...]:
    """The steps of an answer of an engine that asks solvers: of the claim, or of falsity if the axioms clash.

    The premises they name are those of the answer's core, and earlier steps.
    """
    if engine != _RESIDUES:
        hints = tuple(_hints(answer))
        return (Step(Ask(answer.core, hints)),)
    number = answer.detail.removeprefix(_MODULO)
    claim = task.goal.claim
    if not (number.isascii() and number.isdigit() and answer.detail.startswith(_MODULO)) or claim is None:
        raise CertificateError("no certificate: the answer names no modulus", code="certificate-none")
    name = "step 1"
    hints = tuple(Instance(name, (term_data(each),)) for each in _integers(claim))
    fact = Step(Ask(), term_data(_every_residue(int(number))))
    return fact, Step(Ask(answer.core, hints))


def _hints(answer: Answer) -> Iterator[Instance]:
    """The instances that an answer names of premises in its core; falsity has no variables to take them at."""
    for name, terms in answer.instances:
        closed = not any(free_variables(each) for each in terms)
        if name in answer.core and (closed or answer.outcome == "proved"):
            yield Instance(name, tuple(map(term_data, terms)))


def _every_residue(modulus: int) -> core.Term:
    """Every integer leaves a residue below the modulus."""
    n = core.Variable("n", core.INTEGER)
    parameters = (core.Variable("a", core.INTEGER), core.Variable("b", core.INTEGER))
    left = core.BuiltinCall(core.Operation("mod", parameters, core.INTEGER), (n, integer(modulus)))
    cases = tuple(core.Equals(left, integer(each)) for each in range(modulus))
    return core.Quantifier("forall", (n,), core.Connective("or", cases))


def _integers(claim: core.Term) -> Iterator[core.Term]:
    """The variables of a claim's outermost ∀ that are integers or natural numbers."""
    while isinstance(claim, core.Quantifier) and claim.kind == "forall":
        for each in claim.variables:
            if each.sort in (core.INTEGER, core.NATURAL):
                yield as_number(each, core.INTEGER)
        claim = claim.body
