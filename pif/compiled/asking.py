"""Questions to the theory from compiled code: charged as in `reference.asking`, with which it changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from pif.language.host import Refusal, Theory, ask, asking_charge, question_of
from pif.language.values import Value

__all__ = ["asked"]


class _Asking(Protocol):
    theory: Theory | None
    cancelled: Callable[[], bool] | None


def asked(
    session: _Asking, charge: Callable[[int], None], operation: str, value: Value
) -> tuple[Value, bool]:
    """The theory's answer; False where there is none, which is for the reference to explain."""
    question, is_one = question_of(operation, value)
    if not is_one:
        return None, False
    charge(asking_charge(operation, question))
    answer = ask(session.theory, operation, question, session.cancelled)
    charge(answer.fuel)
    return (None, False) if isinstance(answer, Refusal) else (answer.value, True)
