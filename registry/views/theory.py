"""A theory: structures with what they inherit, operations with their notation, axioms as mathematics, sessions side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from registry.diagrams import Drawing, Edge, Node
from registry.views.actions import button, buttons, field, form, lines
from registry.views.graph import picture
from registry.views.markup import Markup, element, joined
from registry.views.mathematics import formula
from registry.views.page import View
from registry.views.parts import (
    code,
    facts,
    folded,
    listed,
    plain,
    problem_facts,
    search,
    section,
    status_badge,
    table,
    warnings,
)
from registry.views.tool import error_view
from registry.views.verdict import evidence_parts

__all__ = ["comparison_view", "loaded_view", "schema_view", "session_view", "submission_view"]

_FORMULAS = 400
"""Axioms of one page that are drawn as mathematics; more are code."""


def schema_view(answer: Mapping[str, Any]) -> View:
    """What is declared, of the fields of `describe_schema`: a session, or one name of it; a policy's is a policy."""
    schema = answer.get("schema")
    if not isinstance(schema, Mapping):
        return error_view(answer)
    if "policy_file" in schema:
        from registry.views.policy import policy_schema_view

        return policy_schema_view(answer)
    return _Theory(schema).view()


class _Theory:
    """The page of one schema."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._schema = schema
        self._session = str(schema.get("session", "default"))
        self._drawn = 0

    def view(self) -> View:
        schema = self._schema
        name = str(schema.get("name", ""))
        title = name or f"Theory {self._session}"
        declared = schema.get("declarations")
        parts = [element("h1", title, dir="auto")]
        if declared is not None:
            back = button(
                "All of the session", "describe_schema", {"session": self._session, "depth": "full"}
            )
            parts += [buttons(back, *self._asks(name)), *map(self._declaration, declared)]
            parts.append(self._mentions(schema.get("mentioned_by") or ()))
        else:
            parts += self._whole(schema)
        parts.append(self._propositions(schema.get("propositions") or ()))
        parts.append(self._asking())
        return View(title, joined(parts))

    def _whole(self, schema: Mapping[str, Any]) -> Iterator[Markup]:
        stats = schema.get("stats") or {}
        said = ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in stats.items())
        yield facts([("Imports", ", ".join(map(str, schema.get("imports") or ()))), ("Declared", said)])
        if schema.get("warning"):
            yield element("p", str(schema["warning"]), class_="notice")
        left_out = schema.get("left_out") or {}
        if left_out:
            counted = ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in left_out.items())
            yield element("p", f"Not shown: {counted}. Open one of them by its name.", class_="notice")
            yield form(
                "Open", "describe_schema", [field("Name", "name", required=True)], {"session": self._session}
            )
        structures = [_fields(each) for each in schema.get("structures") or ()]
        inheritance = _inheritance(structures)
        if inheritance.edges:
            yield section("Inheritance", picture(inheritance, "which structure extends which"))
        yield search("declared", "declarations")
        yield element("div", *self._kinds(structures), id="declared")

    def _kinds(self, structures: Sequence[Mapping[str, Any]]) -> Iterator[Markup]:
        for title, kind, fields in (
            ("Structures", "structure", structures),
            ("Data types", "data", [_fields(each) for each in self._schema.get("data_types") or ()]),
            ("Functions", "function", [_fields(each) for each in self._schema.get("functions") or ()]),
        ):
            if fields:
                yield section(title, *(self._declaration({"kind": kind, **each}) for each in fields))

    def _declaration(self, each: Mapping[str, Any]) -> Markup:
        name, kind = str(each.get("name", "")), str(each.get("kind", ""))
        parameters = ", ".join(map(str, each.get("type_params") or ()))
        title = f"{kind} {name}" + (f"({parameters})" if parameters else "")
        inside = [*self._declared(each, kind), self._links(name, kind)]
        return element(
            "details", element("summary", title, dir="auto"), *inside, open="in" in each or kind == "structure", data_row=True
        )  # fmt: skip

    def _links(self, name: str, kind: str) -> Markup:
        opened = button("Open", "describe_schema", {"session": self._session, "name": name})
        return buttons(opened, *(self._asks(name) if kind == "structure" else ()))

    def _asks(self, name: str) -> Sequence[Markup]:
        return (
            button("Find a model", "find_models", {"session": self._session, "about": name}),
            button("Find laws", "explore", {"session": self._session, "structure": name}),
        )

    def _declared(self, each: Mapping[str, Any], kind: str) -> Iterator[Markup]:
        if each.get("in"):
            yield facts([("Of", str(each["in"]))])
            yield self._formula(each.get("kleis", "")) if kind == "axiom" else code(each.get("kleis", ""))
            return
        yield facts([("Extends", str(each.get("extends") or "")), ("Over", str(each.get("over") or ""))])
        yield self._operations(each.get("operations") or (), "Operations")
        yield self._operations(each.get("fields") or (), "Fields")
        yield self._axioms(each.get("axioms") or (), "Axioms")
        inherited = each.get("inherited") or {}
        if inherited.get("error"):
            yield element("p", f"What it inherits is not known: {inherited['error']}", class_="notice")
        yield self._operations(inherited.get("operations") or (), "Inherited operations")
        yield self._axioms(inherited.get("axioms") or (), "Inherited axioms")
        if each.get("nested"):
            yield self._operations(each["nested"], "Structures inside")
        if each.get("variants"):
            rows = [_variant(one) for one in each["variants"]]
            yield table(["constructor", "fields"], rows)
        if "params" in each:
            yield facts(
                [
                    ("Parameters", ", ".join(map(str, each.get("params") or ()))),
                    ("Result", str(each.get("result") or "")),
                ]
            )
        if each.get("body"):
            yield element("p", self._formula(each["body"]), class_="formula")
        if each.get("kleis"):
            yield folded("As it is written", code(each["kleis"]))

    @staticmethod
    def _operations(members: Sequence[Mapping[str, Any]], caption: str) -> Markup:
        if not members:
            return Markup("")
        rows = [[_notation(each), element("code", str(each.get("type", "")))] for each in members]
        return table(["notation", "type"], rows, caption=caption)

    def _axioms(self, axioms: Sequence[Any], caption: str) -> Markup:
        if not axioms:
            return Markup("")
        rows = [
            [str(each.get("name", "")), self._formula(each.get("kleis", ""))]
            if isinstance(each, Mapping)
            else [str(each), ""]
            for each in axioms
        ]
        return table(["axiom", "says"], rows, caption=caption)

    def _formula(self, written: object) -> Markup:
        self._drawn += 1
        return formula(written) if self._drawn <= _FORMULAS else element("code", str(written), dir="auto")

    def _mentions(self, names: Sequence[str]) -> Markup:
        if not names:
            return Markup("")
        made = [button(each, "describe_schema", {"session": self._session, "name": each}) for each in names]
        return section("Mentioned by", buttons(*made), element("p", ", ".join(names), class_="still", dir="auto"))  # fmt: skip

    def _propositions(self, propositions: Sequence[Mapping[str, Any]]) -> Markup:
        if not propositions:
            return Markup("")
        rows = [
            [
                self._formula(each.get("kleis", "")),
                str(each.get("description", "")),
                button(
                    "Decide",
                    "evaluate",
                    {"session": self._session, "expression": str(each.get("kleis", "")), "explain": True},
                ),
            ]
            for each in propositions
        ]
        return section("Worth trying", table(["proposition", "asks", ""], rows))

    def _asking(self) -> Markup:
        asked = form(
            "Decide", "evaluate", [lines("Expression or proposition", "expression", required=True)],
            {"session": self._session, "explain": True},
        )  # fmt: skip
        tried = form(
            "Try", "try_structure", [lines("Declarations, which are checked and not kept", "kleis", required=True)],
            {"session": self._session},
        )  # fmt: skip
        return joined((asked, tried))


def _fields(each: Any) -> Mapping[str, Any]:
    return each if isinstance(each, Mapping) else {"name": str(each)}


def _variant(each: Any) -> list[str]:
    if not isinstance(each, Mapping):
        return [str(each), ""]
    fields = each.get("fields") or ()
    said = (f"{one['name']} : {one['type']}" if isinstance(one, Mapping) else str(one) for one in fields)
    return [str(each.get("name", "")), ", ".join(said)]


def _notation(member: Mapping[str, Any]) -> Markup:
    """An operation as it is written between its arguments: ``x ⊙ y`` for a sign of two, else its name."""
    name, kind = str(member.get("name", "")), str(member.get("type", ""))
    is_sign = bool(name) and not any(each.isalnum() or each == "_" for each in name)
    if is_sign and (" × " in kind.partition(" → ")[0] or kind.count(" → ") == 2):
        return formula(f"x {name} y")
    return element("code", name, dir="auto")


def _inheritance(structures: Sequence[Mapping[str, Any]]) -> Drawing:
    """Which structure extends which, those alone left out."""
    names = {str(each.get("name", "")) for each in structures}
    edges: dict[Edge, None] = {}
    for each in structures:
        for relation in ("extends", "over"):
            above = str(each.get(relation) or "").partition("(")[0]
            if above in names and above != each.get("name"):
                edges[Edge(above, str(each["name"]), "" if relation == "extends" else "over")] = None
    ends = {end for edge in edges for end in (edge.source, edge.target)}
    return Drawing(tuple(Node(name, name, "strong") for name in sorted(ends)), tuple(edges))


def session_view(answer: Mapping[str, Any]) -> View:
    """The submissions of a session, or all sessions, of the fields of `list_session`."""
    if "sessions" in answer:
        return _sessions(answer)
    if "items" not in answer:
        return error_view(answer)
    session = str(answer.get("session", ""))
    rows = [
        [
            str(each.get("number", "")),
            str(each.get("kind", "")),
            status_badge(str(each.get("status", "unknown"))),
            element("code", str(each.get("kleis", ""))),
        ]
        for each in answer["items"]
    ]
    opened = button("Open the theory", "describe_schema", {"session": session, "depth": "full"})
    body = joined(
        (
            element("h1", f"Session {session}", dir="auto"),
            warnings(answer),
            facts(
                [
                    ("Imports", ", ".join(map(str, answer.get("imports") or ()))),
                    ("Submissions", str(answer.get("count", len(rows)))),
                ]
            ),
            buttons(opened),
            table(["number", "kind", "state", "as it is written"], rows)
            if rows
            else element("p", "Nothing was submitted."),
            _further(answer, "list_session", {"session": session}),
        )
    )
    return View(f"Session {session}", body)


def _further(answer: Mapping[str, Any], tool: str, arguments: Mapping[str, Any]) -> Markup:
    if "next_offset" not in answer:
        return Markup("")
    return buttons(button("More", tool, {**arguments, "offset": answer["next_offset"]}))


def _sessions(answer: Mapping[str, Any]) -> View:
    rows = [
        [
            str(each.get("session", "")),
            ", ".join(map(str, each.get("imports") or ())) or str(each.get("error", "")),
            str(each.get("count", "")),
            str(each.get("unknown", "")),
            joined(
                (
                    button(
                        "Open", "describe_schema", {"session": str(each.get("session", "")), "depth": "full"}
                    ),
                    button("Submissions", "list_session", {"session": str(each.get("session", ""))}),
                ),
                " ",
            ),
        ]
        for each in answer["sessions"]
    ]
    names = ", ".join(str(each.get("session", "")) for each in answer["sessions"][:6])
    compared = form(
        "Compare", "compare",
        [lines("Propositions, one a line", "propositions", "lines", required=True),
         field("Sessions, with commas", "sessions", "names", value=names, required=True)],
    )  # fmt: skip
    begun = form(
        "Begin", "load_theory",
        [field("New session", "session", required=True), field("Imports, with commas", "imports", "names", value="stdlib/algebra")],
    )  # fmt: skip
    body = joined(
        (
            element("h1", "Theories"),
            search("sessions", "sessions"),
            table(["session", "imports", "submissions", "open", ""], rows, id="sessions")
            if rows
            else element("p", "There is no session yet."),
            _further(answer, "list_session", {"session": "*"}),
            folded("Universes side by side", compared),
            folded("A new universe", begun),
        )
    )
    return View("Theories", body)


def submission_view(answer: Mapping[str, Any]) -> View:
    """What became of declarations, of the fields of `submit_…` and `try_structure`."""
    status = str(answer.get("status", "error"))
    added = [
        (title, ", ".join(map(str, answer.get(name) or ())))
        for title, name in (
            ("Structures", "structures_added"),
            ("Functions", "functions_added"),
            ("Data types", "data_types_added"),
            ("Axioms with a model", "axioms_verified"),
            ("Axioms that clash", "clash"),
        )
    ]
    kept = "" if "accepted" not in answer else "yes" if answer["accepted"] else "no"
    session = str(answer.get("session", ""))
    parts = [
        element("h1", status_badge(status)),
        warnings(answer),
        facts([("Accepted", kept), ("Session", session), *added, ("Try", str(answer.get("hint", "")))]),
    ]
    if answer.get("error"):
        parts.append(code(answer["error"]))
    for problem in answer.get("problems") or ():
        parts.append(facts([("Problem", str(problem.get("message", ""))), *problem_facts(problem)]))
    if answer.get("model"):
        parts.append(section("A model", *evidence_parts(answer["model"])))
    if answer.get("counterexample"):
        parts.append(section("Counterexample", *evidence_parts(answer["counterexample"])))
    if answer.get("parts"):
        rows = [
            [str(each.get("name", "")), status_badge(str(each.get("status", "")))] for each in answer["parts"]
        ]
        parts.append(section("Parts", table(["part", "state"], rows)))
    if session:
        parts.append(
            buttons(button("Open the theory", "describe_schema", {"session": session, "depth": "full"}))
        )
    return View(f"{status}: a submission", joined(parts))


def loaded_view(answer: Mapping[str, Any]) -> View:
    """A session begun, saved or stepped back, as facts with the way to it."""
    if answer.get("status") == "error" or "structures_added" in answer:
        return submission_view(answer) if "structures_added" in answer else error_view(answer)
    session = str(answer.get("session", ""))
    said = [
        (name.replace("_", " ").capitalize(), listed([*map(str, value)]) if isinstance(value, list) else str(value))
        for name, value in answer.items() if name not in ("status", "session", "warnings", "undone")
    ]  # fmt: skip
    body = joined(
        (
            element("h1", f"Session {session}", dir="auto"),
            warnings(answer),
            facts([("State", status_badge(str(answer.get("status", "")))), *said]),
            section(
                "Dropped",
                facts((name.capitalize(), plain(value)) for name, value in answer["undone"].items()),
            )
            if answer.get("undone")
            else Markup(""),
            buttons(button("Open the theory", "describe_schema", {"session": session, "depth": "full"})),
        )
    )
    return View(f"Session {session}", body)


def comparison_view(answer: Mapping[str, Any]) -> View:
    """Universes side by side, of the fields of `compare`: a column each, what each verdict used below it."""
    if answer.get("status") != "compared":
        return error_view(answer)
    sessions = [str(each) for each in answer.get("sessions") or ()]
    rows = [
        [
            formula(row.get("proposition", "")),
            "≠" if row.get("differs") else "=",
            *(
                _in_session(str(row.get("proposition", "")), each, (row.get("in") or {}).get(each) or {})
                for each in sessions
            ),
        ]
        for row in answer.get("propositions") or ()
    ]
    differ = len(answer.get("differ") or ())
    body = joined(
        (
            element("h1", "Universes side by side"),
            warnings(answer),
            element("p", f"{differ} of {len(rows)} propositions are decided differently."),
            table(["proposition", "same", *sessions], rows),
        )
    )
    return View("Universes side by side", body)


def _in_session(proposition: str, session: str, found: Mapping[str, Any]) -> Markup:
    used = ", ".join(map(str, (*(found.get("axioms_used") or ()), *(found.get("lemmas") or ()))))
    clash = ", ".join(map(str, found.get("clash") or ()))
    said = [
        ("used", used),
        ("value", str(found.get("result", ""))),
        ("witness", str(found.get("witness") or "")),
        ("clash", clash),
        ("because", str(found.get("reason", "") or found.get("error", ""))),
    ]
    asked = {"session": session, "expression": proposition, "explain": True}
    return joined(
        (
            status_badge(str(found.get("status", "unknown"))),
            facts(said),
            button("Open", "evaluate", asked),
        )
    )
