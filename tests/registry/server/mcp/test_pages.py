"""`pif serve --http`: health, metrics and the log of calls, as a supervisor and Prometheus ask for them."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.servers.http_server import HEADERS, Served, call, serving

TOKEN = "a long secret"
AUTHORIZED = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("pages"), token=TOKEN, log="json") as server:
        yield server


def test_health_needs_no_token(served: Served) -> None:
    for path, expected in (("/livez", {"live": True}), ("/readyz", {"ready": True, "store": "ok"})):
        status, headers, body = served.request("GET", path, Host="10.0.0.7:8000")
        assert (status, json.loads(body)) == (200, expected)
        assert headers["Content-Type"] == "application/json"


def test_metrics_need_the_token(served: Served) -> None:
    assert served.request("GET", "/metrics")[0] == 401
    assert served.request("GET", "/metrics", Authorization="Bearer wrong")[0] == 401
    status, headers, body = served.request("GET", "/metrics", **AUTHORIZED)
    assert status == 200
    assert headers["Content-Type"].startswith("text/plain")
    assert b"process_resident_memory_bytes" in body


def test_pages_are_read_only(served: Served) -> None:
    for path in ("/livez", "/readyz"):
        status, headers, _ = served.request("POST", path, b"{}")
        assert (status, headers["Allow"]) == (405, "GET, HEAD")


def test_a_call_is_counted_and_logged(served: Served) -> None:
    before = _count(served)
    assert served.post(call("run", code={"add": [1, 2]}), **HEADERS, **AUTHORIZED)[0] == 200
    assert _count(served) == before + 1
    served.process.send_signal(signal.SIGTERM)
    status, said = served.ended()
    logged = [json.loads(line) for line in said.splitlines()]
    assert status == 0
    assert [(each["tool"], each["outcome"], each["fuel"]) for each in logged if "tool" in each] == [
        ("run", "ok", 3)
    ]
    assert "add" not in said


def _count(served: Served) -> float:
    text = served.request("GET", "/metrics", **AUTHORIZED)[2].decode()
    found = [
        line
        for line in text.splitlines()
        if line.startswith('pif_calls_total{kind="",outcome="ok",tool="run"}')
    ]
    return float(found[0].split()[-1]) if found else 0.0


def test_a_server_whose_store_is_lost_is_not_ready(tmp_path: Path) -> None:
    with serving(tmp_path / "home") as server:
        assert server.request("GET", "/readyz")[0] == 200
        for file in (tmp_path / "home").glob("tools.sqlite*"):
            file.write_bytes(b"this is no database" * 1_000)
        status, _, body = server.request("GET", "/readyz")
        while status == 200:  # findings are kept for a second
            status, _, body = server.request("GET", "/readyz")
        assert (status, json.loads(body)) == (503, {"ready": False, "store": "failed"})
        assert server.request("GET", "/livez")[0] == 200
