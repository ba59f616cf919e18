"""Elaborates an expression pass by pass until every sort in it is known.

See docs/reference/proving.md §2, and `kleis.elaborate.sorts.sort_inference` for what a pass finds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from kleis.core import Sort, Term
from kleis.core.sort_operations import variables_of
from kleis.elaborate.expressions.term_elaborator import TermElaborator
from kleis.elaborate.sorts.sort_inference import Inference

if TYPE_CHECKING:
    from kleis.elaborate.expressions.definitions import Definitions
    from kleis.elaborate.scopes.scope import Scope

__all__ = ["ElaboratedExpression", "read_piece"]

_MOST_PASSES = 200
"""More passes than sorts can be unknown in a text of the parser's size of nesting; a guard against a mistake here."""


class ElaboratedExpression:
    """What was read: the term, the unit of the last pass, and whether every sort in it is known.

    A piece that is not `settled` waits for the result of a recursive call (kleis/elaborate/expressions/definitions.py).
    """

    def __init__(self, unit: TermElaborator, term: Term, *, settled: bool) -> None:
        self.unit = unit
        self.term = term
        self.settled = settled

    @property
    def sort(self) -> Sort | None:
        """The sort of the term; None if it is not known yet."""
        sort = self.unit.sort(self.term)
        return None if variables_of(sort) else sort


def read_piece(
    definitions: Definitions,
    scope: Scope,
    read: Callable[[TermElaborator], Term],
    *,
    frame: str,
    allow_free: bool,
    bound: Mapping[str, Term] | None = None,
) -> ElaboratedExpression:
    """Read a piece of source; `ElaborationError` if some sort in it cannot be found out."""
    fixed: dict[str, Sort] = {}
    for _ in range(_MOST_PASSES):
        inference = Inference(fixed)
        unit = TermElaborator(definitions, scope, inference, frame=frame, allow_free=allow_free, bound=bound)
        term = read(unit)
        if not inference.unknowns and not inference.waiting:
            return ElaboratedExpression(unit, term, settled=True)
        learnt = inference.learnt()
        if not learnt:
            break
        fixed.update(learnt)
    unknown = inference.unsolved()
    if unknown is None or any(each.bottom for each in inference.unknowns.values()):
        return ElaboratedExpression(unit, term, settled=False)
    unit.refuse(
        unknown.node,
        "needs-type",
        f"the type of {unknown.what} cannot be found out",
        hint=f"write it: {_advice(unknown.what)}",
    )


def _advice(what: str) -> str:
    name = what.rsplit(" ", 1)[-1]
    if what.startswith("the free name"):
        return f"∀({name} : T). …"
    if what.startswith("the parameter"):
        return f"λ ({name} : T) . …"
    return "(expression : T)"
