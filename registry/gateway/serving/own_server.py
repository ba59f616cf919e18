"""The registry's own tools and theories as one of the servers behind the gateway, by the name `pif`.

Each principal has a process over its own home, as with `pif serve --http`: what one has made is behind no other's calls.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from kleis.policy.calls import Principal
from registry.gateway.upstream.pool import Pool
from registry.gateway.upstream.protocol import Receiver, Upstream, UpstreamPool, UpstreamSettings

__all__ = ["NAME", "WithOwnServer", "own_settings"]

NAME = "pif"


def own_settings(home: Path, store: str) -> UpstreamSettings:
    """How the server over a home is started. `store`: the URL of its database, empty for the home."""
    where = ["--home", str(home)]
    environment: dict[str, str] = {"PIF_STORE": store} if store else {}
    args = ("-P", "-m", "registry.cli.pif", "serve", *where, "--memory", "256")
    secrets = frozenset({store} if store else set())
    return UpstreamSettings(
        NAME, command=sys.executable, args=args, env=environment, exact=frozenset({"*"}), secrets=secrets
    )


class WithOwnServer:
    """A pool with one server more, whose process depends on who asks.

    `home_of`: the home and the store of a principal. `belongs` says who is behind a key before anything is asked by it.
    """

    def __init__(self, pool: UpstreamPool, home_of: Callable[[str], tuple[Path, str]]) -> None:
        self._pool = pool
        self._home_of = home_of
        self._principals: dict[str, str] = {}
        self._own: dict[tuple[Path, str], Pool] = {}
        shown = own_settings(Path(), "")
        self._settings: Mapping[str, UpstreamSettings] = {**pool.settings, NAME: shown}

    @property
    def settings(self) -> Mapping[str, UpstreamSettings]:
        return self._settings

    def belongs(self, key: str, who: Principal) -> None:
        """Who is behind a key, until it is released."""
        self._principals[key] = who.name

    async def get(
        self,
        name: str,
        key: str,
        on_notification: Receiver | None = None,
        on_end: Callable[[], None] | None = None,
    ) -> Upstream:
        if name != NAME:
            return await self._pool.get(name, key, on_notification, on_end)
        at = self._home_of(self._principals[key])
        pool = self._own.get(at)
        if pool is None:
            pool = self._own[at] = Pool([own_settings(*at)])
        return await pool.get(NAME, key, on_notification, on_end)

    async def release(self, key: str) -> None:
        self._principals.pop(key, None)
        for pool in (self._pool, *self._own.values()):
            await pool.release(key)

    async def close(self) -> None:
        for pool in (self._pool, *self._own.values()):
            await pool.close()
