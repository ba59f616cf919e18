"""Storages of sessions: directories of a home, and rows of a database with two homes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from kleis.sessions.files.session_storage import DirectoryStorage, SessionStorage
from registry.store.open_store import open_store
from registry.store.shared_state import session_rows
from tests.support.databases import new_schema

Opened = Callable[[str], SessionStorage]


@pytest.fixture(params=["files", "rows"])
def storage_of(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opened]:
    """Opens the one storage of a test for a machine: on one disk, or in one database with a home for each machine."""
    with ExitStack() as ending:
        if request.param == "files":
            yield lambda machine: DirectoryStorage(tmp_path / "sessions", tmp_path / "theories")
            return
        url = ending.enter_context(new_schema())

        def opened(machine: str) -> SessionStorage:
            store = open_store(tmp_path, url)
            ending.callback(store.close)
            rows = session_rows(store, tmp_path / machine)
            assert rows is not None
            return rows

        yield opened
