"""Functions that make records of a few fields, for records whose names are written in code.

Generated code is given one for each such record by its table of constants: a display with the names in their places
takes a third of the time of a dictionary of names and values that are put together.
"""

from __future__ import annotations

from collections.abc import Callable

from pif.language.values import Record

__all__ = ["record_maker"]

Maker = Callable[..., Record]


def record_maker(names: tuple[str, ...]) -> Maker | None:
    """What makes a record of these names, in their order, from its values; None where they are many."""
    make = _MAKERS.get(len(names))
    return None if make is None else make(*names)


def _one(a: str) -> Maker:
    return lambda u: Record({a: u})


def _two(a: str, b: str) -> Maker:
    return lambda u, v: Record({a: u, b: v})


def _three(a: str, b: str, c: str) -> Maker:
    return lambda u, v, w: Record({a: u, b: v, c: w})


def _four(a: str, b: str, c: str, d: str) -> Maker:
    return lambda u, v, w, x: Record({a: u, b: v, c: w, d: x})


def _five(a: str, b: str, c: str, d: str, e: str) -> Maker:
    return lambda u, v, w, x, y: Record({a: u, b: v, c: w, d: x, e: y})


def _six(a: str, b: str, c: str, d: str, e: str, f: str) -> Maker:
    return lambda u, v, w, x, y, z: Record({a: u, b: v, c: w, d: x, e: y, f: z})


_MAKERS: dict[int, Callable[..., Maker]] = {1: _one, 2: _two, 3: _three, 4: _four, 5: _five, 6: _six}
