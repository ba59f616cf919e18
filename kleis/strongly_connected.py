"""Strongly connected components of a graph: of data types, definitions, and whatever else refers to its kind."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

__all__ = ["components"]

Key = TypeVar("Key", bound=Hashable)


def components(edges: Mapping[Key, Iterable[Key]], *, as_found: bool = False) -> tuple[tuple[Key, ...], ...]:
    """The components of a graph: a component comes after all that it leads to (Tarjan 1972, without recursion).

    Within a component, and between components that do not depend on each other, the order of `edges` decides; with
    `as_found` the members of a component are in the order in which the search found them.  Targets that are no keys are
    left out.
    """
    order = {key: index for index, key in enumerate(edges)}
    number: dict[Key, int] = {}
    lowest: dict[Key, int] = {}
    stack: list[Key] = []
    on_stack: set[Key] = set()
    found: list[tuple[Key, ...]] = []
    for root in edges:
        if root in number:
            continue
        work = [(root, iter(list(edges[root])))]
        number[root] = lowest[root] = len(number)
        stack.append(root)
        on_stack.add(root)
        while work:
            key, targets = work[-1]
            target = next((each for each in targets if each in order and _open(each, number, on_stack)), None)
            if target is None:
                work.pop()
                if work:
                    above = work[-1][0]
                    lowest[above] = min(lowest[above], lowest[key])
                if lowest[key] == number[key]:
                    component = _cut(stack, on_stack, key)
                    found.append(component if as_found else tuple(sorted(component, key=order.__getitem__)))
            elif target in number:
                lowest[key] = min(lowest[key], number[target])
            else:
                number[target] = lowest[target] = len(number)
                stack.append(target)
                on_stack.add(target)
                work.append((target, iter(list(edges[target]))))
    return tuple(found)


def _open(key: Key, number: Mapping[Key, int], on_stack: set[Key]) -> bool:
    """Whether a target is not visited yet, or its component is not complete."""
    return key not in number or key in on_stack


def _cut(stack: list[Key], on_stack: set[Key], key: Key) -> tuple[Key, ...]:
    """Take a complete component from the stack."""
    component = [stack.pop()]
    while component[-1] != key:
        component.append(stack.pop())
    on_stack.difference_update(component)
    return tuple(reversed(component))
