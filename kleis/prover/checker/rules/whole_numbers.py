"""Whole numbers that terms write, and what is computed from some."""

from __future__ import annotations

from kleis import core

__all__ = ["WHOLE", "NotComputed", "applied", "repetition", "written_divisor", "written_number"]

WHOLE = (core.NATURAL, core.INTEGER)


class NotComputed(Exception):
    """A term that is not computed from remainders."""


def written_divisor(term: core.Term) -> int | None:
    """The written divisor of a remainder, if it is positive."""
    if isinstance(term, core.BuiltinCall) and term.operation.name == "mod" and term.sort in WHOLE:
        written = written_number(term.arguments[1])
        return written if written is not None and written > 0 else None
    return None


def written_number(term: core.Term) -> int | None:
    while isinstance(term, core.Coercion):
        term = term.term
    if isinstance(term, core.BuiltinCall) and term.operation.name == "negate":
        inner = written_number(term.arguments[0])
        return None if inner is None else -inner
    return term.value if isinstance(term, core.LiteralTerm) and type(term.value) is int else None


def applied(name: str, values: list[int]) -> int:
    match name, values:
        case "plus", [a, b]:
            return a + b
        case "minus", [a, b]:
            return a - b
        case "times" | "multiply", [a, b]:
            return a * b
        case "negate", [a]:
            return -a
    raise NotComputed


def repetition(base: int, modulus: int) -> tuple[int, int]:
    """From which exponent on powers repeat modulo a number, and after how many."""
    seen: dict[int, int] = {}
    value = 1 % modulus
    exponent = 0
    while value not in seen:
        seen[value] = exponent
        value = value * base % modulus
        exponent += 1
    return seen[value], exponent - seen[value]
