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
