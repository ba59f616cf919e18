"""What others' servers answer through the gateway is what they answer without it.

Skips with the reason where a server is neither in `.build/conformance` nor to be had.
"""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from registry.gateway.upstream.protocol import Generation
from tests.conformance import installation
from tests.conformance.gateway import clients, suite_through
from tests.conformance.gateway.cases import CASES, NEWER, OLDER, Case
from tests.conformance.gateway.differential import differences

ATTEMPTS = 3

INSTALLING = 100.0
"""Seconds for the Node servers where they are not there yet. Those in Python are installed by `make conformance` only."""

ALL = [
    (case, server, client)
    for number, case in enumerate(CASES)
    for server in case.generations
    for client in ("2025", "2026")
    if case.name == "everything" or (client == "2026") == (number % 2 == 0)
]
"""`make conformance` runs every pair of generations; here are all of them for one server, and one of each other."""


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


@pytest.mark.parametrize(("revision", "behind"), [("2025-11-25", "2026"), ("2026-07-28", "2025")])
def test_the_conformance_suite_passes_through_the_gateway(revision: str, behind: str, tmp_path: Path) -> None:
    try:
        installation.node_packages(INSTALLING, again=False)
    except installation.NotInstalled as error:
        pytest.skip(f"no conformance suite: {error}")
    wrong: dict[str, object] = {}
    # The suite has clocks of its own, which a busy machine can miss.
    for attempt in range(ATTEMPTS):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        outcomes = suite_through.run(revision, folder, behind=cast("Generation", behind))
        assert len(outcomes) > 30
        wrong = dict(suite_through.unexpected(revision, outcomes))
        if not wrong:
            break
    assert wrong == {}


@pytest.mark.parametrize(
    ("which", "transport"), [("sdk", "stdio"), ("client", "http"), ("python auto", "stdio")]
)
def test_clients_that_others_wrote_do_their_tasks(which: str, transport: str, tmp_path: Path) -> None:
    run = clients.run_typescript if which in clients.TYPESCRIPT else clients.run_python
    try:
        installation.node_packages(INSTALLING, again=False)
        installation.node_servers(INSTALLING, again=False)
        found = run(which, transport, tmp_path)
    except installation.NotInstalled as error:
        pytest.skip(f"no client: {error}")
    assert found.is_good, found
