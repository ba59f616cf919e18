"""One connection on standard streams: the first requests are answered here, and so are lists and plain calls throughout.

Importing the SDK takes three times as long as everything else that a server needs to start. Most clients ask for nothing but
who the server is, its lists and calls of tools, so the SDK is loaded when something else is asked, in a thread. The handshake
is then given to its server too, whose answer to it is not sent again, and from there on it gets every message that is not taken
here.

Invariants
----------
- What is answered here is what the SDK's server would answer (tests/registry/server/stdio compares the two); anything that is
  not certain is the SDK's.
- Once a message has been left to the SDK, so are the notifications after it, in their order.
- A client is told of changed lists from its handshake on, by one of the two.
"""

from __future__ import annotations

import asyncio
import gc
import secrets
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from registry.server.calls.contexts import ListName
from registry.server.offers.offer import Failed, Offer
from registry.server.offers.wire_forms import PAGE, prompt_form, resource_form, template_form, tool_form
from registry.server.stdio.fast_path import FastPath
from registry.server.stdio.plain_requests import is_plain, is_plain_modern, read_handshake
from registry.server.streams.connection import InputStream
from registry.server.streams.generations import KEPT, LATEST_OLDER, MODERN, OLDER, VIEWS
from registry.server.streams.messages import (
    INTERNAL_ERROR,
    Incoming,
    Reply,
    encode_message,
    protocol_error,
)

if TYPE_CHECKING:
    from registry.server.mcp.mcp_server import McpServer
    from registry.server.monitoring.tracing import Tracing

__all__ = ["Front"]

CONNECTION_CLOSED = -32000

_CHANGED: dict[ListName, str] = {
    "tools": "notifications/tools/list_changed",
    "resources": "notifications/resources/list_changed",
    "prompts": "notifications/prompts/list_changed",
}
_SDK = ("registry.server.mcp.mcp_server", "registry.server.mcp.stdio_streams")


class Front:
    """The client at the other end of two descriptors. `serve` it once."""

    def __init__(self, offer: Offer, connection: InputStream, tracing: Tracing | None = None) -> None:
        """With `tracing` every request goes by the SDK's way, on which spans are made."""
        self._offer = offer
        self._connection = connection
        self._output = connection.output
        self._tracing = tracing
        self._calls = FastPath(offer, self._output, self._is_shown)
        self._is_modern: bool | None = None
        self._accepted: list[Incoming] = []
        self._listing: dict[int | str, asyncio.Task[None]] = {}
        self._server: McpServer | None = None
        self._is_alone = True

    async def serve(self, source: int, sink: int) -> None:
        """Serve until the client goes."""
        async with self._offer.open():
            self._offer.on_changed = self._tell
            if self._tracing is None:
                self._connection.take = self._take
            await self._connection.connect(source, sink)
            try:
                first = await self._next()
                if first is not None:
                    await self._serve_behind(first)
            finally:
                await self._close()

    def stop(self) -> None:
        """Begin nothing more: calls under way are answered as cancelled, subscriptions of the newer protocol end."""
        self._offer.stopping.stop()
        if self._server is not None:
            self._server.subscriptions.stop()

    async def _next(self) -> Incoming | None:
        """The first message that is the SDK's."""
        said = await self._connection.next_message()
        while isinstance(said, Reply):  # nothing was asked of the client yet
            said = await self._connection.next_message()
        return said

    # What is taken.

    def _take(self, said: Incoming | Reply) -> bool:
        if isinstance(said, Reply):
            return False
        if self._calls.take(said) or self._cancelled(said):
            return True
        taken = self._noted(said) if said.id is None else self._answered(said.id, said)
        self._is_alone = self._is_alone and taken
        return taken

    def _cancelled(self, said: Incoming) -> bool:
        number = (said.params or {}).get("requestId") if said.method == "notifications/cancelled" else None
        task = self._listing.get(number) if isinstance(number, str | int) else None
        if task is None or number is None:
            return False
        self._output.answered(number)
        task.cancel()
        return True

    def _noted(self, said: Incoming) -> bool:
        """Take a notification: to no other than `initialized` and `cancelled` would anything happen."""
        if self._is_modern is None or not self._is_alone:
            return False
        if said.method == "notifications/initialized" and len(self._accepted) == 1:
            self._accepted.append(said)
        return True

    @property
    def _speaks(self) -> bool:
        """Whether requests other than calls may be answered here: the first one was, or this is the first message."""
        if any(spec.interactive for group in self._offer.groups for spec in group.tools()):
            return False
        return bool(self._accepted) or (self._is_modern is None and self._is_alone)

    def _answered(self, number: int | str, said: Incoming) -> bool:
        """Take a request that can be answered here, and answer it."""
        if not self._speaks:
            return False
        if said.method == "initialize":
            return self._shake_hands(number, said)
        if said.method == "server/discover":
            if self._is_modern is False or not is_plain_modern(said.params):
                return False
            self._accept(said, is_modern=True)
            self._write_result(number, {**self._about(), "supportedVersions": [MODERN], **KEPT})
            return True
        make = self._LISTS.get(said.method)
        if said.method == "prompts/list" and not self._offer.prompts():
            return False
        if said.method != "ping" and make is None:
            return False
        if self._is_modern is False and is_plain(said.params):
            pass
        elif self._is_modern is not False and make is not None and is_plain_modern(said.params):
            self._accept(said, is_modern=True)
        else:
            return False
        if make is None:
            self._write_result(number, {})
        else:
            self._list(number, make)
        return True

    def _shake_hands(self, number: int | str, said: Incoming) -> bool:
        asked = read_handshake(said.params)
        if self._is_modern is not None or asked is None:
            return False
        self._accept(said, is_modern=False)
        agreed = asked.protocol_version if asked.protocol_version in OLDER else LATEST_OLDER
        self._write_result(
            number, {**self._about(), "protocolVersion": agreed, "serverInfo": self._offer.info}
        )
        return True

    def _accept(self, said: Incoming, *, is_modern: bool) -> None:
        """The first request that is answered here decides the generation."""
        if self._is_modern is None:
            self._accepted.append(said)
            self._set_generation(is_modern)

    def _set_generation(self, is_modern: bool) -> None:
        self._is_modern = is_modern
        self._calls.set_generation(is_modern)
        self._connection.envelope = self._offer.envelope(is_modern)

    # What is answered.

    def _about(self) -> dict[str, Any]:
        changing = {"listChanged": True}
        prompts = {"prompts": changing} if self._offer.prompts() else {}
        capabilities = {
            "completions": {}, **prompts, "resources": {**changing, "subscribe": True}, "tools": changing,
        }  # fmt: skip
        instructions = {"instructions": self._offer.instructions} if self._offer.instructions else {}
        return {"capabilities": capabilities, **instructions}

    async def _tools(self) -> dict[str, Any]:
        return _page("tools", tool_form, await self._offer.tools())

    async def _resources(self) -> dict[str, Any]:
        return _page("resources", resource_form, self._offer.resources())

    async def _templates(self) -> dict[str, Any]:
        return _page("resourceTemplates", template_form, self._offer.templates())

    async def _prompts(self) -> dict[str, Any]:
        return _page("prompts", prompt_form, self._offer.prompts())

    _LISTS: ClassVar[dict[str, Callable[[Front], Any]]] = {
        "tools/list": _tools,
        "resources/list": _resources,
        "resources/templates/list": _templates,
        "prompts/list": _prompts,
    }

    def _list(self, number: int | str, make: Callable[[Front], Any]) -> None:
        task = asyncio.get_running_loop().create_task(self._answer_list(number, make))
        self._listing[number] = task
        task.add_done_callback(partial(self._forget, number))

    def _forget(self, number: int | str, task: asyncio.Task[None]) -> None:
        if self._listing.get(number) is task:
            del self._listing[number]

    async def _answer_list(self, number: int | str, make: Callable[[Front], Any]) -> None:
        try:
            result = await make(self)
        except Failed as failed:
            message = protocol_error(number, INTERNAL_ERROR, str(failed))
        else:
            message = self._result(number, {**result, **(KEPT if self._is_modern else {})})
        if await self._output.has_room():
            self._output.answered(number)
            self._output.write(encode_message(message))

    def _result(self, number: int | str, result: dict[str, Any]) -> dict[str, Any]:
        envelope = self._offer.envelope(bool(self._is_modern))
        return {"jsonrpc": "2.0", "id": number, "result": {**result, **envelope}}

    def _write_result(self, number: int | str, result: dict[str, Any]) -> None:
        self._output.answered(number)
        self._output.write(encode_message(self._result(number, result)))

    async def _tell(self, changed: frozenset[ListName]) -> None:
        """Announce changed lists to a client of the older generation; one of the newer has no stream for it yet."""
        if self._is_modern is not False or not await self._output.has_room():
            return
        for name, method in _CHANGED.items():
            if name in changed:
                self._output.write(encode_message({"jsonrpc": "2.0", "method": method}))

    # The SDK behind.

    def _is_shown(self, name: object, capabilities: object) -> bool:
        """Whether a call may want a view. A client that showed views in its handshake is the SDK's server's."""
        if self._server is not None:
            return self._server.is_shown(name, capabilities)
        extensions = capabilities.get("extensions") if isinstance(capabilities, dict) else None
        return isinstance(extensions, dict) and VIEWS in extensions

    async def _serve_behind(self, first: Incoming) -> None:
        """Let the SDK's server take over, from this message on."""
        mcp_server, streams = await asyncio.to_thread(lambda: [import_module(name) for name in _SDK])
        gc.collect()
        gc.freeze()
        server: McpServer = mcp_server.McpServer(self._offer, self._tracing)
        self._server = server
        if self._offer.stopping.has_begun:
            server.subscriptions.stop()
        before, replayed = _replayed(self._accepted)
        if replayed is None:
            server.speak()
        await server.serve(
            streams.SdkInput(self._connection, [*before, first]),
            streams.SdkOutput(self._output, replayed, server.speak),
            self._set_generation,
        )

    async def _close(self) -> None:
        """Cancel what is under way; lists are answered, as the SDK answers what it can no longer do."""
        for number, task in [*self._listing.items()]:
            if task.done():
                continue
            task.cancel()
            closed = protocol_error(number, CONNECTION_CLOSED, "Connection closed")
            self._output.write(encode_message(closed))
        await self._calls.close()
        await self._output.aclose()
        await self._connection.aclose()


def _page(name: str, form: Callable[[Any], dict[str, Any]], specs: Sequence[Any]) -> dict[str, Any]:
    """The first page of a list; further ones are asked for with a cursor, which is the SDK's to read."""
    following = {"nextCursor": str(PAGE)} if len(specs) > PAGE else {}
    return {**following, name: [form(each) for each in specs[:PAGE]]}


def _replayed(accepted: Sequence[Incoming]) -> tuple[list[Incoming], str | None]:
    """What was accepted, to be accepted once more, its request by a number that no client has; and that number."""
    if not accepted:
        return [], None
    first, *rest = accepted
    number = f"replayed {secrets.token_hex(16)}"
    return [Incoming(first.method, first.params, number, first.size), *rest], number
