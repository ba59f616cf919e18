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
    mentions,
    negation,
)
from kleis.lean.tree import Arm, Binder, Call, Infix, LeanTerm, Match, Name, Tuple
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
