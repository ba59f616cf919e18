"""What is wrong with a command line, as click says it. Click is imported where something is, and by who needs its parser."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from click import BadParameter, UsageError

__all__ = ["bad_parameter", "usage_error"]


def usage_error(message: str) -> UsageError:
    """Something that the command cannot do as it was asked."""
    from click import UsageError

    return UsageError(message)


def bad_parameter(message: str, argument: str = "") -> BadParameter:
    """An argument that stands for nothing; it is called `argument`, or as the command has it."""
    from click import BadParameter

    return BadParameter(message, param_hint=argument or None)
