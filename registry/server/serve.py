"""What `pif serve` starts: the groups that are asked for, over one home, on standard input and output or HTTP."""

from __future__ import annotations

import sys
from importlib import metadata

from registry.errors import RegistryError
from registry.server.groups import make_groups
from registry.server.serving import serve_stdio
from registry.server.settings import Settings, Site

__all__ = ["serve"]

TITLE = "PIF + Kleis"


def serve(settings: Settings, groups: str) -> int:
    """Serve until the client goes; returns the exit status."""
    site = Site(settings)
    try:
        address = _address(settings.http)
        chosen = make_groups(groups, site)
    except ValueError as error:
        sys.stderr.write(f"pif serve: {error}\n")
        return 2
    except RegistryError as error:
        sys.stderr.write(f"pif serve: {error}\n{error.hint or ''}\n")
        site.close()
        return 1
    for warning in (each for group in chosen for each in group.warnings()):
        sys.stderr.write(f"pif serve: warning: {warning}\n")
    version = metadata.version("pif-kleis")
    if address is None:
        return serve_stdio(chosen, name="pif", version=version, title=TITLE)
    from registry.server.http import serve_http

    return serve_http(chosen, address, name="pif", version=version, title=TITLE)


def _address(text: str) -> tuple[str, int] | None:
    """Where to serve over HTTP, None for standard input and output. Raises ValueError in words."""
    if not text:
        return None
    from registry.server.http import parse_address

    return parse_address(text)
