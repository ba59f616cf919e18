"""What the axioms of a theory say that a symbol is: candidate interpretations of it, besides familiar operations.

    ∀x. x ≠ 0 → f(x) = 1/x                 f(x) = if x ≠ 0 then 1/x else 0, or else 1
    ∀x. f(x + 1) < f(x),  f(0) = 2         f(x) = 2 − x: sums, differences and products with the numbers of the axioms

Nothing is believed of them: each is tried and proved like any other (`standard_models`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kleis import core
from kleis.core.build_terms import conjunction
from kleis.core.goal import Goal
from kleis.core.traversal import stripped, substitute, subterms
from kleis.prover.engines.models.standard_operations import number

__all__ = ["stated"]

_MOST_NUMBERS = 4
_NUMBERS = (core.INTEGER, core.REAL, core.NATURAL)


def stated(goal: Goal, symbol: core.Symbol, parameters: Sequence[core.Variable]) -> tuple[core.Term, ...]:
    """Terms over parameters, which have the symbol's own sorts; none where it has carriers."""
    sorts = (*symbol.domain, symbol.codomain)
    if symbol.codomain not in (*_NUMBERS, core.BOOL) or any(isinstance(each, core.Carrier) for each in sorts):
        return ()
    found = [*_defined(goal, symbol, parameters), *_linear(goal, symbol, parameters)]
    return tuple(dict.fromkeys(found))


def _defined(goal: Goal, symbol: core.Symbol, parameters: Sequence[core.Variable]) -> Iterator[core.Term]:
    """What an axiom ∀x. hypotheses → f(x) = t says, with 0 or 1 where it says nothing."""
    for axiom in goal.axioms:
        _, hypotheses, conclusion = stripped(axiom.formula)
        if isinstance(conclusion, core.Connective) and conclusion.name == "implies":
            hypotheses, conclusion = (*hypotheses, conclusion.arguments[0]), conclusion.arguments[1]
        if not isinstance(conclusion, core.Equals):
            continue
        for call, value in ((conclusion.left, conclusion.right), (conclusion.right, conclusion.left)):
            if not isinstance(call, core.SymbolCall) or call.symbol != symbol or not call.arguments:
                continue
            names = [each.name for each in call.arguments if isinstance(each, core.Variable)]
            if len(set(names)) < len(parameters) or not _is_plain(value, *hypotheses):
                continue
            at = dict(zip(names, parameters, strict=True))
            body = substitute(value, at)
            if not hypotheses:
                yield body
                continue
            test = substitute(conjunction(hypotheses), at)
            yield from (core.Conditional(test, body, each) for each in _defaults(symbol.codomain))


def _is_plain(*terms: core.Term) -> bool:
    """Whether nothing in terms is a symbol or a definition."""
    return not any(isinstance(each, core.SymbolCall | core.DefinitionCall) for each in subterms(*terms))


def _defaults(sort: core.Sort) -> tuple[core.Term, ...]:
    if sort == core.BOOL:
        return core.LiteralTerm(False, sort), core.LiteralTerm(True, sort)
    return number(0, sort), number(1, sort)


def _linear(goal: Goal, symbol: core.Symbol, parameters: Sequence[core.Variable]) -> Iterator[core.Term]:
    """c − x, x + c and c·x for numbers c that the axioms mention."""
    if len(parameters) != 1 or parameters[0].sort != symbol.codomain or symbol.codomain == core.BOOL:
        return
    x, sort = parameters[0], symbol.codomain
    literals = (each for each in subterms(*(axiom.formula for axiom in goal.axioms)))
    values = dict.fromkeys(each.value for each in literals if isinstance(each, core.LiteralTerm))
    large = [each for each in values if type(each) is int and each > 1][:_MOST_NUMBERS]
    for value in (1, *large):
        if sort != core.NATURAL:
            yield _call("minus", number(value, sort), x)
    for value in large:
        yield _call("plus", x, number(value, sort))
        yield _call("times", number(value, sort), x)


def _call(name: str, left: core.Term, right: core.Term) -> core.Term:
    parameters = (core.Variable("a", left.sort), core.Variable("b", right.sort))
    return core.BuiltinCall(core.Operation(name, parameters, left.sort), (left, right))
