"""Settings for all tests: the profile `project`, and `fuzz` for long runs (`tests.fuzz`), which forgets earlier ones."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "project",
    deadline=None,
    max_examples=int(os.environ.get("PIF_EXAMPLES", "100")),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
    print_blob=True,
)
settings.register_profile("fuzz", settings.get_profile("project"), database=None, report_multiple_bugs=False)
settings.load_profile(os.environ.get("PIF_PROFILE", "project"))
