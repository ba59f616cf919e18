"""Models that were asked for, and state machines with their traces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from registry.views.markup import Markup, element, joined
from registry.views.mathematics import formula
from registry.views.page import View
from registry.views.parts import code, facts, folded, section, status_badge, table, warnings
from registry.views.tool import error_view
from registry.views.verdict import evidence_parts

__all__ = ["machine_view", "models_view"]

_OPENED = 3
"""Models that are open at first."""


def models_view(answer: Mapping[str, Any]) -> View:
    """Models, of the fields of `find_models`."""
    if answer.get("type") != "models":
        return error_view(answer)
    status = str(answer.get("status", "unknown"))
    models = answer.get("models") or ()
    whole = _said(answer, "complete", "there are provably no others", "there may be others")
    body = [
        element("h1", status_badge(status)),
        warnings(answer),
        element("p", formula(answer.get("about", "")), class_="claim"),
        facts(
            [
                ("Models", str(answer.get("count", len(models)))),
                ("Complete", whole),
                ("They differ in", ", ".join(map(str, answer.get("differ_in") or ()))),
                ("Best value", str(answer.get("optimum", ""))),
                ("None is better", _said(answer, "proved", "proved", "not known")),
                ("Axioms that clash", ", ".join(map(str, answer.get("clash") or ()))),
                ("Why it is unknown", str(answer.get("reason", ""))),
                ("Said", str(answer.get("message", ""))),
                ("Try", str(answer.get("hint", ""))),
            ]
        ),
    ]
    if answer.get("problem"):
        body.append(code((answer["problem"] or {}).get("message", "")))
    body += [
        folded(f"Model {number}", *evidence_parts(each), opened=number <= _OPENED)
        for number, each in enumerate(models, 1)
    ]
    return View(f"{status}: models", joined(body))


def _said(answer: Mapping[str, Any], name: str, yes: str, no: str) -> str:
    return "" if answer.get(name) is None else yes if answer[name] else no


def machine_view(answer: Mapping[str, Any]) -> View:
    """A state machine, of the fields of `check_machine`: each property with its proof or its trace."""
    if answer.get("type") != "machine":
        return error_view(answer)
    status = str(answer.get("status", "unknown"))
    body = [
        element("h1", status_badge(status)),
        warnings(answer),
        facts(
            [
                ("Variables", ", ".join(map(str, answer.get("variables") or ()))),
                ("Said", str(answer.get("message", ""))),
                ("Try", str(answer.get("hint", ""))),
            ]
        ),
    ]
    if answer.get("problem"):
        body.append(code((answer["problem"] or {}).get("message", "")))
    body += [
        section(f"{each.get('kind', '')} {each.get('name', '')}".strip(), *_property(each))
        for each in answer.get("properties") or ()
    ]
    return View(f"{status}: a machine", joined(body))


def _property(each: Mapping[str, Any]) -> Iterator[Markup]:
    said = [
        (name.replace("_", " ").capitalize(), str(value))
        for name, value in each.items()
        if isinstance(value, str | int) and name not in ("kind", "name", "status")
    ]
    yield element("p", status_badge(str(each.get("status", "unknown"))))
    yield facts(said)
    if each.get("claims"):
        rows = [
            [formula(one.get("claim", "")), status_badge(str(one.get("status", "")))]
            for one in each["claims"]
        ]
        yield table(["claim of its proof", "verdict"], rows)
    trace = each.get("trace") or each.get("breaks") or ()
    states = [one.get("state") or {} for one in trace if isinstance(one, Mapping)]
    if states:
        names = list(dict.fromkeys(name for state in states for name in state))
        steps = [
            [str(number), *(str(state.get(name, "")) for name in names)]
            for number, state in enumerate(states)
        ]
        yield table(["step", *names], steps, caption="Trace")
