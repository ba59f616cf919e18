"""A tool: versions, types, cost, laws, its term as an outline, as Python and as Kleis; a run with its trace."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from registry.views.markup import Markup, element, joined
from registry.views.page import View
from registry.views.parts import code, facts, folded, search, section, status_badge, table, warnings

__all__ = ["difference_view", "run_view", "tool_view", "tools_view"]

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
                ("Type", element("code", str(answer.get("inferred_type", "")))),
                ("May use", capabilities),
                ("Fuel", _cost(answer.get("cost") or {})),
                ("Created", str(answer.get("created", ""))),
                ("Hash", element("code", str(answer.get("hash", "")))),
            ]
        ),
    ]
    if laws := answer.get("laws"):
        rows = [
            [element("code", str(each.get("law", ""))), status_badge(str(each.get("status", "")))]
            for each in laws
        ]
        parts.append(section("Laws", table(["law", "state"], rows)))
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
                  element("code", str(each["hash"]))] for each in versions]  # fmt: skip
        parts.append(section("Versions", table(["version", "created", "hash"], shown)))
    return View(f"{name}@{version}", joined(parts))


def error_view(answer: Mapping[str, Any]) -> View:
    """What went wrong instead of an answer."""
    error = answer.get("error")
    fields = error if isinstance(error, Mapping) else {"message": error or ""}
    rest = [(name, _plain(value)) for name, value in fields.items() if name != "message"]
    body = joined((element("h1", status_badge("error")), code(fields.get("message", "")), facts(rest)))
    return View("error", body)


def tools_view(answer: Mapping[str, Any]) -> View:
    """The tools of a registry, of the fields of `list`."""
    if answer.get("type") == "error":
        return error_view(answer)
    rows = [
        [str(each.get("name", "")), str(each.get("version", "")), element("code", str(each.get("inferred_type", ""))),
         str(each.get("description", ""))]
        for each in (*(answer.get("tools") or ()), *(answer.get("library") or ()))
    ]  # fmt: skip
    total = answer.get("total", len(rows))
    body = joined(
        (
            element("h1", f"{total} tools"),
            warnings(answer),
            search("tools", "tools"),
            table(["name", "version", "type", "what it does"], rows, id="tools"),
        )
    )
    return View("Tools", body)


def difference_view(answer: Mapping[str, Any]) -> View:
    """Where two versions differ, of the fields of `diff`."""
    if answer.get("type") == "error":
        return error_view(answer)
    left, right = str(answer.get("from", "")), str(answer.get("to", ""))
    rows = [
        [
            str(each.get("path", "")),
            *(code(_plain(each[side]) if side in each else "") for side in ("from", "to")),
        ]
        for each in answer.get("changes") or ()
    ]
    others = [
        (name.replace("_", " "), _plain(value))
        for name, value in answer.items()
        if name not in ("type", "from", "to", "changes", "warnings")
    ]
    shown = table(["place", left, right], rows) if rows else element("p", "No place differs.")
    title = f"{left} and {right}"
    return View(title, joined((element("h1", title, dir="auto"), warnings(answer), facts(others), shown)))


def run_view(answer: Mapping[str, Any]) -> View:
    """A run, of the fields of `run`: its value, its fuel, and its trace as a timeline."""
    if answer.get("type") == "error":
        return error_view(answer)
    kind = str(answer.get("type", "value"))
    shown = [
        (name, _plain(value))
        for name, value in answer.items()
        if name not in ("type", "value", "trace", "warnings")
    ]
    parts = [element("h1", kind.capitalize()), warnings(answer)]
    if "value" in answer:
        parts.append(code(_plain(answer["value"])))
    parts.append(facts(shown))
    trace = answer.get("trace")
    if isinstance(trace, Sequence) and not isinstance(trace, str) and trace:
        parts.append(section("Trace", _timeline(trace)))
    return View(kind, joined(parts))


def _timeline(trace: Sequence[Mapping[str, Any]]) -> Markup:
    """The events in order; `spent` is the fuel from one event to the next, and stands as a bar too."""
    left = [each.get("fuel_left") for each in trace]
    spent = [
        before - after if isinstance(before, int) and isinstance(after, int) else None
        for before, after in pairwise([None, *left])
    ]
    rows = [
        [
            str(number),
            str(each.get("event", "")),
            str(each.get("tool", "")),
            str(each.get("path", "")),
            element("code", _plain(each.get("term", ""))),
            "" if fuel is None else f"{fuel:,} {'▮' * min(fuel, 20)}",
            str(each.get("fuel_left", "")),
        ]
        for number, (each, fuel) in enumerate(zip(trace, spent, strict=True), 1)
    ]
    return table(["step", "event", "tool", "place", "term", "fuel spent", "fuel left"], rows)


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


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


class _Outline:
    """A term as parts that unfold; of a very large one the first parts, the rest as JSON."""

    def __init__(self) -> None:
        self._parts = 0

    def of(self, term: Any, title: str, depth: int) -> Markup:
        self._parts += 1
        if not isinstance(term, Mapping | list) or not term:
            return element("p", f"{title}: ", element("code", _plain(term)), dir="auto")
        if depth >= _DEEPEST or self._parts >= _NODES:
            return folded(f"{title} (not unfolded further)", code(_plain(term)))
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
