"""A corpus: papers, their claims, and what each needs, with the state of its proof."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from registry.diagrams import Drawing, Edge, Node
from registry.views.actions import button, buttons, field, form
from registry.views.graph import picture
from registry.views.markup import Markup, element, joined
from registry.views.page import View
from registry.views.parts import facts, listed, search, section, status_badge, table
from registry.views.tool import error_view

__all__ = ["declarations_view", "dependencies_view", "paper_audit_view", "papers_view"]

_PROVED = ("machine_checked", "linked_to_kernel")


def papers_view(answer: Mapping[str, Any]) -> View:
    """The papers, of the fields of `list_papers`."""
    if "papers" not in answer:
        return error_view(answer)
    rows = [
        [
            str(each.get("title") or each.get("paper_id", "")),
            str(each.get("paper_id", "")),
            str(each.get("year", "")),
            str(each.get("domain", "")),
            str(each.get("cards", "")),
            str(each.get("edges", "")),
            status_badge(str(each.get("build", "unknown"))),
            joined(_of_paper(str(each.get("paper_id", ""))), " "),
        ]
        for each in answer["papers"]
    ]
    found = form(
        "Search", "search_declarations", [field("Words in claims, names, files", "query", required=True)]
    )
    titles = ["title", "paper", "year", "domain", "claims", "edges", "build", ""]
    body = (
        element("h1", f"{len(rows)} papers"),
        found,
        search("papers", "papers"),
        table(titles, rows, id="papers"),
    )
    return View("Corpus", joined(body))


def _of_paper(paper: str) -> Sequence[Markup]:
    return (
        button("Claims", "list_declarations_for_paper", {"paper_id": paper, "merge": True, "limit": 500}),
        button("Audit", "audit_paper", {"paper_id": paper}),
    )


def declarations_view(answer: Mapping[str, Any]) -> View:
    """Claims of papers, of the fields of `list_declarations_for_paper` and its kin."""
    if "declarations" not in answer:
        return error_view(answer)
    rows = [_declaration(each) for each in answer["declarations"]]
    total = answer.get("total", len(rows))
    problems = [*map(str, answer.get("problems") or ())]
    body = [
        element("h1", f"{total} claims"),
        facts([("Did you mean", ", ".join(map(str, answer.get("did_you_mean") or ())))]),
        search("claims", "claims"),
        table(
            ["declaration", "state", "claim", "card", "file", "signature", "review", ""], rows, id="claims"
        ),
    ]
    if isinstance(total, int) and int(answer.get("offset") or 0) + len(rows) < total:
        body.append(element("p", f"{len(rows):,} of {total:,} are shown.", class_="notice"))
    for title, said in (("Problems", problems), ("What is not read", [*map(str, answer.get("limits") or ())]),
                        ("Files that are absent", [*map(str, answer.get("absent_files") or ())])):  # fmt: skip
        if said:
            body.append(section(title, listed(said)))
    return View("Claims", joined(body))


def _declaration(each: Mapping[str, Any]) -> list[Markup | str]:
    name, state = str(each.get("lean_decl", "")), str(each.get("proof_status") or "")
    if each.get("has_sorry"):
        state = "has sorry"
    asked = {"lean_decl": name, "direction": "dependencies"}
    where = str(each.get("file_path") or "") + (f":{each['line']}" if each.get("line") else "")
    paper = {"paper_id": str(each["paper_id"])} if each.get("paper_id") else {}
    return [
        name,
        status_badge(state or "unknown"),
        str(each.get("claim") or each.get("claim_id") or ""),
        str(each.get("card_id") or ""),
        where,
        element("code", str(each.get("signature") or "")),
        ", ".join(
            str(each[name]) for name in ("verification_boundary", "reviewer_status") if each.get(name)
        ).replace("_", " "),
        joined(
            (
                button(
                    "Needs",
                    "get_dependency_graph_for_declaration",
                    {**asked, **paper},
                    inherit="" if paper else "paper_id",
                ),
                button(
                    "Used by", "get_dependency_graph_for_declaration",
                    {**asked, **paper, "direction": "dependents"}, inherit="" if paper else "paper_id",
                ),
            ),
            " ",
        ),
    ]  # fmt: skip


def dependencies_view(answer: Mapping[str, Any]) -> View:
    """What a declaration needs, or what needs it, of the fields of `get_dependency_graph_for_declaration`."""
    if "lean_decl" not in answer:
        return error_view(answer)
    name, paper = str(answer["lean_decl"]), str(answer.get("paper_id", ""))
    title = name.rpartition(".")[2] or name
    ways = [
        button(
            label,
            "get_dependency_graph_for_declaration",
            {"paper_id": paper, "lean_decl": name, "direction": direction},
        )
        for label, direction in (("What it needs", "dependencies"), ("What needs it", "dependents"))
    ]
    claims = button("All claims of the paper", "list_declarations_for_paper", {"paper_id": paper, "merge": True, "limit": 500})  # fmt: skip
    parts = [
        element("h1", title, dir="auto"),
        facts([("Declaration", name), ("Paper", paper), ("Direction", str(answer.get("direction", "")))]),
        buttons(*ways, claims),
    ]
    parts += _slice(answer) if "nodes" in answer else _whole(answer)
    return View(title, joined(parts))


def _slice(answer: Mapping[str, Any]) -> Iterator[Markup]:
    nodes = [each for each in answer["nodes"] if isinstance(each, Mapping)]
    if answer.get("truncated"):
        yield element(
            "p", f"Not all of it is shown: {_truncation(answer['truncated'])}.", class_="notice"
        )  # the answer says by what it was cut
    yield picture(_drawing(nodes, answer.get("edges") or ()), f"{len(nodes)} declarations and what they need")
    rows = [
        [
            str(each.get("lean_decl", "")),
            status_badge(str(each.get("proof_status") or "unknown")),
            str(each.get("relation", "")),
            str(each.get("distance", "")),
            str(each.get("paper_id", "")),
            str(each.get("file_path") or ""),
        ]
        for each in nodes
    ]
    yield search("nodes", "declarations")
    yield table(["declaration", "state", "relation", "distance", "paper", "file"], rows, id="nodes")
    impact = ", ".join(f"{count} {kind}" for kind, count in (answer.get("impact") or {}).items())
    cycles = ["; ".join(map(str, each)) for each in answer.get("cycles") or ()]
    yield facts(
        [
            ("Impact", impact),
            ("Unknown ends", ", ".join(map(str, answer.get("unknown_ends") or ()))),
            ("Cycles", " | ".join(cycles)),
        ]
    )


def _truncation(said: object) -> str:
    if isinstance(said, Mapping):
        return ", ".join(f"{name} {value}" for name, value in said.items())
    return "it is larger than what was asked for" if said is True else str(said)


def _whole(answer: Mapping[str, Any]) -> Iterator[Markup]:
    cards = [
        [
            str(each.get("id", "")),
            str(each.get("lean_decl", "")),
            status_badge(str(each.get("proof_status") or "unknown")),
            ", ".join(map(str, each.get("dependency_ids") or ())),
        ]
        for each in answer.get("cards") or ()
    ]
    yield section("Cards", table(["card", "declaration", "state", "needs"], cards))
    edges = answer.get("manifest_dependency_graph") or ()
    ends = dict.fromkeys(str(each.get(end, "")) for each in edges for end in ("from", "to"))
    if ends:
        yield section(
            "The whole paper",
            picture(_drawing([{"card_id": each} for each in ends], edges), f"{len(ends)} cards"),
        )


def _drawing(nodes: Sequence[Mapping[str, Any]], edges: Sequence[Any]) -> Drawing:
    """Declarations as boxes, an arrow from what is needed to what needs it; a heavy border says proved."""
    drawn: dict[str, Node] = {}
    for each in nodes:
        name = str(each.get("card_id") or each.get("lean_decl") or "")
        label, state = (
            str(each.get("lean_decl") or name).rpartition(".")[2] or name,
            str(each.get("proof_status") or ""),
        )
        kind = "strong" if state in _PROVED else "plain" if state or "lean_decl" not in each else "faint"
        drawn.setdefault(name, Node(name, f"{label}\n{state}" if state else label, kind))  # type: ignore[arg-type]
    arrows: dict[Edge, None] = {}
    for one in edges:
        if not isinstance(one, Mapping):
            continue
        source, target = str(one.get("from", "")), str(one.get("to", ""))
        for end in (source, target):
            drawn.setdefault(end, Node(end, end, "faint"))
        arrows[Edge(source, target, style="solid" if one.get("confidence") in ("high", None) else "dashed")] = None  # fmt: skip
    return Drawing(tuple(drawn.values()), tuple(arrows))


def paper_audit_view(answer: Mapping[str, Any]) -> View:
    """Whether a paper's files agree, of the fields of `audit_paper`."""
    if "paper_id" not in answer:
        return error_view(answer)
    paper = str(answer["paper_id"])
    graph = answer.get("graph") or {}
    figures = [
        (name.replace("_", " ").capitalize(), _said(value)) for name, value in graph.items() if value not in ([], {})
    ]  # fmt: skip
    problems = [*map(str, answer.get("problems") or ())]
    body = [
        element("h1", f"Audit of {paper}", dir="auto"),
        element("p", status_badge("failed" if problems else "valid")),
        facts([("Build", status_badge(str(answer.get("build", "")))), *figures]),
        buttons(*_of_paper(paper)[:1]),
    ]
    if problems:
        body.append(section("Problems", listed(problems)))
    edges = answer.get("edges") or ()
    if edges:
        rows = [
            [
                f"{each.get('from', '')} → {each.get('to', '')}",
                str(each.get("basis", "")),
                str(each.get("confidence", "")),
                ", ".join(map(str, each.get("via") or ())),
            ]
            for each in edges
        ]
        body.append(section("Published edges", table(["edge", "basis", "confidence", "through"], rows)))
    for title, name in (
        ("Edges that are missing", "missing_edges"),
        ("Declarations without a card", "uncarded"),
        ("Not in the text", "not_in_text"),
        ("Files that are absent", "absent_files"),
        ("What is not read", "limits"),
    ):
        if answer.get(name):
            body.append(section(title, listed([_said(each) for each in answer[name]])))
    return View(f"Audit of {paper}", joined(body))


def _said(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {each}" for name, each in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
