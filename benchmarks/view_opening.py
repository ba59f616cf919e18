"""Opening the view of a registry of 1,000 tools, against the server's bare answer to the same question.

Over `pif ui`: the bare answer is that of `list` with all of them to a client without views. The view is the page that `pif ui` opens
with, which has the first of them and finds the others by words: as it comes from the server, and, where Playwright's client and
Chromium are there, the whole way in the browser, from the click to a drawn page.
"""

from __future__ import annotations

import http.client
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import registry
from benchmarks.timing import alternating
from registry.views.tool import FIRST

__all__ = ["LIMITS", "measure"]

TOOLS = 1_000

LIMITS = {"the first page with its view": 3.0, "the first page opened in Chromium": 3.0}

_VIEWS = {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}}


def measure() -> dict[str, float]:
    """Ratios to the bare answer; and the milliseconds of that."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        with registry.open(home) as tools:
            for number in range(TOOLS):
                code = {"lam": "x", "body": {"add": [{"var": "x"}, number]}}
                tools.evolve(f"add_{number}", f"Adds {number}", code)
        command = [sys.executable, "-m", "registry.cli.pif", "ui", "--home", str(home), "--no-browser"]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as server:
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            try:
                return _measured(address)
            finally:
                server.terminate()


def _measured(address: str) -> dict[str, float]:
    found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/ui#(\S+)", address)
    if found is None:
        raise RuntimeError(f"pif ui gave no address: {address!r}")
    ask = partial(_ask, int(found[1]), found[2])
    functions: dict[str, Callable[[], object]] = {
        "bare": lambda: ask({}, TOOLS),
        "view": lambda: ask(_VIEWS, FIRST),
    }
    opened = _browser(address)
    if opened is None:
        times = alternating(functions, seconds=5)
    else:
        with opened as click:
            times = alternating({**functions, "opened": click}, seconds=8)
    ratios = {"the first page with its view": times["view"] / times["bare"]}
    if "opened" in times:
        ratios["the first page opened in Chromium"] = times["opened"] / times["bare"]
    return {**ratios, "the bare answer, milliseconds": times["bare"] * 1_000}


def _ask(port: int, token: str, capabilities: Any, limit: int) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "benchmark", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    }
    params = {"name": "list", "arguments": {"limit": limit}, "_meta": meta}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", "/mcp", body, {
        "Authorization": f"Bearer {token}", "Content-Type": "application/json", "Mcp-Method": "tools/call", "Mcp-Name": "list",
        "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28",
    })  # fmt: skip
    text = connection.getresponse().read()
    connection.close()
    if text.count(b'"version"') < limit or (capabilities and b"pif/view" not in text):
        raise RuntimeError(text[:300])


class _Opened:
    """A page of `pif ui` in Chromium; called, it opens the list of tools and waits until it is drawn."""

    def __init__(self, playwright: Any, chromium: str, address: str) -> None:
        self._playwright, self._chromium, self._address = playwright, chromium, address

    def __enter__(self) -> Callable[[], object]:
        self._started = self._playwright.sync_playwright().start()
        browser = self._started.chromium.launch(executable_path=self._chromium, args=["--no-sandbox", "--disable-gpu"])  # fmt: skip
        page = browser.new_page()
        page.goto(self._address)
        page.locator("#tools").wait_for()
        # Drawn: a frame has passed after the list has taken the place of what was there.
        return lambda: page.evaluate(
            """() => new Promise((resolve) => {
                const view = document.getElementById("view");
                view.querySelector("#tools").id = "before";
                const look = () => view.querySelector("#tools") ? requestAnimationFrame(resolve) : requestAnimationFrame(look);
                [...document.querySelectorAll("#places button")].find((each) => each.textContent === "Tools").click();
                look();
            })"""
        )

    def __exit__(self, *error: object) -> None:
        self._started.stop()


def _browser(address: str) -> _Opened | None:
    chromium = shutil.which("chromium")
    try:
        from playwright import sync_api
    except ImportError:
        return None
    return None if chromium is None else _Opened(sync_api, chromium, address)
