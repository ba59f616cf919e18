"""A run: its value, its fuel, and its trace as a timeline with the fuel that each step spent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from registry.views.actions import button, buttons
from registry.views.markup import Markup, element, joined, tagged
from registry.views.page import View
from registry.views.parts import code, facts, plain, section, table, warnings
from registry.views.tool import error_view

__all__ = ["run_view"]

_BAR = 160
"""Pixels of the longest bar."""


def run_view(answer: Mapping[str, Any]) -> View:
    """A run, of the fields of `run`: its value, its fuel, and its trace as a timeline."""
    if answer.get("type") == "error":
        return error_view(answer)
    kind = str(answer.get("type", "value"))
    shown = [
        (name.replace("_", " ").capitalize(), plain(value))
        for name, value in answer.items()
        if name not in ("type", "value", "value_text", "trace", "warnings")
    ]
    parts = [element("h1", kind.capitalize()), warnings(answer)]
    if "value" in answer:
        parts.append(code(plain(answer["value"])))
    parts.append(facts(shown))
    trace = answer.get("trace")
    if isinstance(trace, Sequence) and not isinstance(trace, str) and trace:
        parts.append(section("Trace", _totals(trace), _timeline(trace)))
    if kind == "continuation":
        parts.append(_further(answer))
    return View(kind, joined(parts))


def _timeline(trace: Sequence[Mapping[str, Any]]) -> Markup:
    """The events in order; `spent` is the fuel from one event to the next, and stands as a bar too."""
    left = [each.get("fuel_left") for each in trace]
    spent = [
        before - after if isinstance(before, int) and isinstance(after, int) else None
        for before, after in pairwise([None, *left])
    ]
    most = max((fuel for fuel in spent if fuel is not None), default=0)
    rows = [
        [
            str(number),
            str(each.get("event", "")),
            str(each.get("tool", "")),
            str(each.get("path", "")),
            element("code", plain(each.get("term", ""))),
            "" if fuel is None else _bar(fuel, most),
            str(each.get("fuel_left", "")),
        ]
        for number, (each, fuel) in enumerate(zip(trace, spent, strict=True), 1)
    ]
    return table(["step", "event", "tool", "place", "term", "fuel spent", "fuel left"], rows)


def _bar(fuel: int, most: int) -> Markup:
    """The fuel of a step as a number and a bar."""
    width = max(1, round(_BAR * fuel / most)) if most and fuel > 0 else 0
    rect = tagged("rect", {"width": width, "height": 10})
    drawn = tagged("svg", {"class": "bar", "width": _BAR, "height": 10, "aria-hidden": "true"}, rect)
    return element("div", element("span", f"{fuel:,}", class_="amount"), drawn, class_="spent")


def _totals(trace: Sequence[Mapping[str, Any]]) -> Markup:
    """The fuel of the events shown, by the tool in which it was spent."""
    spent: dict[str, int] = {}
    for before, after in pairwise(trace):
        left, now = before.get("fuel_left"), after.get("fuel_left")
        if isinstance(left, int) and isinstance(now, int):
            where = str(after.get("tool") or "the term itself")
            spent[where] = spent.get(where, 0) + left - now
    if len(spent) < 2:
        return Markup("")
    most = max(spent.values())
    ordered = sorted(spent.items(), key=lambda each: -each[1])
    rows = [[where, _bar(fuel, most)] for where, fuel in ordered]
    return table(["in", "fuel spent"], rows, caption="Where the fuel went")


def _further(answer: Mapping[str, Any]) -> Markup:
    """The way to take the next steps of a continuation."""
    asked: dict[str, Any] = {name: answer[name] for name in ("tool", "step", "session", "raw") if answer.get(name) is not None}  # fmt: skip
    if "tool" not in asked:
        return Markup("")
    asked["input"] = answer.get("next_input")
    return buttons(button("Take 100 more steps", "run", {**asked, "drive": 100}))
