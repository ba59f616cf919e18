"""Saved theories as a publication has them: texts under plain names, each with the saved theories that it imports.

The root names one object, the index; each row of it names the object of a text. A text that is published imports, by their plain names,
theories that come along, and modules of the library as `stdlib/…`: so it reads nothing else wherever it arrives.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from kleis.sessions.answer_shapes import Pulled
from kleis.sessions.files.errors import SessionError
from kleis.sessions.files.storage import plain_name, read_whole
from kleis.theory.import_search import packaged_library
from registry.errors import RegistryError
from registry.sharing.ledger import LedgerFile
from registry.sharing.manifest import OBJECT_LIMIT, decoded, encoded, object_hash, untrue
from registry.sharing.theory_proofs import MOST, Proofs

__all__ = [
    "TEXT_LIMIT",
    "Gathered",
    "TheoryRow",
    "all_theories_of",
    "check_theory_name",
    "imported_names",
    "in_order",
    "index_hash",
    "origins",
    "read_index",
    "read_text",
    "read_theory",
    "row_of",
    "saved_names",
    "saved_text",
    "sharable",
    "text_object",
    "theories_of",
    "with_certificates",
]

TEXT_LIMIT: Final = 1_000_000
"""Bytes of one text."""

_HASH: Final = re.compile(r"[0-9a-f]{64}")
_SUFFIX: Final = ".kleis"
_LIBRARY: Final = "stdlib/"


class TheoryRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One theory: the object of its text, and the theories beside it that it imports, in order of names.

    `certificates`: by the digests of questions, the objects of certificates that are said to answer them; not written where there are none.
    """

    object: str
    imports: tuple[str, ...] = ()
    certificates: dict[str, str] | msgspec.UnsetType = msgspec.UNSET

    @property
    def claimed(self) -> dict[str, str]:
        """The certificates; none where the row has none."""
        return {} if isinstance(self.certificates, msgspec.UnsetType) else self.certificates


class _Text(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    text: str


def check_theory_name(name: str) -> str:
    """`name` itself, without `.kleis`; raises `invalid_name` for what is no plain name, or that of a module of the library.

    A text may import a module of the library by its plain name: a theory of that name would take its place.
    """
    stem = name.removesuffix(_SUFFIX)
    try:
        plain_name(stem, what="the name of a saved theory", code="save-name")
    except SessionError as error:
        raise RegistryError(
            "invalid_name", error.message, place="theory", found=ascii(name[:80])[1:-1],
            expected="letters, digits, _ . -, 64 at most", hint=error.hint,
        ) from None  # fmt: skip
    library = packaged_library()
    taken = () if library is None else (each.stem.casefold() for each in library.iterdir())
    if stem.casefold().endswith(_SUFFIX) or stem.casefold() in ("stdlib", "std", *taken):
        raise RegistryError(
            "invalid_name", "a theory that is shared has no name of the library", place="theory", found=stem,
            expected="a name that no module of the library has", hint="save it under another name",
        )  # fmt: skip
    return stem


def text_object(text: str) -> bytes:
    """The object of a text: the same for the same text."""
    return encoded(_Text(text))


def read_text(content: bytes, hash_: str, place: str) -> str:
    """The text in an object, which has that hash as we write it. Raises `invalid_argument`."""
    text = decoded(content, _Text, place).text
    if len(text.encode("utf-8", "surrogatepass")) > TEXT_LIMIT:
        raise untrue(
            place, "the text of a theory is too long", f"{len(text)} characters", f"{TEXT_LIMIT} bytes"
        )
    if object_hash(text_object(text)) != hash_:
        raise untrue(
            place, "the text of a theory is spelled in another way", "other bytes", "as it is published"
        )
    return text


def read_index(content: bytes, place: str) -> dict[str, TheoryRow]:
    """The theories of a publication, names and hashes checked. Raises `invalid_argument`, `invalid_name`."""
    rows = decoded(content, dict[str, TheoryRow], place)
    seen: dict[str, str] = {}
    for name, row in rows.items():
        for each in (name, *row.imports):
            if check_theory_name(each) != each:
                raise untrue(place, "a theory is named as a file", each, each.removesuffix(_SUFFIX))
        other = seen.setdefault(name.casefold(), name)
        if other != name:
            raise untrue(
                place, "two theories have names that differ in capitals only", f"{other}, {name}", "one"
            )
        if _HASH.fullmatch(row.object) is None or list(row.imports) != sorted(set(row.imports)):
            raise untrue(
                place, f"the row of {name} is not spelled as one", "other values", "a hash and names"
            )
        if not _are_certificates(row):
            raise untrue(
                place, f"the certificates of {name} are not spelled as such", "other values", f"{MOST} hashes"
            )
    return rows


def _are_certificates(row: TheoryRow) -> bool:
    hashes = (each for pair in row.claimed.items() for each in pair)
    return len(row.claimed) <= MOST and all(_HASH.fullmatch(each) is not None for each in hashes)


def imported_names(paths: Iterable[str]) -> list[str]:
    """Of what a text imports, the theories beside it, in order of names; modules of the library are left out.

    Raises `not_allowed` for whatever is neither: a path, a shared theory of a team, a file of somebody's.
    """
    found: set[str] = set()
    for path in paths:
        if path.startswith(_LIBRARY):
            parts = path.split("/")
            if "" in parts or "." in parts or ".." in parts or "\\" in path or not path.isascii():
                raise _outside(path)
            continue
        try:
            found.add(check_theory_name(path))
        except RegistryError:
            raise _outside(path) from None
    return sorted(found)


def _outside(path: str) -> RegistryError:
    return RegistryError(
        "not_allowed", "a theory that is shared imports the library and theories beside it only", place="theory",
        found=ascii(path[:120])[1:-1], expected="stdlib/MODULE.kleis, or the plain name of a saved theory",
        hint="Load what it imports in that spelling and save it again.",
    )  # fmt: skip


def saved_names(saved: Path) -> list[str]:
    """The saved theories of a home."""
    if not saved.is_dir():
        return []
    return sorted(
        each.stem for each in saved.iterdir() if each.suffix == _SUFFIX and not each.name.startswith(".")
    )


def saved_text(saved: Path, name: str) -> str | None:
    """The text of a saved theory; None where there is none. Raises `invalid_argument` where it cannot be shared."""
    path = saved / f"{name}{_SUFFIX}"
    try:
        read = read_whole(path)
        text = None if read is None else read[0].decode()
    except SessionError as error:
        raise RegistryError("invalid_argument", error.message, file=str(path), hint=error.hint) from None
    except UnicodeDecodeError:
        raise RegistryError(
            "invalid_argument", "a saved theory is no UTF-8", file=str(path), hint="save it again"
        ) from None
    if read is not None and len(read[0]) > TEXT_LIMIT:
        raise RegistryError(
            "invalid_argument", "a saved theory is too long to be shared", file=str(path), found=f"{len(read[0])} bytes",
            expected=f"{TEXT_LIMIT} bytes at most", hint="divide it into several",
        )  # fmt: skip
    return text


def origins(saved: Path, home: Path, names: Iterable[str]) -> list[Pulled]:
    """Where those of some saved theories came from that were pulled, and say what they said then.

    Raises `store_error` where what is known of publishers cannot be read.
    """
    ledger = LedgerFile(home)
    known = ledger.read().theories
    return [
        {"name": name, "origin": row.name, "key": row.key, "from": row.source, "at": row.moment}
        for name, row in ((each, known[each]) for each in names if each in known)
        if ledger.origin_of_theory(name, _hash_here(saved, name)) is not None
    ]


def _hash_here(saved: Path, name: str) -> str:
    """The hash of a saved theory; empty for one that is none or could not have been pulled."""
    try:
        text = saved_text(saved, name)
    except RegistryError:
        return ""
    return "" if text is None else object_hash(text_object(text))


def row_of(name: str, text: str) -> TheoryRow:
    """The row of a theory. Raises `invalid_argument`, `invalid_name`, `not_allowed` where it cannot be shared."""
    from kleis.syntax.parser.parser import parse_source
    from kleis.syntax.tree import Import

    check_theory_name(name)
    result = parse_source(text, file=f"{name}{_SUFFIX}")
    if result.errors:
        raise RegistryError(
            "invalid_argument", f"the saved theory {name} cannot be read: {result.errors[0]}", place="theory",
            found=name, hint="save it again",
        )  # fmt: skip
    imports = imported_names(each.path for each in result.program.items if isinstance(each, Import))
    return TheoryRow(object_hash(text_object(text)), tuple(imports))


def with_certificates(row: TheoryRow, found: Mapping[str, bytes]) -> TheoryRow:
    """A row with certificates, given as objects."""
    hashes = {digest: object_hash(content) for digest, content in sorted(found.items())}
    return msgspec.structs.replace(row, certificates=hashes or msgspec.UNSET)


class Gathered(msgspec.Struct, frozen=True):
    """Saved theories that are given together: their rows, all objects with the index among them, and why others were left out."""

    rows: dict[str, TheoryRow]
    objects: dict[str, bytes]
    left: dict[str, RegistryError] = {}


def theories_of(saved: Path, names: Sequence[str], proofs: Proofs | None = None) -> Gathered:
    """Saved theories with those that they import. `proofs`: whose certificates go with them.

    Raises `invalid_argument`, `invalid_name`, `not_allowed` where one cannot be shared.
    """
    rows: dict[str, TheoryRow] = {}
    texts: dict[str, str] = {}
    waiting = [check_theory_name(each) for each in names]
    while waiting:
        name = waiting.pop()
        if name not in rows:
            rows[name], texts[name] = read_theory(saved, name)
            waiting += rows[name].imports
    for error in sharable(rows)[1].values():
        raise error
    return _gathered(rows, texts, {}, proofs)


def all_theories_of(
    saved: Path, proofs: Proofs | None = None, but: Mapping[str, RegistryError] = {}
) -> Gathered:
    """All saved theories that can be shared; left out, with the reason, is what cannot be, with all that imports it. `but`: those that
    are left out for another reason."""
    left = dict(but)
    rows: dict[str, TheoryRow] = {}
    texts: dict[str, str] = {}
    for name in saved_names(saved):
        if name not in left:
            try:
                rows[name], texts[name] = read_theory(saved, name)
            except RegistryError as error:
                left[name] = error
    kept, incomplete = sharable(rows)
    return _gathered(kept, texts, left | incomplete, proofs)


def sharable(rows: dict[str, TheoryRow]) -> tuple[dict[str, TheoryRow], dict[str, RegistryError]]:
    """Those rows all of whose imports are among them, in no loop and under names that differ not in capitals only; and what is amiss
    with each of the others."""
    kept: dict[str, TheoryRow] = {}
    left: dict[str, RegistryError] = {}
    names: dict[str, str] = {}
    for name, row in rows.items():
        try:
            order = in_order([name], rows)
        except RegistryError as error:
            left[name] = _incomplete(name, error.message, error.found)
            continue
        same = next((each for each in order if names.get(each.casefold(), each) != each), None)
        if same is not None:
            other = f"{names[same.casefold()]}, {same}"
            left[name] = _incomplete(name, "two theories have names that differ in capitals only", other)
            continue
        names |= {each.casefold(): each for each in order}
        kept[name] = row
    return kept, left


def _incomplete(name: str, why: str, found: object) -> RegistryError:
    return RegistryError(
        "invalid_argument", f"the theory {name} cannot be shared: {why}", place="theory", found=str(found),
        expected="theories that can be shared, each with all that it imports", hint="change what it imports, and save it again",
    )  # fmt: skip


def read_theory(saved: Path, name: str) -> tuple[TheoryRow, str]:
    """The row and the text of a saved theory. Raises `invalid_argument`, `invalid_name`, `not_allowed` where it cannot be shared."""
    text = saved_text(saved, name)
    if text is None:
        raise RegistryError(
            "invalid_argument", f"there is no saved theory {name}", place="theory", found=name,
            expected=", ".join(saved_names(saved)[:10]) or "a saved theory", hint="`save_theory` saves one",
        )  # fmt: skip
    return row_of(name, text), text


def _gathered(
    rows: dict[str, TheoryRow],
    texts: Mapping[str, str],
    left: dict[str, RegistryError],
    proofs: Proofs | None,
) -> Gathered:
    given: dict[str, TheoryRow] = {}
    objects: dict[str, bytes] = {}
    for name, row in sorted(rows.items()):
        found = {} if proofs is None else proofs.going_with(row.object)
        given[name] = with_certificates(row, found)
        objects |= {object_hash(content): content for content in found.values()}
        objects[row.object] = text_object(texts[name])
    if given:
        index = encoded(given)
        if len(index) > OBJECT_LIMIT:
            raise RegistryError(
                "invalid_argument",
                "there are more theories than a publication can hold",
                hint="name those to publish",
            )
        objects[object_hash(index)] = index
    return Gathered(given, objects, left)


def index_hash(rows: Mapping[str, TheoryRow]) -> str:
    """The hash of the index of these rows; empty where there are none."""
    return object_hash(encoded(dict(sorted(rows.items())))) if rows else ""


def in_order(roots: Iterable[str], rows: Mapping[str, TheoryRow], place: str = "") -> list[str]:
    """These theories and all that they import, what is imported first. Raises `invalid_argument` for a loop, or where one is missing."""
    done: dict[str, None] = {}
    for root in roots:
        under_way: dict[str, list[str]] = {}
        waiting = [root]
        while waiting:
            name = waiting[-1]
            if name in done:
                waiting.pop()
                continue
            if name not in rows:
                raise untrue(place, "a theory imports one that does not come along", name, "a row for it")
            left = under_way.setdefault(name, list(rows[name].imports))
            if not left:
                del under_way[name]
                done[waiting.pop()] = None
                continue
            following = left.pop(0)
            if following in under_way:
                ring = " → ".join([*under_way, following])
                raise untrue(place, "theories import each other in a loop", ring, "imports without loops")
            waiting.append(following)
    return [*done]
