"""Claims about numbers that a tactic of arithmetic closes.  See docs/reference/lean.md §6.1.

================  ===========================================================================
linear, ℕ and ℤ   ``omega``: sums, differences, numerals as factors, divisors and moduli
linear, ℚ         ``grind``; ℝ: ``linarith``, an inequality or equation under hypotheses
polynomial        ``grind`` in core Lean, ``ring`` over ℝ: one equation without hypotheses
================  ===========================================================================

Which fits is read off the claim: every number in it is of one kind, and every function is one that the tactic knows.
"""

from __future__ import annotations

from kleis import core
from kleis.core.traversal import rebuild, substitute, subterms
from kleis.lean.export.declarations.lean_definitions import Definitions
from kleis.lean.export.proofs.decisions import outermost
from kleis.lean.export.terms.lean_terms import Terms
from kleis.lean.language import lean_tree as lean
from kleis.lean.language.lean_tree import Closing

__all__ = ["arithmetic"]

_MOST = 500
"""Parts of a claim with the definitions unfolded."""

_COMPARISONS = frozenset({"less_than", "leq", "greater_than", "geq"})
_SUMS = frozenset({"plus", "minus", "negate"})
_INTEGERS = frozenset({core.NATURAL, core.INTEGER})


def arithmetic(
    claim: core.Term, terms: Terms, definitions: Definitions
) -> tuple[tuple[lean.Tactic, ...], str] | None:
    """Tactics that close a claim about numbers, and the one that does; None where it is of another kind."""
    unfolded: dict[str, None] = {}
    closing = _closing(_unfolded(claim, definitions, unfolded))
    if closing is None:
        return None
    if not unfolded:
        return (lean.Close(closing),), closing
    uses = [terms.world.definition(key) for key in unfolded]
    if any(each.defined is not None or each.kind != "value" for each in uses):
        return None
    heads = tuple(each.head.function if isinstance(each.head, lean.Call) else each.head for each in uses)
    return (lean.Simplify(heads, lean.Close(closing)),), closing


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
    sorts = {each.sort for each in variables}
    if not variables or not _is_formula(body):
        return None
    numbers = sorts | {each.sort for each in subterms(body) if isinstance(each.sort, core.Numeric)}
    if sorts <= _INTEGERS:
        if numbers <= _INTEGERS and _is_linear(body, whole=True):
            return "omega"
    elif sorts == {core.RATIONAL} and core.REAL not in numbers and _is_linear(body, whole=False):
        return "grind"
    if not isinstance(body, core.Equals) or len(sorts) > 1 or not _is_polynomial(body):
        return None
    return "ring" if sorts == {core.REAL} else "grind" if sorts <= {core.INTEGER, core.RATIONAL} else None


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
