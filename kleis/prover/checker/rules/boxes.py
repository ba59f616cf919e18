"""Terms and formulas over boxes: rationals that variables lie between, and what follows everywhere in there.

The box of a claim is read off its hypotheses, ``0 ≤ x ∧ x ≤ π``.  A formula is true of a box if it is true at every point of
it; where it is neither true nor false everywhere, the box is halved along its longest side.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce

from kleis import core
from kleis.core.build_terms import at_arguments
from kleis.core.goal import Goal
from kleis.core.traversal import substitute
from kleis.prover.checker.sequent import RejectedError
from kleis.semantics.elementary_bounds import Elementary
from kleis.semantics.enclosures import ORDERS, compared
from kleis.semantics.rational_bounds import Enclosure, NotEnclosed
from kleis.semantics.real_functions import FUNCTIONS, applied
from kleis.semantics.truth import FALSE, OPEN, TRUE, Truth, conjunction, disjunction, negation

__all__ = ["Box", "Boxes", "bounds_of", "conjuncts"]

Box = Mapping[str, Enclosure]
"""What every variable lies between, by name."""

_CONTINUOUS = frozenset(FUNCTIONS) - {"power", "atan2", "hypot"}
_DEPTH = 200
_MOST_HALVINGS = 20
"""Of each side of a box."""


def conjuncts(formula: core.Term) -> Iterator[core.Term]:
    """The parts of a conjunction, however it is nested."""
    if isinstance(formula, core.Connective) and formula.name == "and":
        for each in formula.arguments:
            yield from conjuncts(each)
    else:
        yield formula


class Boxes:
    """Values over boxes, with a number of binary digits and of steps."""

    def __init__(self, goal: Goal, precision: int, steps: int) -> None:
        self.steps = steps
        self._goal = goal
        self._elementary = Elementary(precision, self._charge)

    def _charge(self, steps: int) -> None:
        self.steps -= steps
        if self.steps < 0:
            raise RejectedError("more boxes than steps")

    def value(self, term: core.Term, box: Box, *, continuous: bool = False, depth: int = _DEPTH) -> Enclosure:
        """Rationals that a number lies between everywhere in a box; `NotEnclosed` where it is not shown to be defined
        there, or if `continuous`, to be a continuous function of the box."""
        self._charge(1)
        if depth == 0 or not isinstance(term.sort, core.Numeric) or term.sort == core.COMPLEX:
            raise NotEnclosed

        def inner(part: core.Term) -> Enclosure:
            return self.value(part, box, continuous=continuous, depth=depth - 1)

        match term:
            case core.Variable(name=name) if name in box:
                return box[name]
            case core.LiteralTerm(value=value) if not isinstance(value, bool | str):
                return Fraction(value), Fraction(value)
            case core.Coercion(term=part):
                return inner(part)
            case core.Let(variable=variable, value=value, body=body):
                inner(value)
                return inner(substitute(body, {variable.name: value}))
            case core.DefinitionCall(definition=key, arguments=arguments):
                definition = self._goal.definition(key)
                if not definition.group:
                    for each in arguments:
                        inner(each)
                    return inner(at_arguments(definition.body, definition, arguments))
            case core.Conditional(condition=condition, consequent=first, alternative=second) if (
                not continuous
            ):
                truth = self.truth(condition, box)
                if truth is TRUE or truth is FALSE:
                    return inner(first if truth is TRUE else second)
            case core.BuiltinCall(operation=operation, arguments=arguments):
                name = operation.name
                known = name in FUNCTIONS and (not continuous or name in _CONTINUOUS)
                if name == "power" and isinstance(_bare(arguments[1]), core.LiteralTerm):
                    known = known or _bare(arguments[1]).sort in (core.NATURAL, core.INTEGER)
                if known:
                    return applied(self._elementary, name, *map(inner, arguments))
        raise NotEnclosed

    def truth(self, formula: core.Term, box: Box) -> Truth:
        """Whether a formula is true, or false, everywhere in a box."""
        match formula:
            case core.LiteralTerm(value=bool() as value):
                return TRUE if value else FALSE
            case core.Connective(name=name, arguments=arguments):
                parts = [self.truth(each, box) for each in arguments]
                if name == "not":
                    return negation(parts[0])
                if name == "implies":
                    return disjunction(negation(parts[0]), parts[1])
                return reduce(conjunction if name == "and" else disjunction, parts)
            case core.Equals(left=left, right=right):
                return self._compared("equals", left, right, box)
            case core.BuiltinCall(operation=operation, arguments=(left, right)) if operation.name in ORDERS:
                return self._compared(operation.name, left, right, box)
        return OPEN

    def _compared(self, order: str, left: core.Term, right: core.Term, box: Box) -> Truth:
        try:
            return compared(order, self.value(left, box), self.value(right, box))
        except NotEnclosed:
            return OPEN

    def everywhere(self, formula: core.Term, box: Box, parts: int) -> int:
        """The number of boxes, at most `parts`, in each of which a formula is true; `RejectedError` where that is not so."""
        waiting, done = [(dict(box), 0)], 0
        while waiting:
            each, halved = waiting.pop()
            if self.truth(formula, each) is TRUE:
                done += 1
                continue
            if done + len(waiting) + 2 > parts:
                raise RejectedError(f"{parts} boxes do not show it")
            longest = max(each, key=lambda name: (each[name][1] - each[name][0], name))
            low, high = each[longest]
            if low == high or halved >= _MOST_HALVINGS * len(each):
                raise RejectedError("it is not shown near a point")
            middle = (low + high) / 2
            waiting += [({**each, longest: part}, halved + 1) for part in ((middle, high), (low, middle))]
        return done


def _bare(term: core.Term) -> core.Term:
    while isinstance(term, core.Coercion):
        term = term.term
    return term


_SIDES = {"less_than": (0, 1), "leq": (0, 1), "greater_than": (1, 0), "geq": (1, 0)}
"""The places of the smaller and of the larger side."""


def bounds_of(
    boxes: Boxes, variables: Sequence[core.Variable], hypotheses: Sequence[core.Term]
) -> dict[str, Enclosure]:
    """The least box that conjuncts say the variables lie in; `RejectedError` where one has no bounds."""
    low: dict[str, Fraction] = {}
    high: dict[str, Fraction] = {}
    for each in hypotheses:
        if isinstance(each, core.BuiltinCall) and each.operation.name in _SIDES:
            smaller, larger = (_bare(each.arguments[place]) for place in _SIDES[each.operation.name])
        elif isinstance(each, core.Equals):
            smaller, larger = _bare(each.left), _bare(each.right)
        else:
            continue
        ways = (
            [(smaller, larger)]
            if not isinstance(each, core.Equals)
            else [(smaller, larger), (larger, smaller)]
        )
        for less, more in ways:
            try:
                if isinstance(less, core.Variable):
                    end = boxes.value(more, {})[1]
                    high[less.name] = min(end, high.get(less.name, end))
                if isinstance(more, core.Variable):
                    end = boxes.value(less, {})[0]
                    low[more.name] = max(end, low.get(more.name, end))
            except NotEnclosed:
                continue
    unbounded = [each.name for each in variables if each.name not in low or each.name not in high]
    if unbounded:
        raise RejectedError(f"{unbounded[0]} has no bounds")
    return {each.name: (low[each.name], high[each.name]) for each in variables}
