"""The evaluator of `stdlib/pif/evaluate.json` called as a tool, and the part of its answers that must equal those of
`run`.
"""

from __future__ import annotations

from typing import Any

from pif.language.budget import Budget
from pif.language.terms import Json
from pif.run.evaluate import Answer, Request, run
from registry.tools.code_and_examples import verified
from registry.tools.library import Library
from registry.tools.snapshot_tools import LibraryTools, TermCache

__all__ = ["LIMITS", "hosted", "library_tools", "outcome"]

LIMITS = frozenset(
    {"out_of_fuel", "too_deep", "term_too_deep", "value_too_large", "result_too_large", "eval_depth_exceeded"}
)
"""Errors that depend on how much of a limit a run uses, which is not promised to be the same."""

_FUEL = 5_000_000


def library_tools() -> LibraryTools:
    """The library alone, as a run sees it."""
    return LibraryTools(Library(verified), TermCache())


def hosted(
    tools: LibraryTools,
    code: Json | None,
    *,
    given: Json = None,
    known: dict[str, Json] | None = None,
    tool: str | None = None,
    fuel: int = 100_000,
) -> Answer:
    """What `std.evaluate` gives for a term, an input and tools, or the error of the run that called it."""
    request: dict[str, Json] = {
        "fuel": fuel,
        "input": {"quote": given},
        "tools": {"record": {name: {"quote": term} for name, term in (known or {}).items()}},
    }
    request |= {"code": {"quote": code}} if tool is None else {"tool": tool}
    # As an input: code that calls the evaluator would be compiled for every request, the evaluator within it.
    answer = run(
        Request(tool="std.evaluate", input={"record": request}, raw=True),
        tools,
        Budget(fuel=_FUEL, depth=30_000),
    )
    return answer["value"] if answer["type"] == "value" and "value" in answer else answer


def outcome(answer: Answer) -> tuple[Any, ...]:
    """What of a hosted answer must be as the host's."""
    match answer["type"]:
        case "value":
            return ("value", answer.get("kind"), answer.get("value"))
        case "continuation":
            return ("continuation", answer["tool"])
        case _:
            return ("error", answer["error"]["kind"])
