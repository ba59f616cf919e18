"""The dependency graph: slices, closures, topological order, cycles.  See docs/reference/corpus.md §3.

Nodes are cards, by id.  An edge leads from a card to one that depends on it, as in the manifest; dependencies that only
the cards name are edges too.  An end without a card is a node of its own, marked ``unknown``.

Invariants
    * A walk visits a node once, nearest first; `distance` is the length of the shortest path.
    * `truncated` says whether `max_nodes` left nodes out; both ends of each edge of a slice are in it.
    * `order` is topological.  Members of a cycle stand together, and the cycle is in `cycles`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from kleis.corpus.reading import Paper
from kleis.corpus.records import Card, Edge
from kleis.strongly_connected import components

__all__ = ["CONFIDENCES", "Direction", "Graph", "Node", "Slice", "graph_of"]

Direction: TypeAlias = Literal["dependencies", "dependents", "both"]

CONFIDENCES = ("low", "medium", "high")
"""How sure an edge is, from the least."""


class Node(msgspec.Struct, frozen=True):
    """A card in the graph; `card` is None where an edge ends in an id that no card has."""

    id: str
    paper_id: str
    card: Card | None

    def row(self) -> dict[str, Any]:
        """The node as a slice shows it."""
        if self.card is None:
            return {"card_id": self.id, "unknown": True}
        return {
            "card_id": self.id,
            "lean_decl": self.card.lean_decl,
            "paper_id": self.paper_id,
            "file_path": self.card.file_path,
            "proof_status": self.card.proof_status,
        }


class Slice(msgspec.Struct, frozen=True):
    """A part of the graph around some nodes; `relation` says on which side of them a node stands."""

    nodes: tuple[Node, ...]
    distance: Mapping[str, int]
    relation: Mapping[str, str]
    edges: tuple[Edge, ...]
    order: tuple[str, ...]
    cycles: tuple[tuple[str, ...], ...]
    truncated: bool

    def as_dict(self) -> dict[str, Any]:
        """The slice as JSON values."""
        nodes = [
            {**node.row(), "distance": self.distance[node.id], "relation": self.relation[node.id]}
            for node in self.nodes
        ]
        return {
            "nodes": nodes,
            "edges": [edge_row(edge) for edge in self.edges],
            "topological_order": list(self.order),
            "cycles": [list(cycle) for cycle in self.cycles],
            "unknown_ends": [node.id for node in self.nodes if node.card is None],
            "truncated": self.truncated,
        }


def edge_row(edge: Edge) -> dict[str, Any]:
    """An edge as the manifest writes it."""
    row: dict[str, Any] = {"from": edge.source, "to": edge.target}
    return row | ({"confidence": edge.confidence} if edge.confidence else {})


class Graph:
    """The cards of some papers and the edges between them."""

    def __init__(self, nodes: Iterable[Node], edges: Iterable[Edge]) -> None:
        self.nodes: dict[str, Node] = {}
        for node in nodes:
            self.nodes.setdefault(node.id, node)
        kept: dict[tuple[str, str], Edge] = {}
        for edge in edges:
            kept.setdefault((edge.source, edge.target), edge)
        self.edges = tuple(kept.values())
        for edge in self.edges:
            for end in (edge.source, edge.target):
                self.nodes.setdefault(end, Node(end, "", None))

    def find(self, name: str) -> list[str]:
        """The nodes that a card's id or a declaration's name means."""
        if name in self.nodes and self.nodes[name].card is not None:
            return [name]
        return [node.id for node in self.nodes.values() if node.card and node.card.lean_decl == name]

    def names(self) -> list[str]:
        """All names and ids that `find` knows."""
        cards = [node for node in self.nodes.values() if node.card is not None]
        return [*(node.card.lean_decl for node in cards if node.card), *(node.id for node in cards)]

    def slice(
        self,
        starts: Sequence[str],
        direction: Direction = "dependencies",
        *,
        depth: int = 0,
        max_nodes: int = 200,
        min_confidence: str = "",
    ) -> Slice:
        """What `starts` need, what needs them, or both; `depth` 0 has no limit."""
        edges = [edge for edge in self.edges if _sure_enough(edge, min_confidence)]
        distance: dict[str, int] = {}
        relation: dict[str, str] = {}
        truncated = False
        for side, word in (("dependencies", "dependency"), ("dependents", "dependent")):
            if direction in (side, "both"):
                near = _neighbours(edges, back=side == "dependencies")
                found, cut = _walk(near, starts, depth, max_nodes, distance)
                truncated = truncated or cut
                for name, steps in found.items():
                    relation.setdefault(name, "self" if steps == 0 else word)
                    distance[name] = min(steps, distance.get(name, steps))
        inside = tuple(edge for edge in edges if edge.source in distance and edge.target in distance)
        groups = _components(distance, inside)
        return Slice(
            nodes=tuple(self.nodes[name] for name in sorted(distance, key=lambda each: distance[each])),
            distance=distance,
            relation=relation,
            edges=inside,
            order=tuple(name for group in groups for name in group),
            cycles=_cycles(groups, inside),
            truncated=truncated,
        )

    def closure(self, starts: Sequence[str], direction: Direction) -> Slice:
        """Everything that `starts` depend on, or that depends on them."""
        return self.slice(starts, direction, max_nodes=len(self.nodes))

    def order(self) -> tuple[str, ...]:
        """All nodes, what is needed first."""
        return tuple(name for group in _components(self.nodes, self.edges) for name in group)

    def cycles(self) -> tuple[tuple[str, ...], ...]:
        """The cycles: sets of nodes that all need each other."""
        return _cycles(_components(self.nodes, self.edges), self.edges)

    def figures(self) -> dict[str, Any]:
        """Figures of the whole graph: sizes, the longest chain in cards, cards without an edge."""
        ends = {end for edge in self.edges for end in (edge.source, edge.target)}
        cards = [node.id for node in self.nodes.values() if node.card is not None]
        confidence = {
            word: sum(1 for edge in self.edges if edge.confidence == word) for word in reversed(CONFIDENCES)
        }
        return {
            "cards": len(cards),
            "edges": len(self.edges),
            "confidence": {word: count for word, count in confidence.items() if count},
            "longest_chain": self._longest_chain(),
            "isolated": [name for name in cards if name not in ends],
            "cycles": [list(cycle) for cycle in self.cycles()],
            "unknown_ends": [node.id for node in self.nodes.values() if node.card is None],
        }

    def _longest_chain(self) -> int:
        """The number of cards on the longest path; a cycle counts with all its members."""
        groups = _components(self.nodes, self.edges)
        home = {name: place for place, group in enumerate(groups) for name in group}
        length = [len(group) for group in groups]
        before = _neighbours(self.edges, back=True)
        for place, group in enumerate(groups):
            needed = {home[each] for name in group for each in before.get(name, ())} - {place}
            length[place] += max((length[each] for each in needed), default=0)
        return max(length, default=0)


def _sure_enough(edge: Edge, least: str) -> bool:
    """Whether an edge has at least this confidence; one without a known confidence has the least."""
    rank = CONFIDENCES.index(edge.confidence) if edge.confidence in CONFIDENCES else 0
    return least not in CONFIDENCES or rank >= CONFIDENCES.index(least)


def _neighbours(edges: Iterable[Edge], *, back: bool) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for edge in edges:
        near, far = (edge.target, edge.source) if back else (edge.source, edge.target)
        found.setdefault(near, []).append(far)
    return found


def _walk(
    near: Mapping[str, Sequence[str]], starts: Sequence[str], depth: int, limit: int, known: Mapping[str, int]
) -> tuple[dict[str, int], bool]:
    """Distances from `starts`, nearest first, and whether nodes were left out for `limit`.

    The limit is for these nodes and the `known` ones together.
    """
    distance = dict.fromkeys(starts, 0)
    count = len(known) or len(distance)
    cut = False
    waiting = list(distance)
    for name in waiting:
        if depth and distance[name] >= depth:
            continue
        for other in near.get(name, ()):
            if other in distance:
                continue
            if other not in known and count >= limit:
                cut = True
                continue
            count += other not in known
            distance[other] = distance[name] + 1
            waiting.append(other)
    return distance, cut


def _components(names: Iterable[str], edges: Iterable[Edge]) -> tuple[tuple[str, ...], ...]:
    """The strongly connected components, what is needed first."""
    needs = _neighbours(edges, back=True)
    return components({name: needs.get(name, ()) for name in names}, as_found=True)


def _cycles(groups: Iterable[tuple[str, ...]], edges: Iterable[Edge]) -> tuple[tuple[str, ...], ...]:
    """The components that are cycles: of several nodes, or of one that needs itself."""
    loops = {edge.source for edge in edges if edge.source == edge.target}
    return tuple(group for group in groups if len(group) > 1 or group[0] in loops)


def graph_of(papers: Iterable[Paper]) -> Graph:
    """The graph of some papers: the manifests' edges, then those that only the cards name."""
    nodes: list[Node] = []
    edges: list[Edge] = []
    for paper in papers:
        nodes += [Node(card.id, paper.id, card) for card in paper.cards if card.id]
        edges += paper.manifest.dependency_graph or ()
        edges += [Edge(needed, card.id) for card in paper.cards if card.id for needed in card.dependency_ids]
    return Graph(nodes, edges)
