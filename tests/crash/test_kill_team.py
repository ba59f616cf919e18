"""A few rounds of `tests/programs/kill_team.py`; run it by hand for more. And that it can fail."""

from __future__ import annotations

import pytest

from tests.programs import kill_team
from tests.support.cluster import why_no_cluster


def test_a_few_kills_of_what_a_team_stands_on_lose_nothing() -> None:
    if reason := why_no_cluster():
        pytest.skip(reason)
    found = kill_team.run(4, seed=31)
    assert found["lost"] == 0
    assert found["kept"] > 4


@pytest.mark.parametrize(
    ("said", "possible"),
    [
        ([("submit", "f", "kept")], [["a", "f"]]),
        ([("submit", "f", "refused")], [["a"]]),
        ([("submit", "f", "unknown")], [["a"], ["a", "f"]]),
        ([("undo", "", "kept"), ("submit", "f", "kept")], [["f"]]),
        ([("undo", "", "unknown"), ("evolve", "1", "kept")], [["a"], []]),
        ([("load", "", "kept"), ("share", "f", "kept")], [[]]),
    ],
)
def test_what_a_session_may_hold(said: list[tuple[str, str, str]], possible: list[list[str]]) -> None:
    found = kill_team._possible(["a"], said)
    assert [each for number, each in enumerate(found) if each not in found[:number]] == possible


def test_an_answer_that_says_nothing_is_told() -> None:
    with pytest.raises(kill_team.Broken):
        kill_team.outcome("submit", {"status": "error", "error": "something else"})
    assert kill_team.outcome("submit", {"accepted": True}) == "kept"
    assert kill_team.outcome("undo", {"error": "x; nothing was changed"}) == "refused"
    assert kill_team.outcome("evolve", {"error": "whether it was kept is not known"}) == "unknown"
