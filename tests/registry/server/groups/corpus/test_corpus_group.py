"""The group `corpus` through a real client: the original server's contract row by row, and what is beyond the original."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from anyio.from_thread import start_blocking_portal
from mcp import MCPError
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import ResourceTemplateReference, TextResourceContents

from tests.support.files.shared_data import SHARED, needs_shared
from tests.support.files.small_corpus import LEAN_FILE, NAMESPACE, small_corpus, write
from tests.support.servers.pif_server import command


class Said(msgspec.Struct, frozen=True):
    """An answer: the object, the text, whether it is an error."""

    data: dict[str, Any]
    text: str
    is_error: bool

    @property
    def code(self) -> str:
        return str(self.data["error"]["kind"]) if self.is_error else ""


class Talk:
    """A session of the SDK's client with a server of the group."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def __call__(self, tool: str, /, **arguments: Any) -> Said:
        result = await self.client.call_tool(tool, arguments)
        text = "".join(block.text for block in result.content if block.type == "text")
        return Said(result.structured_content or {}, text, bool(result.is_error))


@asynccontextmanager
async def talking(home: Path, corpus: Path, **options: Any) -> AsyncIterator[Talk]:
    program, *arguments = command(home, groups="corpus", corpus=corpus, **options)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[5])}
    parameters = StdioServerParameters(command=program, args=arguments, env=environment)
    async with Client(parameters) as client:
        yield Talk(client)


Conversing = Callable[[Callable[[Talk], Awaitable[None]]], None]


@contextmanager
def served(corpus: Path, factory: pytest.TempPathFactory, **options: Any) -> Iterator[Conversing]:
    """A server of a corpus; what is yielded has a conversation with it."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(talking(factory.mktemp("home"), corpus, **options)) as session,
    ):
        yield lambda talk: portal.call(talk, session)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our own corpus; who changes a file of it puts it back."""
    return small_corpus(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def small(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Conversing]:
    """A server of our own corpus, as a client gets it by default."""
    with served(root, tmp_path_factory) as conversing:
        yield conversing


@pytest.fixture(scope="module")
def small_more(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Conversing]:
    """The same with the second list of tools."""
    with served(root, tmp_path_factory, more=True) as conversing:
        yield conversing


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Conversing]:
    """A server of the published corpus, looked for from below."""
    with served(SHARED / "scientific-memory" / "papers", tmp_path_factory) as conversing:
        yield conversing


LIST, FILE, GRAPH = (
    "list_declarations_for_paper",
    "list_declarations_in_file",
    "get_dependency_graph_for_declaration",
)

# ── the original's contract on a corpus of our own ──────────────────────────────────────────────────────────────


def test_the_three_tools_in_their_order(small: Conversing) -> None:
    async def talk(ask: Talk) -> None:
        tools = (await ask.client.list_tools()).tools
        assert [tool.name for tool in tools] == [LIST, FILE, GRAPH]
        assert {"paper_id"} <= set(tools[0].input_schema["properties"])
        assert {"paper_id", "file_path"} <= set(tools[1].input_schema["properties"])
        assert {"paper_id", "lean_decl"} <= set(tools[2].input_schema["properties"])
        for tool in tools:
            for name in ("paper_id", "file_path", "lean_decl"):
                assert tool.input_schema["properties"].get(name, {"type": "string"})["type"] == "string"
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint

    small(talk)


def test_arguments_that_are_missing_or_wrong(small: Conversing) -> None:
    async def talk(ask: Talk) -> None:
        for said, argument in (
            (await ask(LIST), "paper_id"),
            (await ask(LIST, paper_id=3), "paper_id"),
            (await ask(GRAPH, paper_id="turns"), "lean_decl"),
            (await ask(FILE, paper_id="turns", file_path=7), "file_path"),
        ):
            assert said.is_error
            assert said.code == "invalid_argument"
            assert argument in said.data["error"]["message"]
        unknown = await ask("no_such_tool")
        assert unknown.is_error
        assert unknown.code == "unknown_tool"
        assert "no_such_tool" in unknown.text

    small(talk)


def test_a_paper_with_one_card(small: Conversing, root: Path) -> None:
    folder = root / "papers" / "single"
    write(
        folder / "theorem_cards.json",
        [{"lean_decl": "Solo.it", "file_path": "Solo.lean", "proof_status": "mapped"}],
    )
    graph = [{"from": "single_card_001", "to": "Solo.it"}]
    write(folder / "manifest.json", {"declaration_index": ["Solo.it"], "dependency_graph": graph})

    async def talk(ask: Talk) -> None:
        listed = await ask(LIST, paper_id="single")
        rows = json.loads(listed.text)
        assert [row["source"] for row in rows] == ["manifest", "theorem_cards"]
        assert listed.data["declarations"] == rows
        found = json.loads((await ask(GRAPH, paper_id="single", lean_decl="Solo.it")).text)
        assert found["paper_id"] == "single"
        assert found["cards"]
        assert found["manifest_dependency_graph"] == graph

    small(talk)


def test_a_corpus_that_is_wrong_is_an_error_with_a_code(small: Conversing, root: Path) -> None:
    """The rows on traversal and crashes, reversed."""
    folder = root / "papers" / "turns"

    async def talk(ask: Talk) -> None:
        for name in ("../papers/turns", "..", "/etc", "turns/../turns", "a\\b"):
            for tool, more in ((LIST, {}), (FILE, {"file_path": ""}), (GRAPH, {"lean_decl": "x"})):
                assert (await ask(tool, paper_id=name, **more)).code == "invalid_paper_id"
        for tool, more in ((LIST, {}), (FILE, {"file_path": ""}), (GRAPH, {"lean_decl": "x"})):
            said = await ask(tool, paper_id="turn", **more)
            assert said.code == "paper_not_found"
            assert said.data["error"]["nearest"] == ["turns"]
        whole = {name: (folder / name).read_bytes() for name in ("manifest.json", "theorem_cards.json")}
        for name, broken in (
            ("manifest.json", b"{"),
            ("manifest.json", b"[]"),
            ("manifest.json", b"\xff\xfe"),
            ("theorem_cards.json", b"{}"),
        ):
            (folder / name).write_bytes(broken)
            said = await ask(LIST, paper_id="turns")
            assert said.code == "malformed_artifact"
            assert said.data["error"]["file"] == f"papers/turns/{name}"
            assert not (await ask(LIST, paper_id="rings")).is_error
            (folder / name).write_bytes(whole[name])
        assert len((await ask(LIST, paper_id="turns")).data["declarations"]) == 10

    small(talk)


def test_no_corpus_is_an_error_that_says_what_to_give(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    async def talk(ask: Talk) -> None:
        said = await ask(LIST, paper_id="turns")
        assert said.code == "corpus_not_found"
        assert "--corpus" in said.data["error"]["hint"]

    with served(tmp_path, tmp_path_factory) as conversing:
        conversing(talk)


def test_beyond_the_original(small_more: Conversing) -> None:

    async def talk(ask: Talk) -> None:
        merged = await ask(LIST, paper_id="turns", merge=True)
        assert merged.data["total"] == 5
        assert json.loads(merged.text) == merged.data
        text = await ask(LIST, paper_id="turns", lean_source=True)
        assert [row["card_id"] for row in text.data["declarations"]].count(None) == 1
        paged = await ask(LIST, paper_id="turns", offset=4, limit=2)
        assert [len(paged.data["declarations"]), paged.data["total"]] == [2, 10]
        near = await ask(FILE, paper_id="turns", file_path="small/turns.lean", match="suffix")
        assert near.data["did_you_mean"] == [LEAN_FILE]
        walk = {"paper_id": "turns", "lean_decl": f"{NAMESPACE}.turn_le", "direction": "dependencies"}
        part = await ask(GRAPH, **walk, basis=True)
        assert {edge["basis"] for edge in part.data["edges"]} == {"source", "unsupported"}
        assert part.data["topological_order"][-1] == "turns_card_004"
        wrong = await ask(GRAPH, **{**walk, "lean_decl": f"{NAMESPACE}.turn_la"})
        assert wrong.code == "declaration_not_found"
        assert f"{NAMESPACE}.turn_le" in wrong.data["error"]["nearest"]
        wide = {"paper_id": "rings", "lean_decl": "rings_card_001", "across_papers": True}
        assert len((await ask(GRAPH, **wide)).data["nodes"]) == 6
        found = await ask("search_declarations", query="quarter")
        assert [row["lean_decl"] for row in found.data["declarations"]] == [f"{NAMESPACE}.quarter_lt"]
        papers = (await ask("list_papers")).data["papers"]
        assert [(row["paper_id"], row["cards"], row["build"]) for row in papers] == [
            ("turns", 5, "fresh"), ("rings", 3, "fresh"), ("empty", 0, "fresh"),
        ]  # fmt: skip
        assert (await ask("audit_paper", paper_id="turns")).data["basis"]["source"] == 2

    small_more(talk)


def test_resources_and_completion(small_more: Conversing, root: Path) -> None:

    async def talk(ask: Talk) -> None:
        async def read(uri: str) -> Any:
            contents = (await ask.client.read_resource(uri)).contents
            assert isinstance(contents[0], TextResourceContents)
            return json.loads(contents[0].text)

        assert [row["paper_id"] for row in (await read("corpus://index"))["papers"]] == [
            "turns",
            "rings",
            "empty",
        ]
        assert (await read("corpus://papers/turns"))["title"] == "On turns"
        assert (await read("corpus://papers/turns/manifest"))["build_hash_version"] == "2"
        assert len(await read("corpus://papers/turns/cards")) == 5
        assert (await read("corpus://papers/turns/cards/turns_card_002"))[
            "lean_decl"
        ] == f"{NAMESPACE}.turn_lt"
        assert (await read("corpus://papers/turns/claims/turns_claim_001"))[
            "informal_text"
        ] == "What turn says."
        assert (await read("corpus://papers/rings/graph"))["cycles"] == [["rings_card_001", "rings_card_002"]]
        assert (await read(f"corpus://decl/{NAMESPACE}.turn"))["cards"][0]["paper_id"] == "turns"
        for absent in ("papers/nope", "papers/../turns", "papers/turns/cards/x", "decl/x", "kernels/x", "x"):
            with pytest.raises(MCPError):
                await read(f"corpus://{absent}")
        cards = root / "papers" / "empty" / "theorem_cards.json"
        cards.write_text("{}")
        assert (await read("corpus://papers/empty/cards"))["error"]["kind"] == "malformed_artifact"
        cards.write_text("[]")
        templates = (await ask.client.list_resource_templates()).resource_templates
        assert len(templates) == 8

        async def complete(template: str, argument: str, prefix: str, **given: str) -> list[str]:
            ref = ResourceTemplateReference(uri=template)
            asked = {"name": argument, "value": prefix}
            return list((await ask.client.complete(ref, asked, given)).completion.values)

        assert await complete("corpus://papers/{paper_id}", "paper_id", "t") == ["turns"]
        decl = "corpus://decl/{lean_decl}"
        assert await complete(decl, "lean_decl", "turn_l") == [f"{NAMESPACE}.turn_lt", f"{NAMESPACE}.turn_le"]
        card = "corpus://papers/{paper_id}/cards/{card_id}"
        assert len(await complete(card, "card_id", "", paper_id="rings")) == 3
        assert await complete(card, "card_id", "", paper_id="../rings") == []

    small_more(talk)


# ── the original's contract on the published corpus ──────────────────────────────────────────────────────────

LANGMUIR = "langmuir_1918_adsorption"
SPACE = "ScientificMemory.Chemistry.Adsorption.Langmuir1918"
ROWS = {
    "chem_dilution_reference": 4,
    "freundlich_1906_adsorption": 24,
    LANGMUIR: 40,
    "math_sum_evens": 2,
    "physics_kinematics_uniform": 30,
    "temkin_1941_adsorption": 24,
    "stress_approx_asymptotic_2024": 0,
    "stress_units_dimensional_2024": 0,
}


@needs_shared
def test_the_published_corpus(published: Conversing) -> None:
    async def talk(ask: Talk) -> None:
        for paper, count in ROWS.items():
            said = await ask(LIST, paper_id=paper)
            rows = json.loads(said.text)
            assert len(rows) == count
            assert not said.is_error
            assert [row["source"] for row in rows] == ["manifest"] * (count // 2) + ["theorem_cards"] * (
                count // 2
            )
        rows = json.loads((await ask(LIST, paper_id=LANGMUIR)).text)
        assert all(set(row) == {"lean_decl", "source"} for row in rows[:20])
        assert all(set(row) == {"lean_decl", "file_path", "proof_status", "source"} for row in rows[20:])
        for wanted, kept in (
            ("Langmuir1918.lean", 20),
            ("Adsorption\\Langmuir1918.lean", 20),
            ("n", 20),
            ("", 40),
            ("  ", 40),
            ("langmuir1918.lean", 0),
            ("./formal", 0),
        ):
            assert len(json.loads((await ask(FILE, paper_id=LANGMUIR, file_path=wanted)).text)) == kept
        assert len(json.loads((await ask(FILE, paper_id=LANGMUIR)).text)) == 40

    published(talk)


@needs_shared
def test_the_published_graph(published: Conversing) -> None:
    async def talk(ask: Talk) -> None:
        first = json.loads((await ask(LIST, paper_id=LANGMUIR)).text)[0]["lean_decl"]
        found = json.loads((await ask(GRAPH, paper_id=LANGMUIR, lean_decl=first)).text)
        assert list(found) == [
            "lean_decl",
            "paper_id",
            "dependency_ids",
            "cards",
            "manifest_dependency_graph",
        ]
        assert found["dependency_ids"] == []
        assert len(found["manifest_dependency_graph"]) == 17
        unknown = await ask(GRAPH, paper_id=LANGMUIR, lean_decl="x")
        assert not unknown.is_error
        assert (unknown.data["dependency_ids"], unknown.data["cards"]) == ([], [])
        assert len(unknown.data["manifest_dependency_graph"]) == 17
        assert unknown.data["problem"]["kind"] == "declaration_not_found"
        part = await ask(
            GRAPH, paper_id=LANGMUIR, lean_decl=f"{SPACE}.langmuir_recip_denom", direction="dependencies"
        )
        steps = {node["card_id"][-3:]: node["distance"] for node in part.data["nodes"]}
        assert steps == {"018": 0, "016": 1, "001": 2}
        assert len(part.data["edges"]) == 2
        impact = await ask(GRAPH, paper_id=LANGMUIR, lean_decl=f"{LANGMUIR}_card_001", direction="dependents")
        assert impact.data["impact"] == {"direct": 15, "all": 17}
        merged = await ask(LIST, paper_id=LANGMUIR, merge=True)
        assert merged.data["total"] == 20

    published(talk)
