"""The runner of long property tests: it counts, keeps to its seed, and shows the shortest failure."""

from __future__ import annotations

import re
import subprocess
import sys
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

import msgspec
import pytest

from kleis.batches.spread import executor_pool
from tests.fuzz.counting import Counts, examples_in, kinds_of
from tests.fuzz.spread_out import ROOT, Found, Tried, sources_here, tasks_of, tried_elsewhere

FILE = "tests/fuzz/falsifiable.py"


def fuzz(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.fuzz", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_run_counts_examples_and_shows_the_shortest_failure() -> None:
    done = fuzz("--examples", "400", "--seed", "7", "--workers", "2", FILE)
    assert done.returncode == 1
    assert done.stdout.startswith("seed 7\n3 property tests, 134 examples each, fewer where one is dear\n")
    said = done.stdout[done.stdout.index("= fuzz =") :]
    counted = re.search(r"examples   (\d+) in 3 properties", said)
    assert counted is not None
    assert int(counted[1]) >= 134
    assert re.search(r"programs   \d+ run, 0.0 % out of fuel", said)
    assert "makes functions" in said
    assert "plain" in said
    assert "value 100.0 %" in said
    assert "failures   1" in said
    assert f"shortest   {FILE}::test_false" in said
    assert "number=1000" in said
    assert "seed       7" in said


def test_a_property_that_asks_for_few_gets_as_many_times_more() -> None:
    done = fuzz("--examples", "1000", "--seed", "3", "--workers", "0", f"{FILE}::test_a_dear_one")
    assert done.returncode == 0
    assert re.search(r"examples   50 in 1 properties", done.stdout)


def test_the_same_seed_tries_the_same() -> None:
    first, again = (fuzz("--examples", "60", "--seed", "3", "--workers", "0", f"{FILE}::test_a_sum_is_a_value")
                    for _ in range(2))  # fmt: skip
    assert first.returncode == again.returncode == 0
    assert _counted(first.stdout) == _counted(again.stdout)


def _counted(said: str) -> str:
    return said[said.index("examples  ") : said.index("seed       3")]


def elsewhere(executor: Executor, *tests: str) -> tuple[Found, list[str]]:
    """What an executor finds of properties, and what is said of it."""
    notes: list[str] = []
    found = tried_elsewhere(tests, 100, 7, lambda shunned: executor_pool(executor, {}), notes.append)
    return found, notes


def test_workers_try_what_is_tried_here_and_find_the_same() -> None:
    with ThreadPoolExecutor(2) as executor:
        found, notes = elsewhere(executor, f"{FILE}::test_false", f"{FILE}::test_a_sum_is_a_value")
    assert notes == []
    assert found.failed == {f"{FILE}::test_false": "this process"}
    assert found.untried == []
    assert found.counts.numbers["tests"] == 2
    assert found.counts.numbers["programs"] > 50


class Answering(Executor):
    """An executor whose workers answer what they like."""

    def __init__(self, answer: Tried) -> None:
        self.answer = answer

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        future: Future[bytes] = Future()
        future.set_result(msgspec.msgpack.encode(self.answer))
        return future


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Tried(worker="w", refused="sources 0"), "worker w is refused: it has sources 0"),
        (Tried(worker="w", failure="disk full"), "worker w cannot work (disk full)"),
        (Tried(worker="w", counts='{"numbers": 3}'), "worker w counted nothing that can be read"),
    ],
    ids=["other sources", "full", "nonsense"],
)
def test_what_workers_do_not_try_is_left_to_be_tried_here(answer: Tried, said: str) -> None:
    found, notes = elsewhere(Answering(answer), "a", "b")
    assert sorted(found.untried) == ["a", "b"]
    assert said in notes[0]


def test_a_worker_cannot_name_a_test_that_was_not_asked_for() -> None:
    counts = Counts()
    counts.failures |= {"a": "x", "--pdb": "y"}
    found, _ = elsewhere(Answering(Tried(worker="w", counts=counts.text())), "a", "b")
    assert found.failed == {"a": "w"}


def test_every_property_is_in_one_task_with_the_version_that_has_to_try_it() -> None:
    names = [str(number) for number in range(150)]
    tasks = tasks_of(names, 5, 7)
    assert sorted(each for task in tasks for each in task.tests) == sorted(names)
    assert {(task.examples, task.seed, task.version) for task in tasks} == {(5, 7, sources_here())}


def test_tests_that_are_no_properties_are_refused() -> None:
    done = fuzz("tests/fuzz/falsifiable.py::test_without_hypothesis")
    assert done.returncode == 2
    assert "no property tests found" in done.stderr


@pytest.mark.parametrize(
    ("statistics", "numbers"),
    [
        ("- 100 passing, 0 failing, and 7 invalid test cases", (100, 7)),
        (
            "- 5 passing examples, 1 failing examples, 2 invalid examples\n- 3 passing, 4 failing, and 0 invalid",
            (13, 2),
        ),
        ("nothing of the kind", (0, 0)),
    ],
)
def test_statistics_are_read(statistics: str, numbers: tuple[int, int]) -> None:
    assert examples_in(statistics) == numbers


def test_counts_add_up_and_kinds_are_told() -> None:
    one, other = Counts(), Counts()
    one.ran({"eval": {"quote": 1}}, {"type": "value"})
    other.ran(1, {"type": "error", "error": {"kind": "out_of_fuel"}})
    other.failures["t"] = "Falsifying example: t()"
    one.add(other.text())
    assert one.numbers["programs"] == 2
    assert "50.0 % out of fuel" in one.summary()
    assert one.summary().endswith("shortest   t\n  Falsifying example: t()")
    assert kinds_of([{"app": [{"self": True}, {"fold": [1, 2, 3]}]}]) == ["calls itself", "loops"]
