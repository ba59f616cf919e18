"""Walking trees without recursion, and rebuilding them one level at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import msgspec

from kleis.syntax.tree.expressions import Node

__all__ = ["children", "rebuild", "walk"]

_Node = TypeVar("_Node", bound=Node)


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


def rebuild(node: _Node, change: Callable[[Node], Node]) -> _Node:
    """The node with `change` applied to the nodes directly below it; the same object if none changed."""
    changes: dict[str, object] = {}
    for field in node.__struct_fields__:
        value = getattr(node, field)
        replaced = _replaced(value, change)
        if replaced is not value:
            changes[field] = replaced
    return msgspec.structs.replace(node, **changes) if changes else node


def _replaced(value: Any, change: Callable[[Node], Node]) -> Any:
    """The value of a field with the nodes in it changed; the same object if none changed."""
    if isinstance(value, Node):
        return change(value)
    if not isinstance(value, tuple):
        return value
    parts = tuple(_replaced(each, change) for each in value)
    return parts if any(new is not old for new, old in zip(parts, value, strict=True)) else value
