"""A pytest plugin (`-p tests.fuzz.plugin`): only property tests, more examples, and a summary of what was tried.

Every test that Hypothesis drives is picked up, wherever it stands. Loaded before the tests, so that they import the
counting `run`; with xdist each worker counts, and the controller adds up.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import is_hypothesis_test, settings

from pif.run import evaluate
from tests.fuzz.counting import Counts, counted_run, examples_in, falsified

__all__: list[str] = []

COUNTS = Counts()
evaluate.run = counted_run(COUNTS, evaluate.run)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the properties; those that have settings of their own get their share of examples by hand."""
    properties = [item for item in items if is_hypothesis_test(getattr(item, "obj", None))]
    config.hook.pytest_deselected(items=[item for item in items if item not in properties])
    items[:] = properties
    factor = max(1, settings.default.max_examples // 100) if settings.default else 1
    owners = {item.cls for item in properties if hasattr(getattr(item, "cls", None), "settings")}
    for machine in owners:
        machine.settings = _times(machine.settings, factor)
    for function in {
        getattr(item.obj, "__func__", item.obj) for item in properties if item.cls not in owners
    }:
        own = getattr(function, _SETTINGS, None)
        if own is not None and settings.default and own.max_examples < settings.default.max_examples:
            setattr(function, _SETTINGS, _times(own, factor))


_SETTINGS = "_hypothesis_internal_use_settings"
"""Where Hypothesis keeps what ``@settings`` said of a test."""


def _times(own: settings, factor: int) -> settings:
    """Settings with so many times the examples: a test that asks for few, because each is dear, still gets fewer."""
    return settings(own, max_examples=own.max_examples * factor, database=None)


def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    if call.when != "call":
        return
    examples, invalid = examples_in(getattr(item, "hypothesis_statistics", ""))
    COUNTS.numbers.update(tests=1, examples=examples, invalid=invalid)
    if call.excinfo is not None and not isinstance(call.excinfo.value, pytest.skip.Exception):
        COUNTS.failures[item.nodeid] = falsified(call.excinfo.value)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """What a worker counted, as it ends."""
    if counted := getattr(node, "workeroutput", {}).get("fuzz"):
        COUNTS.add(counted)


def pytest_sessionfinish(session: pytest.Session) -> None:
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["fuzz"] = COUNTS.text()
    elif place := os.environ.get("PIF_FUZZ_COUNTS"):
        Path(place).write_text(COUNTS.text())


def pytest_terminal_summary(terminalreporter: Any) -> None:
    terminalreporter.write_sep("=", "fuzz")
    terminalreporter.write_line(COUNTS.summary())
    if seed := os.environ.get("PIF_FUZZ_SEED"):
        terminalreporter.write_line(f"seed       {seed}")
