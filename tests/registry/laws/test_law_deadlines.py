"""Laws with a time limit: timeouts, cancelled calls, and what is kept of an interrupted check
(docs/reference/registry.md §7.8).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from kleis.prover.process.broker import Broker
from kleis.prover.process.deadline import Deadline
from kleis.prover.protocol.engine import Answer
from registry.laws.check_laws import check_laws
from registry.laws.law_prover import LawProver
from registry.records import read_laws
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.workspace.requests import Analyze, Evolve
from registry.workspace.workspace import Workspace
from tests.support.terms.law_tools import TOOLS

Json = Any
LAWS = ["∀(x : ℤ). square(x) ≥ 0", "∀(x : ℤ). square(x) = x * x"]
OVER = "not decided within 0 s"


class Hanging(Broker):
    """A broker whose attempts never end unless they are stopped; `begun` is set when the first one is there."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = threading.Event()
        self.waiting: dict[int, Future[Answer]] = {}
        self.cancelled: list[int] = []

    def submit(self, engine: str, task: Any, steps: int, **further: Any) -> tuple[int, Future[Answer]]:
        number, future = len(self.waiting) + 1, Future[Answer]()
        self.waiting[number] = future
        self.begun.set()
        return number, future

    def cancel(self, number: int) -> None:
        self.cancelled.append(number)
        if not self.waiting[number].done():
            self.waiting[number].set_result(Answer(outcome="silent", reason="killed", detail="stopped"))


class HangingProver(LawProver):
    """A prover whose engines hang."""

    def __init__(self, cache: Path | None = None) -> None:
        super().__init__(cache)
        self.hanging = Hanging()

    def broker(self) -> Broker:
        return self.hanging


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    made = Workspace(SqliteStore(tmp_path / "home"))
    yield made
    made.close()


def test_what_the_limit_cuts_is_tested_and_says_so(workspace: Workspace) -> None:
    made = workspace.evolve(Evolve("square", "The square", TOOLS["square"], laws=LAWS), deadline=Deadline(0))
    assert [(each["status"], each["labels"]) for each in made["laws"]] == [("tested", (OVER,))] * 2
    assert all(each["cases"] > 0 for each in made["laws"])


def test_a_false_law_is_refuted_by_search_though_the_time_is_up(workspace: Workspace) -> None:
    made = workspace.evolve(
        Evolve("square", "x", TOOLS["square"], laws=["∀(x : ℤ). square(x) > 0"]), deadline=Deadline(0)
    )
    assert made["error"]["kind"] == "law_disproved"


def test_the_next_evolve_asks_again(workspace: Workspace) -> None:
    workspace.evolve(Evolve("square", "The square", TOOLS["square"], laws=LAWS), deadline=Deadline(0))
    again = workspace.evolve(Evolve("square", "The square", TOOLS["square"]))
    assert [(each["status"], each.get("labels", ())) for each in again["laws"]] == [("proved", ())] * 2
    assert [law.status for law in read_laws(workspace.record("square").laws)] == ["proved", "proved"]
    assert workspace.check_laws("square")["ok"]


def test_a_check_asks_again(workspace: Workspace) -> None:
    workspace.evolve(Evolve("square", "The square", TOOLS["square"], laws=LAWS), deadline=Deadline(0))
    checked = workspace.check_laws("square")
    assert checked["ok"]
    assert [(each["status"], each["now"]) for each in checked["laws"]] == [("tested", "proved")] * 2


def test_an_engine_that_hangs_is_stopped_and_nothing_of_it_is_kept(tmp_path: Path) -> None:
    tools = Workspace(SqliteStore(tmp_path / "home"))
    tools.evolve(Evolve("square", "The square", TOOLS["square"]))
    prover = HangingProver(tmp_path / "verdicts")
    left = threading.Event()

    def leave() -> None:
        prover.hanging.begun.wait()
        left.set()

    waiting = threading.Thread(target=leave)
    waiting.start()
    watch = Deadline(1e6, left=left.is_set)
    snapshot = tools.tools()
    with prover.within(watch) as bounded:
        (report,) = check_laws("square", LAWS[:1], snapshot, snapshot.names, bounded)
    waiting.join()
    assert sorted(prover.hanging.cancelled) == sorted(prover.hanging.waiting)
    assert report.status in ("tested", "untested")
    assert any(label.startswith("not decided within") for label in report.labels)
    kept = [each for each in (tmp_path / "verdicts").rglob("*") if each.is_file() and each.suffix == ".json"]
    assert kept == []
    with LawProver(tmp_path / "verdicts") as honest:
        (report,) = check_laws("square", LAWS[:1], snapshot, snapshot.names, honest)
    assert report.status == "proved"
    tools.close()


def test_for_a_caller_who_has_left_nothing_is_kept(workspace: Workspace) -> None:
    gone = Deadline(1e6, left=lambda: True)
    refused = workspace.evolve(Evolve("square", "The square", TOOLS["square"], laws=LAWS), deadline=gone)
    assert refused["error"]["kind"] == "cancelled"
    assert workspace.show("square")["error"]["kind"] == "unknown_tool"


def test_progress_is_told_of_each_law(workspace: Workspace) -> None:
    told: list[tuple[float, float | None, str]] = []
    watch = Deadline(1e6, progress=lambda done, total, message: told.append((done, total, message)))
    workspace.evolve(Evolve("square", "The square", TOOLS["square"], laws=LAWS), deadline=watch)
    assert [each[0] for each in told] == [0, 1, 2, 3]
    assert {each[1] for each in told} == {4}
    assert [each[2] for each in told] == [LAWS[0], LAWS[0], LAWS[1], LAWS[1]]


def test_verify_and_comparisons_are_bounded_too(workspace: Workspace) -> None:
    workspace.evolve(Evolve("square", "The square", TOOLS["square"]))
    found = workspace.verify(LAWS[0], deadline=Deadline(0))
    assert (found["status"], found["labels"]) == ("tested", (OVER,))
    other = {"lam": "x", "body": {"sub": [{"mul": [{"var": "x"}, {"add": [{"var": "x"}, 1]}]}, {"var": "x"}]}}
    compared = workspace.analyze(Analyze("square", against=other), deadline=Deadline(0))["equivalence"]
    assert (compared["status"], compared["reason"]) == ("unknown", OVER)
    assert workspace.analyze(Analyze("square", against=other))["equivalence"]["status"] == "proved"
