"""A gateway that is killed at any step of a call has forwarded nothing that is not in its log, judged and allowed."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from registry.gateway.log.key import PUBLIC, read_public
from registry.gateway.log.verifying import verify
from tests.support.gateway import killed_gateway
from tests.support.gateway.served_gateway import ROOT, Files

KILLED = -9


@pytest.mark.skipif(not hasattr(os, "fork"), reason="gateways are forked")
def test_nothing_is_forwarded_that_a_killed_gateway_has_not_logged(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-P", killed_gateway.__file__, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, cwd=ROOT, timeout=240, check=True,
    )  # fmt: skip
    ends = dict(each.rsplit(": ", 1) for each in done.stdout.splitlines())
    assert ends == {**dict.fromkeys(killed_gateway.POINTS, str(KILLED)), "nowhere": "0"}
    received, logged = {}, {}
    for number, point in enumerate(killed_gateway.POINTS):
        files = Files(tmp_path / str(number))
        [log] = files.log_files()
        found = verify(log, read_public((files.folder / "home" / "gateway" / PUBLIC).read_text()))
        assert found.problem == ""
        assert found.is_torn == (point == "half of the line")
        received[point] = files.calls()
        logged[point] = [each for each in files.lines() if each["line"] == "call"]
        for each in logged[point]:
            assert (each["decision"], each["forwarded"], each["name"]) == ("allow", True, "echo")
            assert (
                each["arguments"]
                == f"sha256:{hashlib.sha256(json.dumps({'n': 1}, separators=(',', ':')).encode()).hexdigest()}"
            )
        assert len(received[point]) <= len(logged[point])
    assert [point for point, calls in received.items() if calls] == [
        "sent",
        "answered",
        "the outcome",
        "nowhere",
    ]
    assert [point for point, lines in logged.items() if not lines] == [
        "judging",
        "judged",
        "half of the line",
    ]
