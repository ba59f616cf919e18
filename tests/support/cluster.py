"""A PostgreSQL of a test's own, in a directory: it may be killed and restarted. PostgreSQL refuses to run as root, so that it
runs as the user `postgres` there.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

__all__ = ["Cluster", "new_cluster", "why_no_cluster"]


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


def why_no_cluster() -> str:
    for name in ("initdb", "postgres"):
        if not _program(name):
            return f"{name} is not installed: no cluster can be made"
    if os.geteuid() == 0:
        try:
            pwd.getpwnam("postgres")
        except KeyError:
            return "PostgreSQL does not run as root, and there is no user postgres"
    return ""


@contextmanager
def new_cluster() -> Iterator[Cluster]:
    """A cluster that is started, and removed afterwards."""
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
