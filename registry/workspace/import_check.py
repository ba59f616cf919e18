"""What is imported, before it is kept: spelled as its namespace asks, and its examples run on its code. What a file says of itself
is not believed.

Code and hash of a version may have been replaced together; the examples then tell, as far as they reach. And those of the
tools of the home that use what changes, as when a tool is evolved.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence

import msgspec

from kleis.decoding import decode_json
from pif.analysis.facts import facts_of
from pif.language.budget import Budget
from pif.language.decode import decode_text
from pif.language.host import Tool
from pif.language.terms import identity, term_text
from registry.errors import RegistryError
from registry.records import (
    NO_LAWS,
    NOT_CHECKED,
    KeptLaw,
    ToolRecord,
    full_name,
    laws_text,
    own_name,
    read_laws,
)
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
from registry.tools.snapshot_tools import SnapshotTools, TeamTools, TermCache
from registry.workspace.dependants import CHECK_FUEL, check_users, reject_broken

__all__ = ["check_imported", "spelled_for_team"]


def spelled_for_team(lineages: Sequence[Lineage], tools: TeamTools) -> tuple[list[Lineage], list[str]]:
    """Lineages under the names of a team, their code with names in full; and the versions whose code is another by that.

    A plain name is a tool of the team or one that comes with it, else the library's. A version whose code is another keeps the
    texts of its laws alone: its certificates are about the code that it had. Raises `not_allowed` where code names what a team
    may not.
    """
    coming = {each.name for each in lineages}
    spelled: list[Lineage] = []
    changed: list[str] = []
    for lineage in lineages:
        name = full_name(tools.team, lineage.name)
        versions: list[ToolRecord] = []
        for record in lineage.versions:
            named = msgspec.structs.replace(record, name=name)
            made = _in_full(named, tools, coming)
            if made is not named:
                changed.append(made.reference)
            versions.append(made)
        spelled.append(Lineage(name, lineage.current, tuple(versions)))
    return spelled, changed


def _in_full(record: ToolRecord, tools: TeamTools, coming: Container[str]) -> ToolRecord:
    """A record with the names in its code in full; itself where they were."""
    try:
        term = tools.spelled(decode_text(record.code), coming)
    except RegistryError as error:
        raise RegistryError(
            error.kind, f"{record.reference} cannot be taken in: {error.message}", place="directory",
            tool=record.reference, found=error.found, expected=error.expected,
            hint=f"{error.hint or ''} Nothing was imported.".strip(),
        ) from None  # fmt: skip
    code = term_text(term)
    if code == record.code:
        return record
    laws = tuple(KeptLaw(each.law, "claimed", reason=NOT_CHECKED) for each in read_laws(record.laws))
    return msgspec.structs.replace(
        record, code=code, hash=identity(term), capabilities=tuple(sorted(facts_of(term).capabilities)),
        laws=laws_text(laws) if laws else NO_LAWS,
    )  # fmt: skip


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
        for number, example in enumerate(decode_json(record.examples, tuple[Example, ...])):
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
                for name in {record.name, own_name(record.name)}:  # as a team's examples may say it
                    self._records[f"{name}@{record.version}"] = record
                    if record.version == lineage.current:
                        self._records[name] = record

    def tool(self, reference: str) -> Tool | None:
        """The tool for `name` or `name@version`, or None."""
        record = self._records.get(reference)
        return self._below.tool(reference) if record is None else self._cache.tool(record, reference)

    def nearest(self, name: str) -> str | None:
        """The name closest in spelling, for hints."""
        return self._below.nearest(name)
