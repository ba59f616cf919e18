"""Elaborates an expression pass by pass until every sort in it is known.

See docs/reference/proving.md §2, and `kleis.elaborate.sorts.sort_inference` for what a pass finds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kleis.core import Sort, Term
from kleis.core.sort_operations import variables_of
from kleis.elaborate.expressions.elaboration_context import Context, Declarations
from kleis.elaborate.expressions.term_elaborator import TermElaborator
from kleis.elaborate.scopes.scope import Scope
from kleis.elaborate.sorts.sort_inference import Inference

__all__ = ["ElaboratedExpression", "elaborate_to_fixpoint"]

_MOST_PASSES = 200
"""More passes than a text of the parser's depth has unknown sorts; a guard against a defect here."""


class ElaboratedExpression:
    """The term of an expression, the elaborator of the last pass, and whether every sort in it is known.

    One that is not `complete` waits for the result of a recursive call (`definitions`).
    """

    def __init__(self, elaborator: TermElaborator, term: Term, *, complete: bool) -> None:
        self.elaborator = elaborator
        self.term = term
        self.complete = complete

    @property
    def sort(self) -> Sort | None:
        """The sort of the term; None if it is not known yet."""
        sort = self.elaborator.sort(self.term)
        return None if variables_of(sort) else sort


def elaborate_to_fixpoint(
    definitions: Declarations,
    scope: Scope,
    elaborate: Callable[[Context], Term],
    *,
    prefix: str,
    allow_free: bool,
    constants: frozenset[str] = frozenset(),
    bound: Mapping[str, Term] | None = None,
) -> ElaboratedExpression:
    """Elaborate an expression; `ElaborationError` if some sort in it cannot be inferred.

    `elaborate` is one pass; `prefix`, `allow_free`, `constants` and `bound` are those of `TermElaborator`.
    """
    fixed: dict[str, Sort] = {}
    for _ in range(_MOST_PASSES):
        inference = Inference(fixed)
        elaborator = TermElaborator(
            definitions,
            scope,
            inference,
            prefix=prefix,
            allow_free=allow_free,
            constants=constants,
            bound=bound,
        )
        term = elaborate(elaborator)
        if not inference.unknowns and not inference.waiting:
            return ElaboratedExpression(elaborator, term, complete=True)
        learnt = inference.learnt()
        if not learnt:
            break
        fixed.update(learnt)
    unknown = inference.unsolved()
    if unknown is None or any(each.bottom for each in inference.unknowns.values()):
        return ElaboratedExpression(elaborator, term, complete=False)
    elaborator.reject(
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
