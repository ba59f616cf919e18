"""Commands that ask what a term does: run, analyze, fuzz, help."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pif.language.budget import COMMAND_FUEL
from registry.cli.pif import views
from registry.cli.pif.completion import tool_names
from registry.cli.pif.stored_code import code_of
from registry.cli.terminal.command_context import CommandContext, interruptible
from registry.cli.terminal.commands import SECONDS, deadline_of
from registry.cli.terminal.error_report import Texts
from registry.cli.terminal.process import INTERRUPTED
from registry.cli.terminal.session import TermCommand, command, fractions
from registry.cli.terminal.sources import text

if TYPE_CHECKING:
    from registry.tools.analysis import Aspect
    from registry.workspace.workspace import Workspace

__all__ = ["COMMANDS"]


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
    from registry.cli.pif.term_runs import run_term

    return run_term(
        context, code, given, fuel=fuel, drive=drive, step=step, trace=trace, raw=raw, data=data,
        session=theory_session, theory=theory,
    )  # fmt: skip


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
