"""What `pif serve` was asked for, and what its groups share while they serve.

A group is made by `make(site)` in its own module (`registry.server.serve` names them); the `Site` gives it the
settings and the things that exist once for a server, each made when first asked for.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from registry.errors import RegistryError
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.workspace.workspace import Workspace

if TYPE_CHECKING:
    from kleis.sessions.sessions import Sessions
    from registry.bridge.snapshots import Snapshots

__all__ = ["Settings", "Site"]


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The options of `pif serve`.

    `expose`: how many evolved tools are listed as tools of their own. `memory_mb`: what runs at one time may use.
    `policy`: the policy's file. `default`: what becomes of an action without a rule. `corpus`: the corpus's
    directory. `roots`: the directories in which file tools may read and write. `http`: the address to serve over HTTP,
    empty for standard input and output.
    """

    home: Path
    expose: int = 25
    more: bool = False
    memory_mb: int = 512
    maximum_fuel: int = 5_000_000
    policy: Path | None = None
    default: Literal["allow", "deny"] = "allow"
    corpus: Path | None = None
    roots: tuple[Path, ...] = ()
    http: str = ""


class Site:
    """The settings of one server and what its groups share. `close` ends what was begun."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    @cached_property
    def workspace(self) -> Workspace:
        """The tools of the home. Raises RegistryError where the store cannot be opened."""
        settings = self.settings
        store = SqliteStore(settings.home)
        return Workspace(store, maximum_fuel=settings.maximum_fuel, memory=settings.memory_mb * 2**20)

    @cached_property
    def sessions(self) -> Sessions:
        """The theory sessions of the home. Raises RegistryError where their configuration cannot be read."""
        from kleis.sessions.files.errors import SessionError
        from kleis.sessions.sessions import open_sessions
        from kleis.theory.parse_cache import user_cache

        try:
            return open_sessions(self.settings.home, roots=self.settings.roots, cache=user_cache())
        except SessionError as error:
            raise RegistryError(
                "invalid_argument", error.message, place=error.file, found=error.found, hint=error.hint
            ) from error

    @cached_property
    def oracles(self) -> Snapshots:
        """The theories that runs may ask, by session. Raises as `sessions`."""
        from registry.bridge.snapshots import Snapshots

        sessions = self.sessions
        return Snapshots(sessions.theory, broker=sessions.broker, cache=sessions.verdicts)

    def close(self) -> None:
        """Close what was opened."""
        if "oracles" in self.__dict__:
            self.oracles.close()
        if "sessions" in self.__dict__:
            self.sessions.close()
        if "workspace" in self.__dict__:
            self.workspace.close()
