"""A unit of fuel keeps at most `RETAINED_BYTES` alive; the server's memory limit relies on it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from benchmarks.memory import HOGS
from pif.language.budget import RETAINED_BYTES


@pytest.mark.parametrize(
    "name",
    ["ranges", "characters", "analyze", "small records", "eval in new scopes: lets", "eval in new scopes: records",
     "eval in new scopes: long lists", "list literals", "closure over lets"],
)  # fmt: skip
def test_bytes_a_unit_of_fuel(name: str) -> None:
    """In a fresh process, so that nothing freed before can be used again."""
    assert name in HOGS
    command = [sys.executable, "-m", "benchmarks.memory", name]
    kept = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    assert 0 < kept <= RETAINED_BYTES


@pytest.mark.parametrize(
    "name", ["closure", "closure over lets", "ranges", "characters", "small records", "cons"]
)
def test_bytes_a_unit_of_fuel_in_compiled_runs(name: str) -> None:
    """Functions of compiled code are Python's own, and larger; what a step keeps is within the same bound."""
    assert name in HOGS
    command = [sys.executable, "-m", "benchmarks.memory", name, "compiled"]
    kept = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    assert 0 < kept <= RETAINED_BYTES
