"""Which tools use which, as data and as a drawing (`registry.diagrams`).

An arrow leads from a tool to what its code names. A name that a run computes is not seen; a name that is no tool stays
visible as missing. Circles are allowed: tools may call each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from pif.analysis.facts import facts_of
from registry.diagrams import Drawing
from registry.diagrams import Edge as Arrow
from registry.diagrams import Kind as Look
from registry.diagrams import Node as Box
from registry.errors import RegistryError
from registry.records import LIBRARY_PREFIX, parse_reference
from registry.store.protocol import Store
from registry.tools.snapshot_tools import SnapshotTools
from registry.workspace.dependants import users_of

__all__ = ["MOST_TOOLS", "Edge", "Graph", "Node", "drawing_of", "graph_of"]

MOST_TOOLS = 500
"""Tools in one graph; beyond that it says that it was cut."""

Kind = Literal["tool", "version", "library", "missing"]


class Node(msgspec.Struct, frozen=True, order=True):
    """A tool of the home, a version of one that is not current, a tool of the library, or a name that is no tool."""

    name: str
    kind: Kind


class Edge(msgspec.Struct, frozen=True, order=True, rename={"user": "from", "used": "to"}):
    """`user` names `used` in its code."""

    user: str
    used: str


class Graph(msgspec.Struct, frozen=True):
    """Nodes and edges, each by code point; `cut` where there were more tools."""

    tools: tuple[Node, ...]
    edges: tuple[Edge, ...]
    cut: bool = False


def graph_of(names: Sequence[str], store: Store, tools: SnapshotTools, *, library: bool = False) -> Graph:
    """The tools named, all they use and all that use them; without names all of the home.

    Tools of the library are left out unless `library` or one is among the names.
    """
    library = library or any(name.startswith(LIBRARY_PREFIX) for name in names)
    chosen = [*names] if names else [*tools.snapshot.names()]
    for name in names:
        chosen += [user.record.name for user in users_of(name, store, tools)]
    nodes: dict[str, Node] = {}
    edges: set[Edge] = set()
    waiting = [*reversed(dict.fromkeys(chosen))]
    while waiting and len(nodes) < MOST_TOOLS:
        name = waiting.pop()
        if name in nodes:
            continue
        nodes[name] = Node(name, _kind(name, tools))
        tool = tools.tool(name)
        for text in facts_of(tool.term).tools if tool else ():
            used = _resolved(text, tools)
            if library or not used.startswith(LIBRARY_PREFIX):
                edges.add(Edge(name, used))
                waiting.append(used)
    kept = {edge for edge in edges if edge.user in nodes and edge.used in nodes}
    cut = any(name not in nodes for name in waiting)
    return Graph(tuple(sorted(nodes.values())), tuple(sorted(kept)), cut)


def _resolved(text: str, tools: SnapshotTools) -> str:
    """The node of a name that stands in code: a tool's name, or `name@version` where that is not the current one."""
    record = tools.find(text)
    if record is None:
        return text
    current = tools.find(record.name)
    return record.name if current is not None and current.version == record.version else record.reference


def _kind(name: str, tools: SnapshotTools) -> Kind:
    record = tools.find(name)
    if record is None:
        return "missing"
    if record.name.startswith(LIBRARY_PREFIX):
        return "library"
    try:
        return "tool" if parse_reference(name).version is None else "version"
    except RegistryError:
        return "missing"


_LOOKS: dict[Kind, tuple[Look, str]] = {
    "tool": ("plain", ""),
    "version": ("faint", ""),
    "library": ("round", ""),
    "missing": ("faint", " (missing)"),
}


def drawing_of(graph: Graph) -> Drawing:
    """The graph as it is drawn: tools of the library are round, what is missing or not current is faint."""
    nodes = []
    for node in graph.tools:
        look, said = _LOOKS[node.kind]
        nodes.append(
            Box(node.name, f"{node.name if len(node.name) <= 60 else node.name[:59] + '…'}{said}", look)
        )
    return Drawing(tuple(nodes), tuple(Arrow(edge.user, edge.used) for edge in graph.edges))
