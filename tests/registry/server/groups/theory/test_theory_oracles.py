"""Tools that ask a theory, and `explore`, over MCP: sessions, errors, and a client's own generator."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.servers.pif_server import PifClient, pif_server

PROOF = {"lam": "p", "body": {"get": [{"verify": {"var": "p"}}, "verdict"]}}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PifClient]:
    home: Path = tmp_path_factory.mktemp("home")
    with pif_server(home, groups="pif,theory") as made:
        yield made


def test_a_run_asks_the_session_as_it_stands(client: PifClient) -> None:
    made = client.ask("evolve", name="proof", description="the verdict on a proposition", code=PROOF)
    assert made["capabilities"] == ["theory"]
    claim = "using Pointed ∀(x : P). x = base"
    before = client.ask("run", code="proof", input=claim, session="points")
    assert before["value"] == "error"
    text = "structure Pointed(P) { element base : P\n axiom all : ∀(x : P). x = base }"
    assert client.ask("submit_structure", kleis=text, session="points")["accepted"]
    after = client.ask("run", code="proof", input=claim, session="points")
    assert after["value"] == "verified"
    elsewhere = client.ask("run", code="proof", input=claim, session="default")
    assert elsewhere["value"] == "error"


def test_a_continuation_says_which_session_to_pass_again(client: PifClient) -> None:
    again = {"continue": {"input": {"add": [{"var": "n"}, 1]}}}
    ask = {"get": [{"verify": {"quote": {"eq": [{"unquote": {"var": "n"}}, 2]}}}, "verdict"]}
    choice = {"if": {"cond": {"eq": [ask, "verified"]}, "then": {"var": "n"}, "else": again}}
    client.ask(
        "evolve", name="until", description="counts until it is proved", code={"lam": "n", "body": choice}
    )
    step = client.ask("run", code="until", input=0, session="default")
    assert (step["type"], step["session"], step["next_input"]) == ("continuation", "default", 1)
    driven = client.ask("run", code="until", input=0, session="default", drive=5, fuel=100_000)
    assert (driven["value"], driven["step"]) == (2, 2)


def test_without_a_session_and_with_a_bad_one(client: PifClient) -> None:
    assert client.ask("run", code={"verify": "1 = 1"})["error"]["kind"] == "oracle_error"
    refused = client.ask("run", code={"verify": "1 = 1"}, session="../../etc")["error"]
    assert (refused["kind"], refused["path"]) == ("invalid_argument", "/session")
    assert client.lives()


def test_explore_and_a_generator_of_the_agents_own(client: PifClient) -> None:
    found = client.ask("explore", structure="Group", size=3, limit=5)
    assert found["complete"]
    assert len(found["refuted"]) == 5
    assert "offset 5" in found["next"]
    code: dict[str, Any] = {"lam": "input", "body": ["inv(inv(x)) = x", "x • x = e"]}
    client.ask("evolve", name="guess", description="two guesses", code=code)
    mine = client.ask("explore", structure="Group", generator="guess")
    assert mine["counts"] == {"proved": 1, "refuted": 1}
    assert mine["models"][0]["elements"]


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ({"structure": "Grupp"}, "/structure"),
        ({"structure": "Group", "generator": "none_such"}, "/generator"),
        ({"structure": "Group", "session": "a/b"}, "/session"),
        ({"structure": "Group", "size": 0}, "/size"),
        ({"structure": "Group", "sise": 3}, "/sise"),
        ({}, ""),
    ],
)
def test_refusals_of_explore(client: PifClient, arguments: dict[str, Any], path: str) -> None:
    error = client.ask("explore", **arguments)["error"]
    assert error["kind"] == "invalid_argument"
    assert path in (error.get("path", ""), "")


def test_explore_is_listed_among_the_default_tools(client: PifClient) -> None:
    client.send({"jsonrpc": "2.0", "id": "tools", "method": "tools/list"})
    listed = client.answer_to("tools")["result"]["tools"]
    explore = next(tool for tool in listed if tool["name"] == "explore")
    assert {"structure", "tools", "generator"} <= set(explore["inputSchema"]["properties"])
