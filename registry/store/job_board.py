"""What a database keeps of the jobs of running servers, so that one begun on one machine is looked at and stopped on another.

The work of a job is done by the process that began it; what is kept is how far it is, that its server is alive, the wish to
stop it, and its answer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Literal, Protocol

import msgspec

from registry.store.following import Following

__all__ = ["JobBoard", "KeptJob"]


class KeptJob(msgspec.Struct, frozen=True, kw_only=True):
    """A job as it is kept. `seconds`: since it began, or that it took; `silent`: since its server was seen; `answer`: JSON."""

    id: str
    client: str
    kind: str
    title: str
    status: Literal["in_progress", "done", "cancelled"]
    seconds: float
    silent: float
    message: str = ""
    answer: str | None = None


class JobBoard(Protocol):
    """Jobs of all servers over one database. Calls block, may come from any thread, and raise RegistryError."""

    def begin(self, job: KeptJob, *, age: float, most: int) -> None:
        """Keep a new job. Those that ended `age` seconds ago go, and of all that have ended the oldest beyond `most`."""
        ...

    def see(self, messages: Mapping[str, str]) -> frozenset[str]:
        """Note that these jobs go on, with how far they are; those of them that somebody wants stopped."""
        ...

    def end(self, number: str, status: Literal["done", "cancelled"], answer: str | None) -> None:
        """Keep how a job ended."""
        ...

    def find(self, number: str) -> KeptJob | None:
        """A job by its id."""
        ...

    def of(self, client: str) -> list[KeptJob]:
        """The jobs that a client began, the newest first, without their answers."""
        ...

    def unwanted(self, numbers: Collection[str]) -> frozenset[str]:
        """Those of some jobs that somebody wants stopped."""
        ...

    def follow(self, told: Callable[[], None]) -> Following | None:
        """Have `told` called after changes; see `registry.store.protocol.Store.follow`."""
        ...

    def stop(self, number: str) -> None:
        """Want a job stopped: its server learns it at once where changes are told of, else when it is seen next."""
        ...
