"""A small corpus: two papers with Lean text, an edge of each basis, a cycle, and an edge to a missing declaration."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kleis.corpus.reading import HASHED_FILES, build_hash

NAMESPACE = "Small.Turns"
LEAN_FILE = "formal/Small/Turns.lean"

LEAN = """\
import Mathlib

namespace Small.Turns

/-- A quarter turn; /- nested -/ theorem not_this : False -/
def quarter (n : ℕ) : ℕ := (n + 1) % 4

def turn (n : ℕ) : ℕ := quarter n

theorem turn_lt (n : ℕ) : turn n < 4 := by
  unfold turn quarter
  omega

theorem quarter_lt (n : ℕ) : quarter n < 4 := by
  unfold quarter
  omega

theorem turn_le (n : ℕ) : turn n ≤ 3 := by
  have h := turn_lt n
  omega

theorem lonely : "theorem in a string" ≠ "" := by decide

end Small.Turns
"""

TURNS = [
    # short name, dependency ids (by number), status
    ("turn", [], "machine_checked"),
    ("turn_lt", [1], "machine_checked"),
    ("quarter_lt", [1], "machine_checked"),
    ("turn_le", [2, 5], "compiles_with_sorries"),
    ("lonely", [], "machine_checked"),
]


def card(paper: str, number: int, name: str, needed: list[str], status: str, file: str) -> dict[str, Any]:
    return {
        "id": f"{paper}_card_{number:03}",
        "claim_id": f"{paper}_claim_{number:03}",
        "lean_decl": name,
        "file_path": file,
        "proof_status": status,
        "verification_boundary": "fully_machine_checked",
        "reviewer_status": "unreviewed",
        "dependency_ids": needed,
        "executable_links": [],
        "dependency_extraction_method": "by_hand",
    }


def claim(paper: str, number: int, text: str) -> dict[str, Any]:
    place = {"page": 1, "offset": 0}
    return {
        "id": f"{paper}_claim_{number:03}",
        "paper_id": paper,
        "section": "1",
        "source_span": {"source_file": "source/source.pdf", "start": place, "end": place},
        "informal_text": text,
        "claim_type": "theorem",
        "status": "machine_checked",
        "value_kind": "foundational_law",
    }


def write(path: Path, data: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(data if isinstance(data, str) else json.dumps(data, indent=2) + "\n", encoding="utf-8")


def write_paper(root: Path, paper: str, cards: list[dict[str, Any]], claims: list[dict[str, Any]]) -> Path:
    """A paper whose hash is true; the graph is that of the cards, all edges high."""
    folder = root / "papers" / paper
    sha = "0" * 64
    write(folder / "metadata.json", {"id": paper, "title": f"On {paper}", "source": {"sha256": sha}})
    mapping = {each["claim_id"]: each["lean_decl"].rpartition(".")[2] for each in cards}
    write(folder / "claims.json", claims)
    write(folder / "assumptions.json", [])
    write(folder / "symbols.json", [])
    write(folder / "mapping.json", {"paper_id": paper, "namespace": NAMESPACE, "claim_to_decl": mapping})
    write(folder / "theorem_cards.json", cards)
    index = [each["lean_decl"] for each in cards]
    edges = [
        {"from": needed, "to": each["id"], "confidence": "high"}
        for each in cards
        for needed in each["dependency_ids"]
    ]
    files = {name: (folder / name).read_bytes() for name in HASHED_FILES}
    digest = build_hash(paper, files, cards, source_sha256=sha, kernels=[], declarations=index)
    manifest = {
        "paper_id": paper,
        "version": "0.1.0",
        "build_hash": digest,
        "build_hash_version": "2",
        "coverage_metrics": {},
        "generated_pages": [],
        "declaration_index": index,
        "dependency_graph": edges,
        "kernel_index": [],
    }
    write(folder / "manifest.json", manifest)
    return folder


def small_corpus(folder: Path) -> Path:
    """Write it; returns the directory to give as the corpus."""
    root = folder / "corpus"
    write(folder / LEAN_FILE, LEAN)
    turns = [
        card("turns", place, f"{NAMESPACE}.{name}", [f"turns_card_{n:03}" for n in needed], status, LEAN_FILE)
        for place, (name, needed, status) in enumerate(TURNS, 1)
    ]
    write_paper(
        root,
        "turns",
        turns,
        [claim("turns", n, f"What {name} says.") for n, (name, *_) in enumerate(TURNS, 1)],
    )
    rings = [
        card(
            "rings", 1, "Small.Rings.a", ["rings_card_002", "turns_card_004"], "mapped", "formal/Rings.lean"
        ),
        card("rings", 2, "Small.Rings.b", ["rings_card_001"], "mapped", "formal/Rings.lean"),
        card("rings", 3, "Small.Rings.c", ["nowhere_card"], "mapped", "formal/Rings.lean"),
    ]
    write_paper(root, "rings", rings, [claim("rings", n, "Around and around.") for n in (1, 2, 3)])
    write_paper(root, "empty", [], [])
    write(
        root / "index.json",
        {
            "version": "0.1",
            "papers": [
                {"id": name, "title": f"On {name}", "year": 2026, "domain": "mathematics"}
                for name in ("turns", "rings", "empty")
            ],
        },
    )
    write(root / "kernels.json", [])
    return root
