"""The answer of `list`: tools of a store or of the library; and beside those of one's own, one's teams and what matches elsewhere."""

from __future__ import annotations

from typing import cast

from pif.analysis.work import STEPS, Work
from pif.language.terms import Json
from pif.run.evaluate import Answer
from registry.laws.on_evolve import current_laws
from registry.records import ToolRecord
from registry.store.protocol import Store, search_words
from registry.teams.member import Member
from registry.tools.snapshot_tools import SnapshotTools, TypeCache
from registry.workspace.answer_shapes import ToolListAnswer
from registry.workspace.requests import List

__all__ = ["ToolList"]

LISTED_STEPS = 5 * STEPS
"""Steps of the inference of all types that one `list` shows: about two seconds. A type is found once, then kept."""

LIBRARY_SHOWN = 10
"""Tools of the standard library that `list` shows beside those of the home."""

SHARED_SHOWN = 10
"""Tools of each team that `list` shows where something is looked for."""

THEORIES_SHOWN = 50
"""Names of shared theories that `list` shows of each team."""


class ToolList:
    """One answer over one snapshot; with the types of tools if `types`."""

    def __init__(self, store: Store, tools: SnapshotTools, known: TypeCache, *, types: bool) -> None:
        self._store = store
        self._tools = tools
        self._known = known
        self._work = Work(LISTED_STEPS) if types else None

    def answer(self, request: List, member: Member | None) -> Answer:
        """The tools that match; `member` says in which teams."""
        words, offset = search_words(request.query), request.offset
        found = self._tools.library.library.matching(words) if words or request.library else ()
        if request.library:
            total, records = len(found), found[offset : offset + request.limit]
        else:
            total, records = self._store.page(request.query, offset, request.limit)
        listed = [self._row(record) for record in records]
        answer: ToolListAnswer = {"type": "tools", "tools": listed, "total": total, "offset": offset}
        if words and not request.library:
            shown = [self._row(record) for record in found[:LIBRARY_SHOWN]]
            answer |= {"library": shown, "library_total": len(found)}
        if member is not None and not request.library:
            self._add_teams(member, request.query if words else "", answer)
        return cast(Answer, answer)

    def _add_teams(self, member: Member, query: str, answer: ToolListAnswer) -> None:
        """The member's teams, each with how many of its tools match; of something that is looked for, the first of them."""
        rows: list[dict[str, Json]] = []
        shared: list[dict[str, Json]] = []
        rights = member.rights()
        for store in member.stores():
            total, records = store.page(query, 0, SHARED_SHOWN)
            row: dict[str, Json] = {
                "team": store.team,
                "right": rights.get(store.team, "read"),
                "tools": total,
            }
            if not query and (theories := member.theories(store.team)):
                row["theories"] = [*theories[:THEORIES_SHOWN]]
            rows.append(row)
            shared += [self._row(record) for record in records] if query else []
        if rows:
            answer["teams"] = rows
            if query:
                answer["shared"] = shared

    def _row(self, record: ToolRecord) -> dict[str, Json]:
        """A tool as a row of `list`, with its type as far as there is work left."""
        row: dict[str, Json] = {
            "name": record.name,
            "version": record.version,
            "description": record.description,
            "capabilities": [*record.capabilities],
        }
        if self._work is not None:
            row["type"] = self._known.typing(record, self._tools, self._work).text
        if laws := current_laws(record, self._tools):
            row["laws"] = laws
        return row
