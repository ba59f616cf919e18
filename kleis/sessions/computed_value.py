"""The value of an expression in a universe, and the fields of the answer for a computation. Nothing here asks a prover."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kleis.elaborate.question import (
    Question,
    check_names_asked,
    computed_with_constants,
    symbols_left,
    warnings_of,
)
from kleis.errors import KleisError
from kleis.problems import AnswerWarning
from kleis.sessions.answer_fields import problem_fields, warned
from kleis.sessions.numeric_data import data_fields
from kleis.syntax import tree
from kleis.syntax.operators import canonical_name

if TYPE_CHECKING:
    from kleis.evaluator.outcomes import Evaluation
    from kleis.sessions.answer_shapes import FailedAnswer, ValueAnswer
    from kleis.theory.theory import Theory

__all__ = ["error_fields", "is_bare", "value_fields", "value_of", "value_warnings"]


def value_of(question: Question, theory: Theory, *, granted_root: Path | None = None) -> ValueAnswer:
    """The answer for a computation, which nothing is proved for.

    Raises `KleisError` for names that nothing declares and for what has no value.
    """
    from kleis.budget import STANDARD_BUDGET
    from kleis.evaluator.environment import environment_of
    from kleis.evaluator.evaluate import evaluate as compute

    letters = check_names_asked(question, theory)
    asked, constants = computed_with_constants(question, theory)
    found = compute(asked, environment_of(theory, granted_root=granted_root), STANDARD_BUDGET)
    return value_fields(found, question, letters, theory, constants)


def value_warnings(
    found: Evaluation,
    question: Question,
    letters: Sequence[str],
    theory: Theory,
    constants: Sequence[AnswerWarning] = (),
) -> tuple[AnswerWarning, ...]:
    """The warnings of a computation with a value: lints, letters that stay symbols, and what is never equal."""
    from kleis.budget import STANDARD_BUDGET, Meter
    from kleis.values import is_partial, is_symbolic

    warnings = [*warnings_of(question.lints), *constants]
    read = {each.message.partition(" ")[0] for each in constants}
    letters = [each for each in letters if each not in read]
    if is_partial(found.value) or is_symbolic(found.value, Meter(STANDARD_BUDGET)):
        warnings += [*symbols_left(letters), *_no_value(question.expression, theory)]
    if found.mixed:
        message = f"it compares {found.mixed}, which are never equal: is that meant?"
        warnings.append(AnswerWarning("never-equal", message))
    return tuple(warnings)


def value_fields(
    found: Evaluation,
    question: Question,
    letters: Sequence[str],
    theory: Theory,
    constants: Sequence[AnswerWarning] = (),
) -> ValueAnswer:
    """The answer for a computation with a value."""
    from kleis.budget import STANDARD_BUDGET, Meter
    from kleis.values import is_partial, is_symbolic, render_value

    fields: ValueAnswer = {"status": "value", "result": render_value(found.value)}
    if found.approximate:
        fields["approximate"] = True
        data = data_fields(found.value)
        if data is not None:
            fields["data"] = data
    if is_partial(found.value) or is_symbolic(found.value, Meter(STANDARD_BUDGET)):
        fields["symbolic"] = True
    if found.output:
        fields["output"] = list(found.output)
    return warned(value_warnings(found, question, letters, theory, constants), fields)


def error_fields(
    error: KleisError, *, prefix: str = "", warnings: Iterable[AnswerWarning] = ()
) -> FailedAnswer:
    """The answer for an expression with an error, or a computation without a value."""
    text = str(error)
    failed: FailedAnswer = {
        "status": "error",
        "error": f"{prefix}: {text}" if prefix else text,
        "problem": problem_fields([error])[0],
    }
    return warned(warnings, failed)


def is_bare(asked: tree.Expression, theory: Theory) -> bool:
    """Whether an expression is only a name without a value, such as a structure's: it claims nothing."""
    return isinstance(asked, tree.Name) and not theory.operations(canonical_name(asked.name))


def _no_value(asked: tree.Expression, theory: Theory) -> tuple[AnswerWarning, ...]:
    """The warning of a declared name alone that has no value, such as a structure's."""
    if not isinstance(asked, tree.Name) or not is_bare(asked, theory) or asked.name not in theory.names:
        return ()
    return (AnswerWarning("no-value", f"{asked.name} is no value", "ask describe_schema what it is"),)
