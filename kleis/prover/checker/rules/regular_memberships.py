"""Strings made of literals and variables, and whether they are in regular languages.

The literals before and behind the one variable of a string are removed from the language by derivatives from both ends.
See docs/reference/certificates.md §3.7.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import msgspec

from kleis.budget import Meter
from kleis.builtins.regular import regex
from kleis.builtins.regular.regex import EMPTY, FULL, NONE, Node, derivative, measure, nullable
from kleis.core import Variable

__all__ = [
    "Decide",
    "Formula",
    "In",
    "Many",
    "Not",
    "Open",
    "Pieces",
    "all_of",
    "any_of",
    "in_language",
    "joined",
    "member",
    "opposite",
    "same",
    "searched",
]

Pieces: TypeAlias = tuple["str | Variable", ...]


def joined(parts: Iterator[Pieces]) -> Pieces:
    """Pieces concatenated: adjacent literals joined, empty ones left out."""
    joined: list[str | Variable] = []
    for piece in (piece for part in parts for piece in part):
        if isinstance(piece, str) and joined and isinstance(joined[-1], str):
            joined[-1] += piece
        elif piece != "":
            joined.append(piece)
    return tuple(joined)


Decide: TypeAlias = Callable[[Sequence[Pieces], Meter], "Formula | None"]
"""The formula that some strings stand in a relation; None where it is no matter of languages."""


def in_language(node: Node) -> Decide:
    """Whether the one string is in a language."""
    return lambda pieces, meter: member(pieces[0], node, meter)


def searched(around: tuple[bool, bool]) -> Decide:
    """Whether the first string is the second, with anything before or behind it."""
    before, behind = (FULL if each else EMPTY for each in around)

    def decide(pieces: Sequence[Pieces], meter: Meter) -> Formula | None:
        whole, part = pieces
        if any(isinstance(each, Variable) for each in part):
            return True if whole == part else None
        return member(whole, regex.join(before, ("text", "".join(map(str, part))), behind), meter)

    return decide


def same(pieces: Sequence[Pieces], meter: Meter) -> Formula | None:
    """Whether two strings are equal."""
    left, right = pieces
    if left == right:
        return True
    for one, other in ((left, right), (right, left)):
        if all(isinstance(each, str) for each in one):
            return member(other, ("text", "".join(map(str, one))), meter)
    return None


def member(pieces: Pieces, node: Node, meter: Meter) -> Formula | None:
    """The formula that a string of these pieces is in a language; None where more than one piece is a variable."""
    places = [place for place, piece in enumerate(pieces) if isinstance(piece, Variable)]
    if len(places) > 1:
        return None
    place = places[0] if places else len(pieces)
    rest = _after("".join(map(str, pieces[:place])), node, meter)
    if not places:
        return nullable(rest)
    behind = "".join(map(str, pieces[place + 1 :]))
    if behind:
        rest = _backwards(_after(behind[::-1], _backwards(rest), meter))
    variable = pieces[place]
    assert isinstance(variable, Variable)
    if rest in (NONE, FULL):
        return rest == FULL
    return In(variable.name, rest)


def _after(text: str, node: Node, meter: Meter) -> Node:
    for character in text:
        measure(node, meter)
        node = derivative(node, character)
    return node


def _backwards(node: Node) -> Node:
    """The language of the reversed strings."""
    match node[0]:
        case "text":
            return ("text", node[1][::-1])
        case "then":
            return regex.join(*[_backwards(part) for part in reversed(node[1:])])
        case "or":
            return regex.unite(*[_backwards(part) for part in node[1:]])
        case "and":
            return regex.meet(*[_backwards(part) for part in node[1:]])
        case "not":
            return regex.negated(_backwards(node[1]))
        case "loop":
            return regex.loop(_backwards(node[1]), node[2], node[3])
        case _:
            return node


# ── Formulas over memberships and open atoms ────────────────────────────────────────────────────────────────


class In(msgspec.Struct, frozen=True):
    """A variable is in a language."""

    variable: str
    node: Node


class Open(msgspec.Struct, frozen=True):
    """An open atom, which may be true or false."""

    what: Any


class Not(msgspec.Struct, frozen=True):
    """A negation."""

    part: Formula


class Many(msgspec.Struct, frozen=True):
    """A conjunction (`every`) or a disjunction of two parts or more."""

    every: bool
    parts: tuple[Formula, ...]


Formula: TypeAlias = bool | In | Open | Not | Many


def opposite(formula: Formula) -> Formula:
    """The negation of a formula."""
    match formula:
        case bool():
            return not formula
        case Not(part=part):
            return part
        case _:
            return Not(formula)


def all_of(*parts: Formula) -> Formula:
    """The conjunction of formulas."""
    return _many(True, parts)


def any_of(*parts: Formula) -> Formula:
    """The disjunction of formulas."""
    return _many(False, parts)


def _many(every: bool, parts: Sequence[Formula]) -> Formula:
    kept: dict[Formula, None] = {}
    for part in parts:
        if part is (not every):
            return not every
        if part is not every:
            kept[part] = None
    if not kept:
        return every
    return next(iter(kept)) if len(kept) == 1 else Many(every, tuple(kept))
