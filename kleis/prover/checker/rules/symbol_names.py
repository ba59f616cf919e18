"""The names of functions in equational proofs: of symbols, and of what Skolem forms make.

See docs/reference/certificates.md §3.5.  A symbol has its own name where no other has it and nothing made looks like it, else
its name with its sorts.  A made function has a name that nothing else has, which is checked, not hoped for.
"""

from __future__ import annotations

from itertools import count

from kleis import core
from kleis.core.sort_printing import sort_text
from kleis.prover.checker.rules.equation_terms import CASES, EQUALITY, Function, Signature
from kleis.prover.checker.sequent import NotExpressible, Sequent

__all__ = ["Functions", "first_order"]

_MADE = ("true", "false", "?", EQUALITY.strip(), CASES)
"""How made names begin."""


class Functions:
    """The functions of one sequent."""

    def __init__(self, sequent: Sequent) -> None:
        self.signature = Signature()
        symbols = dict.fromkeys((*sequent.goal.symbols, *sequent.constants))
        written = [each.name for each in symbols]
        self._alone = {
            each for each in symbols if written.count(each.name) == 1 and not each.name.startswith(_MADE)
        }
        self._taken = {*written, *map(_full, symbols)}

    def of_symbol(self, symbol: core.Symbol, fixed: tuple[bool | None, ...]) -> Function:
        """A symbol at fixed truth values (None: a place that is left, over a carrier)."""
        domain, codomain = first_order(core.FunctionOf(symbol.domain, symbol.codomain))
        name = symbol.name if symbol in self._alone else _full(symbol)
        if any(each is not None for each in fixed):
            name += "[" + ", ".join("_" if each is None else str(each).lower() for each in fixed) + "]"
        left = tuple(each for each in domain if each != core.BOOL)
        return self.signature.declare(Function(name, left, codomain, "symbol", symbol, fixed))

    def new(self, stem: str, domain: tuple[core.Sort, ...], codomain: core.Sort) -> Function:
        """A function of which nothing is known."""
        stem = f"?{stem.split('.')[0]}"
        numbers = count(2)
        name = stem
        while name in self._taken or name in self.signature:
            name = f"{stem}{next(numbers)}"
        self._taken.add(name)
        return self.signature.declare(Function(name, domain, codomain, "any"))


def first_order(sort: core.Sort) -> tuple[tuple[core.Sort, ...], core.Sort]:
    """Domain and codomain of a function over carriers and truth values; a carrier is its own codomain."""
    domain, codomain = (sort.domain, sort.codomain) if isinstance(sort, core.FunctionOf) else ((), sort)
    if not all(isinstance(each, core.Carrier) or each == core.BOOL for each in (*domain, codomain)):
        raise NotExpressible(f"the sort {sort_text(sort)}")
    return domain, codomain


def _full(symbol: core.Symbol) -> str:
    domain = " × ".join(map(sort_text, symbol.domain))
    return f"{symbol.name} : {domain} → {sort_text(symbol.codomain)}"
