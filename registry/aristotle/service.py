"""The protocol of a proving service: submit, find, look, fetch, cancel.  See docs/reference/lean.md §8.1.

Adapters implement `AristotleService`; nothing else in this package knows which one it talks to.  All methods block, are
bounded in time by the adapter, and may be called from any thread.

Invariants
----------
- A failure is a `ServiceFailure` with a code out of `FAILURES` and that code's sentence: no text of a library, a server
  or a file comes through, so no key and no path can.
- `submit` with a key that was submitted before gives the same project; `find` finds it by that key.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Protocol, TypeAlias, get_args

import msgspec

__all__ = [
    "DESCRIPTION",
    "FAILURES",
    "FORMALIZE",
    "FORMALIZE_AND_PROVE",
    "MAIN",
    "NOT_TAKEN",
    "PASSING",
    "PROVE",
    "RUN_STATUSES",
    "AristotleService",
    "FailureCode",
    "Finding",
    "Mode",
    "Overview",
    "Run",
    "RunStatus",
    "ServiceFailure",
    "Submission",
]

MAIN = "Main.lean"
"""The file that holds a snippet, or gets a formalisation."""

DESCRIPTION = "DESCRIPTION.md"
"""The file that holds what is to be formalised."""

PROVE = (
    "Fill in every `sorry` of the Lean file {target} with a proof. Leave every statement, definition and import exactly "
    "as it is; add no axiom, no `native_decide` and no option. Lemmas of your own may be added before they are used. If "
    "a statement is false, add a theorem after it whose statement is its negation, and prove that."
)
FORMALIZE = (
    "Write the Lean 4 statement of what DESCRIPTION.md describes to Main.lean: definitions as needed, then one theorem "
    "whose proof is `sorry`. Use what the other files of the folder define. Do not prove it."
)
FORMALIZE_AND_PROVE = (
    "Write the Lean 4 statement of what DESCRIPTION.md describes to Main.lean, with a proof: definitions as needed, then "
    "one theorem. Use what the other files of the folder define; add no axiom."
)
"""What the service is asked for."""

RunStatus: TypeAlias = Literal[
    "queued",
    "in_progress",
    "complete",
    "complete_with_errors",
    "out_of_budget",
    "failed",
    "canceled",
    "unknown",
]
"""Where a run stands; the four before `unknown` and `complete` are final."""

RUN_STATUSES: tuple[RunStatus, ...] = get_args(RunStatus)
"""All of them."""

Mode: TypeAlias = Literal["real", "mock", "stand-in"]

FailureCode: TypeAlias = Literal[
    "no_key",
    "library_missing",
    "authentication",
    "rate_limited",
    "run_limit",
    "timeout",
    "connection",
    "outcome_unknown",
    "unreadable",
    "not_found",
    "refused",
    "service_error",
]

FAILURES: Mapping[FailureCode, str] = {
    "no_key": "no key for Aristotle is set",
    "library_missing": "the package aristotlelib is not installed",
    "authentication": "the service does not accept the key",
    "rate_limited": "the service asks for fewer requests (rate limit)",
    "run_limit": "the service runs as many of your projects as it allows (rate limit)",
    "timeout": "the service did not answer in time",
    "connection": "the service cannot be reached (connection)",
    "outcome_unknown": "the connection was lost before the service's answer came; it may have taken the job",
    "unreadable": "the service's answer cannot be read",
    "not_found": "the service does not know this project (not found)",
    "refused": "the service refused the request",
    "service_error": "the service had an error of its own",
}
"""The one sentence of each failure."""

PASSING: frozenset[FailureCode] = frozenset(
    ["rate_limited", "run_limit", "timeout", "connection", "outcome_unknown", "unreadable", "service_error"]
)
"""Failures after which trying again later is right: the job's state is not known to have changed."""

NOT_TAKEN: frozenset[FailureCode] = frozenset(["rate_limited", "run_limit", "connection"])
"""Failures of `submit` after which the service certainly has nothing."""


class ServiceFailure(Exception):
    """Why the service gave no answer.  `retry_after_s`: when it asks to be asked again."""

    def __init__(self, code: FailureCode, *, retry_after_s: int | None = None) -> None:
        super().__init__(FAILURES[code])
        self.code: FailureCode = code
        self.message = FAILURES[code]
        self.retry_after_s = retry_after_s


class Submission(msgspec.Struct, frozen=True):
    """A run to begin: the folder's files by path, which of them is to come back, and what is asked.

    `key` is the job's id: it names the project and makes a second submission the same as the first.
    """

    key: str
    prompt: str
    files: dict[str, str]
    target: str


class Run(msgspec.Struct, frozen=True):
    """Where a run stands.  `raw` is the service's own word where it is none of ours; `percent` only if it was said."""

    status: RunStatus
    raw: str = ""
    summary: str = ""
    percent: int | None = None

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen."""
        return self.status not in ("queued", "in_progress", "unknown")


class Finding(msgspec.Struct, frozen=True):
    """What the service says of one declaration."""

    name: str
    status: Literal["in_progress", "refuted", "proved", "removed", "failed"]
    evidence: str = ""
    message: str = ""


class Overview(msgspec.Struct, frozen=True):
    """How the service is: its Lean toolchain, and the projects begun today (UTC)."""

    toolchain: str
    projects_today: int


class AristotleService(Protocol):
    """A proving service."""

    @property
    def mode(self) -> Mode:
        """Which kind of service answers; anything but ``real`` is marked in every answer."""

    @property
    def interval(self) -> float:
        """Seconds between two looks at a run while a call waits."""

    @property
    def retry_after_s(self) -> int:
        """Seconds after which a client should ask again."""

    def submit(self, submission: Submission) -> str:
        """Begin a run; the project's id."""

    def find(self, key: str) -> str | None:
        """The project that was submitted with a key."""

    def look(self, project: str) -> Run:
        """Where a project's newest run stands."""

    def fetch(self, project: str, path: str) -> str | None:
        """A file of the project as it stands now; None where it is not there."""

    def findings(self, project: str) -> tuple[Finding, ...]:
        """What the service says of the declarations."""

    def cancel(self, project: str) -> bool:
        """Stop a project's run; False where it had ended."""

    def overview(self) -> Overview:
        """How the service is."""
