"""Claims about numbers that a tactic of arithmetic closes.  See docs/reference/lean.md §6.1.

================  ===========================================================================
linear, ℕ and ℤ   ``omega``: sums, differences, numerals as factors, divisors and moduli
linear, ℚ         ``grind``
linear, ℝ         ``linarith``: a comparison under hypotheses that are comparisons
polynomial        ``grind`` in core Lean, ``ring`` over ℝ: one equation without hypotheses
no variables, ℝ   ``norm_num``: comparisons of what is computed by + - * / and powers
================  ===========================================================================

Which fits is read off the claim: every number in it is of one kind, and every function is one that the tactic knows.
``omega`` and ``grind`` introduce what the claim binds; ``linarith`` and ``ring`` do not.
"""

from __future__ import annotations

from kleis import core
from kleis.core.traversal import rebuild, substitute, subterms
from kleis.lean.export.declarations.lean_definitions import Definitions
from kleis.lean.export.proofs.decisions import bound_names, outermost
from kleis.lean.export.proofs.hypotheses import conjuncts, conjuncts_of
from kleis.lean.export.terms.lean_terms import Terms
from kleis.lean.language import lean_tree as lean
from kleis.lean.language.lean_tree import Closing

__all__ = ["arithmetic"]

_MOST = 500
"""Parts of a claim with the definitions unfolded."""

_COMPARISONS = frozenset({"less_than", "leq", "greater_than", "geq"})
_SUMS = frozenset({"plus", "minus", "negate"})
_COMPUTED = _SUMS | _COMPARISONS | {"times", "divide", "power"}
_INTEGERS = frozenset({core.NATURAL, core.INTEGER})


def arithmetic(
    claim: core.Term, statement: lean.Term, terms: Terms, definitions: Definitions
) -> tuple[tuple[lean.Tactic, ...], str] | None:
    """Tactics that close a claim about numbers, and the one that does; None where it is of another kind."""
    unfolded: dict[str, None] = {}
    closing = _closing(_unfolded(claim, definitions, unfolded))
    if closing is None:
        return None
    uses = [terms.world.definition(key) for key in unfolded]
    if any(each.defined is not None or each.kind != "value" for each in uses):
        return None
    heads = tuple(each.head.function if isinstance(each.head, lean.Call) else each.head for each in uses)
    close = lean.Simplify(heads, lean.Close(closing)) if heads else lean.Close(closing)
    if closing not in ("linarith", "ring"):
        return (close,), closing
    introduced = _introduced(claim, statement, terms)
    if introduced is None or (heads and len(introduced) > 1):  # simp would have to unfold the hypotheses too
        return None
    return (*introduced, close), closing


def _introduced(claim: core.Term, statement: lean.Term, terms: Terms) -> tuple[lean.Tactic, ...] | None:
    """Names for what a claim binds and supposes, each part of a hypothesis by itself."""
    variables, body = outermost(claim)
    names = list(bound_names(statement))
    if len(names) != len(variables):
        return None
    parts: list[lean.Tactic] = []
    while isinstance(body, core.Connective) and body.name == "implies":
        hypothesis = terms.locals.fresh("h")
        names.append(hypothesis)
        assumed = tuple(conjuncts_of(lean.Name(hypothesis), body.arguments[0]))
        if len(assumed) > 1:
            parts += [lean.Have(terms.locals.fresh("h"), None, (lean.Exact(each.head),)) for each in assumed]
        body = body.arguments[1]
    return (lean.Intro(tuple(names)), *parts)


def _unfolded(term: core.Term, definitions: Definitions, keys: dict[str, None]) -> core.Term:
    """A term with what definitions stand for that are not recursive; their keys are noted."""
    if isinstance(term, core.DefinitionCall) and len(keys) < _MOST:
        definition = definitions.gathering.definitions[term.definition]
        if not definition.group:
            keys.setdefault(term.definition)
            values = dict(zip((each.name for each in definition.parameters), term.arguments, strict=True))
            return _unfolded(substitute(definition.body, values), definitions, keys)
    return rebuild(term, lambda each: _unfolded(each, definitions, keys))


def _closing(claim: core.Term) -> Closing | None:
    variables, body = outermost(claim)
    if sum(1 for _ in subterms(body)) > _MOST:
        return None
    if not variables:
        return "norm_num" if _is_formula(body) and _is_computed(body) else None
    sorts = {each.sort for each in variables}
    if not _is_formula(body):
        return None
    numbers = sorts | {each.sort for each in subterms(body) if isinstance(each.sort, core.Numeric)}
    if sorts <= _INTEGERS:
        if numbers <= _INTEGERS and _is_linear(body, whole=True):
            return "omega"
    elif sorts == {core.RATIONAL} and core.REAL not in numbers and _is_linear(body, whole=False):
        return "grind"
    elif sorts == {core.REAL} and _is_implication(body) and _is_linear(body, whole=False):
        return "linarith" if _casts_numerals(body) else None
    if not isinstance(body, core.Equals) or len(sorts) > 1 or not _is_polynomial(body):
        return None
    return "ring" if sorts == {core.REAL} else "grind" if sorts <= {core.INTEGER, core.RATIONAL} else None


def _is_computed(body: core.Term) -> bool:
    """Whether a formula without variables is about real numbers that are made of numerals by arithmetic."""
    parts = list(subterms(body))
    if core.REAL not in {each.sort for each in parts}:
        return False
    kinds = core.Connective | core.Equals | core.LiteralTerm | core.Coercion | core.BuiltinCall
    calls = [each for each in parts if isinstance(each, core.BuiltinCall)]
    return all(isinstance(each, kinds) for each in parts) and all(
        each.operation.name in _COMPUTED and _is_written_power(each) for each in calls
    )


def _is_written_power(term: core.BuiltinCall) -> bool:
    """Whether a call is no power, or has a natural numeral as its exponent."""
    if term.operation.name != "power":
        return True
    exponent = term.arguments[1]
    return _is_numeral(exponent) and _uncoerced(exponent).sort == core.NATURAL


def _is_implication(term: core.Term) -> bool:
    """Whether a formula is a comparison, under hypotheses that are comparisons or ∧ of such."""
    while isinstance(term, core.Connective) and term.name == "implies":
        if not all(map(_is_comparison, conjuncts(term.arguments[0]))):
            return False
        term = term.arguments[1]
    return _is_comparison(term)


def _casts_numerals(term: core.Term) -> bool:
    """Whether nothing but numerals is read at a larger type."""
    return all(_is_numeral(each) for each in subterms(term) if isinstance(each, core.Coercion))


def _is_comparison(term: core.Term) -> bool:
    if isinstance(term, core.Equals):
        return isinstance(term.left.sort, core.Numeric)
    return isinstance(term, core.BuiltinCall) and term.operation.name in _COMPARISONS


def _is_formula(term: core.Term) -> bool:
    """Whether a formula consists of connectives and comparisons of numbers."""
    match term:
        case core.Connective(arguments=arguments):
            return all(map(_is_formula, arguments))
        case core.Equals(left=left, right=right):
            if left.sort == core.BOOL:
                return _is_formula(left) and _is_formula(right)
            return isinstance(left.sort, core.Numeric)
        case core.BuiltinCall(operation=operation):
            return operation.name in _COMPARISONS
        case _:
            return False


def _is_linear(term: core.Term, *, whole: bool) -> bool:
    """Whether every term is linear; of whole numbers with division by numerals too."""
    match term:
        case core.Connective(arguments=arguments):
            return all(_is_linear(each, whole=whole) for each in arguments)
        case core.Equals(left=left, right=right):
            return _is_linear(left, whole=whole) and _is_linear(right, whole=whole)
        case core.Variable() | core.LiteralTerm():
            return True
        case core.Coercion(term=inner):
            return _is_linear(inner, whole=whole)
        case core.BuiltinCall(operation=operation, arguments=arguments):
            if operation.name == "times":
                scaled = any(_is_numeral(each) for each in arguments)
                return scaled and all(_is_linear(each, whole=whole) for each in arguments)
            if operation.name in (("div", "mod") if whole else ("divide",)):
                return _is_linear(arguments[0], whole=whole) and _is_divisor(arguments[1])
            known = operation.name in _SUMS or operation.name in _COMPARISONS
            known = known or (whole and operation.name in ("min", "max"))
            return known and all(_is_linear(each, whole=whole) for each in arguments)
        case _:
            return False


def _is_numeral(term: core.Term) -> bool:
    return isinstance(_uncoerced(term), core.LiteralTerm)


def _uncoerced(term: core.Term) -> core.Term:
    while isinstance(term, core.Coercion):
        term = term.term
    return term


def _is_divisor(term: core.Term) -> bool:
    """Whether a term is a positive numeral."""
    term = _uncoerced(term)
    return isinstance(term, core.LiteralTerm) and not isinstance(term.value, bool | str) and term.value > 0


def _is_polynomial(term: core.Term) -> bool:
    match term:
        case core.Equals(left=left, right=right):
            return _is_polynomial(left) and _is_polynomial(right)
        case core.Variable() | core.LiteralTerm():
            return True
        case core.Coercion():
            return _is_numeral(term)
        case core.BuiltinCall(operation=operation, arguments=arguments):
            if operation.name == "power":
                exponent = arguments[1]
                small = _is_numeral(exponent) and _uncoerced(exponent).sort == core.NATURAL
                return small and _is_polynomial(arguments[0])
            if operation.name == "divide":
                return _is_polynomial(arguments[0]) and _is_divisor(arguments[1])
            return operation.name in _SUMS | {"times"} and all(map(_is_polynomial, arguments))
        case _:
            return False
