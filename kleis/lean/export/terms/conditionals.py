"""Which formulas Lean can decide by computing, without classical choice.

Specification: lean-and-corpus.md §6.2 ("`c` needs Decidable"), §6.4 pitfalls 6 and 9: equality of functions, sets and
reals is not decided, a quantifier neither.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kleis.core import (
    BOOL,
    Basic,
    BitVec,
    BuiltinCall,
    Conditional,
    Connective,
    Constructor,
    DataSort,
    DefinitionCall,
    Discrimination,
    Equals,
    Let,
    ListOf,
    LiteralTerm,
    Numeric,
    Selection,
    Sort,
    Term,
    TupleOf,
    Variable,
)
from kleis.core.traversal import rebuild

__all__ = ["Decidability", "specialised", "tested"]

_COMPARISONS = frozenset({"less_than", "leq", "greater_than", "geq"})
_EQUALITIES = frozenset({"isEmpty", "in_set", "str_eq"})
_WORDS = frozenset({"bvult", "bvule", "bvugt", "bvuge", "bvslt", "bvsle", "bvsgt", "bvsge"})


class Decidability:
    """`data` says whether a data type derives equality, `definition` whether a definition gives a Bool."""

    def __init__(self, data: Callable[[str], bool], definition: Callable[[str], bool]) -> None:
        self._data = data
        self._definition = definition

    def sort(self, sort: Sort) -> bool:
        """Whether equality of values is decided."""
        match sort:
            case Basic(name=name):
                return name != "Regex"
            case Numeric(name=name):
                return name in ("ℕ", "ℤ", "ℚ")
            case BitVec():
                return True
            case ListOf(element=element):
                return self.sort(element)
            case TupleOf(items=items):
                return all(map(self.sort, items))
            case DataSort(name=name, arguments=arguments):
                return self._data(name) and all(
                    self.sort(each) for each in arguments if isinstance(each, Sort)
                )
            case _:
                return False

    def formula(self, term: Term) -> bool:
        """Whether a formula is decided."""
        match term:
            case LiteralTerm() | Variable() | Selection() | Discrimination():
                return True
            case Connective(arguments=arguments):
                return all(map(self.formula, arguments))
            case Equals(left=left, right=right):
                if left.sort == BOOL:
                    return self.formula(left) and self.formula(right)
                return self.sort(left.sort)
            case Conditional(condition=condition, consequent=yes, alternative=no):
                return all(map(self.formula, (condition, yes, no)))
            case Let(body=body):
                return self.formula(body)
            case DefinitionCall(definition=key):
                return self._definition(key)
            case BuiltinCall(operation=operation, arguments=arguments):
                if operation.name in _COMPARISONS:
                    return self.sort(arguments[0].sort)
                if operation.name in _EQUALITIES:
                    return self.sort(arguments[0].sort) and isinstance(arguments[-1].sort, ListOf | Basic)
                return operation.name in _WORDS
            case _:
                return False


# Conditionals that test constructors, as cases of a match.
#
# Specification: lean-and-corpus.md §6.2 (match, recursion "as is if structural").  The core has testers and selectors
# (kleis/elaborate/expressions/match_elaboration.py); Lean finds structural recursion only where a match names the parts.
#
# ``specialised`` is a term as it is when a value was made by a known constructor: its testers are decided, its
# selections are the names of the parts.  So a case is complete in itself, however tests were nested.

_TRUE = LiteralTerm(True, BOOL)
_FALSE = LiteralTerm(False, BOOL)


def tested(condition: Term) -> Term | None:
    """The value whose constructor a condition asks for first; None if it asks something else."""
    while isinstance(condition, Connective) and condition.name == "and":
        condition = condition.arguments[0]
    return condition.term if isinstance(condition, Discrimination) else None


def specialised(term: Term, subject: Term, constructor: Constructor, parts: Sequence[Variable]) -> Term:
    """The term where `subject` is the constructor at these parts."""

    def change(each: Term) -> Term:
        match each:
            case Selection(constructor=selected, index=index, term=inner) if inner == subject:
                if selected == constructor:
                    return parts[index]
            case Discrimination(constructor=asked, term=inner) if inner == subject:
                return _TRUE if asked == constructor else _FALSE
            case _:
                pass
        return _decided(rebuild(each, change))

    return change(term)


def _decided(term: Term) -> Term:
    match term:
        case Conditional(condition=condition, consequent=yes, alternative=no):
            return yes if condition == _TRUE else no if condition == _FALSE else term
        case Connective(name="and", arguments=arguments):
            return _joined("and", arguments, _TRUE, _FALSE)
        case Connective(name="or", arguments=arguments):
            return _joined("or", arguments, _FALSE, _TRUE)
        case Connective(name="not", arguments=(LiteralTerm(value=value),)):
            return _FALSE if value else _TRUE
        case _:
            return term


def _joined(name: str, arguments: Sequence[Term], neutral: Term, absorbing: Term) -> Term:
    """∧ and ∨ are strong Kleene, so a decided part decides or disappears, whatever the others are."""
    if absorbing in arguments:
        return absorbing
    kept = tuple(each for each in arguments if each != neutral)
    if not kept:
        return neutral
    return kept[0] if len(kept) == 1 else Connective("and" if name == "and" else "or", kept)
