"""A database server that is killed and restarted while processes write: nothing that was acknowledged is lost, and those who
wait go on by themselves.

The server is the test's own, made for it; PostgreSQL refuses to run as root, so that it runs as the user `postgres` there.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from registry.errors import RegistryError
from registry.store.postgres.postgres_store import PostgresStore
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


class Cluster:
    """A server of its own, in a directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.server: subprocess.Popen[bytes] | None = None
        self.url = f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def make(self) -> None:
        """Make its files."""
        subprocess.run(
            [
                _program("initdb"),
                "-D",
                str(self.directory / "data"),
                "-U",
                "postgres",
                "-A",
                "trust",
                "-E",
                "UTF8",
            ],
            check=True,
            stdout=subprocess.DEVNULL,
            cwd=self.directory,
            timeout=120,
            **_as_user(),
        )

    def start(self) -> None:
        """Start it, as a child of this process, and wait until it answers."""
        settings = (
            "listen_addresses=127.0.0.1",
            f"unix_socket_directories={self.directory}",
            f"port={self.port}",
        )
        words = [_program("postgres"), "-D", str(self.directory / "data")]
        words += [word for setting in settings for word in ("-c", setting)]
        for _ in range(600):
            if (
                self.server is None or self.server.poll() is not None
            ):  # children of one that was killed may linger
                with (self.directory / "log").open("a") as log:
                    self.server = subprocess.Popen(
                        words, stdout=log, stderr=log, cwd=self.directory, **_as_user()
                    )
            try:
                psycopg.connect(self.url, connect_timeout=1).close()
                return
            except psycopg.OperationalError:
                time.sleep(0.1)
        raise AssertionError((self.directory / "log").read_text()[-2_000:])

    def stop(self, way: signal.Signals) -> None:
        """End it: SIGINT ends its sessions, SIGQUIT leaves everything as it is, SIGKILL does not ask."""
        if self.server is not None:
            self.server.send_signal(way)
            self.server.wait(60)
            self.server = None


def _as_user() -> dict[str, Any]:
    return {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}


def _program(name: str) -> str:
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return str(found[-1]) if found else shutil.which(name) or ""


def _why_not() -> str:
    for name in ("initdb", "postgres"):
        if not _program(name):
            return f"{name} is not installed: no cluster can be made"
    if os.geteuid() == 0:
        try:
            pwd.getpwnam("postgres")
        except KeyError:
            return "PostgreSQL does not run as root, and there is no user postgres"
    return ""


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    if reason := _why_not():
        pytest.skip(reason)
    directory = Path(tempfile.mkdtemp(prefix="pif-pg-", dir="/tmp"))
    try:
        if os.geteuid() == 0:
            shutil.chown(directory, "postgres")
        made = Cluster(directory)
        made.make()
        made.start()
        try:
            yield made
        finally:
            made.stop(signal.SIGQUIT)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


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
