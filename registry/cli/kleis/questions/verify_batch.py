"""`kleis verify --batch`: many propositions about the same files, on this machine or with the workers of a cluster.

A batch is a file of JSON lines, each a proposition as a string, or an object with `proposition` and maybe `using`, `lemmas`
and `expect`.  JSON: a line for each, in the order of the file, the fields of the verdict with `line`.

Exit status: 2 if a question is ill-formed, else 1 if one is disproved, its axioms clash, or a verdict is not the expected
one, else 3 if one is unknown, else 0.
"""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from kleis.decoding import decode_json
from kleis.errors import KleisError
from registry.cli.kleis.questions.verify import exit_status, load_imports
from registry.cli.kleis.shared.pulled import pulled_verdicts
from registry.cli.kleis.shared.question import Question, user_cache
from registry.cli.kleis.shared.reports import print_verdict, render
from registry.cli.kleis.shared.strict import strict_errors
from registry.cli.terminal.live_line import LiveLine
from registry.cli.terminal.plain_output import print_error
from registry.cli.terminal.screen import Screen, json_text

if TYPE_CHECKING:
    from kleis.prover.protocol.verdict import Verdict

__all__ = ["verify_batch"]


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    proposition: str
    using: str = ""
    lemmas: tuple[str, ...] = ()
    expect: Literal["", "verified", "disproved", "inconsistent", "unknown", "error"] = ""


class BatchFileError(KleisError):
    """A line of a batch that is no question."""


def verify_batch(
    file: Path, question: Question, *, cluster: str = "", trust_unknown: bool = False, as_json: bool
) -> int:
    """Decide the propositions of a file and print the verdicts as soon as those before them are there; the exit status.

    `question` says what is common to them: imports, structure, effort, cache.
    """
    from kleis.batches.batch import Batch
    from kleis.batches.cluster import Cluster, parse_address
    from kleis.batches.questions import Asked
    from kleis.prover.process.broker import Broker
    from kleis.prover.process.deadline import processors

    try:
        lines = _read(file)
        if cluster:
            parse_address(cluster)
        loading = load_imports(question.imports, question.path)
        texts = {source.name: source.text for source in loading.sources}
        errors = strict_errors(loading, strict=question.strict)
        if errors:
            print_error(f"error  {render(errors[0], texts.get(errors[0].file, ''))}", style="bad")
            return 2
    except KleisError as error:
        print_error(f"error  {render(error, '')}", style="bad")
        return 2
    asked = [Asked(each.proposition, each.using or question.using, each.lemmas) for _, each in lines]
    report = _Report(lines, as_json=as_json)
    jobs = processors()
    with ExitStack() as around:
        broker = around.enter_context(Broker())
        batch = Batch(
            loading,
            broker=broker,
            cache=None if question.fresh else user_cache(),
            effort=question.patience.effort,
            jobs=jobs,
            trust_unknown=trust_unknown,
            note=report.note,
            elsewhere=None
            if question.fresh
            else pulled_verdicts(broker, lambda warning: report.note(str(warning))),
        )
        report.line = around.enter_context(LiveLine(lambda: str(batch.progress)))
        opening = None
        if cluster:
            opening = around.enter_context(Cluster(cluster)).opening(batch.theories)
        for place, verdict in batch.decide(asked, opening):
            report.add(place, verdict)
    return report.end()


def _read(file: Path) -> list[tuple[int, _Line]]:
    """The questions of a file, each with its line.  Raises `BatchFileError`."""
    found = []
    try:
        text = file.read_bytes().decode()
    except (OSError, UnicodeDecodeError) as error:
        raise BatchFileError(f"{file} cannot be read: {error}", code="batch", file=str(file)) from error
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            read = decode_json(line, str | _Line)
        except msgspec.DecodeError as error:
            raise BatchFileError(
                f"line {number} is no question: {error}",
                code="batch",
                file=str(file),
                line=number,
                found=line[:80],
                expected=('"∀(x : ℤ). x = x"', '{"proposition": "…", "using": "Group(G)"}'),
                hint="each line is JSON: a string, or an object with a proposition",
            ) from error
        found.append((number, _Line(read) if isinstance(read, str) else read))
    return found


class _Report:
    """Prints verdicts in the order of the file, and keeps the count."""

    def __init__(self, lines: list[tuple[int, _Line]], *, as_json: bool) -> None:
        self._lines = lines
        self._as_json = as_json
        self._screen = Screen()
        self._waiting: dict[int, Verdict] = {}
        self._next = 0
        self._statuses: Counter[str] = Counter()
        self._exits: set[int] = set()
        self.line: LiveLine | None = None

    def note(self, text: str) -> None:
        """Say something about workers."""
        with ExitStack() as around:
            if self.line is not None:
                around.enter_context(self.line.hidden())
            print_error(text, style="warning")

    def add(self, place: int, verdict: Verdict) -> None:
        """Take a verdict in, and print what is ready."""
        self._waiting[place] = verdict
        while self._next in self._waiting:
            self._print(self._next, self._waiting.pop(self._next))
            self._next += 1

    def _print(self, place: int, verdict: Verdict) -> None:
        number, asked = self._lines[place]
        self._statuses[verdict.status] += 1
        self._exits.add(exit_status(verdict.status, asked.expect))
        with ExitStack() as around:
            if self.line is not None:
                around.enter_context(self.line.hidden())
            if self._as_json:
                self._screen.out.write(json_text({"line": number, **verdict.as_dict()}) + "\n")
            elif verdict.status == "error":
                print_error(f"error  line {number}: {verdict.message}", style="bad")
            else:
                print_verdict(self._screen, verdict)
            if asked.expect and verdict.status != asked.expect:
                print_error(f"line {number}: expected {asked.expect}, found {verdict.status}", style="bad")

    def end(self) -> int:
        """Print the count; the exit status."""
        if not self._as_json:
            counts = ", ".join(f"{count} {status}" for status, count in sorted(self._statuses.items()))
            self._screen.write(f"{len(self._lines)} questions: {counts}" if counts else "0 questions")
        return next((each for each in (2, 1, 3) if each in self._exits), 0)
