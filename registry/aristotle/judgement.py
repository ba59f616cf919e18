"""What a run that has ended means.  Pure; the service's word alone decides nothing.  See docs/reference/lean.md §8.5.

==========================  ===============================================================================================
run                         outcome
==========================  ===============================================================================================
complete                    ``proved`` if `kleis.lean.accept` accepts the returned text; else ``counterexample`` if it is
                            refuted (checked, or a negation proved in the text); else ``partial`` (files) or ``failed``
complete with errors,       ``partial`` (files) if some `sorry` is filled and nothing else is wrong, else ``failed``
out of budget
canceled                    ``failed``
failed                      ``error``
==========================  ===============================================================================================

A verdict of a run that did not complete is unchecked and counts for nothing.  Where a Lean can be run, it is asked of what
was accepted: `checked` then names it, and what it refuses is ``failed``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from registry.aristotle.job_store import Job, Outcome
from registry.aristotle.service import Finding, Run

if TYPE_CHECKING:
    from kleis.lean import Acceptance
    from kleis.lean.acceptance.check_by_lean import LeanCheck

__all__ = ["Check", "judge", "needs_text"]

Check: TypeAlias = "Callable[[str, str, Sequence[str], bool], LeanCheck]"
"""Asks a Lean of our text, the returned one and the theorems that count, and whether other proofs may be open."""

_UNCHECKED = "accepted by its text alone: no Lean has elaborated it here, and `#print axioms` was not run"
_FORMAL = frozenset(
    ["theorem", "lemma", "def", "abbrev", "example", "structure", "class", "inductive", "import", "open",
     "namespace", "section", "end", "universe", "variable", "mutual"]
)  # fmt: skip
"""Commands that a formalisation may have: there is nothing before it whose meaning they could change."""


def needs_text(run: Run) -> bool:
    """Whether the returned text says more than the run's status."""
    return run.status in ("complete", "complete_with_errors", "out_of_budget")


def judge(
    job: Job,
    original: str,
    run: Run,
    returned: str | None,
    findings: Sequence[Finding],
    check: Check | None = None,
) -> Outcome:
    """The outcome of a job whose run has ended; `original` is the text whose statements must have stayed.

    `check` is asked where a text was accepted; without it that text stays unchecked.
    """
    match run.status:
        case "failed":
            return Outcome(status="error", message=_said("the service could not work on it", run))
        case "canceled":
            return Outcome(status="failed", message="the run was cancelled")
        case _ if returned is None:
            return Outcome(status="error", message="the service ended the run without giving the file back")
        case _ if job.kind == "formalize":
            return _formalized(job, run, returned, check)
        case "complete":
            return _completed(job, original, run, returned, findings, check)
        case _:
            return _unfinished(job, original, run, returned)


def _completed(
    job: Job, original: str, run: Run, returned: str, findings: Sequence[Finding], check: Check | None
) -> Outcome:
    from kleis.lean import accept, theorem_names

    found = accept(original, returned)
    if found.accepted:
        proved = Outcome(
            status="proved",
            message="every statement is as it was, and no proof is left open",
            code=returned,
            sorries_total=found.sorries_total,
            sorries_filled=found.sorries_filled,
        )
        return _looked_at(proved, original, theorem_names(original), check)
    refuted = _refutation(job, original, returned, findings, found, check)
    if refuted is not None:
        return refuted
    if found.code == "sorry-left":
        return _with_gaps(job, run, returned, found)
    return Outcome(
        status="failed",
        message=f"the service says that it is proved, but the text is not accepted: {found.reason}",
        code=returned,
        refusal=found.code,
        sorries_total=found.sorries_total,
    )


def _looked_at(
    outcome: Outcome, original: str, names: Sequence[str], check: Check | None, *, may_have_gaps: bool = False
) -> Outcome:
    """The outcome after a Lean was asked: checked, refused, or as it was with the reason why it was not checked."""
    if check is None:
        return msgspec.structs.replace(outcome, unchecked=(_UNCHECKED,))
    said = check(original, outcome.code, names, may_have_gaps)
    match said.outcome:
        case "checked":
            checked = f"checked by {said.version}: {said.reason}"
            return msgspec.structs.replace(outcome, checked=checked, message=f"{outcome.message}; {checked}")
        case "refused":
            message = f"the text was accepted, and {said.version} refuses it: {said.reason}"
            return Outcome(
                status="failed",
                message=message,
                code=outcome.code,
                refusal=said.code,
                sorries_total=outcome.sorries_total,
            )
        case _:
            return msgspec.structs.replace(outcome, unchecked=(f"{_UNCHECKED} ({said.reason})",))


def _refutation(
    job: Job,
    original: str,
    returned: str,
    findings: Sequence[Finding],
    found: Acceptance,
    check: Check | None,
) -> Outcome | None:
    """The outcome where the statement was found false."""
    from kleis.lean import has_refutation, theorem_names

    name = has_refutation(original, returned) if found.code in ("", "sorry-left") else None
    ours = {each.rpartition(".")[2] for each in theorem_names(original)}
    said = next(
        (each for each in findings if each.status == "refuted" and each.name.rpartition(".")[2] in ours), None
    )
    if name is None and said is None:
        return None
    evidence = said.message if said is not None else f"the returned text proves the negation: {name}"
    if not job.refutation_counts:
        return Outcome(
            status="failed",
            message="the exported statement was found false, but the export leaves built-ins open: "
            f"the original may still hold. {evidence}",
            code=returned,
            refusal="approximated",
        )
    refuted = Outcome(
        status="counterexample",
        message="the statement was found false",
        counterexample=evidence or "the service found it false and gave no details",
        code=returned if name is not None else "",
        unchecked=("the service's word: the evidence was not seen",),
    )
    if name is None:
        return refuted
    refuted = msgspec.structs.replace(refuted, unchecked=())
    return _looked_at(refuted, original, (name,), check, may_have_gaps=True)


def _with_gaps(job: Job, run: Run, returned: str, found: Acceptance) -> Outcome:
    """The outcome where proofs are open: a file may be ``partial``, a snippet is not."""
    filled, total = found.sorries_filled, found.sorries_total
    partial = job.kind == "file" and 0 < filled < total
    names = f" ({', '.join(found.remaining[:5])})" if found.remaining else ""
    return Outcome(
        status="partial" if partial else "failed",
        message=_said(f"{filled} of {total} proofs were filled; open ones are left{names}", run),
        code=returned,
        refusal=found.code,
        sorries_total=total,
        sorries_filled=filled,
    )


def _unfinished(job: Job, original: str, run: Run, returned: str) -> Outcome:
    """The outcome of a run that ended early: filled proofs are kept, the job is never ``proved``."""
    from kleis.lean import accept

    found = accept(original, returned)
    why = "its budget was used up" if run.status == "out_of_budget" else "it ended with errors"
    in_order = found.accepted or found.code == "sorry-left"
    partial = job.kind == "file" and in_order and found.sorries_filled > 0
    return Outcome(
        status="partial" if partial else "failed",
        message=_said(f"{why}; {found.sorries_filled} of {found.sorries_total} proofs were filled", run),
        code=returned if in_order else "",
        refusal="" if in_order else found.code,
        sorries_total=found.sorries_total,
        sorries_filled=found.sorries_filled,
    )


def _formalized(job: Job, run: Run, returned: str, check: Check | None) -> Outcome:
    """A formalisation: a statement, with a proof where that was asked for and nothing in it is open."""
    from kleis.corpus.lean_source import read_lean
    from kleis.lean import count_sorries, theorem_names

    open_ones = count_sorries(returned)
    if run.status != "complete" or not read_lean(returned).declarations:
        what = "no statement came back" if run.status == "complete" else "the run ended early"
        return Outcome(status="failed", message=_said(what, run), code=returned)
    objection = _objection(returned)
    if objection is not None:
        refusal, reason = objection
        message = f"the text is not accepted: {reason}"
        return Outcome(status="failed", message=message, code=returned, refusal=refusal)
    if job.wants_proof and not open_ones:
        message = "formalised and proved; whether the statement says what was meant is for you to judge"
        proved = Outcome(status="proved", message=message, code=returned)
        return _looked_at(proved, "", theorem_names(returned), check)
    message = "formalised; whether it says what was meant is for you to judge"
    if job.wants_proof:
        message = f"formalised, but not proved: {open_ones} proofs are open"
    return Outcome(status="formalized", message=message, code=returned, sorries_total=open_ones)


def _objection(text: str) -> tuple[str, str] | None:
    """A code and the reason why a formalisation is not accepted: it assumes, switches off or redefines something."""
    from kleis.lean import LeanError
    from kleis.lean.acceptance.commands import COMMANDS, CONSTANTS, WORDS, commands_of

    try:
        commands = commands_of(text)
    except LeanError as error:
        return "unreadable", error.message
    for command in commands:
        if command.word not in _FORMAL:
            return COMMANDS.get(command.word) or "unknown-command", f"it has a command {command.word}"
        for token in command.tokens:
            for part in (token.text, token.text.rpartition(".")[2]) if token.kind == "name" else ():
                if part in WORDS or part in CONSTANTS:
                    return WORDS.get(part) or CONSTANTS[part], f"{part} stands in it"
    return None


def _said(message: str, run: Run) -> str:
    """A message with what the service said of the run, shortened."""
    summary = " ".join(run.summary.split())
    return f"{message}: {summary[:500]}" if summary else message
