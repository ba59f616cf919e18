"""Laws of many versions with workers: what they bring is checked here, and the laws are those of one machine."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kleis.batches.spread import Opening, Pool, Unreachable, executor_pool
from registry.laws import law_workers
from registry.laws.law_prover import LawProver
from registry.laws.law_workers import LawAnswer, LawWorkers
from registry.records import laws_text, read_laws
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.workspace.requests import Evolve
from registry.workspace.workspace import Workspace

Json = Any
Worker = Callable[[Mapping[str, bytes], bytes], bytes]


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """A home whose laws are all claimed: their certificates are of format 1."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    with sqlite3.connect(home / "tools.sqlite") as connection:
        connection.executescript((Path(__file__).parent / "home_of_format_1.sql").read_text())
    connection.close()
    made = Workspace(SqliteStore(home))
    yield made
    made.close()


def _workers(worker: Worker, notes: list[str], told: list[tuple[int, int]] | None = None) -> LawWorkers:
    """One thread as a cluster that does what a worker does."""

    def opening(held: Mapping[str, bytes]) -> Opening:
        threads = ThreadPoolExecutor(1)

        class Submitting:
            def submit(self, fn: Any, *arguments: Any) -> Any:
                return threads.submit(worker, *arguments)

        def opened(shunned: frozenset[str]) -> AbstractContextManager[Pool]:
            if shunned:
                raise Unreachable("no worker is left")
            return executor_pool(Submitting(), held)  # type: ignore[arg-type]

        return opened

    return LawWorkers(opening, notes.append, lambda *at: (told if told is not None else []).append(at))


def _changed(change: Callable[[LawAnswer], LawAnswer]) -> Worker:
    def answer(held: Mapping[str, bytes], task: bytes) -> bytes:
        found = msgspec.msgpack.decode(law_workers.answer(held, task), type=LawAnswer)
        return msgspec.msgpack.encode(change(found))

    return answer


def _lying(found: LawAnswer) -> LawAnswer:
    """Each law with the certificate of another, or with one of something else."""
    certificates = [each.certificate.replace("squared", "tripled") for each in found.shown]
    moved = certificates[1:] + certificates[:1]
    return msgspec.structs.replace(
        found,
        shown=tuple(
            msgspec.structs.replace(each, certificate=other)
            for each, other in zip(found.shown, moved, strict=True)
        ),
    )


def _laws(workspace: Workspace) -> list[Any]:
    """What is kept of all laws."""
    return [
        (reference, each.law, each.status, each.labels, each.lemmas, each.tools, each.certificate)
        for reference in ("squared@1", "squared@2", "inverse@1")
        for each in read_laws(workspace.record(reference).laws)
    ]


def _searches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The laws that are certified by a search here from now on."""
    found: list[str] = []
    certified = LawProver.certified

    def counting(self: LawProver, theory: Any, claim: Any, *arguments: Any) -> Any:
        if self is not law_workers._prover():
            found.append(str(claim))
        return certified(self, theory, claim, *arguments)

    monkeypatch.setattr(LawProver, "certified", counting)
    return found


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """The laws of the home, renewed by one machine."""
    home = tmp_path_factory.mktemp("expected")
    with sqlite3.connect(home / "tools.sqlite") as connection:
        connection.executescript((Path(__file__).parent / "home_of_format_1.sql").read_text())
    connection.close()
    made = Workspace(SqliteStore(home))
    made.renew_laws([])
    laws = _laws(made)
    made.close()
    return laws


def test_laws_that_workers_prove_are_not_searched_here(
    workspace: Workspace, expected: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    notes: list[str] = []
    told: list[tuple[int, int]] = []
    searched = _searches(monkeypatch)
    renewed: Json = workspace.renew_laws([], workers=_workers(law_workers.answer, notes, told))
    assert (renewed["ok"], notes) == (True, [])
    assert _laws(workspace) == expected
    assert all(workspace.check_laws(each)["ok"] for each in ("squared@1", "squared@2", "inverse"))
    assert (told[0], told[-1]) == ((0, 3), (3, 3))
    assert len(searched) == 1  # the law of `inverse`, which holds where it has a value only


@pytest.mark.parametrize(
    ("worker", "said"),
    [
        (_changed(_lying), "did not pass the check"),
        (_changed(lambda found: LawAnswer(worker="w", refused="kleis 1")), "worker w is refused"),
        (_changed(lambda found: LawAnswer(worker="w", failure="OSError: full")), "worker w cannot work"),
        (lambda held, task: b"\x93\x01", "a task was lost"),
    ],
)
def test_workers_that_lie_or_fail_change_nothing_and_are_named(
    workspace: Workspace, expected: list[Any], worker: Worker, said: str
) -> None:
    notes: list[str] = []
    renewed: Json = workspace.renew_laws([], jobs=2, workers=_workers(worker, notes))
    assert renewed["ok"]
    assert _laws(workspace) == expected
    assert any(said in each for each in notes), notes


def test_a_false_law_is_dropped_whatever_a_worker_says(workspace: Workspace) -> None:
    """A certificate of a true law does not carry a false one, which no made-up value shows to be false."""
    record = workspace.record("squared@2")
    laws = read_laws(record.laws)
    false = msgspec.structs.replace(laws[0], law=f"∀(x : ℤ). squared(x) ≠ {123456789**2 + 1}")
    assert workspace.store.keep_laws(record, laws_text((false, *laws[1:])), {})

    def claiming(held: Mapping[str, bytes], task: bytes) -> bytes:
        wanted = msgspec.msgpack.decode(task, type=law_workers.LawTask)
        honest = msgspec.structs.replace(wanted, laws=(laws[0].law,))
        answered = law_workers.answer(held, msgspec.msgpack.encode(honest))
        found = msgspec.msgpack.decode(answered, type=LawAnswer)
        shown = tuple(msgspec.structs.replace(each, law=false.law) for each in found.shown)
        return msgspec.msgpack.encode(msgspec.structs.replace(found, shown=shown))

    notes: list[str] = []
    renewed: Json = workspace.renew_laws(["squared@2"], workers=_workers(claiming, notes))
    rows = {row["law"]: row["status"] for row in renewed["laws"]}
    assert rows[false.law] == "refuted"
    assert any("did not pass the check" in each for each in notes)


def test_a_law_of_a_tool_that_calls_others_is_proved_elsewhere(workspace: Workspace) -> None:
    """The tools travel with the law."""
    workspace.evolve(Evolve("twice", "Twice", "def twice(x):\n    return x + x\n", language="python"))
    code = "def four(x):\n    return twice(twice(x))\n"
    law = "∀(x : ℤ). four(x) = 4 * x"
    made: Json = workspace.evolve(Evolve("four", "Four times", code, language="python", laws=[law]))
    assert [each["status"] for each in made["laws"]] == ["proved"]
    record = workspace.record("four")
    found = list(_workers(law_workers.answer, []).prove([(record, [law])], workspace.tools()))
    ((_, answer),) = found
    assert answer is not None
    assert [each.law for each in answer.shown] == [law]
