"""`kleis publish` and `kleis graph`: what is written is what the corpus's own tools read."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kleis.corpus.answers import Walk, merged_rows, paper_audit, walk_graph
from kleis.corpus.errors import CorpusError
from kleis.corpus.publishing import Publication, Statement, paper_files, paper_id_of
from kleis.corpus.reading import Corpus, freshness
from kleis.corpus.write_paper import corpus_for, write_paper
from registry.cli.kleis import main
from tests.support.files.small_corpus import small_corpus

THEORY = """
structure Semilattice(S) {
    operation (⊓) : S × S → S
    axiom assoc : ∀(x y z : S). (x ⊓ y) ⊓ z = x ⊓ (y ⊓ z)
    axiom comm : ∀(x y : S). x ⊓ y = y ⊓ x
    axiom idem : ∀(x : S). x ⊓ x = x
}
define twice(n : ℤ) : ℤ = n + n
example "laws" {
    assert(∀(x y : S). x ⊓ (x ⊓ y) = x ⊓ y)
    assert(∀(x y : S). x ⊓ y = x)
}
"""


@pytest.fixture(scope="module")
def shared_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a saved theory; its verdicts serve all tests of this file."""
    found = tmp_path_factory.mktemp("home")
    (found / "theories").mkdir()
    (found / "theories" / "Semi Lattice.kleis").write_text(THEORY)
    return found


@pytest.fixture
def home(shared_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PIF_HOME", str(shared_home))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(list(arguments))
    out, err = capsys.readouterr()
    return status, out, err


def test_a_saved_theory_becomes_a_paper(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(
        capsys,
        "publish",
        "Semi Lattice",
        "--corpus",
        "shelf",
        "--claim",
        "2 + 2 = 4",
        "--year",
        "2026",
        "--json",
    )
    assert status == 0
    answer = json.loads(out)
    assert (answer["paper_id"], answer["verified"], answer["disproved"]) == ("semi_lattice", 2, 1)
    corpus = Corpus(home / "shelf")
    paper = corpus.paper("semi_lattice")
    assert freshness(paper) == "fresh"
    rows = {row["lean_decl"].rpartition(".")[2]: row for row in merged_rows(paper).rows}
    assert rows["assoc"]["proof_status"] == "mapped"
    assert rows["twice"]["proof_status"] == "parsed"
    checked = [row for row in rows.values() if row["proof_status"] == "machine_checked"]
    assert len(checked) == 2
    assert {row["verification_boundary"] for row in checked} == {"machine_checked_plus_axioms"}
    assert [row["proof_status"] for row in rows.values()].count("disputed") == 1
    assert all(set(row["sources"]) == {"manifest", "theorem_cards"} for row in rows.values())
    audit = paper_audit(corpus, paper)
    assert audit["problems"] == []
    assert audit["graph"]["cycles"] == audit["graph"]["unknown_ends"] == []
    assert audit["lean_files"] == ["formal/Kleis/SemiLattice.lean"]


def test_the_graph_is_that_of_the_cores(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "publish", "Semi Lattice", "--corpus", "shelf")[0] == 0
    corpus = Corpus(home / "shelf")
    paper = corpus.paper("semi_lattice")
    law = next(card for card in paper.cards if card.proof_status == "machine_checked")
    used = walk_graph(corpus, paper, law.lean_decl, Walk("dependencies"))
    names = {node["lean_decl"].rpartition(".")[2] for node in used["nodes"] if node["distance"] == 1}
    assert names == {"assoc", "idem"}, "commutativity is not needed"
    assert paper.manifest.dependency_graph is not None
    ends = {edge.target for edge in paper.manifest.dependency_graph}
    assert ends == {law.id}, "what was disproved rests on nothing"
    claim = next(
        each
        for each in json.loads((home / "shelf/papers/semi_lattice/claims.json").read_text())
        if each["id"] == law.claim_id
    )
    assert len(claim["linked_assumptions"]) == 2


def test_publishing_again(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "publish", "Semi Lattice", "--corpus", "shelf")[0] == 0
    manifest = home / "shelf/papers/semi_lattice/manifest.json"
    before = manifest.read_bytes()
    status, _, err = run(capsys, "publish", "Semi Lattice", "--corpus", "shelf")
    assert status == 1
    assert "already" in err
    assert run(capsys, "publish", "Semi Lattice", "--corpus", "shelf", "--overwrite")[0] == 0
    assert manifest.read_bytes() == before, "the same theory gives the same paper"
    assert run(capsys, "publish", "Semi Lattice", "--corpus", "shelf", "--id", "again")[0] == 0
    assert Corpus(home / "shelf").paper_ids() == ["again", "semi_lattice"]


def test_other_papers_stay_as_they_are(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = small_corpus(home)
    before = {path: path.read_bytes() for path in root.rglob("*.json") if path.name != "index.json"}
    assert run(capsys, "publish", "Semi Lattice", "--corpus", str(home))[0] == 0
    assert {path: path.read_bytes() for path in before} == before
    assert Corpus(root).paper_ids() == ["empty", "rings", "semi_lattice", "turns"]
    assert not [path for path in (root / "papers").iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("Semi Latice",), 2, "Did you mean Semi Lattice?"),
        (("../theories/x",), 2, "no saved theory"),
        (("Semi Lattice", "--domain", "cooking"), 1, "no domain"),
        (("Semi Lattice", "--year", "12"), 1, "year"),
        (("Semi Lattice", "--id", "../up"), 1, "no id"),
        (("Semi Lattice", "--claim", "x ⊓"), 1, "error"),
        (("clash.kleis",), 1, "inconsistent"),
        (("nothing.kleis",), 1, "nothing that could be a claim"),
    ],
)
def test_refusals_write_nothing(
    home: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], status: int, words: str
) -> None:
    (home / "clash.kleis").write_text(
        "structure W { element w : ℤ\n axiom light : w < 1\n axiom heavy : w > 1 }\n"
        'example "x" { assert(w = w) }\n'
    )
    (home / "nothing.kleis").write_text("// nothing\n")
    found, _, err = run(capsys, "publish", *arguments, "--corpus", "shelf")
    assert found == status
    assert words in " ".join(err.split())
    assert not (home / "shelf").exists()


def test_a_place_that_cannot_be_written(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "file").write_text("")
    status, _, err = run(capsys, "publish", "Semi Lattice", "--corpus", "file/shelf")
    assert status == 1
    assert "cannot be written" in err


def test_a_directory_with_other_things_is_no_corpus(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(CorpusError, match="not empty"):
        corpus_for(tmp_path)


def test_a_malformed_index_is_found_before_anything_is_written(tmp_path: Path) -> None:
    root = small_corpus(tmp_path)
    (root / "index.json").write_text("[]")
    with pytest.raises(CorpusError, match="malformed"):
        write_paper(root, {"id": "new"}, {"metadata.json": b"{}"}, {})
    assert not (root / "papers" / "new").exists()


def test_ids_from_names() -> None:
    assert paper_id_of("Group Theory (2nd)") == "group_theory_2nd"
    assert paper_id_of("a-b.c_d") == "a-b.c_d"
    with pytest.raises(CorpusError):
        paper_id_of("群")


def test_files_agree_with_each_other() -> None:
    statements = (
        Statement("S::a", "axiom", "x = x", 2, "N.S.a", "formal/N.lean"),
        Statement("p", "proposition", "1 = 1", 5, "N.p", "formal/N.lean"),
    )
    publication = Publication(
        paper_id="p", title="P", authors=("A",), year=2026, domain="mathematics", source="text\n",
        namespace="N", target_file="formal/N.lean", statements=statements,
    )  # fmt: skip
    files = paper_files(publication)
    cards = json.loads(files["theorem_cards.json"])
    claims = json.loads(files["claims.json"])
    assert [card["claim_id"] for card in cards] == [claim["id"] for claim in claims]
    assert json.loads(files["mapping.json"])["claim_to_decl"] == {"p_claim_001": "S.a", "p_claim_002": "p"}
    assert cards[1]["proof_status"] == "stubbed", "without a verdict nothing is claimed"
    assert json.loads(files["manifest.json"])["coverage_metrics"]["machine_checked_count"] == 0


def test_drawing_a_theory_and_a_corpus(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "trees.kleis").write_text(
        "data Tree = Leaf | Fork(left : Tree, right : Tree)\n"
        "define size(t : Tree) : ℤ = match t { Leaf => 0 | Fork(l, r) => size(l) + size(r) + 1 }\n"
        "define big(t : Tree) : Bool = size(t) > 9\n"
    )
    status, out, _ = run(capsys, "graph", "trees.kleis")
    assert status == 0
    lines = [line.strip() for line in out.splitlines()]
    assert lines[4:] == [
        'n0(["data Tree"])',
        'n1["size"]',
        'n2["big"]',
        "n0 --> n1",
        "n0 --> n2",
        "n1 --> n2",
    ]
    (home / "two.kleis").write_text(
        "structure A(X) { operation f : X → X\n axiom a : ∀(x : X). f(x) = x }\n"
        "structure B(Y) { operation f : Y → Y\n axiom b : ∀(y : Y). f(f(y)) = y }\n"
        "structure C(Z) extends B(Z) { axiom c : ∀(z : Z). f(z) = z }\n"
    )
    status, out, _ = run(capsys, "graph", "two.kleis")
    assert [line.strip() for line in out.splitlines() if "-->" in line] == ["n1 --> n2"], (
        "B has an f of its own"
    )
    root = small_corpus(home)
    status, out, _ = run(capsys, "graph", "turns", "--corpus", str(root))
    assert out.count(" --> ") == 4
    status, out, _ = run(capsys, "graph", "--corpus", str(root), "--json")
    assert json.loads(out)["nodes"] == 3
    status, out, _ = run(capsys, "graph", "--corpus", str(root), "--svg", "--output", "all.svg")
    assert ElementTree.parse(home / "all.svg").getroot().tag.endswith("svg")
    assert run(capsys, "graph")[0] == 2
    status, _, err = run(capsys, "graph", "turn", "--corpus", str(root))
    assert status == 1
    assert "did you mean turns" in err
