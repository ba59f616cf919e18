"""How two terms differ: a list of places, for people and programs alike."""

from __future__ import annotations

from pif.terms import Json, Term, print_term

__all__ = ["changes"]

MOST = 200
"""Changes that are listed; a longer list would say less than the two terms."""


def changes(left: Term, right: Term) -> list[Json]:
    """The places where the printed forms differ: `{"path", "from", "to"}`, with `from` or `to` absent where a part
    exists on one side only. In reading order of the left side, at most `MOST`."""
    found: list[Json] = []
    _compare(print_term(left), print_term(right), "", found)
    return found[:MOST]


def _compare(left: Json, right: Json, path: str, found: list[Json]) -> None:
    if len(found) > MOST:
        return
    if isinstance(left, dict) and isinstance(right, dict) and _head(left) == _head(right):
        for key in [*left, *(key for key in right if key not in left)]:
            _part(left, right, key, path, found)
    elif isinstance(left, list) and isinstance(right, list):
        for i in range(max(len(left), len(right))):
            here = f"{path}/{i}"
            if i >= len(right):
                found.append({"path": here, "from": left[i]})
            elif i >= len(left):
                found.append({"path": here, "to": right[i]})
            else:
                _compare(left[i], right[i], here, found)
    elif type(left) is not type(right) or left != right:
        found.append({"path": path, "from": left, "to": right})


def _head(data: dict[str, Json]) -> tuple[str, ...]:
    """The operation keys of an object: two nodes with different ones differ as wholes."""
    return tuple(sorted(data))


def _part(left: dict[str, Json], right: dict[str, Json], key: str, path: str, found: list[Json]) -> None:
    here = f"{path}/{key.replace('~', '~0').replace('/', '~1')}"
    _compare(left[key], right[key], here, found)
