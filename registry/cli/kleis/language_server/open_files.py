"""The texts that an editor has open: each read a moment after it changed, what is out of date given up.

A text goes through the same stages whenever it, or what it imports, changes: a short wait for the next key; reading, in a
thread; elaboration, in a process.  Diagnostics are published after each.  A change cancels the stages, kills the process, and
stops every proof about the text.

Invariant: everything here runs in the event loop, but for `read`, which one thread does, and proofs, in threads of their own.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import ParamSpec, TypeVar

from kleis.editing.outline import Proposition
from kleis.prover.process.broker import Broker
from kleis.prover.process.cancellable_broker import CancellableBroker
from kleis.prover.process.deadline import processors
from kleis.prover.protocol.engine import Answer
from registry.cli.kleis.language_server import elaboration
from registry.cli.kleis.language_server.elaboration import TextVersion
from registry.cli.kleis.language_server.project import Project, shown
from registry.cli.kleis.language_server.proving import Outcome, decide
from registry.cli.kleis.language_server.reading import Found, Reading, read
from registry.cli.kleis.language_server.text_positions import Units

__all__ = ["OpenFile", "OpenFiles"]

_MAY_TYPE_ON = 0.25
"""Seconds without a change before a text is read, unless something is asked about it."""

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

logger = logging.getLogger(__name__)


class OpenFile:
    """One text. `version` is the editor's; `ready` is for the reading of the present text."""

    def __init__(self, uri: str, path: Path | None, directory: Path | None) -> None:
        self.uri = uri
        self.path = path
        self.directory = directory
        self.name = shown(path) if path is not None else uri
        self.text = ""
        self.version: int | None = None
        self.ready: asyncio.Future[Reading] = asyncio.get_running_loop().create_future()
        self.hurry = asyncio.Event()
        self.last: Reading | None = None
        self.problems: tuple[Found, ...] = ()
        self.outcomes: dict[str, Outcome] = {}
        self.checks: dict[str, CancellableBroker] = {}
        self.task: asyncio.Task[None] | None = None

    def outcome_of(self, reading: Reading, proposition: Proposition) -> Outcome | None:
        """The verdict on a proposition, if it was decided and nothing that it depends on has changed."""
        return self.outcomes.get(reading.imports_key + proposition.key)


class OpenFiles:
    """The texts of one editor.

    `changed` is called with a file whenever something is known anew: its problems, a verdict, that a proof has begun.
    """

    def __init__(
        self,
        project: Project,
        changed: Callable[[OpenFile], None],
        *,
        units: Units = "utf-16",
        timeout: float = 30.0,
    ) -> None:
        self.project = project
        self.units: Units = units
        self.timeout = timeout
        self.files: dict[str, OpenFile] = {}
        self._changed = changed
        self._broker = Broker(niceness=5)
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="kleis-read")
        self._provers = ThreadPoolExecutor(max(2, processors()), thread_name_prefix="kleis-prove")

    # ── what the editor does ─────────────────────────────────────────────────────────────────────────────

    def open(self, uri: str, path: Path | None, text: str, version: int | None) -> None:
        """A text is open from now on."""
        self.close(uri)
        directory = None if path is not None else next(iter(self.project.folders), Path.cwd())
        self.files[uri] = OpenFile(uri, path, directory)
        self.change(uri, text, version)

    def change(self, uri: str, text: str, version: int | None) -> None:
        """A text has changed."""
        file = self.files.get(uri)
        if file is None:
            return
        file.text, file.version = text, version
        if file.path is not None:
            self.project.buffers[file.path] = text
        self._again(file)
        self._importers(file.path)

    def close(self, uri: str) -> None:
        """A text is no longer open: what is on disk counts again."""
        file = self.files.pop(uri, None)
        if file is None:
            return
        self._give_up(file)
        if file.path is not None:
            self.project.buffers.pop(file.path, None)
            self._importers(file.path)

    def disk_changed(self, paths: Iterable[Path]) -> None:
        """Files have changed on disk."""
        for path in paths:
            self._importers(path)

    async def stop(self) -> None:
        """Give up everything, and end the processes."""
        for file in self.files.values():
            self._give_up(file)
        await asyncio.get_running_loop().run_in_executor(None, self._broker.close)
        self._reader.shutdown(wait=False, cancel_futures=True)
        self._provers.shutdown(wait=False, cancel_futures=True)

    def _importers(self, path: Path | None) -> None:
        """Read the texts again that import a file."""
        for file in self.files.values():
            if path is not None and file.path != path and file.last is not None:
                imported = {each.path for each in file.last.loading.sources}
                if path in imported or not file.last.loading.ok:
                    self._again(file)

    def _give_up(self, file: OpenFile) -> None:
        if file.task is not None:
            file.task.cancel()
        file.ready.cancel()
        self.stop_checks(file.uri, lambda key: True, file)

    def _again(self, file: OpenFile) -> None:
        self._give_up(file)
        loop = asyncio.get_running_loop()
        file.ready = loop.create_future()
        file.hurry = asyncio.Event()
        file.task = loop.create_task(self._follow(file))

    # ── the stages ───────────────────────────────────────────────────────────────────────────────────────

    async def _follow(self, file: OpenFile) -> None:
        try:
            async with asyncio.timeout(_MAY_TYPE_ON):
                await file.hurry.wait()
        except TimeoutError:
            pass
        try:
            reading = await self.in_thread(
                read, self.project, file.text, file.name, file.path, file.directory, self.units
            )
        except Exception:  # a mistake of ours in one version of a text must not end the others
            logger.exception("reading %s failed", file.uri)
            file.ready.cancel()
            return
        file.last = reading
        known = {reading.imports_key + each.key for each in reading.propositions}
        file.outcomes = {key: each for key, each in file.outcomes.items() if key in known}
        file.problems = reading.problems
        file.ready.set_result(reading)
        self._changed(file)
        if reading.loading.ok:
            await self._elaborate(file)

    async def _elaborate(self, file: OpenFile) -> None:
        loop = asyncio.get_running_loop()
        begin = partial(
            self._broker.submit,
            elaboration.JOB,
            self.version_of(file),
            0,
            guards=elaboration.GUARDS,
            preload=elaboration.PRELOAD,
        )
        begun = loop.run_in_executor(None, begin)
        try:
            number, future = await asyncio.shield(begun)
        except asyncio.CancelledError:
            begun.add_done_callback(self._cancel_begun)
            raise
        try:
            answer = await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            self._broker.cancel(number)
            raise
        if answer.witness is None:
            logger.warning("%s was not elaborated: %s", file.uri, answer.detail or answer.reason)
            return
        file.problems = answer.witness
        self._changed(file)

    def _cancel_begun(self, begun: asyncio.Future[tuple[int, Future[Answer]]]) -> None:
        if not begun.cancelled() and begun.exception() is None:
            self._broker.cancel(begun.result()[0])

    def version_of(self, file: OpenFile) -> TextVersion:
        """The present text, for a process."""
        return TextVersion(
            file.text, file.name, file.path, file.directory, self.project.search, dict(self.project.buffers)
        )

    # ── questions ────────────────────────────────────────────────────────────────────────────────────────

    async def reading(self, uri: str) -> Reading | None:
        """The reading of the text that the editor has now; None where it has changed before it was read."""
        file = self.files.get(uri)
        if file is None:
            return None
        ready = file.ready
        file.hurry.set()
        try:
            return await asyncio.shield(ready)
        except asyncio.CancelledError:
            if ready.cancelled():
                return None
            raise

    async def in_thread(
        self, work: Callable[_Arguments, _Result], *arguments: _Arguments.args, **named: _Arguments.kwargs
    ) -> _Result:
        """The result of work that takes a while, done by the thread that reads."""
        return await asyncio.get_running_loop().run_in_executor(
            self._reader, partial(work, *arguments, **named)
        )

    async def check(self, uri: str, wanted: Callable[[Proposition], bool]) -> list[Outcome]:
        """Decide the propositions of a text that are wanted; none where the text changes meanwhile."""
        reading = await self.reading(uri)
        file = self.files.get(uri)
        if reading is None or file is None:
            return []
        asked = [each for each in reading.propositions if wanted(each)]
        found = await asyncio.gather(*(self._decided(file, reading, each) for each in asked))
        return [each for each in found if each is not None]

    def stop_checks(self, uri: str, wanted: Callable[[str], bool], file: OpenFile | None = None) -> None:
        """Stop proofs about a text, by their keys; they leave no verdict."""
        file = file or self.files.get(uri)
        if file is not None:
            for key in [each for each in file.checks if wanted(each)]:
                file.checks.pop(key).stop()

    async def _decided(self, file: OpenFile, reading: Reading, asked: Proposition) -> Outcome | None:
        key = reading.imports_key + asked.key
        if key in file.outcomes or key in file.checks:
            return file.outcomes.get(key)
        broker = file.checks[key] = CancellableBroker(self._broker)
        self._changed(file)
        outcome: Outcome | None = None
        try:
            outcome = await asyncio.get_running_loop().run_in_executor(
                self._provers, decide, self.version_of(file), reading.loading, asked, broker, self.timeout
            )
        finally:
            broker.stop()
            if file.checks.get(key) is broker:
                del file.checks[key]
            else:
                outcome = None
            if outcome is not None:
                file.outcomes[key] = outcome
            if file.last is reading and self.files.get(file.uri) is file:
                self._changed(file)
        return outcome
