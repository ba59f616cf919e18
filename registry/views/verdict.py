"""A proposition decided: the claim as it was read, what the verdict rests on, and the evidence as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from registry.views.markup import Markup, element, joined
from registry.views.page import View
from registry.views.parts import code, facts, folded, listed, section, status_badge, table, warnings

__all__ = ["evaluation_view", "evidence_parts", "verdict_parts", "verdict_view"]

_ACROSS = 24
"""Columns of a table of an operation."""

_AXIOMS = {
    "model": "They have a model, so the proof does not rest on a contradiction.",
    "unknown": "Whether they have a model is not known.",
}


def evaluation_view(answer: Mapping[str, Any]) -> View:
    """What `evaluate` answers: a verdict, a value, or an error."""
    if answer.get("status") != "value":
        return verdict_view(answer)
    shown = answer.get("result", "")
    body = joined(
        (
            element("h1", "Value"),
            warnings(answer),
            code(shown),
            element("p", "The value is approximate.", class_="notice") if answer.get("approximate") else None,
            section("Output", code("\n".join(answer["output"]))) if answer.get("output") else None,
        )
    )
    return View("Value", body)


def verdict_view(answer: Mapping[str, Any]) -> View:
    """A verdict as one page; `answer` has the fields of `VerdictAnswer`."""
    status = str(answer.get("status", "unknown"))
    title = f"{status}: {answer.get('claim') or answer.get('error') or 'a proposition'}"
    return View(title, joined((element("h1", status_badge(status)), *verdict_parts(answer))))


def verdict_parts(answer: Mapping[str, Any]) -> Iterator[Markup]:
    """A verdict without its heading, for views that show several."""
    yield warnings(answer)
    if answer.get("claim"):
        yield element("p", str(answer["claim"]), class_="claim", dir="auto")
    if answer.get("reading"):
        yield folded("How it was read", listed([*map(str, answer["reading"])]))
    yield _summary(answer)
    if answer.get("problem") or answer.get("error"):
        yield _problem(answer)
    yield from _evidence(answer)
    if answer.get("tried"):
        yield section("What was tried", listed([*map(str, answer["tried"])]))
    if "axioms_in_force" in answer:
        rows = [[str(each.get("axiom", each.get("name", ""))), str(each.get("status", each))] for each in answer["axioms_in_force"]]  # fmt: skip
        yield section("Axioms in force", table(["axiom", "what it is here"], rows))
    yield from _explanation(answer.get("explanation") or {})


def _summary(answer: Mapping[str, Any]) -> Markup:
    axioms = [element("code", each, dir="auto") for each in map(str, answer.get("axioms_used") or ())]
    clash = [element("code", each, dir="auto") for each in map(str, answer.get("clash") or ())]
    theory = "inconsistent: some declarations of it have no model" if answer.get("theory") else ""
    assumed = ", ".join(map(str, answer.get("assumed") or ()))
    return facts(
        [
            ("Decided by", str(answer.get("method", ""))),
            ("Axioms used", joined(axioms, ", ")),
            ("", _AXIOMS.get(answer.get("axioms", ""), "")),
            ("Axioms that clash", joined(clash, ", ")),
            ("Lemmas", "; ".join(map(str, answer.get("lemmas") or ()))),
            ("Assumed, not proved", assumed),
            ("Theory", theory),
            ("Why it is unknown", str(answer.get("reason", ""))),
            ("Said", str(answer.get("message", ""))),
            ("Try", str(answer.get("hint", ""))),
            ("Certificate", str(answer.get("certificate", ""))),
        ]
    )


def _problem(answer: Mapping[str, Any]) -> Markup:
    problem = answer.get("problem") or {}
    place = ":".join(str(problem[each]) for each in ("file", "line", "column") if problem.get(each))
    message = str(problem.get("message") or answer.get("error", ""))
    return section(
        "What is wrong", code(message), facts([("Place", place), ("Try", str(problem.get("hint", "")))])
    )


def _evidence(answer: Mapping[str, Any]) -> Iterator[Markup]:
    shown = answer.get("counterexample")
    if shown:
        undefined = " (the claim is undefined there)" if shown.get("undefined") else ""
        title = "Model" if answer.get("status") == "consistent" else "Counterexample"
        yield section(title + undefined, *evidence_parts(shown, answer.get("witness_bindings") or ()))
    elif answer.get("witness"):
        rows = [
            [each["variable"], each["value"], each["type"]] for each in answer.get("witness_bindings") or ()
        ]
        shown_rows = table(["variable", "value", "type"], rows) if rows else code(answer["witness"])
        yield section("Witness", shown_rows)


def evidence_parts(
    evidence: Mapping[str, Any], bindings: Sequence[Mapping[str, Any]] = ()
) -> Iterator[Markup]:
    """A model: its carriers, values, tables, and what the parts of the claim come to."""
    carriers = evidence.get("carriers") or {}
    yield facts((f"Carrier {name}", f"{{{', '.join(elements)}}}") for name, elements in carriers.items())
    sorts = {each.get("variable"): each.get("type", "") for each in bindings}
    if evidence.get("values"):
        values = [[name, value, sorts.get(name, "")] for name, value in evidence["values"].items()]
        yield table(["variable", "value", "type"], values, caption="Values")
    if evidence.get("interpretation"):
        yield table(
            ["symbol", "is"],
            [[*each] for each in evidence["interpretation"].items()],
            caption="Interpretation",
        )
    for each in evidence.get("tables") or ():
        yield _operation(each["name"], each["columns"], each["rows"])
    if evidence.get("rules"):
        yield folded("Rewriting rules", listed(evidence["rules"]))
    if evidence.get("normal_forms"):
        yield facts([("Different normal forms", "  and  ".join(evidence["normal_forms"]))])
    if evidence.get("parts"):
        rows = [[each["term"], each["value"]] for each in evidence["parts"]]
        yield table(["part of the claim", "comes to"], rows, caption="Evaluated, from the inside out")


def _operation(name: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Markup:
    """An operation over finite carriers: two arguments as a square, else a row for each point."""
    points = {tuple(row[:-1]): row[-1] for row in rows}
    if len(columns) == 1 and len(rows) == 1:
        return facts([(name, rows[0][0])])
    if len(columns) == 3 and points:
        down = list(dict.fromkeys(point[0] for point in points))
        across = list(dict.fromkeys(point[1] for point in points))
        if len(points) == len(down) * len(across) and len(across) <= _ACROSS:
            square = [[left, *(points[left, right] for right in across)] for left in down]
            return table(
                [name, *across], square, caption=f"{name} : {columns[0]} × {columns[1]} → {columns[2]}"
            )
    titles = [*(f"{sort} {place}" for place, sort in enumerate(columns[:-1], 1)), name]
    return table(titles, rows, caption=f"{name} : {' × '.join(columns[:-1])} → {columns[-1]}")


def _explanation(found: Mapping[str, Any]) -> Iterator[Markup]:
    if found.get("proof"):
        yield section("Proof", listed(found["proof"], steps=True))
    if found.get("model_of_the_axioms"):
        yield folded("A model of the axioms used", *evidence_parts(found["model_of_the_axioms"]))
    if found.get("attempts"):
        rows = [
            [each["engine"], each["outcome"], str(each["steps"]), f"{each['seconds']:.2f}", each["detail"]]
            for each in found["attempts"]
        ]
        yield folded("Engines", table(["engine", "outcome", "steps", "seconds", "detail"], rows))
    if found.get("unused"):
        yield folded(
            "Axioms that could not take part",
            table(["axiom", "why"], [[*each] for each in found["unused"].items()]),
        )
    solvers = ", ".join(f"{name} {version}" for name, version in (found.get("solvers") or {}).items())
    yield facts([("Solvers", solvers), ("Rests on", "; ".join(found.get("rests_on") or ()))])
