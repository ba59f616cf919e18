"""Formulas, matches and binders put together from parts that may be undefined.

Specification: proving.md §1 ("Definedness"): ∧ ∨ ¬ → are strong Kleene, `if` and `match` ask only the branch taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kleis.core import Term, Variable
from kleis.core.traversal import subterms
from kleis.definedness.partial_logic import Language, TwoSided
from kleis.lean.export.terms.propositions import (
    TRUE,
    Formula,
    conjunction,
    disjunction,
    implication,
    mentions,
    negation,
)
from kleis.lean.language.lean_tree import Arm, Binder, Call, Infix, LeanTerm, Match, Name, Tuple

__all__ = ["LEAN", "cases", "chosen", "merged", "occurs", "where"]


def merged(binders: Iterable[Binder]) -> tuple[Binder, ...]:
    """Binders with neighbours of one type put together."""
    found: list[Binder] = []
    for each in binders:
        if found and found[-1].type == each.type:
            found[-1] = Binder((*found[-1].names, *each.names), each.type)
        else:
            found.append(each)
    return tuple(found)


def occurs(variable: Variable, term: Term) -> bool:
    """Whether a variable occurs in a term."""
    return any(each == variable for each in subterms(term))


def where(formula: LeanTerm, defined: LeanTerm) -> Formula:
    """An atom that is true or false only where it is defined."""
    if defined == TRUE:
        return Formula(formula)
    return Formula(conjunction(defined, formula), conjunction(defined, negation(formula)))


def _implies(given: TwoSided[LeanTerm], then: TwoSided[LeanTerm]) -> LeanTerm:
    return implication(given.true, then.true) if given.total else disjunction(given.false, then.true)


LEAN = Language(conjunction, disjunction, _implies)
"""How Lean writes T and F of connectives."""


def chosen(condition: LeanTerm, yes: LeanTerm, no: LeanTerm) -> LeanTerm:
    """What holds of two cases; where the condition is not true, the second counts."""
    return conjunction(implication(condition, yes), implication(negation(condition), no))


def cases(subject: LeanTerm, branches: Sequence[tuple[LeanTerm, LeanTerm]]) -> LeanTerm:
    """A match; the same for all cases, that alone; cases at the end that do not name parts become one."""
    arms = [Arm(_needed(pattern, body), body) for pattern, body in branches]
    if not any(_names(arm.pattern) for arm in arms) and len({arm.body for arm in arms}) == 1:
        return arms[0].body
    last = arms[-1]
    same = [arm for arm in arms if arm.body == last.body and not _names(arm.pattern)]
    if len(same) > 1 and last in same:
        arms = [*(arm for arm in arms if arm not in same), Arm(Name("_"), last.body)]
    return Match(subject, tuple(arms))


def _needed(pattern: LeanTerm, body: LeanTerm) -> LeanTerm:
    """A pattern that names only the parts that its case speaks of."""

    def part(each: LeanTerm) -> LeanTerm:
        return each if isinstance(each, Name) and mentions(body, each.text) else Name("_")

    match pattern:
        case Infix(operator=operator, left=left, right=right):
            return Infix(operator, part(left), part(right))
        case Tuple(items=items):
            return Tuple(tuple(map(part, items)))
        case Call(function=function, arguments=arguments):
            return Call(function, tuple(map(part, arguments)))
        case _:
            return pattern


def _names(pattern: LeanTerm) -> bool:
    """Whether a pattern names a part."""
    match pattern:
        case Infix(left=left, right=right):
            parts: Sequence[LeanTerm] = (left, right)
        case Tuple(items=items):
            parts = items
        case _:
            parts = getattr(pattern, "arguments", ())
    return any(part != Name("_") for part in parts)
