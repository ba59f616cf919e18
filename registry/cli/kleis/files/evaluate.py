"""`kleis eval`: the value of one expression, with files imported first.

What the expression prints goes to standard error, so that standard output is its value; with ``--json`` it is a field
of the object, which is what the tool `evaluate` of a server answers to a computation.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kleis.errors import BudgetError, EvaluationError, KleisError, LoadError, ParseError
from registry.cli.kleis.shared.loading import STANDARD_INPUT, make_loader, standard_input
from registry.cli.kleis.shared.reports import render
from registry.cli.terminal.plain_output import print_error, say

__all__ = ["evaluate_text"]


def evaluate_text(
    expression: str,
    imports: Sequence[str],
    path: Sequence[Path],
    granted_root: Path | None,
    *,
    as_json: bool = False,
) -> int:
    """Print the value of an expression; the exit status."""
    reject = _reject_in_json if as_json else _reject
    from kleis.budget import STANDARD_BUDGET
    from kleis.evaluator.environment import environment_of
    from kleis.evaluator.evaluate import evaluate
    from kleis.syntax.parser.parser import parse_expression
    from kleis.values import render_value

    try:
        text = standard_input() if expression == STANDARD_INPUT else expression
    except LoadError as unreadable:
        reject(unreadable, "")
        return 1
    lines = "\n".join(f"import {_quoted(name)}" for name in imports)
    loading = make_loader(path).load_text(lines, file="<import>", directory=Path.cwd())
    for error in loading.errors[:1] if as_json else loading.errors:
        reject(error, loading.text_of(error.file))
    if loading.errors:
        return 1
    try:
        tree = parse_expression(text, file="<expression>")
        environment = environment_of(loading.theory, granted_root=granted_root)
        answer = evaluate(tree, environment, STANDARD_BUDGET)
    except ParseError as error:
        reject(error, text)
        return 1
    except (EvaluationError, BudgetError) as error:
        reject(error, text if error.file in ("<expression>", "<text>") else loading.text_of(error.file))
        return 1
    if as_json:
        from kleis.sessions.evaluate_expression import value_fields

        _say_in_json(value_fields(answer, tree, loading.theory))
        return 0
    for printed in answer.output:
        print_error(printed)
    say(render_value(answer.value))
    return 0


def _say_in_json(answer: Mapping[str, Any]) -> None:
    from registry.cli.terminal.screen import json_text

    sys.stdout.write(json_text(answer) + "\n")


def _reject_in_json(error: KleisError, text: str) -> None:
    from kleis.sessions.evaluate_expression import error_fields

    del text  # its place is in the object
    prefix = "Parse error" if isinstance(error, ParseError) else ""
    _say_in_json(error_fields(error, prefix=prefix))


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _reject(error: KleisError, text: str) -> None:
    print_error(render(error, text), style="bad")
