"""The examples of tools that are imported, run on their code: what a file says of itself is not believed.

Code and hash of a version may have been replaced together; the examples then tell, as far as they reach. And those of the
tools of the home that use what changes, as when a tool is evolved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from pif.language.budget import Budget
from pif.language.host import Tool
from registry.errors import RegistryError
from registry.records import ToolRecord
from registry.store.protocol import Lineage, Store
from registry.tools.code_and_examples import (
    EXAMPLE_FUEL,
    Example,
    example_answer,
    fuel_of,
    holds,
    outcome_of,
    shown,
)
from registry.tools.snapshot_tools import SnapshotTools, TermCache
from registry.workspace.dependants import CHECK_FUEL, check_users, reject_broken

__all__ = ["check_imported"]


def check_imported(
    lineages: Sequence[Lineage],
    tools: SnapshotTools,
    cache: TermCache,
    store: Store | None,
    stop: Callable[[], bool] | None = None,
) -> None:
    """Run the examples of the current versions of imported tools, with all tools that come with them; then, with a
    `store`, those of its tools that use them.

    Raises `example_failed` for the first that does not hold, `too_busy` where they need too much fuel together. Versions
    that are not current may rely on tools as they were, and are not run.
    """
    view = _AsImported(lineages, tools, cache)
    left = CHECK_FUEL
    for lineage in lineages:
        (record,) = (each for each in lineage.versions if each.version == lineage.current)
        for number, example in enumerate(msgspec.json.decode(record.examples, type=tuple[Example, ...])):
            answer = example_answer(record.reference, example, view, Budget(fuel=EXAMPLE_FUEL))
            left -= fuel_of(answer)
            if left < 0:
                raise RegistryError(
                    "too_busy", "the examples of the imported tools need too much fuel together", place="directory",
                    tool=record.reference, found=f"more than {CHECK_FUEL}", expected=f"at most {CHECK_FUEL}",
                    hint="Import the tools in parts.",
                )  # fmt: skip
            if not holds(answer, example):
                raise RegistryError(
                    "example_failed",
                    f"{record.reference} does not keep its own example {number}: for {shown(example.given())} it gives "
                    f"{outcome_of(answer)}",
                    place=f"examples/{number}", tool=record.reference, found=outcome_of(answer),
                    expected=shown(example.output),
                    hint="Nothing was imported. Its code or its examples were changed after they were checked.",
                )  # fmt: skip

    changed = [lineage.name for lineage in lineages if _changes(lineage, tools)]
    if store is not None and changed:
        reject_broken(
            ", ".join(changed[:8]), check_users(changed, store, tools, view, stop), place="directory"
        )


def _changes(lineage: Lineage, tools: SnapshotTools) -> bool:
    """Whether a name may stand for other code after an import: it is here, and gains a version."""
    here = tools.snapshot.record(lineage.name)
    return here is not None and any(
        (known := tools.snapshot.record(each.name, each.version)) is None or known.hash != each.hash
        for each in lineage.versions
    )


class _AsImported:
    """The tools of an import, over those that are here."""

    def __init__(self, lineages: Sequence[Lineage], below: SnapshotTools, cache: TermCache) -> None:
        self._below = below
        self._cache = cache
        self._records: dict[str, ToolRecord] = {}
        for lineage in lineages:
            for record in lineage.versions:
                self._records[record.reference] = record
                if record.version == lineage.current:
                    self._records[record.name] = record

    def tool(self, reference: str) -> Tool | None:
        """The tool for `name` or `name@version`, or None."""
        record = self._records.get(reference)
        return self._below.tool(reference) if record is None else self._cache.tool(record, reference)

    def nearest(self, name: str) -> str | None:
        """The name closest in spelling, for hints."""
        return self._below.nearest(name)
