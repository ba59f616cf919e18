"""The tools of the group `lean` as clients see them (docs/reference/serving.md §6.5)."""

from __future__ import annotations

from registry.server.contract.group import ToolSpec
from registry.server.groups.lean import requests
from registry.server.groups.lean.answer_shapes import (
    FailureFields,
    JobAnswer,
    JobsAnswer,
    KleisAnswer,
    StatusAnswer,
)

__all__ = ["BRIEF", "INSTRUCTIONS", "MORE_TOOLS", "TOOLS"]

INSTRUCTIONS = """\
Lean proofs by Aristotle, with Kleis first. A call answers within 50 s; what takes longer is a job: keep its project_id, \
wait `retry_after_s`, then ask once.
- fill the `sorry`s of a snippet: `prove` · then `check_proof`
- decide a Kleis proposition: `prove` with language "kleis": the provers here, then Lean and Aristotle
- a file in a Lake project: `prove_file` · then `check_prove_file` (save: true writes FILE.solved.lean)
- words to Lean: `formalize` · then `check_formalize`
- stop a job: `cancel`
Status: proved, counterexample, partial, failed, error; submitted, queued, in_progress mean: not yet. `mock: true`: \
nothing was proved."""

BRIEF = """\
Lean: `prove` (code with sorry; or language "kleis"), `prove_file`, `formalize`; long work is a job: wait retry_after_s, \
then `check_proof`, `check_prove_file` (save: true), `check_formalize`; `cancel`. submitted, queued, in_progress: not \
yet. `mock: true`: nothing was proved."""


STATUS = {"status": "error"}
"""A field of every error: clients tell answers apart by `status`."""

_EXAMPLE_ID = {"project_id": "aristotle-0123456789abcdef0123456789abcdef"}

TOOLS = (
    ToolSpec(
        name="prove",
        title="Prove",
        description="Fill in the `sorry`s of a Lean snippet, or decide a Kleis proposition. Lean: the answer is proved only if every "
        "statement is as it was and nothing is left open, assumed or switched off. Kleis: the provers here first; what "
        "they leave unknown is exported to Lean and becomes a job where a key is set; `decided_by` says who decided.",
        arguments=requests.Prove,
        answers=(KleisAnswer, FailureFields),
        error_fields=STATUS,
        example={"code": "theorem add_zero' (n : Nat) : n + 0 = n := by\n  sorry"},
        open_world=True,
    ),
    ToolSpec(
        name="check_proof",
        title="Check a proof job",
        description="Look once at a job of `prove`. Status queued or in_progress: wait retry_after_s before the next look.",
        arguments=requests.CheckProof,
        answers=(JobAnswer, FailureFields),
        error_fields=STATUS,
        example=_EXAMPLE_ID,
        open_world=True,
        idempotent=True,
    ),
    ToolSpec(
        name="prove_file",
        title="Prove a file",
        description="Fill in the `sorry`s of a Lean file, with its Lake project along, and write FILE.solved.lean. Existing files are "
        "never replaced; sorries_filled and sorries_total say how far it came.",
        arguments=requests.ProveFile,
        answers=(JobAnswer, FailureFields),
        error_fields=STATUS,
        example={"file_path": "Project/Basic.lean"},
        open_world=True,
    ),
    ToolSpec(
        name="check_prove_file",
        title="Check a file job",
        description="Look once at a job of `prove_file`. Writes the result only with save: true, to a name that is free.",
        arguments=requests.CheckProveFile,
        answers=(JobAnswer, FailureFields),
        error_fields=STATUS,
        example={**_EXAMPLE_ID, "save": True},
        open_world=True,
    ),
    ToolSpec(
        name="formalize",
        title="Formalize",
        description="Turn a description in words into a Lean statement, with a proof if `prove` is true. Whether the statement says "
        "what was meant is for the reader to judge. Without a key the answer shows the way over Kleis.",
        arguments=requests.Formalize,
        answers=(JobAnswer, FailureFields),
        error_fields=STATUS,
        example={"description": "The sum of two even natural numbers is even."},
        open_world=True,
    ),
    ToolSpec(
        name="check_formalize",
        title="Check a formalization job",
        description="Look once at a job of `formalize`.",
        arguments=requests.CheckFormalize,
        answers=(JobAnswer, FailureFields),
        error_fields=STATUS,
        example=_EXAMPLE_ID,
        open_world=True,
        idempotent=True,
    ),
    ToolSpec(
        name="cancel",
        title="Cancel a job",
        description="Stop a job of any kind. A job that has ended stays as it is.",
        arguments=requests.Cancel,
        answers=(JobAnswer, FailureFields),
        may_ask=True,
        error_fields=STATUS,
        example=_EXAMPLE_ID,
        open_world=True,
        destructive=True,
        idempotent=True,
    ),
)

MORE_TOOLS = (
    ToolSpec(
        name="aristotle_status",
        title="Status of Aristotle",
        description="Say whether a key is set and accepted, the projects begun today, and whether the service answers.",
        arguments=requests.AristotleStatus,
        answers=(StatusAnswer, FailureFields),
        error_fields=STATUS,
        example={},
        read_only=True,
        open_world=True,
    ),
    ToolSpec(
        name="list_jobs",
        title="List jobs",
        description="List the jobs of this home with their status, the newest first. Asks the service nothing.",
        arguments=requests.ListJobs,
        answers=(JobsAnswer, FailureFields),
        error_fields=STATUS,
        example={},
        read_only=True,
    ),
)
