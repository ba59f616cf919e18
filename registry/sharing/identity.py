"""What a tool means, as one hash: over its code, the names in it, and what each of these means (docs/reference/registry.md §3.1).

The code of a tool names others, and a name means what the registry says at the time. So equal code is not equal meaning; equal
identity is: it is a Merkle hash over the code's own hash and the identities of all that its names stand for.

- A tool outside of circles: SHA-256 of the JSON array `["pif-share1", HASH, [[NAME, IDENTITY], …]]`.
- Tools that name each other in a circle have no first one. Each begins with the SHA-256 of `["pif-share1-round", HASH, ROWS]`, where
  names within the circle have `0`; then, twice as many times as the circle has members, with the hashes of the round before in
  their place. The last is the identity. So many rounds tell any two circles of that size apart that can be told apart (Moore 1956).

Names of tools enter as they stand in code; those of the tools that have them do not: a tool by another name is the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

import msgspec

from kleis.strongly_connected import components
from pif.analysis.facts import facts_of
from pif.language.decode import decode_text
from registry.errors import RegistryError
from registry.records import ToolRecord

__all__ = ["PREFIX", "REACHED_AT_MOST", "Find", "Identities", "named_in"]

PREFIX: Final = "share1:"

REACHED_AT_MOST: Final = 2_000
"""Tools that one tool may name, directly or through others."""

_CIRCLE: Final = 100

Find = Callable[[str], ToolRecord | None]
"""What a name in code, with or without a version, means; None for nothing."""


def named_in(code: str) -> tuple[str, ...]:
    """The names that stand in `app` and `code_of` of a code, quoted or not, by code point; `self` is none of them."""
    return tuple(name for name in facts_of(decode_text(code)).tools)


class Identities:
    """The identities of the tools of one moment, as `find` knows them."""

    def __init__(
        self,
        find: Find,
        names: Callable[[ToolRecord], tuple[str, ...]] | None = None,
        known: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """`names` answers `named_in` of a record's code, for callers who have it already; `known`: identities of this moment, by
        `name@version`."""
        self._find = find
        self._names = names or (lambda record: named_in(record.code))
        self._known: dict[str, str] = {**known}

    def of(self, record: ToolRecord) -> str:
        """The identity of a tool. Raises `invalid_argument` where it reaches too many."""
        if record.reference not in self._known:
            self._compute(record)
        return self._known[record.reference]

    def named(self, record: ToolRecord) -> dict[str, ToolRecord | None]:
        """What each name in the code of a tool means."""
        return {name: self._find(name) for name in self._names(record)}

    def reached(self, record: ToolRecord) -> dict[str, ToolRecord]:
        """The tool and all that it names, directly or through others, by `name@version`."""
        found = {record.reference: record}
        waiting = [record]
        while waiting:
            for other in self.named(waiting.pop()).values():
                if other is not None and other.reference not in found:
                    found[other.reference] = other
                    waiting.append(other)
                    _check_number(record, len(found))
        return found

    def _compute(self, root: ToolRecord) -> None:
        records = {root.reference: root}
        edges: dict[str, dict[str, str | None]] = {}
        waiting = [root]
        while waiting:
            record = waiting.pop()
            meant = self.named(record)
            edges[record.reference] = {
                name: None if other is None else other.reference for name, other in meant.items()
            }
            for other in meant.values():
                if (
                    other is not None
                    and other.reference not in records
                    and other.reference not in self._known
                ):
                    records[other.reference] = other
                    waiting.append(other)
                    _check_number(root, len(records))
        graph = {
            reference: [each for each in targets.values() if each is not None]
            for reference, targets in edges.items()
        }
        for component in components(graph):
            self._component(component, records, edges)

    def _component(
        self,
        component: tuple[str, ...],
        records: Mapping[str, ToolRecord],
        edges: Mapping[str, Mapping[str, str | None]],
    ) -> None:
        alone = component[0]
        if len(component) == 1 and alone not in edges[alone].values():
            rows = [[name, None if to is None else self._known[to]] for name, to in edges[alone].items()]
            self._known[alone] = _hash("pif-share1", records[alone].hash, rows)
            return
        if len(component) > _CIRCLE:
            raise _too_many(records[alone], "tools that name each other in one circle", _CIRCLE)
        inside: dict[str, str | int] = dict.fromkeys(component, 0)
        for _ in range(2 * len(component) + 1):
            inside = {
                reference: _hash(
                    "pif-share1-round",
                    records[reference].hash,
                    [
                        [name, None if to is None else inside[to] if to in inside else self._known[to]]
                        for name, to in edges[reference].items()
                    ],
                )
                for reference in component
            }
        self._known.update({reference: str(hash_) for reference, hash_ in inside.items()})


def _hash(kind: str, code: str, rows: list[list[str | int | None]] | list[list[str | None]]) -> str:
    return PREFIX + hashlib.sha256(msgspec.json.encode([kind, code, rows])).hexdigest()


def _check_number(root: ToolRecord, number: int) -> None:
    if number > REACHED_AT_MOST:
        raise _too_many(root, "tools that it names, directly or through others", REACHED_AT_MOST)


def _too_many(root: ToolRecord, what: str, limit: int) -> RegistryError:
    return RegistryError(
        "invalid_argument", f"a tool cannot be shared that has too many {what}", tool=root.reference,
        found=f"more than {limit}", expected=f"{limit} at most", hint="Write it with fewer.",
    )  # fmt: skip
