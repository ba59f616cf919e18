"""Calls of tools straight from the input to the output, past the SDK's dispatcher.

The SDK's handling of a request (three tasks, two relays, five models) would be most of the latency of a small call. So once
the generation of the connection is known, a plain `tools/call` is taken here. Anything unusual about a request is left to the
SDK, which knows how to reject it.

Invariants
----------
- The answer is the one that the SDK's way gives (`McpServer` makes it with the same functions; a test compares them).
- A cancelled call is not answered, and its work is told; at the end of the session every call is cancelled.
- The bytes of the requests under way are bounded, so that waiting calls cannot fill the memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from registry.server.calls.contexts import Report
from registry.server.calls.dispatch import RETRY_AFTER_MS, too_busy
from registry.server.calls.observation import within_request
from registry.server.offers.offer import Offer
from registry.server.streams.connection import OutputStream
from registry.server.streams.generations import CAPABILITIES_KEY, MODERN, VERSION_KEY
from registry.server.streams.messages import Incoming, encode_message

__all__ = ["FastPath"]

BYTES = 64 * 1024 * 1024
"""Of requests under way at once."""


class FastPath:
    """Takes the plain calls of one connection. Nothing is taken until `set_generation` has said which generation it speaks."""

    def __init__(
        self,
        offer: Offer,
        output: OutputStream,
        is_shown: Callable[[object, object], bool],
    ) -> None:
        """`is_shown`: whether the answer of a tool has a view for a client of these capabilities, which is not made here."""
        self._is_shown = is_shown
        self._offer = offer
        self._output = output
        self._is_modern: bool | None = None
        self._running: dict[str, asyncio.Task[None]] = {}
        self._bytes = 0

    def set_generation(self, is_modern: bool) -> None:
        """A request of this generation has been accepted (on the older one, the handshake)."""
        self._is_modern = is_modern

    def take(self, said: Incoming) -> bool:
        """Take a message if it is ours; whether it was."""
        if said.method == "tools/call":
            if said.id is None or not self._is_plain(said.params):
                return False
            if self._offer.calls.is_interactive((said.params or {}).get("name")):
                return False  # it may ask its client, which is the SDK's to do
            if self._is_shown((said.params or {}).get("name"), self._declared(said.params or {})):
                return False
            key = str(said.id)
            task = asyncio.get_running_loop().create_task(self._serve(said))
            self._running[key] = task
            task.add_done_callback(partial(self._forget, key))
            return True
        if said.method == "notifications/cancelled":
            return self._cancel((said.params or {}).get("requestId"))
        return False

    def _is_plain(self, params: dict[str, Any] | None) -> bool:
        """Whether a call is exactly what this connection's generation asks for."""
        if self._is_modern is None or params is None:
            return False
        meta = params.get("_meta")
        if not self._is_modern:
            return meta is None or (isinstance(meta, dict) and VERSION_KEY not in meta)
        return (
            isinstance(meta, dict)
            and meta.get(VERSION_KEY) == MODERN
            and isinstance(meta.get(CAPABILITIES_KEY), dict)
        )

    def _declared(self, params: dict[str, Any]) -> object:
        """The capabilities that a request of the newer protocol names; None on the older one."""
        return params["_meta"].get(CAPABILITIES_KEY) if self._is_modern else None

    def _cancel(self, number: Any) -> bool:
        task = self._running.get(str(number)) if isinstance(number, str | int) else None
        if task is None:
            return False
        self._output.answered(number)
        task.cancel()
        return True

    def _forget(self, key: str, task: asyncio.Task[None]) -> None:
        if self._running.get(key) is task:
            del self._running[key]

    async def _serve(self, said: Incoming) -> None:
        assert said.id is not None
        self._bytes += said.size
        try:
            if self._bytes > BYTES and self._bytes > said.size:
                answer = too_busy(f"calls of more than {BYTES:,} bytes are under way", RETRY_AFTER_MS)
            else:
                params = said.params or {}
                with within_request(said.id, params.get("_meta")):
                    answer = await self._offer.stopping.answer(
                        self._offer.calls.answer(
                            params.get("name"), params.get("arguments"), self._report(params)
                        )
                    )
        finally:
            self._bytes -= said.size
        result = self._offer.sealed(answer, bool(self._is_modern))
        body = encode_message({"jsonrpc": "2.0", "id": said.id, "result": result})
        if await self._output.has_room():
            self._output.answered(said.id)
            self._output.write(body)

    def _report(self, params: dict[str, Any]) -> Report | None:
        """How to send progress, or None where the client did not ask for it."""
        meta = params.get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        if not isinstance(token, str | int) or isinstance(token, bool):
            return None
        return partial(self._send_progress, token)

    async def _send_progress(
        self, token: str | int, done: float, total: float | None, message: str | None
    ) -> None:
        params: dict[str, Any] = {"progressToken": token, "progress": done}
        if total is not None:
            params["total"] = total
        if message is not None:
            params["message"] = message
        if await self._output.has_room():
            body = encode_message({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
            self._output.write(body)

    async def close(self) -> None:
        """Cancel what is under way and wait until it has ended."""
        tasks = list(self._running.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
