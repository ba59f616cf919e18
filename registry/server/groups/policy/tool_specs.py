"""The tools of the group `policy` as clients see them: names, titles, descriptions, hints.

Specification: docs/reference/serving.md §6.4.
"""

from __future__ import annotations

from typing import Any, TypedDict

from kleis.policy.answer_shapes import (
    AuditAnswer,
    ComparisonAnswer,
    DecisionAnswer,
    RuleAnswer,
    RulesAnswer,
    SchemaFields,
)
from kleis.sessions.answer_shapes import FailedAnswer, ValueAnswer, VerdictAnswer
from registry.server.contract.group import ToolSpec
from registry.server.groups.policy import requests

__all__ = ["BRIEF_INSTRUCTIONS", "INSTRUCTIONS", "TOOLS"]

INSTRUCTIONS = """\
Policy: a gate for your actions. Call `check_action` BEFORE you delete, create or edit a file, run a command, push or \
commit, and do what it says: when `allowed` is false, do not act; when it is true, take the steps in `preconditions` \
first. An error, an unknown action and a missing argument deny.

- may I? `check_action` {"action": "run_command", "command": "pytest"} or {"action": "git_push", "branch": "main", \
"force": false}; the others take `path`, git_commit takes `description`
- what are the rules? `list_rules`, then `explain_rule`; `describe_schema` for all of it
- what would it say of every command? `evaluate` with ∀(c : String). …
- is the policy sound? `audit_policy` · is another one stricter? `compare_policies`
`policy_problem` in an answer: the file is broken and the policy before it is still in force."""

BRIEF_INSTRUCTIONS = """\
Policy: call `check_action` BEFORE you delete, create or edit a file (`path`), run a command (`command`), push \
(`branch`, `force`) or commit (`description`). `allowed` false: do not act. True: take the steps in `preconditions` \
first. Rules: `list_rules`, `explain_rule`. Weak spots: `audit_policy`."""


class PolicySchemaAnswer(TypedDict):
    """What the policy declares."""

    schema: SchemaFields


class Trouble(TypedDict, total=False):
    """What is added to every answer while the policy's file is broken."""

    policy_problem: str


NO_DECISION: dict[str, Any] = {
    "allowed": False,
    "rule": None,
    "reason": "DENIED — the request was not understood",
    "preconditions": [],
}
"""Fields of an error result of `check_action`, which made no decision: nothing is allowed."""

TOOLS: tuple[ToolSpec, ...] = (
    ToolSpec(
        name="check_action",
        title="May I do this?",
        description="Decide whether an action is allowed by the policy, before it is done. Answers allowed, the rule, "
        "the reason and the steps to take first (preconditions). Everything doubtful is denied.",
        arguments=requests.CheckAction,
        answers=(DecisionAnswer,),
        example={"action": "run_command", "command": "pytest -q"},
        read_only=True,
        idempotent=True,
        error_fields=NO_DECISION,
    ),
    ToolSpec(
        name="list_rules",
        title="The rules of the policy",
        description="List the rules: checks, preconditions, axioms and helpers, with their parameters.",
        arguments=requests.ListRules,
        answers=(RulesAnswer, Trouble),
        example={},
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="explain_rule",
        title="One rule",
        description="Show one rule, helper or axiom of the policy as it is written.",
        arguments=requests.ExplainRule,
        answers=(RuleAnswer, Trouble),
        example={"rule_name": "check_git_push"},
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="describe_schema",
        title="All of the policy",
        description="Describe the declarations of the policy: rules with their sources, data types, structures, and "
        "propositions worth trying with `evaluate`.",
        arguments=requests.DescribeSchema,
        answers=(PolicySchemaAnswer, Trouble),
        example={"depth": "signatures"},
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="evaluate",
        title="Compute or prove with the policy",
        description="Evaluate an expression over the policy's definitions, or prove or refute a proposition about "
        'them, e.g. ∀(branch : String). check_git_push(branch, 1) = "deny".',
        arguments=requests.Evaluate,
        answers=(ValueAnswer, VerdictAnswer, FailedAnswer, Trouble),
        example={"expression": 'check_run_command("ls")'},
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="audit_policy",
        title="What is wrong with the policy?",
        description="Find the weak spots of the policy: conditions that can never hold or that an earlier one hides, "
        "commands that slip past a pattern, rules that fail. Each finding has an action that shows it, decided by "
        "the policy itself.",
        arguments=requests.AuditPolicy,
        answers=(AuditAnswer, Trouble),
        example={"action": "run_command"},
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="compare_policies",
        title="Is another policy stricter?",
        description="Compare another policy with the one in force: stricter, looser, equal or incomparable, action by "
        "action, with an action for each difference, decided by both. Give its text or its file.",
        arguments=requests.ComparePolicies,
        answers=(ComparisonAnswer, Trouble),
        example={"kleis": 'define check_git_push(branch, force) = "deny"'},
        read_only=True,
        idempotent=True,
    ),
)
"""The tools, all of them in the default list."""
