"""Traces of a server, for OpenTelemetry: a span for each request, and in it those of provers and of the store.

What is in a span is an interface (docs/reference/serving.md §3.5). Of a request there are its method, its tool, its outcome and who asks;
never its arguments, its answer, or a text that might quote them. The trace that the client names in `_meta` is continued.

The API is a dependency of the MCP SDK; what exports is the extra `otel`, and is configured by the environment variables of
OpenTelemetry (``OTEL_EXPORTER_OTLP_ENDPOINT`` and others).
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, StatusCode, Tracer, get_current_span
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from kleis.prover.process.tally import TALLY
from kleis.prover.protocol.engine import Answer
from registry.server.calls.observation import RequestOrigin

__all__ = ["Tracing", "start_tracing"]

CLOSING_SECONDS: Final = 2.0
"""For the last spans, when the server ends."""

_STATE_LENGTH = 512

_BILLION = 1_000_000_000


class Tracing:
    """Makes the spans of one server. `close` sends what is left, for a bounded time."""

    def __init__(self, tracer: Tracer, shut_down: Callable[[], None] = lambda: None) -> None:
        self._tracer = tracer
        self._shut_down = shut_down
        TALLY.watch(self.attempt)

    @contextmanager
    def request(
        self, method: str, tool: str, origin: RequestOrigin, state: object, attributes: dict[str, str]
    ) -> Iterator[Span]:
        """The span of a request, in the block. `tool` is empty where it calls none; `state` is the client's ``tracestate``.

        An exception marks it as failed, by its type alone.
        """
        said = {"mcp.method.name": method, **attributes}
        if origin.id:
            said["jsonrpc.request.id"] = origin.id
        if tool:
            said |= {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool}
        with self._tracer.start_as_current_span(
            f"{method} {tool}" if tool else method, context=_parent(origin, state), kind=SpanKind.SERVER, attributes=said,
            record_exception=False, set_status_on_exception=False,
        ) as span:  # fmt: skip
            try:
                yield span
            except BaseException as error:
                fail(span, type(error).__name__)
                raise

    def store_timed(self, operation: str, seconds: float) -> None:
        """An operation of the store has ended, in the thread that asked for it."""
        if self._is_within_a_request():
            ended = time.time_ns()
            span = self._tracer.start_span(
                f"store {operation}", kind=SpanKind.CLIENT, attributes={"db.operation.name": operation},
                start_time=ended - round(seconds * _BILLION),
            )  # fmt: skip
            span.end(ended)

    def attempt(self, job: str) -> Callable[[Answer], None] | None:
        """A prover's attempt begins, in the thread that asked for it; what is told of its answer."""
        if not self._is_within_a_request():
            return None
        name = job.rpartition(":")[2]
        span = self._tracer.start_span(f"prover {name}", attributes={"prover.job": job})

        def ended(answer: Answer) -> None:
            steps = answer.steps if isinstance(answer.steps, int) and abs(answer.steps) < 2**63 else 0
            span.set_attribute("prover.steps", steps)
            if answer.reason == "killed":
                fail(span, "killed")
            span.end()

        return ended

    def close(self) -> None:
        """Make no more spans, and send those that are left."""
        TALLY.unwatch(self.attempt)
        closing = threading.Thread(target=self._shut_down, name="traces", daemon=True)
        closing.start()
        closing.join(CLOSING_SECONDS)

    @staticmethod
    def _is_within_a_request() -> bool:
        return get_current_span().get_span_context().is_valid


def fail(span: Span, kind: str) -> None:
    """Mark what a span is about as failed. `kind` is a word of ours."""
    span.set_attribute("error.type", kind)
    span.set_status(StatusCode.ERROR)


def _parent(origin: RequestOrigin, state: object) -> Context:
    """The trace that a client named; an empty context where it named none, since a server has none of its own."""
    carrier = {"traceparent": origin.traceparent}
    if isinstance(state, str) and len(state) <= _STATE_LENGTH:
        carrier["tracestate"] = state
    return TraceContextTextMapPropagator().extract(carrier, Context())


def start_tracing(version: str) -> Tracing:
    """Traces that go where the environment says. Raises ValueError in words where the extra is not installed."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise ValueError(f"--traces needs the extra otel ({error}): pip install 'pif-kleis[otel]'") from None
    named: dict[str, Any] = {"service.version": version}
    if not os.environ.get("OTEL_SERVICE_NAME"):
        named["service.name"] = "pif"
    provider = TracerProvider(resource=Resource.create(named), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return Tracing(provider.get_tracer("pif", version), provider.shutdown)
