"""Where the reals of solvers may stand for ℚ.

What has no quantifier over ℚ inside has the same value in both: unknowns of ℚ that are bound by the outermost ∀ of the
claim, or are symbols, have rational values in an interpretation that refutes the claim, and reals have those too.
A quantifier over ℚ inside is accepted where its body is mixed linear arithmetic over ℚ and ℤ and nothing else: the reals
are an elementary extension of the rationals there.  Sets of rational numbers have no words: their complement is another.
"""

from __future__ import annotations

from kleis import core
from kleis.core.goal import Goal
from kleis.core.sort_operations import sort_parts
from kleis.core.traversal import sorts_of, subterms
from kleis.prover.checker.sequent import NotExpressible
from kleis.prover.checker.translation.sorts import constructed

__all__ = ["check_rationals", "mentions_rationals"]

_LINEAR = frozenset(
    [
        "plus",
        "minus",
        "negate",
        "less_than",
        "leq",
        "greater_than",
        "geq",
        "min",
        "max",
        "abs",
        "floor",
        "ceil",
        "round",
        "trunc",
        "sign",
        "frac",
        "to_real",
    ]
)
_BY_A_NUMBER = frozenset(["divide", "rational", "div", "mod", "rem"])
_PURE = (
    core.Variable,
    core.LiteralTerm,
    core.BuiltinCall,
    core.Equals,
    core.Connective,
    core.Conditional,
    core.Quantifier,
    core.Coercion,
    core.Narrowing,
)


def check_rationals(goal: Goal, *formulas: core.Term) -> None:
    """`NotExpressible` where a quantifier or set of these formulas tells ℚ from the reals.

    The claim is given without its outermost ∀.
    """
    for formula in formulas:
        for sort in set(sorts_of(formula)):
            if isinstance(sort, core.SetOf) and mentions_rationals(sort, goal):
                raise NotExpressible("sets of rational numbers: solvers have reals only")
        for each in subterms(formula):
            if isinstance(each, core.Quantifier):
                _check_quantifier(each, goal)


def _check_quantifier(term: core.Quantifier, goal: Goal) -> None:
    over = [each.sort for each in term.variables if mentions_rationals(each.sort, goal)]
    if over and not (all(sort == core.RATIONAL for sort in over) and _is_pure(term.body)):
        raise NotExpressible("a quantifier over ℚ that is not linear: solvers have reals only")


def _is_pure(body: core.Term) -> bool:
    numbers = (core.NATURAL, core.INTEGER, core.RATIONAL, core.BOOL)
    return all(isinstance(each, _PURE) and each.sort in numbers for each in subterms(body)) and all(
        _is_linear(each) and all(part.sort in numbers for part in getattr(each, "variables", ()))
        for each in subterms(body)
    )


def _is_linear(term: core.Term) -> bool:
    if not isinstance(term, core.BuiltinCall) or term.operation.name in _LINEAR:
        return True
    known = [_is_number(each) for each in term.arguments]
    if term.operation.name == "times":
        return any(known)
    return term.operation.name in _BY_A_NUMBER and known[-1]


def _is_number(term: core.Term) -> bool:
    inner = term.term if isinstance(term, core.Coercion) else term
    return isinstance(inner, core.LiteralTerm)


def mentions_rationals(sort: core.Sort, goal: Goal) -> bool:
    """Whether values of a sort are made of rational numbers."""
    seen: set[core.Sort] = set()
    waiting = [sort]
    while waiting:
        each = waiting.pop()
        if each == core.RATIONAL:
            return True
        if each not in seen:
            seen.add(each)
            parts = [field.sort for made in constructed(each, goal) for field in made.fields]
            waiting += parts or sort_parts(each)
    return False
