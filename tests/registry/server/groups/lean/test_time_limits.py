"""A call ends in time even where the service never answers, and its job on disk is right."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from registry.aristotle.job_store import JobStore
from registry.aristotle.service import Run, Submission
from registry.aristotle.stand_in import StandIn
from registry.server.contract.group import Answer, ClientJobs, LaneName
from registry.server.contract.settings import Settings, Site
from registry.server.groups.lean import group as lean_group
from registry.server.groups.lean.group import LeanGroup
from registry.server.groups.lean.requests import CheckProof, Prove
from tests.support.servers.raw_client import PATIENCE

T = TypeVar("T")
CODE = "theorem one : 1 + 0 = 1 := by\n  sorry\n"


class Silent(StandIn):
    """A service that does not answer until the test is over."""

    def __init__(self) -> None:
        super().__init__()
        self.silent = ""
        self.over = threading.Event()

    def submit(self, submission: Submission) -> str:
        return self._said("submit", super().submit(submission))

    def look(self, project: str) -> Run:
        return self._said("look", super().look(project))

    def _said(self, operation: str, found: T) -> T:
        if operation == self.silent:
            assert self.over.wait(PATIENCE)
        return found


class Threads:
    """A call's context: work runs in threads of its own."""

    cancelled = threading.Event()
    wants_progress = False
    is_job = False

    @property
    def jobs(self) -> ClientJobs:
        raise AssertionError("the group lean has jobs of its own")

    def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Nobody listens."""

    async def quick(self, work: Callable[[], T]) -> T:
        return work()

    async def search(self, job: str, settings: Settings, arguments: object, seconds: float) -> Answer:
        raise AssertionError("the group lean searches nothing")

    async def run_in_worker(
        self, work: Callable[[], T], *, lane: LaneName = "runs", share: float = 0.0, proves: bool = False
    ) -> T:
        found: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        loop = asyncio.get_running_loop()

        def run() -> None:
            result = work()
            if not loop.is_closed():
                loop.call_soon_threadsafe(lambda: found.cancelled() or found.set_result(result))

        threading.Thread(target=run, daemon=True).start()
        return await found


@pytest.fixture
def service() -> Iterator[Silent]:
    found = Silent()
    yield found
    found.over.set()


@pytest.mark.parametrize("silent", ["submit", "look"])
def test_a_silent_service(
    silent: str, service: Silent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lean_group, "ENDS", 0.3)
    group = LeanGroup(Site(Settings(home=tmp_path)), {})
    monkeypatch.setattr(group, "_service", service)
    service.silent = silent

    async def talk() -> tuple[Any, Any]:
        begun = await group.call("prove", Prove(CODE), Threads())
        job = {"project_id": begun.structured["project_id"]}
        checked = await group.call("check_proof", CheckProof(**job), Threads())
        return begun, checked

    begun, checked = asyncio.run(talk())
    assert begun.structured["status"] == "submitted"
    assert begun.structured["retry_after_s"] >= 1
    assert checked.structured["status"] == "queued"
    (job,) = JobStore(tmp_path).all()
    assert job.stage == ("waiting" if silent == "submit" else "running")
    assert len(service.submissions) == 1
