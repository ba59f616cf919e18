"""Fifty rounds of `tests/programs/kill_store.py`; run it by hand for more."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_fifty_kills_lose_nothing() -> None:
    script = Path(__file__).parent.parent / "programs" / "kill_store.py"
    done = subprocess.run([sys.executable, str(script), "--rounds", "50"], capture_output=True, text=True)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "50 kills" in done.stdout
    assert "none lost, none half-written" in done.stdout
