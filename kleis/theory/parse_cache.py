"""Parse results on disk under the hash of the text, so that a library is parsed once per user.

See docs/reference/kleis.md §5.3.

Invariants
    * A hit equals what the parser would answer: the key holds the text, and the directory the version of the
      parser (name, size and time of every file it is made of).
    * What is stored is data, decoded against the types of the syntax; nothing is ever executed.  A directory that
      another user owns or may write to is not used, and an entry whose checksum is wrong is ignored.
    * The cache never stops a program: every failure of it means "not cached".
    * It is bounded in bytes; the least recently used entries go first.  Entries are written to a temporary file and
      renamed, so that readers see all of one or none.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from pathlib import Path

import msgspec

from kleis import durable_files
from kleis.decoding import decode_msgpack
from kleis.syntax import tree

__all__ = ["ParseCache", "user_cache"]

_CHECKSUM = 16
_SUFFIX = ".parsed"


class _Stored(msgspec.Struct, array_like=True):
    """The part of a `ParseResult` worth keeping; `load` adds the name of the file."""

    items: tuple[tree.Declaration, ...]
    lints: tuple[tree.Lint, ...]


class ParseCache:
    """A directory of parse results.  All entries have at most `capacity` bytes, each at most an eighth of that."""

    def __init__(self, directory: Path, *, capacity: int = 64 * 1024 * 1024) -> None:
        self._root = directory
        self._capacity = capacity
        self._directory: Path | None = None

    def load(self, digest: str, *, file: str) -> tree.ParseResult | None:
        """The parse result of the text with that SHA-256, as if read from `file`; None if it is not there."""
        directory = self._ready()
        if directory is None:
            return None
        path = directory / (digest + _SUFFIX)
        try:
            payload = path.read_bytes()
            stored = self._decode(payload)
            os.utime(path)
        except (OSError, msgspec.DecodeError, RecursionError):
            return None
        if stored is None:
            return None
        lints = tuple(msgspec.structs.replace(lint, file=file) for lint in stored.lints)
        return tree.ParseResult(tree.Program(stored.items, file), (), lints)

    def store(self, digest: str, result: tree.ParseResult) -> None:
        """Keep the parse result of a text without errors."""
        directory = self._ready()
        if directory is None or result.errors:
            return
        try:
            body = msgspec.msgpack.encode(_Stored(result.program.items, result.lints))
        except UnicodeEncodeError:
            return  # a lone surrogate, from a text that came from no file
        if len(body) > self._capacity // 8:
            return
        with contextlib.suppress(OSError):
            self._make_room(directory, len(body))
            path = directory / (digest + _SUFFIX)
            durable_files.write_whole(path, _checksum(body) + body, durable=False)

    @staticmethod
    def _decode(payload: bytes) -> _Stored | None:
        checksum, body = payload[:_CHECKSUM], payload[_CHECKSUM:]
        if checksum != _checksum(body):
            return None
        return decode_msgpack(body, _Stored)

    def _ready(self) -> Path | None:
        """The directory of this parser's entries, or None if there is none to be trusted."""
        if self._directory is None:
            directory = self._root / _parser_version()
            try:
                self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
                directory.mkdir(mode=0o700, exist_ok=True)
                if not _is_ours(self._root) or not _is_ours(directory):
                    return None
            except OSError:
                return None
            self._directory = directory
        return self._directory

    def _make_room(self, directory: Path, size: int) -> None:
        """Remove entries, those of other parsers first, then the least recently used, until `size` fits."""
        found: list[tuple[bool, float, int, str]] = []
        for folder, _, names in os.walk(self._root):
            for name in names:
                path = os.path.join(folder, name)
                with contextlib.suppress(OSError):
                    status = os.lstat(path)
                    if name.endswith(_SUFFIX) and stat.S_ISREG(status.st_mode):
                        current = folder == str(directory)
                        found.append((current, status.st_mtime, status.st_size, path))
        total = sum(size for _, _, size, _ in found) + size
        for _, _, freed, path in sorted(found):
            if total <= self._capacity:
                break
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
            total -= freed


def user_cache() -> ParseCache:
    """The cache of the current user."""
    folder = durable_files.user_cache_folder()
    return ParseCache(
        Path(os.devnull if folder is None else folder) / "parsed"
    )  # where nothing can be made, nothing is kept


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_CHECKSUM).digest()


def _is_ours(directory: Path) -> bool:
    status = os.lstat(directory)
    if not stat.S_ISDIR(status.st_mode):
        return False
    return not hasattr(os, "getuid") or (
        status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    )


def _parser_version() -> str:
    """A name for the parser as it is installed: a digest of all modules of `kleis.syntax`.

    A module too many only costs a parse; one too few could give the tree of another parser.
    """
    syntax = os.path.join(os.path.dirname(os.path.dirname(__file__)), "syntax")
    parts = []
    for folder, folders, names in os.walk(syntax):
        folders[:] = [each for each in folders if each != "__pycache__"]
        for name in names:
            if name.endswith((".py", ".lark")):
                status = os.stat(os.path.join(folder, name))
                parts.append(f"{folder[len(syntax) :]}/{name} {status.st_size} {status.st_mtime_ns}")
    return hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()[:24]
