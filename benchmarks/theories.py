"""Theory sessions: the cost of a question and of a submission, and its independence of the session's size.

Limits: `evaluate` of a trivial proposition under 40 ms warm; submitting to a 1,000-item session at most 1.5× as long as
to a 10-item one.

    python -m benchmarks --only theories

Sessions of 10 and of 1,000 items are grown in turns by the same kinds of submission, each verified.  Evaluations go over
stdio to a warm server; every proposition is asked once, so that no verdict is one of an earlier question.
"""

from __future__ import annotations

import itertools
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.peer import Connection, serving
from kleis.prover.process.deadline import Deadline
from kleis.sessions import Sessions, open_sessions
from kleis.sessions.files.record import ItemKind, heading, item_of, item_text
from kleis.syntax.parser.parser import parse_source

__all__ = ["LIMITS", "measure"]

LIMITS = {
    "evaluate, a trivial proposition, median (ms)": 40.0,
    "submit a structure: 1,000 items / 10 (times)": 1.5,
    "submit a section: 1,000 items / 10 (times)": 1.5,
    "submit a define: 1,000 items / 10 (times)": 1.5,
}
"""The most that a figure may be."""

_SIZES = {"small": 10, "large": 1_000}
_ROUNDS = 15
_RECURSION = 100_000


def _structure(n: int) -> str:
    return f"structure S{n}(A) {{ operation f{n} : A → A  axiom a : ∀(x : A). f{n}(f{n}(x)) = x }}"


def _section(n: int) -> str:
    return f"structure Q{n} {{ operation g{n} : ℤ → ℤ  axiom b : ∀(x : ℤ). g{n}(x) > x }}"


def _define(n: int) -> str:
    return f"define d{n}(x : ℤ) : ℤ = x + {n}"


_KINDS: dict[str, tuple[ItemKind, Callable[[int], str]]] = {
    "structure": ("structure", _structure),
    "section": ("structure", _section),
    "define": ("define", _define),
}


def _claims() -> Iterator[str]:
    """Propositions that need nothing but arithmetic, each another one."""
    return (f"∀(x : ℝ). x + {n} = {n} + x" for n in itertools.count(1))


def _filled(sessions: Sessions, name: str, size: int) -> None:
    """A session of a size, written as its file and not one by one."""
    basis = sessions.imported_theories.theory_of(("stdlib/prelude.kleis",))
    makers = [make for _, make in _KINDS.values()]
    texts = [makers[n % len(makers)](n) for n in range(size)]
    items = [item_of(parse_source(text).program.items, text, status="consistent") for text in texts]
    file = Path(sessions.place(name))
    file.parent.mkdir(parents=True)
    file.write_text(heading(basis.imports, basis.digest) + "".join(map(item_text, items)))


def _growth() -> dict[str, float]:
    """Submissions to a large session against those to a small one, in turns."""
    found: dict[str, float] = {}
    numbers = itertools.count(100_000)
    with tempfile.TemporaryDirectory() as home:
        sessions = open_sessions(Path(home), environment={})
        sessions.warm_up()
        for name, size in _SIZES.items():
            _filled(sessions, name, size)
            sessions.universe(name)
        for kind, (tool, make) in _KINDS.items():
            times: dict[str, list[float]] = {name: [] for name in _SIZES}
            for _, name in itertools.product(range(_ROUNDS), _SIZES):
                text = make(next(numbers))
                begun = time.perf_counter()
                checked, _ = sessions.submit(name, text, tool, Deadline(40))
                times[name].append(time.perf_counter() - begun)
                if checked.status != "consistent":
                    raise RuntimeError(f"{text}: {checked.status}")
            medians = {name: statistics.median(each) for name, each in times.items()}
            found[f"submit a {kind} to 10 items, median (ms)"] = medians["small"] * 1_000
            found[f"submit a {kind}: 1,000 items / 10 (times)"] = medians["large"] / medians["small"]
        sessions.close()
    return found


def _evaluate(server: Connection, expression: str) -> None:
    answer = server.call("evaluate", {"expression": expression})["result"]["structuredContent"]
    if answer["status"] not in ("verified", "value"):
        raise RuntimeError(f"{expression}: {answer}")


def _questions() -> dict[str, float]:
    """Milliseconds over stdio, warm."""
    rows: dict[str, list[float]] = {"a value": [], "a trivial proposition": [], "the same again": []}
    with tempfile.TemporaryDirectory() as home, serving(Path(home)) as server:
        claims = _claims()
        for _ in range(5):
            _evaluate(server, next(claims))
        for _ in range(3 * _ROUNDS):
            claim = next(claims)
            for name, expression in (
                ("a value", "2 + 3"),
                ("a trivial proposition", claim),
                ("the same again", claim),
            ):
                begun = time.perf_counter()
                _evaluate(server, expression)
                rows[name].append((time.perf_counter() - begun) * 1_000)
    return {f"evaluate, {name}, median (ms)": statistics.median(each) for name, each in rows.items()}


def measure() -> dict[str, float]:
    """Medians of one run."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _RECURSION))
    return {**_questions(), **_growth()}
