"""Speed of the Kleis front end: parsing, loading the library, evaluating.

Figures hold for one machine; the ratios compare with other work done in the same run.  Texts are the library and the
test programs, repeated to the length needed, so that the input is realistic.

    python -m benchmarks.kleis_language
"""

from __future__ import annotations

import gc
import json
import math
import os
import re
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

__all__ = ["LIMITS", "measure"]

LIMITS = {"parse 300 kB, cold (ms)": 1000.0, "load the prelude, warm (ms)": 30.0}
"""The most that a figure may be."""

_ROOT = Path(__file__).resolve().parent.parent
_ROUNDS = 5
_TEXT_SIZE = 300_000
_TOKEN = re.compile(r'\s+|//[^\n]*|/\*.*?\*/|"(?:[^"\\]|\\.)*"|\w+|.', re.DOTALL)

LIST_PROGRAMS = {
    "map": "length(map(λ x . x * x, range(10000)))",
    "filter": "length(filter(λ x . mod(x, 3) = 0, range(10000)))",
    "fold": "foldl(λ a x . a + x, 0, range(10000))",
    "reverse": "length(reverse(range(10000)))",
    "sum": "sum(range(10000))",
}


def measure() -> dict[str, float]:
    """Medians of several rounds; the unit is part of each name."""
    return {**_reading(), **_loading(), **_evaluating()}


def _reading() -> dict[str, float]:
    from kleis.syntax.parser.parser import parse_source

    text = _sample()
    kilobytes = len(text.encode()) / 1000
    result = parse_source(text)
    if not result.ok:
        raise ValueError(f"the sample does not parse: {result.errors[0]}")
    tree = json.dumps([part.split() for part in text.splitlines()])
    parsing = _seconds(lambda: parse_source(text))
    tokens = _seconds(lambda: _TOKEN.findall(text))
    data = _seconds(lambda: json.loads(tree))
    return {
        "parse 300 kB, cold (ms)": parsing / kilobytes * 300 * 1000,
        "parse / bare regex tokens (times)": parsing / tokens,
        "parse / json.loads of its words (times)": parsing / data,
    }


def _loading() -> dict[str, float]:
    """The prelude by a new loader each time: cold without a cache, warm with one filled before."""
    from kleis.theory.import_search import search_from
    from kleis.theory.loader import Loader
    from kleis.theory.parse_cache import ParseCache

    search = search_from(os.environ)
    if search.library is None:
        return {}
    prelude = search.library / "prelude.kleis"

    def load(cache: ParseCache | None) -> None:
        loading = Loader(search, cache=cache).load(prelude)
        if not loading.ok:
            raise ValueError(f"the prelude does not load: {loading.errors[0]}")

    with tempfile.TemporaryDirectory() as directory:
        load(ParseCache(Path(directory) / "cache"))
        cold = _seconds(lambda: load(None))
        warm = _seconds(lambda: load(ParseCache(Path(directory) / "cache")))
    return {
        "load the prelude, cold (ms)": cold * 1000,
        "load the prelude, warm (ms)": warm * 1000,
        "load the prelude, warm / cold (times)": warm / cold,
    }


def _evaluating() -> dict[str, float]:
    """Each program under the standard budget; its time beside the same work in Python."""
    from kleis.budget import STANDARD_BUDGET
    from kleis.evaluator.environment import environment_of
    from kleis.evaluator.evaluate import evaluate
    from kleis.syntax.parser.parser import parse_expression, parse_program
    from kleis.values import render_value

    program = parse_program("define fact(n) = if n <= 0 then 1 else n * fact(n - 1)")
    environment = environment_of(program)

    def value(text: str) -> str:
        return render_value(
            evaluate(parse_expression(text), environment, STANDARD_BUDGET).value, limit=100_000
        )

    if value("fact(3000) / fact(2998)") != str(3000 * 2999):
        raise ValueError("fact(3000) is wrong")
    seconds = _seconds(lambda: value("fact(3000)"))
    direct = _seconds(lambda: _factorial(3000))
    figures = {"fact(3000) (ms)": seconds * 1000, "fact(3000) / a loop in Python (times)": seconds / direct}
    for name, text in LIST_PROGRAMS.items():
        figures[f"{name} over 10,000 elements (ms)"] = _seconds(lambda text=text: value(text)) * 1000
    return figures


def _factorial(number: int) -> int:
    product = 1
    for factor in range(2, number + 1):
        product *= factor
    if product != math.factorial(number):
        raise ValueError("the loop is wrong")
    return product


def _sample() -> str:
    """One long realistic text: programs without their imports, repeated."""
    places = (_ROOT / "stdlib" / "kleis", _ROOT / "tests" / "kleis_programs")
    files = sorted(path for place in places for path in place.rglob("*.kleis"))
    from kleis.syntax.parser.parser import parse_source

    texts = [path.read_text(encoding="utf-8") for path in files]
    good = "\n".join(text for text in texts if parse_source(text).ok)
    if not good:
        raise ValueError("there is no library to read")
    return (good + "\n") * max(1, _TEXT_SIZE // len(good))


def _seconds(work: Callable[[], object]) -> float:
    """The median time of several rounds, after a warm-up."""
    work()
    gc.collect()
    rounds = []
    for _ in range(_ROUNDS):
        begun = time.perf_counter()
        work()
        rounds.append(time.perf_counter() - begun)
    return statistics.median(rounds)


if __name__ == "__main__":
    for figure, measured in measure().items():
        print(f"{figure:42} {measured:10.2f}")
