"""A proposition proved or refuted, and its certificate made and checked at once.

See docs/reference/registry.md §12.8.

Invariant: `certified` is true only where the checker, which shares no code with the search, has accepted the certificate.
"""

from __future__ import annotations

from hashlib import sha256

import msgspec

from kleis.elaborate.question import read_question
from kleis.errors import KleisError
from kleis.prover.process.deadline import Deadline
from kleis.prover.reasons import within
from kleis.prover.shared_provers import Provers
from kleis.sessions.answer_fields import verdict_fields, warned
from kleis.sessions.answer_shapes import CertifiedAnswer, FailedAnswer
from kleis.sessions.computed_value import error_fields
from kleis.sessions.files.universe import Universe

__all__ = ["certify"]

_CERTIFIED = ("verified", "disproved")


def certify(
    universe: Universe, expression: str, provers: Provers, deadline: Deadline, *, using: str = ""
) -> CertifiedAnswer | FailedAnswer:
    """The verdict on a proposition, decided anew without lemmas, and what became of its certificate."""
    from kleis.prover.certificates.build import Contradiction, Question, build_from
    from kleis.prover.checker.format import CertificateError
    from kleis.prover.checker.strict_reading import to_json
    from kleis.syntax.parser.parser import parse_type

    try:
        question = read_question(expression, file="<expression>", importing="session")
        about = parse_type(using, file="<using>") if using else None
    except KleisError as error:
        return error_fields(error, prefix="Parse error")
    with provers.prover(universe.theory, deadline) as prover:
        decision = prover.ask(question, using=about)
        verdict = within(deadline, decision.verdict)
        if verdict.status == "error":
            problem = verdict.problem or {"message": verdict.message}
            failed: FailedAnswer = {"status": "error", "error": verdict.message, "problem": problem}
            return warned(verdict.warnings, failed)
        fields: CertifiedAnswer = {**verdict_fields(verdict), "certified": False}  # type: ignore[typeddict-item]
        if verdict.status not in _CERTIFIED:
            fields["certificate"] = "none: only a proof or a refutation has one"
            return warned(verdict.warnings, fields)
        try:
            made = build_from(prover.broker, prover, Question(expression, using), verdict)
        except Contradiction as error:
            withdrawn = msgspec.structs.replace(
                verdict, status="unknown", reason="contradiction", message=error.message, advice=error.hint, core=(), evidence=None,
            )  # fmt: skip
            fields = {**verdict_fields(withdrawn), "certified": False, "certificate": "none"}
            return warned(verdict.warnings, fields)
        except CertificateError as error:
            fields["certificate"] = f"none ({error.message})"
            return warned(verdict.warnings, fields)
    written = to_json(made)
    fields["certified"] = True
    fields["certificate"] = (
        f"accepted by the checker: {len(written):,} bytes, SHA-256 {sha256(written).hexdigest()}"
    )
    return warned(verdict.warnings, fields)
