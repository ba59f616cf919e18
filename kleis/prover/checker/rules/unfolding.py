"""Formulas without definitions and `let`: each name replaced by what it stands for.

What takes the place of a name has a value everywhere, so nothing is lost where the name is not used.  Definitions that
are recursive, and arguments that may be undefined, are `NotExpressible`.
"""

from __future__ import annotations

from collections.abc import Callable

from kleis import core
from kleis.core.goal import Goal
from kleis.core.traversal import rebuild, substitute, subterms
from kleis.definedness.discharge import Totality
from kleis.prover.checker.sequent import NotExpressible

__all__ = ["Unfolding"]


class Unfolding:
    """Unfolds the definitions of one goal; `charge` is called for every part that is made."""

    def __init__(self, goal: Goal, charge: Callable[[], None]) -> None:
        self._goal = goal
        self._charge = charge
        self._total = Totality(goal)

    def __call__(self, term: core.Term) -> core.Term:
        """The term with everything unfolded."""
        self._charge()
        inner = rebuild(term, self.__call__)
        if isinstance(inner, core.Let):
            given, body = {inner.variable.name: inner.value}, inner.body
        elif isinstance(inner, core.DefinitionCall):
            definition = self._goal.definition(inner.definition)
            if definition.group:
                raise NotExpressible(f"{definition.name} is recursive")
            names = [each.name for each in definition.parameters]
            given = dict(zip(names, inner.arguments, strict=True))
            body = self(definition.body)
        else:
            return inner
        if not all(map(self._total.has_a_value, given.values())):
            raise NotExpressible("an argument that may be undefined")
        result = substitute(body, given)
        for _ in subterms(result):
            self._charge()
        return result
