"""MCP Apps in a host made with the official library, over a real server: views of answers, buttons that call back, themes, sizes."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.chromium import serious, watched
from tests.browser.installation import NotInstalled, bundled_host
from tests.support.files.small_corpus import small_corpus
from tests.support.servers.http_server import serving
from tests.support.views.recorded import POLICY, questions

pytestmark = pytest.mark.filterwarnings("ignore")

PAGE = '<!DOCTYPE html><html lang="en"><title>host</title><body><script type="module" src="/host.js"></script></body></html>'


@pytest.fixture(scope="module")
def host() -> Iterator[str]:
    """The origin of the host page."""
    try:
        script = bundled_host().encode()
    except NotInstalled as error:
        pytest.skip(str(error))

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kind, body = ("text/javascript", script) if self.path == "/host.js" else ("text/html", PAGE.encode())  # fmt: skip
            self.send_response(200 if self.path in ("/", "/host.js") else 204)
            self.send_header("Content-Type", kind)
            self.end_headers()
            if self.path in ("/", "/host.js"):
                self.wfile.write(body)

        def log_message(self, format: str, *given: Any) -> None: ...

    served = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=served.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{served.server_port}"
    served.shutdown()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, host: str) -> Iterator[str]:
    """The address of a server of all groups, which lets the host page call."""
    folder = tmp_path_factory.mktemp("host")
    small_corpus(folder / "corpus")
    (folder / "policy.kleis").write_text(POLICY, encoding="utf-8")
    options = {
        "more": True,
        "policy": folder / "policy.kleis",
        "corpus": folder / "corpus",
        "origins": (host,),
    }
    with serving(folder / "home", groups="pif,theory,policy,corpus", **options) as started:
        yield started.url


@pytest.fixture
def page(browser: Any, host: str, server: str) -> Iterator[Any]:
    with watched(browser, host, server, "about:srcdoc", viewport={"width": 1_000, "height": 900}) as opened:
        opened.goto(host)
        opened.wait_for_function("window.isReady === true")
        opened.tools = {each["name"]: each["uri"] for each in opened.evaluate("(at) => window.connected(at)", server)}  # fmt: skip
        yield opened


def called(page: Any, tool: str, arguments: object, theme: str = "light") -> Any:
    given = {"tool": tool, "arguments": arguments, "theme": theme}
    return page.evaluate("(each) => window.called(each.tool, each.arguments, each.theme)", given)


def frame(page: Any) -> Any:
    return page.frame_locator("iframe")


def test_every_tool_with_a_view_shows_its_answer(page: Any) -> None:
    once: dict[str, tuple[str, str, dict[str, Any]]] = {}
    for each in questions("turns", "Small.Turns.turn_le"):
        once.setdefault(each[1], each)
    asked = [*once.values()]
    assert {tool for _, tool, _ in asked} <= {name for name, uri in page.tools.items() if uri}
    for key, tool, arguments in asked:
        answer = called(page, tool, arguments)
        assert answer["mimeType"] == "text/html;profile=mcp-app"
        heading = frame(page).locator("h1")
        heading.wait_for()
        assert heading.count() == 1, key
        status = answer["structured"].get("status")
        if status in ("verified", "disproved", "consistent", "inconsistent", "rejected"):
            assert status in frame(page).locator("main").inner_text(), key


def test_a_countermodel_in_a_conversation_asks_further(page: Any) -> None:
    magma = "structure Groupoid(G) { operation (⊛) : G × G → G }"
    called(page, "submit_structure", {"kleis": magma})
    answer = called(page, "evaluate", {"expression": "∀(x y : G). x ⊛ y = y ⊛ x", "using": "Groupoid"})
    shown = frame(page)
    shown.get_by_text("✗ disproved").wait_for()
    rows = next(each["rows"] for each in answer["structured"]["counterexample"]["tables"] if each["name"] == "⊛")  # fmt: skip
    cells = shown.locator("table", has=shown.get_by_text("⊛ : G × G → G")).locator("tbody td")
    assert cells.all_inner_texts() == [row[-1] for row in rows]
    shown.get_by_role("button", name="Which axioms does it need?").click()
    shown.get_by_role("button", name="Back").wait_for()
    assert "✗ disproved" in shown.locator("h1").inner_text()
    shown.get_by_role("button", name="Back").click()
    shown.get_by_role("button", name="Back").wait_for(state="detached")


def test_a_form_in_a_view_runs_a_tool_and_reads_a_resource(page: Any) -> None:
    code = {"lam": "x", "body": {"mul": [{"var": "x"}, 3]}}
    called(page, "evolve", {"name": "thrice", "description": "x", "code": code})
    shown = frame(page)
    shown.get_by_role("button", name="Open the tool").click()
    shown.get_by_role("heading", name="thrice@1", exact=True).wait_for()
    shown.get_by_text("Run it").click()
    shown.get_by_role("button", name="Run", exact=True).click()  # the field is asked for first
    shown.get_by_label("Input : integer").fill("14")
    shown.get_by_label("Input : integer").press("Enter")
    shown.get_by_role("heading", name="Value").wait_for()
    assert shown.locator("pre").first.inner_text().strip() == "42"


def test_an_evolved_tool_has_the_view_of_runs(page: Any) -> None:
    called(page, "evolve", {"name": "halve", "description": "x", "code": {"lam": "x", "body": {"div": [{"var": "x"}, 2]}}})  # fmt: skip
    called(page, "halve", {"input": 8})
    frame(page).get_by_role("heading", name="Value").wait_for()


def test_a_view_follows_theme_and_size(page: Any) -> None:
    called(page, "run", {"code": {"add": [1, 2]}}, "dark")
    root = frame(page).locator("html")
    frame(page).get_by_role("heading", name="Value").wait_for()
    assert root.get_attribute("data-theme") == "dark"
    dark = frame(page).locator("body").evaluate("(each) => getComputedStyle(each).backgroundColor")
    page.evaluate("window.themed('light')")
    frame(page).locator("html[data-theme=light]").wait_for()
    assert frame(page).locator("body").evaluate("(each) => getComputedStyle(each).backgroundColor") != dark
    page.wait_for_function("window.sizes.some((each) => each.height > 50)")
    page.evaluate("window.cancelled('asked to')")
    frame(page).get_by_text("Cancelled. asked to").wait_for()


def test_the_view_in_its_frame_has_no_serious_fault_of_access(page: Any) -> None:
    called(page, "evaluate", {"expression": "∀(x : ℤ). x * x > x", "explain": True})
    frame(page).get_by_text("✗ disproved").wait_for()
    page.locator("iframe").evaluate("(each) => { each.title = 'view'; }")
    assert serious(page) == []
