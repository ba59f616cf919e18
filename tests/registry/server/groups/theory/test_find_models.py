"""The tool `find_models` of the second list."""

from __future__ import annotations

from pathlib import Path

from kleis.prover.process.broker import Broker
from kleis.prover.process.deadline import Deadline
from kleis.prover.shared_provers import Provers
from kleis.sessions.find_models import find, wanted_models
from kleis.theory.theory import Theory
from tests.support.servers.theory_client import theory_client

LOOP = """structure Loop(L) {
    operation (⊙) : L × L → L
    element u : L
    axiom left : ∀(x : L). u ⊙ x = x
    axiom assoc : ∀(x y z : L). (x ⊙ y) ⊙ z = x ⊙ (y ⊙ z)
    axiom inverse : ∀(x : L). ∃(y : L). y ⊙ x = u
}"""


def test_models_of_a_session_and_of_constraints(tmp_path: Path) -> None:
    with theory_client(tmp_path / "home", more=True) as server:
        server.ask("submit_structure", kleis=LOOP)
        found = server.ask("find_models", about="Loop", size=4, all=True)
        assert (found["status"], found["count"], found["complete"]) == ("found", 2, True)
        found = server.ask("find_models", about="∃(x y : ℕ). x * y = 36", minimise="x + y")
        assert (found["optimum"], found["proved"]) == ("12", True)
        found = server.ask("find_models", about="∃(x : ℤ). 2 * x = 7")
        assert (found["status"], found["complete"]) == ("none", True)


def test_what_is_ill_formed_and_jobs(tmp_path: Path) -> None:
    with theory_client(tmp_path / "home", more=True) as server:
        refused = server.reply("find_models", about="3")
        assert refused.is_error
        assert refused.structured["status"] == "error"
        refused = server.reply("find_models", about="x > 1", minimise="x", maximise="x")
        assert refused.is_error
        begun = server.ask("find_models", about="∃(x : ℤ). x > 1", wait=False)
        assert begun["type"] == "job"


def test_how_many_models_were_found_is_told_after_each_batch() -> None:
    """What MCP sends as progress of `find_models`, and a terminal shows for `kleis model`."""
    told: list[tuple[float, float | None, str]] = []
    deadline = Deadline(60, progress=lambda *said: told.append(said))
    wanted = wanted_models("∃(x : ℤ). 0 ≤ x ∧ x < 70", every=True)
    with Broker() as broker:
        models = find(wanted, Theory(), Provers(broker, None), deadline)
    assert len(models.models) == 70
    assert [count for count, _, _ in told] == [64, 70]
    assert {message for _, _, message in told} == {"models found"}
