"""A team with its members in one process, over both stores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from registry.access.teams import TeamFile
from registry.store.open_store import open_store, url_of
from registry.teams.member import Member
from registry.teams.team_stores import TeamStores
from registry.workspace.workspace import Workspace
from tests.support.databases import asked, new_schema

Open = Callable[[str], Workspace]


@pytest.fixture(params=["sqlite", "postgres"])
def members(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """A workspace for a principal: Alice may write in `ops`, Bob may read."""
    file = TeamFile(tmp_path)
    file.create("ops")
    file.add("ops", "alice", "write")
    file.add("ops", "bob", "read")
    opened: list[Workspace] = []

    def workspaces(url: str) -> Iterator[Open]:
        stores = TeamStores(tmp_path, url)

        def member(name: str) -> Workspace:
            own = open_store(tmp_path / "principals" / name, url_of(url, name))
            opened.append(Workspace(own, member=Member(name, file, stores)))
            return opened[-1]

        yield member
        for each in opened:
            each.close()
        stores.close()

    if request.param == "sqlite":
        yield from workspaces("")
        return
    with new_schema() as url:
        yield from workspaces(url)
        schema = url.rpartition("=")[2]
        for (name,) in asked(
            "SELECT nspname FROM pg_namespace WHERE starts_with(nspname, %s)", f"{schema}__"
        ):
            asked(f'DROP SCHEMA "{name}" CASCADE')
