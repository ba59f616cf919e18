"""The warning that an axiom is not shown to be defined.

Specification: proving.md §1 ("Definedness": "`kleis check` warns where an axiom is not shown to be defined").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kleis.meaning.definedness import Definedness, Need
from kleis.meaning.meaning import Axiom, Meaning
from kleis.meaning.printing import expression_of
from kleis.meaning.printing_names import Names
from kleis.printer import print_expression
from kleis.problems import Problem
from kleis.theory import Theory

__all__ = ["definedness_warnings"]

_REASONS = {
    "operation": "an operation has no value everywhere",
    "narrowing": "an integer is used as a natural number",
    "selection": "a value is taken apart that may be of another form",
    "match": "a match does not cover everything",
    "termination": "a recursion is not shown to end",
}


def definedness_warnings(
    meaning: Meaning, theory: Theory, axioms: Iterable[Axiom] | None = None
) -> Iterator[Problem]:
    """A warning for each axiom (by default all in force) that is not shown to have a value everywhere."""
    definedness = Definedness(meaning)
    names = Names(meaning, theory)
    for axiom in axioms if axioms is not None else meaning.axioms:
        unsettled = definedness.unsettled(axiom.formula)
        if unsettled:
            yield _warning(axiom, unsettled[0], names)


def _warning(axiom: Axiom, need: Need, names: Names) -> Problem:
    proposition = need.proposition
    shown = print_expression(expression_of(proposition, names)) if proposition is not None else ""
    needs = f"; it would need {shown}" if shown else ""
    place = axiom.place
    return Problem(
        "warning",
        "not-shown-defined",
        f"{axiom.name} is not shown to be defined: {_REASONS[need.kind]}{needs}",
        "say where it holds: condition → …, or ∀(…) where condition. …",
        place.file,
        place.line,
        place.column,
        place.line,
        place.column + 1,
    )
