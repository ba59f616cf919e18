"""The arguments of the tools of the group `policy`, one type a tool.

Those of `check_action` are of any type, whatever their schema says: what is missing or of the wrong type is a
*decision*, which denies and says why, and no error of the call. An empty text means that an argument was left out.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta

from kleis.policy.actions import ACTIONS
from kleis.policy.describe_rules import Depth

__all__ = [
    "LONGEST",
    "AuditPolicy",
    "CheckAction",
    "ComparePolicies",
    "DescribeSchema",
    "Evaluate",
    "ExplainRule",
    "ListRules",
]

LONGEST = 45_000
"""Milliseconds that any call may take: clients give up at 50 or 60 seconds."""

Name = Annotated[str, Meta(max_length=200)]
Milliseconds = Annotated[int, Meta(ge=1, le=LONGEST)]


def _loosely(kind: str, description: str, **more: Any) -> Meta:
    """The schema of a value that is taken whatever its type is."""
    return Meta(description=description, extra_json_schema={"type": kind, **more})


def _action(description: str) -> Meta:
    return _loosely("string", description, enum=list(ACTIONS))


class CheckAction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An action to be decided."""

    action: Annotated[Any, _action("what is to be done")]
    path: Annotated[
        Any,
        _loosely("string", "the file, for file_delete, file_create, file_edit; for git_push the branch"),
    ] = UNSET
    command: Annotated[Any, _loosely("string", "the command line, for run_command")] = UNSET
    branch: Annotated[Any, _loosely("string", "the branch, for git_push")] = UNSET
    force: Annotated[Any, _loosely("boolean", "whether a push is forced", default=False)] = UNSET
    description: Annotated[Any, _loosely("string", "the message, for git_commit")] = UNSET


class ListRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All rules of the policy."""


class ExplainRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One rule as it is written."""

    rule_name: Annotated[Name, Meta(description="e.g. check_git_push")]


class DescribeSchema(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The declarations of the policy."""

    name: Annotated[Name, Meta(description="only what is called so")] = ""
    depth: Depth = "full"


class Evaluate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An expression over the policy's definitions, or a proposition about them."""

    expression: Annotated[str, Meta(description="in Kleis")]
    timeout_ms: Milliseconds = 20_000
    explain: Annotated[bool, Meta(description="tell how it was found")] = False


class AuditPolicy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The weak spots of the policy, or of one action's rule."""

    action: Annotated[str, _action("only the rule of this action")] = ""
    timeout_ms: Milliseconds = 40_000


class ComparePolicies(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Another policy, by its text or by its file."""

    kleis: Annotated[str, Meta(description="the other policy's text")] = ""
    file: Annotated[str, Meta(description="a .kleis file beside the policy, instead of its text")] = ""
    timeout_ms: Milliseconds = 40_000
