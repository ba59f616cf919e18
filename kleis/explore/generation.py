"""All equations between terms over some operations, up to a size: what `std.conjecture_equations` lists, as terms.

Canonical equations are made at once, without quoted terms in between. `tests/registry/explore/test_explore.py` holds
them against the tool; the two change together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kleis.explore.equations import Equation, Shape, Term, canonical, numbered, shape

__all__ = ["TooMany", "equations_up_to"]


class TooMany(Exception):
    """There are more equations, or more terms of one size, than asked for."""


def equations_up_to(
    operations: Mapping[str, int], size: int, variables: int, *, most: int
) -> Iterator[Equation]:
    """The canonical equations between terms of at most `size` symbols over so many variables, each once, no trivial ones.

    `operations` gives arities by name. Raises `TooMany` instead of the equation after the first `most`.
    """
    terms = _Terms(operations, variables, most)
    shapes: dict[Term, Shape] = {}
    given = 0
    for left_size, right_size in ((n, m) for n in range(1, size + 1) for m in range(1, n + 1)):
        for used, left in terms.of(left_size, 0):
            for _, right in terms.of(right_size, used):
                if right_size == left_size and not _is_canonical(left, right, shapes):
                    continue
                given += 1
                if given > most:
                    raise TooMany
                yield Equation(left, right)


def _is_canonical(left: Term, right: Term, shapes: dict[Term, Shape]) -> bool:
    """Whether two terms of one size, whose variables come in their order, stand as in the canonical equation, and differ.

    Mostly the shapes of the sides decide; they are kept in `shapes`.
    """
    for term in (left, right):
        if term not in shapes:
            shapes[term] = shape(numbered(term, term).left)
    if shapes[left] != shapes[right]:
        return shapes[left] < shapes[right]
    return left != right and canonical(left, right).right == right


class _Terms:
    """Terms by their size and by how many variables are in use before them: variables come in their order.

    Each comes with the number of variables in use after it. At most `most` are made for any one size.
    """

    def __init__(self, operations: Mapping[str, int], variables: int, most: int) -> None:
        self._operations = operations
        self._variables = variables
        self._most = most
        self._known: dict[tuple[int, int], list[tuple[int, Term]]] = {}

    def of(self, size: int, used: int) -> list[tuple[int, Term]]:
        """The terms of exactly this size."""
        known = self._known.get((size, used))
        if known is None:
            known = []
            for made in self._made(size, used):
                known.append(made)
                if len(known) > self._most:
                    raise TooMany
            self._known[size, used] = known
        return known

    def _made(self, size: int, used: int) -> Iterator[tuple[int, Term]]:
        if size == 1:
            for place in range(min(used + 1, self._variables)):
                yield max(used, place + 1), place
        for name, arity in self._operations.items():
            for after, arguments in self._arguments(arity, size - 1, used):
                yield after, (name, *arguments)

    def _arguments(self, arity: int, size: int, used: int) -> Iterator[tuple[int, tuple[Term, ...]]]:
        """So many terms of so many symbols together."""
        if arity == 0:
            if size == 0:
                yield used, ()
            return
        for first_size in range(max(1, size if arity == 1 else 1), size - arity + 2):
            for between, first in self.of(first_size, used):
                for after, rest in self._arguments(arity - 1, size - first_size, between):
                    yield after, (first, *rest)
