"""Collecting the problems of one check, with the nearest spellings of what is unknown.

Invariant: work is bounded.  A text may have a million unknown names; the spellings nearest to the first fifty
different ones are looked for, and a name is reported once per place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

from kleis.problems import Place, Problem, Spanned, problem_at
from kleis.spelling import suggestion

__all__ = ["Report"]

_MOST_SUGGESTIONS = 50


class Report:
    """The problems found so far in one file."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._problems: dict[Problem, None] = {}
        self._hints: dict[tuple[str, str], str] = {}

    def problems(self) -> tuple[Problem, ...]:
        """All of them, in order of place."""
        return tuple(sorted(self._problems, key=lambda each: (each.line, each.column)))

    def error(
        self,
        node: Spanned,
        code: str,
        message: str,
        *,
        hint: str = "",
        found: str = "",
        related: tuple[Place, ...] = (),
    ) -> None:
        """Report what has no meaning."""
        self._add(node, code, message, "error", hint, found, related)

    def warn(
        self,
        node: Spanned,
        code: str,
        message: str,
        *,
        hint: str = "",
        found: str = "",
        related: tuple[Place, ...] = (),
    ) -> None:
        """Report what has a meaning that a person may not expect."""
        self._add(node, code, message, "warning", hint, found, related)

    def nearest(
        self, kind: str, name: str, candidates: Callable[[], Iterable[str]], otherwise: str = ""
    ) -> str:
        """A hint with the spellings nearest to a name; `kind` keeps apart what is looked for among what."""
        key = (kind, name)
        if key not in self._hints:
            if len(self._hints) >= _MOST_SUGGESTIONS:
                return otherwise
            self._hints[key] = suggestion(name, candidates())
        return self._hints[key] or otherwise

    def _add(
        self,
        node: Spanned,
        code: str,
        message: str,
        severity: Literal["error", "warning"],
        hint: str,
        found: str,
        related: tuple[Place, ...],
    ) -> None:
        problem = problem_at(
            node, self.file, message, code=code, severity=severity, hint=hint, found=found, related=related
        )
        self._problems[problem] = None
