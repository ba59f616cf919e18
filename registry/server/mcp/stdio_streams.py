"""The stream pair that the SDK's server runs over: a connection of ours, its messages in the SDK's types."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import (
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)

from registry.server.streams.connection import InputStream, OutputStream
from registry.server.streams.messages import Incoming, Reply, encode_message

__all__ = ["SdkInput", "SdkOutput"]


class SdkOutput:
    """The writing half. The answer to the request `replayed` is not written: its client has it already."""

    def __init__(
        self,
        output: OutputStream,
        replayed: str | None = None,
        on_replayed: Callable[[], None] = lambda: None,
    ) -> None:
        self._output = output
        self._replayed = replayed
        self._on_replayed = on_replayed

    async def send(self, item: SessionMessage) -> None:
        """Write one message of the SDK's. Raises `anyio.BrokenResourceError` when the reader is gone."""
        message = item.message
        if isinstance(message, JSONRPCResponse | JSONRPCError) and message.id is not None:
            if message.id == self._replayed:
                self._on_replayed()
                return
            if not await self._output.has_room():
                raise anyio.BrokenResourceError
            self._output.answered(message.id)
        elif not await self._output.has_room():
            raise anyio.BrokenResourceError
        self._output.write(encode_message(_wire(message)))

    async def aclose(self) -> None:
        """Close, once what waits has been read (or a second has passed)."""
        await self._output.aclose()

    async def __aenter__(self) -> SdkOutput:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class SdkInput:
    """The reading half: first the messages `before`, then those of the connection."""

    def __init__(self, connection: InputStream, before: Iterable[Incoming | Reply] = ()) -> None:
        self._connection = connection
        self._before = list(before)

    async def receive(self) -> SessionMessage:
        """The next message. Raises `anyio.EndOfStream` at the end."""
        while True:
            said = self._before.pop(0) if self._before else await self._connection.next_message()
            if said is None:
                raise anyio.EndOfStream
            message = _incoming(said) if isinstance(said, Incoming) else _reply(said)
            if message is not None:
                return SessionMessage(message)

    async def aclose(self) -> None:
        """Stop reading."""
        await self._connection.aclose()

    def __aiter__(self) -> SdkInput:
        return self

    async def __anext__(self) -> SessionMessage:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> SdkInput:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def _incoming(said: Incoming) -> JSONRPCMessage:
    if said.id is not None:
        return JSONRPCRequest(jsonrpc="2.0", id=said.id, method=said.method, params=said.params)
    return JSONRPCNotification(jsonrpc="2.0", method=said.method, params=said.params)


def _reply(said: Reply) -> JSONRPCMessage | None:
    """The client's answer in the SDK's form, if it has that form."""
    if said.result is not None:
        return JSONRPCResponse(jsonrpc="2.0", id=said.id, result=said.result)
    error = said.error or {}
    code, message = error.get("code"), error.get("message")
    if not isinstance(code, int) or not isinstance(message, str):
        return None
    failure = ErrorData(code=code, message=message, data=error.get("data"))
    return JSONRPCError(jsonrpc="2.0", id=said.id, error=failure)


def _wire(message: JSONRPCMessage) -> dict[str, Any]:
    match message:
        case JSONRPCResponse():
            return {"jsonrpc": "2.0", "id": message.id, "result": message.result}
        case JSONRPCError():
            error: dict[str, Any] = {"code": message.error.code, "message": message.error.message}
            if message.error.data is not None:
                error["data"] = message.error.data
            return {"jsonrpc": "2.0", "id": message.id, "error": error}
        case JSONRPCRequest():
            return _with_params(
                {"jsonrpc": "2.0", "id": message.id, "method": message.method}, message.params
            )
        case JSONRPCNotification():
            return _with_params({"jsonrpc": "2.0", "method": message.method}, message.params)


def _with_params(wire: dict[str, Any], params: dict[str, Any] | None) -> dict[str, Any]:
    if params is not None:
        wire["params"] = params
    return wire
