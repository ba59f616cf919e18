"""Tables of docs/reference/corpus.md: the files of a corpus as they are read, and what publishing writes on cards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import msgspec

from kleis.corpus import publishing, reading, records
from kleis.corpus.errors import CorpusCode
from kleis.corpus.publishing import Statement
from kleis.prover.protocol.verdict import Verdict
from tests.guide.tables import markdown

__all__ = ["TABLES"]

_FILES: tuple[tuple[str, str, type[msgspec.Struct]], ...] = (
    ("index.json", "`papers`: a list of", records.IndexEntry),
    ("kernels.json", "a list of", records.Kernel),
    ("papers/ID/manifest.json", "", records.Manifest),
    ("papers/ID/theorem_cards.json", "a list of", records.Card),
    ("papers/ID/claims.json", "a list of", records.Claim),
    ("papers/ID/mapping.json", "", records.ClaimMapping),
    ("papers/ID/metadata.json", "", records.Metadata),
)


def files() -> str:
    """The files with the fields that are read."""
    rows = [(f"`{name}`", f"{shape} {_fields(kind)}".strip()) for name, shape, kind in _FILES]
    return markdown(("File", "Fields (required ones are bold)"), rows)


def _fields(kind: type[msgspec.Struct]) -> str:
    return ", ".join(_field(each) for each in msgspec.structs.fields(kind))


def _field(field: msgspec.structs.FieldInfo) -> str:
    name = f"`{field.encode_name}`"
    inner = _struct_in(field.type)
    said = f" ({_fields(inner)})" if inner is not None else ""
    return (f"**{name}**" if field.required else name) + said


def _struct_in(type_: Any) -> type[msgspec.Struct] | None:
    """The record that a field holds, alone or in a list."""
    if isinstance(type_, type) and issubclass(type_, msgspec.Struct):
        return type_
    return next((found for each in get_args(type_) if (found := _struct_in(each)) is not None), None)


_MEANINGS: dict[str, str] = {
    "corpus_not_found": "there is no corpus where it was looked for",
    "paper_not_found": "no paper has this id; the nearest are named",
    "invalid_paper_id": "the text is no id",
    "declaration_not_found": "no card has this name or id; the nearest are named",
    "malformed_artifact": "a file is not what it should be; `file` and the reason are named",
    "paper_exists": "publishing would replace a paper",
    "invalid_argument": "something else that is given is wrong",
}


def codes() -> str:
    """The codes of errors."""
    return markdown(("Code", "Meaning"), [(f"`{code}`", _MEANINGS[code]) for code in get_args(CorpusCode)])


def cards() -> str:
    """How far a published declaration is checked."""
    verdicts = [Verdict(status="verified"), Verdict(status="disproved"), Verdict(status="unknown")]
    statements = [
        Statement("x", "axiom", "", 1, "", ""),
        Statement("x", "definition", "", 1, "", ""),
        Statement("x", "data", "", 1, "", ""),
        *(Statement("x", "proposition", "", 1, "", "", each) for each in verdicts),
    ]
    rows = []
    for each in statements:
        standing, boundary = publishing._standing(each)
        label = each.kind if each.verdict is None else f"{each.kind}, {each.verdict.status}"
        rows.append((label, f"`{standing}`", f"`{boundary}`"))
    return markdown(("Declaration", "`proof_status`", "`verification_boundary`"), rows)


def limits() -> str:
    """What is bounded."""
    rows = [
        ("an id", f"{reading._LONGEST_ID} characters of `{reading.PAPER_ID.pattern}`"),
        ("a file that is read", f"{reading.LONGEST_FILE // (1024 * 1024)} MiB"),
        ("the year of a paper that is published", f"{publishing._FIRST_YEAR} to {publishing._LAST_YEAR}"),
    ]
    return markdown(("What", "Limit"), rows)


TABLES: dict[str, Callable[[], str]] = {
    "corpus-files": files,
    "corpus-codes": codes,
    "corpus-cards": cards,
    "corpus-limits": limits,
}
