"""What a loop's step surely asks of its accumulator: parts that it takes for lists in every step.

Where nothing is known of such a part before the loop, it is tested there, once, and is a list from then on: the first
step would have failed otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from pif.compiled.scope import Expression
from pif.language.terms import Term
from pif.language.values import ANY, Kind, part

__all__ = ["Path", "forgotten", "is_apart", "kind_at", "lists_asked", "part_at", "path_of", "with_list"]

Path = tuple[int, ...]
"""The way to a part of a pair in pairs: 0 for the first, 1 for the second."""

_ASKING = ("isEmpty", "head", "tail")
_FIRST_ALONE = ("if", "and", "or")
_NOTHING = ("lam", "quote")


def lists_asked(step: Term) -> frozenset[Path]:
    """The parts of its accumulator that a step, a `lam`, takes for lists whatever happens."""
    found = _asked(step.parts[0], {step.value: ()})
    return frozenset(path[1:] for path in found if path[:1] == (0,))


def _asked(term: Term, names: Mapping[str, Path]) -> Iterator[Path]:
    op, parts = term.op, term.parts
    if op in _NOTHING:
        return
    if op in _ASKING:
        path = path_of(parts[0], names)
        if path is not None:
            yield path
    if op == "let":
        yield from _bound(term.value, parts[0], parts[1], names)
    elif op == "app" and parts[0].op == "lam":
        yield from _bound(parts[0].value, parts[1], parts[0].parts[0], names)
    else:
        for each in parts[:1] if op in _FIRST_ALONE else parts:
            yield from _asked(each, names)


def _bound(name: str, value: Term, body: Term, names: Mapping[str, Path]) -> Iterator[Path]:
    yield from _asked(value, names)
    path = path_of(value, names)
    inner = {known: where for known, where in names.items() if known != name}
    yield from _asked(body, inner if path is None else {**inner, name: path})


def path_of(term: Term, names: Mapping[str, Path]) -> Path | None:
    """Which part of a step's argument a term is, by the names that stand for such parts."""
    if term.op == "var":
        return names.get(term.value)
    if term.op not in ("fst", "snd"):
        return None
    path = path_of(term.parts[0], names)
    return None if path is None else (*path, int(term.op == "snd"))


def kind_at(kind: Kind, path: Path) -> Kind:
    """The kind of a part."""
    for index in path:
        kind = part(kind, index)
    return kind


def with_list(kind: Kind, path: Path) -> Kind:
    """The kind of a pair of which a part is a list."""
    if not path:
        return ("list", ANY)
    parts = [part(kind, 0), part(kind, 1)]
    parts[path[0]] = with_list(parts[path[0]], path[1:])
    return ("pair", *parts)


def part_at(value: Expression, path: Path) -> Expression:
    """A part of a pair that is apart."""
    for index in path:
        assert value.parts is not None
        value = value.parts[index]
    return value


def is_apart(value: Expression, path: Path) -> bool:
    """Whether a part of a pair is at hand as a value of its own."""
    for index in path:
        if value.parts is None:
            return False
        value = value.parts[index]
    return value.parts is None and value.flat is None


def forgotten(value: Expression, path: Path) -> Expression:
    """The value without what is known of a part."""
    if not path:
        return replace(value, kind=ANY)
    assert value.parts is not None
    parts = [*value.parts]
    parts[path[0]] = forgotten(parts[path[0]], path[1:])
    return replace(value, kind=ANY, parts=(parts[0], parts[1]))
