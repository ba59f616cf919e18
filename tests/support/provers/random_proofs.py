"""What random proofs are made of: worlds in which a claim fails although its premise holds, and terms of a problem's functions.

A step that a checker accepts has to hold in such a world.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from hypothesis.errors import UnsatisfiedAssumption

from kleis.core import Term
from kleis.core.sort_printing import sort_text
from kleis.prover.checker.rules.equation_terms import Signature
from kleis.prover.checker.sequent import Sequent
from tests.support.provers.worlds import World, random_world, value
from tests.support.theories.algebra import task

__all__ = ["Walker", "countermodel"]


def countermodel(premise: Term, claim: Term, seed: int) -> tuple[World, Sequent]:
    """A world with the premise and without the claim, and the question whether the one follows from the other.

    Raises `UnsatisfiedAssumption` if the world of this seed is none.
    """
    world = random_world(seed)
    if not value(world, premise, {}) or value(world, claim, {}):
        raise UnsatisfiedAssumption("no countermodel")
    return world, Sequent(task({"premise": premise}, claim).goal, (("premise", premise),), claim)


class Walker:
    """Writes random terms of functions, and of two variables of each sort."""

    def __init__(self, signature: Signature, names: Sequence[str], seed: int) -> None:
        self._signature = signature
        self._names = names
        self.random = Random(seed)
        self.variables = tuple(
            (f"{name}{at}", text) for at, text in enumerate(signature.sorts) for name in "xy"
        )

    def term(self, sort: Any, depth: int) -> Any:
        """A term of a sort, in the data of certificates: a name, or a list of a function and its arguments."""
        heads = [each for each in self._names if self._signature[each].codomain == sort]
        heads = [each for each in heads if depth > 0 or not self._signature[each].domain]
        words = [name for name, text in self.variables if text == sort_text(sort)]
        head = self.random.choice([*heads, *words])
        if head in words:
            return head
        return [head, *(self.term(each, depth - 1) for each in self._signature[head].domain)]

    def any_term(self, depth: int) -> Any:
        """A term of any sort."""
        return self.term(self.random.choice(list(self._signature.sorts.values())), depth)
