"""What observers see of calls: every end of a call, once."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import pytest

from registry.server.calls.dispatch import Calls, Defects
from registry.server.calls.observation import CallRecord, within_request
from registry.server.calls.schedule import Schedule
from registry.server.contract.group import Answer
from registry.server.contract.settings import Settings, Site
from registry.server.serve import make_groups
from tests.programs.demo_group import DemoGroup


class Witness:
    """Keeps the records of calls; fails on demand."""

    def __init__(self, *, wants_arguments: bool = False, fails: bool = False) -> None:
        self.wants_arguments = wants_arguments
        self.fails = fails
        self.seen: list[CallRecord] = []

    def ended(self, call: CallRecord) -> None:
        self.seen.append(call)
        if self.fails:
            raise RuntimeError("this observer is broken")


def asked(home: Path, observer: Witness, name: object, arguments: object, groups: str = "pif") -> Answer:
    site = Site(Settings(home=home))

    async def ask() -> Answer:
        schedule = Schedule()
        calls = Calls(make_groups(groups, site), schedule, Defects(), (observer,))
        try:
            with within_request(41, None):
                return await calls.answer(name, arguments, None, "session 1")
        finally:
            await schedule.close()

    try:
        return asyncio.run(ask())
    finally:
        site.close()


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("run", {"code": {"add": [1, 2]}}, ("run", "pif", "ok", "", 3)),
        ("run", {"code": {"mod": [1, 0]}}, ("run", "pif", "error", "division_by_zero", 3)),
        ("run", {"cod": 1}, ("run", "pif", "error", "invalid_argument", 0)),
        ("no_such_tool", {}, ("no_such_tool", "", "error", "unknown_tool", 0)),
        ({"a": 1}, {}, ("", "", "error", "invalid_argument", 0)),
    ],
)
def test_every_end_is_seen_once(
    tmp_path: Path, name: object, arguments: object, expected: tuple[str, str, str, str, int]
) -> None:
    observer = Witness()
    asked(tmp_path, observer, name, arguments)
    (call,) = observer.seen
    assert (call.tool, call.group, call.outcome, call.kind, call.fuel) == expected
    assert (call.whose, call.request.id, call.arguments) == ("session 1", "41", None)


def test_errors_of_kleis_have_their_codes(tmp_path: Path) -> None:
    observer = Witness()
    asked(tmp_path, observer, "evaluate", {"expression": "1 +"}, groups="theory")
    assert observer.seen[0].outcome == "error"
    assert observer.seen[0].kind not in ("", "error")


def test_arguments_only_for_those_who_want_them(tmp_path: Path) -> None:
    observer = Witness(wants_arguments=True)
    asked(tmp_path, observer, "run", {"code": 1})
    assert observer.seen[0].arguments == {"code": 1}


def test_an_observer_that_fails_changes_no_answer(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        answer = asked(tmp_path, Witness(fails=True), "run", {"code": {"add": [1, 2]}})
    assert answer.structured["value"] == 3
    assert "this observer is broken" in caplog.text


def test_a_cancelled_call_is_seen() -> None:
    observer = Witness()

    async def ask() -> None:
        schedule = Schedule()
        calls = Calls([DemoGroup()], schedule, Defects(), (observer,))
        task = asyncio.ensure_future(calls.answer("wait_for_cancel", {}, None))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await schedule.close()

    asyncio.run(ask())
    assert [(call.tool, call.outcome) for call in observer.seen] == [("wait_for_cancel", "cancelled")]
