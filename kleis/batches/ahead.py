"""Workers asked ahead of this process: what a command will ask of the prover is on its way before the command comes to it.

    with Ahead(broker, opening, note=…) as ahead:
        about = ahead.about(Declarations.of(loading))
        ahead.ask([about.asked(each) for each in propositions])     # in threads of its own
        about.wait(proposition)                                     # until its answer is here, or nobody will give one
        Prover(loading.theory, elsewhere=ahead.arrived)             # decides, as ever

Invariants
    * Nothing here decides: a certificate that arrived takes the place of a search once it is checked
      (`kleis.batches.arrived`), and what was not asked, or not answered, is searched.
    * `wait` ends: when the answer is here, when it was given up, after `patience`, when `over` says so, and when this is
      closed.
    * `close` leaves no thread and no task behind.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Self

import msgspec

from kleis.batches.arrived import Arrived
from kleis.batches.questions import Asked, Declarations, digest_of_bytes
from kleis.batches.spread import QUIET, Opening, spread
from kleis.batches.tasks import tasks_of
from kleis.prover.process.broker import Broker
from kleis.syntax.printer.program import print_expression
from kleis.syntax.tree import Expression

__all__ = ["About", "Ahead"]

_SOON = 5
"""Questions that travel together where the first of them is waited for."""

_LOOK = 0.1
"""Seconds between looks at whether there is time left."""


class Ahead:
    """Questions about any number of theories that workers were asked.  Safe in threads.

    `opening` gives a pool for declarations by their digest (`kleis.batches.cluster.Cluster.opening`); `note` is told, for
    people, what went wrong with workers.  `seconds` says how long a worker may be at a task that is sent now, 0 for no limit;
    nobody waits longer than `patience` for one answer, and after one that did not come not until another has come.
    """

    def __init__(
        self,
        broker: Broker,
        opening: Callable[[Mapping[str, bytes]], Opening],
        *,
        effort: int = 1,
        note: Callable[[str], None] = lambda text: None,
        over: Callable[[], bool] = lambda: False,
        quiet: float = QUIET,
        seconds: Callable[[], float] = lambda: 0.0,
        patience: float = math.inf,
    ) -> None:
        self.arrived = Arrived(broker)
        self._seconds = seconds
        self._patience = patience
        self._opening = opening
        self._effort = effort
        self._note = note
        self._over = over
        self._quiet = quiet
        self._theories: dict[str, bytes] = {}
        self._waiting: dict[str, threading.Event] = {}
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._closed = threading.Event()
        self._in_vain: int | None = None
        self.asked = 0
        self.answered = 0

    def __str__(self) -> str:
        """How far the workers are; empty where nothing was asked of them."""
        return f"{self.answered} of {self.asked} answered by workers" if self.asked else ""

    def about(self, declarations: Declarations) -> About:
        """Workers as they are asked about these declarations."""
        data = msgspec.msgpack.encode(declarations)
        name = digest_of_bytes(data)
        self._theories[name] = data
        return About(self, name)

    def ask(self, questions: Sequence[Asked], *, smallest: int = 0) -> None:
        """Send questions to the workers, each once, and return at once.  Their theories were named by `about`.

        `smallest` questions travel together: few where an answer is waited for soon, else as many as usual.
        """
        with self._lock:
            new = {each.digest: each for each in questions}
            new = {digest: each for digest, each in new.items() if digest not in self._waiting}
            if not new or self._closed.is_set():
                return
            self._waiting.update((digest, threading.Event()) for digest in new)
            self.asked += len(new)
            thread = threading.Thread(
                target=self._spread, args=(list(new.values()), smallest), name="kleis-ahead"
            )
            self._threads.append(thread)
        thread.start()

    def wait(self, asked: Asked) -> None:
        """Wait for what was asked; at once where it was not."""
        event = self._waiting.get(asked.digest)
        if event is None or event.is_set() or self._in_vain == self.answered:
            return
        until = time.monotonic() + self._patience
        while not self._over() and not event.wait(_LOOK):
            if time.monotonic() > until:
                self._in_vain = self.answered
                return

    def close(self) -> None:
        """Ask no more, wait for nothing more, and name the workers whose certificates failed."""
        self._closed.set()
        with self._lock:
            threads, events = list(self._threads), list(self._waiting.values())
        for event in events:
            event.set()
        for thread in threads:
            thread.join()
        for text in self.arrived.complaints():
            self._note(text)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _spread(self, questions: Sequence[Asked], smallest: int) -> None:
        """Take in answers as they arrive; whatever happens, nobody waits for these questions afterwards."""
        try:
            tasks = tasks_of(questions, self._effort, smallest=smallest, seconds=self._seconds())
            needed = {name: self._theories[name] for task in tasks for name in task.theories}
            opening = self._opening(needed)
            for task, answer in spread(
                tasks, opening, note=self._note, quiet=self._quiet, stop=self._closed.is_set
            ):
                if answer is not None:
                    self.arrived.add(answer)
                    self.answered += len(answer.said)
                for asked in task.questions:
                    self._waiting[asked.digest].set()
        finally:
            for asked in questions:
                self._waiting[asked.digest].set()


class About(msgspec.Struct, frozen=True):
    """Workers that are asked about one theory, whose declarations have the digest `theory`."""

    ahead: Ahead
    theory: str

    def asked(self, proposition: Expression) -> Asked:
        """The question whether a proposition holds."""
        return Asked(print_expression(proposition), theory=self.theory)

    def ask(self, propositions: Sequence[Expression]) -> None:
        """Have workers look at propositions that will be asked here soon."""
        self.ahead.ask([self.asked(each) for each in propositions], smallest=_SOON)

    def wait(self, proposition: Expression) -> None:
        """Wait for what workers find of a proposition; at once where they were not asked."""
        self.ahead.wait(self.asked(proposition))
