"""What others' servers answer through the gateway is what they answer without it.

Skips with the reason where a server is neither in `.build/conformance` nor to be had.
"""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from registry.gateway.upstream.protocol import Generation
from tests.conformance import installation
from tests.conformance.gateway.cases import CASES, NEWER, OLDER, Case
from tests.conformance.gateway.differential import differences

INSTALLING = 100.0
"""Seconds for the Node servers where they are not there yet. Those in Python are installed by `make conformance` only."""

ALL = [(case, server, client) for case in CASES for server in case.generations for client in ("2025", "2026")]


def _install(case: Case) -> None:
    try:
        if case.command(Path("/"))[0] == "node":
            installation.node_servers(INSTALLING, again=False)
        else:
            requirements = OLDER if OLDER.removesuffix(".txt") in case.command(Path("/"))[0] else NEWER
            installation.python_servers(requirements, may_install=False)
    except installation.NotInstalled as error:
        pytest.skip(f"no server: {error}")


@pytest.mark.parametrize(
    ("case", "server", "client"),
    ALL,
    ids=[f"{case.name}-{server}-for-{client}" for case, server, client in ALL],
)
def test_a_server_answers_the_same_through_the_gateway(
    case: Case, server: str, client: str, tmp_path: Path
) -> None:
    _install(case)
    found = differences(case, tmp_path, server=cast("Generation", server), client=cast("Generation", client))
    assert found == []
