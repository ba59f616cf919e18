"""Terms that plainly have a value everywhere: what engines may put in for a name without keeping a condition.

Specification: proving.md §1 (Definedness): ``let`` and calls are strict, so ``let y = div(1, 0) in x`` has no value, although y
is not used.

Invariant: a term of which this says yes has a value at every point; of many that do, it says no.
"""

from __future__ import annotations

from kleis.core import (
    Application,
    Coercion,
    Conditional,
    Connective,
    Construction,
    DefinitionCall,
    Equals,
    Lambda,
    Let,
    LiteralTerm,
    Quantifier,
    SymbolCall,
    Term,
    Variable,
)
from kleis.core.goal import Meaning
from kleis.core.traversal import subterms

__all__ = ["Totality"]

_WITH_THEIR_PARTS = (
    Application,
    Coercion,
    Conditional,
    Connective,
    Construction,
    Equals,
    Lambda,
    Let,
    LiteralTerm,
    Quantifier,
    SymbolCall,
    Variable,
)
"""Terms that have a value where all their parts have one."""


class Totality:
    """What has a value everywhere, by the definitions of one meaning."""

    def __init__(self, meaning: Meaning) -> None:
        self._meaning = meaning
        self._known: dict[str, bool] = {}

    def has_a_value(self, term: Term) -> bool:
        """Whether a term plainly has a value everywhere."""
        return all(
            self._of_definition(each.definition)
            if isinstance(each, DefinitionCall)
            else isinstance(each, _WITH_THEIR_PARTS)
            for each in subterms(term)
        )

    def _of_definition(self, key: str) -> bool:
        if key not in self._known:
            definition = self._meaning.definition(key)
            self._known[key] = not definition.group and self.has_a_value(definition.body)
        return self._known[key]
