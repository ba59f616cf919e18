"""Jobs that are written down in a database, so that another machine tells of them and stops them.

What is written: that a job has begun, before its client hears of it; every `SEEN` seconds that it goes on, and how far it
is; and its answer. The same look learns which jobs somebody wants stopped. A job whose server has not been seen for
`LOST` seconds has been lost with it, and its answer says so.

Where the database does not answer, jobs go on: what could not be written is written at a later look.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping
from typing import Any, Literal, Protocol

import msgspec

from kleis.decoding import decode_json
from registry.errors import RegistryError
from registry.server.calls.waking import Waking
from registry.server.contract.group import Answer, JobView
from registry.store.following import Following
from registry.store.job_board import JobBoard, KeptJob

__all__ = ["LOST", "SEEN", "RecordedJobs", "Recording"]

SEEN = 2.0
"""Seconds between two looks while a job is under way. What is told of meanwhile is looked at then."""

LOST = 30.0
"""Seconds without a look after which the server of a job is taken to be gone: longer than a database that was restarted is away."""

MOST = 1_000
"""Jobs that have ended, of all servers, that are kept."""

LONGEST = 16 * 2**20
"""Characters of an answer that is kept."""

STOPPED_WITHIN = 20.0
"""Seconds that a client waits for a job on another machine to be stopped."""

logger = logging.getLogger(__name__)


class _Kept(msgspec.Struct, frozen=True):
    """An answer as it is kept; its object and its text each say all of it, so images beside them are left out."""

    structured: dict[str, Any]
    text: str
    is_error: bool = False
    rest: str = ""


class Recording(Protocol):
    """A job of this process, as it is written down."""

    id: str
    client: str
    kind: str
    title: str
    message: str
    answer: Answer | None
    is_cancelled: bool
    task: asyncio.Task[None] | None


class RecordedJobs:
    """The jobs of one server on the board of its database. Use it from one event loop."""

    def __init__(self, board: JobBoard, age: float, may_see: Callable[[str, str], bool]) -> None:
        """`age`: seconds for which answers are kept. `may_see`: whether a job of one client may be seen by another."""
        self._board = board
        self._age = age
        self._may_see = may_see
        self._running: dict[str, Recording] = {}
        self._unwritten: dict[str, Recording] = {}
        self._looking: asyncio.Task[None] | None = None
        self._closed = False
        self._follows = False
        self._following: Following | None = None
        self._waking = Waking()
        self._waiting: tuple[Waking, ...] = ()

    async def begun(self, job: Recording) -> None:
        """Write down that a job has begun. Raises RegistryError where that cannot be."""
        self._follow()
        kept = KeptJob(
            id=job.id, client=job.client, kind=job.kind, title=job.title, status="in_progress", seconds=0.0, silent=0.0,
            message=job.message,
        )  # fmt: skip
        await asyncio.to_thread(self._board.begin, kept, age=self._age, most=MOST)
        if job.task is not None:
            self._running[job.id] = job
            self._look()
        else:
            await self.ended(job)  # it was quicker than the database

    async def ended(self, job: Recording) -> None:
        """Write down how a job ended; at a later look if the database does not answer."""
        self._running.pop(job.id, None)
        try:
            await asyncio.to_thread(self._end, job)
        except RegistryError as error:
            logger.warning("the answer of job %s is not written down yet: %s", job.id, error)
            self._unwritten[job.id] = job
            self._look()

    def _end(self, job: Recording) -> None:
        status: Literal["done", "cancelled"] = "cancelled" if job.is_cancelled else "done"
        self._board.end(job.id, status, None if job.answer is None else _written(job.answer))

    def _look(self) -> None:
        if not self._closed and (self._looking is None or self._looking.done()):
            self._looking = asyncio.get_running_loop().create_task(self._looks())

    async def _looks(self) -> None:
        """Look until nothing is under way and all is written."""
        trouble = ""
        while self._running or self._unwritten:
            until = asyncio.get_running_loop().time() + SEEN
            try:
                while (left := until - asyncio.get_running_loop().time()) > 0:
                    await self._waking.within(left)
                    await self._stop_unwanted()
                await self.look()
                trouble = ""
            except RegistryError as error:
                if str(error) != trouble:
                    logger.warning("jobs go on without their database: %s", error)
                trouble = str(error)

    async def _stop_unwanted(self) -> None:
        """Stop what somebody wants stopped, where that was told of."""
        if self._running and self._is_told:
            self._stop(await asyncio.to_thread(self._board.unwanted, tuple(self._running)))

    def _stop(self, numbers: Collection[str]) -> None:
        for number in numbers:
            running = self._running.get(number)
            if running is not None and running.task is not None:
                running.task.cancel()

    @property
    def _is_told(self) -> bool:
        return self._following is not None and self._following.is_live

    def _follow(self) -> None:
        """Be told of changes of the board, from the first job on."""
        if not self._follows and not self._closed:
            self._follows = True
            self._following = self._board.follow(self._wake)

    def _wake(self) -> None:
        for each in (self._waking, *self._waiting):
            each.wake()

    async def look(self) -> None:
        """Write down what goes on, and stop what somebody wants stopped."""
        for job in list(self._unwritten.values()):
            await asyncio.to_thread(self._end, job)
            self._unwritten.pop(job.id, None)
        messages: Mapping[str, str] = {each.id: each.message for each in self._running.values()}
        if not messages:
            return
        self._stop(await asyncio.to_thread(self._board.see, messages))

    def close(self) -> None:
        """Look no more. What is under way is told as lost by the other servers."""
        self._closed = True
        if self._following is not None:
            self._following.close()
        if self._looking is not None:
            self._looking.cancel()

    # of all servers

    async def find(self, number: str, client: str) -> JobView | None:
        """A job of any server that this client may see."""
        kept = await asyncio.to_thread(self._board.find, number)
        return None if kept is None or not self._may_see(kept.client, client) else _view(kept)

    async def cancel(self, number: str, client: str) -> JobView | None:
        """Have a job stopped by its server, and wait for it a while."""
        view = await self.find(number, client)
        if view is None or view.status != "in_progress":
            return view
        self._follow()
        waking = Waking()
        self._waiting = (*self._waiting, waking)
        try:
            await asyncio.to_thread(self._board.stop, number)
            until = asyncio.get_running_loop().time() + STOPPED_WITHIN
            while (
                view is not None
                and view.status == "in_progress"
                and (left := until - asyncio.get_running_loop().time()) > 0
            ):
                await waking.within(min(left, SEEN if self._is_told else 0.2))
                view = await self.find(number, client)
        finally:
            self._waiting = tuple(each for each in self._waiting if each is not waking)
        return view

    async def of(self, client: str) -> list[JobView]:
        """The jobs of a client on any server, the newest first."""
        return [_view(each) for each in await asyncio.to_thread(self._board.of, client)]


def _written(answer: Answer) -> str:
    kept = _Kept(dict(answer.structured), answer.text, answer.is_error, answer.rest)
    text = msgspec.json.encode(kept).decode()
    if len(text) <= LONGEST:
        return text
    said = Answer.error(
        "internal",
        f"the answer has {len(text):,} characters, more than are kept",
        hint="Ask with wait: true.",
    )
    return _written(said)


def _view(kept: KeptJob) -> JobView:
    """A job as a group sees it."""
    answer, status = None, kept.status
    if status == "in_progress" and kept.silent > LOST:
        answer, status = _lost(), "done"
    elif kept.answer is not None:
        try:
            found = decode_json(kept.answer, _Kept)
            answer = Answer(found.structured, found.text, found.is_error, found.rest)
        except msgspec.DecodeError:
            answer = Answer.error(
                "store_error", "the answer of the job cannot be read", hint="Begin the job again."
            )
    return JobView(
        id=kept.id, kind=kept.kind, title=kept.title, status=status, seconds=kept.seconds, message=kept.message, answer=answer,
    )  # fmt: skip


def _lost() -> Answer:
    return Answer.error(
        "internal", "the server that did this job has ended, or cannot reach the database; its work is lost",
        hint="Begin the job again.",
    )  # fmt: skip
