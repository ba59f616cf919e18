"""Words of command lines, and what their output holds."""

from __future__ import annotations

import json
import sys
from typing import Any

from click.testing import Result

SQUARE = '{"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}'
FACTORIAL = (
    '{"lam": "p", "body": {"if": {"cond": {"lte": [{"fst": {"var": "p"}}, 1]}, "then": {"snd": {"var": "p"}}, '
    '"else": {"continue": {"input": {"pair": [{"sub": [{"fst": {"var": "p"}}, 1]}, '
    '{"mul": [{"fst": {"var": "p"}}, {"snd": {"var": "p"}}]}]}}}}}}'
)


def command(*arguments: object, program: str = "pif") -> list[str]:
    """The words that start `pif`, or another program of ours, as a process."""
    return [sys.executable, "-P", "-m", f"registry.cli.{program}", *map(str, arguments)]


def answer(result: Result) -> Any:
    """The object that `--json` printed: one line and nothing else."""
    assert result.stdout.count("\n") == 1, result.output
    return json.loads(result.stdout)
