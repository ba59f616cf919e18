"""A stand-in for the proving service that proves nothing: `StandIn` plays out scripts (docs/reference/lean.md §8.9).

With ``ARISTOTLE_MOCK=true`` the server uses a `StandIn` in its own process.  With
``ARISTOTLE_STAND_IN=http://127.0.0.1:PORT`` it uses `HttpService`, the client to a stand-in that another process
serves on loopback: the tests serve one.  Requests and answers are JSON over HTTP; no other address is accepted.

What becomes of a project is its `Script`: the one that was queued for it, else the one that words in its text ask for:

| words in the code, file name or description | script |
|---|---|
| `false_theorem`, `bad_lemma` | refuted |
| `timeout`, `hard` (code); `fail` (file name) | the run ends out of its budget |
| `partial` (file name) | half of the proofs are filled |
| anything else | every `sorry` is filled; a description becomes a statement |

"Filled" means that the word `sorry` is replaced by a tactic that stands for a proof.  Nothing is proved: every file that
comes from here ends with `MARK`.

Invariant: with a directory, a project is on disk before its id is returned, so its script continues after a restart.
"""

from __future__ import annotations

import http.client
import re
import secrets
import threading
from collections import deque
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar, get_args
from urllib.parse import urlsplit

import msgspec

from kleis import durable_files
from kleis.decoding import decode_json
from registry.aristotle.service import (
    DESCRIPTION,
    FORMALIZE,
    Finding,
    Mode,
    Overview,
    Run,
    RunStatus,
    ServiceFailure,
    Submission,
)

__all__ = ["MARK", "OPERATIONS", "Fault", "HttpService", "Operation", "Script", "StandIn", "scripted"]

MARK = "-- mock: no proof was looked for"

Ending: TypeAlias = Literal[
    "proved",
    "partial",
    "refuted",
    "negated",
    "failed",
    "canceled",
    "out_of_budget",
    "with_errors",
    "changed",
    "axiom",
    "unfilled",
    "lost",
]

Operation: TypeAlias = Literal["submit", "find", "look", "fetch", "findings", "cancel", "overview"]

OPERATIONS: tuple[Operation, ...] = get_args(Operation)

Fault: TypeAlias = Literal[
    "rate_limited", "run_limit", "authentication", "service_error", "refused", "drop", "drop_after", "garbage"
]

_RUNS: dict[Ending, RunStatus] = {
    "failed": "failed",
    "canceled": "canceled",
    "out_of_budget": "out_of_budget",
    "with_errors": "complete_with_errors",
}
_SORRY = re.compile(r"\b(?:sorry|admit)\b")
_FILLED = "exact mock_proof"
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_TIMEOUT = 10.0
_LARGEST = 32 * 1024 * 1024

T = TypeVar("T")


class Script(msgspec.Struct, frozen=True):
    """What becomes of one project: `looks` times it is queued, then in progress, then it ends."""

    ending: Ending
    looks: int = 2
    raw: str = ""


class _Project(msgspec.Struct):
    id: str
    submission: Submission
    script: Script
    seen: int = 0
    cancelled: bool = False


class StandIn:
    """The service in this process.

    `scripts` are for the next new projects, in order, instead of those that words ask for.  The first of `faults` happens
    at the next call of its operation.  `submissions` are those that began a project.
    """

    mode: Mode = "mock"
    interval = 0.01
    retry_after_s = 1

    def __init__(self, directory: Path | None = None) -> None:
        self._directory = directory
        self._projects: dict[str, _Project] = {}
        self._lock = threading.Lock()
        self.scripts: deque[Script] = deque()
        self.faults: deque[tuple[Operation, Fault]] = deque()
        self.submissions: list[Submission] = []

    def fault(self, operation: Operation) -> Fault | None:
        """Take the next fault if it is one of this operation."""
        with self._lock:
            if self.faults and self.faults[0][0] == operation:
                return self.faults.popleft()[1]
            return None

    def _meet(self, operation: Operation) -> Fault | None:
        """Raise the next fault of the operation if it comes before the work; return one that comes after it."""
        fault = self.fault(operation)
        match fault:
            case None | "drop_after":
                return fault
            case "drop":
                raise ServiceFailure("connection")
            case "garbage":
                raise ServiceFailure("unreadable")
            case _:
                raise ServiceFailure(fault)

    def submit(self, submission: Submission) -> str:
        """Begin a project and return its id; a key that is known gives the project it has."""
        fault = self._meet("submit")
        found = self._by_key(submission.key)
        if found is None:
            with self._lock:
                script = self.scripts.popleft() if self.scripts else scripted(submission)
                found = _Project(secrets.token_hex(8), submission, script)
                self.submissions.append(submission)
                self._keep(found)
        if fault is not None:
            raise ServiceFailure("outcome_unknown")
        return found.id

    def find(self, key: str) -> str | None:
        """The project of a key."""
        self._meet("find")
        found = self._by_key(key)
        return None if found is None else found.id

    def look(self, project: str) -> Run:
        """Take one step of the script and return the state of the run."""
        self._meet("look")
        with self._lock:
            found = self._project(project)
            if found.cancelled:
                return Run("canceled")
            found.seen += 1
            self._keep(found)
            script, seen = found.script, found.seen
        if seen <= script.looks:
            if script.raw:
                return Run("unknown", raw=script.raw)
            return Run("queued", percent=0) if seen == 1 else Run("in_progress", percent=50)
        ended = _RUNS.get(script.ending, "complete")
        summary = "the time for it was used up" if ended == "out_of_budget" else ""
        return Run(ended, summary=summary)

    def fetch(self, project: str, path: str) -> str | None:
        """A file of the project as the script leaves it; None where it has none."""
        self._meet("fetch")
        with self._lock:
            found = self._project(project)
        if found.script.ending == "lost" or path not in found.submission.files:
            return None
        return _written(found.submission, path, found.script.ending)

    def findings(self, project: str) -> tuple[Finding, ...]:
        """The findings on declarations: one counterexample where the script is a refutation."""
        self._meet("findings")
        with self._lock:
            found = self._project(project)
        if found.script.ending != "refuted":
            return ()
        from kleis.lean import theorem_names

        names = theorem_names(found.submission.files[found.submission.target])
        message = "mock: it fails for n = 0"
        return tuple(Finding(name, "refuted", "counterexample", message) for name in names[:1])

    def cancel(self, project: str) -> bool:
        """Cancel a run; false where it has ended."""
        self._meet("cancel")
        with self._lock:
            found = self._project(project)
            if found.seen > found.script.looks:
                return False
            found.cancelled = True
            self._keep(found)
            return True

    def overview(self) -> Overview:
        """The toolchain, and the number of projects."""
        self._meet("overview")
        count = len(self._projects) if self._directory is None else len(list(self._directory.glob("*.json")))
        return Overview("mock", count)

    def _keep(self, project: _Project) -> None:
        if self._directory is None:
            self._projects[project.id] = project
            return
        self._directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        content = msgspec.json.encode(project)
        durable_files.write_whole(self._directory / f"{project.id}.json", content, mode=None, durable=False)

    def _project(self, project: str) -> _Project:
        found = self._projects.get(project)
        if self._directory is not None and re.fullmatch("[0-9a-f]{16}", project):
            found = self._stored(self._directory / f"{project}.json")
        if found is None:
            raise ServiceFailure("not_found")
        return found

    def _stored(self, path: Path) -> _Project | None:
        try:
            return decode_json(path.read_bytes(), _Project)
        except (FileNotFoundError, msgspec.DecodeError):
            return None

    def _by_key(self, key: str) -> _Project | None:
        known = list(self._projects.values())
        if self._directory is not None and self._directory.is_dir():
            known += [found for path in self._directory.glob("*.json") if (found := self._stored(path))]
        return next((project for project in known if project.submission.key == key), None)


def scripted(submission: Submission) -> Script:
    """The script that words in a submission ask for; comments that were sent along count, the prompt does not."""
    name = submission.target.rpartition("/")[2].casefold()
    text = submission.files.get(submission.target, "").casefold()
    is_snippet = submission.target == "Main.lean"
    if "partial" in name:
        return Script("partial")
    if "fail" in name:
        return Script("out_of_budget")
    if is_snippet and ("false_theorem" in text or "bad_lemma" in text):
        return Script("refuted")
    if is_snippet and ("timeout" in text or "hard" in text):
        return Script("out_of_budget")
    return Script("proved")


_STATEMENTS = (
    (("even", "sum"), "theorem sum_of_evens (a b : ℕ) (ha : a % 2 = 0) (hb : b % 2 = 0) : (a + b) % 2 = 0"),
    (("prime",), "theorem a_prime_above (n : ℕ) : ∃ p : ℕ, n < p ∧ Nat.Prime p"),
    (("commut",), "theorem add_commutes (a b : ℕ) : a + b = b + a"),
    ((), "theorem described (n : ℕ) : n = n"),
)


def _written(submission: Submission, path: str, ending: Ending) -> str:
    """A file as a script leaves it."""
    text = submission.files[path]
    if DESCRIPTION in submission.files:
        text = _formalised(submission, submission.files[DESCRIPTION])
    total = len(_SORRY.findall(text)) if submission.prompt != FORMALIZE else 0
    match ending:
        case "proved" | "changed" | "axiom":
            count = total
        case "partial" | "with_errors":
            count = (total + 1) // 2
        case _:
            count = 0
    text = _SORRY.sub(_FILLED, text, count=count) if count else text
    if ending == "changed":
        text = text.replace(" : ", " : True ∨ ", 1)
    if ending == "negated":
        text += f"\n{_negation(text)}\n"
    if ending == "axiom":
        text += "\naxiom mock_axiom : False"
    return f"{text.rstrip()}\n{MARK}\n"


def _negation(text: str) -> str:
    """The first theorem's negation; of one without binders, which is all that scripts are played on."""
    from kleis.corpus.lean_source import read_lean

    theorem = next(each for each in read_lean(text).declarations if each.kind == "theorem")
    statement = theorem.signature.partition(" : ")[2]
    short = theorem.name.rpartition(".")[2]
    return f"theorem {short}_is_false : ¬ ({statement}) := by\n  {_FILLED}"


def _formalised(submission: Submission, description: str) -> str:
    """An open statement for a description."""
    low = description.casefold()
    statement = next(lean for words, lean in _STATEMENTS if all(word in low for word in words))
    context = [name for name in submission.files if name not in (submission.target, DESCRIPTION)]
    notes = "".join(f"-- context: {name}\n" for name in sorted(context))
    return f"import Mathlib\n\n{notes}{statement} := by\n  sorry\n"


class HttpService:
    """The client to a stand-in over HTTP; `key` goes in a header, as the real service's does."""

    mode: Mode = "stand-in"
    interval = 0.02
    retry_after_s = 1

    def __init__(self, origin: str, key: str) -> None:
        parts = urlsplit(origin)
        host, port = parts.hostname, parts.port
        if parts.scheme != "http" or host not in _LOOPBACK or port is None or parts.username is not None:
            raise ValueError("ARISTOTLE_STAND_IN is an address on loopback: http://127.0.0.1:PORT")
        self._host, self._port, self._key = host, port, key

    def submit(self, submission: Submission) -> str:
        """Begin a run."""
        return self._ask("submit", submission, str)

    def find(self, key: str) -> str | None:
        """The project of a key."""
        return self._ask("find", [key], tuple[str | None])[0]

    def look(self, project: str) -> Run:
        """Where a run stands."""
        return self._ask("look", project, Run)

    def fetch(self, project: str, path: str) -> str | None:
        """A file of the project."""
        return self._ask("fetch", [project, path], tuple[str | None])[0]

    def findings(self, project: str) -> tuple[Finding, ...]:
        """The findings on declarations."""
        return self._ask("findings", project, tuple[Finding, ...])

    def cancel(self, project: str) -> bool:
        """Stop a run."""
        return self._ask("cancel", project, bool)

    def overview(self) -> Overview:
        """The toolchain, and the number of projects."""
        return self._ask("overview", None, Overview)

    def _ask(self, operation: Operation, argument: Any, kind: type[T]) -> T:
        status, headers, data = self._exchange(operation, msgspec.json.encode(argument))
        match status:
            case 200:
                try:
                    return decode_json(data, kind)
                except (msgspec.DecodeError, UnicodeDecodeError) as error:
                    raise ServiceFailure("unreadable") from error
            case 401 | 403:
                raise ServiceFailure("authentication")
            case 404:
                raise ServiceFailure("not_found")
            case 429:
                after = headers.get("Retry-After", "")
                seconds = int(after) if after.isdigit() else None
                raise ServiceFailure(
                    "run_limit" if data == b"runs" else "rate_limited", retry_after_s=seconds
                )
            case 400:
                raise ServiceFailure("refused")
            case _:
                raise ServiceFailure("service_error")

    def _exchange(self, operation: Operation, body: bytes) -> tuple[int, http.client.HTTPMessage, bytes]:
        connection = http.client.HTTPConnection(self._host, self._port, timeout=_TIMEOUT)
        try:
            connection.connect()
        except OSError as error:
            raise ServiceFailure("connection") from error
        try:
            connection.request("POST", f"/{operation}", body, {"X-API-Key": self._key})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read(_LARGEST)
        except TimeoutError as error:
            raise ServiceFailure("timeout") from error
        except (OSError, http.client.HTTPException) as error:
            raise ServiceFailure("outcome_unknown") from error
        finally:
            connection.close()
