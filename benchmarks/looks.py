"""What it costs to look whether an answer needs a warning: the same calls with the looks and without them.

A look asks whether a number was rounded, whether a value is probably not what was wanted, whether values of two kinds
were compared. Without them means that the functions that look are replaced by ones that do not; nothing else differs.
The calls take turns one by one, so that both see the same machine.

    python -m benchmarks --only looks
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from contextlib import closing
from itertools import islice
from pathlib import Path

from benchmarks.policy import actions, starter_policy
from benchmarks.stdio_latency import Peer, keep_same
from kleis.evaluator import matching
from kleis.policy.policy import load_policy
from kleis.values import equality
from registry.store.sqlite.sqlite_store import SqliteStore

__all__ = ["LIMITS", "measure"]

LIMITS = {
    "a run over stdio, with the looks / without": 1.05,
    "a decision of a policy, with the looks / without": 1.05,
}
"""The most that a ratio of medians may be."""

_BLIND = """
import sys
import pif.run.evaluate as evaluate
import registry.workspace.run_scheduling as scheduling
import registry.workspace.workspace as workspace

evaluate._Run.warnings = lambda run: ()
evaluate.warned = lambda answer, warnings: answer
scheduling.needs_words = workspace.needs_words = lambda request, answer: False

from registry.cli.pif import main

sys.exit(main(sys.argv[1:]))
"""
"""The command `pif` without the looks of a run."""

_CALLS = 3_000
_ROUNDS = 1_000
_KINDS = 5
"""Actions of one round of decisions: one of each kind, none of which occurs twice."""
_WARM = 100


def measure() -> dict[str, float]:
    """The ratios, and the medians that they are of in microseconds."""
    return {**_runs(), **_decisions()}


def _runs() -> dict[str, float]:
    with tempfile.TemporaryDirectory() as home:
        with closing(SqliteStore(Path(home))) as store:
            keep_same(store)
        arguments = ["--home", home, "serve"]
        with (
            Peer([sys.executable, "-m", "registry.cli.pif", *arguments], {}, handshake=True) as looking,
            Peer([sys.executable, "-c", _BLIND, *arguments], {}, handshake=True) as blind,
        ):
            looking.times(_WARM)
            blind.times(_WARM)
            spent: dict[str, list[int]] = {"with": [], "without": []}
            for _ in range(_CALLS):
                spent["with"] += looking.times(1)
                spent["without"] += blind.times(1)
    return _ratio("a run over stdio", spent)


def _decisions() -> dict[str, float]:
    policy = load_policy(starter_policy())
    given = [(each.pop("action"), each) for each in islice(actions(), _KINDS * (_WARM + 2 * _ROUNDS))]
    looks = {"with": equality.differ_in_kind, "without": lambda a, b, meter: False}
    spent: dict[str, list[int]] = {"with": [], "without": []}
    try:
        for number in range(_WARM + 2 * _ROUNDS):
            # With, without, without, with: what changes from one round to the next falls on both alike.
            name = ("with", "without", "without", "with")[number % 4]
            equality.differ_in_kind = matching.differ_in_kind = looks[name]
            begun = time.perf_counter_ns()
            for action, arguments in given[_KINDS * number : _KINDS * (number + 1)]:
                policy.decide(action, arguments)
            if number >= _WARM:
                spent[name].append((time.perf_counter_ns() - begun) // _KINDS)
    finally:
        equality.differ_in_kind = matching.differ_in_kind = looks["with"]
    return _ratio("a decision of a policy", spent)


def _ratio(what: str, spent: dict[str, list[int]]) -> dict[str, float]:
    medians = {name: statistics.median(times) / 1_000 for name, times in spent.items()}
    return {
        f"{what}, with the looks / without": medians["with"] / medians["without"],
        f"{what}, with the looks (µs)": medians["with"],
    }
