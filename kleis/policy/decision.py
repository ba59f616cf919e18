"""What the value of a rule means: allowed or denied, and the steps to take first.

See docs/reference/policy.md §3.2.

Invariant: only the values of the table allow.  Everything else denies: another text, a number, a symbolic value (an
undecided condition leaves one), an unbound name that is not itself one of the allowing words.
"""

from __future__ import annotations

import msgspec

from kleis import values
from kleis.policy.answer_shapes import DecisionAnswer

__all__ = ["ALLOWING_TEXTS", "Decision", "allows", "described", "steps_of"]

ALLOWING_TEXTS = ("allow", "allowed", "true", "yes")
"""The texts that allow, in any case of letters."""

_ALLOWING_NAMES = ("allow", "allowed", "true")

_SHOWN = 200


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What a policy says about an action.

    `rule` is the rule that decided, None where none did.  `problem` is not empty where the policy in effect is not what
    its file says now, or where there is none.  `exhausted` says that the budget stopped a rule.
    """

    allowed: bool
    action: str
    rule: str | None
    reason: str
    preconditions: tuple[str, ...] = ()
    problem: str = ""
    exhausted: bool = False

    def as_dict(self) -> DecisionAnswer:
        """The fields that clients read, as JSON values."""
        answer: DecisionAnswer = {
            "allowed": self.allowed,
            "action": self.action,
            "rule": self.rule,
            "reason": self.reason,
            "preconditions": list(self.preconditions),
        }
        if self.problem:
            answer["policy_problem"] = self.problem
        return answer


def allows(value: values.Value) -> bool:
    """Whether the value of a `check_` rule is one of those that allow."""
    match value:
        case bool():
            return value
        case int():
            return value == 1
        case str():
            return value.lower() in ALLOWING_TEXTS
        case values.Symbol(name=name):
            return name.lower() in _ALLOWING_NAMES
        case values.Data(constructor=name, fields=()):
            return name.lower() in _ALLOWING_NAMES
        case _:
            return False


def steps_of(value: values.Value) -> tuple[str, ...] | None:
    """The steps that the value of a `before_` rule names; None where it is no text."""
    match value:
        case bool():
            return None
        case str():
            text = value
        case values.Symbol(name=name) | values.Data(constructor=name, fields=()):
            text = name
        case _:
            return None
    if text.lower() == "none":
        return ()
    return tuple(step for part in text.split("&&") if (step := part.strip()))


def described(value: values.Value) -> str:
    """A value in a reason."""
    return values.render_value(value, limit=_SHOWN)
