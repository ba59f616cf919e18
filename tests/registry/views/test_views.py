"""Every view, of answers that a real server gave: what they say is on the page, and hostile text stays text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from registry.views.actions import button, offering, run_form
from registry.views.answers import TOOLS, resource_view, view_of
from registry.views.graph import clusters, graph_view
from registry.views.mathematics import formula
from registry.views.page import document
from registry.views.shell import shell
from tests.registry.views.test_tool import any_drawing
from tests.support.views.hostile import HARMLESS, HOSTILE, Reader, read
from tests.support.views.recorded import answers

ADDRESSES = {tool: address for (_, tool), address in TOOLS.items()}

_UNSAID = re.compile(
    r"/type$|/kind$|/status$|/stage$|/count$|/total$|/depth$|/hint$|/size$|/seconds$|/id$|/card_id$|/hash$|/code$"
)
"""Fields that a view says in other words, or that name what it is about."""


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """The texts of an answer with their places."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for name, each in value.items():
            yield from leaves(each, f"{path}/{name}")
    elif isinstance(value, list):
        for each in value:
            yield from leaves(each, f"{path}/*")


def said_by(reader: Reader) -> str:
    return " ".join([*reader.said, *(value or "" for _, value in reader.attributes)])


def test_every_tool_with_a_view_was_recorded() -> None:
    assert {tool for tool, _ in answers().values()} == {tool for _, tool in TOOLS}


@pytest.mark.parametrize("key", answers())
def test_what_an_answer_says_is_on_its_page(key: str) -> None:
    tool, answer = answers()[key]
    view = view_of(ADDRESSES[tool], answer)
    shown = said_by(read(str(view.body)))
    silent = {
        (tool, path)
        for path, text in leaves(answer)
        if text and text not in shown and text.replace("_", " ") not in shown and not _UNSAID.search(path)
    }
    assert silent <= ALLOWED, silent - ALLOWED
    assert read(document(view)).elements.count("h1") == 1


ALLOWED = {
    ("list", "/tools/*/laws/*/law"),  # counted
    ("analyze", "/cost/applied/path"),
    ("evaluate", "/witness"),  # the same as the counterexample
    ("explain", "/explanation/proof/*"),  # indentation is nesting
    ("describe_schema", "/schema/session_file"),
    ("check_job", "/jobs/*/message"),
    ("explain_rule", "/rules/*"),  # where there are near ones
    ("audit_policy", "/findings/*/decision/preconditions/*"),
    ("list_declarations_for_paper", "/declarations/*/sources/*"),
    ("list_declarations_in_file", "/declarations/*/source"),
    ("search_declarations", "/declarations/*/source"),
    ("search_declarations", "/declarations/*/sources/*"),
    ("get_dependency_graph_for_declaration", "/cards/*/claim_id"),
    ("get_dependency_graph_for_declaration", "/cards/*/file_path"),
    ("get_dependency_graph_for_declaration", "/cards/*/verification_boundary"),
    ("get_dependency_graph_for_declaration", "/cards/*/reviewer_status"),
    ("get_dependency_graph_for_declaration", "/cards/*/dependency_extraction_method"),
    ("get_dependency_graph_for_declaration", "/manifest_dependency_graph/*/confidence"),
    ("get_dependency_graph_for_declaration", "/edges/*/from"),  # drawn
    ("get_dependency_graph_for_declaration", "/edges/*/to"),
    ("get_dependency_graph_for_declaration", "/edges/*/confidence"),
    ("get_dependency_graph_for_declaration", "/topological_order/*"),
    ("audit_paper", "/lean_files/*"),
}
"""What a page leaves to the answer: it stands there in another form, or is about the files and not their contents."""


def poisoned(value: Any, bad: str, every: int = 1) -> Any:
    """An answer with hostile texts in place of its own, but for the fields that say what it is."""
    count = 0

    def change(each: Any, name: str = "") -> Any:
        nonlocal count
        if isinstance(each, str):
            if name in ("type", "relation", "kind", "allowed"):
                return each
            count += 1
            return bad if count % every == 0 else each
        if isinstance(each, dict):
            keep = name in ("", "schema", "item")
            return {(inner if keep or inner.islower() else bad): change(one, inner) for inner, one in each.items()}  # fmt: skip
        if isinstance(each, list):
            return [change(one, "item" if isinstance(one, dict) else name) for one in each]
        return each

    return change(value)


@pytest.mark.parametrize("key", answers())
def test_hostile_answers_are_text(key: str) -> None:
    tool, answer = answers()[key]
    own = read(document(view_of(ADDRESSES[tool], answer)))
    for bad in HOSTILE[:-1]:
        written = document(view_of(ADDRESSES[tool], poisoned(answer, bad)))
        found = read(written)
        assert {*found.elements} <= HARMLESS, bad
        assert found.elements.count("script") == own.elements.count("script") == 1
        assert not [name for name, _ in found.attributes if name.startswith("on")]
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", written)


@pytest.mark.parametrize("key", answers())
def test_a_text_of_a_megabyte_is_cut(key: str) -> None:
    tool, answer = answers()[key]
    written = document(view_of(ADDRESSES[tool], poisoned(answer, HOSTILE[-1], every=9)))
    assert "<<" not in written
    assert len(written) < 12_000_000


def test_an_answer_without_its_fields_is_an_error_and_no_defect() -> None:
    for address in TOOLS.values():
        shown = view_of(address, {"type": "error", "error": {"kind": "k", "message": "went wrong", "hint": "try"}})  # fmt: skip
        assert "went wrong" in shown.body


def test_buttons_are_made_for_tools_that_are_offered() -> None:
    with offering(frozenset(["run"])):
        assert button("Run", "run", {})
        assert button("Explain", "explain", {}) == ""
    assert button("Explain", "explain", {})
    assert button("Long", "run", {"code": "x" * 30_000}) == ""


def test_a_form_has_a_field_for_each_part_of_a_type() -> None:
    form = read(run_form("f", "integer → {a: boolean, b: list(string), ..r} → integer"))
    names = [value for name, value in form.attributes if name == "name"]
    assert names == ["0", '["1", "a"]', '["1", "b"]']
    kinds = [value for name, value in form.attributes if name == "data-kind"]
    assert kinds == ["integer", "truth", "json"]
    assert "{a: boolean" not in "".join(form.said)


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("∀(x y : M). x ⊙ y = y ⊙ x", "∀x,y∈M:x⊙y=y⊙x"),
        ("1/2 + x^2", "12+x2"),
        ("(x + 1) * 2", "(x+1)·2"),
        ("x - (y - z)", "x−(y−z)"),
        ("¬(a ∧ b)", "¬(a∧b)"),
        ("(x/2)^2", "(x2)2"),
    ],
)
def test_formulas_keep_their_precedence(text: str, drawn: str) -> None:
    found = read(formula(text))
    assert found.elements[0] == "math"
    assert "".join(found.said) == drawn
    assert dict(found.attributes)["alttext"] == text


@pytest.mark.parametrize("text", ["no ( formula", "", "x" * 5_000, "∀(", '"unclosed'])
def test_what_is_no_expression_stays_code(text: str) -> None:
    assert read(formula(text)).elements == ["code"]


def test_a_graph_of_three_hundred_is_collapsed_first() -> None:
    drawing = any_drawing(300, 400)
    parts = clusters(drawing)
    assert sorted(name for part in parts for name in part) == sorted(node.id for node in drawing.nodes)
    linked = {end for edge in drawing.edges for end in (edge.source, edge.target)}
    assert all(len(part) <= 40 for part in parts if part[0] in linked)
    found = read(str(graph_view(drawing, "g").body))
    assert found.elements.count("details") == len(parts) + 1
    assert "In parts" in "".join(found.said)


def test_the_shell_holds_no_data_and_asks_for_nothing_outside() -> None:
    found = read(shell())
    assert found.elements.count("script") == 1
    assert not {"a", "img", "link", "iframe"} & {*found.elements}


def test_resources_have_views() -> None:
    graph = {"tools": [{"name": "a", "kind": "tool"}, {"name": "b", "kind": "missing"}], "edges": [{"from": "a", "to": "b"}], "cut": True}  # fmt: skip
    shown = resource_view("pif://graph.json", graph)
    assert shown is not None
    assert "2 nodes, 1 arrows" in shown.body
    assert "There are more tools" in shown.body
    tool = resource_view("pif://tools/double", {"name": "double", "version": 1, "code": 1})
    assert tool is not None
    assert "double@1" in tool.body
    assert resource_view("pif://schema/term", {}) is None
