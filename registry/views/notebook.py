"""The values of the Python functions as HTML, for notebooks: verdicts, answers, theories.

`as_html` gives the text that a notebook shows for a value; `install` makes the classes give it of themselves (`_repr_html_`), so that
`pif` and `kleis` need not know of views. A view in a notebook is folded by the browser and asks nobody.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from registry.views.actions import offering
from registry.views.page import View, fragment

if TYPE_CHECKING:
    from kleis.theory.theory import Theory
    from pif.run.scripting import Tool

__all__ = ["as_html", "install", "view_of_value"]

_ANSWERS: Mapping[str, tuple[str, str]] = {
    "models": ("models", "models_view"),
    "machine": ("models", "machine_view"),
    "exploration": ("exploration", "exploration_view"),
    "value": ("run", "run_view"),
    "continuation": ("run", "run_view"),
    "tool": ("tool", "evolved_view"),
    "tools": ("tool", "tools_view"),
    "laws": ("tool", "laws_view"),
    "analysis": ("tool", "analysis_view"),
    "diff": ("tool", "difference_view"),
    "history": ("tool", "history_view"),
    "fuzz": ("tool", "fuzz_view"),
    "error": ("tool", "tool_view"),
}
"""The field `type` of an answer → the module and the function of its view."""


def as_html(value: object) -> str | None:
    """A value as HTML; None for a value that has no view."""
    with offering(frozenset()):
        view = view_of_value(value)
    return None if view is None else fragment(view)


def view_of_value(value: object) -> View | None:
    """The view of a verdict, of a theory, or of an answer as a dictionary; None where there is none."""
    from kleis.prover.protocol.verdict import Verdict
    from kleis.theory.theory import Theory

    match value:
        case Verdict():
            from kleis.sessions.answer_fields import verdict_fields
            from registry.views.verdict import verdict_view

            return verdict_view(verdict_fields(value, explain=True))
        case Theory():
            return _of_theory(value)
        case Mapping():
            return _of_answer(value)
        case _:
            return None


def _of_theory(theory: Theory) -> View:
    from kleis.sessions.describe_universe import describe
    from kleis.sessions.files.imported_theory import ImportedTheory
    from kleis.sessions.files.universe import Universe
    from registry.views.theory import schema_view

    basis = ImportedTheory(
        imports=(), theory=theory, digest="", files=(), own=frozenset(), warnings=(), stamps=()
    )
    schema = describe(Universe.of("theory", basis), "full", session_file="")
    return schema_view({"schema": {**schema, "session": "here"}})


def _of_answer(answer: Mapping[str, Any]) -> View | None:
    from registry.views.answers import view_of

    if "status" in answer and ("result" in answer or "claim" in answer):
        return view_of(("verdict", "evaluation_view"), answer)
    address = _ANSWERS.get(str(answer.get("type", "")))
    if address is None:
        return None
    if address[1] == "evolved_view" and "code" in answer:
        address = ("tool", "tool_view")
    return view_of(address, answer)


def install() -> None:
    """Let verdicts, theories and PIF tools show themselves in notebooks."""
    from kleis.prover.protocol.verdict import Verdict
    from kleis.theory.theory import Theory
    from pif.run.scripting import Tool

    for each in (Verdict, Theory):
        each._repr_html_ = as_html  # type: ignore[union-attr]
    Tool._repr_html_ = _tool_as_html  # type: ignore[attr-defined]


def _tool_as_html(tool: Tool) -> str:
    """A tool without a home: its type, its term as an outline, the same as Python."""
    from pif.python_syntax import print_python
    from registry.views.tool import tool_view

    fields = {
        "name": tool.name,
        "version": 1,
        "inferred_type": tool.type,
        "code": tool.code,
        "python": print_python(tool.registered.term, tool.name),
    }
    with offering(frozenset()):
        return fragment(tool_view(fields))
