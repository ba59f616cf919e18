"""A command as a process: its three standard streams, how it is interrupted, and the status it ends with.

Specification: docs/reference/serving.md §9.5. `pif` and `kleis` both end here, whatever ends them.

Invariants
    * Descriptors 0, 1 and 2 are open before anything else is opened, so no file of ours is ever taken for one.
    * Nothing heavier than this module is imported before an interrupt is caught.
    * What goes to standard output is there before what goes to standard error after it, also through one pipe.
    * A process of our own ends after its threads and every exit handler, without taking the interpreter apart: to free
      each module and object takes a sixth of a short command, and the system frees them at once.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from io import TextIOWrapper
from typing import TYPE_CHECKING, Literal, TextIO, TypeAlias

if TYPE_CHECKING:
    import click

__all__ = [
    "BROKEN_PIPE",
    "FAILED",
    "INTERRUPTED",
    "SUCCEEDED",
    "USAGE",
    "print_error",
    "run_process",
    "run_program",
    "words",
]

SUCCEEDED, FAILED, USAGE, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 130, 141

_COLLECTOR = (200_000, 20, 100)
"""The thresholds of the cyclic garbage collector: the first is more than what the start of any command makes."""

Simple: TypeAlias = Callable[[Sequence[str]], Callable[[frozenset[int]], int] | None]
"""What arguments ask for that need no parser: a function that does it, of the descriptors 0 to 2 that were closed, and gives the
exit status. None for all other arguments."""


def _none(arguments: Sequence[str]) -> None:
    """No arguments are simple."""


def run_process(
    name: str, load: Callable[[], click.Command], arguments: Sequence[str], simple: Simple = _none
) -> int:
    """`run_program` where the process is for this command alone: it ends with the status that is returned.

    The cyclic garbage collector is called seldom: a start makes many objects, and hardly any garbage.
    """
    gc.set_threshold(*_COLLECTOR)
    last = _LastHandler()
    atexit.register(last)
    last.status = run_program(name, load, arguments, simple)
    return last.status


class _LastHandler:
    """The exit handler that is registered first and so runs last, after threads have been joined. Ends the process where it has
    a status; not under a debugger or a tracer, which may have handlers of their own."""

    def __init__(self) -> None:
        self.status: int | None = None

    def __call__(self) -> None:
        if self.status is None or sys.gettrace() is not None:
            return
        _let_go()
        os._exit(self.status)


def run_program(
    name: str, load: Callable[[], click.Command], arguments: Sequence[str], simple: Simple = _none
) -> int:
    """Run the command that `load` gives; returns the exit status. The command's `obj` is the descriptors 0 to 2 that
    were closed.

    Arguments that are `simple` do without: click, which would parse them, is imported only to say what is wrong.
    """
    try:
        closed = open_closed_descriptors()
        portable_streams()
        return _run(name, load, arguments, closed, simple)
    except KeyboardInterrupt:
        return _last_words("\ninterrupted" if sys.stderr.isatty() else "interrupted", INTERRUPTED)
    except BrokenPipeError:
        return BROKEN_PIPE
    except OSError as error:
        where = f"{error.filename}: " if error.filename else "".join(f"{lost}: " for lost in _let_go())
        return _last_words(f"{name}: {where}{error.strerror or error}", FAILED)
    finally:
        _let_go()


def _run(
    name: str,
    load: Callable[[], click.Command],
    arguments: Sequence[str],
    closed: frozenset[int],
    simple: Simple,
) -> int:
    completes = f"_{name.upper()}_COMPLETE" in os.environ  # a shell asks how a word may go on
    if not completes and (answer := simple(arguments)) is not None:
        return _without_parser(name, load, arguments, partial(answer, closed))

    import click

    command = load()
    if completes:
        return int(command.main(list(arguments), prog_name=name, standalone_mode=False) or 0)
    try:
        with command.make_context(name, list(arguments), obj=closed) as context:
            status = command.invoke(context)
    except click.exceptions.Exit as end:
        status = end.exit_code
    except click.ClickException as error:
        print_error(_explained(error))
        return error.exit_code
    except (click.Abort, EOFError):
        raise KeyboardInterrupt from None
    sys.stdout.flush()
    return status if isinstance(status, int) else SUCCEEDED


def _without_parser(
    name: str, load: Callable[[], click.Command], arguments: Sequence[str], answer: Callable[[], int]
) -> int:
    """The exit status of a simple command; what it finds wrong with its arguments is told as the parser does."""
    try:
        status = answer()
    except EOFError:
        raise KeyboardInterrupt from None
    except Exception as error:
        if "click" not in sys.modules:  # who raises an exception of click has imported it
            raise
        import click

        if not isinstance(error, click.ClickException):
            raise
        with _parsed(load(), name, arguments) as context:
            if isinstance(error, click.UsageError):
                error.ctx = error.ctx or context
            print_error(_explained(error))
        return error.exit_code
    sys.stdout.flush()
    return status


def _parsed(program: click.Command, name: str, arguments: Sequence[str]) -> click.Context:
    """The context that a command of a program has once its arguments are parsed."""
    import click

    outer = program.make_context(name, list(arguments))
    assert isinstance(program, click.Group), "a program has commands"
    command = program.get_command(outer, arguments[0])
    assert command is not None, "a simple command is one of them"
    return command.make_context(arguments[0], list(arguments[1:]), parent=outer)


def print_error(text: str) -> None:
    """Write to standard error, behind everything that was written to standard output."""
    sys.stdout.flush()
    sys.stderr.write(text + "\n")


def words(arguments: Sequence[str]) -> list[str]:
    """Arguments as the system hands them over, as UTF-8 whatever the locale; other bytes become lone surrogates."""
    return [os.fsencode(argument).decode("utf-8", "surrogateescape") for argument in arguments]


def open_closed_descriptors() -> frozenset[int]:
    """Open the null device in the place of each standard descriptor that is closed; returns which were."""
    closed = []
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # The system gives the lowest free number: this one, as those below it are open by now.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
            closed.append(number)
    if sys.stdin is None:
        sys.stdin = _stream(0, "r")
    if sys.stdout is None:
        sys.stdout = _stream(1, "w")
    if sys.stderr is None:
        sys.stderr = _stream(2, "w")
    return frozenset(closed)


def _stream(descriptor: int, mode: Literal["r", "w"]) -> TextIO:
    return open(descriptor, mode, encoding="utf-8", closefd=False)


def portable_streams() -> None:
    """Make both output streams UTF-8 with unix line ends, whatever the locale; odd characters are escaped."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def _explained(error: click.ClickException) -> str:
    """What is wrong with a command line; where nothing was asked for, the help."""
    import click

    from registry.cli.terminal.characters import visible

    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        return error.format_message()
    context = error.ctx if isinstance(error, click.UsageError) else None
    lines = [] if context is None else [context.get_usage(), f"Try '{context.command_path} --help'."]
    return visible("\n".join([*lines, f"Error: {error.format_message()}"]))


def _last_words(text: str, status: int) -> int:
    """Say why it ends, if there is anybody to hear it; returns the status."""
    with contextlib.suppress(OSError):
        print_error(text)
    return status


def _let_go() -> list[str]:
    """Point streams that cannot be written at nothing, so that the interpreter does not fail on them again as it
    ends; returns their names."""
    lost = []
    for name, stream in (("standard output", sys.stdout), ("standard error", sys.stderr)):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            lost.append(name)
    return lost
