"""The start of `pif ui`: a server on this machine for one page, which shows the views in a browser.

The page is an empty shell at `/ui`, which says nothing of a home. What it shows comes through `/mcp`: a request must carry the token
that was made for this start and stands in the fragment of the address, which browsers send to no server; and its `Host` and
`Origin` must name this machine. Unless changes are allowed, tools that may change something are not there.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable
from importlib import metadata

from registry.errors import RegistryError
from registry.server.contract.page import Page, PageAnswer
from registry.server.contract.settings import Settings, Site
from registry.server.mcp.http_options import HttpOptions, Private
from registry.server.mcp.http_server import serve_http
from registry.server.monitoring.monitoring import Monitoring
from registry.server.serve import TITLE, make_groups
from registry.views.page import policy_of
from registry.views.shell import shell

__all__ = ["PATH", "serve_ui"]

PATH = "/ui"

_HOST = "127.0.0.1"


def serve_ui(
    settings: Settings, groups: str, port: int, opened: Callable[[str], None], command: str = "pif ui"
) -> int:
    """Serve until a signal; returns the exit status. `port` 0 is one that is free; `opened` is told the address with its token."""
    site = Site(settings)
    try:
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
    secret = secrets.token_urlsafe(32)
    version = metadata.version("pif-kleis")
    names = [group.name for group in chosen]
    private = Private(
        secret, (_page(is_scoped="theory" in names),), lambda address: opened(f"{address}{PATH}#{secret}")
    )
    return serve_http(
        chosen, HttpOptions((_HOST, port)), name="pif", version=version, title=TITLE, command=command,
        monitoring=Monitoring(version), checks=site.checks(names), private=private,
    )  # fmt: skip


def _page(*, is_scoped: bool) -> Page:
    body = shell(is_scoped=is_scoped).encode()
    headers = (
        ("content-security-policy", f"{policy_of('ui')}; frame-ancestors 'none'"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cache-control", "no-store"),
    )

    async def answer() -> PageAnswer:
        return PageAnswer(200, "text/html; charset=utf-8", body, headers)

    return Page(PATH, True, answer)
