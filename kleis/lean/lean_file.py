"""An exported Lean file: its text, and the tables that lead from it back to Kleis.

A message of Lean at line L belongs to the last declaration that starts at or before L.  See docs/reference/lean.md §1.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from kleis.problems import Place

__all__ = ["LeanFile", "LineEntry", "NameEntry", "Omission", "TheoremEntry", "imports_mathlib"]


class NameEntry(msgspec.Struct, frozen=True):
    """A name of the theory, and the full name it has in Lean."""

    kleis: str
    lean: str
    kind: str


class LineEntry(msgspec.Struct, frozen=True):
    """Where a declaration stands in the text (lines from 1, both included), and where in Kleis."""

    line: int
    end_line: int
    name: str
    kind: str
    place: Place | None


class TheoremEntry(msgspec.Struct, frozen=True):
    """A proposition in the file.

    status
        ``sorry``: the proof is left open.  ``proof``: a proof was written.  ``refutation``: its negation stands in
        the file, with a countermodel or witness.
    method
        How the proof was made, which no Lean has checked; of a verified theorem without one, what it rests on.
    """

    name: str
    status: Literal["sorry", "proof", "refutation"]
    statement: str
    source: str
    method: str = ""


class Omission(msgspec.Struct, frozen=True):
    """A declaration or proposition that is not in the file, and why."""

    name: str
    reason: str
    place: Place | None = None


class LeanFile(msgspec.Struct, frozen=True, kw_only=True):
    """An exported file.

    level
        How far the file was checked: ``shape`` by our own checker, never more without a Lean.
    """

    text: str
    names: tuple[NameEntry, ...]
    lines: tuple[LineEntry, ...]
    sorries: int
    theorems: tuple[TheoremEntry, ...] = ()
    omitted: tuple[Omission, ...] = ()
    level: Literal["shape"] = "shape"

    def declaration_at(self, line: int) -> LineEntry | None:
        """The declaration that a message at a line of the text belongs to: the last that starts there or before."""
        found = None
        for each in self.lines:
            if each.line <= line:
                found = each
        return found

    def kleis_name(self, lean: str) -> str | None:
        """The Kleis name of a Lean name, full or without the namespace."""
        for each in self.names:
            if lean == each.lean or each.lean.endswith(f".{lean}"):
                return each.kleis
        return None

    def as_dict(self) -> dict[str, Any]:
        """The file as JSON values."""
        fields: dict[str, Any] = msgspec.to_builtins(self)
        return fields


def imports_mathlib(text: str) -> bool:
    """Whether an exported text is for a Lean with Mathlib; any other is core Lean."""
    return text.startswith("import Mathlib\n")
