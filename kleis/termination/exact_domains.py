"""Whether the condition of a termination argument is exact: the recursion has no value outside it.

A condition under which a recursion terminates becomes the definedness condition of the definition.  That is right only
if the definition has no value elsewhere: else the evaluator would compute what the logic calls undefined.  So outside
the condition every evaluation must be shown to reach a call outside the condition again, and never to end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kleis import core
from kleis.core import build_terms
from kleis.core.traversal import free_variables, parts
from kleis.definedness.linear_arithmetic import Fact, impossible
from kleis.definedness.path_arithmetic import Arithmetic
from kleis.termination.recursive_calls import Bound, Call, Condition, Step, always_defined

__all__ = ["exact_conditions"]

Conditions = Mapping[str, core.Term | None]


def exact_conditions(
    group: Sequence[core.Definition], calls: Sequence[Call], conditions: Conditions
) -> dict[str, core.Term | None] | None:
    """Conditions outside which no member has a value: the given ones, or these with the cases that need no call.

    None if neither are shown to be exact.
    """
    if _exact(group, conditions):
        return dict(conditions)
    wider: dict[str, core.Term | None] = {}
    for definition in group:
        condition = conditions[definition.key]
        ends = None if condition is None else _without_calls(definition, calls)
        wider[definition.key] = condition if ends is None or condition is None else _either(condition, ends)
    return wider if _exact(group, wider) else None


def _either(condition: core.Term, ends: Sequence[core.Term]) -> core.Term:
    return core.Connective("or", (condition, build_terms.conjunction(ends)))


def _without_calls(definition: core.Definition, calls: Sequence[Call]) -> list[core.Term] | None:
    """Formulas over the parameters that hold together where no call is made; None if they cannot be written."""
    names = {variable.name for variable in definition.parameters}
    found = []
    for call in calls:
        if call.caller.key != definition.key:
            continue
        ways: list[core.Term] = []
        for step in call.path:
            if isinstance(step, Bound) or not always_defined(step.formula):
                return None
            if not names.issuperset(variable.name for variable in free_variables(step.formula)):
                return None
            ways.append(core.Connective("not", (step.formula,)) if step.holds else step.formula)
        if not ways:
            return None
        found.append(ways[0] if len(ways) == 1 else core.Connective("or", tuple(ways)))
    return found


def _exact(group: Sequence[core.Definition], conditions: Conditions) -> bool:
    for definition in group:
        condition = conditions[definition.key]
        if condition is not None:
            outside = _Outside(definition, condition, group, conditions)
            if not always_defined(condition) or not outside.undefined(definition.body, ()):
                return False
    return True


class _Outside:
    """The arguments of a definition outside its condition."""

    def __init__(
        self,
        definition: core.Definition,
        condition: core.Term,
        group: Sequence[core.Definition],
        conditions: Conditions,
    ) -> None:
        self._outside: Step = Condition(condition, False, True)
        self._members = {each.key: each for each in group}
        self._conditions = conditions

    def undefined(self, term: core.Term, path: tuple[Step, ...]) -> bool:
        """Whether a term is shown to have no value, if calls outside their conditions have none."""
        match term:
            case core.Undefined():
                return True
            case core.Lambda() | core.Quantifier():
                return False
            case core.Conditional(condition=condition, consequent=yes, alternative=no):
                return self.undefined(condition, path) or all(
                    self._never((*path, step)) or self.undefined(branch, (*path, step))
                    for step, branch in (
                        (Condition(condition, True, True), yes),
                        (Condition(condition, False, True), no),
                    )
                )
            case core.Let(variable=variable, value=value, body=body):
                return self.undefined(value, path) or self.undefined(body, (*path, Bound(variable, value)))
            case core.Connective():
                return self._connected(term, path)
            case core.DefinitionCall(definition=key, arguments=arguments) if key in self._members:
                return any(self.undefined(each, path) for each in arguments) or self._leaves(term, path)
            case _:
                return any(self.undefined(part, path) for part in parts(term))

    def _connected(self, formula: core.Connective, path: tuple[Step, ...]) -> bool:
        """Whether some part is undefined and none of the others decides (strong Kleene)."""
        found = False
        for index, part in enumerate(formula.arguments):
            if self.undefined(part, path):
                found = True
                continue
            neutral = formula.name == "and" or (formula.name == "implies" and index == 0)
            if formula.name == "not" or not self._never((*path, Condition(part, not neutral, True))):
                return False
        return found

    def _leaves(self, call: core.DefinitionCall, path: tuple[Step, ...]) -> bool:
        condition = self._conditions[call.definition]
        if condition is None:
            return False
        inside = build_terms.at_arguments(condition, self._members[call.definition], call.arguments)
        return self._never((*path, Condition(inside, True, True)))

    def _never(self, path: tuple[Step, ...]) -> bool:
        """Whether no arguments outside the condition lead along a path."""
        values = {step.variable.name: step.value for step in path if isinstance(step, Bound)}
        arithmetic = Arithmetic(values)
        facts: list[Fact] = []
        for step in (self._outside, *path):
            if isinstance(step, Bound):
                facts.append(arithmetic.equal(step.variable, step.value))
            else:
                facts.append(arithmetic.assume(step.formula, step.holds))
        return impossible(facts, arithmetic.unknowns)
