"""The jobs of running servers as rows: see `registry.store.job_board.JobBoard`. All times are the database's."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, Literal

from registry.store.job_board import KeptJob
from registry.store.postgres.connections import Connections
from registry.store.postgres.listening import Following
from registry.store.postgres.transactions import Transactions
from registry.store.sql.rows import Rows

__all__ = ["JobBoardRows"]

_COLUMNS: Final = (
    "id, client, kind, title, status, extract(epoch FROM coalesce(ended, now()) - begun),"
    " extract(epoch FROM now() - seen), message"
)


class JobBoardRows:
    """The jobs of one schema."""

    def __init__(self, connections: Connections, transactions: Transactions) -> None:
        self._connections = connections
        self._transactions = transactions

    def begin(self, job: KeptJob, *, age: float, most: int) -> None:
        """Write the row, and make room."""

        def act(rows: Rows) -> None:
            rows.execute("DELETE FROM jobs WHERE ended < now() - make_interval(secs => ?)", (age,))
            rows.execute("DELETE FROM jobs WHERE seen < now() - make_interval(secs => ?)", (24 * age,))
            rows.execute(
                "DELETE FROM jobs WHERE id IN"
                " (SELECT id FROM jobs WHERE ended IS NOT NULL ORDER BY ended DESC OFFSET ?)",
                (most,),
            )
            rows.execute(
                "INSERT INTO jobs (id, client, kind, title, status, message) VALUES (?, ?, ?, ?, ?, ?)",
                (job.id, job.client, job.kind, job.title, job.status, job.message),
            )

        self._transactions.run(act)

    def see(self, messages: Mapping[str, str]) -> frozenset[str]:
        """Write the time and the messages."""

        def act(rows: Rows) -> frozenset[str]:
            wanted: list[str] = []
            for number, message in messages.items():
                row = rows.execute(
                    "UPDATE jobs SET seen = now(), message = ? WHERE id = ? AND ended IS NULL RETURNING stopping",
                    (message, number),
                ).fetchone()
                if row is not None and row[0]:
                    wanted.append(number)
            return frozenset(wanted)

        return self._transactions.run(act, is_told=False)

    def unwanted(self, numbers: Collection[str]) -> frozenset[str]:
        """Those whose row says so."""
        statement = "SELECT id FROM jobs WHERE stopping AND ended IS NULL"
        rows = self._connections.ask(lambda reader: reader.execute(statement).fetchall())
        return frozenset(number for (number,) in rows if number in numbers)

    def follow(self, told: Callable[[], None]) -> Following:
        """Follow the schema."""
        return self._connections.follow(told)

    def end(self, number: str, status: Literal["done", "cancelled"], answer: str | None) -> None:
        """Write the answer; a job that has ended stays as it is."""
        self._transactions.run(
            lambda rows: rows.execute(
                "UPDATE jobs SET seen = now(), ended = now(), status = ?, answer = ? WHERE id = ? AND ended IS NULL",
                (status, answer, number),
            )
        )

    def find(self, number: str) -> KeptJob | None:
        """The row with its answer."""
        statement = f"SELECT {_COLUMNS}, answer FROM jobs WHERE id = ?"
        row = self._connections.ask(lambda reader: reader.execute(statement, (number,)).fetchone())
        return None if row is None else _kept(row)

    def of(self, client: str) -> list[KeptJob]:
        """The rows of a client."""
        statement = f"SELECT {_COLUMNS}, NULL FROM jobs WHERE client = ? ORDER BY begun DESC, id"
        rows = self._connections.ask(lambda reader: reader.execute(statement, (client,)).fetchall())
        return [_kept(row) for row in rows]

    def stop(self, number: str) -> None:
        """Write the wish."""
        statement = "UPDATE jobs SET stopping = true WHERE id = ? AND ended IS NULL"
        self._transactions.run(lambda rows: rows.execute(statement, (number,)))


def _kept(row: Any) -> KeptJob:
    number, client, kind, title, status, seconds, silent, message, answer = row
    return KeptJob(
        id=number, client=client, kind=kind, title=title, status=status, seconds=round(float(seconds), 1),
        silent=float(silent), message=message, answer=answer,
    )  # fmt: skip
