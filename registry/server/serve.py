"""What `pif serve` starts: the groups that are asked for, over one home, on standard input and output."""

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
        chosen = make_groups(groups, site)
    except ValueError as error:
        sys.stderr.write(f"pif serve: {error}\n")
        return 2
    except RegistryError as error:
        sys.stderr.write(f"pif serve: {error}\n{error.hint or ''}\n")
        site.close()
        return 1
    return serve_stdio(chosen, name="pif", version=metadata.version("pif-kleis"), title=TITLE)
