"""A gateway in one process: servers that are objects, a policy from a text, a log in memory."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from kleis.policy.calls import Principal
from kleis.policy.policy import Policy, load_policy
from kleis.policy.policy_file import Served
from registry.gateway.front.client import Client
from registry.gateway.front.gateway import Gateway
from registry.gateway.front.judging import Mode
from registry.gateway.front.policies import digest_of
from registry.gateway.log.records import Asked, Outcome, Refused, Unlogged
from registry.gateway.messages.requests import Request, read_request
from registry.gateway.pins.approvals import Approval
from registry.gateway.upstream.protocol import (
    Answer,
    Members,
    Notification,
    Receiver,
    UpstreamFailure,
    UpstreamSettings,
)

__all__ = ["ALLOW", "FakeServer", "Gate", "MemoryLog", "policy_of_text", "request", "tool"]

ANN = Principal("ann", ("read",))

ALLOW = "define check_call(who : Principal, state : State, call : McpCall) : Decision = Allow"


@lru_cache(maxsize=32)
def policy_of_text(rule: str) -> Policy:
    """A policy that imports the gateway's library."""
    return load_policy(Path("gate.kleis"), text=f'import "stdlib/policies/gateway.kleis"\n{rule}\n')


def tool(name: str, **more: Any) -> dict[str, Any]:
    """A tool as `tools/list` has it."""
    return {"name": name, "inputSchema": {"type": "object"}, **more}


class FakeServer:
    """A server in this process. `sent` are the requests that reached it: method, and the raw members of `params`."""

    def __init__(self, name: str = "files", **lists: list[dict[str, Any]]) -> None:
        """`lists`: tools, resources, templates, prompts."""
        self.settings = UpstreamSettings(name, command="none")
        self.generation = "2025"
        self.revision = "2025-11-25"
        self.capabilities: Members = {}
        self.instructions = ""
        self.server_info = b"{}"
        self.lists: dict[str, list[Any]] = lists
        self.sent: list[tuple[str, dict[str, bytes]]] = []
        self.metas: list[dict[str, bytes]] = []
        self.levels: list[str] = []
        self.told: Receiver | None = None
        self.on_end: Callable[[], None] | None = None
        self.answers: Callable[[str, Members], Answer] = lambda method, params: Answer(b'{"content":[]}')
        self.progress: list[dict[str, bytes]] = []
        self.hangs: set[str] = set()
        self.failure: UpstreamFailure | None = None
        self.cancelled = 0

    async def request(
        self,
        method: str,
        params: Members,
        *,
        meta: Members | None = None,
        on_notification: Receiver | None = None,
        timeout: float | None = None,
    ) -> Answer:
        self.sent.append((method, dict(params)))
        self.metas.append(dict(meta or {}))
        if self.failure is not None:
            raise self.failure
        for each in self.progress:
            if on_notification is not None:
                on_notification(Notification("notifications/progress", each))
        if method in self.hangs:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.cancelled += 1
                raise
        return self.answers(method, params)

    async def notify(self, method: str, params: Members) -> None:
        self.sent.append((method, dict(params)))

    async def set_level(self, level: str) -> None:
        self.levels.append(level)

    async def subscribe(self, uri: str) -> Answer:
        self.sent.append(("resources/subscribe", {"uri": json.dumps(uri).encode()}))
        return Answer(b"{}")

    async def unsubscribe(self, uri: str) -> Answer:
        self.sent.append(("resources/unsubscribe", {"uri": json.dumps(uri).encode()}))
        return Answer(b"{}")

    async def list_all(self, method: str) -> list[bytes]:
        if method in self.hangs:
            await asyncio.Event().wait()
        kind = {"resources/templates/list": "templates"}.get(method, method.partition("/")[0])
        return [json.dumps(each).encode() for each in self.lists.get(kind, [])]

    async def close(self) -> None:
        self.sent.append(("close", {}))

    def tell(self, method: str, **params: Any) -> None:
        """Notify the client of this server."""
        assert self.told is not None, "nobody has asked for this server"
        self.told(Notification(method, {name: json.dumps(each).encode() for name, each in params.items()}))


class _FakePool:
    def __init__(self, servers: Mapping[str, FakeServer]) -> None:
        self.servers = dict(servers)
        self.settings = {name: each.settings for name, each in servers.items()}
        self.released: list[str] = []

    async def get(
        self,
        name: str,
        key: str,
        on_notification: Receiver | None = None,
        on_end: Callable[[], None] | None = None,
    ) -> FakeServer:
        server = self.servers[name]
        server.told = on_notification
        server.on_end = on_end
        if "start" in server.hangs:
            await asyncio.Event().wait()
        if server.failure is not None and server.failure.kind == "unavailable":
            raise server.failure
        return server

    async def release(self, key: str) -> None:
        self.released.append(key)

    async def close(self) -> None:
        self.released.append("all")


class MemoryLog:
    """A log in memory; with `broken` it cannot be written."""

    def __init__(self) -> None:
        self.lines: list[Asked | Outcome] = []
        self.refusals: list[Refused] = []
        self.broken = False
        self.on_before: Callable[[], None] = lambda: None

    def before(self, asked: Asked) -> object:
        if self.broken:
            raise Unlogged("no space left")
        self.lines.append(asked)
        self.on_before()
        return len(self.lines)

    def after(self, token: object, outcome: Outcome) -> None:
        if self.broken:
            raise Unlogged("no space left")
        self.lines.append(outcome)

    def refused(self, refused: Refused) -> None:
        if self.broken:
            raise Unlogged("no space left")
        self.refusals.append(refused)

    def close(self) -> None:
        self.lines.append(Outcome(milliseconds=0, error="closed"))


class _Policies:
    """The policy in force, which a test may replace."""

    def __init__(self, served: Served) -> None:
        self.now = served
        self.on_change: Callable[[Served], None] = lambda served: None

    async def served(self) -> Served:
        return self.now

    def digest(self, served: Served) -> str:
        return "" if served.policy is None else digest_of(served.policy)

    def start(self) -> None:
        self.on_change(self.now)

    def close(self) -> None:
        self.now = Served(None, "closed")


class _Approvals:
    """Approves everything but what `problems` names."""

    def __init__(self) -> None:
        self.problems: dict[str, str] = {}
        self.state: object = 0
        self.said: dict[str, str] = {}

    def check(self, server: str, kind: str, items: Mapping[str, bytes]) -> dict[str, Approval]:
        return {
            own: Approval(hashlib.sha256(item).hexdigest(), self.problems.get(own, ""))
            for own, item in items.items()
        }

    def heard(self, server: str, instructions: str) -> None:
        self.said.setdefault(server, instructions)

    def instructions(self, server: str) -> str:
        return self.said.get(server, "")


class Gate:
    """A gateway in front of fake servers, and a client of it."""

    def __init__(
        self,
        *servers: FakeServer,
        rule: str = ALLOW,
        mode: Mode = "enforce",
        is_modern: bool = False,
        who: Principal = ANN,
        proves_lists: bool = False,
    ) -> None:
        self.servers = {each.settings.name: each for each in servers or (FakeServer(tools=[tool("read")]),)}
        self.pool = _FakePool(self.servers)
        self.log = MemoryLog()
        self.approvals = _Approvals()
        self.policies = _Policies(Served(policy_of_text(rule)))
        self.gateway = Gateway(
            self.pool, self.policies, self.log, self.approvals, version="1", mode=mode, proves_lists=proves_lists
        )  # fmt: skip
        self.client: Client = self.gateway.client("k", who, is_modern=is_modern)
        self.said: list[dict[str, Any]] = []

    @property
    def server(self) -> FakeServer:
        """The first server."""
        return next(iter(self.servers.values()))

    @property
    def asked(self) -> list[Asked]:
        """The lines of the log about what was asked."""
        return [each for each in self.log.lines if isinstance(each, Asked)]

    def hears(self, message: bytes) -> None:
        """What the client is told before an answer, or unasked."""
        self.said.append(json.loads(message))

    async def ask(
        self, method: str, /, params: Any = None, *, raw: bytes | None = None, **more: Any
    ) -> dict[str, Any]:
        """The answer to a request; `raw` is the text of its `params`."""
        text = raw if raw is not None else json.dumps({} if params is None else params).encode()
        answer = await self.client.answer(request(method, text, **more), self.hears)
        assert answer is not None, "the request was cancelled"
        found: dict[str, Any] = json.loads(answer)
        return found

    async def call(self, name: str, arguments: bytes = b"{}") -> dict[str, Any]:
        """The result of a call of a tool."""
        raw = b'{"name":' + json.dumps(name).encode() + b',"arguments":' + arguments + b"}"
        answer = await self.ask("tools/call", raw=raw)
        return dict(answer["result"])


def request(method: str, params: bytes = b"{}", *, number: bytes = b"1") -> Request:
    """A request as it is read from its text."""
    text = b'{"jsonrpc":"2.0","id":%b,"method":%b,"params":%b}' % (
        number,
        json.dumps(method).encode(),
        params,
    )
    found = read_request(text)
    assert isinstance(found, Request), found
    return found


async def until(condition: Callable[[], bool]) -> None:
    """Let other tasks run until a condition holds."""
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0)


async def ended(task: asyncio.Task[Any]) -> None:
    """Cancel a task and wait for its end."""
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
