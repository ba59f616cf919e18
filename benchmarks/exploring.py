"""Conjectures about groups: all equations between terms of at most five and of at most six symbols over three variables.

    python -m benchmarks --only exploring

Without cached verdicts and with cold workers. The decisions at size five are checked against the free group, in which an equation
holds exactly if it holds in all groups. A last row measures one question of a tool to a theory.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from kleis.explore.equations import read_equation
from kleis.syntax.parser.parser import parse_expression
from kleis.theory.import_search import search_from
from kleis.theory.loader import Loader
from kleis.theory.theory import Theory
from pif.language.budget import Budget
from pif.run.evaluate import Request, run
from registry.explore.asked import Asked
from registry.explore.explore_request import explored
from registry.oracles.theory_oracle import TheorySnapshot
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.workspace.workspace import Workspace
from tests.support.terms.tool_dictionary import Dictionary
from tests.support.theories.free_groups import holds_in_groups

__all__ = ["LIMITS", "measure"]

LIMITS = {
    "explore groups, size 5 (s)": 5.0,
    "explore groups, size 6 (s)": 60.0,
    "equations not decided (%)": 10.0,
    "equations decided wrongly": 0.0,
    "a question to a warm theory (ms)": 300.0,
}
"""The most that a figure may be."""

_OPERATIONS = {"•": 2, "inv": 1, "e": 0}
_ROUNDS = 9


def measure() -> dict[str, float]:
    """The figures, by row."""
    loading = Loader(search_from({}, path=())).load_text(
        'import "stdlib/prelude.kleis"\n', file="<benchmark>", directory=Path.cwd()
    )
    with tempfile.TemporaryDirectory() as home:
        store = SqliteStore(Path(home))
        try:
            seconds, found = _explored(loading.theory, store, 5)
            more_seconds, _ = _explored(loading.theory, store, 6)
            with closing(TheorySnapshot(loading.theory)) as snapshot:
                asking = _asking(snapshot)
        finally:
            store.close()
    true = [row["law"] for row in (*found["laws"], *found["follows"])]
    false = [row["law"] for row in found["refuted"]]
    wrong = sum(not _holds(law) for law in true) + sum(_holds(law) for law in false)
    total = found["candidates"]
    return {
        "explore groups, size 5 (s)": seconds,
        "explore groups, size 6 (s)": more_seconds,
        "equations": float(total),
        "equations proved or following": float(len(true)),
        "equations not decided (%)": 100 * (total - len(true) - len(false)) / total,
        "equations decided wrongly": float(wrong),
        "a question to a warm theory (ms)": asking,
    }


def _explored(theory: Theory, store: SqliteStore, size: int) -> tuple[float, dict[str, Any]]:
    """The seconds that an exploration takes, and its answer."""
    with closing(TheorySnapshot(theory)) as snapshot:
        begun = time.perf_counter()
        found = explored(
            snapshot, Workspace(store).tools(), Asked(structure="Group", size=size, limit=1_000_000)
        )
        return time.perf_counter() - begun, found


def _holds(law: str) -> bool:
    equation = read_equation(parse_expression(law), _OPERATIONS)
    assert equation is not None
    return holds_in_groups(equation)


def _asking(snapshot: TheorySnapshot) -> float:
    """Milliseconds of a run with a question that is not cached."""
    taken = []
    for number in range(_ROUNDS):
        code = {"verify": f"∀(x y : ℤ). x < y → x + {number} < y + {number}"}
        begun = time.perf_counter()
        answer = run(Request(code=code), Dictionary(), Budget(fuel=100_000), theory=snapshot.for_run())
        taken.append(time.perf_counter() - begun)
        assert answer["value"]["verdict"] == "verified"
    return statistics.median(taken) * 1_000
