"""`kleis model`: what it finds, how it says so, and what is ill-formed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.files.command_lines import Answer
from tests.support.theories.small_theories import GROUP

Kleis = Callable[..., Answer]

TWO = "∃(x y : ℤ). x * y = 12 ∧ 0 < x ∧ x < y"


def test_all_values_are_rows(kleis: Kleis) -> None:
    done = kleis("model", TWO, "--all")
    assert done.status == 0
    first, titles, *rows = done.out.splitlines()
    assert first == "found  3 models, all that differ in x, y"
    assert titles.split() == ["x", "y"]
    assert sorted(tuple(row.split()) for row in rows) == [("1", "12"), ("2", "6"), ("3", "4")]


def test_one_is_shown_as_evidence_is(kleis: Kleis) -> None:
    done = kleis("model", TWO, "--where", "x = 2")
    assert done.out == "found  1 model; there may be others\n  model\n    x = 2 : ℤ\n    y = 6 : ℤ\n"


def test_the_next_and_the_end(kleis: Kleis) -> None:
    found = {kleis("model", TWO, "--next", str(skip)).out for skip in range(3)}
    assert len(found) == 3
    done = kleis("model", TWO, "--next", "3")
    assert (done.status, done.out.split()[0]) == (1, "none")


def test_the_structure_of_a_file(kleis: Kleis, tmp_path: Path) -> None:
    path = tmp_path / "group.kleis"
    path.write_text(GROUP)
    done = kleis("model", str(path), "--size", "4", "--all", "--json")
    answer: dict[str, Any] = done.json
    assert (answer["status"], answer["count"], answer["complete"]) == ("found", 2, True)
    assert answer["differ_in"] == ["isomorphism"]
    assert all(each["size"] == 4 for each in answer["models"])
    text = kleis("model", str(path), "--size", "2").out
    assert "G = {g0, g1}" in text


def test_the_best_one(kleis: Kleis) -> None:
    done = kleis("model", TWO, "--maximise", "x + y")
    assert "objective = 13: proved that none is better" in done.out
    answer: dict[str, Any] = kleis("model", TWO, "--minimise", "x + y", "--json").json
    assert (answer["optimum"], answer["proved"]) == ("7", True)


def test_names_that_are_enumerated(kleis: Kleis) -> None:
    answer: dict[str, Any] = kleis(
        "model", "∃(p q : ℤ). 0 < p ∧ p < 3 ∧ q > 5", "--enumerate", "p", "--json"
    ).json
    assert (answer["count"], answer["complete"], answer["differ_in"]) == (2, True, ["p"])


def test_what_is_free_is_said_first(kleis: Kleis) -> None:
    done = kleis("model", "x + y = 3")
    assert done.out.startswith("warning  read as ∃(x y : ℝ). …")


def test_a_limit_of_time_leaves_it_open(kleis: Kleis) -> None:
    done = kleis("model", "∃(x : ℤ). x > 2", "--all", "--limit", "10000", "--timeout", "0.001", "--json")
    assert done.json["status"] in ("unknown", "found")
    assert not done.json.get("complete", False)


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("nothing.kleis",), 2, "nothing.kleis"),
        (("two.kleis",), 2, "declares 2 structures"),
        (("Groupp",), 2, "declared nowhere"),
        (("x > ∧",), 2, "expression was expected"),
        (("x > 1", "--minimise", "x", "--maximise", "x"), 2, "least and greatest"),
        (("∃(x : ℤ). x > 1", "--enumerate", "y"), 2, "no unknown y"),
        (("x > 1", "--size", "0"), 2, "--size"),
        (("One", "--import", "two.kleis", "--where", "zzz > 1"), 2, "zzz"),
    ],
)
def test_what_is_ill_formed(
    kleis: Kleis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: Any, status: int, said: str
) -> None:
    (tmp_path / "two.kleis").write_text(
        "structure One { element a : ℤ  axiom p : a > 1 }\nstructure Other { element b : ℤ  axiom q : b > 1 }\n"
    )
    monkeypatch.chdir(tmp_path)
    done = kleis("model", *arguments)
    assert (done.status, done.out) == (status, "")
    assert said in done.err
