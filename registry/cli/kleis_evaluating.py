"""`kleis eval`: the value of one expression, with files imported first.

What the expression prints goes to standard error, so that standard output is its value.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kleis.errors import BudgetError, EvaluationError, KleisError, LoadError, ParseError
from registry.cli.kleis_files import STANDARD_INPUT, make_loader, standard_input
from registry.cli.kleis_report import render
from registry.cli.kleis_terminal import complain, say

__all__ = ["evaluate_text"]


def evaluate_text(
    expression: str, imports: Sequence[str], path: Sequence[Path], granted_root: Path | None
) -> int:
    """Print the value of an expression; the exit status."""
    from kleis.budget import STANDARD_BUDGET
    from kleis.evaluation.environment import environment_of
    from kleis.evaluation.evaluate import evaluate
    from kleis.parser import parse_expression
    from kleis.values import render_value

    try:
        text = standard_input() if expression == STANDARD_INPUT else expression
    except LoadError as unreadable:
        _refuse(unreadable, "")
        return 1
    lines = "\n".join(f"import {_quoted(name)}" for name in imports)
    loading = make_loader(path).load_text(lines, file="<import>", directory=Path.cwd())
    for error in loading.errors:
        _refuse(error, loading.text_of(error.file))
    if loading.errors:
        return 1
    try:
        tree = parse_expression(text, file="<expression>")
        environment = environment_of(loading.theory, granted_root=granted_root)
        answer = evaluate(tree, environment, STANDARD_BUDGET)
    except ParseError as error:
        _refuse(error, text)
        return 1
    except (EvaluationError, BudgetError) as error:
        _refuse(error, text if error.file in ("<expression>", "<text>") else loading.text_of(error.file))
        return 1
    for printed in answer.output:
        complain(printed)
    say(render_value(answer.value))
    return 0


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _refuse(error: KleisError, text: str) -> None:
    complain(render(error, text), style="bad")
