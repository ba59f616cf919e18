"""The start of a server: the chosen groups over one home, on standard input and output or HTTP."""

from __future__ import annotations

import asyncio
import secrets
import shutil
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec

from kleis.decoding import converted
from kleis.installed_versions import version_of
from pif.language.errors import nearest
from registry.access.principals import Principal
from registry.access.quotas import InUse, Meter, Quotas, read_quotas
from registry.access.shared_use import UseTable
from registry.access.tokens import TokenFile
from registry.errors import RegistryError
from registry.server.calls.observation import Observer
from registry.server.calls.read_only_tools import ReadOnlyGroup
from registry.server.calls.scoped_tools import share
from registry.server.calls.searches import SECRETS
from registry.server.contract.group import Group
from registry.server.contract.settings import (
    Settings,
    Site,
    check_places,
    check_without_http,
    check_workers,
)
from registry.server.stdio.stdio_server import serve_stdio
from registry.store.failures import store_errors
from registry.store.open_store import url_of
from registry.store.timed_store import Timed

if TYPE_CHECKING:
    from registry.server.mcp.http_options import HttpOptions
    from registry.server.mcp.http_server import Offered
    from registry.server.mcp.oauth import OAuthOptions
    from registry.server.mcp.principal_servers import MadeGroups
    from registry.server.monitoring.monitoring import Monitoring
    from registry.server.monitoring.tracing import Tracing
    from registry.server.workers.kept_connections import KeptConnections
    from registry.server.workers.member import Member
    from registry.server.workers.orders import Orders
    from registry.server.workers.supervisor import WorkerProgram

__all__ = ["FIXTURES", "GROUPS", "chosen_names", "make_groups", "serve", "work"]

TITLE = "PIF + Kleis"

GROUPS: dict[str, str] = {
    "pif": "registry.server.groups.pif.group",
    "theory": "registry.server.groups.theory.group",
    "policy": "registry.server.groups.policy.group",
    "lean": "registry.server.groups.lean.group",
    "corpus": "registry.server.groups.corpus.group",
    "documents": "registry.server.groups.documents.group",
}
"""The module of each group, in the order of their tools. It is imported when the group is chosen: a server without proofs
loads no prover (docs/reference/serving.md §1.2)."""


FIXTURES: dict[str, str] = {"conformance": "registry.server.groups.conformance.group"}
"""Groups that are for tests of servers and clients. They are offered by name only; ``all`` leaves them out, and their
names are not reserved."""


def serve(
    settings: Settings, groups: str, command: str = "pif serve", program: WorkerProgram | None = None
) -> int:
    """Serve until the client goes; returns the exit status. What is said on standard error is said as `command`'s. `program`
    begins a worker, where there are many: it calls `work`."""
    try:
        over_http = _http_options(settings)
        quotas = read_quotas(settings.quotas)
        check_workers(settings, chosen_names(groups))
    except ValueError as error:
        sys.stderr.write(f"{command}: {error}\n")
        return 2
    if not settings.cluster:
        return _serve_all(settings, groups, quotas, command, over_http, program)
    from kleis.batches.local_cluster import local_cluster

    with local_cluster(settings.cluster, secrets=SECRETS) as address:
        settings = msgspec.structs.replace(settings, cluster=address)
        return _serve_all(settings, groups, quotas, command, over_http, program)


def _serve_all(
    settings: Settings,
    groups: str,
    quotas: Quotas,
    command: str,
    over_http: HttpOptions | None,
    program: WorkerProgram | None,
) -> int:
    """Serve by one process or by many; the exit status."""
    if over_http is not None and settings.workers > 1:
        return _supervise(settings, groups, command, over_http, program)
    made = _made(settings, groups, command)
    if isinstance(made, int):
        return made
    with made.ending():
        return _serve(made, settings, groups, quotas, command, over_http)


def _serve(
    made: _Made, settings: Settings, groups: str, quotas: Quotas, command: str, over_http: HttpOptions | None
) -> int:
    if over_http is None:
        return serve_stdio(
            made.chosen, name="pif", version=made.version, title=TITLE, command=command, observers=_observers(settings),
            tracing=made.tracing,
        )  # fmt: skip
    from registry.server.mcp.http_server import address_said, open_listening, serve_on

    tokens = TokenFile(settings.home)
    listening = open_listening(over_http, tokens, command)
    if isinstance(listening, int):
        return listening
    with listening:
        said = address_said(over_http, listening, command)
        return serve_on(listening, _offered(made, settings, groups, quotas), over_http, tokens, said=said)


def _supervise(
    settings: Settings, groups: str, command: str, over_http: HttpOptions, program: WorkerProgram | None
) -> int:
    """Serve by many processes on one socket; the exit status."""
    from registry.server.mcp.http_server import address_said, open_listening
    from registry.server.workers.member import USE_FILE
    from registry.server.workers.orders import Orders
    from registry.server.workers.session_names import SECRET_BYTES
    from registry.server.workers.supervisor import COLUMNS, Supervisor, shared_directory, worker_program

    if settings.log == "json":
        from registry.server.monitoring.call_log import log_as_json

        log_as_json()
    listening = open_listening(over_http, TokenFile(settings.home), command)
    if isinstance(listening, int):
        return listening
    try:
        directory = shared_directory()
    except OSError as error:
        sys.stderr.write(
            f"{command}: no directory for what workers share: {error}; set TMPDIR to one that can be written\n"
        )
        return 1
    use = UseTable(directory / USE_FILE, settings.workers * COLUMNS)
    orders = Orders(
        settings=msgspec.json.encode(settings, enc_hook=str), groups=groups, command=command, number=0, generation=0, column=0,
        workers=settings.workers, directory=str(directory), secret=secrets.token_bytes(SECRET_BYTES), host=over_http.address[0],
    )  # fmt: skip

    def said() -> None:
        sys.stderr.write(address_said(over_http, listening, command))
        sys.stderr.flush()

    async def run() -> int:
        return await Supervisor(
            orders,
            listening,
            on_ready=said,
            on_end=use.clear,
            program=program or worker_program,
            seconds=settings.drain,
        ).run()

    try:
        with listening:
            return asyncio.run(run())
    finally:
        use.close()
        shutil.rmtree(directory, ignore_errors=True)


def work(channel: int, listening: int, kept: int) -> None:
    """Be a worker, with the sockets that the supervisor has given by their descriptors; ends the process."""
    from registry.server.workers.kept_connections import KeptConnections
    from registry.server.workers.member import KEPT_FILE
    from registry.server.workers.orders import read_orders

    connected = socket.socket(fileno=channel)
    body = connected.recv(4, socket.MSG_WAITALL)
    if len(body) < 4:
        sys.exit(1)  # the supervisor has gone
    orders = read_orders(connected.recv(int.from_bytes(body, "big"), socket.MSG_WAITALL))
    settings = converted(
        msgspec.json.decode(orders.settings), Settings, dec_hook=lambda kind, text: kind(text)
    )
    connections = KeptConnections(
        Path(orders.directory) / f"{KEPT_FILE}-{orders.number}-{orders.generation}",
        socket.socket(fileno=kept),
    )
    sys.exit(_work(orders, settings, connected, socket.socket(fileno=listening), connections))


def _work(
    orders: Orders,
    settings: Settings,
    connected: socket.socket,
    listening: socket.socket,
    kept: KeptConnections,
) -> int:
    from registry.server.mcp.http_server import serve_on
    from registry.server.workers.member import USE_FILE, Member
    from registry.server.workers.orders import Channel
    from registry.server.workers.supervisor import COLUMNS

    over_http = _http_options(settings)
    assert over_http is not None  # else there were no workers
    made = _made(settings, orders.groups, orders.command, orders)
    if isinstance(made, int):
        return made
    table = UseTable(Path(orders.directory) / USE_FILE, orders.workers * COLUMNS, orders.column)
    following: set[asyncio.Task[None]] = set()

    async def joined() -> Member:
        member = Member(orders, await Channel.over(connected))
        following.add(asyncio.create_task(member.follow()))
        return member

    offered = _offered(made, settings, orders.groups, read_quotas(settings.quotas), table)
    with made.ending():
        return serve_on(listening, offered, over_http, TokenFile(settings.home), joined=joined, kept=kept)


class _Made(msgspec.Struct, frozen=True):
    """The groups of the owner, what they stand on, and how the server is seen from outside."""

    site: Site
    chosen: list[Group]
    version: str
    monitoring: Monitoring | None
    tracing: Tracing | None

    @contextmanager
    def ending(self) -> Iterator[None]:
        """At the end, what was traced is sent."""
        try:
            yield
        finally:
            if self.tracing is not None:
                self.tracing.close()


def _made(settings: Settings, groups: str, command: str, orders: Orders | None = None) -> _Made | int:
    """The owner's groups, of a worker where it has `orders`; or the exit status, and standard error has said why."""
    version = version_of("pif-kleis")
    monitoring = _monitoring(settings, version, orders)
    try:
        tracing = _tracing(settings, version)
    except ValueError as error:
        sys.stderr.write(f"{command}: {error}\n")
        return 2
    site = Site(settings, _timed(monitoring, tracing))
    try:
        chosen = make_groups(groups, site)
    except ValueError as error:
        sys.stderr.write(f"{command}: {error}\n")
        return 2
    except RegistryError as error:
        sys.stderr.write(f"{command}: {error}\n{error.hint or ''}\n")
        site.close()
        return 1
    if orders is None or orders.is_first:
        for warning in (each for group in chosen for each in group.warnings()):
            sys.stderr.write(f"{command}: warning: {warning}\n")
    return _Made(site, chosen, version, monitoring, tracing)


def _offered(
    made: _Made, settings: Settings, groups: str, quotas: Quotas, table: UseTable | None = None
) -> Offered:
    """What a server over HTTP offers. `table`: where what principals use is counted for all workers."""
    from registry.server.mcp.http_server import Offered

    return Offered(
        groups=made.chosen, name="pif", version=made.version, title=TITLE, monitoring=made.monitoring,
        checks=made.site.checks([group.name for group in made.chosen]), observers=_observers(settings),
        groups_of=partial(_groups_of, groups, made.site, quotas, table), tracing=made.tracing,
    )  # fmt: skip


def _groups_of(
    names: str, owner: Site, quotas: Quotas, table: UseTable | None, principal: Principal
) -> MadeGroups:
    """The groups of a principal beside the owner, over a home of its own. Raises as `make_groups`."""
    from registry.server.mcp.principal_servers import MadeGroups

    site = Site(owner.settings.of(principal), owner.store_timed, beside=owner)
    with store_errors(site.settings.home):
        site.settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        use = None if table is None else table.of(principal.name)
        meter = Meter(
            quotas, site.settings.home, in_store=_in_store(site), use=use, team_size=site.member.size, tidy=_tidy(site)
        )  # fmt: skip
        site.has_room = meter.has_room
        return MadeGroups(make_groups(names, site), site.close, meter)
    except BaseException:
        site.close()
        raise


def _in_store(site: Site) -> Callable[[], InUse]:
    """What the principal of a site has in the store of its tools."""

    def in_use() -> InUse:
        if not site.settings.store:
            return InUse(site.store.size())
        from registry.store.shared_state import usage

        return InUse(*usage(site.store))

    return in_use


def _tidy(site: Site) -> Callable[[str], bool]:
    """Erase what its principal has forgotten, or what was forgotten in a team."""

    def tidy(team: str) -> bool:
        return site.member.tidy(team) if team else site.store.tidy()

    return tidy


def _monitoring(settings: Settings, version: str, orders: Orders | None) -> Monitoring | None:
    """How the server is seen from outside; None on standard input and output, where nobody asks. A worker counts with all."""
    if not settings.http:
        return None
    from registry.server.monitoring.monitoring import Monitoring

    if orders is None:
        return Monitoring(version)
    from registry.server.workers.member import METRICS_DIRECTORY

    return Monitoring(version, Path(orders.directory) / METRICS_DIRECTORY, orders.column)


def _tracing(settings: Settings, version: str) -> Tracing | None:
    """How traces are made, None where nobody asked for them. Raises ValueError where the extra is missing."""
    if not settings.traces:
        return None
    from registry.server.monitoring.tracing import start_tracing

    return start_tracing(version)


def _timed(monitoring: Monitoring | None, tracing: Tracing | None) -> Timed | None:
    """Who is told of the operations of stores."""
    told = [each.store_timed for each in (monitoring, tracing) if each is not None]

    def all_told(operation: str, seconds: float) -> None:
        for each in told:
            each(operation, seconds)

    return all_told if told else None


def _observers(settings: Settings) -> tuple[Observer, ...]:
    """Who is told of calls, by the settings of the log, which is set up here."""
    if settings.log != "json":
        return ()
    from registry.server.monitoring.call_log import CallLog, log_as_json

    log_as_json()
    return (CallLog(wants_arguments=settings.log_arguments),)


def _http_options(settings: Settings) -> HttpOptions | None:
    """How to serve over HTTP, None for standard input and output. Raises ValueError for what cannot be."""
    if not settings.http:
        check_without_http(settings)
        return None
    from registry.server.mcp.http_options import HttpOptions, parse_address

    options = HttpOptions(
        parse_address(settings.http), settings.origins, settings.certificate, settings.certificate_key,
        _oauth_options(settings), settings.drain,
    )  # fmt: skip
    options.check()
    return options


def _oauth_options(settings: Settings) -> OAuthOptions | None:
    """The authorization server, None where no option is about one."""
    given = (settings.oauth_issuer, settings.oauth_audience, settings.oauth_jwks, settings.oauth_any_type)
    if not any(given):
        return None
    from registry.server.mcp.oauth import OAuthOptions

    try:
        url_of(settings.store, "a.subject")
    except RegistryError as error:
        raise ValueError(
            f"--oauth-issuer: {error}. Each subject of an authorization server has a schema of its own, whose name is "
            "48 characters longer; PostgreSQL takes 63"
        ) from None
    return OAuthOptions(*given)


def chosen_names(names: str) -> list[str]:
    """The groups that `--groups` asks for ("pif,theory" or "all"), in the order of `GROUPS`.

    Raises ValueError that names the groups there are.
    """
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    known = GROUPS | FIXTURES
    unknown = [name for name in wanted if name != "all" and name not in known]
    if unknown or not wanted:
        what = f"there is no group {unknown[0]!r}" if unknown else "no group is chosen"
        close = nearest(unknown[0], known) if unknown else None
        meant = f"did you mean {close!r}? " if close else ""
        raise ValueError(f"{what}; {meant}groups: {', '.join(GROUPS)}, all")
    return [name for name in known if name in wanted or ("all" in wanted and name in GROUPS)]


def make_groups(names: str, site: Site) -> list[Group]:
    """The chosen groups, ready to serve, with the tools that they have in common put together.

    ``all`` leaves out what needs a file that is not named. Raises ValueError (see `chosen_names`, `check_places`), and
    RegistryError of a group.
    """
    chosen = chosen_names(names)
    if site.settings.policy is None and "policy" not in names.replace(" ", "").split(","):
        chosen = [name for name in chosen if name != "policy"]
    check_places(site.settings, chosen)
    made = [cast("Group", import_module((GROUPS | FIXTURES)[name]).make(site)) for name in chosen]
    shared = share(made)
    return [ReadOnlyGroup(group) for group in shared] if site.settings.only_reads else shared
