"""Debian's Chromium, driven by Playwright's Python client; pages that report every fault; axe-core."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.browser.installation import NotInstalled, node_packages

__all__ = ["CHROMIUM", "Faults", "launched", "serious", "watched"]

CHROMIUM = shutil.which("chromium")

FLAGS = [
    "--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run",
    "--disable-gpu", "--disable-quic",
]  # fmt: skip

Faults = list[str]


@contextmanager
def launched() -> Iterator[Any]:
    """The browser; a test is skipped, with the reason, where there is none."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="Playwright's Python client is not installed"
    )
    if CHROMIUM is None:
        pytest.skip("Debian's package chromium is not installed")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@contextmanager
def watched(browser: Any, *allowed: str, **options: Any) -> Iterator[Any]:
    """A page of which nothing may be asked, said or requested that is not its own: it may reach addresses that begin with one of
    `allowed`, and files. What happens otherwise fails the test at the end."""
    context = browser.new_context(**options)
    page = context.new_page()
    faults: Faults = []
    page.on("dialog", lambda each: (faults.append(f"dialog {each.message}"), each.dismiss()))
    page.on("pageerror", lambda each: faults.append(f"error {each}"))
    page.on("console", lambda each: faults.append(each.text) if each.type == "error" else None)
    starts = ("file:", "about:", "data:", *allowed)
    page.on("request", lambda each: None if each.url.startswith(starts) else faults.append(each.url))
    page.faults = faults
    try:
        yield page
    finally:
        context.close()
    assert faults == []


def serious(page: Any, rule: str = "") -> list[str]:
    """What axe-core finds in a page that is serious or critical, by all rules or by one: the rule and the first place. It is put in by the browser's
    protocol for debuggers, which the policy of a page does not bind."""
    try:
        source = (node_packages() / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
    except NotInstalled as error:
        pytest.skip(str(error))
    session = page.context.new_cdp_session(page)
    session.send("Runtime.evaluate", {"expression": source})
    only = f", runOnly: ['{rule}']" if rule else ""
    asked = {
        "expression": f"axe.run(document, {{resultTypes: ['violations']{only}}})",
        "awaitPromise": True,
        "returnByValue": True,
    }
    found = session.send("Runtime.evaluate", asked)["result"]["value"]
    session.detach()
    return [
        f"{each['id']}: {each['nodes'][0]['html'][:200]}"
        for each in found["violations"]
        if each["impact"] in ("serious", "critical")
    ]
