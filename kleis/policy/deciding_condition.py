"""The condition of a rule that decided about an action: the last one that was asked on the way to its value.

See docs/reference/policy.md §3.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from kleis.budget import Budget
from kleis.errors import KleisError
from kleis.evaluator.evaluate import evaluate_with
from kleis.policy.actions import ACTIONS, ArgumentProblem, read_arguments
from kleis.policy.policy import BRIEF, Policy
from kleis.policy.rule_conditions import conditions
from kleis.syntax import tree
from kleis.syntax.printer.program import print_expression

__all__ = ["Because", "deciding_condition"]


class Because(msgspec.Struct, frozen=True):
    """A condition as it is written, whether it `holds` for the action, and its line in the policy's file."""

    condition: str
    holds: bool
    line: int

    def as_dict(self) -> dict[str, Any]:
        """The fields as JSON values."""
        return {"condition": self.condition, "holds": self.holds, "line": self.line}


def deciding_condition(
    policy: Policy, name: str, given: Mapping[str, Any], *, budget: Budget = BRIEF
) -> Because | None:
    """The condition that decided about an action with these arguments; None where the rule asks none, where none is known, or
    where the budget is too small to say."""
    action = ACTIONS.get(name)
    rule = None if action is None else policy.definitions.get(action.check)
    if action is None or rule is None or len(rule.parameters) != len(action.parameters):
        return None
    arguments = read_arguments(action, given)
    if isinstance(arguments, ArgumentProblem):
        return None
    found: Because | None = None
    known: dict[int, bool] = {}
    for each in conditions(rule, policy.definitions, policy.constructors):
        if any(known.get(id(test)) is not holds for test, holds in each.after):
            continue
        bound = each.test
        for parameter, value in reversed(list(zip(rule.parameters, arguments, strict=True))):
            literal = tree.Text(value) if isinstance(value, str) else tree.Number(str(value))
            bound = tree.Let(tree.VariablePattern(parameter.name), None, literal, bound)
        try:
            holds = evaluate_with(policy.machine(budget), bound, policy.environment, "<action>")
        except KleisError:
            return None
        if not isinstance(holds, bool):
            return None
        known[id(each.test)] = holds
        found = Because(print_expression(each.test), holds, each.line)
    return found
