"""Properties tried by workers of a cluster, or of any executor (`python -m tests.fuzz --cluster ADDRESS`).

    properties ── tasks, each named with examples and seed ──> workers ──> counts and failures ── failures tried here ──> status

A property, a number of examples and a seed name what is tried: so a task may run twice, and what fails on a worker is run here
again before it is believed. That nothing failed there is believed: it is the word of a machine that may run code as we do, and
claims nothing but a search without a finding. A worker with other sources, of the product or of the tests, is refused.
"""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from kleis.batches.spread import Kind, Opening, spread_of
from kleis.batches.work import worker_name
from tests.fuzz.counting import Counts

__all__ = ["Found", "Share", "Tried", "sources_here", "tasks_of", "tried_elsewhere"]

ROOT = Path(__file__).resolve().parent.parent.parent
_ROOMS = ("pif", "kleis", "registry", "stdlib", "tests")
_TASKS = 64
"""About so many tasks: properties differ a hundredfold in time, and each task starts a pytest."""


class Share(msgspec.Struct, frozen=True):
    """Properties that one worker tries, by their pytest addresses."""

    tests: tuple[str, ...]
    examples: int
    seed: int
    version: str

    @property
    def theories(self) -> tuple[str, ...]:
        """Nothing travels but the task: workers have the tests."""
        return ()


class Tried(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a task: `counts` as `Counts.text`; `refused` is the worker's version where it is another one."""

    worker: str
    counts: str = ""
    refused: str = ""
    failure: str = ""


class Found(msgspec.Struct):
    """What workers found: counts, the properties that failed with the worker of each, and those that nobody tried."""

    counts: Counts = msgspec.field(default_factory=Counts)
    failed: dict[str, str] = {}
    untried: list[str] = []


@cache
def sources_here() -> str:
    """The version of this process: sources, tests and their data, by content, and what chooses the examples."""
    content = hashlib.sha256()
    for room in _ROOMS:
        for path in sorted((ROOT / room).rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
                content.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes() + b"\0")
    python = ".".join(platform.python_version_tuple()[:2])
    return f"sources {content.hexdigest()[:16]} hypothesis {version('hypothesis')} python {python}"


def tasks_of(tests: Sequence[str], examples: int, seed: int) -> list[Share]:
    """Properties as tasks for workers with these sources; neighbours, which are often alike in time, go to different ones."""
    number = min(len(tests), _TASKS)
    return [Share(tuple(tests[first::number]), examples, seed, sources_here()) for first in range(number)]


def tried(held: Mapping[str, Any], task: bytes) -> bytes:
    """On a worker: the answer to a task, a `Tried` as MessagePack."""
    del held
    share, worker = msgspec.msgpack.decode(task, type=Share), worker_name()
    if share.version != sources_here():
        return msgspec.msgpack.encode(Tried(worker=worker, refused=sources_here()))
    try:
        with TemporaryDirectory(prefix="pif-fuzz-") as folder:
            found = _tried(share, worker, Path(folder) / "counts.json")
    except OSError as error:
        found = Tried(worker=worker, failure=f"{type(error).__name__}: {error}")
    return msgspec.msgpack.encode(found)


def _tried(share: Share, worker: str, counts: Path) -> Tried:
    environment = {
        **os.environ, "PIF_PROFILE": "fuzz", "PIF_EXAMPLES": str(share.examples), "PIF_FUZZ_COUNTS": str(counts),
    }  # fmt: skip
    command = [
        sys.executable, "-m", "pytest", "-p", "tests.fuzz.plugin", "-p", "no:cacheprovider", "-n", "0", "-q",
        f"--hypothesis-seed={share.seed}", *share.tests,
    ]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, env=environment, text=True, capture_output=True, check=False)
    if done.returncode not in (0, 1) or not counts.exists():
        said = (done.stdout + done.stderr).strip()[-300:]
        return Tried(worker=worker, failure=f"pytest ended with {done.returncode}: {said}")
    return Tried(worker=worker, counts=counts.read_text())


KIND: Kind[Share, Tried] = Kind(tried, Tried)


def tried_elsewhere(
    tests: Sequence[str], examples: int, seed: int, opening: Opening, note: Callable[[str], None]
) -> Found:
    """What workers found of these properties; `note` is told, for people, what went wrong with workers."""
    found = Found()
    known = frozenset(tests)
    for share, answer in spread_of(KIND, tasks_of(tests, examples, seed), opening, note=note):
        if answer is None:
            found.untried += share.tests
            continue
        said = Counts()
        try:
            said.add(answer.counts)
        except (ValueError, KeyError, TypeError, AttributeError):
            note(f"worker {answer.worker} counted nothing that can be read; what it had is tried here")
            found.untried += share.tests
            continue
        for test in known.intersection(said.failures):
            found.failed[test] = answer.worker
        found.counts.numbers.update(said.numbers)
    return found
