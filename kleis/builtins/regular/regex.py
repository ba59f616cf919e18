"""Regular expressions over code points, matched by Brzozowski's derivatives.

There is no backtracking: one state per character read (kleis/builtins/regular/automaton.py keeps the states).
Complement and intersection cost no more than union.  The smart constructors keep states similar (unions sorted and
flat, sequences flat), which makes the number of states finite; a state is charged by its size. See
docs/reference/kleis.md §8.7.

A node is a tuple whose first item is its kind.  The kinds, with L(…) the language:

    ("none",)                 nothing                    ("any",)        every single code point
    ("text", s)               the string s               ("range", a, b) one code point from a to b
    ("then", r, …)            one after the other        ("or", r, …)    any of them
    ("and", r, …)             all of them                ("not", r)      every string but those of r
    ("loop", r, low, high)    low to high times r; high is None for "any number"
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, TypeAlias

from kleis.budget import Meter
from kleis.builtins.row import undefined
from kleis.values import Regex

__all__ = [
    "ANY",
    "EMPTY",
    "FULL",
    "NONE",
    "Node",
    "bounds_of",
    "characters_between",
    "derivative",
    "join",
    "loop",
    "measure",
    "meet",
    "negated",
    "nullable",
    "regex_value",
    "unite",
]

Node: TypeAlias = tuple[Any, ...]

NONE: Node = ("none",)
EMPTY: Node = ("text", "")
ANY: Node = ("any",)
FULL: Node = ("loop", ANY, 0, None)

_GREATEST_HEIGHT = 60


def join(*parts: Node) -> Node:
    """One after the other."""
    flat: list[Node] = []
    for part in parts:
        for piece in part[1:] if part[0] == "then" else (part,):
            if piece == NONE:
                return NONE
            if piece[0] == "text" and flat and flat[-1][0] == "text":
                flat[-1] = ("text", flat[-1][1] + piece[1])
            elif piece != EMPTY:
                flat.append(piece)
    return EMPTY if not flat else flat[0] if len(flat) == 1 else ("then", *flat)


def unite(*parts: Node) -> Node:
    """Any of them."""
    return _gathered("or", parts, neutral=NONE, absorbing=FULL)


def meet(*parts: Node) -> Node:
    """All of them."""
    return _gathered("and", parts, neutral=FULL, absorbing=NONE)


def _gathered(kind: str, parts: tuple[Node, ...], neutral: Node, absorbing: Node) -> Node:
    found: dict[Node, None] = {}
    for part in parts:
        for piece in part[1:] if part[0] == kind else (part,):
            if piece == absorbing:
                return absorbing
            if piece != neutral:
                found[piece] = None
    if not found:
        return neutral
    ordered = sorted(found, key=repr)
    return ordered[0] if len(ordered) == 1 else (kind, *ordered)


def negated(part: Node) -> Node:
    """Every string but those of `part`."""
    if part[0] == "not":
        inner: Node = part[1]
        return inner
    return FULL if part == NONE else NONE if part == FULL else ("not", part)


def loop(part: Node, low: int, high: int | None) -> Node:
    """`low` to `high` times `part`."""
    if high is not None and high < low:
        return NONE
    if high == 0 or part == EMPTY:
        return EMPTY
    if part == NONE:
        return EMPTY if low == 0 else NONE
    if low == 1 and high == 1:
        return part
    if part[0] == "loop" and part[2:] == (0, None) and low <= 1:
        return part
    return ("loop", part, low, high)


def measure(node: Node, meter: Meter) -> tuple[int, int]:
    """The size and the height of a node."""
    size, height = 0, 0
    pending = [(node, 1)]
    while pending:
        item, level = pending.pop()
        meter.charge(1)
        height = max(height, level)
        size += 1 + (len(item[1]) if item[0] == "text" else 0)
        pending.extend((part, level + 1) for part in item[1:] if isinstance(part, tuple))
    return size, height


def regex_value(node: Node, meter: Meter) -> Regex:
    """A node as a value; an error where it is too large or too deep."""
    known = _SHOWN.get(node)
    if known is not None:
        parts, size, text = known
        meter.charge(min(parts, max(meter.remaining, 0) + 1))  # one after the other, as `measure` does
        meter.admit(size, "a regular expression")
        return Regex(node, text)
    before = meter.remaining
    size, height = measure(node, meter)
    parts = before - meter.remaining
    meter.admit(size, "a regular expression")
    if height > _GREATEST_HEIGHT:
        raise undefined(f"a regular expression nested {height} deep", f"nest at most {_GREATEST_HEIGHT} deep")
    text = _text(node)
    if size <= _SMALL:
        if len(_SHOWN) >= _MOST_SHOWN:
            _SHOWN.clear()
        _SHOWN[node] = parts, size, text
    return Regex(node, text)


_SMALL = 5_000
_MOST_SHOWN = 500

_SHOWN: dict[Node, tuple[int, int, str]] = {}
"""The parts, size and text of small expressions: a definition makes the same one each time that it is called."""


def nullable(node: Node) -> bool:
    """Whether the empty string is in the language."""
    match node[0]:
        case "none" | "any" | "range":
            return False
        case "text":
            return not node[1]
        case "then" | "and":
            return all(map(nullable, node[1:]))
        case "or":
            return any(map(nullable, node[1:]))
        case "not":
            return not nullable(node[1])
        case _:
            return node[2] == 0 or nullable(node[1])


def derivative(node: Node, character: str) -> Node:
    """What may follow `character` in the language."""
    match node[0]:
        case "none":
            return NONE
        case "any":
            return EMPTY
        case "range":
            return EMPTY if node[1] <= character <= node[2] else NONE
        case "text":
            return ("text", node[1][1:]) if node[1][:1] == character else NONE
        case "then":
            return _derivative_of_sequence(node[1:], character)
        case "or":
            return unite(*[derivative(part, character) for part in node[1:]])
        case "and":
            return meet(*[derivative(part, character) for part in node[1:]])
        case "not":
            return negated(derivative(node[1], character))
        case _:
            part, low, high = node[1:]
            rest = loop(part, max(low - 1, 0), None if high is None else high - 1)
            return join(derivative(part, character), rest)


def _derivative_of_sequence(parts: tuple[Node, ...], character: str) -> Node:
    """A sequence begins with its first part, or with the next if that may be empty, and so on."""
    begun: list[Node] = []
    for index, part in enumerate(parts):
        begun.append(join(derivative(part, character), *parts[index + 1 :]))
        if not nullable(part):
            break
    return unite(*begun)


def _text(node: Node) -> str:
    """A node as a Kleis expression."""
    match node[0]:
        case "none":
            return "re_empty"
        case "any":
            return "re_allchar"
        case "text":
            return f"re_literal({_quoted(node[1])})"
        case "range":
            return f"re_range({_quoted(node[1])}, {_quoted(node[2])})"
        case "loop":
            return _loop_text(*node[1:])
        case kind:
            inside = ", ".join(_text(part) for part in node[1:])
            names = {"then": "re_concat", "or": "re_union", "and": "re_intersect", "not": "re_complement"}
            return f"{names[kind]}({inside})"


def _loop_text(part: Node, low: int, high: int | None) -> str:
    inside = _text(part)
    if high is None:
        star = "re_full" if part == ANY and low == 0 else f"re_star({inside})"
        if low <= 1:
            return f"re_plus({inside})" if low else star
        return f"re_concat(re_loop({inside}, {low}, {low}), re_star({inside}))"
    return f"re_loop({inside}, {low}, {high})"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


# Classes of characters.  The code points where literals and ranges begin and end cut the alphabet into classes that
# regular expressions do not tell apart; one character represents each class.


def bounds_of(node: Node) -> list[int]:
    """The code points at which a new class of characters begins."""
    found: set[int] = set()
    for low, high in _ranges_of(node):
        found.add(ord(low))
        found.add(ord(high) + 1)
    return sorted(each for each in found if 0 < each <= 0x10FFFF)


def _ranges_of(node: Node) -> Iterator[tuple[str, str]]:
    pending = [node]
    while pending:
        item = pending.pop()
        if item[0] == "range":
            yield item[1], item[2]
        elif item[0] == "text":
            yield from ((character, character) for character in set(item[1]))
        pending.extend(part for part in item[1:] if isinstance(part, tuple))


def characters_between(bounds: Iterable[int]) -> list[str]:
    """One character of each class that bounds cut the alphabet into: a usual one where the class has one."""
    cuts = sorted({0, 0x110000, *bounds})
    return [_readable(low, high) for low, high in pairwise(cuts)]


def _readable(low: int, high: int) -> str:
    """A character from `low` to below `high`, a usual one if there is one."""
    usual = (point for point in map(ord, _USUAL) if low <= point < high)
    surrogate = 0xD800 <= low < 0xE000
    return chr(next(usual, 0xE000 if surrogate and high > 0xE000 else low))


_USUAL = "ab01 .-/_"
