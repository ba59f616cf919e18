"""Decisions: the action table, the value table, preconditions, and every way to be denied (docs/reference/policy.md §3)."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleis.budget import Budget
from kleis.errors import KleisError
from kleis.policy.actions import ACTIONS, LONGEST_ARGUMENT
from kleis.policy.policy import Policy, load_policy
from tests.support.theories.policies import POLICIES, decide, expectations_of, policy

GIVEN = {
    "file_delete": {"path": "x"},
    "file_create": {"path": "x"},
    "file_edit": {"path": "x"},
    "run_command": {"command": "x"},
    "git_push": {"branch": "x"},
    "git_commit": {"description": "x"},
}


# Actions and arguments.


@pytest.mark.parametrize("action", ACTIONS)
def test_every_action_asks_its_rule(action: str) -> None:
    parameters = ", ".join(ACTIONS[action].parameters)
    first = ACTIONS[action].parameters[0]
    text = f'define check_{action}({parameters}) = if {first} = "x" then "allow" else "deny"'
    assert decide(text, action, **GIVEN[action]).allowed
    other = dict.fromkeys(GIVEN[action], "y")
    found = decide(text, action, **other)
    assert not found.allowed
    assert found.rule == f"check_{action}"
    assert found.reason == f"DENIED by check_{action}"


@pytest.mark.parametrize(
    "name", ["deploy", "", "FILE_EDIT", "file_edit ", "check_file_edit", None, 7, ["file_edit"]]
)
def test_what_is_no_action_is_denied(name: object) -> None:
    found = decide("", name, path="x")
    assert not found.allowed
    assert found.preconditions == ()
    assert "Unknown action type" in found.reason or "must be a text" in found.reason


@pytest.mark.parametrize("action", ACTIONS)
def test_a_missing_argument_denies(action: str) -> None:
    found = decide("", action)
    assert not found.allowed
    assert "is missing" in found.reason


@pytest.mark.parametrize("value", [None, 7, 1.5, True, ["x"], {"path": "x"}])
@pytest.mark.parametrize("action", ACTIONS)
def test_an_argument_of_another_type_denies(action: str, value: object) -> None:
    found = decide("", action, **dict.fromkeys(GIVEN[action], value))
    assert not found.allowed
    assert "must be a text" in found.reason


def test_an_argument_that_is_too_long_denies() -> None:
    assert decide("", "run_command", command="x" * LONGEST_ARGUMENT).allowed
    assert "characters" in decide("", "run_command", command="x" * (LONGEST_ARGUMENT + 1)).reason
    assert not decide("", "run_command", command="x" * (LONGEST_ARGUMENT + 1)).allowed


def test_a_branch_comes_as_branch_or_as_path() -> None:
    text = 'define check_git_push(branch, force) = if branch = "production" then "deny" else "allow"'
    assert not decide(text, "git_push", path="production").allowed
    assert not decide(text, "git_push", branch="production").allowed
    assert not decide(text, "git_push", branch="production", path="production").allowed
    assert decide(text, "git_push", path="topic").allowed
    contradictory = decide(text, "git_push", branch="topic", path="production")
    assert not contradictory.allowed
    assert "differ" in contradictory.reason


@pytest.mark.parametrize(
    ("force", "allowed"), [(True, False), (False, True), (1, False), (0, True), (-3, False)]
)
def test_force_is_a_flag(force: object, allowed: bool) -> None:
    text = 'define check_git_push(branch, force) = if force = 1 then "deny" else "allow"'
    assert decide(text, "git_push", branch="x", force=force).allowed is allowed


@pytest.mark.parametrize("force", ["true", "false", "", None, 1.0, [], {}])
def test_a_force_of_another_type_denies(force: object) -> None:
    assert not decide("", "git_push", branch="x", force=force).allowed


# Values.


@pytest.mark.parametrize(
    "value",
    [
        '"allow"',
        '"ALLOW"',
        '"Allowed"',
        '"true"',
        '"yes"',
        '"YeS"',
        "true",
        "1",
        "allow",
        "Allowed",
        "2 - 1",
        "1 = 1",
    ],
)
def test_values_that_allow(value: str) -> None:
    assert decide(f"define check_file_edit(path) = {value}", "file_edit", path="x").allowed


@pytest.mark.parametrize(
    "value",
    [
        '"deny"', '"alow"', '"allow "', '" allow"', '"allow\\n"', '""', '"1"', '"ok"', '"pass"', '"ａllow"', '"аllow"',
        "false", "0", "2", "1/2", "deny", "permit", "yes", "unknown_word", "[\"allow\"]", "λ x . \"allow\"", "Pair(1, 1)",
        "concat(unknown, \"allow\")", "unknown_rule(path)", "sqrt(2)", "re_full", "if unknown then \"allow\" else \"allow\"",
    ],
)  # fmt: skip
def test_values_that_deny(value: str) -> None:
    found = decide(f"define check_file_edit(path) = {value}", "file_edit", path="x")
    assert not found.allowed
    assert found.reason.startswith("DENIED")


@pytest.mark.parametrize(
    "body",
    [
        "1 / 0",
        "strlen(7, 8)",
        'match path { "y" => "allow" }',
        'readFile("/etc/passwd")',
        "head([])",
        'if path then "allow" else "deny"',
        "check_file_edit(path)",
        'concat("a", [1])',
    ],
)
def test_a_rule_without_a_value_denies(body: str) -> None:
    found = decide(f"define check_file_edit(path) = {body}", "file_edit", path="x")
    assert not found.allowed
    assert "policy evaluation error in 'check_file_edit'" in found.reason


def test_an_approximate_comparison_decides_nothing() -> None:
    text = 'define check_run_command(c) = if sqrt(strlen(c)) < 10.0 then "allow" else "deny"'
    found = decide(text, "run_command", command="ls -l")
    assert not found.allowed
    assert "approximate" in found.reason


@pytest.mark.parametrize("parameters", ["", "(path, other)", "(a, b, c)"])
def test_a_rule_with_other_parameters_denies(parameters: str) -> None:
    found = decide(f'define check_file_edit{parameters} = "allow"', "file_edit", path="x")
    assert not found.allowed
    assert "parameter" in found.reason


def test_a_rule_that_uses_up_its_budget_denies() -> None:
    made = policy("define loop(n) = loop(n + 1)\ndefine check_file_edit(path) = loop(0)")
    found = made.decide("file_edit", {"path": "x"}, budget=Budget(steps=20_000))
    assert not found.allowed
    assert found.exhausted
    assert "steps" in found.reason


def test_a_missing_rule_is_left_to_the_default() -> None:
    found = decide("", "file_edit", path="x")
    assert found.allowed
    assert found.rule is None
    assert "no rule" in found.reason
    assert "allowed by default" in found.reason
    denied = policy("", default="deny").decide("file_edit", {"path": "x"})
    assert not denied.allowed
    assert "no rule" in denied.reason


# Preconditions.


@pytest.mark.parametrize(
    ("value", "steps"),
    [
        ('"make test"', ("make test",)),
        ('"a && b"', ("a", "b")),
        ('" a &&b&& "', ("a", "b")),
        ('"none"', ()),
        ('"NONE"', ()),
        ('""', ()),
        ("tests", ("tests",)),
    ],
)
def test_preconditions_are_steps(value: str, steps: tuple[str, ...]) -> None:
    assert decide(f"define before_file_edit(path) = {value}", "file_edit", path="x").preconditions == steps


def test_preconditions_are_told_when_denied_too() -> None:
    text = 'define check_file_edit(path) = "deny"\ndefine before_file_edit(path) = "read it"'
    found = decide(text, "file_edit", path="x")
    assert not found.allowed
    assert found.preconditions == ("read it",)


@pytest.mark.parametrize(
    "body", ["1 / 0", "unknown(path)", "[1]", "7", "true", 'if unknown then "a" else "b"']
)
@pytest.mark.parametrize("check", ['define check_file_edit(path) = "allow"', ""])
def test_a_precondition_without_a_text_denies(body: str, check: str) -> None:
    found = decide(f"{check}\ndefine before_file_edit(path) = {body}", "file_edit", path="x")
    assert not found.allowed
    assert found.rule == "before_file_edit"
    assert "precondition could not be evaluated" in found.reason
    assert len(found.preconditions) == 1


@pytest.mark.parametrize(
    "rule",
    [
        'if force = "1" then "deny" else "allow"',
        'if force == "true" then "deny" else "allow"',
        'if force = true then "deny" else "allow"',
        'if branch = 1 ∨ force = 1 then "deny" else "allow"',
        'match force { "1" => "deny" | _ => "allow" }',
        'match force { True => "deny" | _ => "allow" }',
        'match force { Forced => "deny" | _ => "allow" }',
        'match force { Nil => "deny" | Cons(h, t) => "deny" | _ => "allow" }',
        'if force = [1] then "deny" else "allow"',
        'if (force, branch) = ("1", "x") then "deny" else "allow"',
        'if listed(force) then "deny" else "allow"',
        'if Forced = "Forced" then "allow" else "allow"',
        'if is_one then "allow" else "allow"',
    ],
)
def test_a_comparison_that_never_holds_denies(rule: str) -> None:
    """Whoever writes `force = "1"` means a forced push; as it never holds, everything would be allowed."""
    text = f"""
    data Push = Plain | Forced
    define is_one = 1 ≠ "1"
    define listed(x) = any(λ each . each = x, ["1"])
    define check_git_push(branch, force) = {rule}
    """
    for force in (True, False):
        found = decide(text, "git_push", branch="x", force=force)
        assert not found.allowed
        assert "which are never equal" in found.reason
        steps = decide(text.replace("check_", "before_"), "git_push", branch="x", force=force)
        assert not steps.allowed


def test_values_of_one_kind_are_compared() -> None:
    text = """
    define check_git_push(branch, force) =
        match (branch, [force], branch = "x") { ("x", [0], True) => "allow" | (_, [], _) => "deny" | _ => "deny" }
    """
    assert decide(text, "git_push", branch="x", force=False).allowed
    assert decide(text, "git_push", branch="x", force=True).reason == "DENIED by check_git_push"


@pytest.mark.parametrize(
    "text",
    [
        "operation check_git_push : String × ℤ → String",
        "data Verdict = check_git_push(b : String, f : ℤ)",
        'structure Gate(G) { define check_git_push(b, f) = "deny" }',
        "structure Gate { operation check_git_push : String × ℤ → String }",
        'define check_git_push(b, f) = "allow"\noperation before_git_push : String × ℤ → String',
    ],
)
def test_what_is_called_like_a_rule_and_is_none_denies(text: str) -> None:
    found = decide(text, "git_push", branch="x")
    assert not found.allowed
    assert "no definition of the policy" in found.reason
    assert decide(text, "git_commit", description="x").allowed


# Policies in the style of existing ones.


@pytest.mark.parametrize("path", POLICIES, ids=lambda path: str(path.stem))
def test_policies_decide_as_their_comments_say(path: Path) -> None:
    made = load_policy(path)
    for action, given, allowed in expectations_of(path):
        decision = made.decide(action, given)
        assert decision.allowed is allowed, (action, given, decision)


def test_steps_of_a_policy_by_case() -> None:
    made = load_policy(POLICIES[-1])
    assert made.decide("git_push", {"branch": "release/1"}).preconditions == (
        "pytest",
        "make docs",
        "git fetch",
    )
    assert made.decide("git_push", {"branch": "scratch"}).preconditions == ()
    assert made.decide("git_push", {"branch": "topic"}).preconditions == ("pytest",)
    assert made.decide("git_commit", {"description": "x"}).preconditions == ("ruff format", "ruff check")


# Loading.


def test_imports_are_honoured(tmp_path: Path) -> None:
    (tmp_path / "shared.kleis").write_text('define is_bad(path) = hasPrefix(path, "bad/")\n')
    main = tmp_path / "main.kleis"
    main.write_text(
        'import "shared.kleis"\ndefine check_file_edit(path) = if is_bad(path) then "deny" else "allow"\n'
    )
    made = load_policy(main)
    assert not made.decide("file_edit", {"path": "bad/x"}).allowed
    assert made.decide("file_edit", {"path": "good/x"}).allowed


def test_rules_may_be_imported(tmp_path: Path) -> None:
    (tmp_path / "rules.kleis").write_text('define check_file_edit(path) = "deny"\n')
    main = tmp_path / "main.kleis"
    main.write_text('import "rules.kleis"\n')
    assert [each.name for each in load_policy(main).rules] == ["check_file_edit"]
    assert not load_policy(main).decide("file_edit", {"path": "x"}).allowed


@pytest.mark.parametrize(
    "text", ['import "missing.kleis"', "define check_file_edit(path) = ", "data A = B\ndata A = C"]
)
def test_a_policy_that_cannot_be_loaded_is_none(text: str) -> None:
    with pytest.raises(KleisError):
        policy(text)


def test_decisions_do_not_depend_on_earlier_ones() -> None:
    text = """
    define letters = re_plus(re_range("a", "z"))
    define check_run_command(c) = if matches(c, letters) then "allow" else "deny"
    """
    kept = policy(text)
    for command in ["abc", "", "ABC", "abc1", "zzz", "abc"]:
        fresh: Policy = policy(text)
        assert kept.decide("run_command", {"command": command}) == fresh.decide(
            "run_command", {"command": command}
        )


@pytest.mark.parametrize("name", ["forec", "Force", "forced", "", "force ", "zzz"])
def test_an_argument_that_does_not_exist_denies(name: str) -> None:
    found = decide("", "git_push", branch="topic", **{name: True})
    assert not found.allowed
    assert f"there is no argument {name}" in found.reason
    assert decide("", "git_push", branch="topic", force=False).allowed


def test_an_argument_of_another_action_denies_and_says_whose_it_is() -> None:
    found = decide("", "git_push", branch="topic", description="of a commit")
    assert not found.allowed
    assert (
        "the argument description belongs to git_commit; git_push takes branch, path, force" in found.reason
    )
    assert not decide("", "file_edit", path="a", branch="main").allowed
