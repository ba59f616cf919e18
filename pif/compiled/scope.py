"""Expressions, names in scope, and what is known of a term before it is compiled.

`Scope` keeps the same account of names as `reference.resolve`: what a closure captures and how many names an `eval`
sees are charged, so both must count alike.
"""

from __future__ import annotations

from typing import Any

import msgspec

from pif.analysis.facts import live_children
from pif.compiled.kinds import ANY, Kind
from pif.language.terms import Term
from pif.reference.machine import Tool

__all__ = ["COMMITTED", "Expression", "Region", "Scope", "TermFacts"]

COMMITTED = 63
"""Bits of any integer that is stored, passed or returned where all integers are small (see `scalars`)."""


class Expression(msgspec.Struct, frozen=True):
    """Python text and what is known of its value.

    `atom`: a name or constant, free to be written any number of times; any other text is written exactly once.
    `bits`: what bounds an integer's magnitude; `base`: the accumulator that it adds a small integer to.
    `parts`: a pair that is not built, two atoms. `static`: the `Quoted` it surely is, or the known function.
    `weight`: how deep its text nests.
    """

    text: str
    kind: Kind = ANY
    bits: int = COMMITTED
    atom: bool = False
    parts: tuple[Expression, Expression] | None = None
    static: Any = None
    base: str | None = None
    weight: int = 1
    filled: bool = False


class Region:
    """A piece of code that was resolved as one: a tool's, a run's, or what an `eval` runs.

    `given`: the names that an `eval` hands in, with their values where they may be wanted.
    """

    __slots__ = ("given", "owner")

    def __init__(self, owner: Tool | None, given: dict[str, Expression | None]) -> None:
        self.owner = owner
        self.given = given


class Scope:
    """A binder on the way outward; the end has no name. `inside`: under a `lam` of the region's own code."""

    __slots__ = ("distinct", "expression", "inside", "name", "outer", "region")

    def __init__(
        self,
        region: Region,
        outer: Scope | None = None,
        name: str | None = None,
        expression: Expression | None = None,
        *,
        inside: bool = False,
    ) -> None:
        self.region = region
        self.outer = outer
        self.name = name
        self.expression = expression
        if outer is None:
            self.inside = inside
            self.distinct = len(region.given)
        else:
            self.inside = inside or outer.inside
            self.distinct = outer.distinct + (name not in region.given and not outer.binds(name))

    def bind(self, name: str, expression: Expression, *, inside: bool = False) -> Scope:
        return Scope(self.region, self, name, expression, inside=inside)

    def binds(self, name: str | None) -> bool:
        scope: Scope | None = self
        while scope is not None:
            if scope.name == name and scope.outer is not None:
                return True
            scope = scope.outer
        return False

    def find(self, name: str) -> Expression | None:
        scope: Scope | None = self
        while scope is not None:
            if scope.outer is not None and scope.name == name:
                return scope.expression
            scope = scope.outer
        return self.region.given.get(name)

    def visible(self) -> dict[str, Expression | None]:
        """All names in scope, sorted."""
        found: dict[str, Expression | None] = {}
        scope: Scope | None = self
        while scope is not None and scope.outer is not None:
            assert scope.name is not None
            found.setdefault(scope.name, scope.expression)
            scope = scope.outer
        for name, expression in self.region.given.items():
            found.setdefault(name, expression)
        return dict(sorted(found.items()))


class TermFacts:
    """What is asked of the same terms again and again. Terms must live as long as this does."""

    def __init__(self) -> None:
        self._free: dict[int, frozenset[str]] = {}
        self._evaluates: dict[int, bool] = {}
        self._functions: dict[int, bool] = {}

    def free(self, term: Term) -> frozenset[str]:
        """The names a term takes from outside (those in quotes do not count, but for live unquotes)."""
        found = self._free.get(id(term))
        if found is None:
            match term.op:
                case "var":
                    found = frozenset((term.value,))
                case "lam":
                    found = self.free(term.parts[0]) - {term.value}
                case "let":
                    found = self.free(term.parts[0]) | (self.free(term.parts[1]) - {term.value})
                case _:
                    found = frozenset().union(*[self.free(part) for part in live_children(term)])
            self._free[id(term)] = found
        return found

    def evaluates(self, term: Term) -> bool:
        """Whether an `eval` can run where the term does."""
        found = self._evaluates.get(id(term))
        if found is None:
            found = term.op == "eval" or any(self.evaluates(part) for part in live_children(term))
            self._evaluates[id(term)] = found
        return found

    def makes_functions(self, term: Term) -> bool:
        """Whether evaluating the term may make a function that outlives a step of a loop."""
        found = self._functions.get(id(term))
        if found is None:
            found = self._makes(term)
            self._functions[id(term)] = found
        return found

    def _makes(self, term: Term) -> bool:
        match term.op:
            case "lam":
                return True
            case "eval" if term.parts[0].op != "code_of":
                return True
            case "app" | "fold" if term.parts[0].op == "lam":
                called, *others = term.parts
                return self.makes_functions(called.parts[0]) or any(map(self.makes_functions, others))
            case _:
                return any(map(self.makes_functions, live_children(term)))

    def captured(self, term: Term, scope: Scope) -> int:
        """How many variables the closure of a `lam` is charged for."""
        if self.evaluates(term.parts[0]):
            return scope.distinct
        return sum(
            1 for name in self.free(term) if scope.find(name) is not None or name in scope.region.given
        )
