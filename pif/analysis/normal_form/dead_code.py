"""Parts of a term that never run or whose value is never used.

Only what is certain is told: a branch whose condition is a constant, the second operand of an `and` or `or` that the
first decides, the function of a `fold` over no items, a `let` whose name nothing can see. Replacing such a part (and,
of a `let`, a value that is found without an error) changes no answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from pif.analysis.facts import free_names, holds_live, live_parts
from pif.analysis.normal_form.normalize import normalize
from pif.language.errors import Path, longer, pointer
from pif.language.terms import Term, part_keys

__all__ = ["DeadCode", "dead_code"]

_CONDITION = 200
"""Nodes of a condition that is looked into."""

Kind = Literal["never_runs", "never_used"]


class DeadCode(msgspec.Struct, frozen=True):
    """A part, and why it is dead."""

    path: str
    kind: Kind
    reason: str


def dead_code(term: Term) -> list[DeadCode]:
    """The dead parts of a term, in reading order; what is inside a part that never runs is not told again."""
    return [DeadCode(pointer(path), kind, reason) for path, kind, reason in _found(term)]


def _found(term: Term) -> Iterator[tuple[Path, Kind, str]]:
    stack: list[tuple[Term, Path, int]] = [(term, None, 0)]
    while stack:
        part, path, level = stack.pop()
        dead: dict[int, tuple[Kind, str]] = {} if level else dict(_dead_parts(part))
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


def _dead_parts(term: Term) -> Iterator[tuple[int, tuple[Kind, str]]]:
    """The parts of one operation that are dead, by their numbers."""
    match term.op:
        case "if":
            truth = _constant(term.parts[0])
            if truth is not None:
                yield (2 if truth else 1), ("never_runs", f"the condition is always {str(truth).lower()}")
        case "and" | "or":
            truth = _constant(term.parts[0])
            if truth is (term.op == "or"):
                yield 1, ("never_runs", f"the first operand is always {str(truth).lower()}")
        case "fold":
            items = term.parts[2]
            if items.op == "nil" or (items.op == "list" and not items.parts):
                yield 0, ("never_used", "the list is always empty, so the function is never called")
        case "let":
            body = term.parts[1]
            if term.value not in free_names(body) and not holds_live(body, "eval"):
                yield 0, ("never_used", f'nothing uses the name "{term.value[:60]}"')


def _constant(condition: Term) -> bool | None:
    """The boolean that a condition always is, where that is plain."""
    if condition.nodes > _CONDITION or holds_live(condition, "eval"):
        return None
    normal = normalize(condition, lambda nodes: None)
    return normal.value if normal.op == "literal" and type(normal.value) is bool else None
