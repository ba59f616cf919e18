"""Laws with certificates, checked again from nothing: whether a certificate shows a law of the tools as they are.

What a certificate claims is compared with the question that the law is now, before anything in it is decided, so that no
proof of something else passes (docs/reference/registry.md §7.4).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from kleis.syntax.printer.program import print_expression
from pif.language.terms import Json
from registry.laws.certificates import AXIOMS, UnreadableCertificate, read_text
from registry.laws.definedness.value_conditions import UnknownCondition
from registry.laws.goals import Claim, LawQuestion, question
from registry.laws.law_report import NO_MODEL, WHERE_DEFINED, LawReport
from registry.laws.law_text import LawError
from registry.translate.symbolic_values import Untranslatable
from registry.translate.tool_theory import ToolTheory

if TYPE_CHECKING:
    from registry.laws.check_laws import LawCheck

__all__ = ["certified_law", "recheck_law", "shown_law"]


def recheck_law(
    check: LawCheck, text: str, lemmas: Sequence[str], certificate: str, *, where_defined: bool | None = None
) -> list[Json]:
    """Check that a certificate, as text, shows a law of the tools as they are: the findings.

    `where_defined`: the law is only claimed where the tools in it have values; None: as the certificate claims it.
    """
    return _compared(check, text, lemmas, certificate, where_defined)[1]


def certified_law(check: LawCheck, text: str, lemmas: Sequence[str], certificate: str) -> LawReport:
    """The report of a law that a certificate is said to show: `proved`, or `claimed` with what is wrong with it."""
    asked, findings = _compared(check, text, lemmas, certificate, None)
    wrong = next((each for each in findings if not each["ok"]), None)
    if wrong is not None or asked is None:
        detail = "" if wrong is None else f": {wrong['what']}: {wrong['detail']}"
        return LawReport(text, "claimed", reason=f"its certificate does not show it{detail}")
    labels = (WHERE_DEFINED,) * bool(asked.conditions) + (NO_MODEL,) * any(
        each["what"] == AXIOMS for each in findings
    )
    return LawReport(
        text, "proved", kleis=print_expression(asked.claim), conditions=asked.conditions,
        labels=labels, lemmas=tuple(lemmas),
        engine="its certificate", certificate=certificate,
    )  # fmt: skip


def shown_law(
    check: LawCheck, text: str, lemmas: Sequence[str], certificate: str, engine: str
) -> LawReport | None:
    """The report of a law that a certificate from elsewhere is said to prove, as one that was proved here; None where the check
    finds that it does not show the law as it is written. `engine` is who is said to have found the proof."""
    report = certified_law(check, text, lemmas, certificate)
    if report.status != "proved" or WHERE_DEFINED in report.labels:
        return None
    claim = Claim(check.read(text))
    return check.shown(claim, msgspec.structs.replace(report, engine=engine))


def _compared(
    check: LawCheck, text: str, lemmas: Sequence[str], certificate: str, where_defined: bool | None
) -> tuple[LawQuestion | None, list[Json]]:
    """The question of a law, and the findings. What a certificate claims is compared with the question before anything
    in it is decided, so no proof of something else passes."""
    from kleis.prover.certificates.build import theory_text

    try:
        given = read_text(certificate)
    except UnreadableCertificate as error:
        return None, [_finding("certificate", str(error))]
    try:
        known = [_known(check, *each) for each in zip(lemmas, given.lemmas, strict=False)]
        if where_defined is None:
            where_defined = _known(check, text, given.claim).where_defined
        asked = question(*_claimed(check, text, where_defined), known)
        theory = theory_text(asked.theory)
    except (LawError, Untranslatable, UnknownCondition) as error:
        return None, [_finding("law", str(error))]
    expected = tuple(print_expression(each) for each in asked.lemmas)
    same = {
        "tools": given.theory == theory,
        "law": given.claim == print_expression(asked.claim) and not (given.using or given.part),
        "lemmas": given.lemmas == expected and len(expected) == len(lemmas),
        "status": given.status == "verified" and not given.assumed,
    }
    wrong = [_finding(name, "the certificate is about something else") for name, ok in same.items() if not ok]
    return asked, wrong or [
        *({"what": name, "ok": True, "detail": ""} for name in same),
        *check.prover.check(certificate),
    ]


def _claimed(check: LawCheck, text: str, where_defined: bool) -> tuple[ToolTheory, Claim]:
    """The claim of a law, and the theory that its tools are added to."""
    law = check.read(text)
    return check.theory, Claim(law, where_defined)


def _known(check: LawCheck, text: str, claim: str) -> Claim:
    """A lemma of a certificate: the law as written, or behind definedness predicates."""
    law = check.read(text)
    return Claim(law, where_defined=claim != print_expression(law.expression))


def _finding(what: str, detail: str) -> Json:
    """A finding that something is wrong."""
    return {"what": what, "ok": False, "detail": detail}
