"""The theory that `pif run` is given: a session of the home (`--session`), or a file (`--theory`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from registry.errors import RegistryError

if TYPE_CHECKING:
    from kleis.theory.theory import Theory
    from registry.oracles.theory_oracle import TheoryRun

__all__ = ["theory_for_run"]


@contextmanager
def theory_for_run(home: Path, session: str | None, file: Path | None) -> Iterator[TheoryRun | None]:
    """The theory of one run, or None where none is asked for. Raises RegistryError where there is no such one."""
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
        yield from _of_session(home, session)
    else:
        yield None


def _loaded(file: Path) -> Theory:
    from kleis.errors import LoadError
    from registry.cli.kleis.shared.loading import load, make_loader

    try:
        loading = load(make_loader(), str(file))
    except LoadError as error:
        raise RegistryError(
            "invalid_argument", str(error), place=str(file), hint=error.hint or None
        ) from None
    if loading.errors:
        problem = loading.errors[0]
        raise RegistryError(
            "invalid_argument", f"the theory cannot be read: {problem}", place=str(file),
            hint=problem.hint or "`kleis check` shows all that is wrong.",
        )  # fmt: skip
    return loading.theory


def _of_session(home: Path, name: str) -> Iterator[TheoryRun]:
    from kleis.sessions.files.errors import SessionError
    from kleis.sessions.sessions import open_sessions
    from registry.oracles.theory_oracle import TheorySnapshot

    try:
        sessions = open_sessions(home)
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
