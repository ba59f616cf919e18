"""An exploration: laws grouped and ranked, and the models that refuted the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from registry.views.actions import button, buttons
from registry.views.markup import Markup, element, joined
from registry.views.mathematics import formula
from registry.views.page import View
from registry.views.parts import facts, folded, listed, search, section, status_badge, table, warnings
from registry.views.tool import error_view
from registry.views.verdict import evidence_parts

__all__ = ["exploration_view"]


def exploration_view(answer: Mapping[str, Any]) -> View:
    """Laws of a structure or of tools, of the fields of `explore`."""
    if answer.get("type") != "exploration":
        return error_view(answer)
    subject = str(answer.get("structure") or ", ".join(map(str, answer.get("tools") or ())))
    title = f"Laws of {subject}"
    counts = ", ".join(f"{count} {kind}" for kind, count in (answer.get("counts") or {}).items())
    models = answer.get("models") or ()
    laws = answer.get("laws") or ()
    problems = answer.get("problems") or {}
    body = [
        element("h1", title, dir="auto"),
        warnings(answer),
        facts(
            [
                ("Carrier", str(answer.get("carrier", ""))),
                ("Operations", ", ".join(map(str, answer.get("operations") or ()))),
                ("Left out", ", ".join(map(str, answer.get("left_out") or ()))),
                ("Candidates", f"{answer.get('candidates', 0)}: {counts}"),
                ("Generator", str(answer.get("generator", ""))),
            ]
        ),
        _unfinished(answer),
        search("laws", "laws"),
        element(
            "div",
            _laws("Proved", [each for each in laws if each.get("status") == "proved"], answer),
            _laws("Axioms", [each for each in laws if each.get("status") != "proved"], answer),
            _laws("Follow from these", answer.get("follows") or (), answer),
            _undecided(answer.get("undecided") or ()),
            _refuted(answer.get("refuted") or ()),
            id="laws",
        ),
    ]
    if models:
        ordered = sorted(models, key=lambda each: -int(each.get("refutes") or 0))
        body.append(
            section("Models that refute", *(_model(each, number == 0) for number, each in enumerate(ordered)))
        )
    if problems:
        body.append(
            section(
                f"{problems.get('count', '')} candidates that are no propositions",
                listed([*map(str, problems.get("first") or ())]),
            )
        )
    return View(title, joined(body))


def _unfinished(answer: Mapping[str, Any]) -> Markup:
    if answer.get("complete", True) and not answer.get("next"):
        return Markup("")
    asked: dict[str, Any] = {
        name: answer[name]
        for name in ("structure", "tools", "size", "variables", "generator", "carrier", "limit")
        if answer.get(name)
    }
    if answer.get("complete", True):
        asked["offset"] = int(answer.get("offset") or 0) + int(answer.get("limit") or 0)
    said = element(
        "p", str(answer.get("next") or "Not complete."), class_="notice"
    )  # what an answer says of its own rest
    return joined((said, buttons(button("Go on", "explore", asked, inherit="session"))))


def _weight(each: Mapping[str, Any]) -> tuple[int, str]:
    """Short laws first: they say most with least."""
    law = str(each.get("law", ""))
    return len(law), law


def _laws(title: str, laws: Sequence[Mapping[str, Any]], answer: Mapping[str, Any]) -> Markup:
    if not laws:
        return Markup("")
    rows = [
        [
            formula(each.get("law", "")),
            status_badge(str(each.get("status", ""))),
            ", ".join(map(str, each.get("uses") or ())),
            str(each.get("method", "")),
            button(
                "Decide",
                "evaluate",
                {"expression": f"using {answer['structure']} {each.get('law', '')}", "explain": True},
                inherit="session",
            )
            if answer.get("structure")
            else "",
        ]
        for each in sorted(laws, key=_weight)
    ]
    return section(f"{title} ({len(rows)})", table(["law", "state", "uses", "by", ""], rows))


def _undecided(laws: Sequence[Mapping[str, Any]]) -> Markup:
    if not laws:
        return Markup("")
    rows = [[formula(each.get("law", "")), str(each.get("reason", ""))] for each in sorted(laws, key=_weight)]
    return section(f"Not decided ({len(rows)})", table(["law", "why"], rows))


def _refuted(laws: Sequence[Mapping[str, Any]]) -> Markup:
    if not laws:
        return Markup("")
    rows = [
        [
            formula(each.get("law", "")),
            f"model {each['model']}" if "model" in each else "",
            _at(each.get("at")),
        ]
        for each in laws
    ]
    return section(
        f"Refuted ({len(rows)} shown)",
        folded("Laws that fail, and where", table(["law", "refuted by", "at"], rows)),
    )


def _at(point: object) -> str:
    if isinstance(point, Mapping):
        return ", ".join(f"{name} = {value}" for name, value in point.items())
    return "" if point is None else str(point)


def _model(each: Mapping[str, Any], opened: bool) -> Markup:
    """A model of `explore` as the evidence of verdicts is shown: its tables name no sorts, so the carrier stands for all."""
    tables = [
        {"name": name, "columns": ["carrier"] * max((len(row) for row in rows), default=1), "rows": rows}
        for name, rows in (each.get("tables") or {}).items()
        if isinstance(rows, Sequence) and not isinstance(rows, str)
    ]
    elements = [*map(str, each.get("elements") or ())]
    evidence = {"carriers": {"carrier": elements} if elements else {}, "tables": tables}
    title = f"Model {each.get('model', '')}: refutes {each.get('refutes', 0)}"
    rest = [
        (name.replace("_", " "), str(value))
        for name, value in each.items()
        if name not in ("model", "refutes", "tables", "elements")
    ]
    return folded(title, *evidence_parts(evidence), facts(rest), opened=opened)
