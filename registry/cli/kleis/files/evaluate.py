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
from kleis.problems import AnswerWarning
from registry.cli.kleis.shared.loading import STANDARD_INPUT, make_loader, standard_input
from registry.cli.kleis.shared.reports import render
from registry.cli.kleis.shared.strict import IMPORTING, strict_errors
from registry.cli.terminal.plain_output import print_error, say

__all__ = ["evaluate_text"]


def evaluate_text(
    expression: str,
    imports: Sequence[str],
    path: Sequence[Path],
    granted_root: Path | None,
    *,
    as_json: bool = False,
    strict: bool = False,
) -> int:
    """Print the value of an expression; the exit status."""
    warnings: tuple[AnswerWarning, ...] = ()

    def reject(error: KleisError, text: str) -> None:
        if as_json:
            _reject_in_json(error, warnings)
        else:
            _print_warnings(warnings)
            print_error(render(error, text), style="bad")

    from kleis.elaborate.question import read_question, warnings_of
    from kleis.sessions.computed_value import value_of

    try:
        text = standard_input() if expression == STANDARD_INPUT else expression
    except LoadError as unreadable:
        reject(unreadable, "")
        return 1
    lines = "\n".join(f"import {_quoted(name)}" for name in imports)
    loading = make_loader(path).load_text(lines, file=IMPORTING, directory=Path.cwd())
    errors = strict_errors(loading, strict=strict)
    for error in errors[:1] if as_json else errors:
        reject(error, loading.text_of(error.file))
    if errors:
        return 1
    try:
        question = read_question(text, file="<expression>")
        warnings = warnings_of(question.lints)
        answer = value_of(question, loading.theory, granted_root=granted_root)
    except (EvaluationError, BudgetError) as error:
        reject(error, text if error.file in ("<expression>", "<text>") else loading.text_of(error.file))
        return 1
    except KleisError as error:
        reject(error, text)
        return 1
    if as_json:
        _say_in_json(answer)
        return 0
    _print_warnings([AnswerWarning(**each) for each in answer.get("warnings", ())])
    for printed in answer.get("output", ()):
        print_error(printed)
    say(answer["result"])
    return 0


def _say_in_json(answer: Mapping[str, Any]) -> None:
    from registry.cli.terminal.screen import json_text

    sys.stdout.write(json_text(answer) + "\n")


def _print_warnings(warnings: Sequence[AnswerWarning]) -> None:
    """Before the answer, on standard error: standard output is the value."""
    for each in warnings:
        print_error(f"warning  {each}", style="note")


def _reject_in_json(error: KleisError, warnings: Sequence[AnswerWarning]) -> None:
    from kleis.sessions.computed_value import error_fields

    prefix = "Parse error" if isinstance(error, ParseError) else ""
    _say_in_json(error_fields(error, prefix=prefix, warnings=warnings))


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
