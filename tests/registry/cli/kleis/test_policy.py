"""`kleis policy check`, `audit`, `compare`: words, exit statuses, JSON that is the server's."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from registry.cli.kleis.policies import offered_by
from tests.support.files.command_lines import Answer

PUSH = 'define check_git_push(branch, force) = if force = 1 then "deny" else if branch = "main" then "deny" else "allow"\n'
STEPS = 'define before_git_push(branch, force) = "make test && make lint"\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "agent.kleis"
    path.write_text(PUSH + STEPS)
    return path


Kleis = Callable[..., Answer]


def test_an_allowed_action(kleis: Kleis, file: Path) -> None:
    answer = kleis("policy", "check", str(file), "git_push", "branch=topic", "force=false")
    assert answer.status == 0
    assert answer.out.splitlines() == [
        "allowed git_push: ALLOWED by check_git_push",
        "  first 1: make test",
        "  first 2: make lint",
    ]


def test_a_denied_action_as_json(kleis: Kleis, file: Path) -> None:
    answer = kleis("policy", "check", str(file), "git_push", "path=main", "--json")
    assert answer.status == 1
    assert answer.json == {
        "allowed": False,
        "action": "git_push",
        "rule": "check_git_push",
        "reason": "DENIED by check_git_push",
        "preconditions": ["make test", "make lint"],
    }


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["git_push", "branch=topic", "force=1"], 1),
        (["git_push", "branch=topic", "force=maybe"], 1),
        (["git_push"], 1),
        (["git_commit", "description=a=b c"], 0),
        (["git_commit", "description=x", "--default", "deny"], 1),
        (["launch", "x=1"], 1),
        (["git_push", "topic"], 2),
        (["git_push", "branch=a", "branch=b"], 2),
    ],
)
def test_exit_statuses_of_check(kleis: Kleis, file: Path, words: list[str], status: int) -> None:
    assert kleis("policy", "check", str(file), *words).status == status


def test_a_policy_that_cannot_be_loaded_denies(kleis: Kleis, tmp_path: Path) -> None:
    (tmp_path / "broken.kleis").write_text("define check_git_push(")
    for name in ("broken.kleis", "missing.kleis"):
        answer = kleis("policy", "check", name, "git_push", "branch=x")
        assert answer.status == 1
        assert answer.out.startswith("denied")
    assert kleis("policy", "audit", "broken.kleis").status == 2
    assert kleis("policy", "audit", "missing.kleis").status == 2


def test_an_audit(kleis: Kleis, file: Path) -> None:
    answer = kleis("policy", "audit", str(file), "--action", "git_push")
    assert answer.status == 1
    assert "slips_past check_git_push, line 1: 'main' is denied, and this means the same" in answer.out
    assert '"branch": "refs/heads/main"' in answer.out
    found = kleis("policy", "audit", str(file), "--action", "git_push", "--json").json
    assert {each["kind"] for each in found["findings"]} == {"slips_past"}
    assert found["complete"] is True
    assert kleis("policy", "audit", str(file), "--action", "git_pull").status == 2


def test_a_lock_file_says_which_tools_there_are(kleis: Kleis, file: Path, tmp_path: Path) -> None:
    lock = tmp_path / "servers.json.lock"
    lock.write_text(json.dumps({"version": 1, "approved": {"git": {"tools": {"log": {}}}}, "waiting": {}}))
    assert offered_by(lock) == {"pif": None, "git": ["log"]}
    lock.write_text("{")
    assert kleis("policy", "audit", str(file), "--lock", str(lock)).status == 2


def test_an_audit_without_findings(kleis: Kleis, tmp_path: Path) -> None:
    (tmp_path / "fine.kleis").write_text('define check_git_push(branch, force) = "deny"\n')
    answer = kleis("policy", "audit", "fine.kleis")
    assert answer.status == 0
    assert "0 to change" in answer.out


@pytest.mark.parametrize(
    ("text", "relation", "status"),
    [
        (PUSH + STEPS, "equal", 0),
        (PUSH.replace('"main"', '"main" ∨ branch = "next"') + STEPS, "stricter", 0),
        (PUSH.replace('branch = "main"', 'branch = "trunk"') + STEPS, "incomparable", 1),
        (STEPS, "looser", 1),
        ('define check_git_push(b, f) = if 1 / f > 0 then "allow" else "deny"\n' + STEPS, "unknown", 3),
    ],
)
def test_comparisons(kleis: Kleis, file: Path, tmp_path: Path, text: str, relation: str, status: int) -> None:
    (tmp_path / "new.kleis").write_text(text)
    answer = kleis("policy", "compare", str(file), "new.kleis")
    assert answer.status == status
    assert answer.out.startswith(f"{relation} new.kleis")
    if relation in ("equal", "incomparable"):
        found = kleis("policy", "compare", str(file), "new.kleis", "--json").json
        assert found["relation"] == relation
        assert len(found["actions"]) == 6


def test_a_misspelt_force_is_not_left_out(kleis: Kleis, file: Path) -> None:
    answer = kleis("policy", "check", str(file), "git_push", "branch=topic", "forec=true")
    assert answer.status == 1
    assert "there is no argument forec; did you mean force?" in answer.out
    assert kleis("policy", "check", str(file), "git_push", "branch=topic", "zzzzzz=1").status == 1


@pytest.mark.parametrize(
    "words",
    [
        ("policy", "audit", "bad.kleis"),
        ("policy", "compare", "bad.kleis", "bad.kleis"),
        ("explore", "bad.kleis", "Ring"),
        ("graph", "bad.kleis"),
        ("graph", "nothing.kleis"),
        ("publish", "bad.kleis", "--corpus", "shelf"),
        ("export", "bad.kleis", "--lean"),
    ],
)
def test_a_refusal_is_one_object_too(kleis: Kleis, tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "bad.kleis").write_text("define = (\n")
    answer = kleis(*words, "--json")
    assert answer.status in (1, 2)
    assert answer.json["error"]["message"]
    assert answer.json["error"]["code"]
    assert answer.err == ""
    plain = kleis(*words)
    assert plain.status == answer.status
    assert plain.out == ""
    assert plain.err
