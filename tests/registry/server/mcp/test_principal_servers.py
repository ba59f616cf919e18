"""Servers of principals: made once, bounded, ended, and never mixed up."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from registry.access.principals import OWNER, Principal
from registry.errors import RegistryError
from registry.server.contract.group import Group
from registry.server.mcp import principal_servers
from registry.server.mcp.http_access import Refused
from registry.server.mcp.mcp_server import McpServer
from registry.server.mcp.principal_servers import MadeGroups, PrincipalServer, PrincipalServers
from registry.server.offers.offer import Offer

READ = frozenset(("read",))


class Named(Group):
    name = "named"

    def __init__(self, whose: str) -> None:
        self.whose = whose
        self.is_closed = False

    def close(self) -> None:
        self.is_closed = True


class Scene:
    def __init__(self) -> None:
        self.made: list[Named] = []
        self.ended: list[str] = []
        self.fails = False

    def make(self, principal: Principal) -> MadeGroups:
        if self.fails:
            raise RegistryError("store_error", "the secret path of the store", hint="none")
        group = Named(principal.name)
        self.made.append(group)
        return MadeGroups([group], lambda: self.ended.append(principal.name))


def within(talk: Callable[[Scene, PrincipalServers, PrincipalServer], Awaitable[None]]) -> None:
    async def run() -> None:
        scene = Scene()
        owner = PrincipalServer(McpServer(Offer([Named("owner")], name="n", version="1")), 8)

        def build(principal: Principal, made: MadeGroups) -> McpServer:
            return McpServer(Offer(made.groups, name="n", version="1", beside=owner.server.offer))

        servers = PrincipalServers(owner, scene.make, build)
        async with asyncio.timeout(60), owner.running():
            await talk(scene, servers, owner)
            await servers.finish(5)
        assert sorted(scene.ended) == sorted(each.whose for each in scene.made)
        assert all(each.is_closed for each in scene.made)

    asyncio.run(run())


def of(name: str) -> Principal:
    return Principal(name, READ, "id")


def test_each_principal_has_one_server_made_at_its_first_request() -> None:
    async def talk(scene: Scene, servers: PrincipalServers, owner: PrincipalServer) -> None:
        assert scene.made == []
        found = await asyncio.gather(*(servers.of(of(name)) for name in ("alice", "bob") for _ in range(5)))
        assert len(set(map(id, found))) == 2
        assert sorted(each.whose for each in scene.made) == ["alice", "bob"]
        assert await servers.of(OWNER) is owner
        assert await servers.of(Principal("owner", READ, "id")) is owner
        assert found[0].server.lanes is owner.server.lanes  # they take turns

    within(talk)


def test_the_one_idle_for_longest_makes_room_and_a_busy_one_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(principal_servers, "MOST", 2)
    monkeypatch.setattr(principal_servers, "IDLE_SECONDS", -1.0)

    async def talk(scene: Scene, servers: PrincipalServers, owner: PrincipalServer) -> None:
        alice, bob = await servers.of(of("alice")), await servers.of(of("bob"))
        alice.door.requests += 1
        await servers.of(of("carol"))
        assert await servers.of(of("alice")) is alice
        bob.door.requests += 1
        assert await servers.of(of("bob")) is not bob  # it went for carol, and carol for it
        for each in ("alice", "bob"):
            (await servers.of(of(each))).door.requests += 1
        with pytest.raises(Refused) as caught:
            await servers.of(of("dave"))
        assert caught.value.status == 503
        assert dict(caught.value.headers)[b"retry-after"]

    within(talk)


def test_what_cannot_be_opened_is_refused_without_a_reason_and_tried_again() -> None:
    async def talk(scene: Scene, servers: PrincipalServers, owner: PrincipalServer) -> None:
        scene.fails = True
        for _ in range(2):
            with pytest.raises(Refused) as caught:
                await servers.of(of("alice"))
            assert caught.value.status == 503
            assert "secret path" not in str(caught.value.error)
        scene.fails = False
        assert await servers.of(of("alice")) is await servers.of(of("alice"))

    within(talk)


def test_where_there_is_the_owner_alone_nobody_else_is_served() -> None:
    async def run() -> None:
        owner = PrincipalServer(McpServer(Offer([Named("owner")], name="n", version="1")), 8)
        servers = PrincipalServers(owner, None, lambda principal, groups: owner.server)
        with pytest.raises(Refused):
            await servers.of(of("alice"))

    asyncio.run(run())
