"""Calls of the tools `export` and `import` of a running server of ours, which may lie, stall or pour (docs/reference/registry.md §3.1).

Each call is one request of the protocol's stateless generation (2026-07-28): nothing is opened, nothing is left open, and a
connection that is cut leaves a call that was made or was not. What comes is bounded (`web`) before it is decoded. Texts of the other
side are shown escaped, as what it said.

A token goes over `https` or to this machine only.
"""

from __future__ import annotations

import ipaddress
import re
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Protocol, Self

import msgspec

from kleis.decoding import decode_json
from pif.language.json_text import TooDeep, check_nesting
from registry.errors import RegistryError
from registry.sharing.manifest import untrue
from registry.sharing.web import Web, host_of, unreachable

if TYPE_CHECKING:
    import httpx2

__all__ = ["ANSWER_LIMIT", "EACH", "SERVER_PATH", "Server", "Wire"]

SERVER_PATH: Final = "/mcp"

ANSWER_LIMIT: Final = 16 * 1024 * 1024
"""Bytes of one answer: a page of objects, with what JSON adds to their text."""

_PROTOCOL: Final = "2026-07-28"
_META: Final = "io.modelcontextprotocol/"
_CONNECT: Final = 10.0
EACH: Final = 60.0
"""Seconds that one call may take."""
_LEVELS: Final = 24
_LINES: Final = 100_000
"""Of a stream of events."""
_LINE_END: Final = re.compile(rb"\r\n|\n|\r")


class _Result(msgspec.Struct, frozen=True):
    structured: dict[str, Any] = msgspec.field(name="structuredContent", default_factory=dict)


class _Failed(msgspec.Struct, frozen=True):
    code: int = 0
    message: str = ""


class _Answer(msgspec.Struct, frozen=True):
    result: _Result | None = None
    error: _Failed | None = None


class Server(Protocol):
    """A server of ours, as those who pull and push know it."""

    @property
    def place(self) -> str:
        """Where it is."""
        ...

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The object that a tool answers. Raises as `Wire.call`."""
        ...

    def close(self) -> None:
        """Let go of the connection."""
        ...


class Wire:
    """A server at an address, and who asks it."""

    def __init__(
        self,
        address: str,
        token: str = "",
        *,
        seconds: float = EACH,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`seconds`: what one call may take. Raises `invalid_argument` for an address that is none, or to which no token may go."""
        host = host_of(address, what="a server", place="address", example=f"https://example.org{SERVER_PATH}")
        if token and not address.lower().startswith("https://") and not _is_this_machine(host):
            raise RegistryError(
                "not_allowed", "a token is not sent over a connection that others can read", place="address",
                found=ascii(address[:80]), expected="https://, or an address of this machine", hint="serve with --certfile, or through a tunnel",
            )  # fmt: skip
        self.place = address.rstrip("/")
        headers = {
            "accept": "application/json, text/event-stream", "content-type": "application/json", "mcp-protocol-version": _PROTOCOL, "mcp-method": "tools/call",
        }  # fmt: skip
        if token:
            headers["authorization"] = f"Bearer {token}"
        self._web = Web(headers, seconds=seconds, clock=clock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connection."""
        self._web.close()

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The object that a tool answers.

        Raises `store_error` where the server cannot be reached or stops, `not_allowed` where it wants another token, `too_busy` where it says
        so, `invalid_argument` where it refuses or what it sends is no answer.
        """
        meta = {f"{_META}protocolVersion": _PROTOCOL, f"{_META}clientCapabilities": {}}
        params = {"name": tool, "arguments": arguments, "_meta": meta}
        body = msgspec.json.encode({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        content = self._web.ask(
            "POST", self.place, ANSWER_LIMIT, self._check_head, content=body, headers={"mcp-name": tool}
        )
        try:
            content = _message_in(content)
            check_nesting(content, _LEVELS)
            answer = decode_json(content, _Answer)
        except (msgspec.MsgspecError, TooDeep, ValueError) as error:
            raise untrue(
                self.place, "the server's answer is none", str(error)[:200], "an answer of MCP"
            ) from None
        if answer.result is None:
            said = "nothing" if answer.error is None else answer.error.message
            raise _refused(
                self.place,
                "the server does not answer that",
                said,
                "start it with `pif serve --share NAMESPACE`",
            )
        found = answer.result.structured
        if found.get("type") == "error":
            raise _said(self.place, found.get("error"))
        return found

    def _check_head(self, response: httpx2.Response) -> None:
        status = response.status_code
        if status in (401, 403):
            raise RegistryError(
                "not_allowed", "the server does not let this caller in", file=self.place, found=f"status {status}",
                expected="a token that may do this: `evolve` to push, `read` to pull",
                hint="--token-file FILE or --token-env NAME says which token",
            )  # fmt: skip
        if status in (429, 503):
            raise RegistryError(
                "too_busy", "the server has no room for the call at this moment", file=self.place, found=f"status {status}",
                hint="repeat the command: what was done is not done again",
            )  # fmt: skip
        if 300 <= status < 400:
            return
        if status not in (200, 400, 404):
            raise unreachable(self.place, f"status {status}")
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind not in ("application/json", "text/event-stream"):
            raise untrue(self.place, "that is no server of ours", kind[:60] or "no type", "application/json")


def _message_in(content: bytes) -> bytes:
    """The message that answers. A server that needs a while sends a stream of events instead of JSON, of which it is the last; before it
    come comments and reports of progress. Raises ValueError for more lines than a stream of ours has."""
    if content.lstrip()[:1] == b"{":
        return content
    if content.count(b"\n") + content.count(b"\r") > _LINES:
        raise ValueError("too many lines")
    message, data = b"", list[bytes]()
    for line in _LINE_END.split(content)[:-1]:  # what follows the last end of a line is no line
        if line.startswith(b"data:"):
            data.append(line[5:].removeprefix(b" "))
        elif not line and data:
            message, data = b"\n".join(data), []
    return message


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _said(place: str, error: object) -> RegistryError:
    """The error that a server answered, in its words, escaped."""
    fields = error if isinstance(error, dict) else {}
    kind = str(fields.get("kind", "an error"))
    if kind == "too_busy":
        return RegistryError(
            "too_busy", "the server has no room for the call at this moment", file=place, found=_escaped(fields.get("message")),
            hint="repeat the command: what was done is not done again",
        )  # fmt: skip
    return _refused(
        place,
        f"the server refuses ({_escaped(kind)[:40]})",
        str(fields.get("message", "")),
        str(fields.get("hint", "")),
    )


def _refused(place: str, message: str, said: str, hint: str) -> RegistryError:
    return RegistryError(
        "invalid_argument",
        message,
        file=place,
        found=_escaped(said),
        hint=_escaped(hint) or "its owner can say why",
    )


def _escaped(text: object) -> str:
    return ascii(str(text)[:400])[1:-1]
