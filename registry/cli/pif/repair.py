"""`pif doctor --repair`: what is readable of a damaged store goes into a fresh one; the damaged files stay.

The fresh store is made and checked beside the damaged one, then takes its place; the damaged files get the ending
`.damaged-N`. What comes in is checked as an import is: hashes, examples, and laws by their certificates, so that damage
in a law's text proves nothing. A repair that is interrupted leaves the home as it was, or without a database; then
opening is refused, and names the traces.
"""

from __future__ import annotations

import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kleis import durable_files
from registry.cli.terminal.layout import Piece
from registry.cli.terminal.screen import Screen
from registry.errors import RegistryError
from registry.home import Home

if TYPE_CHECKING:
    from registry.store.protocol import Store
    from registry.store.sqlite.rescue import Rescued
    from registry.workspace.workspace import Workspace

__all__ = ["repair", "show_repair"]

Report = dict[str, Any]
SECONDS = 300.0
"""The most time for checking laws again; the rest stay claimed, and `pif certificate renew` proves them."""


def repair(home: Home) -> Report:
    """Repair the store of a home: `{"type": "repair", "ok", "repaired", "kept", "lost", "problems", "damaged"}`.

    A store without damage is left alone (`repaired` is false). `ok` says that nothing was lost. Raises `RegistryError`
    where nothing can be read, or nothing written.
    """
    from registry.store.failures import store_errors
    from registry.store.sqlite.rescue import copy_files, rescue
    from registry.store.sqlite.sqlite_store import PATIENCE, SqliteStore
    from registry.store.sqlite.traces import FILE_NAME, LOCK_NAME, is_empty
    from registry.store.sqlite.version_counter import VersionCounter

    path = home.path / FILE_NAME
    if is_empty(path):
        SqliteStore(home.path).close() if path.exists() else None
        raise RegistryError(
            "store_error",
            "there is no database to repair",
            file=str(path),
            hint="put a backup there, as tools.sqlite",
        )
    if not _wrong(home.path):
        return {"type": "repair", "ok": True, "repaired": False, "kept": 0, "lost": [], "problems": []}
    counter = VersionCounter(home.path / LOCK_NAME, patience=PATIENCE)
    with (
        store_errors(path),
        closing(counter),
        counter.writing(),
        tempfile.TemporaryDirectory(prefix=".repair-", dir=home.path) as made,
    ):
        directory = Path(made)
        copy_files(home.path, directory)
        rescued = rescue(directory / FILE_NAME)
        kept, refused = _filled(directory, rescued)
        damaged = _aside(home.path)
        (directory / "fresh" / FILE_NAME).rename(path)
        durable_files.synchronise(home.path)
    lost = [*rescued.lost, *refused]
    return {
        "type": "repair",
        "ok": not lost,
        "repaired": True,
        "kept": kept,
        "lost": lost,
        "problems": list(rescued.problems),
        "damaged": [str(each) for each in damaged],
    }


def _wrong(home: Path) -> bool:
    """Whether the store has damage that a repair could mend."""
    from registry.store.sqlite.sqlite_store import SqliteStore

    try:
        with closing(SqliteStore(home)) as store:
            return bool(store.check())
    except RegistryError as error:
        if error.found is not None and not error.found.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
            raise
        return True


def _filled(directory: Path, rescued: Rescued) -> tuple[int, list[str]]:
    """Make the fresh store; how many versions it has, and what was refused."""
    from registry.store.sqlite.sqlite_store import FILE_NAME, SqliteStore
    from registry.workspace.workspace import Workspace

    with (
        closing(SqliteStore(directory / "read")) as read,
        closing(Workspace(SqliteStore(directory / "fresh"))) as fresh,
    ):
        read.adopt(rescued.lineages, certificates=rescued.certificates)
        kept, refused = _taken_in(directory / "export", read, fresh)
        fresh.store.backup(directory / "whole")
    for ending in ("", "-wal", "-shm"):
        (directory / "fresh" / (FILE_NAME + ending)).unlink(missing_ok=True)
    (directory / "whole").rename(directory / "fresh" / FILE_NAME)
    return kept, refused


def _taken_in(directory: Path, read: Store, fresh: Workspace) -> tuple[int, list[str]]:
    """Import what was read, all at once; where that is refused tool by tool, users after what they use."""
    from kleis.prover.process.deadline import Deadline
    from registry.store.exchange.export_import import export_tools

    deadline = Deadline(SECONDS)
    waiting: list[tuple[str, ...]] = [read.snapshot().names()]
    kept, refused = 0, {"": ""}
    while any(waiting):
        refused, later = {}, list[tuple[str, ...]]()
        for names in filter(None, waiting):
            export_tools(read, directory, names=names, overwrite=True)
            answer: Any = fresh.import_(directory, deadline=deadline)
            if answer["type"] != "error":
                kept += int(answer["added"])
                continue
            refused[", ".join(names)] = str(answer["error"]["message"])
            later += [(name,) for name in names]
        if len(later) >= sum(map(len, waiting)) and all(len(names) == 1 for names in waiting):
            break
        waiting = later
    return kept, [f"{names}: {why}" for names, why in refused.items() if names]


def _aside(home: Path) -> list[Path]:
    """Give the damaged files another name; none is overwritten."""
    from registry.store.sqlite.traces import FILE_NAME

    number = 1
    while any(home.glob(f"{FILE_NAME}*.damaged-{number}")):
        number += 1
    moved = []
    for ending in ("-wal", "-journal", "-shm", ""):
        source = home / (FILE_NAME + ending)
        if source.exists():
            target = source.with_name(f"{source.name}.damaged-{number}")
            source.rename(target)
            moved.append(target)
    durable_files.synchronise(home)
    return sorted(moved)


def show_repair(screen: Screen, report: Report) -> None:
    """The report for people."""
    if not report["repaired"]:
        screen.write([Piece("the store is whole: nothing was changed", "good")])
        return
    screen.write(f"{report['kept']} versions were saved to a fresh store")
    for name in report["damaged"]:
        screen.write(f"kept as it was: {name}")
    for problem in report["problems"]:
        screen.print_error([Piece("damage: ", "bad"), Piece(problem)])
    for each in report["lost"]:
        screen.print_error([Piece("lost: ", "bad"), Piece(each)])
    if not report["lost"]:
        screen.write([Piece("nothing is lost", "good")])
