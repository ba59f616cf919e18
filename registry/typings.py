"""The types of registered tools, kept as long as they hold (pif-language.md §2; servers.md, `list`).

A tool's type depends on its code and on the tools that it names, so it is kept with the hashes of all of them, and
worked out again when one has changed. Nothing is stored: a type is a fact about a snapshot, not part of a tool.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

from pif.analysis.types.tool_types import Typing, typing_of
from registry.records import ToolRecord
from registry.tools.snapshot_tools import SnapshotTools

__all__ = ["TypeCache"]

_KEPT = 2_000


class TypeCache:
    """Types by name, version and hash, the least recently used dropped first. Safe in threads."""

    def __init__(self, kept: int = _KEPT) -> None:
        self._kept = kept
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[str, str], tuple[tuple[str | None, ...], Typing]] = OrderedDict()

    def typing(self, record: ToolRecord, tools: SnapshotTools) -> Typing:
        """What is known of the type of a registered tool."""
        key = (record.reference, record.hash)
        with self._lock:
            kept = self._known.get(key)
            if kept is not None:
                self._known.move_to_end(key)
        if kept is not None and kept[0] == _hashes(kept[1], tools):
            return kept[1]
        tool = tools.tool(record.reference)
        found = Typing(None, {}, (), (), ()) if tool is None else typing_of(tool, tools)
        with self._lock:
            self._known[key] = (_hashes(found, tools), found)
            while len(self._known) > self._kept:
                self._known.popitem(last=False)
        return found


def _hashes(typing: Typing, tools: SnapshotTools) -> tuple[str | None, ...]:
    """What the names that a type depends on stand for now."""
    records = [tools.find(name) for name in typing.depends]
    return tuple([f"{record.version} {record.hash}" if record else None for record in records])
