"""A cluster that is reached once: what its workers use is counted from here, and where it is not there nobody waits."""

from __future__ import annotations

import socket
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kleis.batches import kept_cluster, work
from kleis.batches.engines_here import version_here
from kleis.batches.kept_cluster import KeptCluster, Use
from kleis.batches.questions import Asked, BatchAnswer, BatchTask, Declarations, digest_of_bytes
from kleis.batches.spread import Unreachable


class _Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_what_is_used_is_the_time_in_which_workers_can_be_busy() -> None:
    clock, told = _Clock(), []
    use = Use(told.append, clock)
    use.found(2)
    for _ in range(3):
        use.begin(30.0)
    assert told == [30.0, 60.0, 60.0]  # two threads, whatever waits for them
    clock.now += 5
    assert use.bound() == 2 * 5 + 2 * 30
    use.end(gone=False)
    use.end(gone=False)
    clock.now += 4
    assert use.bound() == 2 * 5 + 4 + 30
    use.end(gone=False)
    clock.now += 1_000
    assert use.bound() == 2 * 5 + 4


def test_what_is_given_up_counts_as_long_as_it_may_go_on() -> None:
    clock = _Clock()
    use = Use(clock=clock)
    use.found(2)
    for _ in range(5):
        use.begin(20.0)
    clock.now += 3
    for _ in range(5):
        use.end(gone=True)
    clock.now += 1_000
    assert use.bound() == 2 * 3 + 2 * 20  # three of them waited, and were never begun


def test_no_answer_of_a_worker_makes_it_less() -> None:
    """The time is counted by what is sent and what has come back, whatever stands in it."""
    clock = _Clock()
    use = Use(clock=clock)
    use.found(1)
    sent: Future[bytes] = Future()

    class Sending:
        def submit(self, fn: Any, *args: Any, **kwargs: Any) -> Future[bytes]:
            return sent

    counted = kept_cluster._Counted(Sending(), use)  # type: ignore[arg-type]
    task = BatchTask((), version_here(), seconds=60.0)
    counted.submit(work.answer, {}, msgspec.msgpack.encode(task))
    clock.now += 7
    sent.set_result(msgspec.msgpack.encode(BatchAnswer(worker="tcp://liar:1")))
    assert use.bound() == 7


def test_a_cluster_that_refuses_is_not_tried_again_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    tried = []
    connect = socket.create_connection
    monkeypatch.setattr(socket, "create_connection", lambda *a, **k: (tried.append(a), connect(*a, **k))[1])
    kept = KeptCluster(f"tcp://127.0.0.1:{port}")
    for _ in range(3):
        with pytest.raises(Unreachable, match="cannot be reached"), kept.opening(Use())({})(frozenset()):
            pass
    assert len(tried) == 1
    assert not kept.is_there
    kept.close()


def test_workers_that_are_not_there_yet_are_waited_for_in_no_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_cluster, "CONNECTING", 0.2)
    kept = KeptCluster(f"file:{tmp_path / 'address'}")
    kept.reach()
    assert not kept.is_there
    with pytest.raises(Unreachable, match="not there yet"), kept.opening(Use())({})(frozenset()):
        pass


def test_a_worker_stops_when_its_time_is_over() -> None:
    """What it had by then is in its answer; the rest has none."""
    declared = msgspec.msgpack.encode(Declarations((("<theory>", "define one() = 1\n"),)))
    theory = digest_of_bytes(declared)
    asked = tuple(Asked(f"∀(x : ℤ). x + {each} > x", theory=theory) for each in range(1, 4))

    def said(seconds: float) -> BatchAnswer:
        task = BatchTask(asked, version_here(), seconds=seconds)
        found = work.answer({theory: declared}, msgspec.msgpack.encode(task))
        return msgspec.msgpack.decode(found, type=BatchAnswer)

    assert len(said(300.0).certificates) == 3
    late = said(1e-9)
    assert (late.failure, late.said, late.certificates) == ("", (), {})
