"""The contract with clients of the original policy server, row by row, through the SDK's real client.

One server for each policy; no test changes a file that another one reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.servers.theory_client import TheoryClient, theory_client
from tests.support.theories.policies import STARTER

POLICY = """
// Upstream's idioms, in our words.
data Risk = None | Low | Medium | High

structure Monoid(M) {
  operation op : M × M → M
  element e : M
  axiom left_unit : ∀(x : M). op(e, x) = x
  axiom associative : ∀(x y z : M). op(op(x, y), z) = op(x, op(y, z))
}

define is_lock(path) = hasSuffix(path, ".lock")

define check_file_delete(path) = if hasPrefix(path, "src/") then "deny" else "allow"
define check_file_create(path) =
    if hasPrefix(path, "src/") then "allow" else if hasPrefix(path, "docs/") then "allow" else "deny"
define check_file_edit(path) = if is_lock(path) then "deny" else "allow"
define check_run_command(command) =
    if contains(command, "rm -rf") then "deny" else if contains(command, "mkfs") then "deny" else "allow"
define check_git_push(branch, force) = if force = 1 then "deny" else "allow"

define before_git_push(branch, force) = "make test && make lint"
define before_file_edit(path) =
    if hasPrefix(path, "src/") then "read the tests"
    else if hasPrefix(path, "docs/") then "build the docs"
    else "none"
define before_file_delete(path) = "ask"
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TheoryClient]:
    folder = tmp_path_factory.mktemp("policy")
    (folder / "agent.kleis").write_text(POLICY)
    with theory_client(folder / "home", groups="policy", policy=folder / "agent.kleis") as client:
        yield client


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TheoryClient]:
    folder = tmp_path_factory.mktemp("empty")
    (folder / "agent.kleis").write_text("// nothing but this\n")
    with theory_client(folder / "home", groups="policy", policy=folder / "agent.kleis") as client:
        yield client


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TheoryClient]:
    with theory_client(tmp_path_factory.mktemp("shipped"), groups="policy", policy=STARTER) as client:
        yield client


# Loading.


def test_a_policy_of_comments_has_no_rules(empty: TheoryClient) -> None:
    listed = empty.ask("list_rules")
    assert listed["total"] == 0
    schema = empty.ask("describe_schema")["schema"]
    assert schema["stats"] == {"structures": 0, "data_types": 0, "functions": 0, "axioms": 0}
    assert schema["check_functions"] == schema["helper_functions"] == schema["verifiable_propositions"] == []


def test_the_tools(server: TheoryClient) -> None:
    assert server.tools() == [
        "check_action", "list_rules", "explain_rule", "describe_schema", "evaluate", "audit_policy", "compare_policies",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('define check_a(x) = "allow"\ndefine check_b(x) = "deny"', (2, 0, 2)),
        ('define before_a(x) = "s"\ndefine before_b(x) = "t"', (0, 2, 2)),
    ],
)
def test_two_of_a_kind(tmp_path: Path, text: str, found: tuple[int, int, int]) -> None:
    (tmp_path / "agent.kleis").write_text(text)
    with theory_client(tmp_path / "home", groups="policy", policy=tmp_path / "agent.kleis") as client:
        listed = client.ask("list_rules")
        functions = client.ask("describe_schema")["schema"]["stats"]["functions"]
    checks, before = len(listed["check_functions"]), len(listed["precondition_functions"])
    assert (checks, before, functions) == found


# Decisions.


def test_a_constant_rule(tmp_path: Path) -> None:
    (tmp_path / "agent.kleis").write_text('define check_git_commit(description) = "allow"')
    with theory_client(tmp_path / "home", groups="policy", policy=tmp_path / "agent.kleis") as client:
        found = client.ask("check_action", action="git_commit", description="")
    assert (found["allowed"], found["rule"]) == (True, "check_git_commit")
    assert "ALLOWED by check_git_commit" in found["reason"]


@pytest.mark.parametrize(
    ("action", "given", "allowed"),
    [
        ("file_delete", {"path": "src/main.rs"}, False),
        ("file_delete", {"path": "notes.txt"}, True),
        ("run_command", {"command": "rm -rf /"}, False),
        ("run_command", {"command": "mkfs /dev/sda"}, False),
        ("run_command", {"command": "cargo test"}, True),
        ("git_push", {"branch": "main", "force": True}, False),
        ("git_push", {"branch": "main", "force": False}, True),
        ("git_push", {"path": "main"}, True),
        ("file_create", {"path": "src/new.rs"}, True),
        ("file_create", {"path": "docs/new.md"}, True),
        ("file_create", {"path": "etc/new"}, False),
        ("file_edit", {"path": "Cargo.lock"}, False),
        ("file_edit", {"path": "src/main.rs"}, True),
        ("git_commit", {"description": "anything"}, True),
    ],
)
def test_decisions(server: TheoryClient, action: str, given: dict[str, object], allowed: bool) -> None:
    reply = server.reply("check_action", action=action, **given)
    found = reply.structured
    assert found["allowed"] is allowed
    assert reply.is_error is not allowed
    assert found["action"] == action
    assert ("ALLOWED" if allowed else "DENIED") in reply.text.splitlines()[0]
    if action == "git_commit":
        assert found["rule"] is None
        assert "allowed by default" in found["reason"]
        assert "Rule: (none)" in reply.text
    else:
        assert found["rule"] == f"check_{action}"
        assert ("ALLOWED" if allowed else "DENIED") in found["reason"]
    assert f"Reason: {found['reason']}" in reply.text


def test_an_unknown_action_is_denied(server: TheoryClient) -> None:
    reply = server.reply("check_action", action="launch")
    assert reply.is_error
    assert reply.structured["allowed"] is False
    assert "Unknown action type" in reply.structured["reason"]
    assert reply.structured["preconditions"] == []


# Preconditions.


def test_preconditions(server: TheoryClient) -> None:
    def steps(action: str, **given: object) -> list[str]:
        found = server.ask("check_action", action=action, **given)["preconditions"]
        assert isinstance(found, list)
        return found

    assert steps("git_push", branch="x") == ["make test", "make lint"]
    assert steps("git_push", branch="x", force=True) == ["make test", "make lint"]
    assert steps("file_edit", path="src/a.rs") == ["read the tests"]
    assert steps("file_edit", path="docs/a.md") == ["build the docs"]
    assert steps("file_edit", path="x") == []
    assert steps("file_delete", path="src/a.rs") == ["ask"]
    assert "1. make test\n2. make lint" in server.reply("check_action", action="git_push", branch="x").text


# Evaluate.


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ('check_run_command("rm -rf /")', '"deny"'),
        ('check_run_command("ls")', '"allow"'),
        ('before_git_push("main", 0)', '"make test && make lint"'),
        ("2 + 3", "5"),
    ],
)
def test_concrete_evaluation(server: TheoryClient, expression: str, result: str) -> None:
    reply = server.reply("evaluate", expression=expression)
    assert not reply.is_error
    assert reply.structured["result"] == result
    assert "verified" not in reply.structured
    assert result in reply.text


def test_broken_syntax_is_an_error(server: TheoryClient) -> None:
    reply = server.reply("evaluate", expression="check_git_push(")
    assert reply.is_error
    assert "Parse error" in reply.text


def test_an_unknown_function_is_a_value_or_an_error(server: TheoryClient) -> None:
    assert server.ask("evaluate", expression="no_such_function(3)")["status"] in ("value", "error")
    assert server.ask("evaluate", expression="2 + 3")["result"] == "5"


def test_propositions(server: TheoryClient) -> None:
    added = server.reply("evaluate", expression="∀(x : ℝ). x + 0 = x")
    assert added.structured["verified"] is True
    assert not added.is_error
    assert "VERIFIED" in added.text
    forced = server.reply("evaluate", expression='∀(b : String). check_git_push(b, 1) = "deny"')
    assert forced.structured["verified"] is True
    assert forced.structured["witness"] is None
    refuted = server.reply("evaluate", expression='∀(p : String). check_file_edit(p) = "allow"')
    assert not refuted.is_error
    assert refuted.structured["verified"] is False
    (binding,) = refuted.structured["witness_bindings"]
    assert binding["variable"] == "p"
    assert binding["value"].endswith('.lock"')
    assert "DISPROVED" in refuted.text
    assert "Counterexample (Kleis):" in refuted.text


# Schema.


def test_functions_are_sorted_by_what_they_are(server: TheoryClient) -> None:
    schema = server.ask("describe_schema")["schema"]
    assert [each["name"] for each in schema["check_functions"]] == [
        "check_file_delete", "check_file_create", "check_file_edit", "check_run_command", "check_git_push",
    ]  # fmt: skip
    assert [each["name"] for each in schema["precondition_functions"]] == [
        "before_git_push", "before_file_edit", "before_file_delete",
    ]  # fmt: skip
    assert [each["name"] for each in schema["helper_functions"]] == ["is_lock"]
    assert schema["stats"] == {"structures": 1, "data_types": 1, "functions": 9, "axioms": 2}
    push = schema["check_functions"][-1]
    assert push["params"] == ["branch", "force"]
    assert push["kleis"].startswith("define check_git_push(branch, force) =")
    assert push["body"].startswith("if force = 1 then")


def test_structures_and_data_types(server: TheoryClient) -> None:
    schema = server.ask("describe_schema")["schema"]
    (monoid,) = schema["structures"]
    assert monoid["name"] == "Monoid"
    assert [each["name"] for each in monoid["axioms"]] == ["left_unit", "associative"]
    assert monoid["axioms"][0]["kleis"] == "∀(x : M). op(e, x) = x"
    assert monoid["operations"] == [{"name": "op", "type": "M × M → M"}, {"name": "e", "type": "M"}]
    assert monoid["fields"] == []
    (risk,) = schema["data_types"]
    assert [each["name"] for each in risk["variants"]] == ["None", "Low", "Medium", "High"]


def test_propositions_worth_trying_run(server: TheoryClient) -> None:
    propositions = server.ask("describe_schema")["schema"]["verifiable_propositions"]
    assert all(each["kleis"] and each["description"] for each in propositions)
    texts = [each["kleis"] for each in propositions]
    for rule in (
        "check_file_delete",
        "check_file_create",
        "check_file_edit",
        "check_run_command",
        "check_git_push",
    ):
        assert any("∀" in text and rule in text for text in texts)
        assert any("∀" not in text and text.startswith(rule) for text in texts)
    assert any("left_unit" in each["description"] for each in propositions)
    for each in propositions:
        found = server.ask("evaluate", expression=each["kleis"])
        expected = ("verified", "disproved", "value") if each["hint"] == "verify" else ("value",)
        assert found["status"] in expected, each


def test_the_schema_in_levels(server: TheoryClient) -> None:
    names = server.ask("describe_schema", depth="names")["schema"]
    assert names["helper_functions"] == ["is_lock"]
    signatures = server.ask("describe_schema", depth="signatures", name="is_lock")["schema"]
    assert signatures["helper_functions"] == [{"name": "is_lock", "params": ["path"]}]
    assert signatures["check_functions"] == []


# Rules.


def test_rules_are_listed_and_explained(server: TheoryClient) -> None:
    listed = server.ask("list_rules")
    assert (len(listed["check_functions"]), len(listed["precondition_functions"])) == (5, 3)
    assert listed["total"] == 10
    found = server.reply("explain_rule", rule_name="check_git_push")
    assert found.structured["kind"] == "check"
    assert "define check_git_push(branch, force) =" in found.text
    axiom = server.ask("explain_rule", rule_name="left_unit")
    assert (axiom["kind"], axiom["structure"]) == ("axiom", "Monoid")
    missing = server.reply("explain_rule", rule_name="check_git_pusch")
    assert not missing.is_error
    assert missing.structured["found"] is False
    assert missing.structured["did_you_mean"] == ["check_git_push"]
    assert "not found" in missing.text


# The shipped policy.


def test_the_shipped_policy(shipped: TheoryClient) -> None:
    listed = shipped.ask("list_rules")
    assert len(listed["check_functions"]) >= 5
    assert len(listed["precondition_functions"]) >= 4

    def allowed(action: str, **given: object) -> bool:
        return bool(shipped.ask("check_action", action=action, **given)["allowed"])

    assert not allowed("file_delete", path="src/main.rs")
    assert not allowed("git_push", branch="topic", force=True)
    assert allowed("run_command", command="cargo test")
    assert not allowed("run_command", command="rm -rf /")
    pushed = shipped.ask("check_action", action="git_push", branch="topic", force=False)
    assert pushed["allowed"]
    assert pushed["preconditions"]
    assert shipped.ask("evaluate", expression='check_git_push("topic", 1)')["result"] == '"deny"'
    assert shipped.ask("evaluate", expression='check_git_push("topic", 0)')["result"] == '"allow"'
    stats = shipped.ask("describe_schema", depth="names")["schema"]["stats"]
    assert stats["functions"] >= 12
