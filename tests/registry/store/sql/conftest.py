"""Every test of this package runs over both stores. A `Place` is where one is; it can be opened several times."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from registry.store.open_store import open_store
from registry.store.postgres.postgres_store import PostgresStore
from registry.store.sql.copying import TABLES
from registry.store.sql.sql_store import SqlStore
from registry.store.sqlite.sqlite_store import SqliteStore
from tests.support.databases import new_schema


class Clock:
    """A clock that tests move."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


class Place:
    """Where the stores of one test are: below a directory, or in a schema. `close` closes what was opened."""

    def __init__(self, home: Path, url: str) -> None:
        self.home, self.url = home, url
        self.opened: list[SqlStore] = []

    def open(self, **options: object) -> SqlStore:
        """Open the store once more."""
        make: Callable[..., SqlStore] = SqliteStore if not self.url else PostgresStore
        store = make(self.url or self.home, **options)
        self.opened.append(store)
        return store

    def open_to_read(self) -> SqlStore:
        """Open the store for reading only."""
        store = open_store(self.home, self.url, read_only=True)
        self.opened.append(store)
        return store

    def rows(self, store: SqlStore) -> list[object]:
        """Every row of every table."""
        return store._read(
            lambda reader: [row for table in TABLES for row in reader.execute(f"SELECT * FROM {table}")]
        )

    def stored(self, store: SqlStore, statement: str) -> None:
        """Write to the tables behind the store's back."""
        if isinstance(store, SqliteStore):
            store._writer.execute(statement)
        else:
            store.transactions.run(lambda rows: rows.execute(statement))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with new_schema() if request.param == "postgres" else nullcontext("") as url:
        made = Place(tmp_path / "home", url)
        yield made
        for store in made.opened:
            store.close()


@pytest.fixture
def store(place: Place, clock: Clock) -> SqlStore:
    return place.open(clock=clock)
