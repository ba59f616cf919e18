"""`kleis machine`: what it finds, how it says so, and what is ill-formed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.files.command_lines import Answer

Kleis = Callable[..., Answer]

TEXT = """define init(x : ℤ, lamp : Bool) = x = 0 ∧ lamp = false
define count(x : ℤ, l : Bool, x2 : ℤ, l2 : Bool) = x < 2 ∧ x2 = x + 1 ∧ l2 = l
define light(x : ℤ, l : Bool, x2 : ℤ, l2 : Bool) = x = 2 ∧ x2 = x ∧ l2 = true
define next(x : ℤ, l : Bool, x2 : ℤ, l2 : Bool) = count(x, l, x2, l2) ∨ light(x, l, x2, l2)
define invariant_range(x : ℤ, lamp : Bool) = 0 ≤ x ≤ 2
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "lamp.kleis"
    path.write_text(TEXT)
    return str(path)


def test_a_trace_is_a_table(kleis: Kleis, file: str) -> None:
    done = kleis("machine", file, "--reach", "lamp = true")
    assert done.status == 0
    assert done.out.splitlines() == [
        "verified  invariant invariant_range: by induction",
        "found  reach lamp = true: after 3 steps",
        "  trace",
        "    step  x  lamp   by",
        "    0     0  false",
        "    1     1  false  count",
        "    2     2  false  count",
        "    3     2  true   light",
    ]


def test_what_fails_ends_with_one(kleis: Kleis, file: str) -> None:
    done = kleis("machine", file, "--invariant", "lamp = false", "--json")
    assert done.status == 1
    answer: dict[str, Any] = done.json
    assert (answer["type"], answer["status"], answer["variables"]) == ("machine", "disproved", ["x", "lamp"])
    proved, failed = answer["properties"]
    assert proved["claims"][1]["claim"].startswith("∀(x_0 : ℤ, lamp_0 : Bool")
    assert failed["depth"] == 3
    assert failed["trace"][3] == {"state": {"x": "2", "lamp": "true"}, "by": "light"}


def test_its_claims_can_be_asked_again_and_certified(kleis: Kleis, file: str, tmp_path: Path) -> None:
    (finding,) = kleis("machine", file, "--json").json["properties"]
    for place, each in enumerate(finding["claims"]):
        path = str(tmp_path / f"{place}.json")
        again = kleis("verify", "--import", file, each["claim"], "--certificate", path)
        assert again.out.startswith("verified")
        assert kleis("certificate", "check", path).status == 0


def test_what_never_happens_and_what_stays_open(kleis: Kleis, file: str) -> None:
    done = kleis("machine", file, "--reach", "x = 3")
    assert (done.status, done.out.splitlines()[1]) == (1, "none  reach x = 3: by induction")
    done = kleis("machine", file, "--invariant", "x < 3 ∨ lamp = false", "--depth", "0", "--induction", "1")
    assert done.status == 0


def test_errors_show_the_place(kleis: Kleis, file: str) -> None:
    done = kleis("machine", file, "--reach", "x = = 3")
    assert done.status == 2
    assert "error  <reach 1>:1:5" in done.err
    assert "x = = 3" in done.err
    done = kleis("machine", file, "--init", "start")
    assert (done.status, "no definition start" in done.err) == (2, True)
