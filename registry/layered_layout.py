"""Where the boxes of a drawing stand: layers by `fast-sugiyama`, components packed beside and below each other.

The library aborts the process where a graph has a cycle, so that what it is given has none: an edge that closes one is turned round.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

__all__ = ["MOST", "Box", "placed"]

MOST = 1_500
"""Nodes with arrows that are laid out in layers: about a second. Beyond, boxes stand in rows as they come."""

_ACROSS, _DOWN = 28.0, 56.0
"""Pixels between boxes, and between layers."""

_ROW = 1_400.0
"""Pixels after which the next component stands below."""

Box = tuple[float, float]
"""Width and height, or the corner of a box."""


def placed(sizes: Mapping[str, Box], edges: Iterable[tuple[str, str]]) -> tuple[dict[str, Box], Box]:
    """The corner of each box, and the size of the whole. The same graph gives the same places."""
    arrows = list(dict.fromkeys((source, target) for source, target in edges if source != target))
    connected = {end for arrow in arrows for end in arrow}
    blocks: list[tuple[dict[str, Box], Box]] = []
    if 0 < len(connected) <= MOST:
        blocks = [_component(layers, sizes) for layers in _layers(_acyclic(arrows), sizes)]
    else:
        connected = set()
    blocks += [({name: (0.0, 0.0)}, sizes[name]) for name in sizes if name not in connected]
    return _packed(blocks)


def _acyclic(arrows: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The arrows with those turned round that close a cycle: each goes forward in one order of all nodes."""
    after: dict[str, list[str]] = {}
    for source, target in arrows:
        after.setdefault(source, []).append(target)
        after.setdefault(target, [])
    place = {name: index for index, name in enumerate(_finished_last_first(after))}
    forward = (each if place[each[0]] < place[each[1]] else each[::-1] for each in arrows)
    return list(dict.fromkeys(forward))


def _finished_last_first(after: Mapping[str, Sequence[str]]) -> list[str]:
    """The nodes in reverse order of leaving a walk in depth: topological where there is no cycle."""
    seen: set[str] = set()
    left: list[str] = []
    for root in reversed(list(after)):
        walk = [] if root in seen else [(root, iter(after[root]))]
        seen.add(root)
        while walk:
            name, targets = walk[-1]
            follow = next((target for target in targets if target not in seen), None)
            if follow is None:
                left.append(name)
                walk.pop()
            else:
                seen.add(follow)
                walk.append((follow, iter(after[follow])))
    return left[::-1]


def _layers(
    arrows: Sequence[tuple[str, str]], sizes: Mapping[str, Box]
) -> list[list[list[tuple[float, str]]]]:
    """The layers of each component from its sources down; each box with the middle that the library gives it."""
    from fast_sugiyama import from_edges

    number = {
        name: place for place, name in enumerate(dict.fromkeys(end for arrow in arrows for end in arrow))
    }
    names = list(number)
    spacing = sum(sizes[name][0] for name in names) / len(names) + _ACROSS
    found = from_edges(
        [(number[source], number[target]) for source, target in arrows],
        minimum_length=1,
        vertex_spacing=spacing,
        dummy_vertices=True,
        crossing_minimization="median",
    )
    components = []
    for positions, *_ in found:
        rows: dict[float, list[tuple[float, str]]] = {}
        for each, (x, y) in positions:
            if each < len(names):  # the others are bends of long arrows
                rows.setdefault(y, []).append((x, names[each]))
        ranked = [sorted(rows[y], key=lambda one: (one[0], number[one[1]])) for y in sorted(rows)]
        components.append(_sources_first(ranked, arrows))
    return sorted(components, key=lambda rows: min(number[name] for row in rows for _, name in row))


def _sources_first(
    rows: list[list[tuple[float, str]]], arrows: Sequence[tuple[str, str]]
) -> list[list[tuple[float, str]]]:
    """The layers with arrows going down, whichever way the library's axis goes."""
    rank = {name: place for place, row in enumerate(rows) for _, name in row}
    down = sum(1 if rank[a] < rank[b] else -1 for a, b in arrows if a in rank and b in rank)
    return rows if down >= 0 else rows[::-1]


def _component(
    rows: Sequence[Sequence[tuple[float, str]]], sizes: Mapping[str, Box]
) -> tuple[dict[str, Box], Box]:
    """Corners within one component: as near to the given middles as boxes of their widths can stand."""
    corners: dict[str, Box] = {}
    y = 0.0
    for row in rows:
        right = float("-inf")
        for middle, name in row:
            width, _ = sizes[name]
            x = max(middle - width / 2, right + _ACROSS)
            corners[name] = (x, y)
            right = x + width
        y += max(sizes[name][1] for _, name in row) + _DOWN
    least = min(x for x, _ in corners.values())
    moved = {name: (x - least, y) for name, (x, y) in corners.items()}
    return moved, (max(x + sizes[name][0] for name, (x, _) in moved.items()), y - _DOWN)


def _packed(blocks: Iterable[tuple[dict[str, Box], Box]]) -> tuple[dict[str, Box], Box]:
    """Blocks one beside the other, in rows."""
    corners: dict[str, Box] = {}
    x = y = height = whole = 0.0
    for block, (block_width, block_height) in blocks:
        if x and x + block_width > _ROW:
            x, y, height = 0.0, y + height + _DOWN, 0.0
        corners.update((name, (left + x, top + y)) for name, (left, top) in block.items())
        x += block_width + _ACROSS
        height = max(height, block_height)
        whole = max(whole, x - _ACROSS)
    return corners, (whole, y + height)
