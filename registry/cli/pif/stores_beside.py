"""The stores of principals and teams that stand beside a store: `pif migrate-store` copies one, and names the others.

In a home they are homes of their own, `principals/NAME` and `teams/TEAM`; in a database schemas of their own, whose names go on
with `__NAME` and `__0TEAM`. The name of a subject of an authorization server is a hash there; the directory below a server's home
has it whole.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Final

import msgspec

from registry.access.principals import NAME_RULE, issuer_and_subject
from registry.records import TEAM_RULE
from registry.store.open_store import is_url
from registry.store.postgres.address import (
    beside,
    of_principal,
    of_team,
    principal_part,
    read_address,
    without_password,
)
from registry.store.sqlite.traces import FILE_NAME

__all__ = ["Beside", "stores_beside"]

_FOLDERS: Final = ("principals", "teams")
_SIGNED_IN: Final = re.compile(r"oauth_[0-9a-f]{40}")


class Beside(msgspec.Struct, frozen=True):
    """A store beside the source and where its copy belongs, as arguments of the command, without passwords.

    The target is empty where the principal of a schema is not known here.
    """

    source: str
    target: str


def stores_beside(source: str, target: str, home: Path) -> list[Beside]:
    """The stores of principals and teams beside `source`; `home` is asked for the names of those who signed in elsewhere.

    Raises RegistryError where a database cannot be asked.
    """
    if is_url(source):
        return _in_database(source, target, home)
    below = Path(os.path.abspath(Path(source).expanduser()))
    return [
        Beside(str(below / folder / name), _place(target, folder, name))
        for folder in _FOLDERS
        for name in _names(below / folder)
        if (below / folder / name / FILE_NAME).is_file()
    ]


def _in_database(source: str, target: str, home: Path) -> list[Beside]:
    from registry.store.postgres.postgres_store import PostgresStore

    front = f"{read_address(source, patience=1).schema}__"
    statement = "SELECT nspname FROM pg_namespace WHERE starts_with(nspname, ?) ORDER BY nspname"
    with closing(PostgresStore(source, read_only=True)) as database:
        rows = database.connections.ask(lambda reader: reader.execute(statement, (front,)).fetchall())
    signed_in = {principal_part(name): name for name in _names(home / "principals") if "." in name}
    found = []
    for (schema,) in rows:
        more = schema.removeprefix(front)
        folder, name = ("teams", more[1:]) if more.startswith("0") else ("principals", more)
        name = signed_in.get(more) or name.replace("_", "-")  # no other name has a "_" of its own
        if _is_name(folder, name):
            found.append(Beside(_place(source, folder, name), _place(target, folder, name)))
        elif _SIGNED_IN.fullmatch(more):
            found.append(Beside(without_password(beside(source, f"__{more}")), ""))
    return found


def _place(root: str, folder: str, name: str) -> str:
    """Where a principal's or team's store belongs beside the store at `root`."""
    if not is_url(root):
        return os.path.join(os.path.abspath(Path(root).expanduser()), folder, name)
    return without_password((of_team if folder == "teams" else of_principal)(root, name))


def _names(folder: Path) -> Iterable[str]:
    if not folder.is_dir():
        return []
    return sorted(each.name for each in folder.iterdir() if _is_name(folder.name, each.name))


def _is_name(folder: str, name: str) -> bool:
    if folder == "teams":
        return re.fullmatch(TEAM_RULE, name) is not None
    return re.fullmatch(NAME_RULE, name) is not None or issuer_and_subject(name) is not None
