"""`pif serve --cluster`: `explore` with workers that are honest, lie, die or are not there, seen by the SDK's client."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("distributed", reason="needs the extra cluster")

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from kleis.batches.local_cluster import local_cluster
from tests.support.cluster_processes import ROOT, ClusterProcesses
from tests.support.servers.pif_server import command

TRIES = 20
"""Questions that are asked one after the other until workers have answered one in time: a machine may be busy."""


def _structure(number: int) -> str:
    """A monoid of its own: nothing that is known of another answers what is asked of it."""
    return (
        f"structure Monoid{number}(M) {{\n  operation e : M\n  operation (•) : M × M → M\n"
        "  axiom associative : ∀(x y z : M). (x • y) • z = x • (y • z)\n"
        "  axiom left : ∀(x : M). e • x = x\n  axiom right : ∀(x : M). x • e = x\n}"
    )


@pytest.fixture
def processes() -> Iterator[ClusterProcesses]:
    found = ClusterProcesses()
    yield found
    found.end()


class _Talk:
    """Explorations of one server, with all progress that was seen."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._asked = 0
        self.seen: list[str] = []

    async def explored(self) -> dict[str, Any]:
        """The answer about another monoid."""
        self._asked += 1
        text = _structure(self._asked)
        made = await self._client.call_tool("submit_structure", {"kleis": text})
        assert made.structured_content is not None
        assert made.structured_content["accepted"], made.structured_content

        async def note(done: float, total: float | None, message: str | None) -> None:
            self.seen.append(message or "")

        asked = {"structure": f"Monoid{self._asked}", "size": 5, "limit": 1_000, "timeout_ms": 40_000}
        answer = await self._client.call_tool("explore", asked, progress_callback=note)
        found = answer.structured_content
        assert found is not None
        assert not answer.is_error, found
        return found


def _served(home: Path, cluster: str, talk: Any) -> str:
    """What was said on standard error while a client talked to a server with a cluster."""
    words = command(home, groups="pif,theory", cluster=cluster)
    said = home / "stderr"

    async def main() -> None:
        # Standard error is for people: a shell has it written down.
        shell = ["-c", 'exec "$@" 2>"$0"', str(said), *words]
        parameters = StdioServerParameters(
            command="sh", args=shell, env={**os.environ, "PYTHONPATH": str(ROOT)}, cwd=ROOT
        )
        async with asyncio.timeout(900), Client(parameters) as client:
            await talk(_Talk(client))

    home.mkdir(exist_ok=True)
    asyncio.run(main())
    return said.read_text()


def _decided(found: dict[str, Any]) -> Any:
    """What must not depend on workers."""
    rows = {key: found[key] for key in ("candidates", "counts", "laws", "follows", "undecided")}
    for row in rows["laws"]:
        row.pop("method", None)
    return [found["complete"], rows, [each["law"] for each in found["refuted"]]]


def _renamed(found: Any, number: int) -> str:
    return str(_decided(found)).replace(f"Monoid{number}", "Monoid")


def test_workers_are_asked_and_what_they_do_is_progress(tmp_path: Path, processes: ClusterProcesses) -> None:
    scheduler = processes.start("scheduler", "0")
    for _ in range(2):
        processes.start("worker", scheduler, "none")

    async def talk(client: _Talk) -> None:
        first: str | None = None
        for number in range(1, TRIES + 1):
            found = await client.explored()
            first = first or _renamed(found, number)
            assert _renamed(found, number) == first
            if found["workers"]["checked"]:
                break
        else:
            pytest.fail("no certificate of a worker came in time")
        assert "notes" not in found["workers"]
        assert found["workers"]["seconds"] > 0
        assert any("answered by 2 workers" in each for each in client.seen), client.seen[-20:]

    _served(tmp_path / "home", scheduler, talk)


def test_a_liar_changes_nothing_and_is_named(tmp_path: Path, processes: ClusterProcesses) -> None:
    scheduler = processes.start("scheduler", "0")
    liar = processes.start("worker", scheduler, "lying")
    answers: list[str] = []

    async def alone(client: _Talk) -> None:
        answers.append(_renamed(await client.explored(), 1))

    async def with_liar(client: _Talk) -> None:
        for number in range(1, TRIES + 1):
            found = await client.explored()
            assert _renamed(found, number) == answers[0]
            assert found["workers"]["checked"] == 0
            if any(liar in each for each in found["workers"].get("notes", ())):
                return
        pytest.fail("no lie came in time")

    _served(tmp_path / "alone", "", alone)
    said = _served(tmp_path / "home", scheduler, with_liar)
    assert f"worker {liar}" in said


def test_a_worker_that_is_killed_costs_nobody_an_answer(tmp_path: Path, processes: ClusterProcesses) -> None:
    scheduler = processes.start("scheduler", "0")
    processes.start("worker", scheduler, "dying")

    async def talk(client: _Talk) -> None:
        for _ in range(TRIES):
            found = await client.explored()
            assert found["complete"]
            if processes.running[1].poll() is not None:
                break
        else:
            pytest.fail("the worker was never asked")
        processes.start("worker", scheduler, "none")
        for number in range(1, TRIES + 1):
            found = await client.explored()
            assert found["complete"], number
            if found["workers"]["answered"]:
                return
        pytest.fail("the next worker was never asked")

    _served(tmp_path / "home", scheduler, talk)


def test_a_cluster_that_is_not_there_is_noted_and_logged(tmp_path: Path) -> None:
    async def talk(client: _Talk) -> None:
        found = await client.explored()
        assert found["complete"]
        assert (found["workers"]["answered"], found["workers"]["seconds"]) == (0, 0.0)
        assert "cannot be reached" in str(found["workers"]["notes"])

    said = _served(tmp_path / "home", "tcp://127.0.0.1:9", talk)
    assert "the cluster tcp://127.0.0.1:9 cannot be reached" in said


def test_workers_that_a_server_has_started_end_with_it(tmp_path: Path) -> None:
    async def talk(client: _Talk) -> None:
        for _ in range(TRIES):
            if (await client.explored())["workers"]["answered"]:
                return
        pytest.fail("the workers never answered")

    _served(tmp_path / "home", "local:1", talk)


def test_workers_end_with_the_process_that_has_started_them(tmp_path: Path) -> None:
    """Also where it is killed: their process reads its standard input."""
    script = (
        "from kleis.batches.local_cluster import local_cluster\nimport sys\n"
        "with local_cluster('local:1') as address:\n    print(address, flush=True)\n    sys.stdin.read()\n"
    )
    starter = subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert starter.stdout is not None
    file = Path(starter.stdout.readline().strip().removeprefix("file:"))
    while not file.exists():
        assert starter.poll() is None
        time.sleep(0.1)
    found = _processes_naming(str(file))
    assert found
    starter.kill()
    starter.wait()
    for stream in (starter.stdin, starter.stdout):
        assert stream is None or stream.close() is None
    while any(Path(f"/proc/{each}").exists() for each in found):
        time.sleep(0.1)


def _processes_naming(text: str) -> list[str]:
    """The processes whose command line has a text, by their numbers."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and entry.name != str(os.getpid()):
            try:
                words = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if text.encode() in words:
                found.append(entry.name)
    return found


def test_an_address_of_workers_elsewhere_is_passed_on() -> None:
    with local_cluster("tcp://10.0.0.1:8786") as address:
        assert address == "tcp://10.0.0.1:8786"
