"""A proposition decided: the claim as it was read, what the verdict rests on, and the evidence as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kleis.errors import KleisError
from kleis.syntax import tree
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.tree.traversal import walk
from registry.views.actions import button, buttons
from registry.views.markup import Markup, element, joined
from registry.views.mathematics import LONGEST_FORMULA, formula, formula_of
from registry.views.page import View
from registry.views.parts import (
    code,
    facts,
    folded,
    listed,
    problem_facts,
    section,
    status_badge,
    table,
    warnings,
)

__all__ = ["certified_view", "evaluation_view", "evidence_parts", "verdict_parts", "verdict_view"]

_ACROSS = 24
"""Columns of a table of an operation."""

_SUBTERMS = 120
"""Parts of a claim whose values are shown as a tree."""

_NESTED = 40
"""Levels of a proof that unfold."""

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


def certified_view(answer: Mapping[str, Any]) -> View:
    """A verdict whose certificate was checked, of the fields of `certify`."""
    if "certified" not in answer:
        return verdict_view(answer)
    said = (
        "The certificate was checked again, and accepted."
        if answer["certified"]
        else "There is no certificate."
    )
    shown = verdict_view(answer)
    return View(shown.title, joined((shown.body, element("p", said))))


def verdict_parts(answer: Mapping[str, Any]) -> Iterator[Markup]:
    """A verdict without its heading, for views that show several."""
    yield warnings(answer)
    if answer.get("claim"):
        yield element("p", formula(answer["claim"]), class_="claim", dir="auto")
        yield folded("As text", code(answer["claim"]))
    if answer.get("reading"):
        yield folded("How it was read", listed([*map(str, answer["reading"])]))
    yield _summary(answer)
    if answer.get("problem") or answer.get("error"):
        yield _problem(answer)
    yield from _evidence(answer)
    if answer.get("tried"):
        yield section("What was tried", listed([*map(str, answer["tried"])]))
    if answer.get("axioms_in_force"):
        yield section("Axioms in force", *_axioms_in_force(answer["axioms_in_force"]))
    yield from _explanation(answer.get("explanation") or {})
    yield _again(answer)


def _axioms_in_force(axioms: Sequence[Mapping[str, Any]]) -> Iterator[Markup]:
    """Each axiom: whether it follows from the others, and what becomes of the claim without it."""
    rows = [
        [
            str(each.get("name", "")),
            formula(each.get("kleis", "")),
            status_badge(str(each.get("itself", "unknown"))),
            ", ".join(map(str, each.get("follows_from") or ())),
            status_badge(str(each["claim_without_it"])) if "claim_without_it" in each else "",
        ]
        for each in axioms
    ]
    yield table(["axiom", "says", "beside the others", "follows from", "the claim without it"], rows)
    for each in axioms:
        if each.get("model_without_it"):
            title = f"A model of the others in which {each.get('name', '')} fails"
            yield folded(title, *evidence_parts(each["model_without_it"]))


def _again(answer: Mapping[str, Any]) -> Markup:
    """What can be asked about a claim that was decided."""
    claim = str(answer.get("claim") or "")
    if not claim:
        return Markup("")
    asked = {"expression": claim}
    explained = button("Which axioms does it need?", "explain", asked, inherit="session")
    engines = button("How was it decided?", "evaluate", {**asked, "explain": True}, inherit="session scope")
    checked = button("Prove and check again", "certify", asked, inherit="session")
    return buttons(engines, explained, *((checked,) if answer.get("status") == "verified" else ()))


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
    message = str(answer.get("error") or problem.get("message", ""))
    return section("What is wrong", code(message), facts(problem_facts(problem)))


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
        rows = [[formula(each["term"]), each["value"]] for each in evidence["parts"]]
        yield table(["part of the claim", "comes to"], rows, caption="Evaluated, from the inside out")
        yield subterms(evidence["parts"])


def subterms(parts: Sequence[Mapping[str, Any]]) -> Markup:
    """The same as a tree: each part of the claim with its value, the parts that it is made of inside."""
    known: list[tuple[tree.Expression, Mapping[str, Any]]] = []
    for each in parts[:_SUBTERMS]:
        if len(str(each["term"])) > LONGEST_FORMULA:
            return Markup("")  # the table has them
        try:
            known.append((parse_expression(str(each["term"]), file="<part>"), each))
        except (KleisError, RecursionError):
            return Markup("")  # the table has them
    inside = [{*map(id, _found(one, [other for other, _ in known[:place]]))} for place, (one, _) in enumerate(known)]  # fmt: skip
    above: dict[int, int] = {}
    for place, made_of in enumerate(inside):
        for other in range(place):
            if id(known[other][0]) in made_of and other not in above:
                above[other] = place
    roots = [place for place in range(len(known)) if place not in above]
    if len(known) < 2 or len(roots) == len(known):
        return Markup("")
    children: dict[int, list[int]] = {}
    for other, place in above.items():
        children.setdefault(place, []).append(other)
    return folded("The same as a tree", *(_subterm(each, known, children, 0) for each in reversed(roots)))


def _found(whole: tree.Expression, parts: Sequence[tree.Expression]) -> Iterator[tree.Expression]:
    """Those of the parts that stand in an expression."""
    within = [node for node in walk(whole) if node is not whole]
    return (each for each in parts if any(each == node for node in within))


def _subterm(
    place: int,
    known: Sequence[tuple[tree.Expression, Mapping[str, Any]]],
    children: Mapping[int, Sequence[int]],
    depth: int,
) -> Markup:
    expression, part = known[place]
    said = joined((formula_of(expression, str(part["term"])), " is ", element("code", str(part["value"]), dir="auto")))  # fmt: skip
    made_of = children.get(place, ())
    if not made_of:
        return element("p", said, class_="leaf")
    nested = [_subterm(each, known, children, depth + 1) for each in made_of]
    return element("details", element("summary", said), *nested, class_="node", open=depth < 2)


def _steps(lines: Sequence[str]) -> Iterator[Markup]:
    """A proof whose lines are indented as a tree that unfolds: what a line rests on stands inside it."""
    at = 0

    def level(line: str) -> int:
        return len(line) - len(line.lstrip(" "))

    def block(depth: int, nesting: int) -> Iterator[Markup]:
        nonlocal at
        while at < len(lines) and level(lines[at]) >= depth:
            line, own = lines[at].strip(), level(lines[at])
            at += 1
            if at < len(lines) and level(lines[at]) > own and nesting < _NESTED:
                inside = [*block(own + 1, nesting + 1)]
                yield element("details", element("summary", element("code", line, dir="auto")), *inside, class_="node", open=True)  # fmt: skip
            else:
                yield element("p", element("code", line, dir="auto"), class_="leaf")

    yield _proof_folding()
    yield element("div", *block(0, 0), class_="proof")


def _proof_folding() -> Markup:
    return element(
        "p", element("button", "Unfold all", type="button", data_fold="open"), " ",
        element("button", "Fold all", type="button", data_fold="closed"), class_="search",
    )  # fmt: skip


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
        yield section("Proof", *_steps([*map(str, found["proof"])]))
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
