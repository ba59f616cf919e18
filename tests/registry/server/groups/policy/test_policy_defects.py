"""The defects of the original policy server: each is absent here."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.servers.pif_server import command, pif_server
from tests.support.servers.theory_client import TheoryClient, theory_client

POLICY = """
define is_protected(branch) = branch = "production"
define check_git_push(branch, force) = if force = 1 then "deny" else if is_protected(branch) then "deny" else "allow"
define check_run_command(command) = if command = "boom" then 1 / 0 else "allow"
define before_run_command(command) = if command = "careful" then 1 / 0 else "none"
define check_file_edit(path) = concat(path, deep(path))
define deep(path) = deep(concat(path, "x"))
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TheoryClient]:
    folder = tmp_path_factory.mktemp("defects")
    (folder / "agent.kleis").write_text(POLICY)
    with theory_client(folder / "home", groups="policy", policy=folder / "agent.kleis") as client:
        yield client


def allowed(server: TheoryClient, action: str, **given: object) -> bool:
    return bool(server.ask("check_action", action=action, **given)["allowed"])


def test_a_branch_in_path_is_the_branch(server: TheoryClient) -> None:
    assert not allowed(server, "git_push", path="production")
    assert not allowed(server, "git_push", branch="production")


def test_a_push_without_a_branch_is_no_push_to_main(server: TheoryClient) -> None:
    reply = server.reply("check_action", action="git_push")
    assert reply.is_error
    assert "missing" in reply.structured["reason"]


@pytest.mark.parametrize("force", ["true", "yes", None, [True]])
def test_a_force_that_is_no_truth_value_is_not_taken_as_unforced(server: TheoryClient, force: object) -> None:
    assert not allowed(server, "git_push", branch="topic", force=force)


def test_missing_fields_are_no_empty_texts(server: TheoryClient) -> None:
    assert not allowed(server, "run_command")
    assert allowed(server, "run_command", command="")


def test_a_failing_precondition_denies(server: TheoryClient) -> None:
    found = server.ask("check_action", action="run_command", command="careful")
    assert found["allowed"] is False
    assert found["rule"] == "before_run_command"
    assert "precondition could not be evaluated" in found["preconditions"][0]


def test_a_failing_rule_denies_and_the_server_lives(server: TheoryClient) -> None:
    assert "division" in server.ask("check_action", action="run_command", command="boom")["reason"]
    assert "error" in server.ask("check_action", action="file_edit", path="x")["reason"]
    assert allowed(server, "run_command", command="ls")


def test_trailing_text_is_not_ignored(server: TheoryClient) -> None:
    reply = server.reply("evaluate", expression="2 + 3 garbage")
    assert reply.is_error
    assert "Parse error" in reply.text


def test_an_infix_connective_is_a_proposition(server: TheoryClient) -> None:
    found = server.ask("evaluate", expression='hasPrefix(b, "prod") ∧ check_git_push(b, 0) = "allow"')
    assert found["status"] == "disproved"
    assert "verified" in found


def test_imports_are_honoured(tmp_path: Path) -> None:
    (tmp_path / "shared.kleis").write_text('define check_file_edit(path) = "deny"\n')
    (tmp_path / "agent.kleis").write_text('import "shared.kleis"\n')
    with theory_client(tmp_path / "home", groups="policy", policy=tmp_path / "agent.kleis") as server:
        assert not allowed(server, "file_edit", path="x")
        assert server.ask("list_rules")["check_functions"] == [
            {"name": "check_file_edit", "params": ["path"]}
        ]


def test_the_order_of_rules_is_that_of_the_text(server: TheoryClient) -> None:
    names = [each["name"] for each in server.ask("list_rules")["check_functions"]]
    assert names == ["check_git_push", "check_run_command", "check_file_edit"]


def test_a_sample_that_cannot_be_evaluated_is_not_offered(server: TheoryClient) -> None:
    texts = [each["kleis"] for each in server.ask("describe_schema")["schema"]["verifiable_propositions"]]
    assert 'check_run_command("test_command")' in texts
    assert not any("test_path" in text for text in texts)


def test_ping_bad_json_and_unknown_notifications(tmp_path: Path) -> None:
    (tmp_path / "agent.kleis").write_text(POLICY)
    with pif_server(tmp_path / "home", groups="policy", policy=tmp_path / "agent.kleis") as client:
        client.send({"jsonrpc": "2.0", "id": "p", "method": "ping"})
        assert client.answer_to("p")["result"] == {}
        client.write(b"{nonsense\n")
        assert client.receive()["error"]["code"] == -32700
        client.send({"jsonrpc": "2.0", "method": "notifications/unheard_of"})
        answer = client.ask("check_action", action="git_push", branch="topic")
        assert answer["allowed"] is True


def test_a_misspelt_or_missing_argument_denies_with_its_name(server: TheoryClient) -> None:
    reply = server.reply("check_action", action="git_push", branch="topic", forse=True)
    assert reply.is_error
    assert reply.structured["allowed"] is False
    assert "`force`" in reply.text
    nothing = server.reply("check_action")
    assert nothing.is_error
    assert nothing.structured["allowed"] is False
    assert "action" in nothing.text


def test_an_edit_is_taken_up_while_serving(tmp_path: Path) -> None:
    path = tmp_path / "agent.kleis"
    path.write_text(POLICY)
    with theory_client(tmp_path / "home", groups="policy", policy=path) as server:
        assert allowed(server, "git_push", branch="topic")
        path.write_text('define check_git_push(branch, force) = "deny"\n')
        assert not allowed(server, "git_push", branch="topic")
        path.write_text("define check_git_push(branch, force) = (\n")
        found = server.ask("check_action", action="git_push", branch="topic")
        assert found["allowed"] is False
        assert "cannot be loaded" in found["policy_problem"]
        assert "policy_problem" in server.ask("list_rules")
        other = tmp_path / "other"
        other.write_text(POLICY)
        os.replace(other, path)
        assert allowed(server, "git_push", branch="topic")
        assert "policy_problem" not in server.ask("check_action", action="git_push", branch="topic")


def test_a_server_without_a_policy_denies_everything(tmp_path: Path) -> None:
    path = tmp_path / "agent.kleis"
    path.write_text('import "missing.kleis"\n' + POLICY)
    with theory_client(tmp_path / "home", groups="policy", policy=path) as server:
        found = server.ask("check_action", action="git_push", branch="topic")
        assert found["allowed"] is False
        assert "missing.kleis" in found["reason"]
        assert server.reply("list_rules").is_error


def test_an_action_without_a_rule_under_the_stricter_default(tmp_path: Path) -> None:
    path = tmp_path / "agent.kleis"
    path.write_text(POLICY)
    with theory_client(tmp_path / "home", groups="policy", policy=path, default="deny") as server:
        found = server.ask("check_action", action="git_commit", description="x")
        assert found["allowed"] is False
        assert "no rule" in found["reason"]


def test_the_group_needs_a_file(tmp_path: Path) -> None:
    ended = subprocess.run(
        command(tmp_path / "home", groups="policy"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert ended.returncode == 2
    assert b"--policy" in ended.stderr
