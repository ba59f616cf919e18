"""What `make test` runs of `make conformance`: the suite, the Inspector, both TypeScript clients.

Skips with the reason where Node and the packages are neither in `.build/conformance` nor to be had.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance import clients, installation, report, server, suite

INSTALLING = 150.0
"""Seconds for the packages where they are not there yet."""


ATTEMPTS = 3


@pytest.fixture(scope="session", autouse=True)
def packages() -> Path:
    try:
        return installation.node_packages(INSTALLING, again=False)
    except installation.NotInstalled as error:
        pytest.skip(f"no conformance packages: {error}")


@pytest.mark.parametrize("generation", suite.GENERATIONS)
def test_the_suite_finds_what_the_page_says(generation: str, tmp_path: Path) -> None:
    said = report.recorded(generation)
    wrong: dict[str, suite.Outcome] = {}
    # The suite has clocks of its own (0.8 s for a first message), which a busy machine can miss.
    for attempt in range(ATTEMPTS):
        home = tmp_path / str(attempt)
        home.mkdir()
        with server.over_http(home) as address:
            outcomes = suite.run_suite(address, generation, home / "results")
        assert report.unexplained(outcomes) == []
        assert {each.scenario for each in outcomes} == set(said)
        # What is not scored is on the page, but not promised.
        found = {
            each.scenario: each for each in outcomes if not each.unscored and each.word != said[each.scenario]
        }
        wrong = {name: each for name, each in found.items() if attempt == 0 or name in wrong}
        if not wrong:
            break
    assert wrong == {}


@pytest.mark.parametrize("generation", suite.GENERATIONS)
def test_the_inspector_has_nothing_to_say(generation: str, tmp_path: Path) -> None:
    lint = clients.lint_schemas(generation, "stdio", tmp_path / "home")

    assert lint.tools > 30
    assert lint.findings == ()


@pytest.mark.parametrize(("which", "transport"), [("sdk", "http"), ("client", "stdio")])
def test_typescript_clients_do_their_tasks(which: str, transport: str, tmp_path: Path) -> None:
    run = clients.run_typescript(which, transport, tmp_path / "home")

    assert run.is_good, run
