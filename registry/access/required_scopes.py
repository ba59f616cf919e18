"""Which scope each method of MCP and each tool needs.

The table is closed: a method or a tool that is not in it needs `admin`, so that what is added later is not open by being forgotten;
a test compares the table with the tools that there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["EVOLVED", "METHODS", "METRICS", "TOOLS", "scope_of_method", "scope_of_tool"]

METHODS: Final[Mapping[str, str | None]] = {
    # Of the conversation itself: whoever is somebody may have one. Lists of tools show what the caller may call.
    "initialize": None,
    "server/discover": None,
    "ping": None,
    "logging/setLevel": None,
    "tools/list": None,
    "notifications/initialized": None,
    "notifications/cancelled": None,
    "notifications/progress": None,
    "notifications/roots/list_changed": None,
    "notifications/elicitation/complete": None,
    "subscriptions/listen": "read",
    "resources/list": "read",
    "resources/templates/list": "read",
    "resources/read": "read",
    "resources/subscribe": "read",
    "resources/unsubscribe": "read",
    "prompts/list": "read",
    "prompts/get": "read",
    "completion/complete": "read",
}
"""Of every method but ``tools/call``, which needs what its tool needs. None: every principal may."""

METRICS: Final = "admin"
"""Of the page ``/metrics``, which counts the calls of all principals."""

EVOLVED: Final = "run"
"""Of evolved tools, under their own names."""

TOOLS: Final[Mapping[str, Mapping[str, str]]] = {
    "pif": {
        "evolve": "evolve", "run": "run", "list": "read", "help": "read", "analyze": "run", "history": "read", "diff": "read",
        "rollback": "evolve", "forget": "evolve", "export": "evolve", "import": "evolve", "fuzz": "run",
        "check_laws": "run",
    },
    "theory": {
        "evaluate": "theory", "describe_schema": "read", "submit_structure": "theory", "submit_define": "theory",
        "submit_data": "theory", "submit_lemma": "theory", "try_structure": "theory", "list_session": "read",
        "load_theory": "theory", "save_theory": "theory", "explore": "theory", "check_job": "theory", "undo": "theory",
        "compare": "theory", "explain": "theory", "certify": "theory", "find_models": "theory", "check_machine": "theory",
    },
    "policy": {
        "check_action": "policy", "list_rules": "policy", "explain_rule": "policy", "describe_schema": "policy",
        "evaluate": "policy", "audit_policy": "policy", "compare_policies": "policy",
    },
    "lean": {
        "prove": "theory", "check_proof": "theory", "prove_file": "theory", "check_prove_file": "theory", "formalize": "theory",
        "check_formalize": "theory", "cancel": "theory", "aristotle_status": "read", "list_jobs": "theory",
    },
    "corpus": {
        "list_declarations_for_paper": "read", "list_declarations_in_file": "read",
        "get_dependency_graph_for_declaration": "read", "search_declarations": "read", "list_papers": "read",
        "audit_paper": "read",
    },
    "documents": {"draw_plot": "run", "assemble_document": "theory"},
}  # fmt: skip

_SHARING: Final = "read"
"""Of `export` where it writes no directory: it answers what is shared with other registries."""

_SAVING: Final = "theory"
"""Of `import` where it takes in saved theories, as `save_theory` does."""

_LAST_RESORT: Final = "admin"


def scope_of_method(method: str) -> str | None:
    """The scope that a method needs; None where every principal may call it."""
    return METHODS.get(method, _LAST_RESORT)


def scope_of_tool(group: str, name: str, arguments: Any = None) -> str:
    """The scope that a call needs: of a tool that several groups share, that of the group which its argument `scope` names."""
    if group == "pif" and isinstance(arguments, Mapping):
        if name == "export" and not arguments.get("directory"):
            return _SHARING
        if name == "import" and (arguments.get("theories") or arguments.get("questions")):
            return _SAVING
    meant = arguments.get("scope") if isinstance(arguments, Mapping) else None
    if isinstance(meant, str) and name in TOOLS.get(meant, ()):
        group = meant
    return TOOLS.get(group, {}).get(name, _LAST_RESORT)
