"""Which view shows the answer of which tool, and of which resource."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any
from urllib.parse import unquote

from registry.views.page import View

__all__ = ["EVOLVED", "TOOLS", "resource_view", "view_of"]

TOOLS: Mapping[tuple[str, str], tuple[str, str]] = {
    ("pif", "evolve"): ("tool", "evolved_view"),
    ("pif", "run"): ("run", "run_view"),
    ("pif", "list"): ("tool", "tools_view"),
    ("pif", "help"): ("tool", "help_view"),
    ("pif", "analyze"): ("tool", "analysis_view"),
    ("pif", "history"): ("tool", "history_view"),
    ("pif", "diff"): ("tool", "difference_view"),
    ("pif", "rollback"): ("tool", "evolved_view"),
    ("pif", "fuzz"): ("tool", "fuzz_view"),
    ("pif", "check_laws"): ("tool", "laws_view"),
    ("theory", "evaluate"): ("verdict", "evaluation_view"),
    ("theory", "explain"): ("verdict", "verdict_view"),
    ("theory", "certify"): ("verdict", "certified_view"),
    ("theory", "describe_schema"): ("theory", "schema_view"),
    ("theory", "submit_structure"): ("theory", "submission_view"),
    ("theory", "submit_define"): ("theory", "submission_view"),
    ("theory", "submit_data"): ("theory", "submission_view"),
    ("theory", "submit_lemma"): ("theory", "submission_view"),
    ("theory", "try_structure"): ("theory", "submission_view"),
    ("theory", "list_session"): ("theory", "session_view"),
    ("theory", "load_theory"): ("theory", "loaded_view"),
    ("theory", "save_theory"): ("theory", "loaded_view"),
    ("theory", "undo"): ("theory", "loaded_view"),
    ("theory", "compare"): ("theory", "comparison_view"),
    ("theory", "find_models"): ("models", "models_view"),
    ("theory", "check_machine"): ("models", "machine_view"),
    ("theory", "explore"): ("exploration", "exploration_view"),
    ("theory", "check_job"): ("job", "job_view"),
    ("policy", "check_action"): ("policy", "decision_view"),
    ("policy", "list_rules"): ("policy", "rules_view"),
    ("policy", "explain_rule"): ("policy", "rule_view"),
    ("policy", "describe_schema"): ("theory", "schema_view"),
    ("policy", "evaluate"): ("verdict", "evaluation_view"),
    ("policy", "audit_policy"): ("policy", "audit_view"),
    ("policy", "compare_policies"): ("policy", "policy_comparison_view"),
    ("corpus", "list_papers"): ("corpus", "papers_view"),
    ("corpus", "list_declarations_for_paper"): ("corpus", "declarations_view"),
    ("corpus", "list_declarations_in_file"): ("corpus", "declarations_view"),
    ("corpus", "search_declarations"): ("corpus", "declarations_view"),
    ("corpus", "get_dependency_graph_for_declaration"): ("corpus", "dependencies_view"),
    ("corpus", "audit_paper"): ("corpus", "paper_audit_view"),
}
"""Group and tool → the module of this package and the function that makes the view of an answer."""

EVOLVED = ("run", "run_view")
"""The view of answers of evolved tools, which have names of their own."""


def view_of(address: tuple[str, str], answer: Mapping[str, Any]) -> View:
    """The view of an answer by a function of `TOOLS`; where the work goes on, how far it is."""
    if answer.get("type") == "job":
        given = answer.get("answer")
        begun = TOOLS.get(("theory", str(answer.get("title", "")).partition(" ")[0]))
        if begun is not None and isinstance(given, Mapping):
            return view_of(begun, given)
        address = "job", "job_view"
    make: Callable[[Mapping[str, Any]], View] = getattr(
        import_module(f"registry.views.{address[0]}"), address[1]
    )
    return make(answer)


def resource_view(uri: str, contents: Any) -> View | None:
    """The view of a resource of JSON; None where it has none."""
    match unquote(uri).split("/"):
        case ["pif:", "", "tools"]:
            from registry.views.tool import tools_view

            return tools_view(contents)
        case ["pif:", "", "graph.json"]:
            from registry.views.graph import tools_graph_view

            return tools_graph_view(contents)
        case ["pif:", "", "tools", _]:
            from registry.views.tool import tool_view

            return tool_view(contents)
        case ["kleis:", "", "verdicts", _]:
            from registry.views.verdict import verdict_view

            return verdict_view(contents)
        case ["kleis:", "", "sessions", _, _]:
            from registry.views.theory import schema_view

            return schema_view({"schema": contents})
        case _:
            return None
