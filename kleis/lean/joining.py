"""Formulas, matches and binders put together from parts that may be undefined.

Specification: proving.md §1 ("Definedness"): ∧ ∨ ¬ → are strong Kleene, `if` and `match` ask only the branch taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kleis.lean.propositions import (
    TRUE,
    Formula,
    conjunction,
    disjunction,
    implication,
    negation,
)
from kleis.lean.tree import Arm, Binder, Infix, LeanTerm, Match, Name, Tuple
from kleis.meaning.core import Term, Variable
from kleis.meaning.terms import subterms

__all__ = ["cases", "chosen", "connected", "merged", "occurs", "where"]


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


def connected(name: str, parts: Sequence[Formula]) -> Formula:
    """∧, ∨, ¬ or → of formulas."""
    total = all(part.total for part in parts)
    trues, falses = [part.true for part in parts], [part.false for part in parts]
    match name:
        case "and":
            return Formula(conjunction(*trues), None if total else disjunction(*falses))
        case "or":
            return Formula(disjunction(*trues), None if total else conjunction(*falses))
        case "not":
            return Formula(falses[0], None if total else trues[0])
        case _:
            given = implication(trues[0], trues[1]) if parts[0].total else disjunction(falses[0], trues[1])
            return Formula(given, None if total else conjunction(trues[0], falses[1]))


def chosen(condition: Formula, yes: LeanTerm, no: LeanTerm, total: bool) -> LeanTerm:
    """What holds of a conditional formula."""
    if total:
        return conjunction(implication(condition.true, yes), implication(negation(condition.true), no))
    return disjunction(conjunction(condition.true, yes), conjunction(condition.false, no))


def cases(subject: LeanTerm, branches: Sequence[tuple[LeanTerm, LeanTerm]]) -> LeanTerm:
    """A match; the same for all cases, that alone; cases at the end that do not name parts become one."""
    if not any(_names(pattern) for pattern, _ in branches) and len({body for _, body in branches}) == 1:
        return branches[0][1]
    arms = [Arm(pattern, body) for pattern, body in branches]
    last = arms[-1]
    same = [arm for arm in arms if arm.body == last.body and not _names(arm.pattern)]
    if len(same) > 1 and last in same:
        arms = [*(arm for arm in arms if arm not in same), Arm(Name("_"), last.body)]
    return Match(subject, tuple(arms))


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
