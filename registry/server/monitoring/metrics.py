"""Counters and histograms of one server, as text for Prometheus.

Names and labels are an interface (docs/reference/serving.md §3.5): dashboards and alerts rest on them. Labels have few values:
of a tool that was evolved the label is `(evolved)`, of a name that is no tool `(unknown)`, so that no client can fill the
memory with names.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
    values,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from prometheus_client.values import MultiProcessValue

from kleis.prover.process.tally import TALLY
from registry.server.calls.lanes import LANES, Lanes
from registry.server.calls.observation import CallRecord
from registry.server.monitoring.fellows import Live, all_text, lane_families, process_now

__all__ = ["CONTENT_TYPE", "Metrics"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Upper bounds of the buckets of latencies: from a small run to the longest question."""

STORE_SECONDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0)


class Metrics:
    """What has happened since the server began. `named` says whether a tool's name may be a label."""

    wants_arguments = False

    def __init__(
        self, named: Callable[[str], bool], version: str, directory: Path | None = None, column: int = 0
    ) -> None:
        """`directory`: where the counters of all workers are, where there are many; `column`: the place of this one there."""
        self._directory = directory
        if directory is not None:
            # The package takes the directory from the environment, and the class of values from where it makes them.
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(directory)
            values.ValueClass = MultiProcessValue(lambda: column)  # type: ignore[no-untyped-call]
        # Without it there is a series more for each, which says when its first event was. The package does not type it.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._named = named
        self._registry = CollectorRegistry()
        if directory is None:
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
        self._about = _About(version)
        self._lanes: Lanes | None = None
        self._provers = _Provers()
        self._told = TALLY.counts
        if directory is None:
            self._registry.register(self._about)
            self._registry.register(self._provers)
        else:
            self._proved = [Counter(name, said, registry=self._registry) for name, said in _PROVERS]

    def watch(self, lanes: Lanes) -> None:
        """Show the lanes of a server."""
        self._lanes = lanes
        if self._directory is None:
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

    def note_provers(self) -> None:
        """Add what the provers of this worker have done since the last time to the counters of all."""
        before, now = self._told, TALLY.counts
        self._told = now
        for counter, name in zip(self._proved, ("attempts", "steps", "killed"), strict=True):
            counter.inc(getattr(now, name) - getattr(before, name))

    def live(self, number: int, *, with_process: bool = True) -> Live:
        """What lives in this worker. One that is about to end does not count as a process."""
        self.note_provers()
        lanes = () if self._lanes is None else tuple(_sizes(self._lanes))
        return Live(number, lanes, process_now() if with_process else ())

    def text_of_all(self, all_live: Iterable[Live]) -> bytes:
        """The metrics of all workers."""
        return all_text(str(self._directory), all_live, (self._about,))


class _About(Collector):
    """The version, as a gauge that is always 1."""

    def __init__(self, version: str) -> None:
        self._version = version

    def collect(self) -> Iterable[Metric]:
        family = GaugeMetricFamily("pif_build_info", "The server's version.", labels=("version",))
        family.add_metric((self._version,), 1)
        yield family


_PROVERS = (
    ("pif_prover_attempts", "Attempts of engines that have ended."),
    ("pif_prover_steps", "Steps of engines, each in its own unit."),
    ("pif_prover_killed", "Attempts killed by a limit or for want of interest."),
)


class _Provers(Collector):
    """The attempts of the provers of this process."""

    def collect(self) -> Iterable[Metric]:
        counts = TALLY.counts
        found = (counts.attempts, counts.steps, counts.killed)
        for (name, said), value in zip(_PROVERS, found, strict=True):
            yield CounterMetricFamily(name, said, value=value)


def _sizes(lanes: Lanes) -> Iterable[tuple[str, int, int, int]]:
    for name in LANES:
        yield name, lanes[name].running, lanes[name].waiting, lanes[name].places


class _LaneSizes(Collector):
    """How many calls of each lane run and wait now."""

    def __init__(self, lanes: Lanes) -> None:
        self._lanes = lanes

    def collect(self) -> Iterable[Metric]:
        yield from lane_families(_sizes(self._lanes))
