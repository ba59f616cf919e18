"""The differences of two tools or versions: whether there are any, and their places (docs/reference/registry.md §6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from pif.analysis.normal_form.normalize import normalize
from pif.analysis.work import Unfinished, Work
from pif.language.terms import Json, Term, print_term, same_term
from registry.errors import RegistryError
from registry.records import ToolRecord
from registry.store.protocol import Lineage

if TYPE_CHECKING:
    from registry.tools.answer_shapes import DiffAnswer

__all__ = ["changes", "difference", "earlier_version"]

MOST = 200
"""Changes that are listed; a longer list would be less readable than the two terms."""


def earlier_version(record: ToolRecord, lineage: Lineage | None) -> str:
    """The reference of the version before one."""
    earlier = [v.version for v in lineage.versions if v.version < record.version] if lineage else []
    if not earlier:
        raise RegistryError(
            "invalid_argument", f"{record.reference} has no earlier version", tool=record.reference,
            hint="Name two tools or versions to compare.",
        )  # fmt: skip
    return f"{record.name}@{earlier[-1]}"


def difference(older: ToolRecord, newer: ToolRecord, before: Term, after: Term) -> dict[str, Json]:
    """How two tools or versions differ, given their terms."""
    same_normal_form: bool | None = None
    unfinished: list[str] = []
    try:
        same_normal_form = same_term(*(normalize(term, Work().done) for term in (before, after)))
    except Unfinished as error:
        unfinished = [f"normal_form: {error.reason}"]
    answer: DiffAnswer = {
        "type": "diff",
        "from": older.reference,
        "to": newer.reference,
        "same": older.hash == newer.hash,
        "same_normal_form": same_normal_form,
        "changes": changes(before, after),
    }
    if unfinished:
        answer["unfinished"] = unfinished
    return cast("dict[str, Json]", answer)


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
