"""How one server is seen from outside: its observers, and its pages beside MCP."""

from __future__ import annotations

from collections.abc import Mapping

from registry.records import RESERVED
from registry.server.calls.lanes import Lanes
from registry.server.calls.observation import Observer
from registry.server.calls.stopping import Stopping
from registry.server.contract.page import Page, PageAnswer
from registry.server.monitoring.health import Check, Readiness
from registry.server.monitoring.metrics import CONTENT_TYPE, Metrics

__all__ = ["LIVE", "METRICS", "READY", "Monitoring"]

LIVE, READY, METRICS = "/livez", "/readyz", "/metrics"

_JSON = "application/json"


class Monitoring:
    """The metrics and the health of a server."""

    def __init__(self, version: str) -> None:
        self._metrics = Metrics(RESERVED.__contains__, version)

    def store_timed(self, operation: str, seconds: float) -> None:
        """An operation of the store has ended. Called from any thread."""
        self._metrics.store_timed(operation, seconds)

    @property
    def observers(self) -> tuple[Observer, ...]:
        """Who is told of calls."""
        return (self._metrics,)

    def pages(self, checks: Mapping[str, Check], lanes: Lanes, stopping: Stopping) -> tuple[Page, ...]:
        """The pages of a server with these lanes. Health is open, as it says nothing secret; metrics are for callers.

        `checks`: what must work for the server to be ready, by the names that it is shown under.
        """
        self._metrics.watch(lanes)
        readiness = Readiness(checks, lambda: stopping.has_begun or stopping.is_draining)

        async def live() -> PageAnswer:
            return PageAnswer(200, _JSON, b'{"live":true}')

        async def ready() -> PageAnswer:
            is_ready, said = await readiness.answer()
            return PageAnswer(200 if is_ready else 503, _JSON, said)

        async def metrics() -> PageAnswer:
            return PageAnswer(200, CONTENT_TYPE, self._metrics.text())

        return Page(LIVE, True, live), Page(READY, True, ready), Page(METRICS, False, metrics)
