"""Readiness: each part by its name, nothing of what is wrong, and no check asked more often than it need be."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from typing import Any

import pytest

from registry.errors import RegistryError
from registry.server.monitoring import health
from registry.server.monitoring.health import Readiness


def asked(readiness: Readiness) -> tuple[bool, Any]:
    async def ask() -> tuple[bool, Any]:
        ready, said = await readiness.answer()
        return ready, json.loads(said)

    return asyncio.run(ask())


def test_all_parts_work() -> None:
    found = asked(Readiness({"store": lambda: None, "provers": lambda: None}, lambda: False))
    assert found == (True, {"ready": True, "store": "ok", "provers": "ok"})


def test_what_is_wrong_is_for_the_log(caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> None:
        raise RegistryError("store_error", "the secret file /etc/x is damaged")

    with caplog.at_level(logging.ERROR):
        found = asked(Readiness({"store": broken, "provers": lambda: None}, lambda: False))
    assert found == (False, {"ready": False, "store": "failed", "provers": "ok"})
    assert "/etc/x" in caplog.text


def test_a_part_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "PATIENCE", 0.05)
    released = threading.Event()

    async def ask() -> tuple[bool, bytes]:
        try:
            return await Readiness({"store": released.wait}, lambda: False).answer()
        finally:
            released.set()

    assert asyncio.run(ask()) == (False, b'{"ready":false,"store":"no answer"}')


def test_a_server_that_is_being_stopped_is_not_ready() -> None:
    found = asked(Readiness({"store": lambda: None}, lambda: True))
    assert found == (False, {"ready": False, "server": "stopping"})


def test_many_questions_are_one_check() -> None:
    count = 0

    def check() -> None:
        nonlocal count
        count += 1

    async def ask() -> None:
        readiness = Readiness({"store": check}, lambda: False)
        await asyncio.gather(*(readiness.answer() for _ in range(50)))

    asyncio.run(ask())
    assert count == 1
