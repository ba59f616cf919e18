"""The corpus without a server: listings, graphs, hashes, Lean text, and files that are not what they should be."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleis.corpus.answers import (
    Walk,
    keeps,
    merged_rows,
    near_files,
    original_rows,
    paper_audit,
    rows_in_file,
    search,
    walk_graph,
)
from kleis.corpus.edge_sources import source_view
from kleis.corpus.errors import CorpusError
from kleis.corpus.graph import Graph, Node, graph_of
from kleis.corpus.lean_source import read_lean, references
from kleis.corpus.reading import Corpus, Paper, find_corpus, freshness
from kleis.corpus.records import Card, Edge
from tests.support.files.shared_data import SHARED, needs_shared
from tests.support.files.small_corpus import LEAN, LEAN_FILE, NAMESPACE, small_corpus, write


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return Corpus(find_corpus(small_corpus(tmp_path), {}, Path("/")))


# ── places ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_corpus_is_found_from_above_below_and_the_environment(tmp_path: Path) -> None:
    root = small_corpus(tmp_path)
    for start in (root, tmp_path, root / "papers", root / "papers" / "turns", tmp_path / "formal" / "Small"):
        assert find_corpus(start, {}, Path("/")) == root.resolve()
    assert find_corpus(None, {"PIF_CORPUS": str(root)}, Path("/")) == root.resolve()
    assert find_corpus(None, {}, root / "papers") == root.resolve()
    with pytest.raises(CorpusError) as caught:
        find_corpus(Path("/proc"), {}, Path("/"))
    assert caught.value.code == "corpus_not_found"


@pytest.mark.parametrize(
    "name",
    [
        "../papers/turns",
        "..",
        ".",
        "...",
        "",
        "turns/..",
        "/etc",
        "turns/",
        "Turns",
        "tu\0rns",
        "x" * 200,
        "t\n",
    ],
)
def test_ids_cannot_leave_the_corpus(corpus: Corpus, name: str) -> None:
    with pytest.raises(CorpusError) as caught:
        corpus.paper(name)
    assert caught.value.code == "invalid_paper_id"


def test_links_cannot_leave_the_corpus(corpus: Corpus, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    write(outside / "theorem_cards.json", [{"lean_decl": "secret"}])
    os.symlink(outside, corpus.root / "papers" / "linked")
    os.symlink(outside / "theorem_cards.json", corpus.root / "papers" / "empty" / "link.json")
    cards = corpus.root / "papers" / "rings" / "theorem_cards.json"
    cards.unlink()
    os.symlink(outside / "theorem_cards.json", cards)
    for ask in (lambda: corpus.paper("linked"), lambda: corpus.paper("rings").cards):
        with pytest.raises(CorpusError) as caught:
            ask()
        assert caught.value.code == "malformed_artifact"
        assert "secret" not in str(caught.value)


def test_lean_files_lie_beside_the_corpus(corpus: Corpus, tmp_path: Path) -> None:
    assert corpus.lean_text(LEAN_FILE) == LEAN
    write(tmp_path.parent / "beyond.lean", "theorem x : True := trivial")
    for name in ("../beyond.lean", "/etc/passwd", str(tmp_path.parent / "beyond.lean"), "index.json", ""):
        assert corpus.lean_text(name) is None


def test_unknown_papers_have_near_names(corpus: Corpus) -> None:
    with pytest.raises(CorpusError) as caught:
        corpus.paper("turn")
    assert (caught.value.code, caught.value.nearest) == ("paper_not_found", ("turns",))


# ── files that are not what they should be ───────────────────────────────────────────────────────────────────

_BROKEN: list[tuple[str, str | bytes, Callable[[Paper], object]]] = [
    ("manifest.json", "{", lambda paper: paper.manifest),
    ("manifest.json", "[]", lambda paper: paper.manifest),
    ("manifest.json", b"\xff\xfe{}", lambda paper: paper.manifest),
    ("manifest.json", '{"declaration_index": "no list"}', lambda paper: paper.manifest),
    ("manifest.json", '{"dependency_graph": [{"from": 1, "to": "x"}]}', lambda paper: paper.manifest),
    ("manifest.json", "[" * 100_000, lambda paper: paper.manifest),
    ("theorem_cards.json", "{}", lambda paper: paper.cards),
    ("theorem_cards.json", "null", lambda paper: paper.cards),
    ("theorem_cards.json", "", lambda paper: paper.cards),
    ("theorem_cards.json", '[{"id": "no declaration"}]', lambda paper: paper.cards),
    ("theorem_cards.json", '[{"lean_decl": "x", "dependency_ids": "y"}]', lambda paper: paper.cards),
    ("theorem_cards.json", f"[{'9' * 5_000}]", lambda paper: paper.cards),
    ("claims.json", "[3]", lambda paper: paper.claims),
]


@pytest.mark.parametrize(("name", "content", "ask"), _BROKEN)
def test_a_malformed_file_is_never_an_empty_list(
    corpus: Corpus, name: str, content: str | bytes, ask: Callable[[Paper], object]
) -> None:
    path = corpus.root / "papers" / "turns" / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(CorpusError) as caught:
        ask(corpus.paper("turns"))
    assert caught.value.code == "malformed_artifact"
    assert caught.value.file == f"papers/turns/{name}"
    assert len(corpus.paper("rings").cards) == 3


@pytest.mark.parametrize("content", ["[" * 100_000, '{"a":' * 100_000, '["\\"[", ' + "[" * 100_000])
def test_nesting_is_bounded_whatever_the_recursion_limit_is(corpus: Corpus, content: str) -> None:
    """Evaluators raise the limit; a decoder that relies on it overflows the C stack then."""
    path = corpus.root / "papers" / "turns" / "manifest.json"
    path.write_text(content)
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(200_000)
    try:
        with pytest.raises(CorpusError, match="nests too deeply"):
            _ = corpus.paper("turns").manifest
    finally:
        sys.setrecursionlimit(before)


def test_brackets_in_strings_and_side_by_side_are_no_nesting(corpus: Corpus) -> None:
    path = corpus.root / "papers" / "turns" / "claims.json"
    path.write_text("[" + ", ".join(['{"id": "[[[{", "extra": [[], "\\"["]}'] * 900) + "]")
    assert len(corpus.paper("turns").claims) == 900


def test_a_directory_in_place_of_a_file(corpus: Corpus) -> None:
    path = corpus.root / "papers" / "turns" / "manifest.json"
    path.unlink()
    path.mkdir()
    with pytest.raises(CorpusError, match="not a regular file"):
        _ = corpus.paper("turns").manifest


def test_a_file_that_changed_is_read_again(corpus: Corpus) -> None:
    assert len(corpus.paper("turns").cards) == 5
    write(corpus.root / "papers" / "turns" / "theorem_cards.json", [])
    assert corpus.paper("turns").cards == ()


# ── listings ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_listings(corpus: Corpus) -> None:
    paper = corpus.paper("turns")
    rows = original_rows(paper).rows
    assert [row["source"] for row in rows] == ["manifest"] * 5 + ["theorem_cards"] * 5
    merged = merged_rows(paper).rows
    assert len(merged) == 5
    assert merged[0]["sources"] == ["manifest", "theorem_cards"]


def test_merging_tells_what_disagrees(corpus: Corpus) -> None:
    path = corpus.root / "papers" / "turns" / "theorem_cards.json"
    cards = json.loads(path.read_text())
    cards.append({**cards[0], "id": "turns_card_900", "proof_status": "disputed"})
    cards.append({**cards[0], "id": "turns_card_901", "lean_decl": "Small.extra"})
    write(path, cards)
    rows = merged_rows(corpus.paper("turns")).rows
    assert [row["lean_decl"] for row in rows][-1] == "Small.extra"
    assert rows[-1]["sources"] == ["theorem_cards"]
    assert rows[0]["card_ids"] == ["turns_card_001", "turns_card_900"]
    assert rows[0]["disagreement"] == ["proof_status"]


def test_odd_entries_of_the_index_are_passed_over_and_said(corpus: Corpus) -> None:
    path = corpus.root / "papers" / "turns" / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["declaration_index"] = ["a", 3, "a", None]
    write(path, manifest)
    listing = original_rows(corpus.paper("turns"))
    assert [row["lean_decl"] for row in listing.rows[:2]] == ["a", "a"]
    assert len(listing.problems) == 2


@pytest.mark.parametrize(
    ("path", "wanted", "mode", "kept"),
    [
        ("formal/A/Langmuir1918.lean", "n", "substring", True),
        ("formal/A/Langmuir1918.lean", "A\\Lang", "substring", True),
        ("formal/A/Langmuir1918.lean", "./formal", "substring", False),
        ("formal/A/Langmuir1918.lean", " ", "exact", True),
        ("formal/A/Langmuir1918.lean", "Langmuir1918.lean", "suffix", True),
        ("formal/A/Langmuir1918.lean", "muir1918.lean", "suffix", False),
        ("formal/A/Langmuir1918.lean", "./formal//A/Langmuir1918.lean", "exact", True),
        ("formal/A/Langmuir1918.lean", "A/Langmuir1918.lean", "exact", False),
    ],
)
def test_file_filters(path: str, wanted: str, mode: str, kept: bool) -> None:
    assert keeps(path, wanted, mode) is kept


def test_a_filter_that_is_wrong_only_in_case_is_answered_with_the_path(corpus: Corpus) -> None:
    listing = rows_in_file(corpus.paper("turns"), "./formal/small/turns.LEAN", "suffix", merge=False)
    assert listing.rows == ()
    assert listing.near == (LEAN_FILE,)
    assert near_files(["a/B.lean"], "c", "suffix") == []


# ── graphs ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_slices_cycles_and_unknown_ends(corpus: Corpus) -> None:
    rings = corpus.paper("rings")
    alone = walk_graph(corpus, rings, "Small.Rings.a", Walk("dependencies"))
    assert alone["cycles"] == [["rings_card_001", "rings_card_002"]]
    assert "turns_card_004" in alone["unknown_ends"]
    across = walk_graph(corpus, rings, "rings_card_001", Walk("dependencies", across_papers=True))
    assert across["unknown_ends"] == []
    order = across["topological_order"]
    assert order.index("turns_card_001") < order.index("turns_card_004") < order.index("rings_card_001")
    with pytest.raises(CorpusError) as caught:
        walk_graph(corpus, rings, "Small.Rings.d", Walk("both"))
    assert caught.value.code == "declaration_not_found"
    assert "Small.Rings.a" in caught.value.nearest


def test_impact_and_limits(corpus: Corpus) -> None:
    turns = corpus.paper("turns")
    found = walk_graph(corpus, turns, "turns_card_001", Walk("dependents"))
    assert found["impact"] == {"direct": 2, "all": 3}
    near = walk_graph(corpus, turns, "turns_card_001", Walk("dependents", depth=1))
    assert len(near["nodes"]) == 3
    cut = walk_graph(corpus, turns, "turns_card_001", Walk("dependents", max_nodes=2))
    assert (len(cut["nodes"]), cut["truncated"]) == (2, True)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    names = [f"n{number}" for number in range(draw(st.integers(1, 8)))]
    ends = st.sampled_from(names)
    edges = draw(
        st.lists(st.builds(Edge, ends, ends, st.sampled_from(["low", "medium", "high"])), max_size=20)
    )
    return Graph([Node(name, "p", Card(name, id=name)) for name in names], edges)


@given(graphs())
def test_the_order_puts_what_is_needed_first(graph: Graph) -> None:
    place = {name: number for number, name in enumerate(graph.order())}
    in_cycle = {name: number for number, group in enumerate(graph.cycles()) for name in group}
    assert sorted(place) == sorted(graph.nodes)
    for edge in graph.edges:
        same = edge.source in in_cycle and in_cycle.get(edge.target) == in_cycle[edge.source]
        assert same or place[edge.source] < place[edge.target]


@given(graphs(), st.data())
def test_closures_are_what_can_be_reached(graph: Graph, data: st.DataObject) -> None:
    start = data.draw(st.sampled_from(sorted(graph.nodes)))
    reached = {start}
    for _ in graph.nodes:
        reached |= {edge.target for edge in graph.edges if edge.source in reached}
    below = graph.closure([start], "dependents")
    assert set(below.distance) == reached
    up = {name for name in graph.nodes if start in graph.closure([name], "dependents").distance}
    assert set(graph.closure([start], "dependencies").distance) == up
    assert set(graph.closure([start], "both").distance) == reached | up


@given(graphs(), st.integers(1, 8), st.sampled_from(["dependencies", "dependents", "both"]))
def test_a_slice_is_closed_and_says_when_it_is_cut(graph: Graph, most: int, direction: str) -> None:
    whole = graph.slice(["n0"], direction)
    part = graph.slice(["n0"], direction, max_nodes=most)
    assert len(part.nodes) <= max(most, 1)
    assert part.truncated is (set(part.distance) != set(whole.distance))
    assert all({edge.source, edge.target} <= set(part.distance) for edge in part.edges)


def test_long_chains_and_large_cycles() -> None:
    """Work is linear: a quadratic walk would not come back."""
    names = [f"n{number}" for number in range(10_000)]
    nodes = [Node(name, "p", Card(name, id=name)) for name in names]
    chain = [Edge(*pair) for pair in pairwise(names)]
    graph = Graph(nodes, chain)
    assert graph.order() == tuple(names)
    assert graph.figures()["longest_chain"] == 10_000
    assert len(graph.closure(["n0"], "dependents").nodes) == 10_000
    ring = Graph(nodes, [*chain, Edge(names[-1], names[0])])
    assert [len(cycle) for cycle in ring.cycles()] == [10_000]


@pytest.mark.parametrize(
    "text",
    [
        "private\n",
        "@[simp]\n",
        "/-",
        '"',
        "theorem ",
        "theorem x :\n",
        "(",
        "namespace A\n",
        "open A\n",
        "«",
        "namespace A\ndef f := 0\n",
        "open A\ndef f := 0\n",
    ],
)
def test_long_lean_texts(text: str) -> None:
    found = read_lean(text * (60_000 // len(text)))
    assert len(found.declarations) <= 60_000 // len(text)


# ── hashes, text, search ─────────────────────────────────────────────────────────────────────────────────────


def test_freshness(corpus: Corpus) -> None:
    assert freshness(corpus.paper("turns")) == "fresh"
    claims = corpus.root / "papers" / "turns" / "claims.json"
    whole = claims.read_bytes()
    claims.write_bytes(whole.replace(b"What turn says.", b"What turn says!"))
    assert freshness(corpus.paper("turns")) == "stale"
    manifest = corpus.root / "papers" / "turns" / "manifest.json"
    manifest.write_text(
        manifest.read_text().replace('"build_hash_version": "2"', '"build_hash_version": "1"')
    )
    assert freshness(corpus.paper("turns")) == "unversioned"


def test_every_edge_has_the_basis_that_the_text_gives_it(corpus: Corpus) -> None:
    audit = paper_audit(corpus, corpus.paper("turns"))
    basis = {(row["from"][-1], row["to"][-1]): row for row in audit["edges"]}
    assert basis["1", "2"]["basis"] == "source"
    assert basis["2", "4"]["basis"] == "source"
    assert basis["1", "3"]["basis"] == "via_uncarded_definition"
    assert basis["1", "3"]["via"] == [f"{NAMESPACE}.quarter"]
    assert basis["5", "4"]["basis"] == "unsupported"
    assert audit["basis"] == {"source": 2, "via_uncarded_definition": 1, "unsupported": 1}
    assert audit["uncarded"] == [f"{NAMESPACE}.quarter"]
    assert audit["missing_edges"] == [{"from": "turns_card_001", "to": "turns_card_004", "basis": "source"}]
    assert paper_audit(corpus, corpus.paper("rings"))["absent_files"] == ["formal/Rings.lean"]


def test_a_missing_text_is_no_statement_about_an_edge(corpus: Corpus) -> None:
    paper = corpus.paper("rings")
    rows = source_view(corpus, paper).rows(graph_of([paper]).edges)
    assert {row["basis"] for row in rows} == {"no_source"}


def test_broken_links_are_found(corpus: Corpus) -> None:
    problems = paper_audit(corpus, corpus.paper("rings"))["problems"]
    assert problems == ["card rings_card_003: it depends on nowhere_card, which no card of the corpus is"]


def test_search(corpus: Corpus) -> None:
    names = [row["lean_decl"] for row in search(corpus, "turn LT")]
    assert names == [f"{NAMESPACE}.turn_lt", f"{NAMESPACE}.quarter_lt"]
    assert [row["paper_id"] for row in search(corpus, "around")] == ["rings"] * 3
    assert search(corpus, "turn nothing-like-it") == []
    assert len(search(corpus, "", [corpus.paper("rings")])) == 3


def test_lean_text() -> None:
    found = read_lean(
        "open A in\n@[simp] private theorem t' : x.y 1 = '}' := by\n  sorry\n"
        "namespace «odd name»\nmutual\ndef f : Nat := 0\nend\nend «odd name»\n"
        "instance : Inhabited P where\n  default := f\nstructure S where\n  a : Nat\n  deriving Repr\ntheorem _root_.u : f = 0 := rfl"
    )
    shown = [(each.name, each.kind, each.line, each.has_sorry) for each in found.declarations]
    assert shown == [
        ("t'", "theorem", 2, True),
        ("«odd name».f", "def", 6, False),
        ("", "instance", 9, False),
        ("S", "structure", 11, False),
        ("u", "theorem", 14, False),
    ]
    assert found.declarations[0].scope == ("A",)
    known = {"A.x.y": 0, "x.y": 0}
    assert references(found.declarations[0], known) == ("A.x.y",)


@given(st.text(alphabet=st.sampled_from("/-\"'«» \n:=@[]theorm.dfxn⟨(|")), st.integers(0, 400))
def test_any_text_is_read(text: str, cut: int) -> None:
    for found in (read_lean(text), read_lean(LEAN[:cut] + text)):
        for each in found.declarations:
            assert 1 <= each.line <= each.end_line


# ── the published corpus ─────────────────────────────────────────────────────────────────────────────────────

_PUBLISHED = {
    # cards, edges, longest chain, isolated, high, medium
    "chem_dilution_reference": (2, 0, 1, 2, 0, 0),
    "freundlich_1906_adsorption": (12, 10, 2, 1, 10, 0),
    "langmuir_1918_adsorption": (20, 17, 3, 2, 15, 2),
    "math_sum_evens": (1, 0, 1, 1, 0, 0),
    "physics_kinematics_uniform": (15, 12, 9, 1, 0, 12),
    "stress_approx_asymptotic_2024": (0, 0, 0, 0, 0, 0),
    "stress_units_dimensional_2024": (0, 0, 0, 0, 0, 0),
    "temkin_1941_adsorption": (12, 11, 3, 0, 10, 1),
}


@needs_shared
def test_the_published_figures() -> None:
    corpus = Corpus(SHARED / "scientific-memory")
    found = {}
    for paper in corpus.papers():
        figures = graph_of([paper]).figures()
        high, medium = (figures["confidence"].get(word, 0) for word in ("high", "medium"))
        found[paper.id] = (
            figures["cards"], figures["edges"], figures["longest_chain"], len(figures["isolated"]), high, medium
        )  # fmt: skip
        assert figures["cycles"] == figures["unknown_ends"] == []
        assert freshness(paper) == "fresh_crlf"
        assert len(original_rows(paper).rows) == 2 * len(merged_rows(paper).rows) == 2 * figures["cards"]
    assert found == _PUBLISHED
