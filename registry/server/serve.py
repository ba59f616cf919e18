"""What `pif serve` starts: the groups that are asked for, over one home, on standard input and output."""

from __future__ import annotations

import sys
from importlib import metadata
from pathlib import Path

from registry.errors import RegistryError
from registry.server.group import Group
from registry.server.pif_group import PifGroup
from registry.server.serving import chosen_groups, serve_stdio
from registry.store.sqlite import SqliteStore
from registry.tool import valid_name
from registry.workspace import Workspace

__all__ = ["serve"]

TITLE = "PIF + Kleis"


def serve(*, home: Path, groups: str, expose: int, more: bool, memory_mb: int, maximum_fuel: int) -> int:
    """Serve until the client goes; returns the exit status."""
    try:
        store = SqliteStore(home)
    except RegistryError as error:
        sys.stderr.write(f"pif serve: {error}\n{error.hint or ''}\n")
        return 1
    workspace = Workspace(store, maximum_fuel=maximum_fuel, memory=memory_mb * 2**20)
    known: list[Group] = [PifGroup(workspace, Exchange(home), expose=expose, more=more)]
    try:
        chosen = chosen_groups(groups, known)
    except ValueError as error:
        store.close()
        sys.stderr.write(f"pif serve: {error}\n")
        return 2
    return serve_stdio(chosen, name="pif", version=metadata.version("pif-kleis"), title=TITLE)


class Exchange:
    """The directories that agents may export to and import from: plain names in one place beside the registry."""

    def __init__(self, home: Path) -> None:
        self._root = home / "exchange"

    def __call__(self, name: str) -> Path:
        if not valid_name(name) or ".." in name:
            raise RegistryError(
                "invalid_argument",
                "`directory` is a plain name, not a path",
                place="directory",
                found=name[:80],
                expected="letters, digits, _ . -, at most 48",
                hint=f"It stands for a directory in {self._root}.",
            )
        self._root.mkdir(parents=True, exist_ok=True, mode=0o700)
        return self._root / name
