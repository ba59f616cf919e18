"""Nodes that do the work of two or three plain ones in the ordinary case, and leave every other case to those.

A shortcut takes the charges of the nodes it stands for at once. Where anything is out of the ordinary (little fuel,
little depth, an unexpected kind) it gives them back and evaluates the plain node: the result, the fuel and the error
are the plain node's, because nothing has happened yet. Traced code has no shortcuts, so the property that tracing
changes nothing holds the two together.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from pif.language.values import Value
from pif.reference.control import Literal, Variable, Variable0, Variable1, Variable2
from pif.reference.machine import Env, Machine, Node, One, Two
from pif.reference.scalars import SMALL

__all__ = ["shortcut"]

_PARTS = {"fst": 0, "snd": 1}
_WITH_LITERAL: dict[str, Callable[[int, int], Value]] = {
    "add": operator.add,
    "sub": operator.sub,
    "lt": operator.lt,
    "lte": operator.le,
    "gt": operator.gt,
    "gte": operator.ge,
}


class PartOfVariable(Node):
    """`fst` or `snd` of a name."""

    __slots__ = ("hops", "part", "plain")

    def __init__(self, plain: Node, hops: int, part: int) -> None:
        self.plain = plain
        self.hops = hops
        self.part = part
        plain.parent, plain.steps = self, ()

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        at = env
        hops = self.hops
        while hops:
            at = at[1]
            hops -= 1
        pair = at[0]
        run.fuel = fuel = run.fuel - 2
        if fuel < 0 or depth < 1 or type(pair) is not tuple or len(pair) != 2:
            run.fuel = fuel + 2
            return self.plain.ev(env, depth, run)
        return pair[self.part]


class VariableWithLiteral(Node):
    """A sum, difference or comparison of a name and a small integer."""

    __slots__ = ("hops", "literal", "operation", "plain")

    def __init__(self, plain: Node, hops: int, literal: int, operation: Callable[[int, int], Value]) -> None:
        self.plain = plain
        self.hops = hops
        self.literal = literal
        self.operation = operation
        plain.parent, plain.steps = self, ()

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        at = env
        hops = self.hops
        while hops:
            at = at[1]
            hops -= 1
        value = at[0]
        run.fuel = fuel = run.fuel - 3
        if fuel < 0 or depth < 1 or type(value) is not int or not -SMALL < value < SMALL:
            run.fuel = fuel + 3
            return self.plain.ev(env, depth, run)
        return self.operation(value, self.literal)


def shortcut(op: str, plain: One | Two) -> Node:
    """The node to evaluate for `plain`: a shortcut where one fits, else itself."""
    if isinstance(plain, One):
        hops = _hops(plain.operand)
        return plain if hops is None or op not in _PARTS else PartOfVariable(plain, hops, _PARTS[op])
    hops = _hops(plain.left)
    right = plain.right
    if hops is None or op not in _WITH_LITERAL or not isinstance(right, Literal):
        return plain
    literal = right.value
    if type(literal) is not int or not -SMALL < literal < SMALL:
        return plain
    return VariableWithLiteral(plain, hops, literal, _WITH_LITERAL[op])


def _hops(node: Node) -> int | None:
    """How many steps out a name stands, or None where the node is no name in the chain."""
    match node:
        case Variable0():
            return 0
        case Variable1():
            return 1
        case Variable2():
            return 2
        case Variable():
            return node.hops
        case _:
            return None
