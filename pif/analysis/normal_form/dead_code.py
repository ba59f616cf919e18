"""Parts of a term that never run or whose value is never used.

Only what is certain is told: a branch whose condition is a constant, the second operand of an `and` or `or` that the
first decides, the function of a `fold` over no items, a `let` whose name nothing can see. Replacing such a part (and,
of a `let`, a value that is found without an error) changes no answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Literal

import msgspec

from pif.analysis.facts import holds_live, live_parts
from pif.analysis.normal_form.normalize import normalize
from pif.analysis.work import Work
from pif.language.errors import Path, longer, pointer
from pif.language.terms import Term, part_keys

__all__ = ["MOST", "DeadCode", "dead_code"]

MOST = 200
"""Dead parts that are told: their places alone could be much longer than the term."""

_CONDITION = 200
"""Nodes of a condition that is looked into."""

Kind = Literal["never_runs", "never_used"]


class DeadCode(msgspec.Struct, frozen=True):
    """A part, and why it is dead."""

    path: str
    kind: Kind
    reason: str


def dead_code(term: Term, work: Work | None = None) -> list[DeadCode]:
    """The dead parts of a term, in reading order, at most `MOST`; what is inside a part that never runs is not told again.

    A step of `work` is a node looked at, those of short conditions again. Raises `Unfinished`.
    """
    work = work or Work()
    work.done(term.nodes)
    return [DeadCode(pointer(path), kind, reason) for path, kind, reason in islice(_found(term, work), MOST)]


def _found(term: Term, work: Work) -> Iterator[tuple[Path, Kind, str]]:
    stack: list[tuple[Term, Path, int]] = [(term, None, 0)]
    unused = _Unused(term).lets
    while stack:
        part, path, level = stack.pop()
        dead: dict[int, tuple[Kind, str]] = {} if level else dict(_dead_parts(part, unused, work))
        inside = level + (part.op == "quote") - (part.op == "unquote")
        if part.op == "quote" and level == 0 and not any(live_parts(part.parts[0])):
            continue
        following = []
        for index, (inner, steps) in enumerate(zip(part.parts, part_keys(part), strict=True)):
            here = longer(path, steps)
            if index in dead:
                yield here, *dead[index]
            if index not in dead or dead[index][0] != "never_runs":
                following.append((inner, here, inside))
        stack.extend(reversed(following))


class _Unused:
    """One walk: `lets` are the ids of those `let`s in whose body neither their name nor an `eval` is live."""

    def __init__(self, term: Term) -> None:
        self.lets: set[int] = set()
        self._evals = 0
        self._uses: dict[str, list[int]] = {}
        self._walk(term, 0)

    def _walk(self, term: Term, level: int) -> None:
        op = term.op
        if level == 0:
            if op == "eval":
                self._evals += 1
            elif op == "var":
                if uses := self._uses.get(term.value):
                    uses[-1] += 1
                return
        inside = level + (op == "quote") - (op == "unquote")
        if level or op not in ("lam", "let"):
            for part in term.parts:
                self._walk(part, inside)
            return
        *outer, body = term.parts
        for part in outer:
            self._walk(part, 0)
        evals = self._evals
        scopes = self._uses.setdefault(term.value, [])
        scopes.append(0)
        self._walk(body, 0)
        if not scopes.pop() and self._evals == evals and op == "let":
            self.lets.add(id(term))


def _dead_parts(term: Term, unused: set[int], work: Work) -> Iterator[tuple[int, tuple[Kind, str]]]:
    """The parts of one operation that are dead, by their numbers."""
    match term.op:
        case "if":
            truth = _constant(term.parts[0], work)
            if truth is not None:
                yield (2 if truth else 1), ("never_runs", f"the condition is always {str(truth).lower()}")
        case "and" | "or":
            truth = _constant(term.parts[0], work)
            if truth is (term.op == "or"):
                yield 1, ("never_runs", f"the first operand is always {str(truth).lower()}")
        case "fold":
            items = term.parts[2]
            if items.op == "nil" or (items.op == "list" and not items.parts):
                yield 0, ("never_used", "the list is always empty, so the function is never called")
        case "let":
            if id(term) in unused:
                yield 0, ("never_used", f'nothing uses the name "{term.value[:60]}"')


def _constant(condition: Term, work: Work) -> bool | None:
    """The boolean that a condition always is, where that is plain."""
    if condition.nodes > _CONDITION:
        return None
    work.done(condition.nodes)
    if holds_live(condition, "eval"):
        return None
    normal = normalize(condition, work.done, work.look)
    return normal.value if normal.op == "literal" and type(normal.value) is bool else None
