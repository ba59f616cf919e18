"""The files of a corpus as checked records.  See docs/reference/corpus.md §1.

`find_corpus` looks for a corpus from a directory upwards, `Corpus` and `Paper` read its files, `freshness` compares a
paper's build hash with them.

Invariants
    * Nothing outside the corpus is read: a paper's id has the published form, and what it leads to lies in
      ``papers/`` after links are resolved.  Lean files lie below the corpus's own directory or the one above it.
    * A file that is not what it should be raises ``malformed_artifact`` with the file and the reason.  A missing file is
      empty: every file but ``index.json`` may be missing.
    * A file is read again when it changed; records are immutable.
"""

from __future__ import annotations

import hashlib
import json
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from pathlib import Path, PurePosixPath
from typing import Any, Literal, TypeAlias, TypeVar

import msgspec

from kleis.corpus.errors import CorpusError, not_found
from kleis.corpus.records import Card, Claim, ClaimMapping, IndexEntry, Kernel, Manifest, Metadata
from kleis.decoding import converted

__all__ = [
    "HASHED_FILES",
    "HASH_VERSION",
    "LONGEST_FILE",
    "PAPER_ID",
    "VARIABLE",
    "Corpus",
    "Freshness",
    "Paper",
    "build_hash",
    "corpus_at",
    "find_corpus",
    "freshness",
]

# ── Where a corpus is ──────────────────────────────────────────────────────────────────────────────────────────

_LEVELS = 500
_NO_BRACKETS = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[^]["{}]+', re.DOTALL)

VARIABLE = "PIF_CORPUS"
"""The environment's variable that names the corpus."""


def corpus_at(directory: Path) -> Path | None:
    """The corpus that a directory is, or holds as ``corpus/``: a directory with ``index.json`` and ``papers/``."""
    for candidate in (directory, directory / "corpus"):
        if (candidate / "index.json").is_file() and (candidate / "papers").is_dir():
            return candidate
    return None


def find_corpus(given: Path | None, environment: Mapping[str, str], working: Path) -> Path:
    """The real directory of the corpus: at `given`, else at ``PIF_CORPUS``, else at `working`, and from there upwards.

    Raises `CorpusError` (``corpus_not_found``) that says where it was looked for.
    """
    named = environment.get(VARIABLE, "")
    start = (given or (Path(named).expanduser() if named else working)).absolute()
    for directory in (start, *start.parents):
        found = corpus_at(directory)
        if found is not None:
            return found.resolve()
    raise CorpusError(
        f"no corpus in {start} nor above it",
        code="corpus_not_found",
        found=str(start),
        expected=("a directory with index.json and papers/",),
        hint=f"give it with --corpus DIR or in {VARIABLE}; `kleis publish` makes one",
    )


# ── Files and papers ─────────────────────────────────────────────────────────────────────────────────────────

PAPER_ID = re.compile(r"[a-z0-9_\-.]+")

LONGEST_FILE = 32 * 1024 * 1024

_LONGEST_ID = 128

T = TypeVar("T")
_Stamp = tuple[int, int, int]


class Paper:
    """One paper.  Each file is read when it is first asked for."""

    def __init__(self, corpus: Corpus, paper_id: str) -> None:
        self.id = paper_id
        self._corpus = corpus
        self._folder = f"papers/{paper_id}"

    def _records(self, name: str, kind: type[T], default: T) -> T:
        return self._corpus.records(f"{self._folder}/{name}", kind, default)

    def raw(self, name: str) -> Any:
        """A file's JSON as it stands; None where it is missing."""
        return self._corpus.value(f"{self._folder}/{name}")

    def data(self, name: str) -> bytes | None:
        """A file's bytes; None where it is missing."""
        return self._corpus.data(f"{self._folder}/{name}")

    @cached_property
    def manifest(self) -> Manifest:
        """The manifest; empty where there is none."""
        return self._records("manifest.json", Manifest, Manifest())

    @cached_property
    def cards(self) -> tuple[Card, ...]:
        """The theorem cards, in the order of the file."""
        return self._records("theorem_cards.json", tuple[Card, ...], ())

    @cached_property
    def raw_cards(self) -> list[dict[str, Any]]:
        """The cards as they stand in the file, one for each of `cards`."""
        found = self.raw("theorem_cards.json") if self.cards else []
        assert isinstance(found, list)
        return found

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """What the paper says."""
        return self._records("claims.json", tuple[Claim, ...], ())

    @cached_property
    def mapping(self) -> ClaimMapping:
        """Which declaration states which claim."""
        return self._records("mapping.json", ClaimMapping, ClaimMapping())

    @cached_property
    def metadata(self) -> Metadata:
        """What the paper is."""
        return self._records("metadata.json", Metadata, Metadata())

    @cached_property
    def declarations(self) -> tuple[str, ...]:
        """The names in the manifest's index and on the cards, each once."""
        index = [each for each in self.manifest.declaration_index if isinstance(each, str)]
        return tuple(dict.fromkeys([*index, *(card.lean_decl for card in self.cards)]))


class Corpus:
    """A corpus in a directory (see `find_corpus`).  May be used from several threads."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._kept: dict[str, tuple[_Stamp, bytes]] = {}

    # ── files ────────────────────────────────────────────────────────────────────────────────────────────

    def data(self, name: str) -> bytes | None:
        """The bytes of a file of the corpus, by its path in it; None where there is none."""
        path = self._admitted(self.root / name, self.root, name)
        return None if path is None else self._read(path, name)

    def value(self, name: str) -> Any:
        """A file's JSON as it stands; None where there is no file."""
        data = self.data(name)
        if data is None:
            return None
        if _nests_deeply(data):
            raise _malformed(name, "it nests too deeply")
        try:
            return json.loads(data.decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            raise _malformed(name, f"byte {error.start} is no UTF-8") from error
        except json.JSONDecodeError as error:
            raise _malformed(name, f"no JSON: {error.msg} at line {error.lineno}") from error
        except ValueError as error:
            raise _malformed(name, "a number in it is too long") from error

    def records(self, name: str, kind: type[T], default: T) -> T:
        """A file as records of a type; `default` where there is no file."""
        found = self.value(name)
        if found is None and self.data(name) is None:
            return default
        try:
            return converted(found, kind)
        except msgspec.ValidationError as error:
            raise _malformed(name, str(error).replace("`", "").replace("$", "the file")) from error

    def lean_text(self, file_path: str) -> str | None:
        """The text of a Lean file by the path that cards give; None where the sources are not at hand."""
        name = PurePosixPath(file_path.replace("\\", "/"))
        if not file_path or name.is_absolute() or ".." in name.parts or name.suffix != ".lean":
            return None
        for base in (self.root.parent, self.root):
            path = self._admitted(base / name, base, str(name))
            if path is not None:
                return self._read(path, str(name)).decode("utf-8", "replace")
        return None

    def _admitted(self, path: Path, base: Path, shown: str) -> Path | None:
        """The real path of a regular file below `base`; None where there is no file."""
        try:
            real = path.resolve(strict=True)
            status = real.stat()
        except (OSError, RuntimeError, ValueError):
            return None
        if not real.is_relative_to(base):
            raise _malformed(shown, "it is a link that leads out of the corpus")
        if not stat.S_ISREG(status.st_mode):
            raise _malformed(shown, "it is not a regular file")
        if status.st_size > LONGEST_FILE:
            raise _malformed(shown, f"it is longer than {LONGEST_FILE:,} bytes")
        return real

    def _read(self, path: Path, shown: str) -> bytes:
        key = str(path)
        try:
            status = path.stat()
            stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
            kept = self._kept.get(key)
            if kept is not None and kept[0] == stamp:
                return kept[1]
            data = path.read_bytes()
        except OSError as error:
            raise _malformed(shown, f"it cannot be read: {error.strerror}") from error
        self._kept[key] = (stamp, data)
        return data

    # ── papers ───────────────────────────────────────────────────────────────────────────────────────────

    def index(self) -> tuple[IndexEntry, ...]:
        """The papers, in the order of the index."""
        found = self.value("index.json")
        if not isinstance(found, dict):
            raise _malformed("index.json", "it is no object with a list of papers")
        try:
            return converted(found.get("papers"), tuple[IndexEntry, ...])
        except msgspec.ValidationError as error:
            raise _malformed(
                "index.json", f"papers: {error}".replace("`", "").replace("$", "papers")
            ) from error

    def paper(self, paper_id: str) -> Paper:
        """A paper by its id.  Raises `CorpusError`: ``invalid_paper_id`` or ``paper_not_found`` with near names."""
        if not PAPER_ID.fullmatch(paper_id) or paper_id.strip(".") == "" or len(paper_id) > _LONGEST_ID:
            shown = paper_id if len(paper_id) <= 120 else paper_id[:119] + "…"
            raise CorpusError(
                f"{shown!r} is no id of a paper",
                code="invalid_paper_id",
                found=shown,
                expected=(f"lower-case letters, digits, _ - and ., at most {_LONGEST_ID}",),
                hint="the id is the name of the paper's folder, not a path",
            )
        folder = self.root / "papers" / paper_id
        real = folder.resolve()
        if not folder.is_dir():
            raise not_found("paper_not_found", "paper", paper_id, self.paper_ids(), self._some_papers())
        if not real.is_relative_to(self.root / "papers"):
            raise _malformed(f"papers/{paper_id}", "it is a link that leads out of the corpus")
        return Paper(self, paper_id)

    def papers(self) -> Iterator[Paper]:
        """All papers of the index, in its order."""
        for entry in self.index():
            yield self.paper(entry.id)

    def paper_ids(self) -> list[str]:
        """The ids in the index, in its order."""
        return [entry.id for entry in self.index()]

    def _some_papers(self) -> str:
        ids = self.paper_ids()
        more = ", …" if len(ids) > 8 else ""
        return f"papers: {', '.join(ids[:8])}{more}" if ids else "this corpus has no papers yet"

    def kernels(self) -> tuple[Kernel, ...]:
        """The executable kernels."""
        return self.records("kernels.json", tuple[Kernel, ...], ())


def _nests_deeply(text: bytes) -> bool:
    """Whether arrays and objects of a JSON text nest deeper than `_LEVELS`.

    The decoder recurses on the C stack. What bounds it is Python's recursion limit, which other rooms raise.
    """
    if text.count(b"[") + text.count(b"{") <= _LEVELS:
        return False
    brackets = _NO_BRACKETS.sub(b"", text)
    return any(depth > _LEVELS for depth in accumulate(1 if each in b"[{" else -1 for each in brackets))


def _malformed(file: str, reason: str) -> CorpusError:
    return CorpusError(
        f"{file} is malformed: {reason}",
        code="malformed_artifact",
        file=file,
        found=reason,
        hint="mend or publish the paper again; the other papers can still be asked about",
    )


# ── The build hash ─────────────────────────────────────────────────────────────────────────────────────────────
#
# The published hashes were made of files with CRLF line ends, so both line ends are tried (docs/reference/corpus.md §5.1).

Freshness: TypeAlias = Literal["fresh", "fresh_crlf", "stale", "unversioned"]

HASHED_FILES = ("claims.json", "assumptions.json", "symbols.json", "mapping.json")
HASH_VERSION = "2"

_MISSING = b"missing"


def build_hash(
    paper_id: str,
    files: Mapping[str, bytes | None],
    cards: Sequence[Mapping[str, Any]],
    *,
    source_sha256: str,
    kernels: Sequence[str],
    declarations: Sequence[Any],
) -> str:
    """The SHA-256 of a paper's content, in version 2; `files` are the bytes of `HASHED_FILES`."""
    digest = hashlib.sha256()
    for name in HASHED_FILES:
        digest.update(name.encode())
        data = files.get(name)
        digest.update(_MISSING if data is None else data)
    digest.update(b"theorem_cards")
    ordered = sorted(cards, key=lambda card: str(card.get("id", "")))
    digest.update(json.dumps(ordered, sort_keys=True).encode())
    if source_sha256:
        digest.update(f"source_sha256:{source_sha256}".encode())
    digest.update(b"kernel_index" + json.dumps(sorted(kernels)).encode())
    digest.update(b"declaration_index" + json.dumps(list(declarations)).encode())
    digest.update(f"paper_id:{paper_id}".encode())
    return digest.hexdigest()


def freshness(paper: Paper) -> Freshness:
    """Whether a paper's build hash is true."""
    manifest = paper.manifest
    if manifest.build_hash_version != HASH_VERSION or not manifest.build_hash:
        return "unversioned"
    files = {name: paper.data(name) for name in HASHED_FILES}

    def of(kept: Mapping[str, bytes | None]) -> str:
        return build_hash(
            paper.id,
            kept,
            paper.raw_cards,
            source_sha256=paper.metadata.source.sha256,
            kernels=manifest.kernel_index or (),
            declarations=manifest.declaration_index,
        )

    if of(files) == manifest.build_hash:
        return "fresh"
    windows = {
        name: data and data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n") for name, data in files.items()
    }
    return "fresh_crlf" if of(windows) == manifest.build_hash else "stale"
