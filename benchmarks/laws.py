"""The cost of laws of tools: translation, proof, checking again.

Limit: the laws of a tool of 50 nodes checked in under 300 ms warm. Figures are medians of one run; the
prover's worker is warm, no verdict is cached.

    python -m benchmarks --only laws
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pif.language.decode import decode_term
from registry.laws.check_laws import check_laws
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.translate.tool_theory import ToolTheory
from registry.workspace.requests import Evolve
from registry.workspace.workspace import Workspace

__all__ = ["LIMITS", "measure"]

LIMITS = {
    "laws of a tool of 50 nodes, proved without certificates (ms)": 300.0,
    "laws of a tool of 50 nodes, checked again from nothing (ms)": 300.0,
}
"""The most that a figure may be."""

_ROUNDS = 9


def _clamp() -> Any:
    """A tool of some 50 nodes: a polynomial that is kept between bounds."""
    x: Any = {"var": "x"}
    value: Any = 7
    for factor in (1, -2, 3, 5, 8):
        value = {"add": [{"mul": [value, x]}, factor]}
    low, high = -1000, 1000
    bounded = {"if": {"cond": {"lt": [{"var": "v"}, low]}, "then": low,
                      "else": {"if": {"cond": {"gt": [{"var": "v"}, high]}, "then": high, "else": {"var": "v"}}}}}  # fmt: skip
    more = {
        "let": {"w": bounded},
        "in": {"sub": [{"mul": [2, {"var": "w"}]}, {"add": [{"var": "w"}, {"mod": [{"var": "w"}, 2]}]}]},
    }
    return {
        "lam": "x",
        "body": {
            "let": {"v": value},
            "in": {"let": {"v": {"add": [{"var": "v"}, {"mul": [x, 0]}]}}, "in": more},
        },
    }


_LAWS = ("safe(clamped)", "∀(x : ℤ). clamped(x) ≤ 1000", "∀(x : ℤ). clamped(x) ≥ -1001")


def _median(action: Callable[[], object]) -> float:
    times = []
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1000


def measure() -> dict[str, float]:
    """The table."""
    code = _clamp()
    with tempfile.TemporaryDirectory() as home:
        workspace = Workspace(SqliteStore(Path(home)))
        made = workspace.evolve(Evolve("clamped", "A bounded polynomial", code, laws=_LAWS))
        assert [law["status"] for law in made["laws"]] == ["proved"] * len(_LAWS), made
        tools = workspace.tools()
        tool = tools.tool("clamped")
        assert tool is not None
        expressions = [each.expression for each in map(_reader(workspace), _LAWS)]
        theory = ToolTheory(tools)
        theory.of(tool)
        figures = {
            "nodes of the tool": float(decode_term(code).nodes),
            "translating the tool (ms)": _median(lambda: ToolTheory(tools).of(tool)),
            "laws of a tool of 50 nodes, proved without certificates (ms)": _median(
                lambda: [workspace.prover.verify(theory.theory, each) for each in expressions]
            ),
            "laws of a tool of 50 nodes, proved with certificates (ms)": _median(
                lambda: check_laws("clamped", _LAWS, tools, tools.names, workspace.prover)
            ),
            "laws of a tool of 50 nodes, checked again from nothing (ms)": _median(
                lambda: workspace.check_laws("clamped")
            ),
        }
        workspace.close()
    return figures


def _reader(workspace: Workspace) -> Callable[[str], Any]:
    from registry.laws.check_laws import LawCheck

    tools = workspace.tools()
    return LawCheck(tools, tools.names, workspace.prover).read
