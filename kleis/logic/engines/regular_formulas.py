"""Formulas over memberships of variables in regular languages, and over what is left open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import msgspec

from kleis.builtins.regular.regex import Node

__all__ = ["Formula", "In", "Many", "Not", "Open", "all_of", "any_of", "opposite"]


class In(msgspec.Struct, frozen=True):
    """That a variable is in a language."""

    variable: str
    node: Node


class Open(msgspec.Struct, frozen=True):
    """Something else, which may be true or false."""

    what: Any


class Not(msgspec.Struct, frozen=True):
    """The opposite."""

    part: Formula


class Many(msgspec.Struct, frozen=True):
    """A conjunction (`every`) or a disjunction of two parts or more."""

    every: bool
    parts: tuple[Formula, ...]


Formula: TypeAlias = bool | In | Open | Not | Many


def opposite(formula: Formula) -> Formula:
    """That a formula does not hold."""
    match formula:
        case bool():
            return not formula
        case Not(part=part):
            return part
        case _:
            return Not(formula)


def all_of(*parts: Formula) -> Formula:
    """That all hold."""
    return _many(True, parts)


def any_of(*parts: Formula) -> Formula:
    """That one holds."""
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
