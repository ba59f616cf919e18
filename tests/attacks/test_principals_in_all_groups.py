"""Two principals in the groups beside `pif` and `theory`: proofs by Aristotle, documents, the corpus, the policy.

Alice has a session, jobs, verdicts, a team; Mallory has every scope and knows every id. What Mallory is told must be what is told of
what there is not, and the same before Alice worked and after.
"""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from registry.access.principals import ALL_SCOPES
from registry.access.teams import TeamFile
from registry.access.tokens import FILE as TOKENS
from tests.support.servers.http_server import Served, serving
from tests.support.servers.principals import Caller, token

HIDDEN = "define hidden(x : ℤ) : ℤ = x * 7"
CLAIM = "∀(x : ℤ). hidden(x) = 7 * x"
SQUARE = {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}


class Scene:
    def __init__(self, server: Served, home: Path, outside: Path) -> None:
        self.server = server
        self.home = home
        self.outside = outside
        self.alice, self.mallory = (
            Caller(server, token(home, name, ALL_SCOPES)) for name in ("alice", "mallory")
        )


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    home, outside = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("outside")
    (outside / "Secret.lean").write_text("theorem secret_of_the_owner : 1 = 1 := by sorry\n")
    teams = TeamFile(home)
    teams.create("ops")
    teams.add("ops", "alice", "write")
    token(home, "first")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARISTOTLE_MOCK", "true")
        patch.chdir(outside)
        with serving(home, groups="pif,theory,lean,documents", more=True, roots=(str(outside),)) as server:
            yield Scene(server, home, outside)
            server.process.send_signal(signal.SIGTERM)
            assert server.ended()[0] == 0


def guesses(scene: Scene) -> list[tuple[str, dict[str, Any]]]:
    """What Mallory asks: by names of Alice's, by paths to her directory and to the owner's, of all there is."""
    alices = scene.home / "principals" / "alice"
    files = [
        "Secret.lean", str(scene.outside / "Secret.lean"), "../alice/sessions/plans/session.kleis",
        str(alices / "sessions" / "plans" / "session.kleis"), str(scene.home / "access" / "tokens.json"),
    ]  # fmt: skip
    asked: list[tuple[str, dict[str, Any]]] = [
        ("list_jobs", {}),
        ("aristotle_status", {}),
        ("prove", {"code": CLAIM, "language": "kleis", "session": "plans"}),
        ("draw_plot", {"expression": "diagram(plot([hidden(1)], [1]))", "session": "plans"}),
        ("assemble_document", {"title": "T", "session": "plans", "propositions": [CLAIM], "form": "typst"}),
        ("certify", {"claim": CLAIM, "session": "plans"}),
        ("find_models", {"about": "hidden", "session": "plans"}),
        ("explain", {"claim": CLAIM, "session": "plans"}),
        ("list_session", {"session": "*"}),
        ("submit_lemma", {"kleis": CLAIM, "session": "other"}),
    ]
    for file in files:
        asked += [
            ("prove_file", {"file_path": file}),
            ("prove", {"code": "theorem t : 1 = 1 := by\n  sorry", "context_files": [file]}),
            ("formalize", {"description": "one is one", "context_file": file}),
        ]
    return asked


def told(scene: Scene) -> list[Any]:
    return [(tool, arguments, scene.mallory.call(tool, **arguments)) for tool, arguments in guesses(scene)]


def test_nothing_in_any_group_tells_of_another(scene: Scene) -> None:
    told(scene)
    before = told(scene)
    alice = scene.alice
    assert alice.call("submit_define", kleis=HIDDEN, session="plans")["accepted"]
    proved = alice.call("evaluate", expression=CLAIM, session="plans")
    assert proved["verified"], proved
    for tool, arguments in (
        ("prove", {"code": "theorem secret_of_alice : 1 = 1 := by\n  sorry", "wait": False}),
        ("formalize", {"description": "what alice plans", "wait": False}),
        ("prove", {"code": CLAIM, "language": "kleis", "session": "plans"}),
        ("evolve", {"name": "team/ops/secret", "description": "of alice", "code": SQUARE}),
    ):
        assert "error" not in alice.call(tool, **arguments), tool
    for now, then in zip(told(scene), before, strict=True):
        assert now == then
    said = json.dumps(before)
    hashes = re.findall(r"[0-9a-f]{64}", (scene.home / TOKENS).read_text())
    for secret in ("secret_of_the_owner", "secret_of_alice", "what alice plans", "x * 7", *hashes):
        assert secret not in said


def test_jobs_of_the_prover_are_nobody_elses_by_their_ids(scene: Scene) -> None:
    begun = scene.alice.call("prove", code="theorem mine : 1 = 1 := by\n  sorry", wait=False)
    number = begun["project_id"]
    made_up = number[:-8] + ("0" * 8 if not number.endswith("0" * 8) else "1" * 8)
    for tool in ("check_proof", "check_prove_file", "check_formalize", "cancel"):
        its, nothing = (scene.mallory.call(tool, project_id=each) for each in (number, made_up))
        assert json.dumps(its).replace(number, "ID") == json.dumps(nothing).replace(made_up, "ID")
    assert number in json.dumps(scene.alice.call("list_jobs"))
    assert scene.alice.call("check_proof", project_id=number)["status"] != "cancelled"


def kept_verdicts(scene: Scene) -> dict[str, set[str]]:
    """The ids of kept verdicts, by the principals whose they are."""
    found: dict[str, set[str]] = {"alice": set(), "mallory": set()}
    for each in scene.home.rglob("*.verdict"):
        of, name, *_ = each.relative_to(scene.home).parts
        assert of == "principals", each
        found[name].add(each.stem)
    return found


def test_a_verdict_is_nobody_elses_by_its_id_nor_by_the_speed_of_an_answer(scene: Scene) -> None:
    """Kept verdicts are each principal's own: none of Alice's is found by its id, and what she proved is searched anew."""
    expression = "∀(a b : ℤ). (a + b) * (a + b) = a * a + 2 * a * b + b * b"
    before = kept_verdicts(scene)
    assert scene.alice.call("evaluate", expression=expression)["verified"]
    after = kept_verdicts(scene)
    assert after["mallory"] == before["mallory"]
    (number,) = after["alice"] - before["alice"]
    uri, made_up = f"kleis://verdicts/{number}", f"kleis://verdicts/{number[::-1]}"
    assert "contents" in scene.alice.ask("resources/read", {"uri": uri}, uri)
    for length in (len(number), 16, 8):
        its, nothing = uri[: -len(number)] + number[:length], made_up[: -len(number)] + number[::-1][:length]
        answers = [
            json.dumps(scene.mallory.ask("resources/read", {"uri": each}, each)) for each in (its, nothing)
        ]
        assert answers[0].replace(its, "URI") == answers[1].replace(nothing, "URI")
    scene.mallory.call("evaluate", expression=expression)
    assert number in kept_verdicts(scene)["mallory"], "it was searched, and kept, once more"
