"""Traces of a server: what is in a span and what never is, and that a client's trace is continued."""

from __future__ import annotations

import asyncio
import http.server
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("opentelemetry.sdk", reason="the extra otel is not installed")

from mcp.client import Client
from mcp.shared.exceptions import MCPError
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from registry.server.contract.settings import Settings, Site
from registry.server.mcp.http_bodies import BODY
from registry.server.mcp.mcp_server import McpServer
from registry.server.monitoring.tracing import Tracing
from registry.server.offers.offer import Offer
from registry.server.serve import make_groups
from tests.support.servers.http_server import HEADERS, Served, environment
from tests.support.servers.pif_server import command
from tests.support.servers.raw_client import MODERN, demo

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
PARENT = f"00-{TRACE}-{SPAN}-01"
SECRET = "a very secret word"


class Scene:
    """A server in this process whose spans are kept."""

    def __init__(self, home: Path, groups: str = "pif,theory") -> None:
        self.kept = InMemorySpanExporter()
        self._provider = TracerProvider()
        self._provider.add_span_processor(SimpleSpanProcessor(self.kept))
        self.tracing = Tracing(self._provider.get_tracer("pif"), self._provider.shutdown)
        self.site = Site(Settings(home=home), self.tracing.store_timed)
        self.server = McpServer(Offer(make_groups(groups, self.site), name="n", version="1"), self.tracing)
        self.server.http_sessions(BODY)  # answers are plain values, as a client in this process needs them

    def ask(self, *calls: tuple[str, dict[str, Any]], mode: Any = MODERN, meta: Any = None) -> list[Any]:
        async def talk() -> list[Any]:
            async with self.server.open(), Client(self.server.server, mode=mode) as client:
                return [(await client.call_tool(*each, meta=meta)).structured_content for each in calls]

        return asyncio.run(talk())

    def spans(self, prefix: str = "") -> list[ReadableSpan]:
        return [each for each in self.kept.get_finished_spans() if each.name.startswith(prefix)]

    def all_text(self) -> str:
        return "".join(each.to_json() for each in self.kept.get_finished_spans())


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    made = Scene(tmp_path)
    yield made
    made.tracing.close()
    made.site.close()


@pytest.mark.parametrize("mode", [MODERN, "legacy"])
def test_a_call_is_a_span_in_the_client_s_trace(scene: Scene, mode: str) -> None:
    scene.ask(
        ("run", {"code": {"mul": [6, 7]}}), mode=mode, meta={"traceparent": PARENT, "tracestate": "vendor=1"}
    )
    (span,) = scene.spans("tools/call")
    assert span.name == "tools/call run"
    assert f"{span.context.trace_id:032x}" == TRACE
    assert span.parent is not None
    assert f"{span.parent.span_id:016x}" == SPAN
    assert span.context.trace_state.get("vendor") == "1"
    assert dict(span.attributes or {})["gen_ai.tool.name"] == "run"
    assert span.status.status_code is StatusCode.UNSET


@pytest.mark.parametrize(
    "parent",
    [None, "", 7, [PARENT], {"a": 1}, "00-" + "0" * 32 + f"-{SPAN}-01", f"00-{TRACE}-{'0' * 16}-01", f"ff-{TRACE}-{SPAN}-01", PARENT.upper(),
     PARENT + "x" * 9_000],
    ids=lambda each: repr(each)[:24],
)  # fmt: skip
def test_a_trace_that_is_none_is_begun_here(scene: Scene, parent: Any) -> None:
    scene.ask(("run", {"code": 1}), meta={"traceparent": parent, "tracestate": ["x"]})
    (span,) = scene.spans("tools/call")
    assert span.parent is None
    assert f"{span.context.trace_id:032x}" != TRACE


def test_a_client_that_does_not_want_to_be_traced_is_not(scene: Scene) -> None:
    scene.ask(("run", {"code": 1}), meta={"traceparent": PARENT[:-1] + "0"})
    assert not scene.spans("tools/call")


def test_the_store_and_provers_are_spans_of_the_call(scene: Scene) -> None:
    scene.ask(
        ("evolve", {"name": "twice", "description": "doubles", "code": {"lam": "x", "body": {"mul": [2, {"var": "x"}]}}}),
        ("evaluate", {"expression": "∀(x : ℤ). x * x ≥ 0"}),
    )  # fmt: skip
    evolved, evaluated = scene.spans("tools/call")
    stored = [
        each
        for each in scene.spans("store ")
        if each.parent and each.parent.span_id == evolved.context.span_id
    ]
    proving = [
        each
        for each in scene.spans("prover ")
        if each.parent and each.parent.span_id == evaluated.context.span_id
    ]
    assert "store evolve" in {each.name for each in stored}
    assert proving
    for each in (*stored, *proving):
        assert each.start_time is not None
        assert each.end_time is not None
        assert each.start_time <= each.end_time
    assert all("prover.steps" in dict(each.attributes or {}) for each in proving)


def test_what_nobody_asked_for_is_no_span(scene: Scene) -> None:
    scene.site.workspace.store.recent(1)  # as the page of readiness does every second
    assert not scene.spans()


def test_errors_are_told_by_their_kind_and_nothing_of_a_request_is_quoted(scene: Scene) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("run", {"code": {"var": SECRET}}), ("run", {"code": SECRET, "input": SECRET}), ("run", {"code": 1, SECRET: 1}),
        ("evaluate", {"expression": f'"{SECRET}" = "x" ∧'}), ("submit_define", {"kleis": f'define f(x) = "{SECRET}"', "session": SECRET}),
        ("evolve", {"name": "t", "description": SECRET, "code": {"quote": SECRET}}), ("list", {"query": SECRET}),
        ("history", {"name": SECRET}),
    ]  # fmt: skip

    async def talk() -> None:
        async with scene.server.open(), Client(scene.server.server, mode=MODERN) as client:
            for name, arguments in calls:
                await client.call_tool(name, arguments)
            for ask in (
                lambda: client.read_resource(f"pif://tools/{SECRET}"), lambda: client.get_prompt(SECRET, {"x": SECRET}),
                lambda: client.get_prompt("evolve_tool", {SECRET: SECRET}),
            ):  # fmt: skip
                with pytest.raises(MCPError):
                    await ask()

    asyncio.run(talk())
    assert SECRET not in scene.all_text()
    kinds = {dict(each.attributes or {}).get("error.type") for each in scene.spans()}
    assert {"invalid_argument", "MCPError"} <= kinds
    assert all(not each.events for each in scene.spans())
    assert all(not each.status.description for each in scene.spans())


# ── the real way out ─────────────────────────────────────────────────────────────────────────────────────────


class Collector:
    """What takes spans over HTTP, as OpenTelemetry's collector does."""

    def __init__(self) -> None:
        outer = self
        self.bodies: list[bytes] = []
        self.came = threading.Event()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                outer.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()
                outer.came.set()

            def log_message(self, format: str, *args: Any) -> None:
                """Nothing is logged."""

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def test_a_server_over_http_sends_its_spans(tmp_path: Path) -> None:
    from tests.support.servers.http_server import call

    collector = Collector()
    process = subprocess.Popen(
        command(tmp_path, http="0", traces=True), stderr=subprocess.PIPE, text=True,
        env=environment() | {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "OTEL_BSP_SCHEDULE_DELAY": "50"},
    )  # fmt: skip
    try:
        server = Served(process)
        assert server.post(call("run", code={"quote": SECRET}), **HEADERS)[0] == 200
        process.send_signal(signal.SIGTERM)
        assert server.ended() == (0, "")
    finally:
        process.kill()
        process.communicate()
        collector.server.shutdown()
        collector.server.server_close()
    assert b"tools/call run" in b"".join(collector.bodies)
    assert SECRET.encode() not in b"".join(collector.bodies)


def test_on_standard_streams_the_trace_is_continued_and_a_collector_that_is_away_delays_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    collector = Collector()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)

    def talked() -> None:
        with demo(command=command(tmp_path, traces=True)) as client:
            client.handshake()
            for number, arguments in enumerate(({"code": 7}, {"code": {"var": SECRET}})):
                params = {"name": "run", "arguments": arguments, "_meta": {"traceparent": PARENT}}
                client.send(
                    {"jsonrpc": "2.0", "id": f"call {number}", "method": "tools/call", "params": params}
                )
                client.answer_to(f"call {number}")
            client.end_input()
            assert client.wait() == 0

    talked()
    collector.server.shutdown()
    collector.server.server_close()
    sent = b"".join(collector.bodies)
    assert bytes.fromhex(TRACE) in sent
    assert b"parse_error" in sent or b"invalid" in sent or b"unbound" in sent
    assert SECRET.encode() not in sent
    talked()


def test_without_the_extra_it_is_said_how_to_get_it(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['opentelemetry.sdk'] = None\n"
        "from registry.server.serve import serve\nfrom registry.server.contract.settings import Settings\n"
        "from pathlib import Path\nsys.exit(serve(Settings(home=Path(sys.argv[1]), traces=True), 'pif'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=False, input=""
    )
    assert done.returncode == 2
    assert "pip install 'pif-kleis[otel]'" in done.stderr
