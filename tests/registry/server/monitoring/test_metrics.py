"""Metrics of calls: labels of few values, and text that Prometheus reads back."""

from __future__ import annotations

from concurrent.futures import Future

import msgspec
import pytest
from prometheus_client.parser import text_string_to_metric_families

from kleis.prover.process.tally import Counts, Tally
from kleis.prover.protocol.engine import Answer
from registry.server.calls.lanes import Lanes
from registry.server.calls.observation import NO_REQUEST, CallRecord
from registry.server.monitoring.metrics import Metrics

CALL = CallRecord(
    tool="run",
    group="pif",
    outcome="ok",
    kind="",
    begun=0.0,
    seconds=0.004,
    fuel=7,
    whose="",
    request=NO_REQUEST,
)


def samples(metrics: Metrics) -> dict[tuple[str, ...], float]:
    return {
        (each.name, *sorted(each.labels.values())): each.value
        for family in text_string_to_metric_families(metrics.text().decode())
        for each in family.samples
    }


@pytest.fixture
def metrics() -> Metrics:
    return Metrics({"run", "evolve"}.__contains__, "1.2")


def test_calls_and_their_fuel_are_counted(metrics: Metrics) -> None:
    metrics.ended(CALL)
    metrics.ended(msgspec.structs.replace(CALL, outcome="error", kind="out_of_fuel", fuel=10, seconds=0.2))
    found = samples(metrics)
    assert found["pif_calls_total", "", "ok", "run"] == 1
    assert found["pif_calls_total", "error", "out_of_fuel", "run"] == 1
    assert found["pif_fuel_total",] == 17
    assert found["pif_call_seconds_bucket", "0.005", "run"] == 1
    assert found["pif_call_seconds_count", "run"] == 2
    assert found["pif_build_info", "1.2"] == 1


def test_names_of_clients_are_no_labels(metrics: Metrics) -> None:
    for number in range(1_000):
        metrics.ended(msgspec.structs.replace(CALL, tool=f"no_tool_{number}", group=""))
        metrics.ended(msgspec.structs.replace(CALL, tool=f'evolved_{number}"}} 1\n'))
    found = samples(metrics)
    assert len([key for key in found if key[0] == "pif_calls_total"]) == 2
    assert found["pif_calls_total", "", "(evolved)", "ok"] == 1_000
    assert found["pif_calls_total", "", "(unknown)", "ok"] == 1_000


def test_lanes_and_the_store_are_shown(metrics: Metrics) -> None:
    lanes = Lanes()
    metrics.watch(lanes)
    metrics.store_timed("evolve", 0.02)
    found = samples(metrics)
    assert found["pif_lane_running", "runs"] == 0
    assert found["pif_lane_places", "runs"] == 5
    assert found["pif_store_seconds_count", "evolve"] == 1


def test_attempts_of_provers_are_tallied() -> None:
    tally = Tally()
    for answer in (
        Answer(outcome="proved", steps=40),
        Answer(outcome="silent", reason="killed", steps=2),
        Answer(outcome="silent", steps="many"),  # type: ignore[arg-type]  # what a broken child may say
    ):
        attempt: Future[Answer] = Future()
        attempt.add_done_callback(tally.count)
        attempt.set_result(answer)
    assert tally.counts == Counts(attempts=3, steps=42, killed=1)
