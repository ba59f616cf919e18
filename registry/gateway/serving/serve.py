"""The gateway's parts put together: what `pif gateway` calls."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Mapping
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from kleis.errors import KleisError
from kleis.policy.calls import Principal
from kleis.policy.policy_file import PolicyFile
from pif.language.budget import reserve_stack
from registry.access.principals import ALL_SCOPES, home_of
from registry.access.principals import Principal as Caller
from registry.gateway.config import read_config_file
from registry.gateway.front.gateway import Gateway
from registry.gateway.front.judging import Mode
from registry.gateway.front.policies import Policies
from registry.gateway.log.key import open_key
from registry.gateway.log.records import Unlogged
from registry.gateway.log.writing import ChainedLog
from registry.gateway.pins.pins import Pins
from registry.gateway.serving.one_client import OneClient, local_principal
from registry.gateway.serving.own_server import NAME, WithOwnServer
from registry.gateway.upstream.pool import Pool
from registry.gateway.upstream.protocol import UpstreamPool
from registry.server.calls.stopping import end_on_signals
from registry.server.streams.descriptors import move_descriptors

if TYPE_CHECKING:
    from registry.server.mcp.http_options import HttpOptions

__all__ = ["GatewaySettings", "gateway_folder", "lock_beside", "read_grants", "serve"]

COMMAND = "pif gateway"

STACK = 4_000
"""Room for reading messages: their nesting is bounded far below."""


class GatewaySettings(msgspec.Struct, frozen=True, kw_only=True):
    """The options of `pif gateway`.

    `config`: the file with `mcpServers`. `log`: the folder of the log, else one in the home; `fsync`: each line is on disk before
    anything is forwarded. `lock`: the file of what was approved, else one beside `config`; `trust_first_use`: what a server says
    first is approved. `has_own`: the registry is a server too, by the name `pif`, over `home` or `store`.
    `scopes`: those of the user who starts it, and of whoever reaches a server over HTTP that is open. `grants`: scopes of
    principals beside those of their tokens.
    """

    policy: Path
    config: Path
    home: Path
    log: Path | None = None
    lock: Path | None = None
    trust_first_use: bool = False
    fsync: bool = False
    store: str = ""
    mode: Mode = "enforce"
    has_own: bool = True
    scopes: tuple[str, ...] = ()
    grants: Mapping[str, tuple[str, ...]] = {}
    http: str = ""
    origins: tuple[str, ...] = ()
    certificate: Path | None = None
    certificate_key: Path | None = None
    oauth_issuer: str = ""
    oauth_audience: str = ""
    oauth_jwks: str = ""
    oauth_any_type: bool = False


def read_grants(given: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Scopes by principal, of texts ``NAME=SCOPE,SCOPE``. Raises ValueError in words."""
    found: dict[str, tuple[str, ...]] = {}
    for text in given:
        name, equals, scopes = text.partition("=")
        words = tuple(filter(None, scopes.replace(",", " ").split()))
        if not equals or not name or not words:
            raise ValueError(f"--grant {text}: write NAME=SCOPE,SCOPE, such as ann=write,deploy")
        found[name] = (*found.get(name, ()), *words)
    return found


def lock_beside(config: Path) -> Path:
    """The lock file of a configuration."""
    return config.with_name(f"{config.name}.lock")


def gateway_folder(home: Path) -> Path:
    """Where the gateway's key and, in `log`, its log are in a home."""
    return home / "gateway"


def serve(settings: GatewaySettings) -> int:
    """Serve until the client goes or a signal comes; the exit status. What goes wrong at the start is said on standard
    error."""
    logging.basicConfig(
        stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s", level=logging.WARNING
    )
    reserve_stack(STACK)
    try:
        servers = read_config_file(settings.config)
        file = PolicyFile(settings.policy, default="deny", proves_beside=True)
        if file.served.policy is None and not file.is_proving:
            return _refused(file.served.problem)
        over_http = _http_options(settings)
        has_own = settings.has_own and NAME not in servers
        trusted = frozenset({NAME} if has_own else ())
        pins = Pins(
            settings.lock or lock_beside(settings.config),
            trust_first_use=settings.trust_first_use,
            trusted=trusted,
        )
        log = _open_log(settings)
    except (KleisError, ValueError) as error:
        return _refused(str(error))
    except (OSError, Unlogged) as error:
        return _refused(f"the log cannot be written: {error}")
    pool: UpstreamPool = Pool(servers.values())
    own = WithOwnServer(pool, partial(_home, settings)) if has_own else None
    try:
        version = metadata.version("pif-kleis")
        gateway = Gateway(
            own or pool, Policies(file), log, pins,
            version=version, mode=settings.mode, proves_lists=settings.mode == "enforce",
        )  # fmt: skip
    except KleisError as error:
        return _refused(str(error))
    if own is not None:
        gateway.on_client = own.belongs
    if over_http is None:
        return _serve_stdio(settings, gateway)
    return _serve_http(settings, gateway, over_http)


def _open_log(settings: GatewaySettings) -> ChainedLog:
    """Begin a log. Raises OSError, `Unlogged`, `KleisError`."""
    folder = gateway_folder(settings.home)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    about = {
        "pid": os.getpid(),
        "mode": settings.mode,
        "policy": str(settings.policy),
        "config": str(settings.config),
    }
    return ChainedLog(settings.log or folder / "log", open_key(folder), about, fsync=settings.fsync)


def _refused(said: str, hint: str | None = "") -> int:
    sys.stderr.write(f"{COMMAND}: {said}\n{hint}\n" if hint else f"{COMMAND}: {said}\n")
    return 2


def _home(settings: GatewaySettings, principal: str) -> tuple[Path, str]:
    """The home and the store of a principal's own tools."""
    caller = Caller(principal, ALL_SCOPES)
    if caller.is_owner or not settings.http:
        return settings.home, settings.store
    home = home_of(settings.home, caller)
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not settings.store:
        return home, ""
    from registry.store.open_store import url_of

    return home, url_of(settings.store, principal)


# ── Standard input and output ───────────────────────────────────────────────────────────────────────────────


def _serve_stdio(settings: GatewaySettings, gateway: Gateway) -> int:
    try:
        source, sink = move_descriptors()
    except OSError:
        return _refused("standard input and output must be open")

    async def run() -> None:
        gateway.start()
        client = OneClient(gateway, local_principal(settings.scopes))
        end_on_signals(client.stop)
        try:
            await client.serve(source, sink)
        finally:
            await gateway.close()

    asyncio.run(run())
    return 0


# ── HTTP ────────────────────────────────────────────────────────────────────────────────────────────────────


def _http_options(settings: GatewaySettings) -> HttpOptions | None:
    """How to serve over HTTP, None for standard input and output. Raises ValueError for what cannot be."""
    if not settings.http:
        return None
    from registry.server.mcp.http_options import HttpOptions, parse_address
    from registry.server.mcp.oauth import OAuthOptions

    given = (settings.oauth_issuer, settings.oauth_audience, settings.oauth_jwks, settings.oauth_any_type)
    options = HttpOptions(
        parse_address(settings.http), settings.origins, settings.certificate, settings.certificate_key,
        OAuthOptions(*given) if any(given) else None,
    )  # fmt: skip
    options.check()
    return options


def _serve_http(settings: GatewaySettings, gateway: Gateway, options: HttpOptions) -> int:
    from registry.access.tokens import TokenFile
    from registry.gateway.serving.http_serving import HttpServing
    from registry.server.mcp.http_server import address_said, open_listening

    tokens = TokenFile(settings.home)
    listening = open_listening(options, tokens, COMMAND)
    if isinstance(listening, int):
        return listening

    def identity(caller: Caller, is_open: bool) -> Principal:
        """An open server lets everybody on this machine in, who is its owner without the owner's scopes."""
        scopes = (
            settings.scopes if is_open else (*caller.scopes, *(settings.scopes if caller.is_owner else ()))
        )
        return Principal(caller.name, tuple(sorted({*scopes, *settings.grants.get(caller.name, ())})))

    async def run() -> None:
        gateway.start()
        try:
            host = listening.getsockname()[0]
            serving = HttpServing(gateway, options, tokens, identity, host)
            await serving.run(listening, address_said(options, listening, COMMAND))
        finally:
            await gateway.close()

    with listening:
        asyncio.run(run())
    return 0
