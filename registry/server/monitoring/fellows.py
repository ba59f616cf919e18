"""The other workers of a server, as its monitoring sees them: who is asked, and how their answers become one.

Counters and histograms are in files that all workers map (prometheus-client's multiprocess mode), so that what a killed worker
had counted stays counted and no sum ever falls. What only lives, such as the length of a queue, is asked of each.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Final, Protocol

import msgspec
from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

__all__ = [
    "HEALTH",
    "LIVE_METRICS",
    "Fellows",
    "Live",
    "all_text",
    "lane_families",
    "process_now",
    "together",
]

HEALTH: Final = "health"
LIVE_METRICS: Final = "metrics"
"""Questions to the other workers."""

LaneNow = tuple[str, int, int, int]
"""A lane: its name, and how many calls run, wait and have a place."""


class Live(msgspec.Struct, frozen=True):
    """What lives in one worker: its lanes, and its process as name, description, type and value."""

    number: int
    lanes: tuple[LaneNow, ...]
    process: tuple[tuple[str, str, str, float], ...] = ()


class Fellows(Protocol):
    """The workers of one server. `answers` are those of this one to questions of the others."""

    @property
    def number(self) -> int: ...

    @property
    def workers(self) -> int: ...

    @property
    def serving(self) -> int: ...

    @property
    def answers(self) -> dict[str, Callable[[Any], Awaitable[Any]]]: ...

    async def ask_others(self, what: str) -> list[Any]: ...


def lane_families(lanes: Iterable[LaneNow]) -> Iterable[Metric]:
    """The lanes as metrics; of many workers, their sums."""
    sums: dict[str, list[int]] = {}
    for name, *counts in lanes:
        before = sums.setdefault(name, [0, 0, 0])
        sums[name] = [one + other for one, other in zip(before, counts, strict=True)]
    running = GaugeMetricFamily("pif_lane_running", "Calls under way.", labels=("lane",))
    waiting = GaugeMetricFamily("pif_lane_waiting", "Calls that wait for their turn.", labels=("lane",))
    places = GaugeMetricFamily("pif_lane_places", "Calls that may be under way.", labels=("lane",))
    for name, counts in sums.items():
        for family, count in zip((running, waiting, places), counts, strict=True):
            family.add_metric((name,), count)
    yield from (running, waiting, places)


def process_now() -> tuple[tuple[str, str, str, float], ...]:
    """Memory, processor time and descriptors of this process."""
    collected = ProcessCollector(registry=CollectorRegistry()).collect()
    return tuple((each.name, each.documentation, each.type, each.samples[0].value) for each in collected)


class _Living(Collector):
    """What lives in all workers: lanes together, processes each with its number."""

    def __init__(self, all_live: Iterable[Live]) -> None:
        self._all = tuple(all_live)

    def collect(self) -> Iterable[Metric]:
        yield from lane_families(lane for each in self._all for lane in each.lanes)
        families: dict[str, Metric] = {}
        for each in self._all:
            for name, documentation, kind, value in each.process:
                made = CounterMetricFamily if kind == "counter" else GaugeMetricFamily
                family = families.setdefault(name, made(name, documentation, labels=("worker",)))
                family.add_metric((str(each.number),), value)  # type: ignore[attr-defined]
        yield from families.values()


def all_text(directory: str, all_live: Iterable[Live], more: Iterable[Collector]) -> bytes:
    """The metrics of all workers, whose counters are in files of a directory, in Prometheus's text format."""
    registry = CollectorRegistry()
    MultiProcessCollector(registry, directory)  # type: ignore[no-untyped-call]
    registry.register(_Living(all_live))
    for each in more:
        registry.register(each)
    return generate_latest(registry)


def together(states: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """The state of each part over all workers: ok where it is that in all, else the first that is not."""
    found: dict[str, str] = {}
    for state in states:
        for part, said in state.items():
            if found.get(part, "ok") == "ok":
                found[part] = said
    return found
