"""Settings for all tests: the profile `project`, and `fuzz` for long runs (`tests.fuzz`).

The tests try the same examples every time, so that nothing fails by chance: what a long run finds is kept as an explicit
`@example`.  Chance works in `make fuzz`.
"""

from __future__ import annotations

import gc
import logging
import os
import sys

import pytest
from hypothesis import HealthCheck, settings

# The tests start thousands of interpreters, each of which would compile anew all that it imports: half its time.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

settings.register_profile(
    "project",
    deadline=None,
    derandomize=True,
    max_examples=int(os.environ.get("PIF_EXAMPLES", "100")),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
    print_blob=True,
)
settings.register_profile(
    "fuzz", settings.get_profile("project"), derandomize=False, database=None, report_multiple_bugs=False
)
settings.load_profile(os.environ.get("PIF_PROFILE", "project"))


LONGEST = (
    "tests/guide/test_readme.py::test_readme",
    "tests/guide/test_documents.py::test_document",
    "tests/pif/compiled/test_mutants.py::test_the_programs_show_nothing_where_nothing_is_wrong",
    "tests/kleis/policy/test_starter.py::test_every_promise_is_proved",
    "tests/registry/sharing/test_servers.py",
    "tests/registry/cli/demo/test_demo.py::test_the_demo_passes",
    "tests/deploy/test_deployment.py",
    "tests/attacks/test_oracles.py::test_hostile_texts_are_answered",
    "tests/attacks/test_workers.py",
    "tests/conformance/gateway/test_through_the_gateway.py",
    "tests/kleis/prover/checker/test_translation_of_formulas.py",
    "tests/registry/server/mcp/test_load.py",
    "tests/registry/server/groups/theory/test_submit_lemma.py",
    "tests/registry/store/postgres/test_failover.py",
    "tests/crash",
)
"""Beginnings of the names of the tests that take longest, up to a minute each."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the longest tests first: workers take each other's last tests, and one that begins a minute's test when all
    others have ended leaves every processor but one idle."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


def pytest_xdist_auto_num_workers() -> int:
    """For `-n auto`: half as many again as processors, since tests wait for servers, databases and installations."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return processors + max(1, processors // 2)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Leave twenty thousand tests and their modules out of every collection of garbage: they stay, and they are most of it."""
    gc.collect()
    gc.freeze()


class _Defects(logging.Handler):
    """`run` answers where something below it is broken; a test must not take that answer for an error of the term's."""

    def emit(self, record: logging.LogRecord) -> None:
        raise AssertionError(record.getMessage())


logging.getLogger("pif.run.evaluate").addHandler(_Defects())
