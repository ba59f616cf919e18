"""What `make test` runs of `make conformance`: the suite, the Inspector, both TypeScript clients.

Skips with the reason where Node and the packages are neither in `.build/conformance` nor to be had.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance import clients, installation, report, server, suite

INSTALLING = 150.0
"""Seconds for the packages where they are not there yet."""


@pytest.fixture(scope="session", autouse=True)
def packages() -> Path:
    try:
        return installation.node_packages(INSTALLING)
    except installation.NotInstalled as error:
        pytest.skip(f"no conformance packages: {error}")


@pytest.mark.parametrize("generation", suite.GENERATIONS)
def test_the_suite_finds_what_the_page_says(generation: str, tmp_path: Path) -> None:
    with server.over_http(tmp_path) as address:
        outcomes = suite.run_suite(address, generation, tmp_path / "results")

    assert report.unexplained(outcomes) == []
    said = report.recorded(generation)
    assert {each.scenario for each in outcomes} == set(said)
    # What is not scored is on the page, but not promised.
    promised = [each for each in outcomes if not each.unscored]
    assert [each for each in promised if each.word != said[each.scenario]] == []


@pytest.mark.parametrize("generation", suite.GENERATIONS)
def test_the_inspector_has_nothing_to_say(generation: str, tmp_path: Path) -> None:
    lint = clients.lint_schemas(generation, "stdio", tmp_path / "home")

    assert lint.tools > 30
    assert lint.findings == ()


@pytest.mark.parametrize(("which", "transport"), [("sdk", "http"), ("client", "stdio")])
def test_typescript_clients_do_their_tasks(which: str, transport: str, tmp_path: Path) -> None:
    run = clients.run_typescript(which, transport, tmp_path / "home")

    assert run.is_good, run
