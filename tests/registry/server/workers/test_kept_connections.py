"""Connections that outlive their worker: what a client reads when it has ended."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from registry.server.workers import kept_connections
from registry.server.workers.kept_connections import ENDED, Keeper, KeptConnections


class Scene:
    """A worker's end of some connections, of which the clients' ends stay."""

    def __init__(self, directory: Path) -> None:
        self.left: list[socket.socket] = []
        self._clients: list[socket.socket] = []
        self.keeper = Keeper(directory / "connections-0-0", self.left.append)
        self.kept = KeptConnections(directory / "connections-0-0", self.keeper.theirs)

    def connection(self) -> tuple[socket.socket, int]:
        client, served = socket.socketpair()
        client.settimeout(10)
        self._clients.append(client)
        slot = self.kept.add(served)
        assert slot is not None
        served.close()  # as the system does when the worker ends
        return client, slot

    def close(self) -> None:
        for each in (*self.left, *self._clients, self.keeper.theirs):
            each.close()


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_connections, "CLOSING", 0.0)


def within(talk: Callable[[Scene], None], directory: Path) -> None:
    async def run() -> None:
        scene = Scene(directory)
        talk(scene)
        await asyncio.sleep(0.0)  # what was told is closed
        await asyncio.sleep(0.0)
        scene.close()

    asyncio.run(run())


def read(client: socket.socket) -> bytes:
    found = b""
    while part := client.recv(65_536):
        found += part
    return found


@pytest.mark.parametrize("number", [b"7", b'"a b"', b'"\\u00e9"'])
def test_who_waits_reads_the_error_of_its_request(tmp_path: Path, number: bytes) -> None:
    def talk(scene: Scene) -> None:
        client, slot = scene.connection()
        scene.kept.asked(slot, number)
        scene.keeper.end()
        head, _, body = read(client).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 OK\r\n")
        assert f"content-length: {len(body)}".encode() in head
        assert b"connection: close" in head
        answer = msgspec.json.decode(body)
        assert answer["id"] == msgspec.json.decode(number)
        assert answer["error"] == {"code": -32000, "message": ENDED}
        assert not scene.left

    within(talk, tmp_path)


def test_without_an_id_the_status_says_it(tmp_path: Path) -> None:
    def talk(scene: Scene) -> None:
        client, slot = scene.connection()
        scene.kept.asked(slot, b'"%s"' % (b"x" * 200))  # longer than is kept
        scene.keeper.end()
        said = read(client)
        assert said.startswith(b"HTTP/1.1 503 ")
        assert msgspec.json.decode(said.partition(b"\r\n\r\n")[2])["id"] is None

    within(talk, tmp_path)


@pytest.mark.parametrize("number", [b"7", b""])
def test_a_stream_ends_whole(tmp_path: Path, number: bytes) -> None:
    def talk(scene: Scene) -> None:
        client, slot = scene.connection()
        scene.kept.asked(slot, number)
        scene.kept.note(slot, "stream")
        scene.keeper.end()
        said = read(client)
        assert said.endswith(b"0\r\n\r\n")
        if number:
            length, _, rest = said.partition(b"\r\n")
            event = rest[: int(length, 16)]
            assert rest[int(length, 16) :] == b"\r\n0\r\n\r\n"
            assert msgspec.json.decode(event.partition(b"data: ")[2])["id"] == 7

    within(talk, tmp_path)


def test_to_what_was_half_written_nothing_is_added(tmp_path: Path) -> None:
    def talk(scene: Scene) -> None:
        client, slot = scene.connection()
        scene.kept.asked(slot, b"7")
        scene.kept.note(slot, "writing")
        scene.keeper.end()
        assert read(client) == b""
        assert not scene.left

    within(talk, tmp_path)


def test_a_connection_without_a_request_is_left_to_another_worker(tmp_path: Path) -> None:
    def talk(scene: Scene) -> None:
        client, slot = scene.connection()
        scene.kept.asked(slot, b"1")
        scene.kept.note(slot, "idle")
        client.send(b"a request that nobody has read")
        scene.keeper.end()
        (left,) = scene.left
        assert left.recv(100) == b"a request that nobody has read"
        left.send(b"answered")
        assert client.recv(100) == b"answered"

    within(talk, tmp_path)


def test_what_a_worker_closes_ends_and_what_it_releases_is_left(tmp_path: Path) -> None:
    def talk(scene: Scene) -> None:
        (closed, first), (released, second) = scene.connection(), scene.connection()
        scene.kept.remove(first)
        scene.kept.release(second)
        scene.keeper.end()
        assert closed.recv(1) == b""
        (left,) = scene.left
        left.send(b"here")
        assert released.recv(100) == b"here"

    within(talk, tmp_path)


def test_slots_are_used_again(tmp_path: Path) -> None:
    def talk(scene: Scene) -> None:
        for _ in range(5_000):
            client, slot = scene.connection()
            scene.kept.remove(slot)
            client.close()
            scene.keeper._receive()
        scene.keeper.end()

    within(talk, tmp_path)


def test_a_connection_that_was_given_and_not_taken_is_left_again_and_once(tmp_path: Path) -> None:
    async def run() -> None:
        scene = Scene(tmp_path)
        taken: list[tuple[socket.socket, int]] = []
        scene.kept.open(lambda connection, number: taken.append((connection, number)))
        pairs = [socket.socketpair() for _ in range(3)]
        for _, served in pairs:
            assert scene.keeper.give(served)
        while len(taken) < 3:
            await asyncio.sleep(0)
        (first, one), (second, _), _ = taken
        assert scene.kept.add(first) is not None
        scene.kept.taken(one)  # the first is served
        assert scene.kept.add(second) is not None  # so is the second, and there was no time to say it
        asyncio.get_running_loop().remove_reader(scene.keeper.theirs)
        scene.keeper.end()
        assert len(scene.left) == 3
        for number, (client, _) in enumerate(pairs):
            client.send(str(number).encode())
        assert sorted(each.recv(9) for each in scene.left) == [b"0", b"1", b"2"]
        for each in (*(client for client, _ in pairs), *(one for one, _ in taken)):
            each.close()
        scene.close()

    asyncio.run(run())
