"""Workers of a cluster that `explore` asks ahead, as one call of the tool uses them (docs/reference/serving.md §5.13).

    with workers_of(site, snapshot, effort, search) as workers:
        explored(workers.snapshot, …, workers=workers.about, progress=workers.progress)["workers"] = workers.told()

The process of the search reaches the cluster once, and keeps the connection for the searches that come. What workers find is
checked here; where there is no cluster to be reached, or it does not answer, the call is answered here.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kleis.batches.ahead import About, Ahead
    from kleis.batches.kept_cluster import KeptCluster, Use
    from registry.oracles.theory_oracle import TheorySnapshot
    from registry.server.calls.search_process import Search
    from registry.server.contract.settings import Site

__all__ = ["Workers", "workers_of"]

_PATIENCE = 0.05
"""The part of a call's time after which an answer of a worker is not waited for."""

_QUIET = 0.25
"""The part of a call's time without any answer after which workers are given up."""

_MOST_QUIET = 120.0
_EVERY = 0.5
_NOTES = 5
_LONGEST_NOTE = 300
logger = logging.getLogger(__name__)


class Workers:
    """The workers of one call: what they do is progress, and what went wrong with them is noted and logged."""

    def __init__(
        self, cluster: KeptCluster, use: Use, snapshot: TheorySnapshot, about: About, search: Search
    ) -> None:
        self.snapshot = snapshot
        self.about = about
        self.notes: list[str] = []
        self._cluster = cluster
        self._use = use
        self._search = search
        self._at: tuple[int, int, str] = (0, 0, "")

    @property
    def _ahead(self) -> Ahead:
        return self.about.ahead

    def note(self, text: str) -> None:
        """Something went wrong with workers."""
        logger.warning("%s", text)
        shown = text if len(text) <= _LONGEST_NOTE else text[: _LONGEST_NOTE - 1] + "…"
        if shown not in self.notes and len(self.notes) < _NOTES:
            self.notes.append(shown)

    def progress(self, done: int, total: int, law: str) -> None:
        """The exploration has come so far."""
        self._at = (done, total, law)
        self.tell()

    def tell(self) -> None:
        """Say how far the exploration is, and what the cluster does."""
        done, total, law = self._at
        message = f"{law} · {self}" if law else str(self)
        self._search.progress(done, total or None, message)

    def __str__(self) -> str:
        ahead = self._ahead
        if not ahead.asked:
            return "workers: not asked yet"
        if not self._cluster.is_there:
            return "workers: not reached" if self.notes else "workers: being reached"
        count = self._use.threads
        by = "1 worker" if count == 1 else f"{count} workers"
        return f"{ahead.answered} of {ahead.asked} answered by {by}, {ahead.arrived.accepted} checked"

    def told(self) -> dict[str, Any]:
        """The field `workers` of the answer."""
        ahead = self._ahead
        found: dict[str, Any] = {
            "asked": ahead.asked,
            "answered": ahead.answered,
            "checked": ahead.arrived.accepted,
            "seconds": round(self._use.bound(), 1),
        }
        if self.notes:
            found["notes"] = list(self.notes)
        return found


@contextmanager
def workers_of(site: Site, snapshot: TheorySnapshot, effort: int, search: Search) -> Iterator[Workers | None]:
    """The workers of the server's cluster for a call about a theory; None where the server has none.

    Inside the block its time is told to `search` as it is used; afterwards nothing of the call is asked of them any more.
    """
    address = site.settings.cluster
    if not address:
        yield None
        return
    from kleis.batches.ahead import Ahead
    from kleis.batches.kept_cluster import LONGEST_TASK, Use
    from kleis.batches.questions import Declarations

    cluster = _kept(address)
    cluster.reach()
    use = Use(told=search.spent)
    made: list[Workers] = []

    def over() -> bool:
        # Nobody waits for a connection: what is not answered by workers is searched here meanwhile.
        return search.over() or not cluster.is_there

    ahead = Ahead(
        site.broker, cluster.opening(use), effort=effort, note=lambda text: made[0].note(text), over=over,
        quiet=min(_MOST_QUIET, search.seconds * _QUIET), patience=min(_MOST_QUIET, search.seconds * _PATIENCE), seconds=lambda: min(LONGEST_TASK, max(0.1, search.left())),
    )  # fmt: skip
    with closing(snapshot.helped(ahead.arrived)) as helped:
        workers = Workers(cluster, use, helped, ahead.about(Declarations.of_theory(helped.theory)), search)
        made.append(workers)
        try:
            with ahead, _telling(workers, use, search):
                yield workers
        finally:
            search.spent(use.bound())


@contextmanager
def _telling(workers: Workers, use: Use, search: Search) -> Iterator[None]:
    """Tell again and again, while nothing else does, what the cluster is doing and how much of it is used."""
    ended = threading.Event()

    def tell() -> None:
        said = ""
        while not ended.wait(_EVERY):
            if str(workers) != said:
                said = str(workers)
                workers.tell()
            search.spent(use.bound())

    teller = threading.Thread(target=tell, name="explore-workers", daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()


@cache
def _kept(address: str) -> KeptCluster:
    """The connection of this process."""
    from kleis.batches.kept_cluster import KeptCluster

    return KeptCluster(address)
