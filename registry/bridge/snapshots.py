"""The theories that runs may ask, by the names of their sessions: one `TheorySnapshot` for each state of a session.

A session that has changed gets a new snapshot when it is next asked for; runs that have the old one keep it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable

from kleis.prover.process.broker import Broker
from kleis.prover.verdict_cache import VerdictCache
from kleis.theory.theory import Theory
from registry.oracles.theory_oracle import TheorySnapshot

__all__ = ["Snapshots"]

_KEPT = 8


class Snapshots:
    """`theory_of` gives the present theory of a session: the same object as long as nothing changed. What it raises
    for a bad name goes to whoever asks. The broker stays its owner's."""

    def __init__(
        self,
        theory_of: Callable[[str], Theory],
        *,
        broker: Broker | None = None,
        cache: VerdictCache | None = None,
    ) -> None:
        self._theory_of = theory_of
        self._broker = broker
        self._cache = cache
        self._lock = threading.Lock()
        self._known: OrderedDict[str, TheorySnapshot] = OrderedDict()

    def get(self, name: str) -> TheorySnapshot:
        """The snapshot of a session as it stands now."""
        theory = self._theory_of(name)
        with self._lock:
            found = self._known.get(name)
            if found is None or found.theory is not theory:
                found = TheorySnapshot(theory, name=name, broker=self._broker, cache=self._cache)
                self._known[name] = found
            self._known.move_to_end(name)
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)
            return found

    def close(self) -> None:
        """Stop whatever is being asked."""
        for snapshot in self._known.values():
            snapshot.close()
