"""Terms of Z3 as terms of the core, where they are that exactly: hints at which values a proof took an axiom.

See docs/reference/certificates.md §3.2.

A proof may be found again without them, so what has no exact term is left out: Skolem constants, bound variables,
operations of theories, and every sort that a symbol does not say.  Whether an instance follows from its axiom is for the
checker to see; here nothing has to be right for a proof to be right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from kleis import core
from kleis.core.build_terms import as_number
from kleis.core.sort_operations import join_sorts
from kleis.prover.engines.solvers.runs import library
from kleis.prover.smt.script import Script

__all__ = ["Taken", "core_instances"]

Taken = tuple[str, Sequence[Any]]
"""The name of an axiom, and the terms of Z3 for the variables of its outermost quantifier, in order."""

_MOST = 60
"""The number of instances that a certificate is given at most."""


def core_instances(
    script: Script, axioms: Mapping[str, core.Term], taken: Iterable[Taken]
) -> tuple[tuple[str, tuple[core.Term, ...]], ...]:
    """The instances that have exact terms, each once, in order."""
    reader = _Reader(script)
    found: dict[tuple[str, tuple[core.Term, ...]], None] = {}
    for name, terms in taken:
        axiom = axioms.get(name)
        if not isinstance(axiom, core.Quantifier) or axiom.kind != "forall":
            continue
        if len(axiom.variables) != len(terms) or len(found) == _MOST:
            continue
        read = [reader.term(term, each.sort) for term, each in zip(terms, axiom.variables, strict=True)]
        exact = tuple(each for each in read if each is not None)
        if len(exact) == len(terms):
            found.setdefault((name, exact))
    return tuple(found)


class _Reader:
    """The names of one script."""

    def __init__(self, script: Script) -> None:
        self._symbols = {name.strip("|"): symbol for symbol, name in script.symbols}
        self._variables = {
            each.name.strip("|"): each.variable
            for each in script.constants
            if not isinstance(each.variable.sort, core.FunctionOf)
        }

    def term(self, term: Any, sort: core.Sort) -> core.Term | None:
        """The term of a sort that a term of Z3 is."""
        z3 = library()
        if z3.is_int_value(term) or z3.is_rational_value(term):
            return _number(term, sort)
        if z3.is_string_value(term) and sort == core.STRING:
            text = term.as_string()
            return core.LiteralTerm(text, core.STRING) if text.isascii() and "\\" not in text else None
        if not z3.is_app(term) or term.decl().kind() != z3.Z3_OP_UNINTERPRETED:
            return None
        name = term.decl().name()
        if term.num_args() == 0 and name in self._variables:
            return _at_sort(self._variables[name], sort)
        symbol = self._symbols.get(name)
        if symbol is None or len(symbol.domain) != term.num_args():
            return None
        arguments = tuple(self._arguments(term.children(), symbol))
        return (
            _at_sort(core.SymbolCall(symbol, arguments), sort)
            if len(arguments) == len(symbol.domain)
            else None
        )

    def _arguments(self, terms: Sequence[Any], symbol: core.Symbol) -> Iterator[core.Term]:
        for term, sort in zip(terms, symbol.domain, strict=True):
            read = self.term(term, sort)
            if read is not None:
                yield read


def _number(term: Any, sort: core.Sort) -> core.Term | None:
    """A literal in the sort, where it has that value."""
    fraction = term.as_fraction() if hasattr(term, "as_fraction") else None
    if fraction is not None and fraction.denominator != 1:
        return _at_sort(core.LiteralTerm(fraction, core.RATIONAL), sort)
    value = term.as_long() if fraction is None else int(fraction)
    return _at_sort(core.LiteralTerm(value, core.NATURAL if value >= 0 else core.INTEGER), sort)


def _at_sort(term: core.Term, sort: core.Sort) -> core.Term | None:
    """The term in a sort that has its values; None if there is no such coercion between numbers."""
    if term.sort == sort:
        return term
    numbers = isinstance(term.sort, core.Numeric) and isinstance(sort, core.Numeric)
    return as_number(term, sort) if numbers and join_sorts(term.sort, sort) == sort else None
