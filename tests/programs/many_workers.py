"""The group of `demo_group` over HTTP by many processes: `python tests/programs/many_workers.py HOME WORKERS`.

A worker is started by the same file, so that it knows the group too.
"""

from __future__ import annotations

import sys
from pathlib import Path

from registry.server.contract.group import Group
from registry.server.contract.settings import Settings, Site
from registry.server.serve import FIXTURES, serve, work
from tests.programs.demo_group import DemoGroup

__all__ = ["make"]


def make(site: Site) -> Group:
    """The group."""
    return DemoGroup()


def main(words: list[str]) -> int:
    FIXTURES["demo"] = "tests.programs.many_workers"
    if words[0] == "worker":
        work(*map(int, words[1:]))
    settings = Settings(home=Path(words[0]), http="127.0.0.1:0", workers=int(words[1]))
    return serve(
        settings,
        "demo",
        program=lambda *inherited: [sys.executable, __file__, "worker", *map(str, inherited)],
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
