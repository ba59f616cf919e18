"""The checker's names of what completion speaks of: functions, variables.

The engine and the checker read formulas apart from each other, each with its own names for what it makes.  Equation by
equation the two readings are laid side by side; that gives the names of one in the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kleis import core
from kleis.core.sort_printing import sort_text
from kleis.prover.checker.format import Refutation
from kleis.prover.checker.rules.equation_terms import Signature, Term
from kleis.prover.checker.rules.unit_equations import CLAIM
from kleis.prover.checker.rules.unit_equations import Unit as ReadUnit
from kleis.prover.engines.completion import unit_equations
from kleis.prover.engines.first_order_terms import Term as EngineTerm
from kleis.prover.engines.first_order_terms import Variable as EngineVariable

__all__ = ["Functions", "Names", "Unconvertible"]


class Unconvertible(Exception):
    """An answer that has no form in the checker's data; the message says why."""


class Functions:
    """The checker's names of the engine's functions: those that stand at the same places of the same equations."""

    def __init__(
        self,
        units: Sequence[unit_equations.Unit],
        read: Sequence[ReadUnit],
        given: Sequence[str],
        signature: Signature,
    ) -> None:
        self._signature = signature
        self._constants = _constants(units)
        self._names = {"true": "true", "false": "false"}
        sources = {**{name: place for place, name in enumerate(given)}, unit_equations.CLAIM: CLAIM}
        for name, source in sources.items():
            ours = [each for each in units if each.name == name]
            theirs = [each for each in read if each.source == source]
            if len(ours) != len(theirs):
                raise Unconvertible(f"{name} is read otherwise")
            for one, other in zip(ours, theirs, strict=True):
                self._pair(one.left, other.left)
                self._pair(one.right, other.right)

    def _pair(self, one: EngineTerm, other: Term) -> None:
        if isinstance(one, EngineVariable):
            if not isinstance(other, core.Variable):
                raise Unconvertible("a premise is read otherwise")
            return
        if isinstance(other, core.Variable) or len(one.arguments) != len(other) - 1:
            raise Unconvertible("a premise is read otherwise")
        if self._names.setdefault(one.function.name, other[0]) != other[0]:
            raise Unconvertible(f"{one.function.name} is read as two functions")
        for ours, theirs in zip(one.arguments, other[1:], strict=True):
            self._pair(ours, theirs)

    def name(self, name: Any) -> str:
        """The checker's name of a function."""
        if isinstance(name, str) and name.startswith("?any "):
            return name
        if name not in self._names:
            raise Unconvertible(f"nothing that is read is called {name}")
        return self._names[name]

    def variable(self, text: str) -> core.Variable:
        """A variable of the engine."""
        name, _, sort = text.partition(" : ")
        if sort not in self._signature.sorts:
            raise Unconvertible(f"no sort that is read is called {sort}")
        return core.Variable(name, self._signature.sorts[sort])

    def term(self, data: Any) -> Term:
        """A term of the engine.  Constants that no equation of the checker mentions may be anything: they are variables."""
        if isinstance(data, str):
            return self.variable(data)
        if not isinstance(data, list | tuple) or not data or not isinstance(data[0], str):
            raise Unconvertible("a term that is no list")
        head, *arguments = data
        if not arguments and head not in self._names and head in self._constants:
            return self.variable(f"{head} : {sort_text(self._constants[head])}")
        name = self.name(head)
        terms = tuple(map(self.term, arguments))
        if name not in self._signature or self._signature[name].domain != tuple(
            map(self._signature.sort, terms)
        ):
            raise Unconvertible(f"{head} at arguments of other sorts")
        return (name, *terms)


class Names:
    """Names of variables in the data: one sort each, and none is a word of the engine's."""

    def __init__(self) -> None:
        self._names: dict[core.Variable, str] = {}

    @property
    def table(self) -> tuple[tuple[str, str], ...]:
        """The variables so far, with the texts of their sorts."""
        return tuple((name, sort_text(variable.sort)) for variable, name in self._names.items())

    def written(self, term: Term) -> Any:
        """The term as data."""
        if isinstance(term, core.Variable):
            name = term.name
            while self._names.get(term, name) != name or (
                term not in self._names and name in self._names.values()
            ):
                name += "'"
            return self._names.setdefault(term, name)
        return (term[0], *map(self.written, term[1:]))

    def used_in(self, refutations: Sequence[Refutation]) -> tuple[tuple[str, str], ...]:
        """The variables that chains mention."""
        words: set[str] = set()
        waiting: list[Any] = [
            data
            for refutation in refutations
            for link in refutation.links
            for data in (link.start, *(value for step in (*link.left, *link.right) for value in step.values))
        ]
        while waiting:
            data = waiting.pop()
            if isinstance(data, str):
                words.add(data)
            elif data is not None:
                waiting.extend(data[1:])
        return tuple((name, text) for name, text in self.table if name in words)


def _constants(units: Sequence[unit_equations.Unit]) -> dict[str, core.Sort]:
    """The constants of the engine, with those it makes for sorts without one."""
    found: dict[str, core.Sort] = {}
    waiting: list[EngineTerm] = [side for each in units for side in (each.left, each.right)]
    while waiting:
        term = waiting.pop()
        found.setdefault(f"?any {sort_text(term.sort)}", term.sort)
        if not isinstance(term, EngineVariable):
            if not term.arguments:
                found[term.function.name] = term.sort
            waiting.extend(term.arguments)
    return found
