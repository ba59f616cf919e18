"""Replies of a conversation, and values of the Python functions, as views."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kleis.conversation.reply import Reply
from kleis.sessions.answer_fields import verdict_fields
from registry.views.markup import Markup, element, joined, text
from registry.views.page import View
from registry.views.parts import code, facts, listed, section, status_badge, table, warnings
from registry.views.run import run_view
from registry.views.tool import tool_view, tools_view
from registry.views.verdict import evaluation_view, evidence_parts, verdict_view

__all__ = ["reply_view", "value_view"]

_DECLARATIONS = 400
"""Declarations of a theory that are shown."""

_RUNS = frozenset({"value", "continuation"})


def reply_view(reply: Reply) -> View:
    """The view of a reply."""
    fields = reply.fields
    match reply.kind:
        case "evaluation":
            return evaluation_view(fields)
        case "submission":
            return View("Declarations", joined(_submission(fields)))
        case "imports":
            said = facts(
                [("Imports", ", ".join(fields["imports"])), ("Declarations", str(fields["declarations"]))]
            )
            return View("Imports", joined((warnings(fields), status_badge(fields["status"]), said)))
        case "models":
            return _models(fields)
        case "example":
            return View("Example", joined(_example(fields)))
        case "listing":
            rows = [
                [str(each["number"]), each["kind"], each["status"], code(each["kleis"])]
                for each in fields["items"]
            ]
            listing = table(
                ["", "kind", "status", "declaration"], rows, caption=f"Session {fields['session']}"
            )
            imports = facts([("Imports", ", ".join(fields["imports"]))])
            return View("Session", joined((warnings(fields), imports, listing)))
        case "declarations":
            return View("Declarations", code("\n".join(fields["lines"])))
        case "message":
            return View("Done", element("p", str(fields["message"]), dir="auto"))


def value_view(value: object) -> View | None:
    """The view of a value of the Python functions: verdicts, theories, tools, answers; None for what has none."""
    from kleis.prover.protocol.verdict import Verdict
    from kleis.theory.theory import Theory
    from pif.run.scripting import Tool
    from registry.scripting import Registry

    match value:
        case Verdict():
            fields = dict(verdict_fields(value, explain=True))
            return verdict_view({**fields, "certificate": value.certificate})
        case Theory():
            return _theory(value)
        case Tool():
            return View(
                value.name,
                joined((element("h1", value.name), facts([("Type", value.type)]), code(_json(value.code)))),
            )
        case Registry():
            return tools_view(dict(value.list()))
        case dict():
            return _answer(value)
        case _:
            return None


def _answer(answer: Mapping[str, Any]) -> View | None:
    """The view of an answer, as far as its fields say surely that it is one."""
    kind, status = answer.get("type"), answer.get("status")
    if kind == "models" and isinstance(status, str):
        return _models(answer)
    if kind in _RUNS and "fuel_used" in answer:
        return run_view(answer)
    if kind == "tools" and "total" in answer:
        return tools_view(answer)
    if kind == "tool" and {"name", "code", "hash"} <= answer.keys():
        return tool_view(answer)
    if status == "value" and isinstance(answer.get("result"), str):
        return evaluation_view(answer)
    if isinstance(status, str) and isinstance(answer.get("claim"), str):
        return verdict_view(answer)
    return None


def _json(data: Any) -> str:
    import json

    return json.dumps(data, ensure_ascii=False, indent=1)


def _submission(fields: Mapping[str, Any]) -> Iterator[Markup]:
    yield warnings(fields)
    yield element(
        "p", status_badge(fields["status"]), text("" if fields["accepted"] else " nothing was kept")
    )
    names = ("structures", "data_types", "functions")
    yield facts(
        [
            *(
                (each.replace("_", " ").capitalize(), ", ".join(fields.get(f"{each}_added", ())))
                for each in names
            ),
            ("Verified", ", ".join(fields.get("axioms_verified", ()))),
            ("Clash", ", ".join(fields.get("clash", ()))),
            ("Try", str(fields.get("hint", ""))),
        ]
    )
    for each in fields.get("problems", ()):
        place = f"line {each['line']}, column {each.get('column', 1)}" if each.get("line") else ""
        yield section(
            "What is wrong",
            code(each.get("message", "")),
            facts([("Place", place), ("Try", each.get("hint", ""))]),
        )
    if fields.get("counterexample"):
        yield section("Counterexample", *evidence_parts(fields["counterexample"]))


def _models(fields: Mapping[str, Any]) -> View:
    parts: list[Markup] = [
        warnings(fields),
        element("h1", status_badge(str(fields["status"]))),
        element("p", str(fields.get("about", "")), class_="claim", dir="auto"),
        facts(
            [
                ("Why", str(fields.get("message", ""))),
                ("Clash", ", ".join(map(str, fields.get("clash", ())))),
                ("Best", str(fields.get("optimum", ""))),
                ("Try", str(fields.get("hint", ""))),
            ]
        ),
    ]
    found = fields.get("models", ())
    for number, each in enumerate(found, 1):
        parts.append(section(f"Model {number}" if len(found) > 1 else "Model", *evidence_parts(each)))
    return View("Models", joined(parts))


def _example(fields: Mapping[str, Any]) -> Iterator[Markup]:
    yield element("p", status_badge(fields["status"]), text(f" {fields['name']}"), dir="auto")
    if fields["error"]:
        yield section("What is wrong", code(fields["error"]))
    rows = [[str(each["line"]), each["status"], each["detail"]] for each in fields["assertions"]]
    yield table(["line", "status", "detail"], rows, caption="Assertions")
    if fields["output"]:
        yield section("Output", code("\n".join(fields["output"])))


def _theory(theory: Any) -> View:
    from kleis.syntax import tree
    from kleis.syntax.printer.program import print_declaration

    entries = [each for each in theory.entries if not isinstance(each.declaration, tree.Import)]
    shown = [
        joined(
            (element("p", each.file, class_="faint", dir="auto"), code(print_declaration(each.declaration)))
        )
        for each in entries[:_DECLARATIONS]
    ]
    title = f"A theory of {len(entries)} declarations"
    left = len(entries) - len(shown)
    more = element("p", f"{left} more are left out.", class_="notice") if left else None
    counts = facts(
        [
            ("Structures", ", ".join(list(theory.structures)[:_DECLARATIONS])),
            ("Data types", ", ".join(list(theory.data)[:_DECLARATIONS])),
            ("Definitions", ", ".join(list(theory.definitions)[:_DECLARATIONS])),
        ]
    )
    folded = element("details", element("summary", "Declarations"), listed(shown))
    return View(title, joined((element("h1", title), counts, folded, more)))
