"""Where a machine could stop: a condition on states, read off the definition of `next`, and runs to such a state.

The condition is a guess that directs the search, and no verdict rests on it.  `next` as a disjunction of conjunctions that
give each variable of the next state a value, ``x2 = x + 1``, is possible where the rest of one of them holds.  That no step
leads on from a state that was found is a proposition of its own, about its values, which the prover has to verify.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from kleis.machines.claims import conjunction, negation
from kleis.machines.induction import Asking
from kleis.machines.machine import Machine
from kleis.machines.search import Run, find_run
from kleis.syntax import tree
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.tree.traversal import walk
from kleis.theory.theory import Theory

__all__ = ["condition_to_go_on", "stopped"]

_DEEPEST = 24
"""How deep calls of definitions and disjunctions are opened."""


def stopped(asking: Asking, depth: int) -> tuple[Run, tree.Expression | None]:
    """The shortest run of at most `depth` steps to a state without a next one, with the proposition that it has none."""
    claims = asking.claims
    machine = claims.machine
    condition = condition_to_go_on(asking.prover.theory, machine)
    if condition is None:
        return Run((), -1, "where it could stop cannot be read off the definition of a step"), None

    def last(at: int) -> Sequence[tree.Expression]:
        names = [tree.Name(each) for each in claims.names(at)]
        return [negation(_bound(_parameters(asking.prover.theory, machine), names, condition))]

    run = find_run(asking.prover, claims, depth, last)
    if not run.trace:
        return Run((), -1, "no run to a state without a next one was found"), None
    values = tuple(parse_expression(value) for _, value in run.trace[-1].state.values)
    given = [tree.Call("equals", (tree.Name(name), parse_expression(value))) for name, value in run.constants]
    none_follows = claims.always(0, given, negation(machine.step_from(values, claims.names(0))))
    if asking.holds(none_follows):
        return run, none_follows
    return Run((), -1, "a state was found that seems to be the last, which is not proved"), None


def condition_to_go_on(theory: Theory, machine: Machine) -> tree.Expression | None:
    """A condition on the first parameters of `next` under which there is a next state; None where none is found."""
    definition = theory.definitions.get(machine.next)
    if definition is None or machine.form != "relation":
        return None
    after = frozenset(each.name for each in definition.parameters[len(machine.variables) :])
    return _Opening(theory).possible(definition.body, after, _DEEPEST)


def _parameters(theory: Theory, machine: Machine) -> tuple[str, ...]:
    found = theory.definitions[machine.next].parameters[: len(machine.variables)]
    return tuple(each.name for each in found)


def _bound(names: Sequence[str], values: Sequence[tree.Expression], body: tree.Expression) -> tree.Expression:
    for name, value in zip(names, values, strict=True):
        body = tree.Let(tree.VariablePattern(name), None, value, body)
    return body


class _Opening:
    """Opens a step until it says what the next state is.  `after` are the names of the next state's variables."""

    def __init__(self, theory: Theory) -> None:
        self._definitions: Mapping[str, tree.FunctionDefinition] = theory.definitions

    def possible(self, step: tree.Expression, after: frozenset[str], deep: int) -> tree.Expression | None:
        """When some next state makes a formula true; None where that cannot be read off."""
        if deep == 0:
            return None
        if not after & _names(step):
            return step
        match step:
            case tree.Call(name="logical_or", arguments=parts):
                return _either([self.possible(each, after, deep - 1) for each in parts])
            case tree.Call(name="logical_and"):
                return self._conjuncts(_conjuncts(step), after, deep - 1)
            case tree.Call(name="equals"):
                return self._conjuncts([step], after, deep - 1)
            case tree.Call():
                opened = self._opened(step, after)
                return None if opened is None else self._rebound(*opened, deep - 1)
            case tree.Conditional() if not after & _names(step.condition):
                consequent = self.possible(step.consequent, after, deep - 1)
                alternative = self.possible(step.alternative, after, deep - 1)
                if consequent is None or alternative is None:
                    return None
                return tree.Conditional(step.condition, consequent, alternative)
            case tree.Let() if not after & (_names(step.value) | _names(step.pattern)):
                body = self.possible(step.body, after, deep - 1)
                return None if body is None else tree.Let(step.pattern, step.type, step.value, body)
            case tree.Match() if not after & _names(step.scrutinee):
                return self._match(step, after, deep - 1)
            case _:
                return None

    def _match(self, step: tree.Match, after: frozenset[str], deep: int) -> tree.Expression | None:
        cases = []
        for each in step.cases:
            guarded = _names(each.guard) if each.guard is not None else frozenset()
            body = None if after & (_names(each.pattern) | guarded) else self.possible(each.body, after, deep)
            if body is None:
                return None
            cases.append(tree.Case(each.pattern, each.guard, body))
        return tree.Match(step.scrutinee, tuple(cases))

    def _conjuncts(
        self, parts: list[tree.Expression], after: frozenset[str], deep: int
    ) -> tree.Expression | None:
        """A conjunction: the equations give the next state, and what is left has to hold of it."""
        values: dict[str, tree.Expression] = {}
        rest = []
        for part in parts:
            given = _given(part, after)
            if given is None or given[0] in values:
                rest.append(part)
            else:
                values[given[0]] = given[1]
        left = after - values.keys()
        if not left:
            said = conjunction(rest) if rest else tree.Boolean(True)
            used = {name: value for name, value in values.items() if name in _names(said)}
            return _bound(tuple(used), tuple(used.values()), said)
        for part in rest:
            alternatives = _alternatives(part, left)
            if alternatives:
                others = [each for each in parts if each is not part]
                found = [self.possible(conjunction([*others, each]), after, deep) for each in alternatives]
                return _either(found)
        return None

    def _opened(
        self, call: tree.Call, after: frozenset[str]
    ) -> tuple[list[tuple[str, tree.Expression]], tree.Expression, frozenset[str]] | None:
        """The body of a definition, with its parameters that have values and those that are the next state's."""
        definition = self._definitions.get(call.name)
        if definition is None or len(definition.parameters) != len(call.arguments):
            return None
        given: list[tuple[str, tree.Expression]] = []
        unknown: list[str] = []
        for parameter, argument in zip(definition.parameters, call.arguments, strict=True):
            if isinstance(argument, tree.Name) and argument.name in after:
                unknown.append(parameter.name)
            elif after & _names(argument):
                return None
            elif argument != tree.Name(parameter.name):
                given.append((parameter.name, argument))
        bound = {name for name, _ in given}
        if len(unknown) != len(after) or any(bound & _names(value) for _, value in given):
            return None
        return given, definition.body, frozenset(unknown)

    def _rebound(
        self,
        given: list[tuple[str, tree.Expression]],
        body: tree.Expression,
        after: frozenset[str],
        deep: int,
    ) -> tree.Expression | None:
        found = self.possible(body, after, deep)
        return (
            None
            if found is None
            else _bound([name for name, _ in given], [value for _, value in given], found)
        )


def _either(parts: Sequence[tree.Expression | None]) -> tree.Expression | None:
    """Their disjunction; None where one of them is."""
    found = [each for each in parts if each is not None]
    return None if len(found) < len(parts) else reduce(lambda a, b: tree.Call("logical_or", (a, b)), found)


def _conjuncts(expression: tree.Expression) -> list[tree.Expression]:
    if isinstance(expression, tree.Call) and expression.name == "logical_and":
        return [each for part in expression.arguments for each in _conjuncts(part)]
    return [expression]


def _alternatives(part: tree.Expression, left: frozenset[str]) -> tuple[tree.Expression, ...]:
    """The disjuncts of a conjunct that may say what the next state is."""
    if isinstance(part, tree.Call) and part.name == "logical_or" and left & _names(part):
        return part.arguments
    return ()


def _given(part: tree.Expression, after: frozenset[str]) -> tuple[str, tree.Expression] | None:
    """The variable of the next state to which an equation gives a value."""
    if not isinstance(part, tree.Call) or part.name != "equals":
        return None
    left, right = part.arguments
    for variable, value in ((left, right), (right, left)):
        if isinstance(variable, tree.Name) and variable.name in after and not after & _names(value):
            return variable.name, value
    return None


def _names(node: tree.Node) -> frozenset[str]:
    """The names that stand in a part of a tree, bound or not."""
    return frozenset(
        each.name
        for each in walk(node)
        if isinstance(
            each, tree.Name | tree.Call | tree.Binder | tree.Parameter | tree.VariablePattern | tree.AsPattern
        )
    )
