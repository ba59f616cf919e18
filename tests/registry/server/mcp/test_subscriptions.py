"""What clients watch: updates of theory sessions and tools reach them; who is gone leaves nothing; bounds hold."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp.client import Client
from mcp.server.subscriptions import ResourceUpdated, ToolsListChanged
from mcp.shared.exceptions import MCPError

from registry.errors import RegistryError
from registry.server.contract.group import Group
from registry.server.contract.settings import Settings, Site
from registry.server.mcp import subscriptions
from registry.server.mcp.mcp_server import COMPLETIONS, McpServer
from registry.server.offers.offer import Offer
from registry.server.serve import make_groups
from tests.support.servers.pif_server import pif_server
from tests.support.servers.raw_client import MODERN
from tests.support.servers.real_clients import WAYS, converse

pytestmark = pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")
"""Subscribing address by address is what the newer generation gave up."""

MAGMA = "structure Magma(M) { operation (⊙) : M × M → M  axiom idempotent : ∀(x : M). x ⊙ x = x }"
SESSION, DECLARED, TOOL, TOOLS = (
    "kleis://sessions/s",
    "kleis://sessions/s/Magma",
    "pif://tools/mine",
    "pif://tools",
)


@asynccontextmanager
async def watching(client: Client, mode: str, told: Told, *uris: str) -> AsyncIterator[None]:
    """Watch addresses, and the list of tools, in the way of the generation; what comes is noted in `told`."""
    if mode == MODERN:
        async with client.listen(tools_list_changed=True, resource_subscriptions=uris) as stream:

            async def note() -> None:
                async for event in stream:
                    match event:
                        case ResourceUpdated():
                            told.note(event.uri)
                        case ToolsListChanged():
                            told.note("tools")

            task = asyncio.create_task(note())
            yield
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
    else:
        for uri in uris:
            await client.session.subscribe_resource(uri)
        yield
        for uri in uris:
            await client.session.unsubscribe_resource(uri)


class Told:
    """Addresses that a client was told of."""

    def __init__(self) -> None:
        self.of: set[str] = set()
        self._more = asyncio.Event()

    def note(self, what: str) -> None:
        self.of.add(what)
        self._more.set()

    async def message(self, message: Any) -> None:
        match message:
            case types.ResourceUpdatedNotification():
                self.note(str(message.params.uri))
            case types.ToolListChangedNotification():
                self.note("tools")

    async def until(self, *wanted: str) -> None:
        while not self.of >= set(wanted):
            self._more.clear()
            await self._more.wait()


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_updates_reach_clients(way: tuple[str, str], tmp_path: Path) -> None:
    """Of two ways the answers of every tool are checked by the SDK against the schemas that it lists, too."""
    mode = way[1]
    told = Told()

    async def talk(client: Client) -> None:
        if mode == "legacy":
            assert client.server_capabilities is not None
            assert client.server_capabilities.resources is not None
            assert client.server_capabilities.resources.subscribe
        listed = (await client.list_tools()).tools
        assert all(tool.output_schema is not None for tool in listed)
        async with watching(client, mode, told, SESSION, DECLARED, TOOL, TOOLS):
            await client.call_tool("submit_structure", {"kleis": MAGMA, "session": "s"})
            await told.until(SESSION, DECLARED)
            assert not {TOOL, TOOLS} & told.of
            await client.call_tool("evolve", {"name": "mine", "description": "Mine", "code": 1})
            await told.until(TOOL, TOOLS, "tools")
            told.of.clear()
            if way == WAYS[0]:
                with pif_server(tmp_path) as other:  # another process
                    other.ask("evolve", name="mine", description="Mine", code=2)
            else:
                await client.call_tool("evolve", {"name": "mine", "description": "Mine", "code": 2})
            await told.until(TOOL, TOOLS)
            assert not {SESSION, DECLARED} & told.of
        if way in (WAYS[0], WAYS[-1]):
            for tool, arguments in CALLS:
                assert not (await client.call_tool(tool, arguments)).is_error, tool
            await completion(client)

    of_client = {"message_handler": told.message} if mode == "legacy" else {}
    converse(tmp_path, way, talk, client=of_client)


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("run", {"code": "mine"}),
    ("list", {"query": "sort"}),
    ("help", {}),
    ("analyze", {"code": "mine"}),
    ("history", {"name": "mine"}),
    ("diff", {"name": "mine"}),
    ("fuzz", {"name": "std.gcd", "examples": 5}),
    ("rollback", {"name": "mine", "version": 1}),
    ("mine", {"input": None}),
    ("export", {"directory": "out"}),
    ("import", {"directory": "out"}),
    ("forget", {"name": "mine"}),
    ("evaluate", {"expression": "1 + 1"}),
    ("evaluate", {"expression": "∀(x : M). x ⊙ x = x", "session": "s"}),
    ("describe_schema", {"session": "s"}),
    ("describe_schema", {"name": "Magma", "session": "s"}),
    ("submit_define", {"kleis": "define twice(x : ℤ) : ℤ = x + x", "session": "s"}),
    ("submit_data", {"kleis": "data Colour = Red | Green", "session": "s"}),
    ("try_structure", {"kleis": "structure Other(N) { operation e : N }", "session": "s"}),
    ("list_session", {"session": "s"}),
    ("list_session", {"session": "*"}),
    ("save_theory", {"name": "kept", "session": "s"}),
    ("compare", {"propositions": ["1 = 1"], "sessions": ["s"]}),
    ("explain", {"expression": "∀(x : M). x ⊙ x = x", "session": "s"}),
    ("undo", {"session": "s"}),
]


async def completion(client: Client) -> None:
    """Names of sessions, structures, axioms, modules and tools."""
    declared = types.ResourceTemplateReference(uri="kleis://sessions/{session}/{structure}")
    for prefix, expected in (("Mag", "Magma"), ("idemp", "idempotent"), ("twi", "twice")):
        found = await client.complete(
            declared, {"name": "structure", "value": prefix}, context_arguments={"session": "s"}
        )
        assert expected in found.completion.values, prefix
    tools = types.ResourceTemplateReference(uri="pif://tools/{name}")
    found = await client.complete(tools, {"name": "name", "value": "std.so"})
    assert "std.sort" in found.completion.values
    everything = (await client.complete(tools, {"name": "name", "value": ""})).completion
    assert (len(everything.values), everything.has_more) == (COMPLETIONS, True)
    assert (everything.total or 0) > COMPLETIONS
    prompt = types.PromptReference(name="explore_structure")
    found = await client.complete(
        prompt, {"name": "structure", "value": "i"}, context_arguments={"session": "s"}
    )
    assert "idempotent" not in found.completion.values, "an axiom is no structure"


# Completion over a big registry.


def test_names_of_a_big_registry_are_found_without_reading_all_of_them_again(tmp_path: Path) -> None:
    site = Site(Settings(home=tmp_path))
    (group,) = make_groups("pif", site)
    snapshot = site.workspace.store.snapshot()
    names = tuple(sorted(f"tool_{number:06}" for number in range(200_000)))
    read: list[int] = []

    class Big:
        sequence = snapshot.sequence

        def names(self) -> tuple[str, ...]:
            read.append(1)
            return names

    big = Big()
    tools = site.workspace.tools()
    tools.snapshot = big  # type: ignore[assignment]
    site.workspace.tools = lambda: tools  # type: ignore[method-assign]
    template = "pif://tools/{name}"
    for _ in range(3):
        assert group.complete(template, "name", "tool_1234", {}) == [
            f"tool_1234{rest:02}" for rest in range(100)
        ]
    assert read == [1]
    assert group.complete(template, "name", "tool_zz", {}) == []
    assert next(iter(group.complete(template, "name", "std.sort", {}))) == "std.sort"
    group.close()
    site.close()


# In memory: what is left behind, and bounds.


class Box(Group):
    """Anything stands at `box://…`, as `contents` says."""

    name = "box"

    def __init__(self) -> None:
        self.contents: dict[str, int | Callable[[], int]] = {}

    def state(self, uri: str) -> object:
        if uri == "box://defect":
            raise RuntimeError("the secret of the group")
        found = self.contents.get(uri, 0) if uri.startswith("box://") else None
        return found() if callable(found) else found


Talk = Callable[[McpServer, Box, Callable[..., Any]], Awaitable[None]]


def in_memory(talk: Talk) -> None:
    box = Box()
    server = McpServer(Offer([box], name="n", version="1"))

    async def run() -> None:
        async with asyncio.timeout(60), server.open():
            await talk(server, box, lambda mode, **more: Client(server.server, mode=mode, **more))

    asyncio.run(run())


async def settled(holds: Callable[[], bool]) -> None:
    while not holds():
        await asyncio.sleep(0.01)


def test_who_is_gone_leaves_nothing_behind() -> None:
    async def talk(server: McpServer, box: Box, client: Callable[..., Any]) -> None:
        watched = server.subscriptions
        async with client("legacy") as one, client("legacy") as two:
            for each in (one, two, two):
                await each.session.subscribe_resource("box://a")
            await one.session.subscribe_resource("box://b")
            assert watched.watched == {"box://a": 2, "box://b": 1}
            assert watched.clients == 2
            await one.session.unsubscribe_resource("box://b")
            await one.session.unsubscribe_resource("box://b")
            await one.session.unsubscribe_resource("box://never")
            assert watched.watched == {"box://a": 2}
        await settled(lambda: watched.clients == 0)
        assert watched.watched == {}
        async with client(MODERN) as one:
            async with one.listen(resource_subscriptions=["box://a", "box://a", "box://c"]):
                assert watched.watched == {"box://a": 1, "box://c": 1}
            await settled(lambda: watched.watched == {})
            with anyio.move_on_after(0):
                async with one.listen(resource_subscriptions=["box://a"]):
                    pass
        await settled(lambda: watched.watched == {})
        assert watched._looking is None

    in_memory(talk)


def test_bounds_hold_for_each_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subscriptions, "ADDRESSES", 3)
    monkeypatch.setattr(subscriptions, "STREAMS", 2)
    monkeypatch.setattr(subscriptions, "WATCHED", 5)

    async def talk(server: McpServer, box: Box, client: Callable[..., Any]) -> None:
        async with client("legacy") as one, client("legacy") as two, client(MODERN) as three:
            for number in range(3):
                await one.session.subscribe_resource(f"box://{number}")
            await one.session.subscribe_resource("box://0")
            with pytest.raises(MCPError, match="at most 3 addresses"):
                await one.session.subscribe_resource("box://3")
            for number in range(3, 5):
                await two.session.subscribe_resource(f"box://{number}")
            with pytest.raises(MCPError, match="watches 5 addresses at most"):
                await two.session.subscribe_resource("box://5")
            await two.session.subscribe_resource("box://0")
            with pytest.raises(MCPError, match="2,048 characters"):
                await one.session.subscribe_resource("box://" + "x" * 3_000)
            with pytest.raises(MCPError, match="at most 3 addresses"):
                async with three.listen(resource_subscriptions=[f"box://{each}" for each in range(4)]):
                    pass
            async with (
                three.listen(tools_list_changed=True),
                three.listen(resource_subscriptions=["box://1"]),
            ):
                with pytest.raises(MCPError, match="at most 2 streams"):
                    async with three.listen(tools_list_changed=True):
                        pass
            async with three.listen(tools_list_changed=True):
                pass

    in_memory(talk)


def test_only_those_who_watch_are_told_and_a_defect_stops_nobody() -> None:
    async def talk(server: McpServer, box: Box, client: Callable[..., Any]) -> None:
        told, other = Told(), Told()
        async with (
            client("legacy", message_handler=told.message) as one,
            client("legacy", message_handler=other.message) as two,
        ):
            for uri in ("box://defect", "nowhere://at/all", "box://a"):
                await one.session.subscribe_resource(uri)
            await two.session.subscribe_resource("box://b")
            box.contents["box://a"] = 1
            await server.subscriptions.look()
            await told.until("box://a")
            await server.subscriptions.look()
            await two.list_tools()  # what was sent before has come
            assert (told.of, other.of) == ({"box://a"}, set())
            await one.session.unsubscribe_resource("box://a")
            told.of.clear()
            box.contents |= {"box://a": 2, "box://b": 1}
            await server.subscriptions.look()
            await other.until("box://b")
            await one.list_tools()
            assert told.of == set()

    in_memory(talk)


def test_a_store_that_does_not_answer_delays_nobody_and_is_no_change() -> None:
    """What stands at an address is asked in a thread: it waits for the event loop here, and not the other way round."""

    async def talk(server: McpServer, box: Box, client: Callable[..., Any]) -> None:
        told, answered = Told(), threading.Event()

        def waiting() -> int:
            if not answered.wait(60):
                raise AssertionError("the event loop waits for the store")
            return 0

        async with client("legacy", message_handler=told.message) as one:
            box.contents["box://a"] = waiting
            subscribed = asyncio.create_task(one.session.subscribe_resource("box://a"))
            await one.list_tools()
            answered.set()
            await subscribed

            def away() -> int:
                raise RegistryError("store_error", "the database does not answer; nothing was changed")

            for contents in (away, lambda: 0, away):
                box.contents["box://a"] = contents
                await server.subscriptions.look()
            await one.list_tools()
            assert told.of == set()
            box.contents["box://a"] = 1
            await server.subscriptions.look()
            await told.until("box://a")

    in_memory(talk)
