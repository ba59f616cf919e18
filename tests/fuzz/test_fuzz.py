"""The runner of long property tests: it counts, keeps to its seed, and shows the shortest failure."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.fuzz.__main__ import ROOT
from tests.fuzz.counting import Counts, examples_in, kinds_of

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
