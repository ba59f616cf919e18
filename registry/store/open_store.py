"""The store that is asked for: the one in the home, or the PostgreSQL that a URL names.

`--store URL`, else the environment's `PIF_STORE`, else the home. The driver of PostgreSQL is loaded for a URL only.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from registry.store.protocol import Store
from registry.store.sqlite.read_only_store import ReadOnlyStore
from registry.store.sqlite.sqlite_store import SqliteStore

__all__ = ["find_url", "is_url", "open_store", "team_home", "team_url", "url_of"]


def find_url(given: str | None = None, environment: Mapping[str, str] | None = None) -> str:
    """The URL that `given` (the option) or `environment` (the process's own if None) asks for; empty for the home."""
    return given or (os.environ if environment is None else environment).get("PIF_STORE", "")


def is_url(text: str) -> bool:
    """Whether a text is meant as the URL of a database, not as a directory."""
    from registry.store.postgres.address import is_address

    return is_address(text)


def url_of(url: str, principal: str) -> str:
    """The URL of another principal's tools beside the owner's; empty where these are in the home."""
    if not url:
        return ""
    from registry.store.postgres.address import of_principal

    return of_principal(url, principal)


def team_home(home: Path, team: str) -> Path:
    """The directory of a team below the home: laid out as a home is."""
    return home / "teams" / team


def team_url(url: str, team: str) -> str:
    """The URL of a team's tools beside the owner's; empty where these are in the home."""
    if not url:
        return ""
    from registry.store.postgres.address import of_team

    return of_team(url, team)


def open_store(home: Path, url: str = "", *, read_only: bool = False) -> Store:
    """The tools of a home, or of the database at `url`. Raises RegistryError where they cannot be opened."""
    if url:
        from registry.store.postgres.postgres_store import PostgresStore

        return PostgresStore(url, read_only=read_only)
    return ReadOnlyStore(home) if read_only else SqliteStore(home)
