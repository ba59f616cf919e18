"""`kleis explore`: laws, refutations with their models, exit statuses, the user's own generators."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.files.command_lines import Answer
from tests.support.theories.small_theories import GROUP

Kleis = Callable[..., Answer]


@pytest.fixture
def group(tmp_path: Path) -> Path:
    path = tmp_path / "group.kleis"
    path.write_text(GROUP)
    return path


def test_the_laws_that_one_sided_axioms_do_not_say(kleis: Kleis, group: Path) -> None:
    done = kleis("explore", str(group), "Group", "--size", "3", "--variables", "2", "--limit", "200")
    assert done.status == 0
    lines = done.out.splitlines()
    assert lines[0].startswith("Group(G)  ")
    proved = [line for line in lines if line.startswith("proved")]
    assert any("x • e = x" in line for line in proved)
    assert any("inv(inv(x)) = x" in line for line in proved)
    (refuted,) = [line for line in lines if "∀(x y : G). x • y = y • x" in line]
    assert refuted.startswith("refuted")
    assert any(line.startswith("model 0, which refutes ") for line in lines)


def test_json_is_what_the_server_answers(kleis: Kleis, group: Path) -> None:
    found: dict[str, Any] = kleis("explore", str(group), "Group", "--size", "2", "--json").json
    assert (found["type"], found["complete"], found["structure"]) == ("exploration", True, "Group")
    assert found["candidates"] == sum(found["counts"].values())
    again = kleis(
        "explore", str(group), "Group", "--size", "2", "--json", "--offset", "3", "--limit", "1"
    ).json
    assert again["refuted"] == found["refuted"][3:4]


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("nothing.kleis", "Group"), 1, "nothing.kleis"),
        (("group.kleis", "Groupp"), 1, "Did you mean Group?"),
        (("group.kleis", "Group", "--generator", "mine"), 1, "mine"),
        (("group.kleis", "Group", "--size", "0"), 2, "--size"),
        (("group.kleis",), 2, "STRUCTURE"),
    ],
)
def test_what_cannot_be_explored(kleis: Kleis, group: Path, arguments: Any, status: int, said: str) -> None:
    done = kleis("explore", *arguments)
    assert (done.status, done.out) == (status, "")
    assert said in done.err


def test_a_refusal_as_json(kleis: Kleis, group: Path) -> None:
    done = kleis("explore", str(group), "Group", "--generator", "mine", "--json")
    assert (done.status, done.json["error"]["path"]) == (1, "/generator")


def test_the_status_says_that_some_are_undecided(kleis: Kleis, tmp_path: Path) -> None:
    path = tmp_path / "ring.kleis"
    path.write_text('import "stdlib/prelude.kleis"\n')
    done = kleis(
        "explore", str(path), "Ring", "--size", "3", "--variables", "2", "--seconds", "1", "--json", "--fresh"
    )
    assert done.status in (0, 3)
    is_whole = (
        done.json.get("complete", False) and not done.json["undecided"]
    )  # an error: no time for candidates
    assert (done.status == 0) == is_whole
