"""The lexicographic path ordering, unification and overlaps of terms: what convergence is decided with.

See docs/reference/certificates.md §3.5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kleis import core
from kleis.prover.checker.rules.equation_terms import Signature, Term, variables_in

__all__ = ["PathOrder", "applied", "below", "preorders", "primed", "unified"]


class PathOrder:
    """The ordering of a precedence, lowest first; `ranks` order variables, for one case."""

    def __init__(
        self, precedence: Mapping[str, int], ranks: Mapping[core.Variable, int] | None = None
    ) -> None:
        self._precedence = precedence
        self._ranks = ranks or {}
        self._known: dict[tuple[Term, Term], bool] = {}

    def greater(self, left: Term, right: Term) -> bool:
        """left > right in every instance (that orders its variables by the ranks)."""
        if isinstance(left, core.Variable):
            ranks = self._ranks
            if not isinstance(right, core.Variable) or left not in ranks or right not in ranks:
                return False
            return ranks[left] > ranks[right]
        key = (left, right)
        if key not in self._known:
            self._known[key] = self._greater(left, right)
        return self._known[key]

    def _greater(self, left: tuple[Any, ...], right: Term) -> bool:
        if any(part == right or self.greater(part, right) for part in left[1:]):
            return True
        if isinstance(right, core.Variable):
            return False
        if left[0] == right[0]:
            unequal = [at for at in range(1, len(left)) if left[at] != right[at]]
            if not unequal or not self.greater(left[unequal[0]], right[unequal[0]]):
                return False
        elif self._precedence[left[0]] < self._precedence[right[0]]:
            return False
        return all(self.greater(left, part) for part in right[1:])


def unified(signature: Signature, left: Term, right: Term) -> dict[core.Variable, Term] | None:
    """A most general substitution (triangular) that makes two terms equal."""
    values: dict[core.Variable, Term] = {}
    waiting = [(left, right)]
    while waiting:
        a, b = waiting.pop()
        a, b = _looked_up(a, values), _looked_up(b, values)
        if a == b:
            continue
        if isinstance(b, core.Variable) and not isinstance(a, core.Variable):
            a, b = b, a
        if isinstance(a, core.Variable):
            if a.sort != signature.sort(b) or a in variables_in(applied(b, values)):
                return None
            values[a] = b
        elif isinstance(b, core.Variable) or a[0] != b[0]:
            return None
        else:
            waiting.extend(zip(a[1:], b[1:], strict=True))
    return values


def _looked_up(term: Term, values: Mapping[core.Variable, Term]) -> Term:
    while isinstance(term, core.Variable) and term in values:
        term = values[term]
    return term


def applied(term: Term, values: Mapping[core.Variable, Term]) -> Term:
    """The term with variables replaced, again in what replaces them."""
    if isinstance(term, core.Variable):
        return applied(values[term], values) if term in values else term
    return (term[0], *[applied(each, values) for each in term[1:]])


def primed(term: Term) -> Term:
    """The term with other variables."""
    if isinstance(term, core.Variable):
        return core.Variable(f"'{term.name}", term.sort)
    return (term[0], *map(primed, term[1:]))


def below(term: Term) -> Iterator[tuple[tuple[int, ...], Term]]:
    """The subterms that are no variables, with their positions."""
    if isinstance(term, core.Variable):
        return
    yield (), term
    for index, part in enumerate(term[1:], start=1):
        for path, each in below(part):
            yield (index, *path), each


def preorders(variables: Sequence[core.Variable]) -> Iterator[list[list[core.Variable]]]:
    """The ways to order variables, those of one sort possibly equal."""
    if not variables:
        yield []
        return
    last = variables[-1]
    for classes in preorders(variables[:-1]):
        for at, group in enumerate(classes):
            if group[0].sort == last.sort:
                yield [*classes[:at], [*group, last], *classes[at + 1 :]]
        for at in range(len(classes) + 1):
            yield [*classes[:at], [last], *classes[at:]]
