"""Comparisons: the relation, the witnesses, and that both policies decide them as reported."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kleis.policy.compare_policies import Comparison, Row, compare
from kleis.policy.policy import load_policy
from kleis.prover.process.broker import Broker
from tests.support.theories.policies import STARTER, policy

PUSH = 'define check_git_push(branch, force) = if force = 1 then "deny" else if {} then "deny" else "allow"'
MAIN = PUSH.format('branch = "main"')


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker(slots=2) as made:
        yield made


def compared(broker: Broker, old: str, new: str) -> Comparison:
    first, second = policy(old), policy(new)
    found = compare(first, second, broker=broker)
    for row in found.rows:
        for difference in filter(None, (row.stricter, row.looser, row.steps)):
            given = {name: value for name, value in difference.witness.items() if name != "action"}
            assert first.decide(row.action, given) == difference.old
            assert second.decide(row.action, given) == difference.new
        if row.stricter:
            assert row.stricter.old.allowed
            assert not row.stricter.new.allowed
        if row.looser:
            assert not row.looser.old.allowed
            assert row.looser.new.allowed
    return found


def row(found: Comparison, action: str = "git_push") -> Row:
    return next(each for each in found.rows if each.action == action)


@pytest.mark.parametrize(
    ("old", "new", "relation"),
    [
        (MAIN, MAIN, "equal"),
        (MAIN, PUSH.format('"main" = branch'), "equal"),
        (MAIN, PUSH.format('branch = "main" ∨ branch = "next"'), "stricter"),
        (PUSH.format('hasPrefix(branch, "main")'), MAIN, "looser"),
        (MAIN, PUSH.format('branch = "trunk"'), "incomparable"),
        (MAIN, 'define check_git_push(b, f) = "deny"', "stricter"),
        ('define check_git_push(b, f) = "deny"', "", "looser"),
        ("", MAIN, "stricter"),
        (MAIN, MAIN.replace('"allow"', '"yes"').replace('"deny"', '"no"'), "equal"),
        (MAIN, MAIN.replace('"allow"', "true").replace('"deny"', "false"), "equal"),
        (PUSH.format('contains(branch, "release ")'), PUSH.format('contains(branch, "release")'), "stricter"),
        ('define check_git_push(b, f) = if 1 / f > 0 then "allow" else "deny"', MAIN, "unknown"),
        (MAIN, 'define check_git_push(b) = "allow"', "stricter"),
        (MAIN, "data Verdict = check_git_push(b : String, f : ℤ)", "stricter"),
        ("", "data Verdict = check_git_push(b : String, f : ℤ)", "stricter"),
        ("data Verdict = check_git_push(b : String, f : ℤ)", "", "looser"),
    ],
)  # fmt: skip
def test_relations(broker: Broker, old: str, new: str, relation: str) -> None:
    found = compared(broker, old, new)
    assert row(found).relation == relation
    assert found.relation == relation
    mirrored = {"stricter": "looser", "looser": "stricter"}.get(relation, relation)
    assert row(compared(broker, new, old)).relation == mirrored


def test_differences_of_two_actions_are_put_together(broker: Broker) -> None:
    edit = 'define check_file_edit(p) = if hasPrefix(p, "{}") then "deny" else "allow"\n'
    found = compared(broker, MAIN + "\n" + edit.format("src/"), "" + edit.format("s"))
    assert (row(found).relation, row(found, "file_edit").relation) == ("looser", "stricter")
    assert found.relation == "incomparable"


def test_helpers_of_one_name_are_kept_apart(broker: Broker) -> None:
    text = 'define bad(p) = hasPrefix(p, "{}")\ndefine check_file_edit(bad_path) = if bad(bad_path) then "deny" else "allow"'
    found = compared(broker, text.format("src/"), text.format("src/core/"))
    assert row(found, "file_edit").relation == "looser"


def test_data_types_of_one_name_are_kept_apart(broker: Broker) -> None:
    old = 'data V = Allow | Deny\ndefine check_file_edit(p) = if p = "x" then Deny else Allow'
    new = 'data V = Deny | Allow | Ask\ndefine check_file_edit(p) = if p = "x" then Ask else Allow'
    assert row(compared(broker, old, new), "file_edit").relation == "equal"


def test_other_steps_are_told(broker: Broker) -> None:
    found = compared(broker, 'define before_file_edit(p) = "a"', 'define before_file_edit(p) = "a && b"')
    assert found.relation == "equal"
    steps = row(found, "file_edit").steps
    assert steps is not None
    assert (steps.old.preconditions, steps.new.preconditions) == (("a",), ("a", "b"))


def test_a_changed_starter_policy(broker: Broker) -> None:
    old = load_policy(STARTER)
    text = STARTER.read_text().replace('re_literal("pytest"), ', 're_literal("pytest"), re_literal("curl"), ')
    new = load_policy(STARTER, text=text)
    found = compare(old, new, broker=broker)
    commands = row(found, "run_command")
    assert commands.relation == "looser"
    assert commands.looser is not None
    assert "curl" in commands.looser.witness["command"]
    assert found.relation == "looser"


@pytest.mark.parametrize(
    ("opened", "closed"),
    [("¬(", ")"), ("matches(command, re_star(", "))"), ('(command = "a" ∨ ', ")")],
)
def test_rules_as_deep_as_a_source_may_be(broker: Broker, opened: str, closed: str) -> None:
    """Such a pair once raised RecursionError: each level of a tree is several frames of Python."""
    depth = 230
    if opened.startswith("matches"):
        test = "matches(command, " + "re_star(" * depth + 're_literal("x")' + ")" * depth + ")"
    else:
        test = opened * depth + 'command = "x"' + closed * depth
    text = f'define check_run_command(command) = if {test} then "{{}}" else "deny"'
    found = compared(broker, text.format("allow"), text.format("deny"))
    assert row(found, "run_command").relation in ("stricter", "unknown")
    assert row(found, "file_edit").relation == "equal"
