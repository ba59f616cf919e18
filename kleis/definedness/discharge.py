"""Conditions that the path to a partial operation implies, left out of a definition.

In ``if n = 0 then 1 else n * fact(n - 1)`` over ℕ the difference is a natural number wherever it is computed, and
`mod(h, 2)` has a value everywhere.  Without these conditions the definition is seen to be defined everywhere, and is
one equation a case instead of a second recursion that says where it is. See docs/reference/proving.md §9.3.

Invariants
    * A condition is left out only where it is true whenever the place is reached: the path is the conditions of `if`
      around it, which are strict, and what follows from it is found by kleis/definedness/entailment.py.
    * The value is the same wherever the place is reached; elsewhere it is not used.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from kleis import core
from kleis.core.build_terms import at_least, condition_at, integer
from kleis.core.goal import Goal
from kleis.core.traversal import rebuild, subterms
from kleis.definedness.entailment import follows

__all__ = ["Totality", "discharged", "is_discharged"]


def is_discharged(term: core.Term) -> bool:
    """Whether a term has no condition that could be left out."""
    return not any(
        isinstance(each, core.Narrowing)
        or (isinstance(each, core.BuiltinCall) and each.operation.condition is not None)
        for each in subterms(term)
    )


def discharged(body: core.Term, goal: Goal) -> core.Term:
    """The body of a definition without the conditions that its own paths discharge."""
    return body if is_discharged(body) else _Walk(goal).term(body, (), {})


class _Walk:
    def __init__(self, goal: Goal) -> None:
        self._goal = goal

    def term(
        self, term: core.Term, path: tuple[core.Term, ...], values: Mapping[str, core.Term]
    ) -> core.Term:
        """The term at a place that is reached only where everything on the path is true."""
        match term:
            case core.Conditional(condition=condition, consequent=yes, alternative=no):
                otherwise = core.Connective("not", (condition,))
                return core.Conditional(
                    self.term(condition, path, values),
                    self.term(yes, (*path, condition), values),
                    self.term(no, (*path, otherwise), values),
                )
            case core.Let(variable=variable, value=value, body=body):
                inner = {**values, variable.name: value}
                return core.Let(variable, self.term(value, path, values), self.term(body, path, inner))
        changed = rebuild(term, lambda part: self.term(part, path, values))
        match term:
            case core.Narrowing(term=number) if self._true(at_least(number, integer(0)), path, values):
                assert isinstance(changed, core.Narrowing)
                return core.Coercion(changed.term, core.NATURAL)
            case core.BuiltinCall():
                needed = condition_at(term)
                if needed is not None and self._true(needed, path, values):
                    assert isinstance(changed, core.BuiltinCall)
                    total = msgspec.structs.replace(term.operation, condition=None)
                    return core.BuiltinCall(total, changed.arguments)
        return changed

    def _true(
        self, condition: core.Term, path: tuple[core.Term, ...], values: Mapping[str, core.Term]
    ) -> bool:
        return follows(path, condition, self._goal, values)


# Terms whose form shows that they have a value everywhere: engines may substitute them for a name without keeping a condition.
#
# ``let`` and calls are strict, so ``let y = div(1, 0) in x`` has no value, although y is not used.
#
# Invariant: a term that is total here has a value at every assignment; many terms that have one are not seen to be total.

_WITH_THEIR_PARTS = (
    core.Application,
    core.Coercion,
    core.Conditional,
    core.Connective,
    core.Construction,
    core.Equals,
    core.Lambda,
    core.Let,
    core.LiteralTerm,
    core.Quantifier,
    core.SymbolCall,
    core.Variable,
)

_ARITHMETIC = frozenset({"plus", "minus", "times", "negate", "abs"})
"""Built-ins that have a value at all numbers; `Operation.condition` is None for others too, which are not listed."""


def _is_arithmetic(term: core.Term) -> bool:
    return (
        isinstance(term, core.BuiltinCall)
        and term.operation.name in _ARITHMETIC
        and term.operation.condition is None
        and all(isinstance(each.sort, core.Numeric) for each in (term, *term.arguments))
    )


class Totality:
    """Which terms have a value everywhere, with the definitions of one goal."""

    def __init__(self, goal: Goal) -> None:
        self._goal = goal
        self._known: dict[str, bool] = {}

    def has_a_value(self, term: core.Term) -> bool:
        """Whether the form of a term shows that it has a value everywhere."""
        return all(
            self._of_definition(each.definition)
            if isinstance(each, core.DefinitionCall)
            else isinstance(each, _WITH_THEIR_PARTS) or _is_arithmetic(each)
            for each in subterms(term)
        )

    def _of_definition(self, key: str) -> bool:
        if key not in self._known:
            definition = self._goal.definition(key)
            self._known[key] = not definition.group and self.has_a_value(definition.body)
        return self._known[key]
