"""The time of a run with one tool registered and with ten thousand."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.timing import alternating
from pif.language.terms import code_text
from pif.run.evaluate import Request
from registry.records import content_hash
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.workspace.requests import Evolve
from registry.workspace.workspace import Workspace

__all__ = ["LIMIT", "filled_workspace", "measure"]

LIMIT = 1.2
TOOLS = 10_000
_SQUARE = {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}


def filled_workspace(home: Path, tools: int) -> Workspace:
    """A registry of so many tools, one of them `square`."""
    store = SqliteStore(home)
    workspace = Workspace(store)
    workspace.evolve(Evolve("square", "Squares a number", _SQUARE))
    for i in range(1, tools):
        code = code_text({"lam": "x", "body": {"add": [{"var": "x"}, i]}})
        store.evolve(
            f"tool_{i}", code=code, hash=content_hash(code), description=f"adds {i}", capabilities=()
        )
    return workspace


def measure(tools: int = TOOLS) -> dict[str, float]:
    """The ratio of the two times, for a tool run by its name."""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as many:
        small, large = filled_workspace(Path(one), 1), filled_workspace(Path(many), tools)
        request = Request(tool="square", input=7)
        times = alternating({"small": lambda: small.run(request), "large": lambda: large.run(request)})
        small.store.close()
        large.store.close()
    return {f"run with {tools} tools / with 1": times["large"] / times["small"]}
