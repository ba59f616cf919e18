"""Standard output and standard error as a command uses them.

Results go to standard output, everything else to standard error. Colours and tables are for terminals only, and
`NO_COLOR` is respected; what goes to a pipe or a file is plain text, independent of locale, terminal and window.
Text that others wrote is shown with its control characters escaped, so that it cannot control a terminal.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from registry.cli.terminal.characters import visible
from registry.cli.terminal.layout import WIDTH, Piece, Role

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Line", "Screen", "json_text"]

Line = Sequence[Piece] | str
"""A line to write: pieces with roles, or plain text."""

_STYLES: dict[Role, str] = {
    "plain": "",
    "operation": "bold cyan",
    "key": "cyan",
    "string": "green",
    "number": "magenta",
    "word": "yellow",
    "faint": "dim",
    "good": "green",
    "bad": "bold red",
    "strong": "bold",
}


def json_text(data: Any) -> str:
    """`data` as one line of JSON."""
    import msgspec

    from pif.language.budget import reserve_stack

    reserve_stack(4_000)
    try:
        return msgspec.json.encode(data).decode()
    except UnicodeEncodeError:  # a lone surrogate out of a refused argument
        import json

        return json.dumps(data, separators=(",", ":"))


class Screen:
    """The two streams, and whether each is a terminal."""

    def __init__(self) -> None:
        self.out: TextIO = sys.stdout
        self.err: TextIO = sys.stderr
        self.out_terminal = self.out.isatty()
        self.err_terminal = self.err.isatty()
        self._consoles: dict[bool, Console] = {}

    @property
    def width(self) -> int:
        """Columns for a layout: the terminal's, or a fixed number where there is none."""
        return max(40, self._console(error=False).width) if self.out_terminal else WIDTH

    def write(self, *lines: Line, error: bool = False) -> None:
        """Write lines to standard output, or to standard error."""
        stream = self.err if error else self.out
        if error:
            self.out.flush()  # keeps the order where both streams are one pipe
        if not (self.err_terminal if error else self.out_terminal):
            stream.write("".join(visible(_plain(line)) + "\n" for line in lines))
            return
        from rich.text import Text

        console = self._console(error=error)
        for line in lines:
            pieces = [Piece(line)] if isinstance(line, str) else line
            text = Text()
            for piece in pieces:
                text.append(visible(piece.text), style=_STYLES[piece.role])
            console.print(text, soft_wrap=True)

    def print_error(self, *lines: Line) -> None:
        """Write lines to standard error."""
        self.write(*lines, error=True)

    def table(self, titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """A table on a terminal; elsewhere the rows alone, one a line, with tabs between the cells."""
        if not self.out_terminal:
            self.write(*("\t".join(_one_line(cell) for cell in row) for row in rows))
            return
        from rich import box
        from rich.table import Table
        from rich.text import Text

        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
        for number, title in enumerate(titles):
            table.add_column(title, style="cyan" if number == 0 else "", no_wrap=number == 0)
        for row in rows:
            table.add_row(*(Text(visible(_one_line(cell))) for cell in row))
        self._console(error=False).print(table)

    @contextmanager
    def progress(self, title: str, total: int) -> Iterator[Callable[[int], None] | None]:
        """A function that reports steps done, or None where standard error is no terminal."""
        if not self.err_terminal or total < 1:
            yield None
            return
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=self._console(error=True), transient=True) as progress:
            task = progress.add_task(visible(title), total=total)
            yield lambda done: progress.update(task, completed=done)

    def _console(self, *, error: bool) -> Console:
        """Rich's console for a stream; it reads NO_COLOR and TERM itself."""
        if error not in self._consoles:
            from rich.console import Console

            no_color = bool(os.environ.get("NO_COLOR"))
            self._consoles[error] = Console(
                file=self.err if error else self.out, highlight=False, markup=False, emoji=False,
                no_color=no_color, color_system=None if no_color else "auto", legacy_windows=False,
            )  # fmt: skip
        return self._consoles[error]


def _plain(line: Line) -> str:
    return line if isinstance(line, str) else "".join(piece.text for piece in line)


def _one_line(text: str) -> str:
    return " ".join(text.split())
