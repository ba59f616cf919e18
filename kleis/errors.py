"""The exceptions of Kleis: one root, few leaves, each with a code, a place and a hint.

Every error says what was found, what was expected and what to try.  Lines and columns are 1-based and count
code points; line 0 means that there is no place.  `str(error)` is one line, `error.render(text)` adds the
source line and a caret, `error.as_dict()` is the JSON form used by ``kleis … --json``.
See docs/reference/kleis.md §4.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

__all__ = [
    "BudgetError",
    "EvaluationError",
    "KleisError",
    "LoadError",
    "ParseError",
]


class KleisError(Exception):
    """The root.  `code` is stable and meant for programs; `message` and `hint` are meant for people.

    `warnings` are those of the answer that the error stands for, where it is raised instead of answered.
    """

    warnings: tuple[dict[str, str], ...] = ()

    def __init__(
        self,
        message: str,
        *,
        code: str,
        file: str = "<text>",
        line: int = 0,
        column: int = 0,
        end_line: int = 0,
        end_column: int = 0,
        found: str = "",
        expected: tuple[str, ...] = (),
        hint: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.file = file
        self.line = line
        self.column = column
        self.end_line = end_line or line
        self.end_column = end_column or column
        self.found = found
        self.expected = expected
        self.hint = hint

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Self:
        """The error that `as_dict` shows, as far as the fields are there."""
        known = {name: fields[name] for name in _FIELDS if name in fields}
        known["expected"] = tuple(known.get("expected", ()))
        return cls(str(fields["message"]), **{"code": "error", **known})

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.line else ""
        return f"{place}{self.message}" + (f" ({self.hint})" if self.hint else "")

    def render(self, text: str) -> str:
        """The message with its source line and a caret under the place."""
        lines = [f"{self.file}:{self.line}:{self.column}: {self.message}" if self.line else self.message]
        source = text.split("\n")
        if 0 < self.line <= len(source):
            lines += _pointer(source[self.line - 1].rstrip("\r"), self)
        if self.expected:
            lines.append(f"  expected: {', '.join(self.expected)}")
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """The error as JSON values."""
        return {
            "severity": "error",
            "code": self.code,
            "message": self.message,
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "end_line": self.end_line,
            "end_column": self.end_column,
            "found": self.found,
            "expected": list(self.expected),
            "hint": self.hint,
        }


_FIELDS = ("code", "file", "line", "column", "end_line", "end_column", "found", "expected", "hint")


class ParseError(KleisError):
    """A text that does not parse.  `others` are the further errors of the same text, in order of place."""

    others: tuple[ParseError, ...] = ()


class LoadError(KleisError):
    """A program that cannot be put together: a missing import, a cycle, a clash of declarations."""


class EvaluationError(KleisError):
    """An evaluation that has no value: a partial operation outside its domain, no matching case, …"""


class BudgetError(KleisError):
    """An evaluation that was stopped because it used up its steps, depth or size."""


_WINDOW = 100
"""The longest piece of a source line shown, so that one-line megabyte files stay readable."""


def _pointer(source_line: str, error: KleisError) -> list[str]:
    start = error.column - 1
    first = max(0, start - _WINDOW // 2) if len(source_line) > _WINDOW else 0
    shown = source_line[first : first + _WINDOW]
    width = error.end_column - error.column if error.end_line == error.line else len(source_line) - start
    carets = "^" * max(1, min(width, first + len(shown) - start))
    padding = "".join("\t" if character == "\t" else " " for character in shown[: start - first])
    return [f"  {shown}", f"  {padding}{carets}"]
