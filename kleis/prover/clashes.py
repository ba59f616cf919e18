"""Which axioms of a file have no model together, with as few names as were found to be enough.

A proposition is judged by the axioms that it reaches; a clash elsewhere is no failure of it, but somebody should hear of
it.  See docs/reference/proving.md §5.7.

Invariants
    * What is said to clash was refuted by an engine; where nothing is said, nothing is known.
    * A structure is asked about alone, a section with all that it is linked to, and no two questions are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from kleis.core.goal import Axiom
from kleis.errors import KleisError
from kleis.prover.protocol.engine import declarations_of

if TYPE_CHECKING:
    from kleis.prover.prover import Prover

__all__ = ["Clash", "clashes"]


class Clash(msgspec.Struct, frozen=True):
    """Axioms that have no model together; no engine refuted the others without one of them."""

    axioms: tuple[Axiom, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Their qualified names."""
        return tuple(each.name for each in self.axioms)


def clashes(prover: Prover, names: Sequence[str], goes_on: Callable[[], bool] = lambda: True) -> list[Clash]:
    """The clashes of structures, as long as `goes_on`; those with parameters alone, the others with all they are linked to."""
    found: list[Clash] = []
    asked: set[tuple[Axiom, ...]] = set()
    for name in names:
        structure = prover.theory.structures.get(name)
        if structure is None or not goes_on():
            continue
        try:
            goal = (
                prover.elaborator.structure(name)
                if structure.parameters
                else prover.elaborator.component(name)
            )
        except KleisError:
            continue  # what does not elaborate is reported as that
        axioms = declarations_of(goal).axioms
        if axioms in asked:
            continue
        asked.add(axioms)
        core = prover.clash(goal)
        clash = Clash(tuple(each for each in axioms if each.name in core))
        if clash.axioms and clash not in found:
            found.append(clash)
    return found
