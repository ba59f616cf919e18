"""A tool: versions, types, cost, laws, its term as an outline, as Python and as Kleis; lists of tools, and differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from registry.views.actions import button, buttons, field, form, reading, run_form
from registry.views.markup import Markup, element, joined
from registry.views.mathematics import formula
from registry.views.page import View
from registry.views.parts import (
    code,
    facts,
    folded,
    listed,
    plain,
    search,
    section,
    status_badge,
    table,
    warnings,
)

__all__ = [
    "FIRST",
    "analysis_view",
    "difference_view",
    "error_view",
    "evolved_view",
    "fuzz_view",
    "help_view",
    "history_view",
    "laws_view",
    "tool_view",
    "tools_view",
]

FIRST = 200
"""Tools of a list that are shown at first: more of them are found by words, or asked for."""

_DEEPEST = 60
"""Levels of an outline that unfold; what is deeper is shown as JSON."""

_NODES = 4_000
"""Parts of an outline that unfold."""

_OPENED = 3
"""Levels of an outline that are open at first."""


def tool_view(answer: Mapping[str, Any]) -> View:
    """One tool, of the fields of `show`."""
    if answer.get("type") == "error":
        return error_view(answer)
    name, version = str(answer.get("name", "")), answer.get("version", "")
    capabilities = ", ".join(map(str, answer.get("capabilities") or ())) or "none: it is pure"
    parts = [
        element("h1", f"{name}@{version}", dir="auto"),
        warnings(answer),
        element("p", str(answer.get("description", "")), dir="auto"),
        facts(
            [
                ("Type", element("code", str(answer.get("inferred_type") or ""))),
                ("May use", capabilities),
                ("Fuel", _cost(answer.get("cost") or {})),
                *_charges(answer.get("cost") or {}),
                ("Created", str(answer.get("created", ""))),
                ("Hash", element("code", str(answer.get("hash", "")))),
            ]
        ),
    ]
    reference = f"{name}@{version}"
    parts.append(
        folded(
            "Run it", run_form(reference, str(answer.get("inferred_type") or answer.get("type_text") or ""))
        )
        if name
        else Markup("")
    )
    parts.append(
        buttons(
            button("Analyze", "analyze", {"code": reference}),
            button("Try on made-up inputs", "fuzz", {"name": reference}),
            button("History", "history", {"name": name}),
        )
    )
    if laws := answer.get("laws"):
        again = buttons(button("Check the laws and certificates again", "check_laws", {"name": reference}))
        parts.append(section("Laws", _laws(laws), again))
    parts.append(section("Code", _folding(), element("div", _Outline().of(answer.get("code"), "term", 0))))
    parts += [
        section(title, code(answer[field]))
        for field, title in (("python", "As Python"), ("kleis", "As Kleis"))
        if answer.get(field)
    ]
    if refused := answer.get("kleis_refused"):
        parts.append(
            section(
                "As Kleis",
                element("p", f"It has no Kleis definition: {refused.get('reason', '')}", dir="auto"),
            )
        )
    if versions := answer.get("versions"):
        current = answer.get("current")
        shown = [[f"{each['version']}{' (current)' if each['version'] == current else ''}", str(each["created"]),
                  element("code", str(each["hash"])), _of_version(name, each["version"], number > 0)]
                 for number, each in enumerate(versions)]  # fmt: skip
        parts.append(section("Versions", table(["version", "created", "hash", ""], shown)))
    return View(f"{name}@{version}", joined(parts))


def _of_version(name: str, version: object, has_earlier: bool) -> Markup:
    shown = reading("Open", f"pif://tools/{name}@{version}")
    if not has_earlier:
        return shown
    return joined((shown, " ", button("What changed", "diff", {"name": f"{name}@{version}"})))


def _charges(cost: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What the letters and functions in bounds on fuel mean."""
    sizes = "; ".join(f"{name}: {said}" for name, said in (cost.get("sizes") or {}).items())
    return [("Where", sizes), ("Charges", "; ".join(map(str, cost.get("charges") or ())))]


def _laws(laws: Sequence[Mapping[str, Any]]) -> Markup:
    rows = [
        [
            formula(each.get("law", "")),
            status_badge(str(each.get("status", ""))),
            str(each.get("engine") or each.get("by") or ""),
            element("code", str(each.get("certificate", "")))
            if each.get("certificate")
            else plain(each.get("counterexample") or each.get("reason") or ""),
        ]
        for each in laws
    ]
    return table(["law", "state", "by", "certificate or counterexample"], rows)


def evolved_view(answer: Mapping[str, Any]) -> View:
    """A tool that was kept, or why not, of the fields of `evolve` and `rollback`."""
    if answer.get("type") == "error":
        return error_view(answer)
    name, version = str(answer.get("name", "")), answer.get("version", "")
    title = f"{name}@{version}: {str(answer.get('outcome') or answer.get('type', '')).replace('_', ' ')}"
    examples = [
        [
            plain(each.get("input", "")),
            plain(each.get("output", "")),
            status_badge("holds" if each.get("passed") else "fails"),
            str(each.get("fuel_used", "")),
        ]
        for each in answer.get("examples") or ()
    ]
    parts = [
        element("h1", title, dir="auto"),
        warnings(answer),
        element("p", str(answer.get("description", "")), dir="auto"),
        facts(
            [
                ("Type", element("code", str(answer.get("inferred_type", "")))),
                ("May use", ", ".join(map(str, answer.get("capabilities") or ())) or "nothing: it is pure"),
                ("Fuel", _cost(answer.get("cost") or {})),
                *_charges(answer.get("cost") or {}),
                ("Hash", element("code", str(answer.get("hash", "")))),
            ]
        ),
        buttons(reading("Open the tool", f"pif://tools/{name}")) if name else Markup(""),
        section("Laws", _laws(answer["laws"])) if answer.get("laws") else Markup(""),
        section("Examples", table(["input", "output", "state", "fuel"], examples))
        if examples
        else Markup(""),
    ]
    return View(title, joined(parts))


def laws_view(answer: Mapping[str, Any]) -> View:
    """The laws of a tool, checked again from nothing, of the fields of `check_laws`."""
    if answer.get("type") == "error":
        return error_view(answer)
    title = f"Laws of {answer.get('tool', '')}"
    rows = [
        [
            formula(each.get("law", "")),
            status_badge(str(each.get("status", ""))),
            status_badge("holds" if each.get("ok") else "fails"),
            listed([f"{one.get('what', '')}: {one.get('detail', '')}" for one in each["findings"]])
            if each.get("findings")
            else plain(each.get("counterexample") or each.get("reason") or f"tried at {each.get('cases', 0)} points"),
        ]
        for each in answer.get("laws") or ()
    ]  # fmt: skip
    body = (
        element("h1", title, dir="auto"),
        warnings(answer),
        element("p", status_badge("holds" if answer.get("ok") else "failed")),
        element("p", "Each law was read and translated again, and its certificate solved again."),
        table(["law", "kept as", "now", "findings"], rows) if rows else element("p", "It has no laws."),
    )
    return View(title, joined(body))


def analysis_view(answer: Mapping[str, Any]) -> View:
    """What is known of a term without running it, of the fields of `analyze`."""
    if answer.get("type") == "error":
        return error_view(answer)
    if answer.get("equivalence"):
        found = answer["equivalence"]
        between = " and ".join(map(str, found.get("between") or ()))
        rest = [(name.replace("_", " "), plain(value)) for name, value in found.items() if name not in ("between", "status")]  # fmt: skip
        body = (
            element("h1", f"Do {between} the same?", dir="auto"),
            warnings(answer),
            element("p", status_badge(str(found.get("status", "")))),
            facts(rest),
        )
        return View("equivalence", joined(body))
    title = f"Analysis of {answer.get('tool') or 'a term'}"
    reach = answer.get("reach") or {}
    parts = [
        element("h1", title, dir="auto"),
        warnings(answer),
        facts(
            [
                ("Valid", status_badge("valid" if answer.get("valid", True) else "failed")),
                ("Type", element("code", str(answer.get("inferred_type", "")))),
                ("Fuel", _cost(answer.get("cost") or {})),
                *_charges(answer.get("cost") or {}),
                ("Size", f"{answer.get('nodes', '?')} nodes, {answer.get('depth', '?')} deep"),
                ("Operations", _counted(answer.get("operations") or {})),
                ("Free names", ", ".join(map(str, answer.get("free") or ()))),
                ("Reaches", ", ".join(map(str, reach.get("tools") or ()))),
                ("Missing", ", ".join(map(str, reach.get("missing") or ()))),
                ("May use", ", ".join(map(str, answer.get("capabilities") or ()))),
                ("Used by", ", ".join(map(plain, answer.get("users") or ()))),
            ]
        ),
    ]
    if answer.get("errors"):
        parts.append(section("Errors", listed([plain(each) for each in answer["errors"]])))
    if answer.get("dead_code"):
        parts.append(section("Dead code", listed([plain(each) for each in answer["dead_code"]])))
    if answer.get("normal_form") is not None:
        parts.append(section("Normal form", element("div", _Outline().of(answer["normal_form"], "term", 0))))
    return View(title, joined(parts))


def _counted(counts: Mapping[str, Any]) -> str:
    return ", ".join(f"{count} × {name}" for name, count in counts.items())


def history_view(answer: Mapping[str, Any]) -> View:
    """What happened to a name, of the fields of `history`."""
    if answer.get("type") == "error":
        return error_view(answer)
    name = str(answer.get("name", ""))
    events = answer.get("events") or ()
    told = any("principal" in each for each in events)
    rows = [
        [
            str(each.get("moment", "")),
            *[str(each.get("principal", ""))] * told,
            str(each.get("kind", "")),
            str(each.get("version", "")),
            str(each.get("current", "")),
            str(each.get("description", "")),
        ]
        for each in events
    ]
    body = (
        element("h1", f"History of {name}", dir="auto"),
        buttons(reading("Open the tool", f"pif://tools/{name}")),
        table(["when", *["who"] * told, "what", "version", "current then", "description"], rows),
    )
    return View(f"History of {name}", joined(body))


def fuzz_view(answer: Mapping[str, Any]) -> View:
    """A tool tried on made-up inputs, of the fields of `fuzz`."""
    if answer.get("type") == "error":
        return error_view(answer)
    fuel = answer.get("fuel") or {}
    title = f"{answer.get('tool', '')} on made-up inputs"
    errors = answer.get("errors") or ()
    body = [
        element("h1", title, dir="auto"),
        warnings(answer),
        facts(
            [
                ("Type of inputs", element("code", str(answer.get("input_type", "")))),
                ("Tried", f"{answer.get('examples', 0)} ({answer.get('distinct', '?')} different), seed {answer.get('seed', '')}"),
                ("Outcomes", _counted(answer.get("outcomes") or {})),
                ("Fuel", ", ".join(f"{name} {plain(value)}" for name, value in fuel.items() if name != "most_by")),
                ("Most fuel by", element("code", plain(fuel["most_by"])) if fuel.get("most_by") else ""),
            ]
        ),
    ]  # fmt: skip
    if errors:
        titles = list(dict.fromkeys(name for each in errors for name in each))
        rows = [[plain(each.get(name, "")) for name in titles] for each in errors]
        body.append(section("Errors", table(titles, rows)))
    return View(title, joined(body))


def help_view(answer: Mapping[str, Any]) -> View:
    """The help, of the fields of `help`."""
    if answer.get("type") == "error":
        return error_view(answer)
    asked = form("Help", "help", [field("Category or operation", "category")])
    return View("Help", joined((element("h1", "The PIF language"), code(answer.get("text", "")), asked)))


def error_view(answer: Mapping[str, Any]) -> View:
    """What went wrong instead of an answer."""
    error = answer.get("error")
    problem = answer.get("problem")
    if isinstance(error, Mapping):
        fields: Mapping[str, Any] = error
    elif isinstance(problem, Mapping):
        fields = {"message": error or "", **{name: value for name, value in problem.items() if value not in ("", 0, [])}}  # fmt: skip
    else:
        fields = {"message": error or plain(dict(answer))}
    rest = [(name.replace("_", " ").capitalize(), plain(value)) for name, value in fields.items() if name != "message"]  # fmt: skip
    body = joined(
        (
            element("h1", status_badge("error")),
            warnings(answer),
            code(fields.get("message", "")),
            facts(rest),
        )
    )
    return View("error", body)


def tools_view(answer: Mapping[str, Any]) -> View:
    """The tools of a registry, of the fields of `list`."""
    if answer.get("type") == "error":
        return error_view(answer)
    listed_tools = (*(answer.get("tools") or ()), *(answer.get("library") or ()))
    rows = [_tool_row(each) for each in listed_tools]
    total = answer.get("total", len(rows))
    offset = int(answer.get("offset") or 0)
    left = isinstance(total, int) and offset + len(answer.get("tools") or ()) < total
    more = {"limit": FIRST, "offset": offset + len(answer.get("tools") or ())}
    is_library = bool(answer.get("tools")) and str(answer["tools"][0].get("name", "")).startswith("std.")
    body = joined(
        (
            element("h1", f"{total} tools"),
            warnings(answer),
            buttons(
                button("Tools of this home", "list", {"limit": FIRST}),
                button("The standard library", "list", {"library": True, "limit": FIRST}),
                reading("Which uses which", "pif://graph.json"),
            ),
            form("Find", "list", [field("Words in names and descriptions", "query")], {"limit": FIRST})
            if left
            else None,
            search("tools", "tools"),
            table(["name", "version", "type", "what it does", "laws", ""], rows, id="tools"),
            element("p", f"{len(rows):,} of {total:,} are shown.", class_="notice") if left else None,
            buttons(
                button("More", "list", {**more, **({"library": True} if is_library else {})}, inherit="query")
            )
            if left
            else None,
        )
    )
    return View("Tools", body)


def _tool_row(each: Mapping[str, Any]) -> list[Markup | str]:
    name = str(each.get("name", ""))
    written = str(each.get("type") or each.get("inferred_type") or "")
    counts: dict[str, int] = {}
    for law in each.get("laws") or ():
        status = str(law.get("status", ""))
        counts[status] = counts.get(status, 0) + 1
    laws = ", ".join(f"{count} {status}" for status, count in counts.items())
    return [name, str(each.get("version", "")), element("code", written), str(each.get("description", "")), laws,
            reading("Open", f"pif://tools/{name}")]  # fmt: skip


def difference_view(answer: Mapping[str, Any]) -> View:
    """Where two versions differ, of the fields of `diff`."""
    if answer.get("type") == "error":
        return error_view(answer)
    left, right = str(answer.get("from", "")), str(answer.get("to", ""))
    rows = [
        [
            str(each.get("path", "")),
            *(code(plain(each[side]) if side in each else "") for side in ("from", "to")),
        ]
        for each in answer.get("changes") or ()
    ]
    others = [
        (name.replace("_", " "), plain(value))
        for name, value in answer.items()
        if name not in ("type", "from", "to", "changes", "warnings")
    ]
    shown = table(["place", left, right], rows) if rows else element("p", "No place differs.")
    title = f"{left} and {right}"
    return View(title, joined((element("h1", title, dir="auto"), warnings(answer), facts(others), shown)))


def _cost(cost: Mapping[str, Any]) -> str:
    least, most = cost.get("min"), cost.get("max")
    said = "" if least is None else f"{least}" if least == most else f"{least} to {most or 'no known bound'}"
    applied = cost.get("applied") or {}
    if "unknown" in applied:
        return f"{said}; applied: not known, because {applied['unknown']}"
    return said + (f"; applied: {applied.get('min')} to {applied.get('max')}" if applied else "")


def _folding() -> Markup:
    return element(
        "p", element("button", "Unfold all", type="button", data_fold="open"), " ",
        element("button", "Fold all", type="button", data_fold="closed"), class_="search",
    )  # fmt: skip


class _Outline:
    """A term as parts that unfold; of a very large one the first parts, the rest as JSON."""

    def __init__(self) -> None:
        self._parts = 0

    def of(self, term: Any, title: str, depth: int) -> Markup:
        self._parts += 1
        if not isinstance(term, Mapping | list) or not term:
            return element("p", f"{title}: ", element("code", plain(term)), dir="auto")
        if depth >= _DEEPEST or self._parts >= _NODES:
            return folded(f"{title} (not unfolded further)", code(plain(term)))
        pairs = term.items() if isinstance(term, Mapping) else enumerate(term, 1)
        inside = [self.of(part, str(name), depth + 1) for name, part in pairs]
        summary = element("summary", f"{title}: {_said(term)}", dir="auto")
        return element("details", summary, *inside, class_="node", open=depth < _OPENED)


def _said(term: Any) -> str:
    """A part of a term in one line."""
    if isinstance(term, list):
        return f"list of {len(term)}"
    written = ", ".join(
        f"{name} {each}" if isinstance(each, str | int) else str(name) for name, each in term.items()
    )
    return written if len(written) <= 80 else written[:79] + "…"
