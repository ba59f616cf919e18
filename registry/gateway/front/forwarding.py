"""What clients ask of servers: judged, logged, sent on, and answered under the gateway's names.

Each function takes a request apart, so that all of what is sent has been looked at: members that are not known are refused,
the name is that of the body, and the arguments go on as the bytes that came.

Invariants
    * Nothing is sent that `Judge.judge` has not let through, and it is sent to the process whose list was looked at.
    * What its server has changed since it was judged is not called.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol

import msgspec

from kleis.policy.calls import Call, Completion, GetPrompt, Principal, ReadResource, ToolCall
from registry.gateway.front.catalogue import Catalogue, Entry
from registry.gateway.front.judging import Judge, Judged, Unjudgeable, arguments_of
from registry.gateway.log.records import Kind, Refused, Unlogged
from registry.gateway.messages.names import address_of
from registry.gateway.messages.replies import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    SERVER_ERROR,
    Fault,
    denial,
    is_error,
)
from registry.gateway.messages.requests import Request, unexpected
from registry.gateway.messages.rewriting import with_addresses
from registry.gateway.pins.approvals import Listed
from registry.gateway.upstream.parameter_headers import contradiction
from registry.gateway.upstream.protocol import Answer, Receiver, Upstream, UpstreamFailure
from registry.gateway.upstream.raw_json import UnsoundJson, joined, members, text_of, written

__all__ = ["Denied", "Forwarding", "named_by"]

PINNED = "approved"
"""The rule that denies what its server has changed since it was approved."""

logger = logging.getLogger(__name__)


class Denied(Exception):
    """A request that is not forwarded."""

    def __init__(
        self, *, rule: str, reason: str, hint: str = "", decision: str = "deny", problem: str = ""
    ) -> None:
        super().__init__(reason)
        self.fields = {"rule": rule, "reason": reason, "hint": hint, "decision": decision, "problem": problem}

    def result(self) -> bytes:
        """The result of a tool's call."""
        return denial(**self.fields)

    def fault(self) -> Fault:
        """The error of any other request."""
        said = ". ".join(filter(None, (self.fields["reason"], self.fields["hint"], self.fields["problem"])))
        shown = {name: text for name, text in self.fields.items() if text}
        return Fault(SERVER_ERROR, said, {"kind": "denied", **shown})


class Asking(Protocol):
    """Who asks."""

    @property
    def who(self) -> Principal: ...

    @property
    def catalogue(self) -> Catalogue: ...

    async def upstream(self, server: str) -> Upstream: ...

    def receiver_of(self, request: Request) -> Receiver | None:
        """Where what a server says about a request goes; None where the request asks for nothing of the kind."""


class _Meant(msgspec.Struct, frozen=True, kw_only=True):
    """A request as it goes to a server: what is judged and what is sent."""

    kind: Kind
    server: str
    name: str
    raw: bytes
    calls: Sequence[Call] | Unjudgeable
    method: str
    params: Mapping[str, bytes]
    upstream: Upstream
    entry: Entry | None = None
    listed: Listed = "tools"


class Forwarding:
    """Forwards the requests of clients to the servers, whose parts in names are `parts`."""

    def __init__(self, judge: Judge, parts: Mapping[str, str]) -> None:
        self._judge = judge
        self._parts = parts

    def refused(self, who: Principal, method: str, name: str, reason: str) -> None:
        """Record what is refused without being judged."""
        self._judge.refused(Refused(principal=who.name, method=method, name=name, reason=reason))

    @contextmanager
    def _recorded(self, client: Asking, request: Request) -> Iterator[None]:
        """Record why a request is refused before it is judged."""
        try:
            yield
        except (Fault, UpstreamFailure, UnsoundJson) as error:
            self.refused(client.who, request.method, named_by(request), error.message)
            raise

    # ── What is asked ────────────────────────────────────────────────────────────────────────────────────────

    async def call_tool(self, client: Asking, request: Request) -> bytes:
        """The result of `tools/call`."""
        with self._recorded(client, request):
            meant = await self._of_tool(client, request)
        return await self._forward(client, request, meant)

    async def _of_tool(self, client: Asking, request: Request) -> _Meant:
        _only(request.params, ("name", "arguments"))
        raw = request.params.get("arguments", b"{}")
        if not raw.startswith(b"{"):
            raise Fault(INVALID_PARAMS, "`arguments` must be an object")
        entry, upstream = await client.catalogue.find("tools", _text(request.params, "name"))
        if request.headers is not None:
            other = contradiction(entry.item, raw, request.headers)
            if other:
                raise Fault(HEADER_MISMATCH, other)
        exact = {"*", entry.own} & upstream.settings.exact

        def call() -> list[Call]:
            arguments = arguments_of(raw, exact=bool(exact))
            return [
                ToolCall(
                    server=entry.server, tool=entry.own, arguments=arguments, annotations=entry.annotations,
                    schema=entry.digest,
                )
            ]  # fmt: skip

        params = {**request.params, "name": written(entry.own)}
        return _Meant(
            kind="tool", server=entry.server, name=entry.own, raw=raw, calls=_judgeable(call, entry), method="tools/call",
            params=params, upstream=upstream, entry=entry,
        )  # fmt: skip

    async def get_prompt(self, client: Asking, request: Request) -> bytes:
        """The result of `prompts/get`."""
        with self._recorded(client, request):
            meant = await self._of_prompt(client, request)
        return await self._forward(client, request, meant)

    async def _of_prompt(self, client: Asking, request: Request) -> _Meant:
        _only(request.params, ("name", "arguments"))
        raw = request.params.get("arguments", b"{}")
        if not raw.startswith(b"{"):
            raise Fault(INVALID_PARAMS, "`arguments` must be an object")
        entry, upstream = await client.catalogue.find("prompts", _text(request.params, "name"))

        def call() -> list[Call]:
            return [
                GetPrompt(server=entry.server, prompt=entry.own, arguments=arguments_of(raw, exact=False))
            ]

        return _Meant(
            kind="prompt", server=entry.server, name=entry.own, raw=raw, calls=_judgeable(call, entry),
            method="prompts/get", params={**request.params, "name": written(entry.own)}, upstream=upstream, entry=entry,
            listed="prompts",
        )  # fmt: skip

    async def read_resource(self, client: Asking, request: Request) -> bytes:
        """The result of `resources/read`."""
        with self._recorded(client, request):
            _only(request.params, ("uri",))
            server, uri = await client.catalogue.locate(_text(request.params, "uri"))
            meant = await self._of_resource(client, "resource", server, uri, "resources/read")
        return await self._forward(client, request, meant)

    async def subscribe(self, client: Asking, request: Request, shown: str) -> tuple[str, str]:
        """Ask a server to tell of the resource at an address; judged as its reading is.  Gives the server and the address
        there. Raises `Denied`, `Fault`."""
        with self._recorded(client, request):
            server, uri = await client.catalogue.locate(shown)
            meant = await self._of_resource(client, "subscription", server, uri, "resources/subscribe")
        await self._forward(client, request, meant)
        return server, uri

    async def _of_resource(self, client: Asking, kind: Kind, server: str, uri: str, method: str) -> _Meant:
        entry = await client.catalogue.entry_at(server, uri)
        upstream = await client.upstream(server)

        def call() -> list[Call]:
            return [ReadResource(server=server, uri=uri)]

        return _Meant(
            kind=kind, server=server, name=uri, raw=b"{}", calls=_judgeable(call, entry), method=method,
            params={"uri": written(uri)}, upstream=upstream, entry=entry, listed="resources",
        )  # fmt: skip

    async def complete(self, client: Asking, request: Request) -> bytes:
        """The result of `completion/complete`. Each argument that is sent with it is judged as one that is completed."""
        with self._recorded(client, request):
            meant = await self._of_completion(client, request)
        return await self._forward(client, request, meant)

    async def _of_completion(self, client: Asking, request: Request) -> _Meant:
        params = request.params
        _only(params, ("ref", "argument", "context"))
        reference, argument = _object(params, "ref"), _object(params, "argument")
        context = _object(params, "context") if "context" in params else {}
        _only(argument, ("name", "value"))
        _only(context, ("arguments",))
        given = _object(context, "arguments") if "arguments" in context else {}
        entry: Entry | None = None
        match _text(reference, "type"):
            case "ref/prompt":
                _only(reference, ("type", "name", "title"))
                entry, upstream = await client.catalogue.find("prompts", _text(reference, "name"))
                server, about = entry.server, entry.own
                named = {"type": reference["type"], "name": written(about)}
            case "ref/resource":
                _only(reference, ("type", "uri"))
                server, about = await client.catalogue.locate(_text(reference, "uri"))
                upstream = await client.upstream(server)
                named = {"type": reference["type"], "uri": written(about)}
            case other:
                raise Fault(
                    INVALID_PARAMS,
                    f"`ref` has the type {other[:40]!r}; ref/prompt and ref/resource are known",
                )
        pairs = [(_text(argument, "name"), _text(argument, "value"))]
        pairs += [(name, _text(given, name)) for name in given]

        def call() -> list[Call]:
            return [
                Completion(server=server, about=about, argument=name, value=value) for name, value in pairs
            ]

        sent = {"ref": joined(named), "argument": params["argument"]}
        if "context" in params:
            sent["context"] = params["context"]
        return _Meant(
            kind="completion", server=server, name=about, raw=joined({"argument": params["argument"], "given": joined(given)}),
            calls=_judgeable(call, entry), method="completion/complete", params=sent, upstream=upstream, entry=entry,
            listed="prompts",
        )  # fmt: skip

    # ── Judged, logged, sent ─────────────────────────────────────────────────────────────────────────────────

    async def _forward(self, client: Asking, request: Request, meant: _Meant) -> bytes:
        """The result from the server. Raises `Denied`, `Fault`, and `UpstreamFailure`."""
        try:
            judged = await self._judge.judge(
                client.who, meant.kind, meant.server, meant.name, meant.raw, meant.calls
            )
        except Unlogged as error:
            hint = "nothing is forwarded until the gateway's log can be written again"
            raise Denied(
                rule="log", reason=f"DENIED — the call cannot be logged: {error}", hint=hint
            ) from None
        if not judged.forwarded:
            said = judged.decision
            raise Denied(
                rule=said.rule,
                reason=said.reason,
                hint=said.hint,
                decision=said.outcome,
                problem=said.problem,
            )
        try:
            if meant.entry is not None and not client.catalogue.is_current(meant.listed, meant.entry):
                reason = "DENIED — the server has changed what it offers while the call was judged"
                raise Denied(rule=PINNED, reason=reason, hint="list again, then call again")
            answer = await self._send(client, request, meant)
        except asyncio.CancelledError:
            self._ended(judged, error="cancelled")
            raise
        except UpstreamFailure as failure:
            self._ended(judged, error=failure.kind)
            if failure.kind in ("exited", "closed"):
                client.catalogue.forget(meant.server)
            raise
        except Denied:
            self._ended(judged, error="changed")
            raise
        if answer.result is None:
            self._ended(judged, size=len(answer.error or b""), error="error")
            raise Fault(SERVER_ERROR, "the server answered with an error", raw=answer.error or b"{}")
        failed = meant.kind == "tool" and is_error(answer.result)
        self._ended(judged, size=len(answer.result), error="error" if failed else "")
        return with_addresses(meant.method, answer.result, self._parts[meant.server])

    async def _send(self, client: Asking, request: Request, meant: _Meant) -> Answer:
        if meant.kind == "subscription":
            return await meant.upstream.subscribe(meant.name)
        return await meant.upstream.request(
            meant.method, meant.params, meta=request.meta, on_notification=client.receiver_of(request)
        )

    def _ended(self, judged: Judged, *, size: int = 0, error: str = "") -> None:
        """Record the outcome. Where that fails the answer is given still: what was forwarded cannot be taken back, and
        nothing more will be."""
        try:
            self._judge.ended(judged, size=size, error=error)
        except Unlogged as failure:
            logger.error("the outcome of a call cannot be logged: %s", failure)

    def address(self, server: str, uri: str) -> str:
        """The address at the gateway of a server's resource."""
        return address_of(self._parts[server], uri)


def named_by(request: Request) -> str:
    """What a request names, for the log, as far as it can be read: judged or not."""
    raw = request.params.get("name", request.params.get("uri", b""))
    return text_of(raw) if raw.startswith(b'"') else ""


def _judgeable(call: Callable[[], list[Call]], entry: Entry | None) -> Sequence[Call] | Unjudgeable:
    """What is to be judged, or why no policy is asked."""
    if entry is not None and entry.problem:
        hint = "the gateway's owner looks at it with `pif gateway approve`"
        return Unjudgeable(PINNED, entry.problem, hint)
    try:
        return call()
    except Unjudgeable as problem:
        return problem


def _only(found: Mapping[str, bytes], known: tuple[str, ...]) -> None:
    """Refuse members that nobody would judge."""
    strange = unexpected(found, known)
    if strange:
        raise Fault(INVALID_PARAMS, f"{strange} is not known here, and what is not judged is not forwarded")


def _object(found: Mapping[str, bytes], name: str) -> dict[str, bytes]:
    try:
        return members(found.get(name, b"null"))
    except UnsoundJson:
        raise Fault(INVALID_PARAMS, f"`{name}` must be an object") from None


def _text(found: Mapping[str, bytes], name: str) -> str:
    try:
        return text_of(found.get(name, b"null"))
    except UnsoundJson:
        raise Fault(INVALID_PARAMS, f"`{name}` must be a string") from None
