"""The tools of the group `lean` as clients see them (docs/reference/serving.md §6.5)."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from registry.server.contract.schemas import Natural, choice, spec, switch, text, texts, whole

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


class Prove(msgspec.Struct, frozen=True):
    code: str
    context_files: tuple[str, ...] | None = None
    hint: str | None = None
    wait: bool = True
    language: Literal["lean", "kleis"] = "lean"
    session: str = "default"
    theory: str | None = None
    using: str | None = None
    lemmas: Annotated[tuple[str, ...], msgspec.Meta(max_length=50)] = ()


class CheckProof(msgspec.Struct, frozen=True):
    project_id: str


class ProveFile(msgspec.Struct, frozen=True):
    file_path: str
    output_path: str | None = None
    wait: bool = True


class CheckProveFile(msgspec.Struct, frozen=True):
    project_id: str
    output_path: str | None = None
    save: bool = False


class Formalize(msgspec.Struct, frozen=True):
    description: str
    prove: bool = False
    context_file: str | None = None
    wait: bool = True


class CheckFormalize(msgspec.Struct, frozen=True):
    project_id: str


class Cancel(msgspec.Struct, frozen=True):
    project_id: str


class AristotleStatus(msgspec.Struct, frozen=True):
    pass


class ListJobs(msgspec.Struct, frozen=True):
    offset: Natural = 0
    limit: Annotated[int, msgspec.Meta(ge=1, le=500)] = 50


_WAIT = switch("Wait up to 45 s for the result; false answers at once with a project_id.", default=True)
_ID = text("The project_id of an earlier answer.")
_EXAMPLE_ID = {"project_id": "aristotle-0123456789abcdef0123456789abcdef"}

TOOLS = (
    spec(
        "prove",
        "Prove",
        "Fill in the `sorry`s of a Lean snippet, or decide a Kleis proposition. Lean: the answer is proved only if every "
        "statement is as it was and nothing is left open, assumed or switched off. Kleis: the provers here first; what "
        "they leave unknown is exported to Lean and becomes a job where a key is set; `decided_by` says who decided.",
        Prove,
        {
            "code": text("Lean text with `sorry` where proofs are wanted; or a Kleis proposition."),
            "context_files": texts("Lean files that go along, inside the server's --root directories."),
            "hint": text("How the proof may go, in words."),
            "wait": _WAIT,
            "language": choice(("lean", "kleis"), default="lean"),
            "session": text("Kleis: the theory session that the proposition is about."),
            "theory": text("Kleis: declarations to use instead of a session's."),
            "using": text("Kleis: the structure that the proposition is about."),
            "lemmas": texts("Kleis: propositions to prove first, then use."),
        },
        {"code": "theorem add_zero' (n : Nat) : n + 0 = n := by\n  sorry"},
        open_world=True,
    ),
    spec(
        "check_proof",
        "Check a proof job",
        "Look once at a job of `prove`. Status queued or in_progress: wait retry_after_s before the next look.",
        CheckProof,
        {"project_id": _ID},
        _EXAMPLE_ID,
        open_world=True,
        idempotent=True,
    ),
    spec(
        "prove_file",
        "Prove a file",
        "Fill in the `sorry`s of a Lean file, with its Lake project along, and write FILE.solved.lean. Existing files are "
        "never replaced; sorries_filled and sorries_total say how far it came.",
        ProveFile,
        {
            "file_path": text("The Lean file, inside the server's --root directories."),
            "output_path": text("Where the result goes; it must not exist."),
            "wait": _WAIT,
        },
        {"file_path": "Project/Basic.lean"},
        open_world=True,
    ),
    spec(
        "check_prove_file",
        "Check a file job",
        "Look once at a job of `prove_file`. Writes the result only with save: true, to a name that is free.",
        CheckProveFile,
        {
            "project_id": _ID,
            "output_path": text("Where to write instead of the job's own place."),
            "save": switch("Write the result to disk."),
        },
        {**_EXAMPLE_ID, "save": True},
        open_world=True,
    ),
    spec(
        "formalize",
        "Formalize",
        "Turn a description in words into a Lean statement, with a proof if `prove` is true. Whether the statement says "
        "what was meant is for the reader to judge. Without a key the answer shows the way over Kleis.",
        Formalize,
        {
            "description": text("What is to be stated, in words and formulas."),
            "prove": switch("Also ask for a proof."),
            "context_file": text("A Lean file whose definitions may be used, inside --root."),
            "wait": _WAIT,
        },
        {"description": "The sum of two even natural numbers is even."},
        open_world=True,
    ),
    spec(
        "check_formalize",
        "Check a formalization job",
        "Look once at a job of `formalize`.",
        CheckFormalize,
        {"project_id": _ID},
        _EXAMPLE_ID,
        open_world=True,
        idempotent=True,
    ),
    spec(
        "cancel",
        "Cancel a job",
        "Stop a job of any kind. A job that has ended stays as it is.",
        Cancel,
        {"project_id": _ID},
        _EXAMPLE_ID,
        open_world=True,
        destructive=True,
        idempotent=True,
    ),
)

MORE_TOOLS = (
    spec(
        "aristotle_status",
        "Status of Aristotle",
        "Say whether a key is set and accepted, the projects begun today, and whether the service answers.",
        AristotleStatus,
        {},
        {},
        read_only=True,
        open_world=True,
    ),
    spec(
        "list_jobs",
        "List jobs",
        "List the jobs of this home with their status, the newest first. Asks the service nothing.",
        ListJobs,
        {
            "offset": whole(0, default=0),
            "limit": whole(1, 500, default=50),
        },
        {},
        read_only=True,
    ),
)
