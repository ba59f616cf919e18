"""`kleis eval EXPRESSION` and `kleis verify PROPOSITION`, as they are mostly typed: without options there is nothing to parse.

To import click and to make the commands for it takes a sixth of such a command's time. What is done is what the commands of
`file_commands` and `question_commands` do with the defaults of their options, which a test compares.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from registry.cli.terminal.process import words

__all__ = ["without_options"]


def without_options(arguments: Sequence[str]) -> Callable[[frozenset[int]], int] | None:
    """The command that these arguments are, if they are one of the two with one text that is certainly no option."""
    if len(arguments) != 2 or not arguments[1] or arguments[1].startswith("-"):
        return None
    name, text = arguments
    answer = {"eval": _evaluate, "verify": _verify}.get(name)
    return None if answer is None else lambda closed: answer(words([text.lstrip()])[0])


def _evaluate(expression: str) -> int:
    from registry.cli.kleis.files.evaluate import evaluate_text

    return evaluate_text(expression, (), (), None)


def _verify(proposition: str) -> int:
    from registry.cli.kleis.questions.verify import verify
    from registry.cli.kleis.shared.question import Question

    return verify(Question(proposition=proposition), explain=False, as_json=False)
