"""What has been prepared, by content: bounded memory, the least recently used dropped first. Safe in threads.

A tool keeps a weak reference to what was prepared for it, so that a run need not hash its code again.
"""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict

from pif.compiled.units import Prepared
from pif.language.terms import Term, identity
from pif.reference.machine import Tool

__all__ = ["Cache"]

_LIMIT = 64 * 2**20

Key = tuple[str, str | None, str | None]


class Cache:
    """Prepared code, at most about `limit` bytes of it."""

    def __init__(self, limit: int = _LIMIT) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._kept: OrderedDict[Key, Prepared] = OrderedDict()

    def ready(self, program: Tool | Term) -> Prepared | None:
        """What is at hand for a tool without any work."""
        if isinstance(program, Term) or program.prepared is None:
            return None
        found: Prepared | None = program.prepared()
        if found is not None:
            found.recent = True
        return found

    def prepared(self, program: Tool | Term) -> Prepared:
        """What is kept for a tool or a run's own code; a new entry where there is none."""
        ready = self.ready(program)
        if ready is not None:
            return ready
        owner = program if isinstance(program, Tool) else None
        term = program.term if isinstance(program, Tool) else program
        key = (identity(term), owner.label if owner else None, owner.reference if owner else None)
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                found = self._kept[key] = Prepared(term, owner)
            found.recent = True
        if owner is not None:
            owner.prepared = weakref.ref(found)
        return found

    def trim(self) -> None:
        """Drop entries until the limit is kept; one that was used since the last look is passed over once."""
        with self._lock:
            weight = sum(prepared.weight() for prepared in self._kept.values())
            while weight > self._limit and len(self._kept) > 1:
                key, prepared = self._kept.popitem(last=False)
                if prepared.recent:
                    prepared.recent = False
                    self._kept[key] = prepared
                else:
                    weight -= prepared.weight()

    def __len__(self) -> int:
        return len(self._kept)
