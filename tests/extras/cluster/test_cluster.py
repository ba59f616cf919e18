"""Batches on a Dask cluster of real processes: killed workers, a killed scheduler, liars, another version."""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
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
from tests.support.cluster_processes import ClusterProcesses

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


@pytest.fixture
def processes() -> Iterator[ClusterProcesses]:
    found = ClusterProcesses()
    yield found
    found.end()


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as shared:
        yield shared


def _decide(
    broker: Broker, cluster: Any, *, smallest: int, monkeypatch: pytest.MonkeyPatch, quiet: float = 60
) -> list[str]:
    """The statuses of all questions must be the expected ones; returns the notes."""
    monkeypatch.setattr("kleis.batches.tasks.SMALLEST", smallest)
    notes: list[str] = []
    loading = Loader(ImportSearch()).load_text("define one() = 1", file="<theory>", directory=Path.cwd())
    batch = Batch(loading, broker=broker, note=notes.append, quiet=quiet)
    found = dict(batch.decide(QUESTIONS, cluster.opening(batch.theories)))
    assert [found[place].status for place in range(len(QUESTIONS))] == EXPECTED
    notes.append(str(batch.progress))
    return notes


def test_two_workers_answer_and_one_of_them_lies(
    processes: ClusterProcesses, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduler = processes.start("scheduler", "0")
    processes.start("worker", scheduler, "none")
    liar = processes.start("worker", scheduler, "lying")
    with Cluster(scheduler) as cluster:
        notes = _decide(broker, cluster, smallest=2, monkeypatch=monkeypatch)
    assert "12 answered by workers" in notes[-1]
    assert any(f"worker {liar}" in each for each in notes), notes


def test_a_killed_worker_and_one_with_another_version_lose_nothing(
    processes: ClusterProcesses, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduler = processes.start("scheduler", "0")
    processes.start("worker", scheduler, "dying")
    old = processes.start("worker", scheduler, "old")
    processes.start("worker", scheduler, "none")
    with Cluster(scheduler) as cluster:
        notes = _decide(broker, cluster, smallest=3, monkeypatch=monkeypatch)
    assert "12 answered by workers" in notes[-1]
    assert any(f"worker {old} is refused" in each for each in notes), notes


def test_a_slow_worker_is_waited_for_and_delays_nothing_else(
    processes: ClusterProcesses, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduler = processes.start("scheduler", "0")
    processes.start("worker", scheduler, "slow")
    processes.start("worker", scheduler, "none")
    with Cluster(scheduler) as cluster:
        notes = _decide(broker, cluster, smallest=2, monkeypatch=monkeypatch)
    assert notes == ["12 of 12 decided · 12 answered by workers"]


@contextmanager
def _small_disk(directory: Path) -> Iterator[Path]:
    """A file system of 64 kB."""
    directory.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(directory)], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip(f"no small disk can be made here: {made.stderr.decode().strip()}")
    try:
        yield directory
    finally:
        subprocess.run(["umount", "-l", str(directory)], check=True)


@pytest.mark.skipif(shutil.which("mount") is None, reason="needs mount")
def test_a_worker_whose_disk_is_full_is_named_and_its_questions_go_to_the_other(
    processes: ClusterProcesses, broker: Broker, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    scheduler = processes.start("scheduler", "0")
    with _small_disk(tmp_path / "small") as disk:
        full = processes.start(
            "worker",
            scheduler,
            "full_disk",
            environment={"TMPDIR": str(disk), "DASK_TEMPORARY_DIRECTORY": str(tmp_path)},
        )
        processes.start("worker", scheduler, "none")
        with Cluster(scheduler) as cluster:
            notes = _decide(broker, cluster, smallest=2, monkeypatch=monkeypatch)
        processes.end()
    assert "12 answered by workers" in notes[-1]
    assert any(f"worker {full} cannot work (OSError: [Errno 28]" in each for each in notes), notes


@contextmanager
def _two_machines() -> Iterator[tuple[str, str]]:
    """A network namespace joined to this one by a cable: its name, and the address of this end.  Its end is .2."""
    name, here = f"kleis{os.getpid()}", f"kc{os.getpid()}"
    steps = [
        f"ip netns add {name}",
        f"ip link add {here} type veth peer name eth0 netns {name}",
        f"ip addr add 10.213.7.1/30 dev {here}",
        f"ip link set {here} up",
        f"ip -n {name} addr add 10.213.7.2/30 dev eth0",
        f"ip -n {name} link set eth0 up",
        f"ip -n {name} link set lo up",
    ]
    try:
        for step in steps:
            made = subprocess.run(step.split(), capture_output=True, text=True, check=False)
            if made.returncode:
                pytest.skip(f"no network namespace can be made here: {step}: {made.stderr.strip()}")
        yield name, here
    finally:
        subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)


@pytest.mark.skipif(shutil.which("ip") is None, reason="needs iproute2")
def test_a_machine_whose_cable_is_cut_loses_nothing(
    processes: ClusterProcesses, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker in a network of its own; the cable is cut once tasks are on their way to it."""
    with _two_machines() as (name, cable):
        scheduler = processes.start("scheduler", "0", "10.213.7.1")
        inside = ("ip", "netns", "exec", name)
        far = processes.start("worker", scheduler, "hanging", "10.213.7.2", before=inside)
        assert "10.213.7.2" in far

        class Cutting:
            """The cluster, whose cable is cut when two tasks were submitted; afterwards another worker is there."""

            def opening(self, theories: Any) -> Any:
                inner = cluster.opening(theories)

                @contextmanager
                def open_pool(shunned: frozenset[str]) -> Iterator[Pool]:
                    with inner(shunned) as pool:
                        yield SimpleNamespace(executor=_after_two(pool.executor, self.cut), held=pool.held)

                return open_pool

            def cut(self) -> None:
                subprocess.run(["ip", "link", "set", cable, "down"], check=True)
                processes.start("worker", scheduler, "none", "10.213.7.1")
                subprocess.run(["ip", "netns", "del", name], check=True)

        with Cluster(scheduler) as cluster:
            notes = _decide(broker, Cutting(), smallest=6, monkeypatch=monkeypatch, quiet=3)
        processes.end()
    assert "12 of 12 decided" in notes[-1]


def test_a_scheduler_that_is_killed_and_restarted_loses_nothing(
    processes: ClusterProcesses, broker: Broker, monkeypatch: pytest.MonkeyPatch
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


def _killing(executor: Any, processes: ClusterProcesses) -> Any:
    """The executor, under which everything is killed once two tasks were submitted."""
    return _after_two(executor, processes.end)


def _after_two(executor: Any, event: Callable[[], None]) -> Any:
    """The executor; something happens once two tasks were submitted."""

    class Watching:
        tasks = 0

        def submit(self, *arguments: Any) -> Any:
            future = executor.submit(*arguments)
            self.tasks += 1
            if self.tasks == 2:
                event()
            return future

    return Watching()


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


def test_properties_are_tried_on_a_cluster_and_a_failure_is_tried_here_again() -> None:
    file = "tests/fuzz/falsifiable.py"
    words = ["--examples", "300", "--seed", "7", "--cluster", "local:1", file]
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "by workers\nexamples" in done.stdout
    assert "in 3 properties" in done.stdout
    assert f"FAILED {file}::test_false" in done.stdout
    assert done.stdout.rstrip().endswith("failures   1\nseed       7")


def test_claimed_laws_are_renewed_by_workers_of_the_command(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    with sqlite3.connect(home / "tools.sqlite") as connection:
        connection.executescript((ROOT / "tests/registry/laws/home_of_format_1.sql").read_text())
    connection.close()
    words = ["--home", str(home), "certificate", "renew", "--all", "--cluster", "local:1"]
    done = subprocess.run(
        [sys.executable, "-m", "registry.cli.pif", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert "5 of 5 claimed laws are proved" in done.stdout
