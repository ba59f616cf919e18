"""The engine `intervals`: claims about all numbers of intervals, and roots of equations.

See docs/reference/proving.md §7.25.  The decisions are the rules `subdivision` and `sign change` of the checker; what is
searched for is the precision, and the two numbers between which a root lies.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

import msgspec

from kleis import core
from kleis.core.traversal import stripped
from kleis.decoding import decode_json
from kleis.prover.checker.format import SignChange, Step, Subdivision
from kleis.prover.checker.rules.boxes import Boxes
from kleis.prover.checker.rules.intervals import check_subdivision, has_root_between, root_claim
from kleis.prover.checker.sequent import RejectedError, Sequent
from kleis.prover.checker.write_terms import number_spelling
from kleis.prover.protocol.engine import Answer, Task
from kleis.semantics.rational_bounds import NotEnclosed, minus

__all__ = ["INTERVALS", "Intervals", "step_of"]

_PROOF = "step"
_PRECISION = 48

_POINTS = sorted({*map(Fraction, range(-20, 21)), *(Fraction(n, 8) for n in range(-24, 25))})
"""Where the sides of an equation are compared."""

_HALVINGS = 12
_REALS = (core.REAL, core.RATIONAL, core.INTEGER, core.NATURAL)


class Intervals:
    """The engine.  Its steps are those of the rules."""

    name = "intervals"

    def applies(self, task: Task) -> bool:
        """To claims about all numbers, or that there is one number, without symbols."""
        goal = task.goal
        if goal.claim is None or goal.unsettled or goal.carriers:
            return False
        if _is_root(goal.claim):
            return True
        variables, _, _ = stripped(goal.claim)
        return any(each.sort == core.REAL for each in variables) and all(
            each.sort in _REALS for each in variables
        )

    def run(self, task: Task, steps: int) -> Answer:
        """Halve the box until the claim is true in every part, or look for a change of sign."""
        claim = task.goal.claim
        assert claim is not None
        try:
            if _is_root(claim):
                return self._root(task, claim, steps)
            proof = Subdivision(_PRECISION)
            used = check_subdivision(Sequent(task.goal, (), claim), proof, steps)
        except RejectedError as error:
            return Answer(outcome="silent", reason="incomplete", detail=str(error))
        return _proved(Step(proof), used, "true in every part of the box")

    def _root(self, task: Task, claim: core.Term, steps: int) -> Answer:
        boxes = Boxes(task.goal, _PRECISION, steps)
        for low, high in _changes(boxes, claim):
            for _ in range(_HALVINGS):
                try:
                    has_root_between(boxes, claim, low, high)
                except RejectedError:
                    middle = (low + high) / 2
                    sign = _sign(boxes, claim, middle)
                    if sign == 0:
                        break
                    low, high = (middle, high) if sign == _sign(boxes, claim, low) else (low, middle)
                    continue
                ends = number_spelling(_plain(low)), number_spelling(_plain(high))
                detail = f"a root between {ends[0]} and {ends[1]}"
                return _proved(Step(SignChange(*ends, _PRECISION)), steps - boxes.steps, detail)
        return Answer(outcome="silent", reason="incomplete", detail="no change of sign was found")


def _is_root(claim: core.Term) -> bool:
    try:
        root_claim(claim)
    except RejectedError:
        return False
    return True


def _changes(boxes: Boxes, claim: core.Term) -> Iterator[tuple[Fraction, Fraction]]:
    """Neighbouring points between which the sides of the equation change their order, nearest to 0 first."""
    signs = [(point, _sign(boxes, claim, point)) for point in _POINTS]
    known = [(point, sign) for point, sign in signs if sign]
    found = [(a, b) for (a, first), (b, second) in pairwise(known) if first != second]
    yield from sorted(found, key=lambda ends: (abs(ends[0] + ends[1]), ends))


def _sign(boxes: Boxes, claim: core.Term, at: Fraction) -> int:
    variable, equation, _ = root_claim(claim)
    point = {variable.name: (at, at)}
    try:
        low, high = minus(boxes.value(equation.left, point), boxes.value(equation.right, point))
    except NotEnclosed:
        return 0
    return 1 if low > 0 else -1 if high < 0 else 0


def _plain(number: Fraction) -> int | Fraction:
    return int(number) if number.denominator == 1 else number


def _proved(step: Step, used: int, detail: str) -> Answer:
    proof = ((_PROOF, msgspec.json.encode(step).decode()),)
    return Answer(outcome="proved", steps=used, detail=detail, proof=proof)


def step_of(answer: Answer) -> Step:
    """The step that the engine left."""
    return decode_json(dict(answer.proof)[_PROOF], Step)


INTERVALS = Intervals()
