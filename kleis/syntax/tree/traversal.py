"""Walking trees without recursion."""

from __future__ import annotations

from collections.abc import Iterator

from kleis.syntax.tree.expressions import Node

__all__ = ["children", "walk"]


def children(node: Node) -> Iterator[Node]:
    """The nodes directly below a node, in the order they are written."""
    for field in node.__struct_fields__:
        value = getattr(node, field)
        if isinstance(value, Node):
            yield value
        elif isinstance(value, tuple):
            for part in value:
                if isinstance(part, Node):
                    yield part


def walk(*roots: Node) -> Iterator[Node]:
    """The nodes and everything below them, each before what is below it."""
    waiting = list(reversed(roots))
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(list(children(node))))
