"""Views in headless Chromium: nothing foreign runs, the script does its work, and an app speaks with its host."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from registry.diagrams import Drawing, Edge, Node
from registry.views.graph import graph_view
from registry.views.markup import Markup
from registry.views.page import View, document
from registry.views.tool import tools_view
from registry.views.verdict import evaluation_view
from tests.registry.views.test_markup import hostile_verdict
from tests.support.views.hostile import HOSTILE

pytestmark = pytest.mark.filterwarnings("ignore")

HOST = """<!DOCTYPE html><title>host</title><iframe sandbox="allow-scripts" style="width:800px;height:600px"></iframe>
<script>
window.seen = [];
const frame = document.querySelector("iframe");
addEventListener("message", (event) => {
  if (event.source !== frame.contentWindow) return;
  window.seen.push(event.data);
  const { id, method } = event.data;
  const answer = (result) => frame.contentWindow.postMessage({ jsonrpc: "2.0", id, result }, "*");
  if (method === "ui/initialize") {
    answer({ protocolVersion: "2026-01-26", hostCapabilities: { serverTools: {} }, hostContext: { theme: "dark" } });
  }
});
window.tell = (method, params) => frame.contentWindow.postMessage({ jsonrpc: "2.0", method, params }, "*");
</script>"""


def opened(page: Any, tmp_path: Path, view: View) -> Any:
    file = tmp_path / "view.html"
    file.write_text(document(view), encoding="utf-8")
    page.goto(file.as_uri())
    return page


@pytest.mark.parametrize("bad", HOSTILE, ids=lambda each: ascii(each[:20]))
def test_hostile_verdicts_run_nothing(page: Any, tmp_path: Path, bad: str) -> None:
    shown = opened(page, tmp_path, evaluation_view(hostile_verdict(bad)))
    assert shown.locator("h1").inner_text() == "✗ disproved"
    assert shown.locator("#view script, #view img, #view a").count() == 0


def test_the_policy_stops_what_escaping_would_have_missed(browser: Any, tmp_path: Path) -> None:
    written = Markup(
        '<p id="p">x</p><script>document.title = "ran"</script><img src="x" onerror="document.title = 1">'
    )
    page = opened(browser.new_page(), tmp_path, View("quiet", written))
    page.wait_for_timeout(200)
    assert page.title() == "quiet"
    page.close()


def test_a_search_narrows_the_rows(page: Any, tmp_path: Path) -> None:
    tools = [{"name": f"tool.{number}", "description": f"number {number}"} for number in range(1_000)]
    shown = opened(page, tmp_path, tools_view({"tools": tools, "total": 1_000}))
    shown.get_by_label("Search tools").fill("tool.777")
    assert shown.locator("#tools tr:visible").count() == 1
    assert "1 found" in shown.locator("output").inner_text()


def test_a_graph_marks_what_is_found(page: Any, tmp_path: Path) -> None:
    nodes = tuple(Node(str(number), f"tool {number}") for number in range(300))
    edges = tuple(Edge(str(number), str(number // 2)) for number in range(1, 300))
    shown = opened(page, tmp_path, graph_view(Drawing(nodes, edges), "graph"))
    assert shown.locator("details svg g[data-row]").count() == 600  # in parts, and in one picture
    assert not shown.locator("details svg").first.is_visible()
    shown.get_by_label("Search names").fill("tool 299")
    assert shown.locator("details svg g.found").count() == 2
    assert shown.locator("details svg g.found").first.is_visible()


def test_an_app_shows_what_its_host_hands_on(page: Any, tmp_path: Path) -> None:
    file = tmp_path / "host.html"
    file.write_text(HOST, encoding="utf-8")
    page.goto(file.as_uri())
    app = document(View("PIF", Markup("<p>Waiting</p>")), "app")
    page.evaluate("(text) => { document.querySelector('iframe').srcdoc = text; }", app)
    page.wait_for_function("window.seen.some((each) => each.method === 'ui/notifications/initialized')")
    frame = page.frames[1]
    assert frame.evaluate("document.documentElement.dataset.theme") == "dark"
    view = evaluation_view(hostile_verdict(HOSTILE[0])).body
    result = {"content": [{"type": "text", "text": "t"}], "_meta": {"pif/view": str(view)}}
    page.evaluate(
        "(given) => window.tell('ui/notifications/tool-result', JSON.parse(given))", json.dumps(result)
    )
    frame.wait_for_selector("h1")
    assert frame.locator("h1").inner_text() == "✗ disproved"
    assert HOSTILE[0] in frame.locator(".claim").inner_text()
    text = {"content": [{"type": "text", "text": "<b>only text</b>"}]}
    page.evaluate("(given) => window.tell('ui/notifications/tool-result', given)", text)
    frame.wait_for_selector("p[role=status]")
    assert frame.locator("main").inner_text() == "<b>only text</b>"
    assert any(
        each["method"] == "ui/notifications/size-changed"
        for each in page.evaluate("window.seen")
        if "method" in each
    )
