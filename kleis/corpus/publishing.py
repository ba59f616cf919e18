"""A theory as the files of a paper: claims, assumptions, cards, mapping, manifest.  Pure.

Each declaration of the theory becomes a claim, in the order of the file:

==============  ============  ================================================================================
declaration     claim         card
==============  ============  ================================================================================
axiom           definition    ``mapped``, ``human_review_only``: an assumption
definition,     definition    ``parsed``, ``schema_valid_only``
data type
proposition     theorem       ``machine_checked`` if verified, never ``fully``: the machine is a prover, no
                              kernel; ``disputed`` if disproved, else ``stubbed``
==============  ============  ================================================================================

An edge leads from an axiom to a proposition whose proof used it: the graph is that of the proofs' cores, and
``dependency_extraction_method`` says so.  Notes name the engine.

Invariant: the files of one publication agree with each other and with the build hash, and are the same for the same
theory and verdicts.  See docs/reference/corpus.md §7.2.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from kleis.corpus.errors import CorpusError
from kleis.corpus.reading import HASH_VERSION, HASHED_FILES, PAPER_ID, build_hash
from kleis.prover.protocol.verdict import Verdict

__all__ = [
    "DOMAINS",
    "Publication",
    "Statement",
    "check_heading",
    "index_entry",
    "json_file",
    "paper_files",
    "paper_id_of",
]

StatementKind: TypeAlias = Literal["axiom", "definition", "data", "proposition"]

DOMAINS = ("chemistry", "mathematics", "physics", "probability", "control", "quantum_information", "other")
"""What a paper may be about."""

METHOD = "kleis_proof_core"
SOURCE = "source/theory.kleis"
_FIRST_YEAR, _LAST_YEAR = 1500, 3000


class Statement(msgspec.Struct, frozen=True):
    """A declaration or proposition: its Kleis name and text, where it stands, and what was found about it."""

    name: str
    kind: StatementKind
    text: str
    line: int
    declaration: str
    file_path: str
    verdict: Verdict | None = None

    @property
    def core(self) -> tuple[str, ...]:
        """The axioms that its proof used."""
        return self.verdict.core if self.verdict is not None and self.verdict.status == "verified" else ()


class Publication(msgspec.Struct, frozen=True, kw_only=True):
    """A paper to publish."""

    paper_id: str
    title: str
    authors: tuple[str, ...]
    year: int
    domain: str
    source: str
    namespace: str
    target_file: str
    statements: tuple[Statement, ...]


def paper_id_of(name: str) -> str:
    """The id that a theory's name gives: ``Group Theory`` becomes ``group_theory``."""
    found = re.sub(r"[^a-z0-9_\-.]+", "_", name.casefold()).strip("._-")
    if not found:
        raise CorpusError(
            f"{name!r} gives no id", code="invalid_paper_id", found=name, hint="give one with --id"
        )
    return found


def paper_files(publication: Publication) -> dict[str, bytes]:
    """The files of the paper's folder, by path in it.  Raises `CorpusError` for what the layout does not allow."""
    _check(publication)
    paper = publication.paper_id
    ids = {each.name: number for number, each in enumerate(publication.statements, 1)}
    source = publication.source.encode("utf-8")
    digest = hashlib.sha256(source).hexdigest()
    cards = [_card(publication, number, ids) for number in ids.values()]
    files = {
        "claims.json": json_file([_claim(publication, number) for number in ids.values()]),
        "assumptions.json": json_file(
            [
                _assumption(paper, number, each)
                for number, each in _numbered(publication)
                if each.kind == "axiom"
            ]
        ),
        "symbols.json": json_file([]),
        "mapping.json": json_file(_mapping(publication)),
    }
    index = [card["lean_decl"] for card in cards]
    fingerprint = build_hash(
        paper,
        {name: files[name] for name in HASHED_FILES},
        cards,
        source_sha256=digest,
        kernels=[],
        declarations=index,
    )
    files["theorem_cards.json"] = json_file(cards)
    files["metadata.json"] = json_file(_metadata(publication, digest))
    files["manifest.json"] = json_file(_manifest(publication, cards, index, fingerprint))
    files[SOURCE] = source
    return files


def index_entry(publication: Publication) -> dict[str, Any]:
    """The paper as the corpus's index lists it."""
    return {
        "id": publication.paper_id,
        "title": publication.title,
        "year": publication.year,
        "domain": publication.domain,
    }


def check_heading(paper_id: str, year: int, domain: str) -> None:
    """Raise `CorpusError` for an id, a year or a domain that no paper may have."""
    if not PAPER_ID.fullmatch(paper_id) or not paper_id.strip("."):
        raise CorpusError(
            f"{paper_id!r} is no id of a paper",
            code="invalid_paper_id",
            found=paper_id,
            expected=("lower-case letters, digits, _ - and .",),
        )
    if domain not in DOMAINS:
        raise CorpusError(f"{domain!r} is no domain", code="invalid_argument", found=domain, expected=DOMAINS)
    if not _FIRST_YEAR <= year <= _LAST_YEAR:
        raise CorpusError(
            f"the year {year} is out of range",
            code="invalid_argument",
            found=str(year),
            expected=(f"{_FIRST_YEAR} to {_LAST_YEAR}",),
        )


def _check(publication: Publication) -> None:
    check_heading(publication.paper_id, publication.year, publication.domain)
    if not publication.statements:
        raise CorpusError(
            "the theory declares nothing that could be a claim",
            code="invalid_argument",
            hint="declare axioms or definitions, or assert propositions in an example block",
        )


def _numbered(publication: Publication) -> list[tuple[int, Statement]]:
    return list(enumerate(publication.statements, 1))


def _claim_id(paper: str, number: int) -> str:
    return f"{paper}_claim_{number:03}"


def _card_id(paper: str, number: int) -> str:
    return f"{paper}_card_{number:03}"


def _assumption_id(paper: str, number: int) -> str:
    return f"{paper}_assumption_{number:03}"


def _claim(publication: Publication, number: int) -> dict[str, Any]:
    paper, each = publication.paper_id, publication.statements[number - 1]
    axioms = {name.name: place for place, name in _numbered(publication) if name.kind == "axiom"}
    return {
        "id": _claim_id(paper, number),
        "paper_id": paper,
        "section": each.name.rpartition("::")[0] or "1",
        "source_span": _span(each),
        "informal_text": each.text,
        "claim_type": "theorem" if each.kind == "proposition" else "definition",
        "status": _standing(each)[0],
        "linked_symbols": [],
        "linked_assumptions": [_assumption_id(paper, axioms[name]) for name in each.core if name in axioms],
        "linked_formal_targets": [each.declaration],
        "value_kind": "bridge_lemma" if each.kind == "proposition" else "foundational_law",
    }


def _span(statement: Statement) -> dict[str, Any]:
    """The line of the source, in place of a page."""
    place = {"page": max(statement.line, 1), "offset": 0}
    return {"source_file": SOURCE, "start": place, "end": place}


def _assumption(paper: str, number: int, statement: Statement) -> dict[str, Any]:
    return {
        "id": _assumption_id(paper, number),
        "paper_id": paper,
        "source_span": _span(statement),
        "text": f"{statement.name}: {statement.text}",
        "kind": "domain_restriction",
        "explicit_or_implicit": "explicit",
        "normalization_status": "normalized",
    }


def _standing(statement: Statement) -> tuple[str, str]:
    """A card's proof status and verification boundary."""
    match statement.kind:
        case "axiom":
            return "mapped", "human_review_only"
        case "definition" | "data":
            return "parsed", "schema_valid_only"
        case "proposition":
            return _proved(statement.verdict)


def _proved(verdict: Verdict | None) -> tuple[str, str]:
    match verdict.status if verdict is not None else "unknown":
        case "verified":
            return "machine_checked", "machine_checked_plus_axioms"
        case "disproved":
            return "disputed", "numerically_witnessed"
        case _:
            return "stubbed", "schema_valid_only"


def _card(publication: Publication, number: int, ids: Mapping[str, int]) -> dict[str, Any]:
    paper, each = publication.paper_id, publication.statements[number - 1]
    status, boundary = _standing(each)
    return {
        "id": _card_id(paper, number),
        "claim_id": _claim_id(paper, number),
        "lean_decl": each.declaration,
        "file_path": each.file_path,
        "proof_status": status,
        "verification_boundary": boundary,
        "reviewer_status": "unreviewed",
        "dependency_ids": [_card_id(paper, ids[name]) for name in each.core if name in ids],
        "dependency_extraction_method": METHOD,
        "executable_links": [],
        "notes": _note(each),
    }


def _note(statement: Statement) -> str:
    """What the card's status rests on, as text."""
    verdict = statement.verdict
    if verdict is None:
        return f"Kleis {statement.kind} {statement.name}"
    parts = [f"Kleis verdict: {verdict.status}"]
    if verdict.engine:
        parts.append(f"by {verdict.engine}")
    if verdict.status == "verified":
        parts.append("no Lean has checked it")
        if verdict.consistency == "unknown":
            parts.append("no model of its axioms was found")
    if verdict.message:
        parts.append(verdict.message)
    return "; ".join(parts)


def _mapping(publication: Publication) -> dict[str, Any]:
    space = publication.namespace
    names = {
        _claim_id(publication.paper_id, number): each.declaration.removeprefix(f"{space}.")
        for number, each in _numbered(publication)
    }
    return {
        "paper_id": publication.paper_id,
        "namespace": space,
        "claim_to_decl": names,
        "target_file": publication.target_file,
    }


def _metadata(publication: Publication, digest: str) -> dict[str, Any]:
    paper = publication.paper_id
    return {
        "id": paper,
        "title": publication.title,
        "authors": list(publication.authors),
        "year": publication.year,
        "domain": publication.domain,
        "tags": ["kleis"],
        "source": {"kind": "other", "path": f"corpus/papers/{paper}/{SOURCE}", "sha256": digest},
        "artifact_status": "published",
    }


def _manifest(
    publication: Publication, cards: Sequence[Mapping[str, Any]], index: Sequence[str], fingerprint: str
) -> dict[str, Any]:
    paper = publication.paper_id
    edges = [
        {"from": needed, "to": card["id"], "confidence": "high"}
        for card in cards
        for needed in card["dependency_ids"]
    ]
    checked = sum(1 for card in cards if card["proof_status"] == "machine_checked")
    return {
        "paper_id": paper,
        "version": "0.1.0",
        "build_hash": fingerprint,
        "build_hash_version": HASH_VERSION,
        "coverage_metrics": {
            "claim_count": len(cards),
            "mapped_claim_count": len(cards),
            "machine_checked_count": checked,
            "kernel_linked_count": 0,
        },
        "generated_pages": [
            f"/papers/{paper}",
            *(f"/claims/{card['claim_id']}" for card in cards),
            *(f"/theorem-cards/{card['id']}" for card in cards),
        ],
        "declaration_index": list(index),
        "dependency_graph": edges,
        "kernel_index": [],
    }


def json_file(data: Any) -> bytes:
    """JSON as the files of a corpus are written."""
    return (json.dumps(data, indent=2, ensure_ascii=False) + "\n").encode("utf-8")
