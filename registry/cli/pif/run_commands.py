"""Commands that ask what a term does: run, analyze, fuzz, help."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pif.language.budget import COMMAND_FUEL
from registry.cli.pif import views
from registry.cli.pif.completion import tool_names
from registry.cli.pif.stored_code import code_of
from registry.cli.terminal.commands import SECONDS, deadline_of
from registry.cli.terminal.error_report import Texts
from registry.cli.terminal.process import INTERRUPTED
from registry.cli.terminal.session import (
    Answer,
    CommandContext,
    TermCommand,
    command,
    fractions,
    interruptible,
)
from registry.cli.terminal.sources import Source, text
from registry.errors import RegistryError

if TYPE_CHECKING:
    from kleis.theory.theory import Theory
    from registry.oracles.theory_oracle import TheoryRun
    from registry.store.protocol import Store
    from registry.tools.analysis import Aspect
    from registry.workspace.workspace import Workspace

__all__ = ["COMMANDS", "theory_for_run"]


@command("run", cls=TermCommand)
@click.argument("code", type=text, metavar="TOOL|TERM|FILE", shell_complete=tool_names)
@click.argument("given", type=text, metavar="[INPUT]...", nargs=-1)
@click.option(
    "--fuel", type=click.IntRange(min=1), metavar="N", show_default=str(COMMAND_FUEL), help="Steps allowed."
)
@click.option(
    "--drive", type=click.IntRange(min=0), default=0, metavar="N", help="Take up to N continuation steps."
)
@click.option("--step", type=click.IntRange(min=0), default=0, metavar="N", help="Steps taken before.")
@click.option(
    "--trace",
    type=click.IntRange(0, 1_000),
    default=0,
    metavar="N",
    help="Show the last N events on standard error.",
)
@click.option("--raw", is_flag=True, help="Leave strings in the input as they are.")
@click.option("--data", is_flag=True, help="Take the input as plain data: nothing decoded or evaluated.")
@click.option("--session", "theory_session", metavar="NAME", help="The session whose theory the run may ask.")
@click.option(
    "--theory",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A Kleis file that the run may ask.",
)
@fractions
def run(
    context: CommandContext,
    code: str,
    given: tuple[str, ...],
    fuel: int | None,
    drive: int,
    step: int,
    trace: int,
    raw: bool,
    data: bool,
    theory_session: str | None,
    theory: Path | None,
) -> int:
    """Run a tool or a term on an input.

    The first argument is a tool's name, a term in JSON, @FILE, - for standard input, or a file. INPUT is JSON, @FILE
    or -; without it the input is null. A tool of several parameters takes them one after another:
    `pif run std.gcd 12 18`. Ctrl-C cancels the run.
    """
    from pif.run.evaluate import Request

    with context.workspace(changes=False) as workspace:
        tools = workspace.tools()
        source = context.sources.code(code, lambda name: tools.tool(name) is not None, what="the code")
        arguments = [context.sources.json(each, what="the input", place="input") for each in given]
        argument = arguments[-1] if arguments else None
        texts = Texts(code=source, given=argument, raw=raw, data=data, tool=code_of(workspace))
        for read in (source, *arguments):
            if read.error_answer:
                return context.answer(read.error_answer, views.nothing, texts)
        _reject_evolve_file(source)
        if len(arguments) > 1 and not source.tool:
            raise click.UsageError("several arguments are for a tool's name; a term takes one INPUT")
        request = Request(
            code=source.code, input=None if argument is None else argument.data,
            raw=raw, data=data, step=step, drive=drive, trace=trace,
        )  # fmt: skip
        with (
            interruptible() as interrupted,
            context.screen.progress("steps", drive) as progress,
            theory_for_run(context.home().path, workspace.store, theory_session, theory) as asked,
        ):
            call = workspace.run
            if len(arguments) > 1:
                call = partial(workspace.run_on, str(source.code), [each.data for each in arguments])
            answer = call(
                request, fuel=fuel, theory=asked, cancelled=interrupted.is_set,
                progress=None if progress is None else lambda done: progress(done - step),
            )  # fmt: skip
        status = _answered(context, answer, texts)
    cancelled = answer["type"] == "error" and answer["error"]["kind"] == "cancelled"
    return INTERRUPTED if cancelled and interrupted.is_set() else status


def _reject_evolve_file(source: Source) -> None:
    data = source.data
    if not source.tool and isinstance(data, dict) and data.keys() & {"code", "compose", "transform"}:
        raise click.UsageError(
            f"{source.name} is a file for `pif evolve`: evolve it, then run the tool by its name "
            "(or try it with `pif evolve FILE --dry-run --example IN OUT`)"
        )


def _answered(context: CommandContext, answer: Answer, texts: Texts) -> int:
    if "trace" in answer and not context.as_json:
        views.trace(context.screen, answer["trace"])
    show = views.continuation if answer["type"] == "continuation" else views.value
    return context.answer(answer, lambda done: show(context.screen, done), texts)


@command("analyze", cls=TermCommand)
@click.argument("code", type=text, metavar="TOOL|TERM|FILE", shell_complete=tool_names)
@click.option(
    "--aspect", "aspects", type=click.Choice(["validation", "facts", "reach", "types", "cost", "dead_code", "normal_form"]), multiple=True,
    help="Only this (repeatable).",
)  # fmt: skip
@click.option("--against", type=text, metavar="TOOL|TERM", help="A second one: do both do the same?")
@click.option("--timeout", type=SECONDS, metavar="SECONDS", help="With --against: the most time for proofs.")
@fractions
def analyze(
    context: CommandContext,
    code: str,
    aspects: tuple[Aspect, ...],
    against: str | None,
    timeout: float | None,
) -> int:
    """Tell what can be known of a tool or a term without running it.

    With --against: whether both do the same, by their normal forms, by proof, or by an input that tells them apart.
    Exit status: 0 they do, 1 they differ or an error, 3 it is not known.
    """
    from registry.tools.analysis import ASPECTS
    from registry.workspace.requests import Analyze

    with context.workspace(changes=False) as workspace:
        tools = workspace.tools()
        source = context.sources.code(code, lambda name: tools.tool(name) is not None, what="the code")
        texts = Texts(code=source, tool=code_of(workspace))
        if source.error_answer:
            return context.answer(source.error_answer, views.nothing, texts)
        if against is not None:
            return _compared(context, workspace, source.code, against, timeout)
        answer = workspace.analyze(Analyze(source.code, aspects=aspects or ASPECTS))
        return context.answer(answer, lambda found: views.analysis(context.screen, found, texts), texts)


def _compared(
    context: CommandContext, workspace: Workspace, code: Any, against: str, timeout: float | None
) -> int:
    from registry.cli.pif import law_views as pif_law_views
    from registry.workspace.requests import Analyze

    tools = workspace.tools()
    other = context.sources.code(against, lambda name: tools.tool(name) is not None, what="the second code")
    texts = Texts(code=other)
    if other.error_answer:
        return context.answer(other.error_answer, views.nothing, texts)
    answer = workspace.analyze(Analyze(code, against=other.code), deadline=deadline_of(timeout))
    status = context.answer(answer, lambda found: pif_law_views.comparison(context.screen, found), texts)
    return status or {"proved": 0, "refuted": 1, "unknown": 3}[answer["equivalence"]["status"]]


@command("fuzz")
@click.argument("tool", type=text, metavar="NAME[@V]", shell_complete=tool_names)
@click.option(
    "--examples", type=click.IntRange(1, 100_000), default=200, show_default=True, help="Inputs to try."
)
@click.option("--seed", type=click.IntRange(min=0), metavar="S", help="Try what a run with this seed tried.")
@click.option(
    "--fuel", type=click.IntRange(min=1), metavar="N", show_default=str(COMMAND_FUEL),
    help="Steps allowed in each run.",
)  # fmt: skip
@click.option("--type", type=text, metavar="TYPE", help="The type of inputs, e.g. 'list(integer)'.")
@click.option("--strict", is_flag=True, help="End with status 1 if any run gave an error.")
def fuzz(
    context: CommandContext,
    tool: str,
    examples: int,
    seed: int | None,
    fuel: int | None,
    type: str | None,
    strict: bool,
) -> int:
    """Try a tool on made-up inputs of its type.

    Shows each kind of error, and the largest use of fuel, with the smallest input that shows it. The seed is printed;
    the same seed tries the same inputs. Ctrl-C ends the search and shows what has been found.
    """
    from random import SystemRandom

    from registry.workspace.requests import Fuzz

    chosen = SystemRandom().randrange(2**32) if seed is None else seed
    with context.workspace(changes=False) as workspace:
        texts = Texts(tool=code_of(workspace))
        with interruptible() as interrupted, context.screen.progress("inputs", examples) as progress:
            request = Fuzz(tool, examples=examples, seed=chosen, fuel=fuel, type=type)
            answer = workspace.fuzz(request, stop=interrupted.is_set, progress=progress)
        status = context.answer(answer, lambda found: views.fuzzed(context.screen, found, texts), texts)
    if interrupted.is_set():
        return INTERRUPTED
    return status or int(strict and bool(answer["errors"]))


@command("help")
@click.argument("topic", type=text, required=False)
@click.pass_context
def help_(ctx: click.Context, context: CommandContext, topic: str | None) -> int:
    """Explain the language: an overview, a topic, or one operation."""
    from registry.tools.help import help_on

    answer = help_on(topic)
    commands = ctx.find_root().command
    if answer["type"] == "error" and not context.as_json and isinstance(commands, click.Group) and topic:
        meant = commands.get_command(ctx, topic)
        if meant is not None:
            with click.Context(meant, info_name=topic, parent=ctx.find_root()) as described:
                context.say(meant.get_help(described))
            return 0
    return context.answer(answer, lambda found: context.say(found["text"]))


COMMANDS = (run, analyze, fuzz, help_)


@contextmanager
def theory_for_run(
    home: Path, store: Store, session: str | None, file: Path | None
) -> Iterator[TheoryRun | None]:
    """The theory of one run: a session of the home or of the store's database, a file, or None. Raises RegistryError where
    it does not exist."""
    if session is not None and file is not None:
        raise click.UsageError("--session and --theory exclude each other: a run asks one theory")
    if file is not None:
        from kleis.prover.verdict_cache import VerdictCache
        from registry.oracles.theory_oracle import TheorySnapshot

        snapshot = TheorySnapshot(_loaded(file), name=str(file), cache=VerdictCache(home / "verdicts"))
        try:
            yield snapshot.for_run()
        finally:
            snapshot.close()
    elif session is not None:
        yield from _of_session(home, store, session)
    else:
        yield None


def _loaded(file: Path) -> Theory:
    from kleis.errors import LoadError
    from registry.cli.kleis.shared.loading import load, make_loader

    try:
        loading = load(make_loader(), str(file))
    except LoadError as error:
        raise RegistryError("invalid_argument", str(error), file=str(file), hint=error.hint or None) from None
    if loading.errors:
        problem = loading.errors[0]
        raise RegistryError(
            "invalid_argument", f"the theory cannot be read: {problem}", file=str(file),
            hint=problem.hint or "`kleis check` shows all that is wrong.",
        )  # fmt: skip
    return loading.theory


def _of_session(home: Path, store: Store, name: str) -> Iterator[TheoryRun]:
    from kleis.sessions.files.errors import SessionError
    from kleis.sessions.sessions import open_sessions
    from registry.access.principals import OWNER_NAME
    from registry.access.teams import TeamFile
    from registry.oracles.theory_oracle import TheorySnapshot
    from registry.store.shared_state import session_rows
    from registry.teams.member import Member
    from registry.teams.shared_theories import TeamTheories
    from registry.teams.team_stores import TeamStores

    rows = session_rows(store, home)
    try:
        owner = Member(OWNER_NAME, TeamFile(home), TeamStores(home))
        sessions = open_sessions(
            home,
            storage=rows,
            saved=None if rows is None else rows.copies,
            shared=TeamTheories(owner, home),
        )
    except SessionError as error:
        raise RegistryError(
            "invalid_argument", error.message, place="session", hint=error.hint or None
        ) from None
    try:
        snapshot = TheorySnapshot(
            sessions.theory(name), name=name, broker=sessions.broker, cache=sessions.verdicts
        )
        yield snapshot.for_run()
    except SessionError as error:
        raise RegistryError(
            "invalid_argument", error.message, place="session", hint=error.hint or None
        ) from None
    finally:
        sessions.close()
