"""Verdicts kept on disk, under the hash of everything that they depend on.

See docs/reference/proving.md §11.

Invariants
    * The key covers everything that a verdict is made of: the claim and what it depends on, lemmas, options, the sources
      of this package, the versions of the solvers.  Places in files and other ways to write a name are not part of it.
    * A verdict that a time or memory limit had a part in, a contradiction of solvers and an error are never kept.
    * What is stored is data, decoded against the type of a verdict; nothing is executed.  A directory that belongs to
      another user, or that others may write to, is not used.  An entry whose checksum is wrong is removed.
    * Entries are written to a temporary file and renamed: a reader sees all of one or none.
    * It is bounded in bytes; the entries used longest ago are removed first.
    * It never stops a question: any failure of the cache means "not kept".
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import threading
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

import msgspec

from kleis import durable_files
from kleis.core import Term
from kleis.core.canonical_bytes import digest_of
from kleis.core.goal import Goal
from kleis.decoding import decode_msgpack
from kleis.installed_versions import version_of, versions
from kleis.prover.protocol.verdict import Verdict

__all__ = ["SHORT_KEY", "RecentVerdicts", "VerdictCache", "Verdicts", "key_of", "solver_versions"]

SHORT_KEY = 24
"""The number of characters of a key that name an entry."""

_SUFFIX = ".verdict"
_UNFINISHED = ".part"
_CHECKSUM = 16
_NEVER_KEPT = ("killed", "memory", "contradiction")
_SOLVERS = {"z3-solver": "z3", "cvc5": "cvc5"}
"""The packages of solvers, and what they are imported as."""


def key_of(goal: Goal, lemmas: Sequence[Term], options: str) -> str:
    """The key of a question: a SHA-256."""
    warnings = [each.message for each in goal.warnings]
    parts = (digest_of(goal, lemmas), warnings, options, solver_versions(), _sources())
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()


def solver_versions() -> tuple[tuple[str, str], ...]:
    """The solvers that are installed, with their versions."""
    listed = versions()
    found = []
    for name, module in _SOLVERS.items():
        if name in listed:
            found.append((name, listed[name]))
        elif find_spec(module) is not None:
            with contextlib.suppress(ImportError):
                found.append((name, version_of(name)))
    return tuple(found)


class Verdicts(Protocol):
    """Where a prover keeps verdicts, by key."""

    def get(self, key: str) -> Verdict | None:
        """The verdict that was kept under a key; None if there is none."""
        ...

    def put(self, key: str, verdict: Verdict) -> bool:
        """Keep a verdict if it may be kept, and say whether it was."""
        ...


class RecentVerdicts:
    """The last verdicts of one process, so that a lemma of several claims is proved once. Safe in threads."""

    def __init__(self, most: int = 500) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._kept: dict[str, Verdict] = {}

    def get(self, key: str) -> Verdict | None:
        """The verdict that was kept under a key; None if there is none."""
        return self._kept.get(key)

    def put(self, key: str, verdict: Verdict) -> bool:
        """Keep a verdict if it may be kept, in place of the oldest, and say whether it was."""
        if verdict.status == "error" or verdict.reason in _NEVER_KEPT:
            return False
        with self._lock:
            self._kept.pop(key, None)
            self._kept[key] = msgspec.structs.replace(verdict, cached=False, certificate="")
            while len(self._kept) > self._most:
                del self._kept[next(iter(self._kept))]
        return True


class VerdictCache:
    """A directory of verdicts.  `capacity` bounds the bytes of all entries, and an eighth of it each."""

    def __init__(self, directory: Path, *, capacity: int = 32 * 1024 * 1024) -> None:
        self._directory = directory
        self._capacity = capacity
        self._ready: bool | None = None
        self._size: int | None = None

    def get(self, key: str) -> Verdict | None:
        """The verdict that was kept under a key; None if there is none."""
        if not self._usable():
            return None
        path = self._directory / (key + _SUFFIX)
        try:
            payload = path.read_bytes()
        except OSError:
            return None
        verdict = _decoded(payload)
        with contextlib.suppress(OSError):
            if verdict is None:
                path.unlink()
            else:
                os.utime(path)
        return verdict

    def find(self, start: str) -> Verdict | None:
        """The verdict whose key begins so; None if there is none, or more than one."""
        if len(start) < SHORT_KEY or not set(start) <= set("0123456789abcdef") or not self._usable():
            return None
        try:
            found = [name for name in os.listdir(self._directory) if name.startswith(start)]
        except OSError:
            return None
        keys = [name.removesuffix(_SUFFIX) for name in found if name.endswith(_SUFFIX)]
        return self.get(keys[0]) if len(keys) == 1 else None

    def put(self, key: str, verdict: Verdict) -> bool:
        """Keep a verdict if it may be kept, and say whether it was."""
        if verdict.status == "error" or verdict.reason in _NEVER_KEPT or not self._usable():
            return False
        try:
            body = msgspec.msgpack.encode(msgspec.structs.replace(verdict, cached=False, certificate=""))
        except UnicodeEncodeError:
            return False  # a lone surrogate, out of a text that came from no file
        if len(body) > self._capacity // 8:
            return False
        with contextlib.suppress(OSError):
            self._make_room(len(body) + _CHECKSUM)
            path = self._directory / (key + _SUFFIX)
            durable_files.write_whole(path, _checksum(body) + body, durable=False, suffix=_UNFINISHED)
            return True
        return False

    def _usable(self) -> bool:
        """Whether the directory exists and only this user can write to it."""
        if self._ready is None:
            try:
                self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
                status = os.lstat(self._directory)
            except OSError:
                self._ready = False
            else:
                ours = not hasattr(os, "getuid") or status.st_uid == os.getuid()
                closed = not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
                self._ready = stat.S_ISDIR(status.st_mode) and ours and closed
        return self._ready

    def _make_room(self, size: int) -> None:
        """Remove the entries used longest ago until `size` fits.  Others may write too: their entries are counted
        whenever the directory is read, which is when it seems to be full."""
        if self._size is None or self._size + size > self._capacity:
            found = sorted(self._entries())
            self._size = sum(length for _, length, _ in found)
            # An eighth more than needed, so that a full directory is not read again for every entry.
            limit = self._capacity if self._size + size <= self._capacity else self._capacity * 7 // 8
            for _, length, path in found:
                if self._size + size <= limit:
                    break
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(path)
                self._size -= length
        self._size += size

    def _entries(self) -> Iterator[tuple[float, int, str]]:
        """Entries, and files that ended writers left: time of last use, bytes, path."""
        with os.scandir(self._directory) as found:
            for entry in found:
                with contextlib.suppress(OSError):
                    status = entry.stat(follow_symlinks=False)
                    if entry.name.endswith((_SUFFIX, _UNFINISHED)) and stat.S_ISREG(status.st_mode):
                        yield status.st_mtime, status.st_size, entry.path


def _decoded(payload: bytes) -> Verdict | None:
    checksum, body = payload[:_CHECKSUM], payload[_CHECKSUM:]
    if checksum != _checksum(body):
        return None
    try:
        return decode_msgpack(body, Verdict)
    except (msgspec.DecodeError, RecursionError):
        return None


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_CHECKSUM).digest()


@lru_cache(maxsize=1)
def _sources() -> str:
    """A digest of the sources of this package: most modules take part in elaboration or proof, so all count."""
    root = os.path.dirname(os.path.dirname(__file__))
    parts: list[str] = []
    folders = [root]
    while folders:
        with os.scandir(folders.pop()) as found:
            for entry in found:
                if entry.name.endswith((".py", ".lark")):
                    status = entry.stat()
                    parts.append(f"{entry.path[len(root) :]} {status.st_size} {status.st_mtime_ns}")
                elif entry.name != "__pycache__" and entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
    return hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()
