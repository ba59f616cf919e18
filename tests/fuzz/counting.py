"""What a long run of the property suites did, counted: examples, programs by kind and outcome, failures.

Counts of several processes add up; `summary` says them in words.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

__all__ = ["KINDS", "Counts", "counted_run", "examples_in", "falsified", "kinds_of"]

KINDS: dict[str, frozenset[str]] = {
    "runs quoted code": frozenset({"eval"}),
    "calls itself": frozenset({"self"}),
    "asks to be called again": frozenset({"continue"}),
    "builds or studies code": frozenset({"quote", "reify", "reflect", "code_of", "analyze", "normalize"}),
    "loops": frozenset({"fold", "range"}),
    "makes functions": frozenset({"lam"}),
}
"""Kinds of programs by the operations that they hold; a program may be of several. One of none is plain."""

_EXAMPLES = re.compile(r"(\d+) passing\D+?(\d+) failing\D+?(\d+) invalid")
_FALSIFIED = re.compile(r"(?:Falsifying example|Failing test case): .*", re.DOTALL)


class Counts:
    """Numbers by name, and the failures: test and the text of its smallest example."""

    def __init__(self) -> None:
        self.numbers: Counter[str] = Counter()
        self.failures: dict[str, str] = {}

    def add(self, text: str) -> None:
        """Add what another process counted."""
        other = json.loads(text)
        self.numbers.update(other["numbers"])
        self.failures.update(other["failures"])

    def text(self) -> str:
        return json.dumps({"numbers": self.numbers, "failures": self.failures})

    def ran(self, code: Any, answer: dict[str, Any]) -> None:
        """Note one program and how it ended."""
        self.numbers["programs"] += 1
        for kind in kinds_of(code) or ["plain"]:
            self.numbers[f"kind: {kind}"] += 1
        outcome = answer["error"]["kind"] if answer["type"] == "error" else answer["type"]
        self.numbers[f"outcome: {outcome}"] += 1

    def summary(self) -> str:
        """The counts for a person, the shortest failure last."""
        numbers = self.numbers
        programs = numbers["programs"]
        lines = [
            f"examples   {numbers['examples']} in {numbers['tests']} properties "
            f"({numbers['invalid']} more were no examples)",
            f"programs   {programs} run, {_share(numbers['outcome: out_of_fuel'], programs)} out of fuel",
        ]
        for group in ("kind", "outcome"):
            found = sorted(
                ((name, count) for name, count in numbers.items() if name.startswith(f"{group}: ")),
                key=lambda pair: (-pair[1], pair[0]),
            )
            listed = ", ".join(f"{name[len(group) + 2 :]} {_share(count, programs)}" for name, count in found)
            lines.append(f"{'by ' + group:10} {listed or 'none'}")
        lines.append(f"failures   {len(self.failures) or 'none'}")
        if self.failures:
            test, example = min(self.failures.items(), key=lambda pair: (len(pair[1]), pair[0]))
            lines += [f"shortest   {test}", *(f"  {line}" for line in example.splitlines()[:40])]
        return "\n".join(lines)


def _share(count: int, all_of_them: int) -> str:
    return f"{100 * count / all_of_them:.1f} %" if all_of_them else "none"


def kinds_of(code: Any) -> list[str]:
    """The kinds of a program, by the keys of its JSON."""
    keys: set[str] = set()
    stack = [code]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            keys.update(part)
            stack.extend(part.values())
        elif isinstance(part, list):
            stack.extend(part)
    return [kind for kind, operations in KINDS.items() if operations & keys]


def counted_run(counts: Counts, run: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """`pif.run.evaluate.run` that also counts."""

    def counting(request: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        answer = run(request, *args, **kwargs)
        counts.ran(request.code, answer)
        return answer

    return counting


def examples_in(statistics: str) -> tuple[int, int]:
    """How many examples ran, and how many were given up as invalid, by what Hypothesis says of a test."""
    found = [tuple(map(int, numbers)) for numbers in _EXAMPLES.findall(statistics)]
    return sum(passing + failing for passing, failing, _ in found), sum(invalid for _, _, invalid in found)


def falsified(error: BaseException) -> str:
    """The smallest example that an error was shrunk to, or the error itself."""
    notes = [*getattr(error, "__notes__", [])]
    for inner in getattr(error, "exceptions", ()):
        notes += getattr(inner, "__notes__", [])
    examples = [found[0] for note in notes if (found := _FALSIFIED.search(note))]
    return min(examples, key=len) if examples else f"{type(error).__name__}: {error}"
