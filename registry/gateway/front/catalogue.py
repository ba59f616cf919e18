"""What the servers of one client offer, as it was approved, under the gateway's names.

Lists are fetched from each server on its own: one that hangs, or does not start, is missing from the answer and holds no
other.  What was fetched stays until the server says that it has changed, or is another process.

Invariant: an entry is of the very process that it will be called at.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

import msgspec

from kleis.policy.calls import Annotations
from pif.language.errors import nearest
from registry.gateway.messages.names import address_of, name_of, parts_of, split_address, tool_part
from registry.gateway.messages.replies import INVALID_PARAMS, Fault
from registry.gateway.messages.templates import fits
from registry.gateway.pins.approvals import Approvals, Listed
from registry.gateway.upstream.protocol import Upstream, UpstreamFailure
from registry.gateway.upstream.raw_json import UnsoundJson, joined, members, text_of, written

__all__ = ["FRESH", "METHODS", "Catalogue", "Entry"]

METHODS: Mapping[Listed, str] = {
    "tools": "tools/list",
    "resources": "resources/list",
    "templates": "resources/templates/list",
    "prompts": "prompts/list",
}
IDENTITY: Mapping[Listed, str] = {
    "tools": "name",
    "resources": "uri",
    "templates": "uriTemplate",
    "prompts": "name",
}
"""The member that says which one an item is."""

FETCHING = 12.0
"""Seconds that an answer with a list waits for a server; what comes later is announced."""

FRESH = 2.0
"""Seconds in which a list is not fetched again for another client's question."""

logger = logging.getLogger(__name__)


class Entry(msgspec.Struct, frozen=True):
    """One thing that a server offers. `own`: its name or address there; `name`: at the gateway; `item`: as clients see it."""

    server: str
    own: str
    name: str
    item: bytes
    digest: str
    problem: str = ""
    annotations: Annotations = Annotations()


_Entries: TypeAlias = Mapping[str, Entry]


class _List(msgspec.Struct):
    """The list of one server while it is fetched, and afterwards."""

    upstream: Upstream
    task: asyncio.Task[_Entries]
    begun: float
    state: object
    """Of the approvals when it was fetched."""


class Catalogue:
    """The lists of the servers of one client."""

    def __init__(
        self,
        upstream: Callable[[str], Awaitable[Upstream]],
        parts: Mapping[str, str],
        approvals: Approvals,
        on_late: Callable[[Listed], None],
    ) -> None:
        """`upstream`: the running server of a name, which raises `UpstreamFailure`; `parts`: what stands for each server in
        names; `on_late`: told of a list that came after its answer."""
        self._upstream = upstream
        self._parts = parts
        self._servers = {part: server for server, part in parts.items()}
        self._approvals = approvals
        self._on_late = on_late
        self._lists: dict[tuple[str, Listed], _List] = {}

    def forget(self, server: str, kind: Listed | None = None) -> None:
        """A list of a server, or all of them, may have changed."""
        for each in [each for each in self._lists if each[0] == server and kind in (None, each[1])]:
            del self._lists[each]

    def close(self) -> None:
        for each in self._lists.values():
            each.task.cancel()
        self._lists.clear()

    # ── Lists ────────────────────────────────────────────────────────────────────────────────────────────────

    async def all(self, kind: Listed) -> list[Entry]:
        """What all servers offer, in the order of the configuration, fetched anew where it is not fresh."""
        now = time.monotonic()
        for server in self._parts:
            known = self._lists.get((server, kind))
            if known is not None and known.task.done() and now - known.begun > FRESH:
                self.forget(server, kind)
        asked = [asyncio.ensure_future(self.of_server(server, kind)) for server in self._parts]
        if not asked:
            return []
        done, late = await asyncio.wait(asked, timeout=FETCHING)
        for each in late:
            each.add_done_callback(lambda task: self._came_late(kind, task))
        found: list[Entry] = []
        for server, each in zip(self._parts, asked, strict=True):
            if each in done and self._succeeded(server, kind, each):
                found += each.result().values()
        return found

    def _succeeded(self, server: str, kind: Listed, task: asyncio.Future[_Entries]) -> bool:
        error = task.exception()
        if error is None:
            return True
        if not isinstance(error, UpstreamFailure):  # a defect: it costs no other server
            logger.error("%s of %s cannot be read", METHODS[kind], server, exc_info=error)
            return False
        logger.warning("%s of %s cannot be had: %s", METHODS[kind], server, error)
        return False

    def _came_late(self, kind: Listed, task: asyncio.Future[_Entries]) -> None:
        if not task.cancelled() and task.exception() is None:
            self._on_late(kind)

    async def of_server(self, server: str, kind: Listed) -> _Entries:
        """What a server offers, by what stands for it in names. Raises `UpstreamFailure`."""
        upstream = await self._upstream(server)
        known = self._lists.get((server, kind))
        state = self._approvals.state
        if known is None or known.upstream is not upstream or known.state != state:
            if known is not None and known.upstream is not upstream:
                self.forget(server)  # it is another process
            task = asyncio.get_running_loop().create_task(self._fetch(upstream, server, kind))
            known = self._lists[server, kind] = _List(upstream, task, time.monotonic(), state)
        try:
            return await asyncio.shield(known.task)
        except UpstreamFailure:
            if self._lists.get((server, kind)) is known:
                del self._lists[server, kind]
            raise

    async def _fetch(self, upstream: Upstream, server: str, kind: Listed) -> _Entries:
        items: dict[str, bytes] = {}
        twice: set[str] = set()
        for item in await upstream.list_all(METHODS[kind]):
            own = _identity(item, kind)
            if own is None:
                logger.warning("%s of %s has an item without %s", METHODS[kind], server, IDENTITY[kind])
            elif own in items:
                twice.add(own)
            else:
                items[own] = item
        approvals = self._approvals.check(server, kind, items)
        part = self._parts[server]
        found: dict[str, Entry] = {}
        for own, item in items.items():
            approval = approvals[own]
            problem = "the server lists it twice" if own in twice else approval.problem
            if approval.template:
                item = _as_template(own, approval.template)
            name = name_of(part, own) if kind in ("tools", "prompts") else address_of(part, own)
            found[tool_part(part, own) if kind in ("tools", "prompts") else own] = Entry(
                server, own, name, _shown(item, kind, part, name), approval.digest, problem,
                _annotations(item) if kind == "tools" else Annotations(),
            )  # fmt: skip
        return found

    # ── One of them ──────────────────────────────────────────────────────────────────────────────────────────

    async def find(self, kind: Listed, name: str) -> tuple[Entry, Upstream]:
        """The tool or prompt of a name at the gateway, and the process that offers it.

        Raises `Fault` where there is none, and `UpstreamFailure`.
        """
        part, rest = parts_of(name)
        server = self._servers.get(part)
        if server is None:
            close = nearest(part, self._servers)
            hint = (
                f"did you mean {close}__{rest}?" if close else f"the servers are {', '.join(self._servers)}"
            )
            raise Fault(INVALID_PARAMS, f"no server is called {part[:60]!r}: names are SERVER__NAME; {hint}")
        entries = await self.of_server(server, kind)
        entry = entries.get(rest)
        if entry is None:
            close = nearest(rest, entries)
            hint = f"; did you mean {part}__{close}?" if close else ""
            raise Fault(INVALID_PARAMS, f"the server {part} has no {kind[:-1]} {rest[:60]!r}{hint}")
        return entry, self._lists[server, kind].upstream

    def is_current(self, kind: Listed, entry: Entry) -> bool:
        """Whether an entry stands in a list that has not been forgotten since."""
        known = self._lists.get((entry.server, kind))
        if known is None or not known.task.done() or known.task.cancelled() or known.task.exception():
            return False
        return entry in known.task.result().values()

    async def locate(self, uri: str) -> tuple[str, str]:
        """The server of an address, and the address there.

        An address without a server is the one server's that lists it, or has a template of its form.  Raises `Fault`.
        """
        found = split_address(uri, self._parts)
        if found is not None:
            return found
        owners = {each.server for each in await self.all("resources") if each.own == uri}
        if not owners:
            owners = {each.server for each in await self.all("templates") if fits(uri, each.own)}
        if len(owners) == 1:
            return owners.pop(), uri
        what = "no server has" if not owners else "several servers have"
        hint = "write it as SERVER+ADDRESS, as resources/list shows it"
        raise Fault(INVALID_PARAMS, f"{what} the resource {uri[:200]}; {hint}", {"uri": uri[:2_000]})

    async def entry_at(self, server: str, uri: str) -> Entry | None:
        """What a server's list says of an address; None where it says nothing. Raises `UpstreamFailure`."""
        return (await self.of_server(server, "resources")).get(uri)


def _identity(item: bytes, kind: Listed) -> str | None:
    try:
        return text_of(members(item)[IDENTITY[kind]])
    except (UnsoundJson, KeyError):
        return None


def _as_template(uri: str, template: bytes) -> bytes:
    """An instance of a template in the words that were approved of the template: of its own it has the address alone."""
    found = {name: each for name, each in members(template).items() if name != IDENTITY["templates"]}
    return joined({**found, IDENTITY["resources"]: written(uri)})


def _shown(item: bytes, kind: Listed, part: str, name: str) -> bytes:
    """An item as clients see it: under the gateway's name, without what is not offered."""
    found = members(item)
    found[IDENTITY[kind]] = written(name)
    found.pop("execution", None)  # tasks
    if kind == "tools" and b"ui://" in found.get("_meta", b""):
        found["_meta"] = _with_views(found["_meta"], part)
    return joined(found)


def _with_views(meta: bytes, part: str) -> bytes:
    """The addresses of views in what a tool says of itself."""
    found = members(meta)
    for holder, key in ((found, "ui/resourceUri"),):
        if holder.get(key, b"").startswith(b'"'):
            holder[key] = written(address_of(part, text_of(holder[key])))
    if found.get("ui", b"").startswith(b"{"):
        view = members(found["ui"])
        if view.get("resourceUri", b"").startswith(b'"'):
            view["resourceUri"] = written(address_of(part, text_of(view["resourceUri"])))
        found["ui"] = joined(view)
    return joined(found)


def _annotations(item: bytes) -> Annotations:
    said = members(item).get("annotations", b"")
    hints = members(said) if said.startswith(b"{") else {}

    def hint(name: str, default: bool) -> bool:
        return {b"true": True, b"false": False}.get(hints.get(name, b""), default)

    usual = Annotations()
    return Annotations(
        read_only=hint("readOnlyHint", usual.read_only),
        destructive=hint("destructiveHint", usual.destructive),
        idempotent=hint("idempotentHint", usual.idempotent),
        open_world=hint("openWorldHint", usual.open_world),
    )
