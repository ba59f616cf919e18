"""Batches on a Dask cluster of real processes: killed workers, a killed scheduler, liars, another version."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("distributed", reason="needs the extra cluster")

from kleis.batches.batch import Batch
from kleis.batches.cluster import Cluster, ClusterError, parse_address
from kleis.batches.questions import Asked
from kleis.batches.spread import Pool
from kleis.prover.process.broker import Broker
from kleis.theory.import_search import ImportSearch
from kleis.theory.loader import Loader

# Dask leaves sockets of a scheduler that is gone to the collector.
pytestmark = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)

QUESTIONS = [
    Asked(f"∀(x : ℤ). x + {number} > x" if number % 2 else f"∀(x : ℤ). x ≠ {number}")
    for number in range(1, 13)
]
EXPECTED = ["verified" if number % 2 else "disproved" for number in range(1, 13)]
ROOT = Path(__file__).parents[3]


class _Processes:
    """Processes that end with this one, since their standard input does."""

    def __init__(self) -> None:
        self.running: list[subprocess.Popen[str]] = []

    def start(self, *arguments: str) -> str:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.faulty_workers", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=ROOT,
        )
        self.running.append(process)
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("tcp://"), arguments
        return address

    def end(self) -> None:
        for process in self.running:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    stream.close()
        self.running.clear()


@pytest.fixture
def processes() -> Iterator[_Processes]:
    found = _Processes()
    yield found
    found.end()


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as shared:
        yield shared


def _decide(broker: Broker, cluster: Any, *, smallest: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statuses of all questions must be the expected ones; returns the notes."""
    monkeypatch.setattr("kleis.batches.tasks.SMALLEST", smallest)
    notes: list[str] = []
    loading = Loader(ImportSearch()).load_text("define one() = 1", file="<theory>", directory=Path.cwd())
    batch = Batch(loading, broker=broker, note=notes.append, quiet=60)
    found = dict(batch.decide(QUESTIONS, cluster.opening(batch.theories)))
    assert [found[place].status for place in range(len(QUESTIONS))] == EXPECTED
    notes.append(str(batch.progress))
    return notes


def test_two_workers_answer_and_one_of_them_lies(
    processes: _Processes, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduler = processes.start("scheduler", "0")
    processes.start("worker", scheduler, "none")
    liar = processes.start("worker", scheduler, "lying")
    with Cluster(scheduler) as cluster:
        notes = _decide(broker, cluster, smallest=2, monkeypatch=monkeypatch)
    assert "12 answered by workers" in notes[-1]
    assert any(f"worker {liar}" in each for each in notes), notes


def test_a_killed_worker_and_one_with_another_version_lose_nothing(
    processes: _Processes, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduler = processes.start("scheduler", "0")
    processes.start("worker", scheduler, "dying")
    old = processes.start("worker", scheduler, "old")
    processes.start("worker", scheduler, "none")
    with Cluster(scheduler) as cluster:
        notes = _decide(broker, cluster, smallest=3, monkeypatch=monkeypatch)
    assert "12 answered by workers" in notes[-1]
    assert any(f"worker {old} is refused" in each for each in notes), notes


def test_a_scheduler_that_is_killed_and_restarted_loses_nothing(
    processes: _Processes, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    scheduler = processes.start("scheduler", port)
    processes.start("worker", scheduler, "hanging")

    class Restarting:
        """The cluster, whose scheduler is killed under the first tasks and started again before the next."""

        opened = 0

        def __init__(self, cluster: Cluster) -> None:
            self._cluster = cluster

        def opening(self, theories: Any) -> Any:
            inner = self._cluster.opening(theories)

            @contextmanager
            def open_pool(shunned: frozenset[str]) -> Iterator[Pool]:
                self.opened += 1
                if self.opened == 2:
                    assert processes.start("scheduler", port) == scheduler
                    processes.start("worker", scheduler, "none")
                with inner(shunned) as pool:
                    held = pool.held
                    executor = _killing(pool.executor, processes) if self.opened == 1 else pool.executor
                    yield SimpleNamespace(executor=executor, held=held)

            return open_pool

    with Cluster(scheduler) as cluster:
        restarting = Restarting(cluster)
        notes = _decide(broker, restarting, smallest=6, monkeypatch=monkeypatch)
    assert restarting.opened == 2
    assert "12 answered by workers" in notes[-1], notes


def _killing(executor: Any, processes: _Processes) -> Any:
    """The executor, under which everything is killed once two tasks were submitted."""

    class Killing:
        tasks = 0

        def submit(self, *arguments: Any) -> Any:
            future = executor.submit(*arguments)
            self.tasks += 1
            if self.tasks == 2:
                processes.end()
            return future

    return Killing()


def test_the_command_starts_workers_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "batch.jsonl"
    file.write_text('"∀(x : ℤ). x + 1 > x"\n{"proposition": "∀(x : ℤ). x ≠ 42", "expect": "disproved"}\n')
    command = [
        sys.executable,
        "-m",
        "registry.cli.kleis",
        "verify",
        "--batch",
        str(file),
        "--cluster",
        "local:1",
    ]
    done = subprocess.run(
        command,
        env={**os.environ, "PIF_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "2 questions: 1 disproved, 1 verified" in done.stdout


@pytest.mark.parametrize("address", ["", "local", "local:0", "http://host:1", "tcp://host", "tcp://a b:1"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(ClusterError, match="no address"):
        parse_address(address)
    assert parse_address("local:12") == 12
    assert parse_address("tls://host:8786") == 0
