"""The fields of answers about policies. They are built as these types, and the schemas of answers are made from them."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

__all__ = ["AuditAnswer", "ComparisonAnswer", "DecisionAnswer", "RuleAnswer", "RulesAnswer", "SchemaFields"]

Fields = dict[str, Any]


class DecisionAnswer(TypedDict):
    """What the policy says about an action. `because`: of a denied one the condition that decided, whether it holds, its line."""

    allowed: bool
    action: str
    rule: str | None
    reason: str
    preconditions: list[str]
    because: NotRequired[Fields]
    policy_problem: NotRequired[str]


class RulesAnswer(TypedDict):
    """The rules by kind."""

    policy_file: str
    default: str
    check_functions: list[Fields]
    precondition_functions: list[Fields]
    axioms: list[Fields]
    helper_functions: list[Fields]
    total: int


class RuleAnswer(TypedDict):
    """One rule as it is written; or, where there is none of that name, the names that there are."""

    found: bool
    name: str
    kind: NotRequired[str]
    params: NotRequired[list[str]]
    structure: NotRequired[str]
    kleis: NotRequired[str]
    file: NotRequired[str]
    line: NotRequired[int]
    did_you_mean: NotRequired[list[str]]
    rules: NotRequired[list[str]]


class SchemaFields(TypedDict):
    """The declarations of a policy's file."""

    policy_file: str
    structures: list[Any]
    data_types: list[Any]
    check_functions: list[Any]
    precondition_functions: list[Any]
    helper_functions: list[Any]
    verifiable_propositions: NotRequired[list[Fields]]
    stats: dict[str, int]


class AuditAnswer(TypedDict):
    """The weak spots that were found."""

    ok: bool
    complete: bool
    asked: int
    findings: list[Fields]


class ComparisonAnswer(TypedDict):
    """How two policies compare, action by action."""

    relation: Literal["stricter", "looser", "equal", "incomparable", "unknown"]
    asked: int
    reason: NotRequired[str]
    actions: list[Fields]
