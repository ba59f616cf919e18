"""Quotas: what each limit counts, what a refusal says, when there is room again."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from registry.access.quotas import MEGABYTE, MINUTE, Exceeded, InUse, Meter, Quotas, read_quotas
from registry.store.sqlite.sqlite_store import SqliteStore
from tests.support.servers.http_server import serving
from tests.support.servers.principals import Caller, token
from tests.support.stores import evolve


def begun(meter: Meter, tool: str, scope: str, session: str | None, team: str = "") -> Exceeded | None:
    """What becomes of a call of which what is stored was measured, as the server does."""
    stored = asyncio.run(meter.measure(tool, scope, session, team))
    return meter.begin(tool, scope, 0, session, team, stored)


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
    for tool, scope in (
        ("evaluate", "theory"),
        ("evolve", "evolve"),
        ("analyze", "run"),
        ("check_laws", "run"),
    ):
        found = meter.begin(tool, scope, 0, None)
        assert found is not None
        assert found.quota == "prover-seconds"
    for tool, scope in (("run", "run"), ("list", "read"), ("check_job", "theory"), ("forget", "evolve")):
        assert meter.begin(tool, scope, 0, None) is None


def test_what_is_stored_has_a_limit_and_what_frees_it_has_none(tmp_path: Path) -> None:
    meter = Meter(Quotas(stored_mb=1), tmp_path)
    assert begun(meter, "evolve", "evolve", None) is None
    (tmp_path / "sessions").mkdir()
    (tmp_path / "sessions" / "large").write_bytes(b"x" * MEGABYTE)
    for tool, scope in (("evolve", "evolve"), ("submit_define", "theory")):
        found = begun(meter, tool, scope, "large")
        assert found is not None
        assert found.quota == "stored-mb"
    for tool, scope in (("forget", "evolve"), ("undo", "theory"), ("run", "run"), ("list", "read")):
        assert begun(meter, tool, scope, None) is None


def test_room_is_made_by_forgetting_and_caches_take_none(tmp_path: Path) -> None:
    clock = Clock()
    store = SqliteStore(tmp_path, clock=clock)
    teams: list[str] = []

    def tidy(team: str) -> bool:
        teams.append(team)
        return store.tidy()

    def has_room(team: str = "") -> bool:
        meter = Meter(
            Quotas(stored_mb=1, team_mb=1), tmp_path, in_store=lambda: InUse(store.size()), tidy=tidy, team_size=lambda _: store.size()
        )  # fmt: skip
        return begun(meter, "evolve", "evolve", None, team) is None

    for cache in ("parsed", "verdicts", "certified", "database"):
        (tmp_path / cache).mkdir()
        (tmp_path / cache / "large").write_bytes(b"x" * MEGABYTE)
    assert has_room()
    for number in range(9):
        evolve(store, f"tool_{number}", str(number) * MEGABYTE)
    assert (has_room(), has_room("ops")) == (False, False)
    for number in range(8):
        store.forget(f"tool_{number}")
        assert not has_room()
    store.forget("tool_8")
    clock.now += 3_601.0
    teams.clear()
    assert has_room("ops")
    assert set(teams) == {"ops"}
    assert has_room()
    store.close()


def test_sessions_that_are_there_may_be_used_and_no_more_be_begun(tmp_path: Path) -> None:
    meter = Meter(Quotas(sessions=2), tmp_path)
    for name in ("a", "b"):
        assert begun(meter, "submit_define", "theory", name) is None
        (tmp_path / "sessions" / name).mkdir(parents=True)
    assert begun(meter, "submit_define", "theory", "a") is None
    found = begun(meter, "submit_define", "theory", "c")
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


def test_what_is_in_a_database_is_measured_beside_the_event_loop(tmp_path: Path) -> None:
    asked: list[str] = []

    def rows() -> InUse:
        asked.append(threading.current_thread().name)
        return InUse(MEGABYTE, frozenset({"a"}))

    def team_size(team: str) -> int:
        asked.append(threading.current_thread().name)
        return 2 * MEGABYTE

    meter = Meter(Quotas(stored_mb=1, sessions=1, team_mb=2), tmp_path, in_store=rows, team_size=team_size)
    for tool, scope, session, team, quota in (
        ("evolve", "evolve", None, "", "stored-mb"), ("evolve", "evolve", None, "ops", "team-mb"),
        ("import", "evolve", None, "ops", "team-mb"),
    ):  # fmt: skip
        found = begun(meter, tool, scope, session, team)
        assert found is not None
        assert found.quota == quota
    limited = Meter(Quotas(sessions=1), tmp_path, in_store=rows)
    assert begun(limited, "submit_define", "theory", "a") is None
    assert begun(limited, "submit_define", "theory", "b") is not None
    assert asked
    assert threading.current_thread().name not in asked, "nothing is waited for on the event loop"
    asked.clear()
    for each in (meter, Meter(Quotas(fuel=1), tmp_path, in_store=rows)):
        assert begun(each, "run", "run", None) is None
        assert begun(each, "forget", "evolve", None, "ops") is None
    assert asked == []


def test_what_went_beyond_a_minute_is_taken_from_those_that_follow(tmp_path: Path) -> None:
    """What a call used is known when it has ended: one long proof or a thousand examples buy no free minute."""
    clock = Clock()
    meter = Meter(Quotas(fuel=100, prover_seconds=5), tmp_path, clock)
    assert meter.begin("evolve", "evolve", 0, None) is None
    meter.end(0, 350)  # the examples
    meter.proved(15.0)
    for tool, scope, fuel, minutes in (
        ("run", "run", 50, 3),
        ("run", "run", 100, 4),
        ("evaluate", "theory", 0, 3),
        ("evolve", "evolve", 0, 3),
    ):
        found = meter.begin(tool, scope, fuel, None)
        assert found is not None
        assert found.retry_after_ms == minutes * 60_000, (tool, fuel)
    for _ in range(2):
        clock.now += MINUTE
        assert meter.begin("run", "run", 50, None) is not None
        assert meter.begin("evaluate", "theory", 0, None) is not None
    clock.now += MINUTE
    assert meter.begin("evaluate", "theory", 0, None) is None
    assert meter.begin("run", "run", 50, None) is None
    assert meter.begin("run", "run", 51, None) is not None


def test_a_debt_is_paid_by_minutes_without_calls(tmp_path: Path) -> None:
    clock = Clock()
    meter = Meter(Quotas(fuel=100), tmp_path, clock)
    assert meter.begin("fuzz", "run", 10, None) is None
    meter.end(10, 1_000)
    clock.now += 9 * MINUTE
    found = meter.begin("run", "run", 1, None)
    assert found is not None
    assert (found.used, found.retry_after_ms) == (100, 60_000)
    clock.now += MINUTE
    assert meter.begin("run", "run", 100, None) is None


def test_a_clock_that_goes_back_locks_nobody_out(tmp_path: Path) -> None:
    clock = Clock()
    meter = Meter(Quotas(fuel=100), tmp_path, clock)
    assert meter.begin("run", "run", 100, None) is None
    meter.end(100, 100)
    clock.now -= 500.0
    assert meter.begin("run", "run", 100, None) is None
    meter.end(100, 100)
    found = meter.begin("run", "run", 1, None)
    assert found is not None
    assert found.retry_after_ms is not None
    assert found.retry_after_ms <= 60_000


def test_fuel_that_no_answer_tells_of_is_counted(tmp_path: Path) -> None:
    """Made-up inputs, examples and derivations run code too; a circle of them is no way around the limit."""
    loop = {"lam": "x", "body": {"app": ["std.sum", {"range": [0, 500]}]}}
    ways: dict[str, dict[str, Any]] = {
        "fuzz": {"name": "heavy", "examples": 50, "fuel": 20_000, "type": "integer"},
        "evolve": {
            "name": "other", "description": "x", "code": loop, "dry_run": True,
            "examples": [{"input": number, "output": 124750} for number in range(12)],
        },
    }  # fmt: skip
    for way, arguments in ways.items():
        home = tmp_path / way
        secret = token(home, "alice")
        with serving(home, groups="pif", more=True, quotas=("fuel=60000",)) as server:
            alice = Caller(server, secret)
            made = alice.call("evolve", name="heavy", description="x", code=loop)
            assert made["type"] == "tool", made
            first = alice.call(way, **arguments)
            assert first["type"] != "error", first
            for tool, again in ((way, arguments), ("run", {"code": "heavy", "input": 1, "fuel": 20_000})):
                refused = alice.call(tool, **again)
                assert refused["type"] == "error", (way, tool, refused)
                assert (refused["error"]["kind"], refused["error"]["quota"]) == ("quota_exceeded", "fuel")
                assert refused["error"]["retry_after_ms"] > 0


def test_a_run_that_asks_a_theory_uses_seconds_of_provers(tmp_path: Path) -> None:
    secret = token(tmp_path, "alice")
    with serving(tmp_path, groups="pif,theory", quotas=("prover-seconds=1",)) as server:
        alice = Caller(server, secret)
        for number in range(40):
            claim = f"∀(x y z : ℤ). x^3 + y^3 + z^3 ≠ 33 + 9 * {number}"
            answer = alice.call("run", code={"verify": claim}, session="default")
            if answer["type"] == "error":
                break
        assert answer["type"] == "error", "a limit that is never reached"
        assert (answer["error"]["kind"], answer["error"]["quota"]) == ("quota_exceeded", "prover-seconds")
        assert answer["error"]["retry_after_ms"] > 0
        assert alice.call("run", code={"add": [1, 1]})["value"] == 2
