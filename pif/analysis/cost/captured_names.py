"""Which names a function captures: found for all functions of a term in one walk (docs/reference/pif.md §11)."""

from __future__ import annotations

from pif.analysis.work import Work
from pif.language.terms import Term

__all__ = ["CapturedNames"]

_Found = tuple[set[str], bool]


class CapturedNames:
    """The free names of each `lam` of the terms asked about."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._known: dict[int, frozenset[str] | None] = {}
        self._kept: list[Term] = []  # the id of a freed term could be another's

    def of(self, function: Term) -> frozenset[str] | None:
        """The free names of a `lam`; None where an `eval` inside may use any name."""
        if id(function) not in self._known:
            self._kept.append(function)
            self._walk(function, 0)
        return self._known[id(function)]

    def _walk(self, term: Term, level: int) -> _Found:
        """The free names of a term, in a set of the caller's, and whether an `eval` in it is live."""
        self._work.done()
        op = term.op
        if op == "var":
            return ({term.value} if level == 0 else set()), False
        evaluates = level == 0 and op == "eval"
        inside = level + (op == "quote") - (op == "unquote")
        binds = level == 0 and op in ("lam", "let")
        names: set[str] = set()
        for place, part in enumerate(term.parts, 1):
            found, part_evaluates = self._walk(part, inside)
            evaluates = evaluates or part_evaluates
            if binds and place == len(term.parts):
                found.discard(term.value)
            if len(found) > len(names):
                names, found = found, names
            names |= found  # the smaller into the larger: no name is moved often
        if level == 0 and op == "lam":
            self._work.done(len(names) // 16)
            self._known[id(term)] = None if evaluates else frozenset(names)
        return names, evaluates
