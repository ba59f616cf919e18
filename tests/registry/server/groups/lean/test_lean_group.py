"""The group `lean` as a real server: failures over HTTP, restarts and kill -9, the key, the prover first, no key at all."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp_types import TextResourceContents

from registry.aristotle.job_runner import JobRunner
from registry.aristotle.job_store import JobStore
from registry.aristotle.service import Finding, Run, Submission
from registry.aristotle.stand_in import HttpService, Script, StandIn
from tests.support.servers.lean_client import MOCK, Conversing, Talk, converse, kept
from tests.support.servers.pif_server import command
from tests.support.servers.raw_client import PATIENCE, call, demo
from tests.support.servers.stand_in_server import serving

SIMPLE = "theorem one : 1 + 0 = 1 := by\n  sorry\n"
KEY = "arstl_not-a-real-key-7Qz"


class Deadly(StandIn):
    """A service that stops in the middle of one operation, until the server that asked it is dead."""

    def __init__(self, where: str) -> None:
        super().__init__()
        self.where = where
        self.inside, self.go = threading.Event(), threading.Event()

    def meet(self, place: str) -> None:
        if place == self.where and not self.inside.is_set():
            self.inside.set()
            assert self.go.wait(PATIENCE)

    def submit(self, submission: Submission) -> str:
        self.meet("before submit")
        found = super().submit(submission)
        self.meet("after submit")
        return found

    def look(self, project: str) -> Run:
        self.meet("look")
        return super().look(project)

    def fetch(self, project: str, path: str) -> str | None:
        self.meet("fetch")
        return super().fetch(project, path)

    def findings(self, project: str) -> tuple[Finding, ...]:
        self.meet("findings")
        return super().findings(project)


@pytest.fixture(scope="module")
def stand_in() -> Deadly:
    """The service behind `reached`."""
    return Deadly("nowhere")


@pytest.fixture(scope="module")
def reached(stand_in: Deadly, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Conversing]:
    """A server that talks to the stand-in over HTTP."""
    with (
        serving(stand_in) as (origin, _),
        kept(tmp_path_factory.mktemp("home"), {"ARISTOTLE_STAND_IN": origin}) as conversing,
    ):
        yield conversing


@pytest.fixture(scope="module")
def mock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Conversing]:
    """A server with the mock."""
    with kept(tmp_path_factory.mktemp("home"), MOCK) as conversing:
        yield conversing


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Conversing]:
    """A server without a key."""
    with kept(tmp_path_factory.mktemp("home"), {}) as conversing:
        yield conversing


def test_every_failure_is_answered_and_the_job_goes_on(stand_in: Deadly, reached: Conversing) -> None:
    async def talk(ask: Talk) -> None:
        stand_in.faults.append(("submit", "rate_limited"))
        said = await ask("prove", code=SIMPLE, wait=False)
        assert (said.status, said.data["trouble"]) == ("submitted", "rate_limited")
        assert "rate limit" in said.data["message"]
        assert said.data["retry_after_s"] == 2
        job = said.data["project_id"]
        early = await ask("check_proof", project_id=job)
        assert early.status == "queued"
        assert job not in [each.key for each in stand_in.submissions]
        for fault, words in (
            ("drop_after", "connection was lost"),
            ("garbage", "cannot be read"),
            ("service_error", "error of its own"),
            ("authentication", "does not accept the key"),
        ):
            stand_in.faults.append(("submit", fault))
            said = await ask("prove", code=SIMPLE, wait=False)
            assert said.status == "submitted"
            assert words in said.data["message"]
            again = said
            while again.status in ("submitted", "queued", "in_progress"):
                again = await ask("check_proof", project_id=said.data["project_id"])
            assert again.status == "proved"
        for ending, status in (
            ("partial", "failed"), ("refuted", "counterexample"), ("negated", "counterexample"), ("failed", "error"),
            ("changed", "failed"), ("axiom", "failed"), ("unfilled", "failed"), ("lost", "error"),
        ):  # fmt: skip
            stand_in.scripts.append(Script(ending))
            said = await ask("prove", code=SIMPLE + SIMPLE.replace("one", "two"))
            assert said.status == status
            assert said.is_error is (status == "error")
            assert said.data["mode"] == "stand-in"
        stand_in.scripts.append(Script("proved", looks=1, raw="DREAMING"))
        job = (await ask("prove", code=SIMPLE, wait=False)).data["project_id"]
        said = await ask("check_proof", project_id=job)
        assert said.status == "in_progress"
        assert "DREAMING" in said.data["message"]
        assert "percent_complete" not in said.data
        stand_in.scripts.append(Script("changed"))
        said = await ask("prove", code=SIMPLE)
        assert said.data["refusal"] == "statement-changed"

    reached(talk)


def test_a_restart_keeps_jobs(tmp_path: Path) -> None:
    jobs: list[str] = []

    async def before(ask: Talk) -> None:
        jobs.append((await ask("prove", code=SIMPLE, wait=False)).data["project_id"])
        jobs.append((await ask("prove", code=SIMPLE, wait=False)).data["project_id"])
        assert (await ask("check_proof", project_id=jobs[0])).status == "queued"

    async def after(ask: Talk) -> None:
        assert (await ask("check_proof", project_id=jobs[0])).status == "in_progress"
        assert (await ask("check_proof", project_id=jobs[0])).status == "proved"

    async def later(ask: Talk) -> None:
        assert (await ask("check_proof", project_id=jobs[0])).status == "proved"
        assert (await ask("check_proof", project_id=jobs[1])).kind == "no_key"

    converse(tmp_path, MOCK, before)
    converse(tmp_path, MOCK, after)
    converse(tmp_path, {}, later)


@pytest.mark.parametrize("where", ["before submit", "after submit", "findings"])
def test_a_kill_loses_nothing(tmp_path: Path, where: str) -> None:
    stand_in = Deadly(where)
    with serving(stand_in) as (origin, _):
        with_server = ["env", f"ARISTOTLE_STAND_IN={origin}", *command(tmp_path, groups="lean")]
        with demo(command=with_server) as client:
            client.handshake()
            client.send(call(1, "prove", {"code": SIMPLE}))
            assert stand_in.inside.wait(PATIENCE)
            client.process.send_signal(signal.SIGKILL)
            client.process.wait()
        stand_in.go.set()
        (job,) = JobStore(tmp_path).all()
        assert job.stage == ("waiting" if "submit" in where else "running")

        runner = JobRunner(JobStore(tmp_path), HttpService(origin, ""))
        while job.stage != "done":
            job = runner.advance(job)
        assert job.outcome is not None
        assert job.outcome.status == "proved"
    assert [each.key for each in stand_in.submissions] == [job.id]


def test_the_key_is_nowhere(tmp_path: Path) -> None:
    home, errors, folder = tmp_path / "home", tmp_path / "errors", tmp_path / "files"
    folder.mkdir()
    (folder / "A.lean").write_text(SIMPLE)
    (folder / "K.lean").write_text(f"-- {KEY}\n{SIMPLE}")
    stand_in = StandIn()
    said: list[Any] = []

    async def talk(ask: Talk) -> None:
        said.append(await ask("prove", code=SIMPLE))
        for refused in (
            await ask("prove", code=f"-- {KEY}\n{SIMPLE}"),
            await ask("prove", code=SIMPLE, hint=KEY),
            await ask("prove_file", file_path="K.lean"),
            await ask("formalize", description=f"say {KEY}"),
            await ask("check_proof", project_id=KEY),
        ):
            assert refused.is_error
            said.append(refused)
        for fault in ("authentication", "garbage", "drop", "service_error", "refused"):
            stand_in.faults.append(("submit", fault))
            said.append(await ask("prove", code=SIMPLE, wait=False))
        said.append(await ask("prove_file", file_path="A.lean"))
        said.append(await ask("aristotle_status"))
        resource = await ask.client.read_resource("aristotle://status")
        assert KEY not in resource.model_dump_json()

    with serving(stand_in) as (origin, keys):
        environment = {"ARISTOTLE_STAND_IN": origin, "ARISTOTLE_API_KEY": KEY}
        converse(home, environment, talk, errors=errors, roots=(folder,), more=True)
    assert set(keys) == {KEY}, "the service does get it"
    for each in said:
        assert KEY not in each.text + json.dumps(each.data)
    assert KEY not in errors.read_text()
    for path in home.rglob("*"):
        assert path.is_dir() or KEY not in path.read_text(errors="replace")
    assert KEY not in (folder / "A.solved.lean").read_text()


GROUP = """structure Loop(L) {
    operation (•) : L × L → L
    element e : L
    axiom unit : ∀(x : L). e • x = x
}"""

OPEN = "∀(n : ℕ). ∃(p : ℕ). p > n ∧ (∀(a b : ℕ). a * b = p → (a = 1 ∨ b = 1)) ∧ (∀(a b : ℕ). a * b = p + 2 → (a = 1 ∨ b = 1))"


def test_kleis_is_decided_here_first(mock: Conversing) -> None:
    async def talk(ask: Talk) -> None:
        said = await ask("prove", language="kleis", code="∀(x : L). e • (e • x) = x", theory=GROUP)
        assert (said.status, said.data["decided_by"]) == ("proved", "kleis")
        assert said.data["verdict"]["core"] == ["Loop::unit"]
        said = await ask("prove", language="kleis", code="∀(x : ℤ). x ≠ 42")
        assert (said.status, said.data["decided_by"]) == ("counterexample", "kleis")
        assert "42" in said.data["counterexample"]
        assert not said.is_error
        wrong = await ask("prove", language="kleis", code="∀(x : ℤ. x")
        assert wrong.is_error
        assert wrong.data["problem"]["line"] == 1
        unknown = await ask("prove", language="kleis", code="nothing_like_this(3) = 4")
        assert unknown.is_error
        assert "mock" not in said.data, "what is decided here is no mock"

    mock(talk)


def test_what_kleis_leaves_open_goes_on(mock: Conversing, bare: Conversing) -> None:
    async def with_service(ask: Talk) -> None:
        said = await ask("prove", language="kleis", code=OPEN, wait=False)
        assert said.status == "submitted"
        assert [step["step"] for step in said.data["steps"]] == ["portfolio", "lean", "aristotle"]
        assert said.data["verdict"]["status"] == "unknown"
        assert "theorem" in said.data["lean_code"]
        found = said
        while found.status in ("submitted", "queued", "in_progress"):
            found = await ask("check_proof", project_id=said.data["project_id"])
        assert (found.status, found.data["decided_by"]) == ("proved", "aristotle")
        assert found.data["mock"] is True
        assert found.data["claim"] == OPEN

    async def without(ask: Talk) -> None:
        said = await ask("prove", language="kleis", code=OPEN)
        assert said.status == "unknown"
        assert not said.is_error
        assert "no key" in said.data["message"]
        assert "sorry" in said.data["lean_code"]
        assert "project_id" not in said.data
        assert "decided_by" not in said.data

    mock(with_service)
    bare(without)


def test_without_a_key(bare: Conversing) -> None:
    async def talk(ask: Talk) -> None:
        for said in (
            await ask("formalize", description="Addition is commutative."),
            await ask("prove", code=SIMPLE),
        ):
            assert (said.status, said.kind) == ("error", "no_key")
            assert "ARISTOTLE_API_KEY" in said.data["error"]["hint"]
            assert "language" in " ".join(said.data["kleis_route"].values())
        (content,) = (await ask.client.read_resource("aristotle://status")).contents
        assert isinstance(content, TextResourceContents)
        assert json.loads(content.text) == {
            "mock_mode": False, "api_key_configured": False, "authenticated": False, "ready": False,
            "problem": "no_key", "message": "no key for Aristotle is set",
        }  # fmt: skip

    bare(talk)


def test_a_key_without_the_library(tmp_path: Path) -> None:
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "aristotlelib.py").write_text("raise ImportError('hidden by a test')\n")

    async def talk(ask: Talk) -> None:
        said = await ask("prove", code=SIMPLE)
        assert said.kind == "library_missing"

    root = Path(__file__).parents[5]
    environment = {"ARISTOTLE_API_KEY": KEY, "PYTHONPATH": f"{hidden}{os.pathsep}{root}"}
    converse(tmp_path, environment, talk)


def test_a_call_that_waits_keeps_no_other(stand_in: Deadly, reached: Conversing) -> None:
    stand_in.where = "look"

    async def talk(ask: Talk) -> None:
        waiting = asyncio.create_task(ask("prove", code=SIMPLE))
        await asyncio.to_thread(stand_in.inside.wait, PATIENCE)
        assert (await ask("prove", code=SIMPLE)).status == "proved"
        stand_in.go.set()
        assert (await waiting).status == "proved"

    reached(talk)
