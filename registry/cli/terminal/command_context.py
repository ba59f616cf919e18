"""What a command has: the home it works on, the form of its answer, where it writes. Imports no click.

Exit status: 0 a value or a continuation, 1 an error result, 2 usage, 130 interrupted (docs/reference/serving.md §9.5).
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from registry.cli.terminal.error_report import Texts, error_report
from registry.cli.terminal.process import FAILED, SUCCEEDED
from registry.cli.terminal.screen import Line, Screen, json_text
from registry.cli.terminal.sources import Sources
from registry.errors import RegistryError

if TYPE_CHECKING:
    from pif.language.warnings import Fractions
    from registry.home import Home
    from registry.store.protocol import Store
    from registry.workspace.workspace import Workspace

__all__ = ["Answer", "CommandContext", "answered", "interruptible"]

Answer = dict[str, Any]


class CommandContext:
    """One command under way. `closed`: which of the descriptors 0 to 2 were closed when the process started."""

    def __init__(
        self,
        *,
        home: Path | None,
        as_json: bool,
        store: str | None = None,
        fractions: Fractions = "round",
        closed: frozenset[int] = frozenset(),
    ) -> None:
        self._home = home
        self._store = store
        self.fractions = fractions
        self.closed = closed
        self.as_json = as_json
        self.screen = Screen()
        self.sources = Sources()

    def home(self) -> Home:
        """The home, and what chose it."""
        from registry.home import find_home

        return find_home(self._home)

    def store_url(self) -> str:
        """The URL of the database that holds the tools; empty for the home."""
        from registry.store.open_store import find_url

        return find_url(self._store)

    @contextmanager
    def workspace(self, *, changes: bool = True) -> Iterator[Workspace]:
        """The registry in the home, which is made where it is not there.

        A command that `changes` nothing also works where the home cannot be written: on what can be read of it, or,
        where there is no home yet, without tools of its own.
        """
        from pif.language.budget import COMMAND_FUEL
        from registry.access.principals import OWNER_NAME
        from registry.access.teams import TeamFile
        from registry.server.contract.machine_memory import memory_limit
        from registry.store.open_store import open_store
        from registry.teams.member import Member
        from registry.teams.team_stores import TeamStores
        from registry.workspace.workspace import Workspace

        with ExitStack() as ending:
            read_only = False
            try:
                store = open_store(self.home().path, self.store_url())
            except RegistryError:
                if changes or self.store_url():
                    raise
                store, read_only = self._readable(ending), True
            teams = TeamStores(self.home().path, self.store_url(), read_only=read_only)
            ending.callback(teams.close)
            memory = memory_limit() // 2
            workspace = Workspace(
                store,
                maximum_fuel=_maximum_fuel(memory),
                default_fuel=COMMAND_FUEL,
                memory=memory,
                fractions=self.fractions,
                member=Member(OWNER_NAME, TeamFile(self.home().path), teams),
            )
            ending.callback(workspace.close)
            yield workspace

    def _readable(self, ending: ExitStack) -> Store:
        """What can be read of a home that cannot be opened for writing."""
        from tempfile import TemporaryDirectory

        from registry.store.sqlite.read_only_store import ReadOnlyStore
        from registry.store.sqlite.sqlite_store import SqliteStore
        from registry.store.sqlite.traces import FILE_NAME

        home = self.home().path
        if os.path.lexists(home / FILE_NAME):
            return ReadOnlyStore(home)
        directory = ending.enter_context(TemporaryDirectory(prefix="pif-"))
        self.screen.print_error(f"warning: {home} cannot be written; this runs without tools of a home")
        return SqliteStore(Path(directory))

    def answer(
        self, answer: Answer, show: Callable[[Answer], None], texts: Texts | None = None, *, title: str = ""
    ) -> int:
        """Print an answer: as JSON, or for people by `show`, or as an error. Returns the exit status.

        `title` says which of several things an error is about.
        """
        failed = answer["type"] == "error"
        if self.as_json:
            self.screen.out.write(json_text(answer) + "\n")
            return FAILED if failed else SUCCEEDED
        for warning in answer.get("warnings", ()):
            self.screen.print_error(f"warning: {warning['message']}", f"  hint: {warning['hint']}")
        if failed:
            if title:
                self.screen.print_error(f"{title}:")
            self.print_error(answer["error"], texts or Texts())
        else:
            show(answer)
        return FAILED if failed else SUCCEEDED

    def print_error(self, error: dict[str, Any], texts: Texts) -> None:
        """Explain an error on standard error."""
        self.screen.print_error(*error_report(error, texts, width=self.screen.width))

    def say(self, *lines: Line) -> None:
        """Write a result's lines."""
        self.screen.write(*lines)


def _maximum_fuel(memory: int) -> int:
    """What one run may ask for: as PIF_MAX_FUEL says, else as much as the memory certainly holds."""
    from pif.language.budget import COMMAND_MAXIMUM_FUEL, RETAINED_BYTES

    asked = os.environ.get("PIF_MAX_FUEL", "")
    if not asked:
        return max(1, min(COMMAND_MAXIMUM_FUEL, memory // RETAINED_BYTES))
    if not (asked.isascii() and asked.isdigit() and len(asked) <= 18 and int(asked) > 0):
        raise RegistryError(
            "invalid_argument", "PIF_MAX_FUEL is no positive number", found=repr(asked[:40]),
            expected="a number such as 50000000", hint="Set it to a number, or do not set it.",
        )  # fmt: skip
    return int(asked)


@contextmanager
def interruptible() -> Iterator[threading.Event]:
    """An event that the first Ctrl-C sets; the second one interrupts as ever."""
    interrupted = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield interrupted
        return

    def on_interrupt(number: int, frame: object) -> None:
        interrupted.set()
        signal.signal(signal.SIGINT, previous)

    previous = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, previous)


def answered(context: CommandContext, work: Callable[[], int]) -> int:
    """The exit status of what a command does: errors of the registry are answers."""
    try:
        status = work()
        context.screen.out.flush()
        return status
    except RegistryError as error:
        return context.answer({"type": "error", "error": error.as_json()}, lambda answer: None)
