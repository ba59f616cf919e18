"""Two real servers with two homes over one database, as their clients see them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.databases import new_schema
from tests.support.servers.pif_server import PifClient, pif_server

CLAIM = "∀(x : ℤ). twice(x) = x + x"


def ended(client: PifClient, job: str) -> dict[str, Any]:
    """A job, once it has ended."""
    while (found := client.ask("check_job", project_id=job))["status"] == "in_progress":
        assert found["type"] == "job"
    return found


def test_a_team_on_two_machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARISTOTLE_MOCK", "true")
    with (
        new_schema() as url,
        pif_server(tmp_path / "a", groups="pif,theory,lean", more=True, store=url) as one,
        pif_server(tmp_path / "b", groups="pif,theory,lean", more=True, store=url) as two,
    ):
        made = one.ask("submit_define", session="team", kleis="define twice(x : ℤ) : ℤ = 2 * x")
        assert made["accepted"]
        assert two.ask("evaluate", session="team", expression="twice(21)")["result"] == "42"
        assert (
            two.ask("submit_define", session="team", kleis="define thrice(x : ℤ) : ℤ = 3 * x")["count"] == 2
        )
        assert one.ask("evaluate", session="team", expression="thrice(14)")["result"] == "42"
        told = one.call("t", "list_session", session="*")["structuredContent"]
        assert [each["session"] for each in told["sessions"]] == ["team"]

        # A tool's run asks the session of the other machine.
        assert two.ask("run", code={"kleis": "twice(21)"}, session="team")["value"] == 42
        asked = two.ask("run", code={"verify": CLAIM}, session="team")
        assert asked["value"]["verdict"] == "verified"

        job = one.ask("evaluate", session="team", expression=CLAIM, wait=False)["project_id"]
        assert ended(two, job)["answer"]["status"] == "verified"
        assert [each["project_id"] for each in two.ask("check_job")["jobs"]] == [job]

        assert one.ask("undo", session="team")["status"] == "undone"
        assert two.ask("list_session", session="team")["count"] == 1
        saved = two.ask("save_theory", session="team", name="numbers")
        assert saved["status"] == "saved"
        assert one.ask("load_theory", session="other", imports=["numbers"])["declarations"] > 0
        assert two.ask("evaluate", session="other", expression="twice(2)")["result"] == "4"

        proof = one.ask("prove", code="theorem t : 1 + 1 = 2 := by\n  sorry\n", wait=False)
        assert two.ask("check_proof", project_id=proof["project_id"])["project_id"] == proof["project_id"]
        assert [each["project_id"] for each in two.ask("list_jobs")["jobs"]] == [proof["project_id"]]
    assert not (tmp_path / "a" / "sessions").exists()
    assert not (tmp_path / "a" / "aristotle" / "jobs").exists()
