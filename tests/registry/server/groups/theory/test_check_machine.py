"""The tool `check_machine` of the second list."""

from __future__ import annotations

from pathlib import Path

from tests.support.servers.theory_client import theory_client

COUNTER = """define init(x : ℤ) = x = 0
define next(x : ℤ, y : ℤ) = x < 4 ∧ y = x + 1
define invariant_low(x : ℤ) = x ≤ 4"""


def test_the_machine_of_a_session(tmp_path: Path) -> None:
    with theory_client(tmp_path / "home", more=True) as server:
        server.ask("submit_define", kleis=COUNTER)
        found = server.ask("check_machine", reach=["x = 2"], variants=["4 - x"], deadlock=True)
        assert (found["type"], found["status"]) == ("machine", "disproved")
        low, falls, two, stops = found["properties"]
        assert (low["status"], falls["status"], two["status"], stops["status"]) == (
            "verified",
            "verified",
            "found",
            "disproved",
        )
        assert [each["state"] for each in two["trace"]] == [{"x": "0"}, {"x": "1"}, {"x": "2"}]
        assert stops["trace"][-1]["state"] == {"x": "4"}


def test_what_is_ill_formed_and_jobs(tmp_path: Path) -> None:
    with theory_client(tmp_path / "home", more=True) as server:
        refused = server.reply("check_machine", deadlock=True)
        assert refused.is_error
        assert refused.structured["status"] == "error"
        begun = server.ask("check_machine", deadlock=True, wait=False)
        assert begun["type"] == "job"
