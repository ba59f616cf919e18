"""Associative and commutative functions: equations that only permute arguments say nothing new.

Once commutativity, associativity and ``x (y z) = y (x z)`` are there, ordered rewriting sorts arguments in every ground
term; other equations between terms with the same arguments are redundant, and there are very many of them.
"""

from __future__ import annotations

from typing import Any

from kleis.prover.engines.completion.shared_terms import Node, summands_of
from kleis.prover.engines.superposition.orderings import Atom

__all__ = ["Permutations"]


class Permutations:
    """The functions that are known to be associative and commutative."""

    def __init__(self) -> None:
        self._commutative: set[int] = set()
        self._associative: set[int] = set()
        self._forms: dict[Node, Any] = {}

    def learn(self, left: Node, right: Node) -> None:
        """Take note of a unit equation that holds."""
        for one, other in ((left, right), (right, left)):
            shape = _shape(one, other)
            known = self._commutative if shape == _SWAP else self._associative if shape == _MOVE else None
            if known is not None and one.head not in known:
                known.add(one.head)
                self._forms.clear()

    def redundant(self, atom: Atom, alone: bool) -> bool:
        """Whether an equation only permutes arguments; if it stands `alone`, and is none of those that say that they may."""
        positive, left, right = atom
        if not positive or not self._commutative & self._associative or left.size != right.size:
            return False
        if self._form(left) != self._form(right):
            return False
        return not alone or not {_shape(left, right), _shape(right, left)} & _KEPT

    def _form(self, term: Node) -> Any:
        """The term with nested arguments of such functions collected and sorted."""
        if not term.arguments:
            return (term.number,)
        known = self._forms.get(term)
        if known is None:
            if term.head in self._commutative and term.head in self._associative:
                parts = sorted(self._form(each) for each in summands_of(term))
                known = (-term.head - 1, *parts)
            else:
                known = (-term.head - 1, *(self._form(each) for each in term.arguments))
            self._forms[term] = known
        return known


def _shape(left: Node, right: Node) -> Any:
    """An equation between terms of one binary function and variables, without the names; None for any other."""
    names: dict[Node, int] = {}

    def shape(term: Node) -> Any:
        if term.head < 0:
            return names.setdefault(term, len(names))
        if term.head != left.head or len(term.arguments) != 2:
            return None
        return tuple(map(shape, term.arguments))

    return None if left.size > 5 or left.head < 0 else (shape(left), shape(right))


_SWAP = ((0, 1), (1, 0))
_MOVE = (((0, 1), 2), (0, (1, 2)))
_KEPT = {_SWAP, _MOVE, ((0, (1, 2)), (1, (0, 2)))}
