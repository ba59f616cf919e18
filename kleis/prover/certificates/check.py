"""Certificates checked in a child process, and what a check found.

See docs/reference/certificates.md §6.  The child reads the bytes, judges them (`kleis.prover.checker.kernel`), and is
killed where it needs more time or memory than the guards allow: that too is a refusal.
"""

from __future__ import annotations

import time
from typing import Any, Literal, TypeAlias

import msgspec

from kleis.budget import deep
from kleis.core.goal import Goal
from kleis.delaborate.describe_goal import proposition_of
from kleis.errors import KleisError
from kleis.prover.checker.format import Certificate, CertificateError
from kleis.prover.checker.kernel import Judgement, Refusal, judge
from kleis.prover.checker.solvers import Solver, installed
from kleis.prover.checker.strict_reading import from_json
from kleis.prover.portfolio import PRELOAD
from kleis.prover.process.broker import Broker, Guards
from kleis.prover.protocol.engine import Answer
from kleis.prover.protocol.verdict import Evidence
from kleis.syntax.printer.program import print_expression

__all__ = ["CheckReport", "CheckRequest", "LeafReport", "Settles", "check", "check_certificate"]

Settles: TypeAlias = Literal["z3", "cvc5", "both"]
"""Which solver has to refute every leaf; ``both``: each of the two."""

_CHOSEN: dict[Settles, tuple[Solver, ...]] = {"z3": ("z3",), "cvc5": ("cvc5",), "both": ("z3", "cvc5")}

_JOB = "kleis.prover.certificates.check:check_certificate"
_READING = "kleis.syntax.parser.before_fork"
_GUARDS = Guards(cpu=300, wall=600.0, memory=2048)


class CheckRequest(msgspec.Struct, frozen=True):
    """A file to check, and by which solver."""

    data: bytes
    solvers: Settles = "z3"
    file: str = "<certificate>"


class LeafReport(msgspec.Struct, frozen=True):
    """One question, and what settled it in this check: ``claim, Cons``, ``z3 5.4.1``."""

    place: str
    by: str
    steps: int


class CheckReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a check found.

    ok
        Whether the certificate shows what it says.  If not, `refused` is the step and the reason.
    claim, using, part
        The claim as read, printed from what it means; the structure; or the part of the theory.
    goal, without_lemmas
        The SHA-256 of the goal; and that of the goal without the lemmas, where the proof has some and shows it too.
    core, assumed
        The axioms that the proof uses, and those of them that are only assumed of an implementation.
    model
        Whether the axioms used are known to have a model.
    definitions
        The definitions that the claim reaches, and why each terminates.
    evidence
        What shows a refutation or a model, for people.
    """

    ok: bool
    status: str = ""
    claim: str = ""
    using: str = ""
    part: str = ""
    goal: str = ""
    without_lemmas: str = ""
    core: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    model: str = ""
    definitions: tuple[tuple[str, str], ...] = ()
    leaves: tuple[LeafReport, ...] = ()
    evidence: Evidence | None = None
    warnings: tuple[str, ...] = ()
    refused: tuple[str, str] | None = None
    seconds: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """The fields that say something, as JSON values."""
        fields: dict[str, Any] = msgspec.to_builtins(self)
        return {name: each for name, each in fields.items() if each not in ("", [], (), None)}


@deep()
def check(
    data: bytes,
    broker: Broker,
    *,
    solvers: Settles = "z3",
    file: str = "<certificate>",
    guards: Guards = _GUARDS,
) -> CheckReport:
    """Check the bytes of a certificate in a child process; what is wrong is in the report, never an exception.

    What is not done within `guards` is refused.
    """
    begun = time.monotonic()
    request = CheckRequest(data, solvers, file)
    # Only a guess at what the child will need: whether it asks a solver, it finds out for itself.
    preload = (_READING, *(PRELOAD if b'"rule":"ask"' in data else ()))
    answer = broker.submit(_JOB, request, 1, guards=guards, preload=preload)[1].result()
    report = answer.witness
    if not isinstance(report, CheckReport):
        report = CheckReport(ok=False, refused=("check", answer.detail or f"stopped: {answer.reason}"))
    return msgspec.structs.replace(report, seconds=round(time.monotonic() - begun, 3))


@deep()
def check_certificate(request: CheckRequest, steps: int) -> Answer:
    """The job of a check.  Its answer's witness is the report."""
    del steps
    try:
        certificate = from_json(request.data, file=request.file)
    except CertificateError as error:
        report = CheckReport(ok=False, refused=("file", error.message))
        return Answer(outcome="silent", witness=report)
    said = CheckReport(
        ok=False,
        status=certificate.status,
        claim=certificate.claim,
        using=certificate.using,
        part=certificate.part,
        goal=certificate.goal,
    )
    chosen = _CHOSEN[request.solvers]
    missing = [each for each in chosen if not installed(each)]
    if missing:
        report = msgspec.structs.replace(said, refused=("solvers", f"{missing[0]} is not installed"))
        return Answer(outcome="silent", witness=report)
    try:
        judgement = judge(certificate, chosen)
    except Refusal as error:
        report = msgspec.structs.replace(said, refused=(error.step, error.why))
    except KleisError as error:
        report = msgspec.structs.replace(said, refused=("proof", error.message))
    else:
        report = _accepted(said, certificate, judgement)
    return Answer(outcome="proved" if report.ok else "silent", witness=report)


def _accepted(said: CheckReport, certificate: Certificate, judgement: Judgement) -> CheckReport:
    goal = judgement.goal
    proposition = proposition_of(goal)
    return msgspec.structs.replace(
        said,
        ok=True,
        claim=print_expression(proposition) if proposition is not None else certificate.claim,
        without_lemmas=judgement.alone,
        core=judgement.core,
        assumed=judgement.assumed,
        model=judgement.model if certificate.status == "verified" else "",
        definitions=tuple((each.name, _termination(goal, each.key)) for each in goal.definitions),
        leaves=tuple(LeafReport(each.place, each.by, each.steps) for each in judgement.leaves),
        evidence=judgement.evidence,
        warnings=judgement.warnings,
    )


def _termination(goal: Goal, key: str) -> str:
    """Why a definition terminates, for people."""
    found = goal.termination(key)
    if found is None:
        return "not recursive"
    return {
        "structural": "an argument becomes a part of itself",
        "measure": "a measure decreases",
        "unknown": "not shown; its calls were computed to their end",
    }[found.kind]
