"""Errors and warnings about a program as a whole, as values.

A `Problem` has the JSON form of a `kleis.syntax.tree.Lint`, with `found`, `expected` and `related` added; see
docs/reference/kleis.md §4.1.

Invariant: a problem of severity "error" means that a proposition that depends on the place has no meaning.  The rest
of the program keeps its own, so problems are collected and checking goes on after the first.
"""

from __future__ import annotations

from typing import Any, Literal, Protocol

import msgspec

from kleis.errors import LoadError

__all__ = ["AnswerWarning", "Place", "Problem", "Spanned", "place_of", "problem_at"]


class Place(msgspec.Struct, frozen=True, order=True):
    """A place in a file; 1-based, line 0 where there is none."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


class Spanned(Protocol):
    """A node with a place in its text: every node of the syntax but `Program`."""

    @property
    def span(self) -> Spot: ...


class Spot(Protocol):
    """The part of a span that a place needs."""

    @property
    def line(self) -> int: ...

    @property
    def column(self) -> int: ...


class AnswerWarning(msgspec.Struct, frozen=True):
    """A warning that an answer carries: a reading that the writer may not have meant.

    Every entrance shows the same ones, before the answer, in this form: ``{"code", "message", "hint"}``. `code` is stable;
    `hint` says what to write instead, and is empty where there is nothing to do.
    """

    code: str
    message: str
    hint: str = ""

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message

    def as_dict(self) -> dict[str, str]:
        """The fields as JSON values."""
        return {"code": self.code, "message": self.message, "hint": self.hint}


class Problem(msgspec.Struct, frozen=True):
    """Something to report.  `code` is stable; `related` are the other places that it mentions."""

    severity: Literal["error", "warning"]
    code: str
    message: str
    hint: str
    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    found: str = ""
    expected: tuple[str, ...] = ()
    related: tuple[Place, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The fields as JSON values."""
        fields = msgspec.structs.asdict(self)
        fields["expected"] = list(self.expected)
        fields["related"] = [msgspec.structs.asdict(place) for place in self.related]
        return fields

    def as_error(self) -> LoadError:
        """The problem as an exception, for callers that cannot go on."""
        return LoadError(
            self.message,
            code=self.code,
            file=self.file,
            line=self.line,
            column=self.column,
            end_line=self.end_line,
            end_column=self.end_column,
            found=self.found,
            expected=self.expected,
            hint=self.hint,
        )


def place_of(node: Spanned, file: str) -> Place:
    """Where a node begins."""
    return Place(file, node.span.line, node.span.column)


def problem_at(
    node: Spanned,
    file: str,
    message: str,
    *,
    code: str,
    severity: Literal["error", "warning"] = "error",
    hint: str = "",
    found: str = "",
    expected: tuple[str, ...] = (),
    related: tuple[Place, ...] = (),
) -> Problem:
    """A problem at the beginning of a node, as wide as what was found there."""
    line, column = node.span.line, node.span.column
    width = max(1, len(found))
    return Problem(
        severity, code, message, hint, file, line, column, line, column + width, found, expected, related
    )
