"""The workers of `--cluster`, as the commands use them that ask many questions of the prover.

See docs/how-to/use-a-cluster.md.  Workers look for certificates ahead of the command, which decides as ever; a cluster that
cannot be reached is said, and everything is decided here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from kleis.errors import KleisError
from registry.cli.terminal.plain_output import print_error

if TYPE_CHECKING:
    from kleis.batches.ahead import Ahead
    from kleis.prover.process.broker import Broker
    from registry.cli.terminal.live_line import LiveLine

__all__ = ["check_address", "noting", "workers_ahead"]


def check_address(address: str) -> None:
    """Refuse what names no cluster before anything is read."""
    from kleis.batches.cluster import parse_address

    try:
        parse_address(address)
    except KleisError as error:
        expected = f" (expected {', '.join(error.expected)})" if error.expected else ""
        raise click.UsageError(f"--cluster {address}: {error.message}{expected}; {error.hint}") from None


def noting(line: LiveLine | None) -> Callable[[str], None]:
    """What says something about workers beside a line of progress."""

    def note(text: str) -> None:
        if line is None:
            print_error(text, style="warning")
            return
        with line.hidden():
            print_error(text, style="warning")

    return note


@contextmanager
def workers_ahead(
    address: str,
    broker: Broker,
    *,
    effort: int = 1,
    line: LiveLine | None = None,
    over: Callable[[], bool] = lambda: False,
) -> Iterator[Ahead | None]:
    """The workers of an address, to be asked ahead; None without an address.  `over`: nobody waits for them any more."""
    if not address:
        yield None
        return
    from kleis.batches.ahead import Ahead
    from kleis.batches.cluster import Cluster

    with (
        Cluster(address) as cluster,
        Ahead(broker, cluster.opening, effort=effort, note=noting(line), over=over) as ahead,
    ):
        if line is not None:
            line.beside = lambda: str(ahead)
        yield ahead
