"""Counters and histograms of one server, as text for Prometheus.

Names and labels are an interface (docs/reference/serving.md §3.5): dashboards and alerts rest on them. Labels have few values:
of a tool that was evolved the label is `(evolved)`, of a name that is no tool `(unknown)`, so that no client can fill the
memory with names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from kleis.prover.process.tally import TALLY
from registry.server.calls.lanes import LANES, Lanes
from registry.server.calls.observation import CallRecord

__all__ = ["CONTENT_TYPE", "Metrics"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Upper bounds of the buckets of latencies: from a small run to the longest question."""

STORE_SECONDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0)


class Metrics:
    """What has happened since the server began. `named` says whether a tool's name may be a label."""

    wants_arguments = False

    def __init__(self, named: Callable[[str], bool], version: str) -> None:
        # Without it there is a series more for each, which says when its first event was. The package does not type it.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._named = named
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._calls = Counter(
            "pif_calls",
            "Calls of tools that have ended.",
            ("tool", "outcome", "kind"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "pif_call_seconds", "Seconds from the arrival of a call to its answer.", ("tool",),
            buckets=SECONDS, registry=self._registry,
        )  # fmt: skip
        self._store = Histogram(
            "pif_store_seconds", "Seconds of the store's operations.", ("operation",),
            buckets=STORE_SECONDS, registry=self._registry,
        )  # fmt: skip
        self._fuel = Counter("pif_fuel", "Fuel that runs have used.", registry=self._registry)
        self._registry.register(_About(version))
        self._registry.register(_Provers())

    def watch(self, lanes: Lanes) -> None:
        """Show the lanes of a server."""
        self._registry.register(_LaneSizes(lanes))

    def ended(self, call: CallRecord) -> None:
        """Count a call."""
        tool = "(unknown)" if not call.group else call.tool if self._named(call.tool) else "(evolved)"
        self._calls.labels(tool, call.outcome, call.kind).inc()
        self._seconds.labels(tool).observe(call.seconds)
        self._fuel.inc(call.fuel)

    def store_timed(self, operation: str, seconds: float) -> None:
        """Count an operation of the store."""
        self._store.labels(operation).observe(seconds)

    def text(self) -> bytes:
        """All of it, in Prometheus's text format."""
        return generate_latest(self._registry)


class _About(Collector):
    """The version, as a gauge that is always 1."""

    def __init__(self, version: str) -> None:
        self._version = version

    def collect(self) -> Iterable[Metric]:
        family = GaugeMetricFamily("pif_build_info", "The server's version.", labels=("version",))
        family.add_metric((self._version,), 1)
        yield family


class _Provers(Collector):
    """The attempts of the provers of this process."""

    def collect(self) -> Iterable[Metric]:
        counts = TALLY.counts
        yield CounterMetricFamily(
            "pif_prover_attempts", "Attempts of engines that have ended.", value=counts.attempts
        )
        yield CounterMetricFamily(
            "pif_prover_steps", "Steps of engines, each in its own unit.", value=counts.steps
        )
        yield CounterMetricFamily(
            "pif_prover_killed", "Attempts killed by a limit or for want of interest.", value=counts.killed
        )


class _LaneSizes(Collector):
    """How many calls of each lane run and wait now."""

    def __init__(self, lanes: Lanes) -> None:
        self._lanes = lanes

    def collect(self) -> Iterable[Metric]:
        running = GaugeMetricFamily("pif_lane_running", "Calls under way.", labels=("lane",))
        waiting = GaugeMetricFamily("pif_lane_waiting", "Calls that wait for their turn.", labels=("lane",))
        places = GaugeMetricFamily("pif_lane_places", "Calls that may be under way.", labels=("lane",))
        for name, size in LANES.items():
            running.add_metric((name,), self._lanes[name].running)
            waiting.add_metric((name,), self._lanes[name].waiting)
            places.add_metric((name,), size.places)
        yield from (running, waiting, places)
