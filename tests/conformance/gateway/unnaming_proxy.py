"""The gateway under the names of the one server behind it, for clients that know these names: the conformance suite.

An HTTP proxy that puts the gateway's prefix before names and addresses of requests, in the body and in `Mcp-Name`, and takes
it out of everything that comes back.  Everything else passes as it is, also what is wrong with it.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

from registry.gateway.messages.names import address_of, name_of

__all__ = ["unnamed"]

_NAMED = {"tools/call", "prompts/get"}
_HOP = {"connection", "content-length", "transfer-encoding", "keep-alive"}


@contextmanager
def unnamed(address: str, server: str) -> Iterator[str]:
    """The address of the proxy of a gateway with one server behind it, while the block runs."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    proxy = _Proxy(address, server)
    listening = asyncio.run_coroutine_threadsafe(
        asyncio.start_server(proxy.serve, "127.0.0.1", 0), loop
    ).result()
    try:
        yield f"http://localhost:{listening.sockets[0].getsockname()[1]}{urlsplit(address).path}"
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))
        listening.close()
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()


class _Proxy:
    def __init__(self, address: str, server: str) -> None:
        parts = urlsplit(address)
        assert parts.hostname is not None
        self._there = (parts.hostname, parts.port)
        self._server = server
        self._prefixes = (f"{server}__".encode(), address_of(server, "").encode())

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request, then the connection ends."""
        there: asyncio.StreamWriter | None = None
        try:
            lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = [each.split(":", 1) for each in lines[1:] if each]
            sent = {name.lower(): value.strip() for name, value in headers}
            body = self._named(await _body(reader, sent))
            kept = [(name, value.strip()) for name, value in headers if name.lower() not in _HOP]
            named = [(name, self._named_header(name, value, sent)) for name, value in kept]
            head = [lines[0], *(f"{name}: {value}" for name, value in named), "Connection: close"]
            if body or lines[0].startswith("POST"):
                head.append(f"Content-Length: {len(body)}")
            answers, there = await asyncio.open_connection(*self._there)
            there.write("\r\n".join([*head, "", ""]).encode("latin-1") + body)
            gone = asyncio.create_task(reader.read(1))  # a client that goes ends what it asked for
            passing = asyncio.create_task(self._pass_back(answers, writer))
            await asyncio.wait([gone, passing], return_when=asyncio.FIRST_COMPLETED)
            for task in (gone, passing):
                task.cancel()
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # either side went, or the proxy is closed
        finally:
            writer.close()
            if there is not None:
                there.close()

    async def _pass_back(self, answers: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """The answer, line by line without the prefixes; its end is the end of the connection."""
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            head = await answers.readuntil(b"\r\n\r\n")
            lines = head.split(b"\r\n")
            fields = [each for each in lines[1:] if each.partition(b":")[0].lower().decode() not in _HOP]
            writer.write(
                b"\r\n".join([lines[0], b"Connection: close", *(each for each in fields if each), b"", b""])
            )
            if b"transfer-encoding: chunked" in head.lower():
                while size := int((await answers.readline()).strip() or b"0", 16):
                    writer.write(self._unnamed(await answers.readexactly(size)))
                    await answers.readline()
                    await writer.drain()
            else:
                length = next(
                    (int(each[15:]) for each in lines if each.lower().startswith(b"content-length:")), None
                )
                data = (
                    b"" if length == 0 else await (answers.readexactly(length) if length else answers.read())
                )
                writer.write(self._unnamed(data))
            await writer.drain()

    def _unnamed(self, data: bytes) -> bytes:
        for each in self._prefixes:
            data = data.replace(each, b"")
        return data

    def _named(self, body: bytes) -> bytes:
        try:
            message = json.loads(body)
            params = message.get("params")
        except (ValueError, AttributeError):
            return body
        if not isinstance(params, dict) or not self._name(message.get("method"), params):
            return body
        return json.dumps(message).encode()

    def _name(self, method: Any, params: dict[str, Any]) -> bool:
        """Put the prefix before what is named; whether anything is."""
        before = json.dumps(params)
        if method in _NAMED and isinstance(params.get("name"), str):
            params["name"] = name_of(self._server, params["name"])
        if isinstance(params.get("uri"), str):
            params["uri"] = address_of(self._server, params["uri"])
        if isinstance(params.get("ref"), dict):
            if isinstance(params["ref"].get("name"), str):
                params["ref"]["name"] = name_of(self._server, params["ref"]["name"])
            self._name(None, params["ref"])
        wanted = params.get("notifications")
        if isinstance(wanted, dict) and isinstance(wanted.get("resourceSubscriptions"), list):
            wanted["resourceSubscriptions"] = [
                address_of(self._server, each) for each in wanted["resourceSubscriptions"]
            ]
        return json.dumps(params) != before

    def _named_header(self, name: str, value: str, sent: dict[str, str]) -> str:
        if name.lower() != "mcp-name" or value.startswith("=?"):
            return value
        read = sent.get("mcp-method", "").startswith("resources/")
        return address_of(self._server, value) if read else name_of(self._server, value)


async def _body(reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
    if headers.get("transfer-encoding", "").lower() == "chunked":
        parts = []
        while size := int((await reader.readline()).strip(), 16):
            parts.append(await reader.readexactly(size))
            await reader.readline()
        await reader.readline()
        return b"".join(parts)
    return await reader.readexactly(int(headers.get("content-length", "0")))
