"""Properties of policies: nothing is allowed where a rule errs or is undecided, and analyses agree with decisions.

Random policies are made of conditions over one text, some of which fail or stay symbolic somewhere, in nested ifs, lets
and helpers.  The oracle is the reference evaluator itself, asked without any of the gate's code.
"""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from kleis.budget import Budget
from kleis.errors import BudgetError, EvaluationError
from kleis.evaluator.environment import environment_of
from kleis.evaluator.evaluate import evaluate
from kleis.policy.actions import ACTIONS
from kleis.policy.policy import Policy
from kleis.syntax.tree import Call, Text
from kleis.values import Data, Symbol
from tests.support.theories.policies import policy

LITERALS = st.sampled_from(["", "a", "b", "ab", "rm", "src/", "x y"])
BUDGET = Budget(steps=50_000, depth=2_000, size=100_000)


@st.composite
def conditions(draw: st.DrawFn, depth: int = 2) -> str:
    literal = draw(LITERALS)
    simple = [
        f'contains(t, "{literal}")',
        f'hasPrefix(t, "{literal}")',
        f't = "{literal}"',
        f'matches(t, re_star(re_literal("{literal or "z"}")))',
        f"strlen(t) > {draw(st.integers(0, 3))}",
        "1 / (strlen(t) - 1) > 0",
        "mystery(t)",
        "mystery",
        "strlen(t)",
        "truth",
    ]
    if depth == 0:
        return draw(st.sampled_from(simple))
    inner = conditions(depth - 1)
    return draw(
        st.sampled_from(simple)
        | st.builds("({} ∧ {})".format, inner, inner)
        | st.builds("({} ∨ {})".format, inner, inner)
        | st.builds("¬({})".format, inner)
    )


LEAVES = st.sampled_from(
    ['"allow"', '"deny"', '"ALLOW"', '"yes"', '"alow"', '""', "1", "0", "true", "false", "allow", "Allow", "permit",
     "mystery(t)", "1 / 0", 'concat("al", "low")', 'concat("al", t)', "[1]", "t", "nothing", "helper(t)", "λ x . 1"]
)  # fmt: skip


@st.composite
def bodies(draw: st.DrawFn, depth: int = 3) -> str:
    if depth == 0:
        return draw(LEAVES)
    inner = bodies(depth - 1)
    return draw(
        LEAVES
        | st.builds("if {} then {} else {}".format, conditions(), inner, inner)
        | st.builds("let s = {} in {}".format, LEAVES, inner)
        | st.builds("let test = {} in if test then {} else {}".format, conditions(), inner, inner)
    )


@st.composite
def policies(draw: st.DrawFn) -> str:
    lines = [
        "define truth = 1 = 1",
        f"define helper(t) = {draw(bodies(1))}" if draw(st.booleans()) else 'define helper(t) = "allow"',
        f"define check_run_command(t) = {draw(bodies())}",
    ]
    if draw(st.booleans()):
        lines.append(f"define before_run_command(t) = {draw(bodies(2))}")
    return "\n".join(lines)


TEXTS = st.text("ab rm/sx", max_size=6) | st.text(max_size=3).filter(lambda text: text.isprintable())


def plain_value(made: Policy, rule: str, text: str) -> object:
    """What the evaluator says of a rule, or its error, without the gate."""
    try:
        found = evaluate(Call(rule, (Text(text),)), environment_of(made.theory), BUDGET)
    except (EvaluationError, BudgetError) as error:
        return error
    return ("approximate", found.value) if found.approximate else found.value


def is_yes(value: object) -> bool:
    """The table of values, written another way."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value == 1
    if isinstance(value, str):
        return value.lower() in {"allow", "allowed", "true", "yes"}
    if isinstance(value, Symbol):
        return value.name.lower() in {"allow", "allowed", "true"}
    return (
        isinstance(value, Data)
        and not value.fields
        and value.constructor.lower() in {"allow", "allowed", "true"}
    )


SOME = settings(max_examples=max(1, settings().max_examples // 3))
"""A third of the usual number: a policy is several commands long."""


@SOME
@given(policies(), st.lists(TEXTS, min_size=1, max_size=4))
def test_nothing_is_allowed_where_a_rule_errs_or_is_undecided(text: str, commands: list[str]) -> None:
    """An allowed action has a value that allows, and steps that are a text; all else is denied, with a reason."""
    made = policy(text)
    for command in commands:
        decision = made.decide("run_command", {"command": command}, budget=BUDGET)
        fine = is_yes(plain_value(made, "check_run_command", command))
        if "before_run_command" in made.definitions:
            steps = plain_value(made, "before_run_command", command)
            fine = fine and (
                isinstance(steps, str | Symbol) or (isinstance(steps, Data) and not steps.fields)
            )
        assert decision.allowed is fine
        assert decision.allowed or "DENIED" in decision.reason


@SOME
@given(policies(), st.lists(TEXTS, min_size=2, max_size=4))
def test_a_decision_does_not_depend_on_earlier_ones(text: str, commands: list[str]) -> None:
    used = policy(text)
    for command in commands[:-1]:
        used.decide("run_command", {"command": command}, budget=BUDGET)
    last = {"command": commands[-1]}
    assert used.decide("run_command", last, budget=BUDGET) == policy(text).decide(
        "run_command", last, budget=BUDGET
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=3,
)
OPEN = policy(
    "\n".join(
        f'define check_{name}({", ".join(each.parameters)}) = "allow"' for name, each in ACTIONS.items()
    )
)


@given(
    st.sampled_from([*ACTIONS, "other", ""]) | JSON,
    st.dictionaries(st.sampled_from(["path", "command", "branch", "force", "description"]), JSON, max_size=5),
)
def test_any_request_gets_a_decision(action: object, given_: dict[str, object]) -> None:
    """Even a policy that allows everything allows nothing that is not an action with its arguments."""
    decision = OPEN.decide(action, given_)
    if decision.allowed:
        assert isinstance(action, str)
        wanted = ACTIONS[action]
        texts = [
            [given_[name] for name in names if name in given_]
            for names in wanted.given_as
            if names != ("force",)
        ]
        assert all(found and all(isinstance(each, str) for each in found) for found in texts)
        assert isinstance(given_.get("force", False), int) or "force" not in wanted.parameters
