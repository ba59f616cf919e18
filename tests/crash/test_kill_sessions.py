"""Thirty rounds of `tests/programs/kill_sessions.py`; run it by hand for more."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_thirty_kills_of_a_session_lose_nothing() -> None:
    script = Path(__file__).parent.parent / "programs" / "kill_sessions.py"
    done = subprocess.run([sys.executable, str(script), "--rounds", "30"], capture_output=True, text=True)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "30 kills" in done.stdout
    assert "none lost, none half-written" in done.stdout
