"""Tests of constructors as cases of a match, and which formulas Lean decides by computing.

The core has testers and selectors; Lean finds structural recursion only where a match names the parts.  `specialised` is
a term as it is where a value was made by a known constructor: its testers are decided, its selections are the names of
the parts.  So a case is complete in itself, however tests were nested.

`Decidability` tells formulas that need no classical choice: equality of functions, sets and reals is not decided, nor is
a quantifier.  See docs/reference/lean.md §3.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kleis import core
from kleis.core.traversal import rebuild

__all__ = ["Decidability", "specialised", "tested", "with_parts"]

_COMPARISONS = frozenset({"less_than", "leq", "greater_than", "geq"})
_EQUALITIES = frozenset({"isEmpty", "in_set", "str_eq"})
_BIT_VECTOR_COMPARISONS = frozenset({"bvult", "bvule", "bvugt", "bvuge", "bvslt", "bvsle", "bvsgt", "bvsge"})


class Decidability:
    """`data` says whether a data type derives equality, `definition` whether a definition gives a Bool."""

    def __init__(self, data: Callable[[str], bool], definition: Callable[[str], bool]) -> None:
        self._data = data
        self._definition = definition

    def sort(self, sort: core.Sort) -> bool:
        """Whether equality of values is decided."""
        match sort:
            case core.Basic(name=name):
                return name != "Regex"
            case core.Numeric(name=name):
                return name in ("ℕ", "ℤ", "ℚ")
            case core.BitVec():
                return True
            case core.ListOf(element=element):
                return self.sort(element)
            case core.TupleOf(items=items):
                return all(map(self.sort, items))
            case core.DataSort(name=name, arguments=arguments):
                return self._data(name) and all(
                    self.sort(each) for each in arguments if isinstance(each, core.Sort)
                )
            case _:
                return False

    def formula(self, term: core.Term) -> bool:
        """Whether a formula is decided."""
        match term:
            case core.LiteralTerm() | core.Variable() | core.Selection() | core.Discrimination():
                return True
            case core.Connective(arguments=arguments):
                return all(map(self.formula, arguments))
            case core.Equals(left=left, right=right):
                if left.sort == core.BOOL:
                    return self.formula(left) and self.formula(right)
                return self.sort(left.sort)
            case core.Conditional(condition=condition, consequent=yes, alternative=no):
                return all(map(self.formula, (condition, yes, no)))
            case core.Let(body=body):
                return self.formula(body)
            case core.DefinitionCall(definition=key):
                return self._definition(key)
            case core.BuiltinCall(operation=operation, arguments=arguments):
                if operation.name in _COMPARISONS:
                    return self.sort(arguments[0].sort)
                if operation.name in _EQUALITIES:
                    return self.sort(arguments[0].sort) and isinstance(
                        arguments[-1].sort, core.ListOf | core.Basic
                    )
                if operation.name in ("all", "any"):
                    return isinstance(arguments[0], core.Lambda) and self.formula(arguments[0].body)
                return operation.name in _BIT_VECTOR_COMPARISONS
            case _:
                return False


# ── Tests of constructors as matches ───────────────────────────────────────────────────────────────────────────

_TRUE = core.LiteralTerm(True, core.BOOL)
_FALSE = core.LiteralTerm(False, core.BOOL)


def tested(condition: core.Term) -> core.Term | None:
    """The value whose constructor a condition asks for first; None if it asks something else."""
    while isinstance(condition, core.Connective) and condition.name == "and":
        condition = condition.arguments[0]
    return condition.term if isinstance(condition, core.Discrimination) else None


def specialised(
    term: core.Term, subject: core.Term, constructor: core.Constructor, parts: Sequence[core.Variable]
) -> core.Term:
    """The term where `subject` is the constructor at these parts."""

    def change(each: core.Term) -> core.Term:
        match each:
            case core.Selection(constructor=selected, index=index, term=inner) if inner == subject:
                if selected == constructor:
                    return parts[index]
            case core.Discrimination(constructor=asked, term=inner) if inner == subject:
                return _TRUE if asked == constructor else _FALSE
            case _:
                pass
        return _decided(rebuild(each, change))

    return change(term)


def with_parts(body: core.Term, variable: core.Variable, value: core.Term) -> core.Term:
    """The body of a `let` of a tuple of variables, with the components of the tuple for its selections.

    Lean sees that a part of a list is smaller where the list is matched, not where a component of a pair is.
    """
    if not isinstance(value, core.Construction) or not isinstance(variable.sort, core.TupleOf):
        return body
    parts = value.arguments
    if not all(isinstance(each, core.Variable) for each in parts):
        return body

    def change(each: core.Term) -> core.Term:
        if isinstance(each, core.Selection) and each.term == variable:
            return parts[each.index]
        if isinstance(each, core.Discrimination) and each.term == variable:
            return _TRUE
        return _decided(rebuild(each, change))

    return change(body)


def _decided(term: core.Term) -> core.Term:
    match term:
        case core.Conditional(condition=condition, consequent=yes, alternative=no):
            return yes if condition == _TRUE else no if condition == _FALSE else term
        case core.Connective(name="and", arguments=arguments):
            return _joined("and", arguments, _TRUE, _FALSE)
        case core.Connective(name="or", arguments=arguments):
            return _joined("or", arguments, _FALSE, _TRUE)
        case core.Connective(name="not", arguments=(core.LiteralTerm(value=value),)):
            return _FALSE if value else _TRUE
        case _:
            return term


def _joined(name: str, arguments: Sequence[core.Term], neutral: core.Term, absorbing: core.Term) -> core.Term:
    """∧ and ∨ are strong Kleene, so a decided part decides or disappears, whatever the others are."""
    if absorbing in arguments:
        return absorbing
    kept = tuple(each for each in arguments if each != neutral)
    if not kept:
        return neutral
    return kept[0] if len(kept) == 1 else core.Connective("and" if name == "and" else "or", kept)
