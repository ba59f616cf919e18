"""Terms of completion: shared nodes, unification, and the lexicographic path ordering.

Invariants
    * A `Bank` makes every term once: equal terms are one object, so `is` decides equality and nodes are dictionary keys.
    * `Ordering` is total on ground terms, stable under substitution and compatible with contexts.  Given an order of
      variables, it says what holds of the instances in which the variables are ordered so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = [
    "SHIFT",
    "Bank",
    "Node",
    "Ordering",
    "instance",
    "positions",
    "summands_of",
    "unified",
    "variables_of",
]

SHIFT = 1_000
"""The offset of the variables of a renamed copy from the original's."""


class Node:
    """A term: a function at its arguments (`head` is its number), or a variable (`head` is negative)."""

    __slots__ = ("arguments", "ground", "head", "number", "size", "sort")

    def __init__(self, head: int, arguments: tuple[Node, ...], sort: int, number: int) -> None:
        self.head: int = head
        self.arguments = arguments
        self.sort = sort
        self.number = number
        self.size: int = 1 + sum(each.size for each in arguments)
        self.ground: bool = head >= 0 and all(each.ground for each in arguments)


class Bank:
    """All terms of one search.  `sorts` gives the sort of every function's values."""

    def __init__(self, sorts: Sequence[int]) -> None:
        self._sorts = sorts
        self._made: dict[tuple[int, tuple[Node, ...]], Node] = {}
        self._variables: dict[tuple[int, int], Node] = {}
        self._count = 0

    def variable(self, index: int, sort: int) -> Node:
        """A variable; head −1 − index."""
        known = self._variables.get((index, sort))
        if known is None:
            known = self._variables[index, sort] = Node(-1 - index, (), sort, self._next())
        return known

    def apply(self, head: int, arguments: tuple[Node, ...]) -> Node:
        """A function at its arguments."""
        key = (head, arguments)
        known = self._made.get(key)
        if known is None:
            known = self._made[key] = Node(head, arguments, self._sorts[head], self._next())
        return known

    def renamed(self, terms: Sequence[Node], offset: int = 0) -> tuple[Node, ...]:
        """The terms with their variables numbered from `offset` by first occurrence."""
        values: dict[Node, Node] = {}
        for term in terms:
            for each in variables_of(term):
                if each not in values:
                    values[each] = self.variable(offset + len(values), each.sort)
        return tuple(self._with(term, values) for term in terms)

    def _with(self, term: Node, values: Mapping[Node, Node]) -> Node:
        if term.ground:
            return term
        if term.head < 0:
            return values[term]
        return self.apply(term.head, tuple([self._with(each, values) for each in term.arguments]))

    def replaced(self, term: Node, path: tuple[int, ...], part: Node) -> Node:
        """The term with the subterm at a position replaced."""
        if not path:
            return part
        arguments = list(term.arguments)
        arguments[path[0]] = self.replaced(arguments[path[0]], path[1:], part)
        return self.apply(term.head, tuple(arguments))

    def _next(self) -> int:
        self._count += 1
        return self._count


def variables_of(term: Node) -> dict[Node, None]:
    """The variables of a term, in order of occurrence."""
    found: dict[Node, None] = {}
    waiting = [term]
    while waiting:
        each = waiting.pop()
        if each.head < 0:
            found.setdefault(each)
        elif not each.ground:
            waiting.extend(reversed(each.arguments))
    return found


def positions(term: Node) -> list[tuple[tuple[int, ...], Node]]:
    """The subterms that are no variables, each with its position."""
    found: list[tuple[tuple[int, ...], Node]] = []
    waiting: list[tuple[tuple[int, ...], Node]] = [((), term)]
    while waiting:
        path, each = waiting.pop()
        if each.head >= 0:
            found.append((path, each))
            waiting.extend(((*path, index), part) for index, part in enumerate(each.arguments))
    return found


def summands_of(term: Node) -> list[Node]:
    """The arguments of a call, those of calls of the same function taken apart as well; in no order that means anything."""
    found: list[Node] = []
    waiting = list(term.arguments)
    while waiting:
        each = waiting.pop()
        if each.head == term.head:
            waiting.extend(each.arguments)
        else:
            found.append(each)
    return found


def instance(bank: Bank, term: Node, values: Mapping[Node, Node]) -> Node:
    """The term with variables replaced, again in what replaces them."""
    if term.ground:
        return term
    if term.head < 0:
        value = values.get(term)
        return term if value is None or value is term else instance(bank, value, values)
    return bank.apply(term.head, tuple([instance(bank, each, values) for each in term.arguments]))


def unified(left: Node, right: Node) -> dict[Node, Node] | None:
    """A most general substitution (triangular) that makes two terms equal."""
    values: dict[Node, Node] = {}
    waiting = [(left, right)]
    while waiting:
        a, b = waiting.pop()
        while a.head < 0 and a in values:
            a = values[a]
        while b.head < 0 and b in values:
            b = values[b]
        if a is b:
            continue
        if a.head < 0 or b.head < 0:
            if a.head >= 0:
                a, b = b, a
            if a.sort != b.sort or _occurs(a, b, values):
                return None
            values[a] = b
        elif a.head != b.head:
            return None
        else:
            waiting.extend(zip(a.arguments, b.arguments, strict=True))
    return values


def _occurs(variable: Node, term: Node, values: Mapping[Node, Node]) -> bool:
    waiting = [term]
    while waiting:
        each = waiting.pop()
        if each.head < 0:
            if each is variable:
                return True
            value = values.get(each)
            if value is not None:
                waiting.append(value)
        elif not each.ground:
            waiting.extend(each.arguments)
    return False


class Ordering:
    """The lexicographic path ordering of a precedence: `ranks` of the functions, all different.

    `order` gives ranks of variables; the result then holds of every instance with variables ordered so.
    """

    def __init__(self, ranks: Sequence[int], order: Mapping[Node, int] | None = None) -> None:
        self._ranks = ranks
        self._order = order or {}
        self._known: dict[tuple[Node, Node], bool] = {}

    def greater(self, left: Node, right: Node) -> bool:
        """Whether the left term is greater than the right one."""
        if left is right:
            return False
        if left.head < 0:
            order = self._order
            return right.head < 0 and left in order and right in order and order[left] > order[right]
        key = (left, right)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._greater(left, right)
        return known

    def _greater(self, left: Node, right: Node) -> bool:
        if right.head < 0 or self._ranks[left.head] < self._ranks[right.head]:
            return self._reached(left.arguments, right)
        if left.head != right.head:
            # A part that is at least the right term exceeds its arguments, so nothing else has to be tried.
            return self._above(left, right.arguments)
        for index, (a, b) in enumerate(zip(left.arguments, right.arguments, strict=True)):
            if a is not b:
                if self.greater(a, b):
                    return self._above(left, right.arguments[index + 1 :])
                # Earlier parts are parts of the right term, and one that is at least it exceeds `b`.
                return self._reached(left.arguments[index + 1 :], right)
        return False

    def _reached(self, parts: tuple[Node, ...], right: Node) -> bool:
        """Whether some part is the right term or greater."""
        return any(part is right or self.greater(part, right) for part in parts)

    def _above(self, left: Node, parts: tuple[Node, ...]) -> bool:
        """Whether the left term is greater than each part."""
        return all(self.greater(left, part) for part in parts)
