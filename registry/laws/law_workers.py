"""Laws of many versions proved by workers of a cluster, and their certificates brought back (docs/how-to/use-a-cluster.md).

    versions ── a task each, over the tools of the home ──> workers: laws proved in order ──> certificates

The laws of one version are lemmas of each other and stay together. A worker proves them by `LawCheck` as this process would;
what it says is its certificates and nothing else, and `registry.laws.certified_laws.shown_law` checks each here, from nothing.

Invariants
    * Tools travel once to a worker, by the digest of what they are.
    * A worker with another version of this program, of its library or of a solver answers nothing, and is named.
"""

from __future__ import annotations

import atexit
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

import msgspec

from kleis.batches.engines_here import version_here
from kleis.batches.questions import digest_of_bytes
from kleis.batches.spread import QUIET, Kind, Opening, spread_of
from kleis.batches.work import worker_name
from kleis.budget import deep_thread
from kleis.decoding import decode_msgpack
from kleis.errors import KleisError
from kleis.prover.process.deadline import Deadline
from pif.language.errors import PifError, nearest
from registry.errors import RegistryError
from registry.laws.check_laws import LawCheck
from registry.laws.law_prover import LawProver
from registry.laws.law_report import WHERE_DEFINED
from registry.records import NO_EXAMPLES, TEAM_PREFIX, ToolRecord
from registry.store.protocol import Lineage
from registry.tools.code_and_examples import verified
from registry.tools.library import Library, directory_of_the_library
from registry.tools.snapshot_tools import Overlay, SnapshotTools, TermCache

__all__ = ["Arriving", "LawAnswer", "LawTask", "LawWorkers", "Shown", "answer", "laws_version"]

_HOMES = 4
"""Sets of tools that a worker keeps."""


class Shown(msgspec.Struct, frozen=True):
    """A law that a worker has proved: its text, its lemmas, and the certificate's text. Nothing of it is believed."""

    law: str
    lemmas: tuple[str, ...]
    certificate: str
    engine: str = ""


class LawTask(msgspec.Struct, frozen=True):
    """Laws of one version, to be proved in order. `theories`: the digest of the tools; `seconds`: 0 for no limit."""

    reference: str
    laws: tuple[str, ...]
    theories: tuple[str, ...]
    version: str
    seconds: float = 0.0


class LawAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a task: the laws that were proved. `refused` is the worker's version where it is another one; `failure` is why
    the worker could not work."""

    worker: str
    shown: tuple[Shown, ...] = ()
    refused: str = ""
    failure: str = ""


class LawWorkers(msgspec.Struct, frozen=True):
    """Workers that may be asked about laws. `opening` gives a pool for tools by their digest; `note` is told, for people, what went
    wrong; `told` how many of how many versions were answered."""

    opening: Callable[[Mapping[str, bytes]], Opening]
    note: Callable[[str], None] = lambda text: None
    told: Callable[[int, int], None] = lambda answered, asked: None
    quiet: float = QUIET

    def prove(
        self, asked: Sequence[tuple[ToolRecord, Sequence[str]]], tools: SnapshotTools, seconds: float = 0.0
    ) -> Iterator[tuple[ToolRecord, LawAnswer | None]]:
        """What workers show of laws of versions, as it arrives; None where none of them says anything. Those of teams, whose tools
        do not travel, come first."""
        mine = [each for each in asked if not each[0].name.startswith(TEAM_PREFIX)]
        yield from ((record, None) for record, _ in asked if record.name.startswith(TEAM_PREFIX))
        if not mine:
            return
        shipped = msgspec.msgpack.encode(_records(tools))
        digest = digest_of_bytes(shipped)
        records = {record.reference: record for record, _ in mine}
        tasks = [
            LawTask(record.reference, tuple(laws), (digest,), laws_version(), seconds)
            for record, laws in mine
        ]
        answered = 0
        self.told(answered, len(tasks))
        for task, found in spread_of(
            LAWS, tasks, self.opening({digest: shipped}), note=self.note, quiet=self.quiet
        ):
            answered += found is not None
            self.told(answered, len(tasks))
            yield records[task.reference], found


class Arriving:
    """The certificates of one version that came from a worker, each used once at most."""

    def __init__(self, answer: LawAnswer | None) -> None:
        self.worker = "" if answer is None else answer.worker
        self._shown = {} if answer is None else {each.law: each for each in answer.shown}
        self.rejected = 0

    def of(self, law: str) -> Shown | None:
        """What came for a law."""
        return self._shown.pop(law, None)


# ── On a worker ──────────────────────────────────────────────────────────────────────────────────────────────


def answer(held: Mapping[str, bytes], task: bytes) -> bytes:
    """The answer to a task, a `LawAnswer` as MessagePack; what goes wrong is in it, with the worker's name."""
    wanted = decode_msgpack(task, LawTask)
    worker = worker_name()
    if wanted.version != laws_version():
        return msgspec.msgpack.encode(LawAnswer(worker=worker, refused=laws_version()))
    found: list[LawAnswer] = []

    def work() -> None:
        try:
            found.append(LawAnswer(worker=worker, shown=_shown(held[wanted.theories[0]], wanted)))
        except (
            KleisError,
            PifError,
            RegistryError,
            OSError,
            MemoryError,
            RecursionError,
            RuntimeError,
        ) as error:
            found.append(LawAnswer(worker=worker, failure=f"{type(error).__name__}: {error}"))

    deep_thread(work, "pif-laws").join()
    if not found:
        found.append(LawAnswer(worker=worker, failure="the task ended without an answer"))
    return msgspec.msgpack.encode(found[0])


LAWS: Kind[LawTask, LawAnswer] = Kind(answer, LawAnswer)


def _shown(shipped: bytes, task: LawTask) -> tuple[Shown, ...]:
    """The laws of a task that are proved as they are written, with their certificates."""
    tools = _tools(shipped)
    tool = tools.tool(task.reference)
    if tool is None:
        return ()
    view = Overlay(tools, tool.name, tool.version, tool.term)
    if not task.seconds:
        return tuple(
            _proved(LawCheck(view, tools.names, _prover(), subject=view.new, kept=view.kept_laws), task)
        )
    with _prover().within(Deadline(task.seconds)) as prover:
        check = LawCheck(view, tools.names, prover, subject=view.new, kept=view.kept_laws)
        return tuple(_proved(check, task))


def _proved(check: LawCheck, task: LawTask) -> Iterator[Shown]:
    for law in task.laws:
        report = check.report(law)
        if report.status == "proved" and WHERE_DEFINED not in report.labels:
            yield Shown(law, report.lemmas, report.certificate, report.engine)


@cache
def _prover() -> LawProver:
    prover = LawProver()
    atexit.register(prover.close)
    return prover


@lru_cache(_HOMES)
def _tools(shipped: bytes) -> SnapshotTools:
    """The tools that a task is about, over the library here, which is the same."""
    records = decode_msgpack(shipped, tuple[ToolRecord, ...])
    return SnapshotTools(_Records(records), TermCache(), Library(verified))


class _Records:
    """Records as a snapshot: the last version of a name is its current one."""

    sequence = 0

    def __init__(self, records: Sequence[ToolRecord]) -> None:
        self._versions = {(each.name, each.version): each for each in records}
        self._current = {each.name: each for each in records}

    def record(self, name: str, version: int | None = None) -> ToolRecord | None:
        """The tool of that name and version."""
        return self._current.get(name) if version is None else self._versions.get((name, version))

    def names(self) -> tuple[str, ...]:
        """All names."""
        return tuple(sorted(self._current))

    def lineage(self, name: str) -> Lineage | None:
        """Nothing: what has happened to a name did not travel."""
        return None

    def nearest(self, name: str) -> str | None:
        """The name closest in spelling."""
        return nearest(name, self._current)


# ── On both sides ────────────────────────────────────────────────────────────────────────────────────────────


def _records(tools: SnapshotTools) -> tuple[ToolRecord, ...]:
    """All versions of a home's tools, the current one of each name last. Examples and texts in Python do not travel."""
    found: list[ToolRecord] = []
    for name in tools.snapshot.names():
        lineage, current = tools.lineage(name), tools.find(name)
        versions = () if lineage is None else lineage.versions
        found += [each for each in versions if current is None or each.version != current.version]
        found += [] if current is None else [current]
    return tuple(msgspec.structs.replace(each, examples=NO_EXAMPLES, python=None) for each in found)


@cache
def laws_version() -> str:
    """The version of everything that decides what a law is and how it is proved: this program, its library, the solvers."""
    content = hashlib.sha256()
    here = Path(__file__).parents[1]
    for root in (here.with_name("pif"), here):
        _add(content, root, sorted(root.glob("**/*.py")))
    library = directory_of_the_library()
    _add(content, library, sorted(each for each in library.glob("**/*") if each.is_file()))
    return f"{version_here()} registry {content.hexdigest()[:16]}"


def _add(content: hashlib._Hash, root: Path, paths: Sequence[Path]) -> None:
    for path in paths:
        content.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes() + b"\0")
