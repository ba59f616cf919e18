"""A Kleis proposition on its way: the provers here, then Lean text, then the service.

| step | decides | goes on |
|---|---|---|
| `portfolio` | verified, disproved, inconsistent, error | unknown |
| `lean` | nothing: no Lean is at hand to check | where the proposition has a form in Lean |
| `aristotle` | the job, later | where a service is there |

Invariant: every answer says which step decided, and of the steps after it that they were not asked.  See
docs/reference/lean.md §8.7.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from kleis.errors import KleisError
from registry.aristotle.job_requests import JobRequest, prove_job
from registry.aristotle.job_store import Ordered

if TYPE_CHECKING:
    from kleis.lean import LeanFile
    from kleis.prover.protocol.verdict import Verdict
    from kleis.prover.prover import Prover
    from kleis.syntax.tree import Expression, TypeExpression
    from kleis.theory.theory import Theory

__all__ = ["ARGUMENTS", "Claim", "Exported", "ask_portfolio", "export", "job_of", "read_claim", "steps"]

CLAIM, USING, LEMMA, THEORY = "<code>", "<using>", "<lemma>", "<theory>"
"""The file names in the places of errors."""

ARGUMENTS = {CLAIM: "code", USING: "using", LEMMA: "lemmas", THEORY: "theory"}
"""The argument that a place is in."""


class Claim(msgspec.Struct, frozen=True):
    """A question as it was read."""

    text: str
    theory: Any
    proposition: Any
    using: Any = None
    lemmas: tuple[Any, ...] = ()


class Exported(msgspec.Struct, frozen=True):
    """The Lean text of a claim, or why it has none."""

    file: Any = None
    problem: str = ""
    hint: str = ""


def read_claim(
    theory: Theory, text: str, *, declarations: str = "", using: str = "", lemmas: Sequence[str] = ()
) -> Claim:
    """Read a question about a theory, with declarations for this question only.  Raises `KleisError`."""
    from kleis.errors import LoadError
    from kleis.syntax.parser.parser import parse_expression, parse_source, parse_type
    from kleis.syntax.tree import Import

    if declarations:
        result = parse_source(declarations, file=THEORY)
        if result.errors:
            raise result.errors[0]
        if any(isinstance(item, Import) for item in result.program.items):
            message = "`theory` holds declarations; it cannot import"
            raise LoadError(message, code="import-refused", file=THEORY, hint="use a session and load_theory")
        theory = theory.include(result.program)
    proposition: Expression = parse_expression(text, file=CLAIM)
    about: TypeExpression | None = parse_type(using, file=USING) if using else None
    read = tuple(parse_expression(lemma, file=LEMMA) for lemma in lemmas)
    return Claim(text, theory, proposition, about, read)


def ask_portfolio(prover: Prover, claim: Claim) -> Verdict:
    """What the provers here say."""
    from kleis.elaborate.question import read_question

    question = read_question(claim.text, file=CLAIM, importing="session")
    return prover.ask(question, using=claim.using, lemmas=claim.lemmas).verdict


def export(claim: Claim) -> Exported:
    """The claim in Lean."""
    from kleis.lean import export_lean

    try:
        file: LeanFile = export_lean(
            claim.theory, claim.proposition, using=claim.using, name="claim", module="Claim", file=CLAIM
        )
    except KleisError as error:
        return Exported(problem=error.message, hint=error.hint)
    return Exported(file)


def job_of(request: JobRequest, claim: Claim, exported: Exported, hint: str) -> Ordered:
    """The claim's Lean text as a job."""
    return prove_job(request, exported.file.text, {}, hint).noting(claim=claim.text)


def steps(verdict: Verdict, exported: Exported | None, service: str) -> list[dict[str, str]]:
    """What each step said; `service` is empty where none was asked."""
    found = [{"step": "portfolio", "said": verdict.status, **_some("why", verdict.message)}]
    if exported is None:
        return found
    if exported.problem:
        return [*found, {"step": "lean", "said": "not expressible", "why": exported.problem}]
    found.append({"step": "lean", "said": f"exported, {exported.file.sorries} proofs open"})
    return [*found, {"step": "aristotle", "said": service or "not asked: no key is set"}]


def _some(name: str, value: str) -> dict[str, str]:
    return {name: value} if value else {}
