"""`kleis graph`: a theory, or a paper of a corpus, as Mermaid text, SVG, PNG, DOT or a page (docs/reference/corpus.md §8).

A theory: its structures, data types and definitions; an arrow goes from what is used to what uses it.  A paper: its
cards, an arrow from what is needed to what needs it; a dashed one is not sure.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Literal

import click

from kleis.corpus.graph import Graph, graph_of
from kleis.corpus.reading import Corpus, find_corpus
from kleis.errors import KleisError
from kleis.syntax import tree
from kleis.syntax.tree.traversal import walk
from kleis.theory.theory import Theory
from registry.cli.kleis.shared.loading import load, make_loader
from registry.cli.kleis.shared.reports import print_rejection
from registry.cli.terminal.pictures import form_of, written
from registry.cli.terminal.screen import Screen, json_text
from registry.diagrams import Drawing, Edge, Node
from registry.errors import RegistryError

__all__ = ["corpus_drawing", "draw", "theory_drawing"]

Form = Literal["mermaid", "svg", "png", "dot", "html"]


def draw(
    subject: str,
    corpus: Path | None,
    path: tuple[Path, ...],
    asked: Form | None,
    output: Path | None,
    *,
    as_json: bool,
) -> int:
    """Draw and print or write, in the form that is asked for, or that the file's name says; the exit status."""
    form = asked or (form_of(output) if output is not None else None) or "mermaid"
    if form == "png" and output is None:
        raise click.UsageError("a PNG is written to a file: add --output FILE.png")
    text = ""
    try:
        if corpus is not None:
            drawing = corpus_drawing(Corpus(find_corpus(corpus, os.environ, Path.cwd())), subject)
        else:
            loading = load(make_loader(path), subject)
            text = loading.main.text
            if loading.errors:
                raise loading.errors[0]
            drawing = theory_drawing(loading.theory, loading.main.name)
    except KleisError as error:
        print_rejection(error, text, as_json=as_json)
        return 1
    try:
        drawn = written(drawing, form)
    except RegistryError as error:
        raise click.UsageError(f"{error.message}: {error.hint}") from error
    answer: dict[str, Any] = {"nodes": len(drawing.nodes), "edges": len(drawing.edges), "form": form}
    if output is not None:
        try:
            output.write_bytes(drawn)
        except OSError as error:
            raise click.UsageError(f"{output} cannot be written: {error.strerror}") from error
        answer["path"] = str(output)
    else:
        answer["text"] = drawn.decode()
    out = Screen().out
    if as_json:
        out.write(json_text(answer) + "\n")
    elif output is None:
        out.write(drawn.decode())
    else:
        out.write(f"{output}: {answer['nodes']} nodes, {answer['edges']} arrows\n")
    return 0


def theory_drawing(theory: Theory, file: str) -> Drawing:
    """What a file declares, with what it uses of other files drawn faint.

    A member's name counts for its structure where only one structure has it.
    """
    declared: dict[str, tuple[Any, str]] = {}
    owners: dict[str, set[str]] = {}
    for entry in theory.entries:
        node = entry.declaration
        if isinstance(node, tree.Structure | tree.DataDefinition | tree.FunctionDefinition):
            declared[node.name] = (node, entry.file)
            for member in _members(node):
                owners.setdefault(member, set()).add(node.name)
    homes = {member: next(iter(found)) for member, found in owners.items() if len(found) == 1}
    homes |= {name: name for name in declared}
    edges: dict[Edge, None] = {}
    for entry in theory.entries:
        node = entry.declaration
        if entry.file == file and isinstance(
            node, tree.Structure | tree.DataDefinition | tree.FunctionDefinition | tree.Implements
        ):
            edges.update(dict.fromkeys(_arrows(node, homes, declared)))
    ends = {end for edge in edges for end in (edge.source, edge.target)}
    nodes = tuple(
        Node(name, _label(node), "faint" if home != file else _kind(node))
        for name, (node, home) in declared.items()
        if home == file or name in ends
    )
    return Drawing(nodes, tuple(edges), Path(file).name)


def _arrows(node: Any, homes: Mapping[str, str], declared: Collection[str]) -> list[Edge]:
    """The arrows to a declaration from what it mentions; its own members are its own."""
    own = {node.name, *_members(node)}
    used = [homes[name] for name in _used(node) if name in homes and name not in own]
    return [Edge(home, node.name) for home in used if home != node.name and node.name in declared]


def _members(node: Any) -> list[str]:
    """The names that a declaration brings with it."""
    if isinstance(node, tree.DataDefinition):
        return [variant.name for variant in node.variants]
    if isinstance(node, tree.Structure):
        return [member.name for member in node.members if hasattr(member, "name")]
    return []


def _used(node: Any) -> list[str]:
    """Every name that a declaration mentions, in the order of the text."""
    found = (getattr(each, "name", None) for each in walk(node))
    return list(dict.fromkeys(name for name in found if isinstance(name, str)))


def _kind(node: Any) -> Literal["plain", "strong", "round"]:
    if isinstance(node, tree.Structure):
        return "strong"
    return "round" if isinstance(node, tree.DataDefinition) else "plain"


def _label(node: Any) -> str:
    if isinstance(node, tree.Structure):
        axioms = sum(1 for member in node.members if type(member).__name__ == "Axiom")
        return f"structure {node.name}" + (f"\n{axioms} axioms" if axioms else "")
    if isinstance(node, tree.DataDefinition):
        return f"data {node.name}"
    return str(node.name)


def corpus_drawing(corpus: Corpus, subject: str) -> Drawing:
    """A paper's cards, or with an empty subject all papers and what they need of each other."""
    if not subject:
        return _papers_drawing(corpus, graph_of(corpus.papers()))
    paper = corpus.paper(subject)
    graph = graph_of([paper])
    nodes = []
    for node in graph.nodes.values():
        if node.card is None:
            nodes.append(Node(node.id, node.id, "faint"))
            continue
        proved = node.card.proof_status in ("machine_checked", "linked_to_kernel")
        label = f"{node.card.lean_decl.rpartition('.')[2]}\n{node.card.proof_status}"
        nodes.append(Node(node.id, label, "strong" if proved else "plain"))
    edges = tuple(
        Edge(each.source, each.target, style="solid" if each.confidence == "high" else "dashed")
        for each in graph.edges
    )
    return Drawing(tuple(nodes), edges, paper.metadata.title or paper.id)


def _papers_drawing(corpus: Corpus, graph: Graph) -> Drawing:
    counts: dict[tuple[str, str], int] = {}
    for each in graph.edges:
        source, target = graph.nodes[each.source].paper_id, graph.nodes[each.target].paper_id
        if source and target and source != target:
            counts[source, target] = counts.get((source, target), 0) + 1
    nodes = tuple(
        Node(entry.id, f"{entry.id}\n{len(corpus.paper(entry.id).cards)} cards") for entry in corpus.index()
    )
    edges = tuple(Edge(source, target, str(count)) for (source, target), count in counts.items())
    return Drawing(nodes, edges, "corpus")
