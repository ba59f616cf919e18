"""The same requests to a server straight and through the gateway: what comes back has to be the same.

The client on both sides is the gateway's own wire (`registry.gateway.upstream`), which shows the bytes.  Names and addresses
are compared without what the gateway puts before them, results without what only one generation of the protocol says.
Where no name was changed and both sides speak one generation, results are the same byte for byte.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from registry.gateway.messages.names import address_of, name_of
from registry.gateway.upstream.generations import result_for
from registry.gateway.upstream.pool import Pool
from registry.gateway.upstream.protocol import (
    Answer,
    Generation,
    Notification,
    Timeouts,
    UpstreamFailure,
    UpstreamSettings,
)
from registry.gateway.upstream.raw_json import written
from registry.gateway.upstream.running import RunningUpstream
from tests.conformance import installation
from tests.conformance.gateway import server as gateway
from tests.conformance.gateway.cases import Case, Step

__all__ = ["Difference", "differences"]

_SERVER = r'"io\.modelcontextprotocol/serverInfo":\{[^{}]*\}'
"""Who made an answer of the newer generation: the server, or the gateway."""

TIMEOUTS = Timeouts(start=60, call=60, close=0.5)
GATEWAY_TIMEOUTS = Timeouts(start=60, call=60, close=10)
"""It closes what is behind it first."""


@dataclass(frozen=True)
class Difference:
    """A step that was answered otherwise through the gateway."""

    step: str
    straight: str
    through: str


@dataclass(frozen=True)
class _Outcome:
    """What came of a step: comparable, and the raw result where there is one."""

    said: Any
    raw: bytes | None = None
    refused: bool = False


class _Session:
    """One client of a server, straight, or through the gateway where the server has a `part` in names."""

    def __init__(self, upstream: RunningUpstream, part: str | None) -> None:
        self._upstream = upstream
        self._part = part

    async def run(self, step: Step) -> _Outcome:
        progress: list[Notification] = []
        params = {name: written(value) for name, value in self._renamed(step.params).items()}
        try:
            match step.kind:
                case "list":
                    found = await self._upstream.list_all(step.method)
                    return _Outcome([self._unnamed(_without_tasks(json.loads(each))) for each in found])
                case "cancelled":
                    return await self._cancelled(step, params)
                case "level":
                    await self._upstream.set_level(step.params["level"])
                    return _Outcome("set")
                case "subscribe":
                    answer = await self._upstream.subscribe(json.loads(params["uri"]))
                case "unsubscribe":
                    answer = await self._upstream.unsubscribe(json.loads(params["uri"]))
                case _:
                    receiver = progress.append if step.progress else None
                    answer = await self._upstream.request(step.method, params, on_notification=receiver)
        except UpstreamFailure as failure:
            return _Outcome({"failure": failure.kind, "said": failure.message}, refused=True)
        outcome = self._outcome(step.method, answer)
        if not step.progress:
            return outcome
        seen = [{name: json.loads(value) for name, value in each.params.items()} for each in progress]
        return _Outcome({"answer": outcome.said, "progress": seen}, outcome.raw, outcome.refused)

    async def _cancelled(self, step: Step, params: Mapping[str, bytes]) -> _Outcome:
        begun = asyncio.Event()
        task = asyncio.create_task(
            self._upstream.request(step.method, params, on_notification=lambda _: begun.set())
        )
        waiting = asyncio.create_task(begun.wait())
        await asyncio.wait([task, waiting], return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if task.done():
            return self._outcome(step.method, task.result())
        task.cancel()
        await asyncio.wait([task])
        return _Outcome("cancelled")

    def _outcome(self, method: str, answer: Answer) -> _Outcome:
        if answer.error is not None:
            error = json.loads(answer.error)
            return _Outcome({"error": error}, refused=True)
        assert answer.result is not None
        data = json.loads(result_for("2025", method, answer.result))
        return _Outcome(self._unnamed(data), answer.result, refused=bool(data.get("isError")))

    def _renamed(self, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """Parameters as the gateway's client writes them."""
        if self._part is None:
            return params
        changed = dict(params)
        if "name" in changed:
            changed["name"] = name_of(self._part, changed["name"])
        if "uri" in changed:
            changed["uri"] = address_of(self._part, changed["uri"])
        if "ref" in changed:
            changed["ref"] = self._renamed(changed["ref"])
        return changed

    def _unnamed(self, data: Any) -> Any:
        """What was answered, in the server's own names."""
        if self._part is None:
            return data
        if isinstance(data, list):
            return [self._unnamed(each) for each in data]
        if not isinstance(data, dict):
            return data
        return {name: self._unnamed_member(name, value) for name, value in data.items()}

    def _unnamed_member(self, name: str, value: Any) -> Any:
        assert self._part is not None
        if name == "name" and isinstance(value, str):
            return value.removeprefix(f"{self._part}__")
        if name in ("uri", "uriTemplate") and isinstance(value, str):
            return value.removeprefix(address_of(self._part, ""))
        return self._unnamed(value)


def _without_tasks(item: dict[str, Any]) -> dict[str, Any]:
    """A listed tool without what it says of tasks, which the gateway does not offer."""
    return {name: value for name, value in item.items() if name != "execution"}


def differences(
    case: Case, folder: Path, *, server: Generation = "2025", client: Generation = "2025"
) -> list[Difference]:
    """The steps of a case that differ. `server` and `client` are the generations on either side of the gateway."""
    with _pages(folder) as address:
        (folder / "address").write_text(address)
        straight = asyncio.run(_run(case, folder, server, None))
        through = asyncio.run(_run(case, folder, server, client))
    found = []
    for step, one, other in zip(case.steps(folder / "at"), straight, through, strict=True):
        if step.method == "ping" and "2026" in (server, client):
            continue  # the newer generation has none
        if step.is_new:
            same = not one.refused and _refusing_rule(other) == "approved"
        elif step.own_words:
            same = one.refused and other.refused
        else:
            same = _same(case, one.said, other.said)
        is_compared = not (step.is_new or step.own_words) and server == client
        if same and is_compared and one.raw is not None and other.raw is not None:
            renamed = address_of(case.name, "").encode() in other.raw
            same = renamed or _steady(case, one.raw.decode()) == _steady(case, other.raw.decode())
        if not same:
            found.append(Difference(step.name, *_apart(_shown(one), _shown(other))))
    return found


def _refusing_rule(outcome: _Outcome) -> str:
    """The rule of the gateway that refused a request which is no call; empty where none did."""
    error = outcome.said.get("error", {}) if isinstance(outcome.said, dict) else {}
    data = error.get("data") or {}
    return str(data.get("rule", "")) if outcome.refused else ""


def _same(case: Case, one: Any, other: Any) -> bool:
    return _steady(case, json.dumps(one)) == _steady(case, json.dumps(other))


def _steady(case: Case, text: str) -> str:
    """A text without what differs between two runs."""
    return re.sub(rf"{case.varying}|{_SERVER}", "…", text)


def _shown(outcome: _Outcome) -> str:
    raw = "" if outcome.raw is None else f" {outcome.raw.decode()}"
    return json.dumps(outcome.said, ensure_ascii=False) + raw


def _apart(one: str, other: str) -> tuple[str, str]:
    """Two texts from shortly before they begin to differ."""
    pairs = enumerate(zip(one, other, strict=False))
    place = next((index for index, (a, b) in pairs if a != b), min(len(one), len(other)))
    start = max(0, place - 60)
    return one[start : start + 300], other[start : start + 300]


async def _run(case: Case, folder: Path, server: Generation, client: Generation | None) -> list[_Outcome]:
    """All steps, on a folder that is as it was before: straight, or by a client of a generation through the gateway."""
    at = folder / "at"
    shutil.rmtree(at, ignore_errors=True)
    at.mkdir()
    case.prepare(at)
    command, *args = case.command(at)
    settings = UpstreamSettings(
        case.name,
        command=command,
        args=tuple(args),
        env=case.environment(at),
        cwd=str(at),
        generation=server,
        timeouts=TIMEOUTS,
    )
    if client is not None:
        settings = _gateway(settings, folder, client)
    pool = Pool([settings])
    try:
        session = _Session(await pool.get(settings.name, "client"), case.name if client else None)
        return [await session.run(step) for step in case.steps(at)]
    finally:
        await pool.close()


def _gateway(behind: UpstreamSettings, folder: Path, client: Generation) -> UpstreamSettings:
    """The gateway with one server behind it, as a server itself."""
    server = {
        "command": behind.command,
        "args": list(behind.args),
        "env": dict(behind.env),
        "cwd": behind.cwd,
        "gateway": {"generation": behind.generation, "timeouts": {"start": 60, "call": 60, "close": 0.5}},
    }
    program, *args = gateway.command(folder, {behind.name: server})
    return UpstreamSettings(
        "gateway",
        command=program,
        args=tuple(args),
        cwd=str(installation.HERE.parents[1]),
        generation=client,
        timeouts=GATEWAY_TIMEOUTS,
    )


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: what a test asks for is no news."""


@contextmanager
def _pages(folder: Path) -> Iterator[str]:
    """The address of a page for servers that fetch pages."""
    pages = folder / "pages"
    pages.mkdir(exist_ok=True)
    (pages / "page.html").write_text("<html><body><h1>Title</h1><p>Ünicode &amp; more.</p></body></html>")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(pages))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
