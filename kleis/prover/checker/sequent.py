"""Sequents: what one step of a proof has to show, and from what.

See docs/reference/certificates.md §3.1.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from kleis import core
from kleis.core.goal import Goal

__all__ = ["FALSITY", "CheckError", "NotExpressible", "RejectedError", "Sequent"]

FALSITY = core.LiteralTerm(False, core.BOOL)
"""The claim of a proof that axioms clash."""


class CheckError(Exception):
    """A step that the check does not accept; the message says why."""


class RejectedError(CheckError):
    """A step that shows nothing: malformed, aimed at another claim, or false."""


class NotExpressible(CheckError):
    """A formula that the naive translation has no exact words for."""


class Sequent(msgspec.Struct, frozen=True):
    """``premises ⊢ claim`` in the declarations of a goal.

    goal
        Its definitions, data types, terminations, symbols and carriers are those of every formula here.  Rules read
        neither its claim nor its axioms.
    premises
        Closed formulas that hold, by name: axioms, lemmas, earlier steps, hypotheses.
    claim
        The closed formula to show; `FALSITY` if the premises are to clash.
    constants
        Constants that rules above have introduced.  No symbol of the goal and no premise that does not come from the
        same rule mentions them.
    """

    goal: Goal
    premises: tuple[tuple[str, core.Term], ...]
    claim: core.Term
    constants: tuple[core.Symbol, ...] = ()

    def premise(self, name: str) -> core.Term:
        """The premise of this name; `RejectedError` if there is none."""
        for each, formula in self.premises:
            if each == name:
                return formula
        raise RejectedError(f"nothing that may be used here is called {name!r}")

    def with_premises(self, names: Iterable[str]) -> Sequent:
        """The sequent with these premises alone; `RejectedError` where one does not exist or is named twice."""
        wanted = tuple(names)
        if len(set(wanted)) < len(wanted):
            raise RejectedError("a premise is named twice")
        return msgspec.structs.replace(self, premises=tuple((each, self.premise(each)) for each in wanted))
