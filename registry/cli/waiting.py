"""`--timeout SECONDS` of commands that ask the prover."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from kleis.prover.process.deadline import Watch

__all__ = ["SECONDS", "watch_of"]

SECONDS = click.FloatRange(min=0, min_open=True)


def watch_of(seconds: float | None) -> Watch | None:
    """The watch over a question; None where it may take as long as it takes."""
    if seconds is None:
        return None
    from kleis.prover.process.deadline import Watch

    return Watch(seconds)
