"""A tool or a term run from the command line, for `pif run`. Imports no click."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from registry.cli.pif import views
from registry.cli.pif.stored_code import code_of
from registry.cli.terminal.command_context import Answer, CommandContext, interruptible
from registry.cli.terminal.error_report import Texts
from registry.cli.terminal.process import INTERRUPTED
from registry.cli.terminal.sources import Source
from registry.cli.terminal.usage import usage_error
from registry.errors import RegistryError

if TYPE_CHECKING:
    from kleis.theory.theory import Theory
    from registry.oracles.theory_oracle import TheoryRun
    from registry.store.protocol import Store

__all__ = ["run_term", "theory_for_run"]


def run_term(
    context: CommandContext,
    code: str,
    given: Sequence[str],
    *,
    fuel: int | None = None,
    drive: int = 0,
    step: int = 0,
    trace: int = 0,
    raw: bool = False,
    data: bool = False,
    session: str | None = None,
    theory: Path | None = None,
) -> int:
    """Run it and print the answer; the exit status. Its options are those of `pif run`."""
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
            raise usage_error("several arguments are for a tool's name; a term takes one INPUT")
        request = Request(
            code=source.code, input=None if argument is None else argument.data,
            raw=raw, data=data, step=step, drive=drive, trace=trace,
        )  # fmt: skip
        with (
            interruptible() as interrupted,
            context.screen.progress("steps", drive) as progress,
            theory_for_run(context.home().path, workspace.store, session, theory) as asked,
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
        raise usage_error(
            f"{source.name} is a file for `pif evolve`: evolve it, then run the tool by its name "
            "(or try it with `pif evolve FILE --dry-run --example IN OUT`)"
        )


def _answered(context: CommandContext, answer: Answer, texts: Texts) -> int:
    if "trace" in answer and not context.as_json:
        views.trace(context.screen, answer["trace"])
    show = views.continuation if answer["type"] == "continuation" else views.value
    return context.answer(answer, lambda done: show(context.screen, done), texts)


@contextmanager
def theory_for_run(
    home: Path, store: Store, session: str | None, file: Path | None
) -> Iterator[TheoryRun | None]:
    """The theory of one run: a session of the home or of the store's database, a file, or None. Raises RegistryError where
    it does not exist."""
    if session is not None and file is not None:
        raise usage_error("--session and --theory exclude each other: a run asks one theory")
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
