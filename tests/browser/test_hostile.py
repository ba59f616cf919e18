"""Hostile text and much of it, through every view: the browser runs nothing, shows text as text and goes on answering."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from registry.diagrams import Drawing, Edge, Node
from registry.views.answers import TOOLS, view_of
from registry.views.graph import graph_view
from registry.views.markup import Markup
from registry.views.page import View, document
from registry.views.tool import tool_view, tools_view
from tests.browser.chromium import serious
from tests.registry.views.test_views import poisoned
from tests.support.views.hostile import HOSTILE
from tests.support.views.recorded import answers

pytestmark = pytest.mark.filterwarnings("ignore")

ADDRESSES = {tool: address for (_, tool), address in TOOLS.items()}
TOGETHER = " ".join(HOSTILE[:-1])


def opened(page: Any, tmp_path: Path, view: View) -> Any:
    file = tmp_path / "view.html"
    file.write_text(document(view), encoding="utf-8")
    page.goto(file.as_uri())
    return page


def test_hostile_answers_run_nothing_in_any_view(page: Any, tmp_path: Path) -> None:
    for key, (tool, answer) in answers().items():
        shown = opened(page, tmp_path, view_of(ADDRESSES[tool], poisoned(answer, TOGETHER)))
        assert shown.locator("#view script, #view img, #view a, #view iframe, #view style").count() == 0, key
        assert shown.locator("h1").count() == 1, key
        if shown.get_by_label("Search", exact=False).count():
            shown.get_by_label("Search", exact=False).first.fill("onerror")


def test_texts_of_a_megabyte_leave_a_page_that_answers(page: Any, tmp_path: Path) -> None:
    for key in (
        "evaluate disproved",
        "run",
        "describe_schema policy",
        "explore",
        "list_declarations_for_paper",
    ):
        tool, answer = answers()[key]
        shown = opened(page, tmp_path, view_of(ADDRESSES[tool], poisoned(answer, "<b>" * 350_000, every=5)))
        assert "more characters" in shown.locator("#view").text_content()
        assert shown.locator("#view b").count() == 0
        assert shown.locator("h1").first.is_visible()


def test_a_graph_of_ten_thousand_nodes_is_a_table_that_can_be_searched(page: Any, tmp_path: Path) -> None:
    nodes = tuple(Node(str(number), f"{TOGETHER} {number}") for number in range(10_000))
    edges = tuple(Edge(str(number), str(number // 2)) for number in range(1, 10_000))
    shown = opened(page, tmp_path, graph_view(Drawing(nodes, edges), "graph"))
    assert "cannot be read" in shown.locator(".notice").first.inner_text()
    assert "The first 2,000 of 10,000 rows are shown." in shown.locator("#view").inner_text()
    shown.get_by_label("Search names").fill("alert 1999")
    assert "found" in shown.locator("output").inner_text()


def test_a_registry_of_ten_thousand_tools_can_be_searched(page: Any, tmp_path: Path) -> None:
    tools = [{"name": f"tool.{number}", "description": TOGETHER} for number in range(10_000)]
    shown = opened(page, tmp_path, tools_view({"tools": tools, "total": 10_000}))
    shown.get_by_label("Search tools").fill("tool.1234")
    assert shown.locator("#tools tr:visible").count() == 1


def test_a_deep_term_unfolds(page: Any, tmp_path: Path) -> None:
    term: object = {"var": TOGETHER}
    for _ in range(300):
        term = {"neg": term}
    shown = opened(page, tmp_path, tool_view({"name": "deep", "version": 1, "code": term}))
    shown.get_by_role("button", name="Unfold all").click()
    assert shown.get_by_text("not unfolded further").is_visible()


ONE_OF_EACH = {ADDRESSES[tool]: key for key, (tool, _) in answers().items()}
"""An answer for each view."""


@pytest.mark.parametrize(
    ("scheme", "keys", "rules"),
    [("light", [*ONE_OF_EACH.values()], ""), ("dark", ["evaluate disproved", "run", "audit_policy"], "color-contrast")],
    ids=["light", "dark"],
)  # fmt: skip
def test_views_have_no_serious_fault_of_access(
    browser: Any, tmp_path: Path, scheme: str, keys: list[str], rules: str
) -> None:
    context = browser.new_context(color_scheme=scheme)
    page = context.new_page()
    opened(page, tmp_path, View("x", Markup('<p class="notice">x</p><input type="text">')))
    assert serious(page)  # it finds what is there
    found = {}
    for key in keys:
        tool, answer = answers()[key]
        opened(page, tmp_path, view_of(ADDRESSES[tool], answer))
        if faults := serious(page, rules):
            found[key] = faults
    nodes = tuple(Node(str(number), f"tool {number}") for number in range(90))
    edges = tuple(Edge(str(number), str(number // 3)) for number in range(1, 90))
    opened(page, tmp_path, graph_view(Drawing(nodes, edges), "graph"))
    if faults := serious(page, rules):
        found["graph"] = faults
    context.close()
    assert found == {}


def test_a_page_prints_all_of_it(page: Any, tmp_path: Path) -> None:
    tool, answer = answers()["explain"]
    shown = opened(page, tmp_path, view_of(ADDRESSES[tool], answer))
    assert not shown.get_by_text("no countermodel up to size", exact=False).is_visible()
    shown.emulate_media(media="print")
    assert shown.pdf()[:4] == b"%PDF"
    assert shown.get_by_text("no countermodel up to size", exact=False).is_visible()
