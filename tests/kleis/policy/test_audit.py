"""Audits: the findings, and that the policy decides every witness as the finding says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kleis.policy.audit import Audit, Remark, audit
from kleis.policy.policy import Policy, load_policy
from kleis.policy.prover_questions import Questions
from kleis.prover.process.broker import Broker
from kleis.syntax.parser.parser import parse_expression
from tests.support.theories.policies import STARTER, policy


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker(slots=2) as made:
        yield made


def audited(broker: Broker, made: Policy | str, only: str = "") -> Audit:
    subject = policy(made) if isinstance(made, str) else made
    found = audit(subject, broker=broker, only=only)
    for remark in found.remarks:
        if remark.witness is not None:
            given = {name: value for name, value in remark.witness.items() if name != "action"}
            assert subject.decide(remark.witness["action"], given) == remark.decision
    return found


def of_kind(found: Audit, kind: str) -> list[Remark]:
    return [each for each in found.remarks if each.kind == kind]


def test_a_condition_that_never_holds(broker: Broker) -> None:
    found = audited(
        broker,
        'define check_run_command(c) = if hasPrefix(c, "a") ∧ hasPrefix(c, "b") then "deny" else "allow"',
        "run_command",
    )
    (remark,) = of_kind(found, "never_fires")
    assert remark.condition == 'hasPrefix(c, "a") ∧ hasPrefix(c, "b")'
    assert of_kind(found, "always_allows")


def test_a_shadowed_condition_names_what_hides_it(broker: Broker) -> None:
    text = """define check_run_command(c) =
    if contains(c, "rm") then "deny"
    else if contains(c, "sudo") then "deny"
    else if contains(c, "rm -rf") then "deny"
    else "allow"
"""
    (remark,) = of_kind(audited(broker, text, "run_command"), "shadowed")
    assert remark.line == 4
    assert 'contains(c, "rm")' in remark.message
    assert remark.witness is not None
    assert "rm -rf" in remark.witness["command"]
    assert remark.decision is not None
    assert not remark.decision.allowed


def test_a_shadowed_part_of_a_condition(broker: Broker) -> None:
    text = 'define check_file_edit(p) = if hasPrefix(p, "src/") ∨ hasPrefix(p, "src/core/") then "deny" else "allow"'
    (remark,) = of_kind(audited(broker, text, "file_edit"), "shadowed")
    assert remark.condition == 'hasPrefix(p, "src/core/")'


def test_conditions_of_helpers_and_lets_are_looked_at(broker: Broker) -> None:
    text = """define verdict(bad) = if bad then "deny" else "allow"
define check_file_edit(p) =
    let inside = hasPrefix(p, "src/") in
    if inside then verdict(hasPrefix(p, "lib/")) else "deny"
"""
    found = audited(broker, text, "file_edit")
    assert [each.kind for each in found.remarks if each.kind in ("shadowed", "never_fires")] == ["shadowed"]


def test_a_condition_that_always_holds(broker: Broker) -> None:
    text = 'define check_file_edit(p) = if strlen(p) ≥ 0 then "deny" else "allow"'
    found = audited(broker, text, "file_edit")
    assert of_kind(found, "always_fires")
    assert of_kind(found, "always_denies")


@pytest.mark.parametrize(
    ("text", "action", "slipping"),
    [
        ('define check_run_command(c) = if contains(c, "rm -rf") then "deny" else "allow"', "run_command",
         {"blanks", "${IFS} for a blank", "quotes", "flags in another order, or apart"}),
        ('define check_run_command(c) = if hasPrefix(c, "sudo ") then "deny" else "allow"', "run_command",
         {"quotes", "a backslash", "the program by its path", "run by another program", "blanks", "${IFS} for a blank"}),
        ('define check_file_delete(p) = if hasPrefix(p, "src/") then "deny" else "allow"', "file_delete",
         {"./ in front", "a directory left again"}),
        ('define check_git_push(b, f) = if b = "main" then "deny" else "allow"', "git_push",
         {"the full name of the ref", "a source and a destination", "a plus sign, which forces"}),
    ],
)  # fmt: skip
def test_what_slips_past_a_pattern(broker: Broker, text: str, action: str, slipping: set[str]) -> None:
    found = of_kind(audited(broker, text, action), "slips_past")
    assert {each.message.rpartition(": ")[2] for each in found} == slipping
    for each in found:
        assert each.decision is not None
        assert each.decision.allowed


def test_a_rule_without_a_value_somewhere(broker: Broker) -> None:
    text = 'define check_run_command(c) = if 10 / strlen(c) > 3 then "deny" else "allow"'
    (remark,) = of_kind(audited(broker, text, "run_command"), "fails")
    assert remark.witness == {"action": "run_command", "command": ""}
    assert remark.decision is not None
    assert "division" in remark.decision.reason or "undefined" in remark.decision.reason


def test_rules_that_are_never_asked(broker: Broker) -> None:
    text = """define check_file_edit(a, b) = "allow"
define before_session_start(x) = "hello"
define before_run_command(c) = "look"
define check_git_push(b, f) = chek(b)
"""
    found = audited(broker, text)
    assert {each.rule for each in of_kind(found, "never_asked")} == {
        "before_session_start",
        "check_file_edit",
    }
    (alone,) = of_kind(found, "before_only")
    assert alone.rule == "before_run_command"
    assert alone.decision is not None
    assert alone.decision.allowed
    assert any("chek" in each.message for each in of_kind(found, "unknown_name"))
    assert not found.ok


def test_actions_without_rules_are_told(broker: Broker) -> None:
    found = audited(broker, 'define check_git_push(b, f) = "deny"')
    assert len(of_kind(found, "no_rule")) == 5
    assert found.ok


@pytest.mark.parametrize("action", ["file_delete", "run_command", "git_push"])
def test_nothing_is_wrong_with_the_starter_policy(broker: Broker, action: str) -> None:
    found = audited(broker, load_policy(STARTER), action)
    assert found.complete
    assert found.remarks == ()


def test_a_search_that_is_stopped_says_so(broker: Broker) -> None:
    found = audit(
        policy('define check_git_push(b, f) = if b = "x" then "deny" else "allow"'),
        broker=broker,
        stop=lambda: True,
    )
    assert not found.complete
    assert found.asked == 0
    assert all(each.kind in ("no_rule", "undecided") for each in found.remarks)


def test_a_rule_that_compares_different_kinds(broker: Broker) -> None:
    found = audited(broker, 'define check_git_push(b, f) = if f = "1" then "deny" else "allow"', "git_push")
    (undecided,) = of_kind(found, "undecided")
    assert "ℤ and String" in undecided.message
    (fails,) = of_kind(found, "fails")
    assert "an integer with a string" in fails.message
    assert fails.witness is not None
    assert not found.ok


def test_what_is_defined_twice_or_read_otherwise(broker: Broker) -> None:
    text = """define check_file_edit(path) = "deny"
define check_file_edit(path) = if path = "a" ∨ path = "b" ∧ path = "c" then "deny" else "allow"
"""
    found = audited(broker, text)
    assert [(each.line, each.kind) for each in found.remarks[:2]] == [(2, "redefined"), (2, "misread")]
    assert not found.ok
    once = audited(broker, text.partition("\n")[0])
    assert not of_kind(once, "redefined")
    assert not of_kind(once, "misread")


class Counting(Broker):
    """Counts the attempts that need a process of their own."""

    def __init__(self) -> None:
        super().__init__(slots=2)
        self.engines: list[str] = []

    def submit(self, engine: str, task: Any, steps: int, **further: Any) -> Any:
        self.engines.append(engine.rpartition(":")[2])
        return super().submit(engine, task, steps, **further)


def test_searches_in_patterns_need_no_process() -> None:
    text = """
    define word = re_plus(re_range("a", "z"))
    define check_run_command(c) = if matches(c, re_concat(word, re_literal(" "), word)) then "allow" else "deny"
    """
    broker = Counting()
    with broker:
        found = audit(policy(text), broker=broker, only="run_command")
    assert found.asked >= 3
    assert found.ok
    assert set(broker.engines) <= {"check_witness"}


@pytest.mark.parametrize(
    "name",
    [
        "сheck_git_push",
        "Check_git_push",
        "chek_git_push",
        "check_gitpush",
        "check_git_pusch",
        "check_git_push_",
    ],
)
@pytest.mark.parametrize("only", ["", "git_push"])
def test_a_rule_that_is_misspelt(broker: Broker, name: str, only: str) -> None:
    found = audited(broker, f'define {name}(b, f) = "deny"', only)
    (remark,) = of_kind(found, "never_asked")
    assert (remark.rule, remark.line) == (name, 1)
    assert "check_git_push" in remark.message
    assert any("git_push" in each.message for each in of_kind(found, "no_rule"))
    assert not found.ok


@pytest.mark.parametrize("only", ["", "git_push"])
def test_something_else_under_the_name_of_a_rule(broker: Broker, only: str) -> None:
    text = 'operation check_git_push : String × ℤ → String\ndefine check_file_edit(path) = "deny"'
    found = audited(broker, text, only)
    (remark,) = of_kind(found, "never_asked")
    assert "every such action is denied" in remark.message
    assert not any("git_push" in each.message for each in of_kind(found, "no_rule"))


MENDED = {
    "run_command": 'if ¬matches(c, re_literal("ls")) then "deny" else "allow"',
    "file_edit": 'if ¬matches(c, re_literal("src/x")) then "deny" else "allow"',
    "git_push": 'if ¬matches(c, re_literal("topic")) then "deny" else "allow"',
}


@pytest.mark.parametrize(
    ("action", "parameters", "test"),
    [
        ("run_command", "c", 'contains(c, "rm -rf")'),
        ("file_edit", "c", 'c = "src/core"'),
        ("git_push", "c, force", 'c = "main"'),
    ],
)
def test_each_witness_that_slips_past_has_the_proposition_that_forbids_it(
    broker: Broker, action: str, parameters: str, test: str
) -> None:
    text = f'define check_{action}({parameters}) = if {test} then "deny" else "allow"'
    subject = policy(text)
    mended = policy(f"define check_{action}({parameters}) = {MENDED[action]}")
    slips = of_kind(audited(broker, subject, action), "slips_past")
    assert len(slips) >= 3
    for remark in slips:
        proposition = parse_expression(remark.proposition)
        assert remark.as_dict()["proposition"] == remark.proposition
        with Questions(subject.theory, broker=broker) as asked:
            assert asked._prover.verify(proposition).status == "disproved"
        with Questions(mended.theory, broker=broker) as asked:
            assert asked._prover.verify(proposition).status == "verified"


def test_an_action_without_a_rule_has_the_proposition_that_asks_for_one(broker: Broker) -> None:
    found = audited(broker, 'define check_git_commit(d) = "deny"')
    (remark,) = [each for each in of_kind(found, "no_rule") if each.message.find("git_push") >= 0]
    assert remark.proposition == 'check_git_push("x", 0) = "deny"'
    denying = audit(policy('define check_git_commit(d) = "deny"', default="deny"), broker=broker)
    assert {each.proposition for each in of_kind(denying, "no_rule")} == {""}


ABOUT_CALLS = """import "stdlib/policies/gateway.kleis"
define on_files(call : McpCall) : Decision = match tool_of(call) {
    "read" => Allow
  | "write" => Deny("a", "")
  | "read" => Deny("b", "")
  | _ => Deny("c", "")
}
define check_call(who : Principal, state : State, call : McpCall) : Decision =
    if ¬is_tool_call(call) then Deny("t", "")
    else match server_of(call) {
        "files" => if tool_of(call) = "read" ∧ tool_of(call) = "write" then Allow else on_files(call)
      | "gti" => (match call { ReadResource(_, _) => Allow | _ => Deny("d", "") })
      | _ => Deny("e", "")
    }
"""


def test_branches_that_no_call_comes_to(broker: Broker) -> None:
    found = audit(policy(ABOUT_CALLS), broker=broker, offered={"files": ["read"], "pif": None})
    assert [(each.kind, each.line, each.condition) for each in found.remarks] == [
        ("never_fires", 11, 'tool_of(call) = "read" ∧ tool_of(call) = "write"'),
        ("not_offered", 4, 'tool_of(call) is "write"'),
        ("never_fires", 5, 'tool_of(call) is "read"'),
        ("not_offered", 12, 'server_of(call) is "gti"'),
    ]
    assert not found.ok
