"""Shell completion of tool names, through click.

No home is created for it, and one that cannot be read completes nothing: a shell cannot show errors.
"""

from __future__ import annotations

from pathlib import Path

import click

from registry.errors import RegistryError

__all__ = ["own_tool_names", "team_names", "tool_names"]


def tool_names(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """The tools of the home, and those of the library once something is typed: `std.NAME`, or `NAME` where that is it."""
    from registry.records import LIBRARY_PREFIX, RESERVED
    from registry.tools.code_and_examples import verified
    from registry.tools.library import Library

    own = _names_of_home(ctx)
    found = [name for name in own if name.startswith(incomplete)]
    if not incomplete:
        return found
    taken = {*own, *RESERVED}
    entries = Library(verified).entries
    short = [name for name in entries if name.startswith(incomplete) and name not in taken]
    full = [LIBRARY_PREFIX + name for name in entries]
    return [*found, *short, *(name for name in full if name.startswith(incomplete))]


def own_tool_names(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """The tools of the home."""
    return [name for name in _names_of_home(ctx) if name.startswith(incomplete)]


def team_names(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """The teams of the home."""
    from registry.access.teams import TeamFile
    from registry.home import find_home

    try:
        home = find_home(ctx.params.get("home") or ctx.find_root().params.get("home")).path
        return [name for name in sorted(TeamFile(home).read()) if name.startswith(incomplete)]
    except RegistryError:
        return []


def _names_of_home(ctx: click.Context) -> tuple[str, ...]:
    from registry.home import find_home
    from registry.store.open_store import find_url, open_store

    given: Path | None = ctx.params.get("home") or ctx.find_root().params.get("home")
    try:
        home = find_home(given).path
    except RegistryError:
        return ()
    url = find_url(ctx.params.get("store") or ctx.find_root().params.get("store"))
    if not url and not home.is_dir():
        return ()
    try:
        store = open_store(home, url, read_only=bool(url))
    except (RegistryError, OSError):
        return ()
    try:
        return (*store.snapshot().names(), *_names_of_teams(home, url))
    except RegistryError:
        return ()
    finally:
        store.close()


def _names_of_teams(home: Path, url: str) -> tuple[str, ...]:
    """The tools of all teams of a home."""
    from registry.access.principals import OWNER_NAME
    from registry.access.teams import TeamFile
    from registry.teams.member import Member, Views
    from registry.teams.team_stores import TeamStores

    stores = TeamStores(home, url, read_only=bool(url))
    try:
        return Views(Member(OWNER_NAME, TeamFile(home), stores)).names()
    finally:
        stores.close()
