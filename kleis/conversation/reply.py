"""What becomes of a statement: one value for the terminal, for notebooks and for whoever else shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from kleis.pictures.picture import Picture

__all__ = ["Outcome", "Reply", "ReplyKind", "exit_status"]

ReplyKind: TypeAlias = Literal[
    "evaluation", "submission", "imports", "models", "example", "listing", "declarations", "message"
]
"""Which fields a reply has: those of `kleis.sessions.answer_shapes`, else those that `replies` describes."""

Outcome: TypeAlias = Literal["held", "failed", "ill-formed", "unknown"]

_STATUS: dict[Outcome, int] = {"held": 0, "failed": 1, "ill-formed": 2, "unknown": 3}
_WORST: tuple[Outcome, ...] = ("ill-formed", "failed", "unknown", "held")


class Reply(msgspec.Struct, frozen=True):
    """The answer to one statement.

    kind, fields
        What is answered, as JSON values.
    outcome
        Whether all is well, something does not hold, the statement is wrong, or it is not known.
    text
        The statement.
    pictures
        What it drew, as data.
    """

    kind: ReplyKind
    fields: Mapping[str, Any]
    outcome: Outcome = "held"
    text: str = ""
    pictures: tuple[Picture, ...] = ()


def exit_status(outcomes: Sequence[Outcome]) -> int:
    """The exit status of a script of statements: that of the worst; 0 where all is well.

    >>> exit_status(["held", "unknown", "failed"]), exit_status([])
    (1, 0)
    """
    return next((_STATUS[each] for each in _WORST if each in outcomes), 0)
