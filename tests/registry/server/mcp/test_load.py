"""Twenty seconds of `benchmarks.many_clients`: outcomes only; `make bench` has the figures."""

from __future__ import annotations

import asyncio
from pathlib import Path

from benchmarks.many_clients import load, serving_http

PATIENCE = 600.0
"""Seconds for a machine that is busy with other things; a quiet one needs none."""


def test_under_load_everything_is_answered_and_nothing_fails(tmp_path: Path) -> None:
    """Open loop: 64 clients at 150 requests a second, beside others that prove, explore and evolve."""
    with serving_http(tmp_path / "home") as (port, process):
        found = asyncio.run(load(port, process, seconds=20, patience=PATIENCE))
    assert found.sent == 3_000
    assert found.unanswered == 0
    assert found.errors == {}
    assert found.answers["value"] > 0
    assert found.others["value"] > 0
