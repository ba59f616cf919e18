"""The errors of a corpus.  See docs/reference/corpus.md §1.4."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from kleis.errors import KleisError
from kleis.spelling import nearest

__all__ = ["CorpusCode", "CorpusError", "not_found"]

CorpusCode = Literal[
    "corpus_not_found",
    "paper_not_found",
    "invalid_paper_id",
    "declaration_not_found",
    "malformed_artifact",
    "paper_exists",
    "invalid_argument",
]


class CorpusError(KleisError):
    """An error of a corpus.  `file` is the file at fault, relative to the corpus; `nearest` are other names."""

    def __init__(
        self,
        message: str,
        *,
        code: CorpusCode,
        file: str = "",
        found: str = "",
        expected: tuple[str, ...] = (),
        hint: str = "",
        nearest: tuple[str, ...] = (),
    ) -> None:
        super().__init__(message, code=code, file=file, found=found, expected=expected, hint=hint)
        self.nearest = nearest


def not_found(code: CorpusCode, what: str, name: str, known: Iterable[str], hint: str = "") -> CorpusError:
    """The error of an unknown name, with the nearest known names."""
    close = nearest(name, known)
    shown = name if len(name) <= 120 else name[:119] + "…"
    advice = f"did you mean {' or '.join(close)}?" if close else hint
    return CorpusError(f"{what} not found: {shown}", code=code, found=shown, hint=advice, nearest=close)
