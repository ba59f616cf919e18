"""Files joined to one text, and which lines are whose: starting Lean takes longer than reading most files.

Each file stands in a section of its own, so that its notations and options end with it.  The WebAssembly Lean has no
compiler: everything is noncomputable.  A file that imports Mathlib stands below `stub.lean`; proofs by tactics of Mathlib
are left open there, and counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from kleis.lean.lean_file import imports_mathlib
from tests.lean.installation import HERE

__all__ = ["Bundle", "Part", "bundles"]

_LINES = 2_000
"""Lines of a bundle: about two minutes of a processor, so that what was read is soon written down."""

_CORE = "@[expose] public section\n"
_ELSEWHERE = re.compile(r"(^\s+|<;> )(?:ring|linarith|norm_num)$", re.MULTILINE)


class Part(msgspec.Struct, frozen=True):
    """A file within a bundle: its first and last line, and how many proofs were left open for want of Mathlib."""

    name: str
    first: int
    last: int
    left_open: int = 0


class Bundle(msgspec.Struct, frozen=True):
    """A text for one run of Lean."""

    text: str
    parts: tuple[Part, ...]
    stub: bool

    def place(self, line: int) -> tuple[str, int]:
        """The file that a line is of, and the line there."""
        for each in self.parts:
            if each.first <= line <= each.last:
                return each.name, line - each.first + 1
        return "", line


def bundles(files: Sequence[tuple[str, str]], *, mathlib: bool) -> Iterator[Bundle]:
    """Names and texts in bundles; with a Mathlib at hand, each file by itself as it is."""
    if mathlib:
        for name, text in files:
            yield Bundle(text, (Part(name, 1, text.count("\n")),), False)
        return
    for stub in (False, True):
        chosen = [(name, text) for name, text in files if imports_mathlib(text) == stub]
        for group in _groups(chosen):
            yield _joined(group, stub)


def _groups(files: Iterable[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    group: list[tuple[str, str]] = []
    lines = 0
    for name, text in files:
        count = text.count("\n")
        if group and lines + count > _LINES:
            yield group
            group, lines = [], 0
        group.append((name, text))
        lines += count
    if group:
        yield group


def _joined(files: Sequence[tuple[str, str]], stub: bool) -> Bundle:
    text = (HERE / "stub.lean").read_text(encoding="utf-8") if stub else _CORE
    parts: list[Part] = []
    for name, own in files:
        read, left_open = _ELSEWHERE.subn(r"\1sorry", own.removeprefix("import Mathlib\n"))
        text += "noncomputable section\n"
        if stub:
            text += "\n"  # where the import was: lines keep their numbers
        first = text.count("\n") + (0 if stub else 1)
        text += read + "end\n"
        parts.append(Part(name, first, text.count("\n") - 1, left_open))
    return Bundle(text, tuple(parts), stub)
