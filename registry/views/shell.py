"""The shell of `pif ui`: the places one can go to, and the forms that need no data. It holds nothing of a home."""

from __future__ import annotations

import json
from typing import Any

from registry.views.actions import choice, field, form, lines
from registry.views.markup import Markup, element
from registry.views.page import View, document

__all__ = ["shell"]


def shell(*, is_scoped: bool = True) -> str:
    """The document. `is_scoped`: theories and a policy are both served, so that tools of both ask which is meant."""
    waiting = element("p", "Waiting for the server …", role="status")
    return document(View("PIF + Kleis", waiting), "ui", _around(is_scoped))


def _around(is_scoped: bool) -> Markup:
    policy = {"depth": "full", **({"scope": "policy"} if is_scoped else {})}
    places = element(
        "nav",
        _place("Tools", "list", {"limit": 1_000}),
        _place("Library", "list", {"library": True, "limit": 1_000}),
        _place("Theories", "list_session", {"session": "*"}),
        _shown("Ask", "ask", "evaluate"),
        _shown("Explore", "explore", "explore"),
        _shown("Machines", "machines", "check_machine"),
        _place("Policy", "describe_schema", policy, needs="list_rules"),
        _place("Corpus", "list_papers", {}),
        _place("Jobs", "check_job", {}),
        _shown("New tool", "new-tool", "evolve"),
        _shown("Declare", "declare", "submit_structure"),
        id="places",
        class_="tabs",
        aria_label="Places",
    )
    lost = element("p", "", id="server", class_="notice", role="alert", hidden=True)
    header = element("header", element("p", "PIF + Kleis", class_="name"), places, lost, class_="ui")
    return Markup(header + "".join(_forms()))


def _place(label: str, tool: str, arguments: dict[str, Any], *, needs: str = "") -> Markup:
    call = json.dumps({"name": tool, "arguments": arguments})
    return element("button", label, type="button", hidden=True, data_needs=needs or tool, data_call=call)


def _shown(label: str, template: str, tool: str) -> Markup:
    return element("button", label, type="button", hidden=True, data_needs=tool, data_show=template)


def _forms() -> list[Markup]:
    session = field("Session", "session", value="default")
    asked = form(
        "Decide", "evaluate",
        [lines("Expression or proposition", "expression", required=True), field("About the structure (using)", "using"), session],
        {"explain": True},
    )  # fmt: skip
    modelled = form(
        "Find models", "find_models",
        [lines("A structure, or constraints such as ∃(x y : ℤ). x * y = 12", "about", required=True), session],
    )  # fmt: skip
    explored = form(
        "Find laws", "explore", [field("Structure", "structure", required=True), session, field("Size", "size", "integer", value="5")],
    )  # fmt: skip
    machine = form(
        "Check", "check_machine",
        [lines("Invariants, one a line", "invariants", "lines"), lines("States to reach, one a line", "reach", "lines"), session],
    )  # fmt: skip
    evolved = form(
        "Keep it", "evolve",
        [field("Name", "name", required=True), field("What it does", "description", required=True),
         lines("Code", "code", required=True), choice("Language", "language", ("python", "json")),
         lines("Laws, one a line", "laws", "lines")],
    )  # fmt: skip
    declared = [
        form(label, tool, [lines(what, "kleis", required=True), session])
        for label, tool, what in (
            ("Add the structure", "submit_structure", "A structure"),
            ("Add the definition", "submit_define", "A definition"),
            ("Add the data type", "submit_data", "A data type"),
        )
    ]
    return [
        _template("ask", "Ask", asked, modelled),
        _template("explore", "Explore", explored),
        _template("machines", "Machines", machine),
        _template("new-tool", "New tool", evolved),
        _template("declare", "Declare", *declared),
    ]


def _template(name: str, title: str, *inside: Markup) -> Markup:
    return element("template", element("h1", title), *inside, id=name)
