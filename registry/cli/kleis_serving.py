"""`kleis serve`: the theory and policy tools over standard input and output, the short form of `pif serve --groups …`.

Specification: servers.md; issue 6, item 4.  Without `--groups` it offers `theory`; with a policy also `policy`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from registry.cli.terminal.process import USAGE, complain

__all__ = ["serve_kleis"]


def serve_kleis(home: Path | None, groups: str, options: Mapping[str, Any]) -> int:
    """Serve until the client goes; the exit status."""
    closed: frozenset[int] = click.get_current_context().find_root().obj or frozenset()
    if closed & {0, 1} and not options.get("http"):
        complain("kleis serve: standard input and output must be open")
        return USAGE
    from registry.home import find_home
    from registry.server.contract.settings import Settings
    from registry.server.serve import serve

    chosen = groups or ("theory,policy" if options.get("policy") else "theory")
    return serve(Settings(home=find_home(home).path, **options), chosen)
