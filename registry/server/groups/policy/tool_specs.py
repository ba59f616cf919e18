"""The tools of the group `policy` as clients see them: names, descriptions, schemas, argument types.

Specification: docs/reference/serving.md §6.4.

The arguments of `check_action` are of any type here: what is missing or of the wrong type is a *decision*, which denies
and says why, and not a refusal of the call.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from kleis.policy.actions import ACTIONS
from kleis.policy.describe_rules import Depth
from registry.server.contract.group import ToolSpec
from registry.server.contract.schemas import choice, record, switch, text, whole

__all__ = [
    "BRIEF_INSTRUCTIONS",
    "INSTRUCTIONS",
    "TOOLS",
    "AuditPolicy",
    "CheckAction",
    "ComparePolicies",
    "DescribeSchema",
    "Evaluate",
    "ExplainRule",
]

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

Name = Annotated[str, msgspec.Meta(max_length=200)]
LONGEST = 45_000
"""Milliseconds that any call may take: clients give up at 50 or 60 seconds."""

Milliseconds = Annotated[int, msgspec.Meta(ge=1, le=LONGEST)]


class CheckAction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    action: Any
    path: Any = msgspec.UNSET
    command: Any = msgspec.UNSET
    branch: Any = msgspec.UNSET
    force: Any = msgspec.UNSET
    description: Any = msgspec.UNSET


class ListRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class ExplainRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    rule_name: Name


class DescribeSchema(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Name = ""
    depth: Depth = "full"


class Evaluate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    expression: str
    timeout_ms: Milliseconds = 20_000
    explain: bool = False


class AuditPolicy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    action: str = ""
    timeout_ms: Milliseconds = 40_000


class ComparePolicies(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kleis: str = ""
    file: str = ""
    timeout_ms: Milliseconds = 40_000


def _timeout(default: int) -> dict[str, Any]:
    return whole(1, LONGEST, default=default)


REFUSAL: dict[str, Any] = {
    "allowed": False,
    "rule": None,
    "reason": "DENIED — the request was not understood",
    "preconditions": [],
}
"""What stands beside the error where not even a decision could be made."""

TOOLS: tuple[ToolSpec, ...] = (
    ToolSpec(
        name="check_action",
        title="May I do this?",
        description="Decide whether an action is allowed by the policy, before it is done. Answers allowed, the rule, "
        "the reason and the steps to take first (preconditions). Everything doubtful is denied.",
        input_schema=record(
            ("action",),
            action=choice(ACTIONS, "what is to be done"),
            path=text("the file, for file_delete, file_create, file_edit; for git_push the branch"),
            command=text("the command line, for run_command"),
            branch=text("the branch, for git_push"),
            force=switch("whether a push is forced"),
            description=text("the message, for git_commit"),
        ),
        arguments=CheckAction,
        example={"action": "run_command", "command": "pytest -q"},
        read_only=True,
        idempotent=True,
        refusal=REFUSAL,
    ),
    ToolSpec(
        name="list_rules",
        title="The rules of the policy",
        description="List the rules: checks, preconditions, axioms and helpers, with their parameters.",
        input_schema=record(()),
        arguments=ListRules,
        example={},
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="explain_rule",
        title="One rule",
        description="Show one rule, helper or axiom of the policy as it is written.",
        input_schema=record(("rule_name",), rule_name=text("e.g. check_git_push")),
        arguments=ExplainRule,
        example={"rule_name": "check_git_push"},
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="describe_schema",
        title="All of the policy",
        description="Describe the declarations of the policy: rules with their sources, data types, structures, and "
        "propositions worth trying with `evaluate`.",
        input_schema=record(
            (),
            name=text("only what is called so"),
            depth=choice(("names", "signatures", "full"), default="full"),
        ),
        arguments=DescribeSchema,
        example={"depth": "signatures"},
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="evaluate",
        title="Compute or prove with the policy",
        description="Evaluate an expression over the policy's definitions, or prove or refute a proposition about "
        'them, e.g. ∀(branch : String). check_git_push(branch, 1) = "deny".',
        input_schema=record(
            ("expression",),
            expression=text("in Kleis"),
            timeout_ms=_timeout(20_000),
            explain=switch("tell how it was found"),
        ),
        arguments=Evaluate,
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
        input_schema=record(
            (),
            action=choice(ACTIONS, "only the rule of this action"),
            timeout_ms=_timeout(40_000),
        ),
        arguments=AuditPolicy,
        example={"action": "run_command"},
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="compare_policies",
        title="Is another policy stricter?",
        description="Compare another policy with the one in force: stricter, looser, equal or incomparable, action by "
        "action, with an action for each difference, decided by both. Give its text or its file.",
        input_schema=record(
            (),
            kleis=text("the other policy's text"),
            file=text("a .kleis file beside the policy, instead of its text"),
            timeout_ms=_timeout(40_000),
        ),
        arguments=ComparePolicies,
        example={"kleis": 'define check_git_push(branch, force) = "deny"'},
        read_only=True,
        idempotent=True,
    ),
)
"""The tools, all of them in the default list."""
