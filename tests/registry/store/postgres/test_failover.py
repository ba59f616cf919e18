"""A database server that is killed and restarted while processes write: nothing that was acknowledged is lost, and those who
wait go on by themselves.

The server is the test's own, made for it (`tests.support.cluster`).
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from registry.errors import RegistryError
from registry.store.postgres.postgres_store import PostgresStore
from tests.support.cluster import Cluster, new_cluster, why_no_cluster
from tests.support.stores import next_version

WRITER = """
import sys
from registry.errors import RegistryError
from registry.records import content_hash
from registry.store.postgres.postgres_store import PostgresStore
store, who, number = PostgresStore(sys.argv[1], patience=60), sys.argv[2], 0
while True:
    code = f'"{who} {number}"'
    try:
        made = store.evolve("shared", code=code, hash=content_hash(code), description="", capabilities=[])
        print("kept", made.record.version, code, flush=True)
    except RegistryError as error:
        print("unknown" if "not known" in error.message else "refused", 0, code, flush=True)
    number += 1
"""


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    if reason := why_no_cluster():
        pytest.skip(reason)
    with new_cluster() as made:
        yield made


def test_kills_and_restarts_in_the_middle_of_writes_lose_nothing(cluster: Cluster, tmp_path: Path) -> None:
    PostgresStore(cluster.url).close()
    files = [(tmp_path / who).open("w+") for who in ("one", "two")]
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, cluster.url, Path(file.name).name], stdout=file)
        for file in files
    ]
    try:
        for way in (signal.SIGKILL, signal.SIGQUIT, signal.SIGINT, signal.SIGKILL):
            _until_written(files, 8)
            cluster.stop(way)
            cluster.start()
        _until_written(files, 8)
    finally:
        for writer in writers:
            writer.kill()
            writer.wait()
    said = [line.split(" ", 2) for file in files for line in Path(file.name).read_text().splitlines()]
    kept = {code: int(version) for what, version, code in said if what == "kept"}
    unsure = {code for what, _, code in said if what == "unknown"}
    refused = {code for what, _, code in said if what == "refused"}
    for file in files:
        file.close()
    with closing(PostgresStore(cluster.url)) as store:
        lineage = store.snapshot().lineage("shared")
        assert lineage is not None
        there = {record.code: record.version for record in lineage.versions}
        assert store.check() == ()

    assert kept.items() <= there.items()
    assert not refused & set(there)
    # Each writer was killed in the middle of one write at most, of which nobody was told anything.
    assert len(set(there) - set(kept) - unsure) <= len(writers)


def _until_written(files: list[object], lines: int) -> None:
    """Wait until each writer has said that much more; a writer that says nothing for a minute is stuck."""
    before = [_lines(file) for file in files]
    for _ in range(1_200):
        if all(_lines(file) >= count + lines for file, count in zip(files, before, strict=True)):
            return
        time.sleep(0.05)
    raise AssertionError("a writer is stuck")


def _lines(file: object) -> int:
    return len(Path(file.name).read_text().splitlines())  # type: ignore[attr-defined]


def test_a_server_that_is_away_is_an_error_that_ends_and_a_server_that_is_back_is_used(
    cluster: Cluster,
) -> None:
    store = PostgresStore(cluster.url, patience=1.0)
    next_version(store, "f", "1")
    cluster.stop(signal.SIGINT)
    for question in (store.snapshot, lambda: next_version(store, "f", "2"), store.page):
        with pytest.raises(RegistryError, match="does not answer; nothing was changed") as refused:
            question()
        assert refused.value.kind == "store_error"
    cluster.start()
    store.close()
    again = PostgresStore(cluster.url)
    assert next_version(again, "f", "2") == 2
    again.close()
