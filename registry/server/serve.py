"""The start of a server: the chosen groups over one home, on standard input and output or HTTP."""

from __future__ import annotations

import sys
from functools import partial
from importlib import import_module, metadata
from typing import TYPE_CHECKING, cast

from pif.language.errors import nearest
from registry.access.principals import Principal
from registry.access.quotas import Meter, Quotas, read_quotas
from registry.access.tokens import TokenFile
from registry.errors import RegistryError
from registry.server.calls.observation import Observer
from registry.server.calls.read_only_tools import ReadOnlyGroup
from registry.server.calls.scoped_tools import share
from registry.server.contract.group import Group
from registry.server.contract.settings import Settings, Site, check_places, check_without_http
from registry.server.mcp.stdio_server import serve_stdio
from registry.store.failures import store_errors
from registry.store.timed_store import Timed

if TYPE_CHECKING:
    from registry.server.mcp.http_server import HttpOptions
    from registry.server.mcp.oauth import OAuthOptions
    from registry.server.mcp.principal_servers import MadeGroups
    from registry.server.monitoring.monitoring import Monitoring
    from registry.server.monitoring.tracing import Tracing

__all__ = ["FIXTURES", "GROUPS", "chosen_names", "make_groups", "serve"]

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


def serve(settings: Settings, groups: str, command: str = "pif serve") -> int:
    """Serve until the client goes; returns the exit status. What is said on standard error is said as `command`'s."""
    version = metadata.version("pif-kleis")
    monitoring = _monitoring(settings, version)
    try:
        tracing = _tracing(settings, version)
    except ValueError as error:
        sys.stderr.write(f"{command}: {error}\n")
        return 2
    try:
        return _serve(settings, groups, command, version, monitoring, tracing)
    finally:
        if tracing is not None:
            tracing.close()


def _serve(
    settings: Settings,
    groups: str,
    command: str,
    version: str,
    monitoring: Monitoring | None,
    tracing: Tracing | None,
) -> int:
    site = Site(settings, _timed(monitoring, tracing))
    try:
        over_http = _http_options(settings)
        quotas = read_quotas(settings.quotas)
        if quotas.stored_mb is not None and settings.store:
            raise ValueError(
                "--quota stored-mb counts the files of homes, and with --store tools are rows of a database; "
                "leave one of them out"
            )
        chosen = make_groups(groups, site)
    except ValueError as error:
        sys.stderr.write(f"{command}: {error}\n")
        return 2
    except RegistryError as error:
        sys.stderr.write(f"{command}: {error}\n{error.hint or ''}\n")
        site.close()
        return 1
    for warning in (each for group in chosen for each in group.warnings()):
        sys.stderr.write(f"{command}: warning: {warning}\n")
    observers = _observers(settings)
    if over_http is None:
        return serve_stdio(
            chosen, name="pif", version=version, title=TITLE, command=command, observers=observers, tracing=tracing
        )  # fmt: skip
    from registry.server.mcp.http_server import serve_http

    return serve_http(
        chosen, over_http, name="pif", version=version, title=TITLE, command=command, observers=observers,
        monitoring=monitoring, checks=site.checks([group.name for group in chosen]),
        tokens=TokenFile(settings.home), groups_of=partial(_groups_of, groups, site, quotas),
        tracing=tracing,
    )  # fmt: skip


def _groups_of(names: str, owner: Site, quotas: Quotas, principal: Principal) -> MadeGroups:
    """The groups of a principal beside the owner, over a home of its own. Raises as `make_groups`."""
    from registry.server.mcp.principal_servers import MadeGroups

    site = Site(owner.settings.of(principal), owner.store_timed, beside=owner)
    with store_errors(site.settings.home):
        site.settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        meter = Meter(quotas, site.settings.home, team_size=site.member.size)
        return MadeGroups(make_groups(names, site), site.close, meter)
    except BaseException:
        site.close()
        raise


def _monitoring(settings: Settings, version: str) -> Monitoring | None:
    """How the server is seen from outside; None on standard input and output, where nobody asks."""
    if not settings.http:
        return None
    from registry.server.monitoring.monitoring import Monitoring

    return Monitoring(version)


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
    from registry.server.mcp.http_server import HttpOptions, parse_address

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
