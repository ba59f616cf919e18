"""Commands that ask what a term does: run, analyze, fuzz, help."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from registry.cli.pif import views
from registry.cli.pif.completion import tool_names
from registry.cli.pif.tool_commands import code_of
from registry.cli.pif_theory import theory_for_run
from registry.cli.terminal.error_report import Texts
from registry.cli.terminal.process import INTERRUPTED
from registry.cli.terminal.session import Answer, Session, TermCommand, command, interruptible
from registry.cli.terminal.sources import Source, text
from registry.cli.waiting import SECONDS, watch_of

if TYPE_CHECKING:
    from registry.workspace.workspace import Workspace

__all__ = ["COMMANDS"]


@command("run", cls=TermCommand)
@click.argument("code", type=text, metavar="TOOL|TERM|FILE", shell_complete=tool_names)
@click.argument("given", type=text, metavar="[INPUT]", required=False)
@click.option("--fuel", type=click.IntRange(min=1), metavar="N", help="Steps allowed.")
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
def run(
    session: Session,
    code: str,
    given: str | None,
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
    or -; without it the input is null. Ctrl-C cancels the run.
    """
    from pif.run.evaluate import Request

    with session.workspace() as workspace:
        tools = workspace.tools()
        source = session.sources.code(code, lambda name: tools.tool(name) is not None, what="the code")
        argument = None if given is None else session.sources.json(given, what="the input", place="input")
        texts = Texts(code=source, given=argument, raw=raw, data=data, tool=code_of(workspace))
        for read in (source, argument):
            if read is not None and read.refused:
                return session.answer(read.refused, views.nothing, texts)
        _refuse_evolve_file(source)
        request = Request(
            code=source.code, input=None if argument is None else argument.data,
            raw=raw, data=data, step=step, drive=drive, trace=trace,
        )  # fmt: skip
        with (
            interruptible() as interrupted,
            session.screen.progress("steps", drive) as progress,
            theory_for_run(session.home().path, theory_session, theory) as asked,
        ):
            answer = workspace.run(
                request, fuel=fuel, theory=asked, cancelled=interrupted.is_set,
                progress=None if progress is None else lambda done: progress(done - step),
            )  # fmt: skip
        status = _answered(session, answer, texts)
    cancelled = answer["type"] == "error" and answer["error"]["kind"] == "cancelled"
    return INTERRUPTED if cancelled and interrupted.is_set() else status


def _refuse_evolve_file(source: Source) -> None:
    from registry.cli.pif.evolve_file import is_evolve_file

    if not source.tool and isinstance(source.data, dict) and is_evolve_file(source.data):
        raise click.UsageError(
            f"{source.name} is a file for `pif evolve`: evolve it, then run the tool by its name "
            "(or try it with `pif evolve FILE --dry-run --example IN OUT`)"
        )


def _answered(session: Session, answer: Answer, texts: Texts) -> int:
    if "trace" in answer and not session.as_json:
        views.trace(session.screen, answer["trace"])
    show = views.continuation if answer["type"] == "continuation" else views.value
    return session.answer(answer, lambda done: show(session.screen, done), texts)


@command("analyze", cls=TermCommand)
@click.argument("code", type=text, metavar="TOOL|TERM|FILE", shell_complete=tool_names)
@click.option(
    "--aspect", "aspects", type=click.Choice(["validation", "facts", "reach", "types", "cost", "dead_code", "normal_form"]), multiple=True,
    help="Only this (repeatable).",
)  # fmt: skip
@click.option("--against", type=text, metavar="TOOL|TERM", help="A second one: do both do the same?")
@click.option("--timeout", type=SECONDS, metavar="SECONDS", help="With --against: the most time for proofs.")
def analyze(
    session: Session, code: str, aspects: tuple[str, ...], against: str | None, timeout: float | None
) -> int:
    """Tell what can be known of a tool or a term without running it.

    With --against: whether both do the same, by their normal forms, by proof, or by an input that tells them apart.
    Exit status: 0 they do, 1 they differ or an error, 3 it is not known.
    """
    from registry.tools.analysis import ASPECTS

    with session.workspace() as workspace:
        tools = workspace.tools()
        source = session.sources.code(code, lambda name: tools.tool(name) is not None, what="the code")
        texts = Texts(code=source, tool=code_of(workspace))
        if source.refused:
            return session.answer(source.refused, views.nothing, texts)
        if against is not None:
            return _compared(session, workspace, source.code, against, timeout)
        answer = workspace.analyze(source.code, aspects=aspects or ASPECTS)
        return session.answer(answer, lambda found: views.analysis(session.screen, found, texts), texts)


def _compared(session: Session, workspace: Workspace, code: Any, against: str, timeout: float | None) -> int:
    from registry.cli.pif import law_views as pif_law_views

    tools = workspace.tools()
    other = session.sources.code(against, lambda name: tools.tool(name) is not None, what="the second code")
    texts = Texts(code=other)
    if other.refused:
        return session.answer(other.refused, views.nothing, texts)
    answer = workspace.analyze(code, against=other.code, watch=watch_of(timeout))
    status = session.answer(answer, lambda found: pif_law_views.comparison(session.screen, found), texts)
    return status or {"proved": 0, "refuted": 1, "unknown": 3}[answer["equivalence"]["status"]]


@command("fuzz")
@click.argument("tool", type=text, metavar="NAME[@V]", shell_complete=tool_names)
@click.option(
    "--examples", type=click.IntRange(1, 100_000), default=200, show_default=True, help="Inputs to try."
)
@click.option("--seed", type=click.IntRange(min=0), metavar="S", help="Try what a run with this seed tried.")
@click.option("--fuel", type=click.IntRange(min=1), metavar="N", help="Steps allowed in each run.")
@click.option(
    "--type", "input_type", type=text, metavar="TYPE", help="The type of inputs, e.g. 'list(integer)'."
)
@click.option("--strict", is_flag=True, help="End with status 1 if any run gave an error.")
def fuzz(
    session: Session,
    tool: str,
    examples: int,
    seed: int | None,
    fuel: int | None,
    input_type: str | None,
    strict: bool,
) -> int:
    """Try a tool on made-up inputs of its type.

    Shows each kind of error, and the largest use of fuel, with the smallest input that shows it. The seed is printed;
    the same seed tries the same inputs. Ctrl-C ends the search and shows what has been found.
    """
    from random import SystemRandom

    chosen = SystemRandom().randrange(2**32) if seed is None else seed
    with session.workspace() as workspace:
        texts = Texts(tool=code_of(workspace))
        with interruptible() as interrupted, session.screen.progress("inputs", examples) as progress:
            answer = workspace.fuzz(
                tool, examples=examples, seed=chosen, fuel=fuel, input_type=input_type,
                stop=interrupted.is_set, progress=progress,
            )  # fmt: skip
        status = session.answer(answer, lambda found: views.fuzzed(session.screen, found, texts), texts)
    if interrupted.is_set():
        return INTERRUPTED
    return status or int(strict and bool(answer["errors"]))


@command("help")
@click.argument("topic", type=text, required=False)
@click.pass_context
def help_(ctx: click.Context, session: Session, topic: str | None) -> int:
    """Explain the language: an overview, a topic, or one operation."""
    from registry.tools.help import help_on

    answer = help_on(topic)
    commands = ctx.find_root().command
    if answer["type"] == "error" and not session.as_json and isinstance(commands, click.Group) and topic:
        meant = commands.get_command(ctx, topic)
        if meant is not None:
            with click.Context(meant, info_name=topic, parent=ctx.find_root()) as described:
                session.say(meant.get_help(described))
            return 0
    return session.answer(answer, lambda found: session.say(found["text"]))


COMMANDS = (run, analyze, fuzz, help_)
