"""What the group `lean` does with Kleis: propositions are decided here first; and the way without a key.

Specification: docs/reference/lean.md §8.7.
"""

from __future__ import annotations

from typing import Any

import msgspec

from kleis.prover.process.deadline import Deadline
from registry.aristotle.choose_service import KEY
from registry.aristotle.escalation import (
    Claim,
    Exported,
    ask_portfolio,
    export,
    job_of,
    read_claim,
    steps,
)
from registry.aristotle.job_requests import JobRequest
from registry.aristotle.job_store import Ordered
from registry.server.contract.group import Answer, CallContext
from registry.server.contract.settings import Site
from registry.server.groups.lean.answers import answered, error_answer
from registry.server.groups.lean.requests import Prove

__all__ = ["Found", "KleisRoute", "no_key"]

PORTFOLIO = 35.0
"""Seconds for the provers here, so that there is time left to export and to hand in."""

_STATUS = {
    "verified": "proved",
    "disproved": "counterexample",
    "inconsistent": "inconsistent",
    "error": "error",
}


class Found(msgspec.Struct, frozen=True):
    """How far a claim came here: `answer` if that is all, else the export to hand in."""

    claim: Claim
    verdict: Any
    exported: Exported | None
    answer: Answer | None

    def fields(self, service: str) -> dict[str, Any]:
        """Fields of an answer about the steps before the service."""
        verdict = self.verdict.as_dict()
        fields = {"verdict": verdict, "steps": steps(self.verdict, self.exported, service)}
        if self.exported is not None and self.exported.file is not None:
            fields["lean_code"] = self.exported.file.text
        return fields

    def unknown(self, why: str) -> Answer:
        """The answer where no step decided."""
        message = f"unknown: {self.verdict.message or 'the provers here did not decide it'}. {why}"
        fields = {"status": "unknown", "message": message, "claim": self.claim.text, **self.fields("")}
        if self.verdict.advice:
            fields["advice"] = self.verdict.advice
        if self.exported is not None and self.exported.hint:
            fields["hint"] = self.exported.hint
        return answered(fields)

    def job(self, order: JobRequest, hint: str) -> Ordered:
        """The job that is left to do."""
        assert self.exported is not None
        return job_of(order, self.claim, self.exported, hint)


class KleisRoute:
    """The provers of a site's sessions."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def close(self) -> None:
        """End the provers, if any were begun; the group `theory` may have done so already."""
        if "sessions" in self._site.__dict__:
            self._site.sessions.close()

    def decide(self, arguments: Prove, context: CallContext) -> Found:
        """Ask the provers here; export what they leave unknown.  Raises `KleisError` and `RegistryError`."""
        sessions = self._site.sessions
        claim = read_claim(
            sessions.theory(arguments.session),
            arguments.code,
            declarations=arguments.theory or "",
            using=arguments.using or "",
            lemmas=arguments.lemmas,
        )
        deadline = Deadline(PORTFOLIO, left=context.cancelled.is_set, progress=context.progress)
        with sessions.provers.prover(claim.theory, deadline) as prover:
            verdict = ask_portfolio(prover, claim)
        if verdict.status in _STATUS:
            found = Found(claim, verdict, None, None)
            return msgspec.structs.replace(found, answer=_decided(found))
        exported = export(claim)
        found = Found(claim, verdict, exported, None)
        if exported.file is None:
            why = f"It has no form in Lean: {exported.problem}"
            return msgspec.structs.replace(found, answer=found.unknown(why))
        return found


def _decided(found: Found) -> Answer:
    """The answer of the provers here."""
    verdict = found.verdict
    status = _STATUS[verdict.status]
    words = {
        "proved": f"proved by {verdict.engine}",
        "counterexample": "false: the evidence was checked",
        "inconsistent": f"the axioms clash: {', '.join(verdict.core)}",
        "error": verdict.message,
    }
    fields: dict[str, Any] = {"status": status, "message": words[status], "claim": found.claim.text}
    if status == "error":
        return error_answer(
            "ill_formed", verdict.message, argument="code", hint=verdict.advice, **found.fields("")
        )
    if status == "counterexample" and verdict.evidence is not None:
        fields["counterexample"] = msgspec.json.encode(verdict.evidence).decode()
    return answered({**fields, "decided_by": "kleis", "engine": verdict.engine, **found.fields("")})


def no_key() -> Answer:
    """What is missing, and the way that needs no key."""
    return error_answer(
        "no_key",
        "no key for Aristotle is set: it can neither be asked for Lean proofs nor to formalise",
        hint=f"Set {KEY} (and install pif-kleis[lean]) to ask it; ARISTOTLE_MOCK=true tries the tools out.",
        kleis_route={
            "1": "state it in Kleis: declarations by submit_structure, submit_define, submit_data",
            "2": 'call prove with language "kleis": the provers here decide it without a key',
            "3": "`kleis export --lean` gives the Lean text, with what is left open as sorry",
        },
    )
