"""Which formulas Lean can decide by computing, without classical choice.

Specification: lean-and-corpus.md §6.2 ("`c` needs Decidable"), §6.4 pitfalls 6 and 9: equality of functions, sets and
reals is not decided, a quantifier neither.
"""

from __future__ import annotations

from collections.abc import Callable

from kleis.core import (
    BOOL,
    Basic,
    BitVec,
    BuiltinCall,
    Conditional,
    Connective,
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

__all__ = ["Decidability"]

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
