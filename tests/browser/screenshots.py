"""The pictures of the documents, taken from the demo's data: `make screenshots` writes `docs/images`.

- `countermodel.png`: a countermodel beside its question, in a host of MCP Apps
- `theory.png`: a theory in `pif ui`
- `timeline.png`: a run's timeline in `pif ui`
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import registry
from pif.language.errors import PifError
from registry.cli.demo.acts import ACTS
from registry.cli.demo.theory_acts import THEORY
from registry.errors import RegistryError
from tests.browser.chromium import launched
from tests.browser.hosting import hosted
from tests.browser.ui_process import shown
from tests.support.servers.http_server import serving

IMAGES = Path(__file__).parents[2] / "docs" / "images"

LARGEST = 150_000
"""Bytes of a picture."""

_QUESTION = "Do symmetries commute?"

_CONVERSATION = """(question) => {
    document.body.style.cssText = "margin: 0; padding: 20px 28px; font: 16px system-ui, sans-serif; background: #f3f1ec";
    const said = document.createElement("p");
    said.textContent = question;
    said.style.cssText = "margin: 0 0 14px auto; width: fit-content; background: #dfe7f5; border-radius: 14px; padding: 8px 16px";
    const frame = document.querySelector("iframe");
    frame.style.cssText += "; width: 100%; background: #fff; border: 1px solid #c6c7c3; border-radius: 10px";
    document.body.prepend(said);
}"""


def main() -> int:
    """Take all pictures; 1 where one is too large."""
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, launched() as browser:
        _countermodel(browser, Path(folder) / "host")
        with _page_of_ui(browser, Path(folder) / "ui") as page:
            _theory(page)
            _timeline(page)
    sizes = {each.name: each.stat().st_size for each in sorted(IMAGES.glob("*.png"))}
    for name, size in sizes.items():
        sys.stdout.write(f"{name}: {size:,} bytes\n")
    return int(max(sizes.values()) > LARGEST)


def _countermodel(browser: Any, folder: Path) -> None:
    folder.mkdir()
    with hosted() as host, serving(folder / "home", groups="theory", origins=(host,)) as server:
        page = browser.new_page(viewport={"width": 900, "height": 1_180}, color_scheme="light")
        page.goto(host)
        page.wait_for_function("window.isReady === true")
        page.evaluate("(at) => window.connected(at)", server.url)
        group, _, _, commutes = THEORY.calls[:4]
        for call in (group, commutes):
            page.evaluate("(each) => window.called(each.tool, each.given, 'light')", {"tool": call.tool, "given": dict(call.arguments)})  # fmt: skip
        page.frame_locator("iframe").get_by_text("✗ disproved").wait_for()
        page.evaluate(_CONVERSATION, _QUESTION)
        page.wait_for_timeout(600)  # the frame takes its size
        page.screenshot(
            path=IMAGES / "countermodel.png", clip={"x": 0, "y": 0, "width": 900, "height": 1_020}
        )


@contextmanager
def _page_of_ui(browser: Any, folder: Path) -> Iterator[Any]:
    folder.mkdir()
    with registry.open(folder / "home") as tools:
        for act in ACTS:
            for call in act.calls:
                given = call.arguments
                if (
                    call.tool == "evolve"
                    and {"name", "description", "code"} <= given.keys()
                    and "language" not in given
                ):
                    with suppress(PifError, RegistryError):  # the demo shows errors too
                        tools.evolve(given["name"], given["description"], given["code"])
    with shown(folder, "--allow-changes") as ui:
        page = browser.new_page(viewport={"width": 1_000, "height": 760}, color_scheme="light")
        page.goto(ui.address)
        page.get_by_role("heading", name="tools").wait_for()
        ui.call(THEORY.calls[0].tool, dict(THEORY.calls[0].arguments))
        yield page


def _theory(page: Any) -> None:
    page.get_by_role("button", name="Theories").click()
    page.locator("#sessions tr", has_text="default").get_by_role("button", name="Open").click()
    page.get_by_role("heading", name="Theory default").wait_for()
    page.get_by_role("heading", name="Structures").scroll_into_view_if_needed()
    page.evaluate("document.getElementById('declared').scrollIntoView()")
    page.screenshot(path=IMAGES / "theory.png")


def _timeline(page: Any) -> None:
    page.evaluate("window.scrollTo(0, 0)")
    page.get_by_role("button", name="Tools", exact=True).click()
    page.get_by_role("heading", name="tools").wait_for()
    page.get_by_label("Search tools").fill("sum_of_even_squares")
    page.locator("#tools tr:visible").get_by_role("button", name="Open").click()
    page.get_by_role("heading", name="sum_of_even_squares@").wait_for()
    page.get_by_text("Run it").click()
    page.locator("form textarea").first.fill("[1, 2, 3, 4, 5, 6]")
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("heading", name="Value").wait_for()
    page.screenshot(path=IMAGES / "timeline.png")


if __name__ == "__main__":
    sys.exit(main())
