"""Plain terms for the checks of completion: reading from JSON, matching, unification, orderings.

Written apart from `shared_terms` on purpose: the checks use no code of the search.

A term is a tuple ``(function name, argument, …)``, a variable a text ``"x0 : G"``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from kleis.core.sort_printing import sort_text
from kleis.prover.engines.completion.unit_equations import Unit
from kleis.prover.engines.first_order_terms import (
    FALSE,
    TRUE,
    Function,
    Literal,
    Term,
    Variable,
    functions_of,
)

__all__ = [
    "MalformedError",
    "PathOrder",
    "Plain",
    "Signature",
    "applied",
    "below",
    "matched",
    "primed",
    "put",
    "unified",
    "variables_in",
]

Plain: TypeAlias = "tuple[Any, ...] | str"


class MalformedError(Exception):
    """The data is not what it should be."""


class Signature:
    """The functions of some units by name: argument sorts and result, as texts."""

    def __init__(self, units: Iterable[Unit]) -> None:
        literals = [Literal(True, each.left, each.right) for each in units]
        found = functions_of(*literals)
        self._functions = {each.name: each for each in (*found, TRUE.function, FALSE.function)}
        if len(self._functions) != len({*found, TRUE.function, FALSE.function}):
            raise MalformedError
        sorts = {sort for each in self._functions.values() for sort in (*each.domain, each.codomain)}
        sorts.update(each.left.sort for each in literals)
        inhabited = {each.codomain for each in self._functions.values() if not each.domain}
        for sort in sorts - inhabited:
            name = f"?any {sort_text(sort)}"
            self._functions[name] = Function(name, (), sort)

    @property
    def names(self) -> frozenset[str]:
        """The names of all functions, with a constant ``?any G`` for every sort without one."""
        return frozenset(self._functions)

    def of_sort(self, sort: str) -> list[Function]:
        """The functions with values in a sort."""
        return [each for each in self._functions.values() if sort_text(each.codomain) == sort]

    @property
    def sorts(self) -> frozenset[str]:
        """All sorts, as texts."""
        return frozenset(sort_text(each.codomain) for each in self._functions.values())

    def sort(self, term: Plain) -> str:
        """The sort of a term."""
        if isinstance(term, str):
            return term.split(" : ", 1)[1]
        return sort_text(self._functions[term[0]].codomain)

    def read(self, value: Any) -> Plain:
        """A well-sorted term from JSON values."""
        if isinstance(value, str) and " : " in value and self.sort(value) in self.sorts:
            return value
        if not isinstance(value, list | tuple) or not value or value[0] not in self._functions:
            raise MalformedError
        function = self._functions[value[0]]
        arguments = tuple(self.read(each) for each in value[1:])
        if tuple(map(self.sort, arguments)) != tuple(map(sort_text, function.domain)):
            raise MalformedError
        return (function.name, *arguments)

    def plain(self, term: Term) -> Plain:
        """A first-order term as a plain one."""
        if isinstance(term, Variable):
            return f"{term.name} : {sort_text(term.sort)}"
        return (term.function.name, *map(self.plain, term.arguments))


def variables_in(*terms: Plain) -> list[str]:
    """The variables of terms, in order of occurrence."""
    found: dict[str, None] = {}
    waiting = list(reversed(terms))
    while waiting:
        term = waiting.pop()
        if isinstance(term, str):
            found.setdefault(term)
        else:
            waiting.extend(reversed(term[1:]))
    return list(found)


def primed(term: Plain) -> Plain:
    """The term with other variables."""
    return f"'{term}" if isinstance(term, str) else (term[0], *map(primed, term[1:]))


def applied(term: Plain, values: Mapping[str, Plain]) -> Plain:
    """The term with variables replaced, again in what replaces them."""
    if isinstance(term, str):
        return applied(values[term], values) if term in values else term
    return (term[0], *[applied(each, values) for each in term[1:]])


def below(term: Plain) -> Iterator[tuple[tuple[int, ...], Plain]]:
    """The subterms that are no variables, with their positions."""
    if isinstance(term, str):
        return
    yield (), term
    for index, part in enumerate(term[1:], start=1):
        for path, each in below(part):
            yield (index, *path), each


def put(term: Plain, path: tuple[int, ...], part: Plain) -> Plain:
    """The term with another subterm at a position."""
    if not path or isinstance(term, str):
        return part
    return (*term[: path[0]], put(term[path[0]], path[1:], part), *term[path[0] + 1 :])


def matched(
    signature: Signature, pairs: Iterable[tuple[Plain, Plain]], values: dict[str, Plain] | None = None
) -> dict[str, Plain] | None:
    """The values of variables that make every first term the second one."""
    values = {} if values is None else values
    waiting = list(pairs)
    while waiting:
        pattern, term = waiting.pop()
        if isinstance(pattern, str):
            if signature.sort(pattern) != signature.sort(term) or values.setdefault(pattern, term) != term:
                return None
        elif isinstance(term, str) or pattern[0] != term[0]:
            return None
        else:
            waiting.extend(zip(pattern[1:], term[1:], strict=True))
    return values


def unified(signature: Signature, left: Plain, right: Plain) -> dict[str, Plain] | None:
    """A most general substitution (triangular) that makes two terms equal."""
    values: dict[str, Plain] = {}
    waiting = [(left, right)]
    while waiting:
        a, b = waiting.pop()
        a, b = _looked_up(a, values), _looked_up(b, values)
        if a == b:
            continue
        if isinstance(b, str) and not isinstance(a, str):
            a, b = b, a
        if isinstance(a, str):
            if signature.sort(a) != signature.sort(b) or a in variables_in(applied(b, values)):
                return None
            values[a] = b
        elif isinstance(b, str) or a[0] != b[0]:
            return None
        else:
            waiting.extend(zip(a[1:], b[1:], strict=True))
    return values


def _looked_up(term: Plain, values: Mapping[str, Plain]) -> Plain:
    while isinstance(term, str) and term in values:
        term = values[term]
    return term


class PathOrder:
    """The lexicographic path ordering of a precedence, lowest first; `ranks` order variables, for one case."""

    def __init__(self, precedence: Mapping[str, int], ranks: Mapping[str, int] | None = None) -> None:
        self._precedence = precedence
        self._ranks = ranks or {}
        self._known: dict[tuple[Plain, Plain], bool] = {}

    def greater(self, left: Plain, right: Plain) -> bool:
        """left > right in every instance (that orders its variables by the ranks)."""
        if isinstance(left, str):
            ranks = self._ranks
            known = isinstance(right, str) and left in ranks and right in ranks
            return known and ranks[left] > ranks[str(right)]
        key = (left, right)
        if key not in self._known:
            self._known[key] = self._greater(left, right)
        return self._known[key]

    def _greater(self, left: tuple[Any, ...], right: Plain) -> bool:
        if any(part == right or self.greater(part, right) for part in left[1:]):
            return True
        if isinstance(right, str):
            return False
        if left[0] == right[0]:
            unequal = [at for at in range(1, len(left)) if left[at] != right[at]]
            if not unequal or not self.greater(left[unequal[0]], right[unequal[0]]):
                return False
        elif self._precedence[left[0]] < self._precedence[right[0]]:
            return False
        return all(self.greater(left, part) for part in right[1:])
