"""Every example of the original's documents, through a real server: each works as its text promises."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.files.shared_data import needs_shared, shared_rows
from tests.support.servers.pif_server import PifClient, pif_server

EXAMPLES = shared_rows("mcp-pif-examples.json")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PifClient]:
    home: Path = tmp_path_factory.mktemp("home")
    with pif_server(home, more=True) as client:
        yield client


@needs_shared
def test_the_examples_are_there() -> None:
    assert len(EXAMPLES) == 35


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["title"] for example in EXAMPLES])
def test_example(server: PifClient, example: dict[str, Any]) -> None:
    for tool in example["evolve"]:
        assert server.ask("evolve", **tool)["type"] == "tool"
    found = server.ask("run", **example["call"])
    expected = example["expect"]
    match expected:
        case {"value": value}:
            assert found["value"] == value
        case {"value_contains": part}:
            assert found["value"].items() >= part.items()
        case {"error": kind}:
            assert found["error"]["kind"] == kind
        case {"continuation": part}:
            assert found["type"] == "continuation"
            assert found.items() >= part.items()
        case _:
            raise AssertionError(f"an expectation of no known form: {expected}")
    for tool in example["evolve"]:
        server.ask("forget", name=tool["name"])
