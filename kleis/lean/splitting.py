"""Conditionals that test constructors, as cases of a match.

Specification: lean-and-corpus.md §6.2 (match, recursion "as is if structural").  The core has testers and selectors
(kleis/elaborate/expressions/match_elaboration.py); Lean finds structural recursion only where a match names the parts.

``specialised`` is a term as it is when a value was made by a known constructor: its testers are decided, its
selections are the names of the parts.  So a case is complete in itself, however tests were nested.
"""

from __future__ import annotations

from collections.abc import Sequence

from kleis.core import (
    BOOL,
    Conditional,
    Connective,
    Constructor,
    Discrimination,
    LiteralTerm,
    Selection,
    Term,
    Variable,
)
from kleis.core.traversal import rebuild

__all__ = ["specialised", "tested"]

_TRUE = LiteralTerm(True, BOOL)
_FALSE = LiteralTerm(False, BOOL)


def tested(condition: Term) -> Term | None:
    """The value whose constructor a condition asks for first; None if it asks something else."""
    while isinstance(condition, Connective) and condition.name == "and":
        condition = condition.arguments[0]
    return condition.term if isinstance(condition, Discrimination) else None


def specialised(term: Term, subject: Term, constructor: Constructor, parts: Sequence[Variable]) -> Term:
    """The term where `subject` is the constructor at these parts."""

    def change(each: Term) -> Term:
        match each:
            case Selection(constructor=selected, index=index, term=inner) if inner == subject:
                if selected == constructor:
                    return parts[index]
            case Discrimination(constructor=asked, term=inner) if inner == subject:
                return _TRUE if asked == constructor else _FALSE
            case _:
                pass
        return _decided(rebuild(each, change))

    return change(term)


def _decided(term: Term) -> Term:
    match term:
        case Conditional(condition=condition, consequent=yes, alternative=no):
            return yes if condition == _TRUE else no if condition == _FALSE else term
        case Connective(name="and", arguments=arguments):
            return _joined("and", arguments, _TRUE, _FALSE)
        case Connective(name="or", arguments=arguments):
            return _joined("or", arguments, _FALSE, _TRUE)
        case Connective(name="not", arguments=(LiteralTerm(value=value),)):
            return _FALSE if value else _TRUE
        case _:
            return term


def _joined(name: str, arguments: Sequence[Term], neutral: Term, absorbing: Term) -> Term:
    """∧ and ∨ are strong Kleene, so a decided part decides or disappears, whatever the others are."""
    if absorbing in arguments:
        return absorbing
    kept = tuple(each for each in arguments if each != neutral)
    if not kept:
        return neutral
    return kept[0] if len(kept) == 1 else Connective("and" if name == "and" else "or", kept)
