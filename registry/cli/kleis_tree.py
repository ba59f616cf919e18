"""`kleis show --tree`: the abstract syntax of a program as an indented tree with places.

Every node is a line: the field it is in, its class, its plain fields, and ``line:column``.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from kleis.syntax.tree import Node, Program

__all__ = ["tree_lines"]


def tree_lines(program: Program) -> Iterator[str]:
    """The lines of the tree, one node each."""
    pending: list[tuple[int, str, Node]] = [(0, "", item) for item in reversed(program.items)]
    while pending:
        depth, label, node = pending.pop()
        yield "  " * depth + (f"{label}: " if label else "") + _headline(node)
        below = [(depth + 1, name, child) for name, child in _children(node)]
        pending.extend(reversed(below))


def _headline(node: Node) -> str:
    plain = [
        f"{name}={value!r}"
        for name, value in msgspec.structs.asdict(node).items()
        if isinstance(value, str | int | bool)
    ]
    span = getattr(node, "span", None)
    place = f"  @{span.line}:{span.column}" if span is not None and span.line else ""
    return " ".join([type(node).__name__, *plain]) + place


def _children(node: Node) -> Iterator[tuple[str, Node]]:
    for name, value in msgspec.structs.asdict(node).items():
        if isinstance(value, Node):
            yield name, value
        elif isinstance(value, tuple):
            for index, each in enumerate(value):
                if isinstance(each, Node):
                    yield f"{name}[{index}]", each
