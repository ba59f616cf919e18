"""Quotas: what each limit counts, what a refusal says, when there is room again."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from registry.access.quotas import MEGABYTE, InUse, Meter, Quotas, read_quotas
from tests.support.servers.http_server import serving
from tests.support.servers.principals import Caller, token


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


def test_quotas_as_people_write_them() -> None:
    assert read_quotas(()) == Quotas()
    assert read_quotas(("fuel=100", "prover-seconds=20")) == Quotas(fuel=100, prover_seconds=20)
    for wrong, said in (
        ("fule=1", "did you mean fuel"), ("fuel", "whole number"), ("fuel=0", "whole number"), ("fuel=-1", "whole number"),
        ("fuel=1e9", "whole number"), ("fuel=٣", "whole number"), ("=1", "no such quota"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=said):
            read_quotas((wrong,))
    with pytest.raises(ValueError, match="twice"):
        read_quotas(("fuel=1", "fuel=2"))


def test_fuel_is_set_aside_before_a_run_and_what_was_not_used_is_free_again(tmp_path: Path) -> None:
    clock = Clock()
    meter = Meter(Quotas(fuel=100), tmp_path, clock)
    assert meter.begin("run", "run", 60, None) is None
    full = meter.begin("run", "run", 60, None)  # beside it, before anything is used
    assert full is not None
    assert (full.quota, full.limit, full.used) == ("fuel", 100, 60)
    assert meter.begin("run", "run", 40, None) is None
    meter.end(40, 0)
    meter.end(60, 10)
    assert meter.begin("run", "run", 90, None) is None
    assert meter.begin("run", "run", 91, None) is not None


def test_a_minute_ends_when_it_was_said_to(tmp_path: Path) -> None:
    clock = Clock()
    meter = Meter(Quotas(fuel=100, prover_seconds=5), tmp_path, clock)
    assert meter.begin("run", "run", 100, None) is None
    meter.end(100, 100)
    meter.proved(5.0)
    clock.now += 20.0
    for found in (meter.begin("run", "run", 1, None), meter.begin("evaluate", "theory", 0, "s")):
        assert found is not None
        assert found.retry_after_ms == 40_000
    clock.now += 40.0
    assert meter.begin("run", "run", 100, None) is None
    assert meter.begin("evaluate", "theory", 0, "s") is None


def test_a_run_that_asks_for_more_than_a_minute_s_is_told_so_and_not_to_wait(tmp_path: Path) -> None:
    found = Meter(Quotas(fuel=100), tmp_path).begin("run", "run", 101, None)
    assert found is not None
    assert found.retry_after_ms is None
    assert "100" in found.hint


def test_seconds_of_provers_are_about_what_asks_them(tmp_path: Path) -> None:
    meter = Meter(Quotas(prover_seconds=5), tmp_path)
    meter.proved(6.0)
    for tool, scope in (("evaluate", "theory"), ("evolve", "evolve"), ("analyze", "run")):
        found = meter.begin(tool, scope, 0, None)
        assert found is not None
        assert found.quota == "prover-seconds"
    for tool, scope in (("run", "run"), ("list", "read"), ("check_job", "theory"), ("forget", "evolve")):
        assert meter.begin(tool, scope, 0, None) is None


def test_what_is_stored_has_a_limit_and_what_frees_it_has_none(tmp_path: Path) -> None:
    meter = Meter(Quotas(stored_mb=1), tmp_path)
    assert meter.begin("evolve", "evolve", 0, None) is None
    (tmp_path / "sessions").mkdir()
    (tmp_path / "sessions" / "large").write_bytes(b"x" * MEGABYTE)
    for tool, scope in (("evolve", "evolve"), ("submit_define", "theory")):
        found = meter.begin(tool, scope, 0, "large")
        assert found is not None
        assert found.quota == "stored-mb"
    for tool, scope in (("forget", "evolve"), ("undo", "theory"), ("run", "run"), ("list", "read")):
        assert meter.begin(tool, scope, 0, None) is None


def test_sessions_that_are_there_may_be_used_and_no_more_be_begun(tmp_path: Path) -> None:
    meter = Meter(Quotas(sessions=2), tmp_path)
    for name in ("a", "b"):
        assert meter.begin("submit_define", "theory", 0, name) is None
        (tmp_path / "sessions" / name).mkdir(parents=True)
    assert meter.begin("submit_define", "theory", 0, "a") is None
    found = meter.begin("submit_define", "theory", 0, "c")
    assert found is not None
    assert (found.quota, found.used) == ("sessions", 2)


def test_calls_at_one_time_have_a_limit(tmp_path: Path) -> None:
    meter = Meter(Quotas(calls=2), tmp_path)
    for _ in range(2):
        assert meter.begin("run", "run", 0, None) is None
    assert meter.begin("run", "run", 0, None) is not None
    meter.end(0, 0)
    assert meter.begin("run", "run", 0, None) is None


def test_one_principal_s_quota_is_no_other_s_and_not_the_owner_s(tmp_path: Path) -> None:
    alice, bob, owner = (token(tmp_path, name) for name in ("alice", "bob", "owner"))
    with serving(tmp_path, groups="pif,theory", quotas=("fuel=30000", "sessions=1")) as server:
        for secret, is_limited in ((alice, True), (bob, True), (owner, False)):
            caller = Caller(server, secret)
            assert (
                caller.call("run", code={"add": [1, 1]}, fuel=25_000)["value"] == 2
            )  # most of it comes back
            assert caller.call("run", code={"add": [1, 1]}, fuel=25_000)["value"] == 2
            refused = caller.call("run", code={"add": [1, 1]}, fuel=40_000)
            if is_limited:
                error = refused["error"]
                assert (error["kind"], error["quota"], error["limit"]) == ("quota_exceeded", "fuel", 30_000)
            else:
                assert refused["value"] == 2
            define = "define f(x : ℤ) : ℤ = x"
            assert caller.call("submit_define", kleis=define, session="one")["accepted"]
            second = caller.call("submit_define", kleis=define, session="two")
            assert ("error" in second) == is_limited
            assert caller.call("list_session", session="*")["count"] == (1 if is_limited else 2)


def test_what_is_in_a_database_counts_once_it_was_measured(tmp_path: Path) -> None:
    asked: list[str] = []

    def rows() -> InUse:
        asked.append(threading.current_thread().name)
        return InUse(MEGABYTE, frozenset({"a"}))

    meter = Meter(Quotas(stored_mb=1, sessions=1), tmp_path, rows=rows)
    assert meter.begin("evolve", "evolve", 0, None, 0) is None
    asyncio.run(meter.measure())
    found = meter.begin("evolve", "evolve", 0, None, 0)
    assert found is not None
    assert found.quota == "stored-mb"
    assert asked != [threading.current_thread().name], "a database is not waited for on the event loop"
    limited = Meter(Quotas(sessions=1), tmp_path, rows=rows)
    asyncio.run(limited.measure())
    assert limited.begin("submit_define", "theory", 0, "a", 0) is None
    assert limited.begin("submit_define", "theory", 0, "b", 0) is not None
    asked.clear()
    asyncio.run(Meter(Quotas(fuel=1), tmp_path, rows=rows).measure())
    assert asked == []
