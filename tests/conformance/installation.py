"""What the conformance run needs and the project does not: installed in `.build/conformance`, pinned, once.

Nothing outside that folder is written, so that an installation that is there works without a network, and `make clean`
takes it away. `NotInstalled` says why something cannot be had; tests skip with it.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = [
    "FRAMEWORKS",
    "HERE",
    "NODE",
    "NODE_SERVERS",
    "PLACE",
    "NotInstalled",
    "environment",
    "frameworks",
    "node_packages",
    "node_servers",
    "python_servers",
]

HERE = Path(__file__).resolve().parent
PLACE = HERE.parents[1] / ".build" / "conformance"
NODE = PLACE / "node"
NODE_SERVERS = PLACE / "node-servers"
FRAMEWORKS = PLACE / "frameworks"
OLDEST_NODE = 22
_DONE = "installed"
_FAILED = "failed"


class NotInstalled(Exception):
    """Something that the run needs is not here and cannot be had; the text says what and why."""


def node_packages(patience: float = 600, *, again: bool = True) -> Path:
    """The folder of the Node packages. Raises `NotInstalled`; `patience` are the seconds that an installation may take.

    Not `again`: what failed within the last ten minutes, perhaps in a process beside this one, is not tried once more.
    """
    with _alone():
        _install_node_packages(NODE, HERE, patience, again=again)
        _check_node()
    return NODE


def node_servers(patience: float = 600, *, again: bool = True) -> Path:
    """The folder of MCP servers that others wrote for Node, the system's. Raises `NotInstalled`."""
    if shutil.which("node") is None:
        raise NotInstalled("node is not installed")
    with _alone():
        _install_node_packages(NODE_SERVERS, HERE / "gateway", patience, again=again)
    return NODE_SERVERS


def _install_node_packages(place: Path, pinned: Path, patience: float, *, again: bool) -> None:
    files = [pinned / "package.json", pinned / "package-lock.json"]
    if _is_installed(place, files):
        return
    if not again:
        _raise_recent_failure()
    npm = shutil.which("npm")
    if npm is None:
        raise NotInstalled("npm is not installed")
    _renew(place)
    for each in files:
        shutil.copy(each, place)
    cache = str(PLACE / "npm-cache")
    quick = ["--fetch-retries=1", "--no-audit", "--no-fund", "--loglevel=error"]
    _install([npm, "ci", "--cache", cache, *quick], place, patience)
    shutil.rmtree(cache, ignore_errors=True)  # what is installed needs it no more
    _mark(place, files)


def environment() -> dict[str, str]:
    """The environment of programs of the Node packages: the pinned Node first, and a home that is not the user's."""
    home = PLACE / "home"
    home.mkdir(parents=True, exist_ok=True)
    path = os.pathsep.join([str(NODE / "node_modules" / ".bin"), os.environ.get("PATH", "")])
    return {**os.environ, "PATH": path, "HOME": str(home), "NO_COLOR": "1"}


def frameworks(patience: float = 1_200) -> Path:
    """The Python of the environment with the agent frameworks. Raises `NotInstalled`."""
    return _python_packages(FRAMEWORKS, HERE / "requirements.txt", patience)


def python_servers(requirements: str, patience: float = 1_200, *, may_install: bool = True) -> Path:
    """The folder of programs of MCP servers that others wrote in Python: those of a file of requirements beside the
    differential run.  Raises `NotInstalled`."""
    pinned = HERE / "gateway" / requirements
    place = PLACE / pinned.stem
    if not may_install and not _is_installed(place, [pinned]):
        raise NotInstalled(f"{requirements} is not installed; `make conformance` does it")
    return _python_packages(place, pinned, patience).parent


def _python_packages(place: Path, requirements: Path, patience: float) -> Path:
    """The Python of an environment with pinned packages."""
    python = place / "bin" / "python"
    with _alone():
        if not _is_installed(place, [requirements]):
            _renew(place)
            _install([sys.executable, "-m", "venv", str(place)], PLACE, patience)
            wanted = [*("--quiet", "--disable-pip-version-check", "--no-cache-dir"), "-r", str(requirements)]
            _install([str(python), "-m", "pip", "install", *wanted], PLACE, patience)
            _mark(place, [requirements])
    return python


@contextmanager
def _alone() -> Iterator[None]:
    """One process at a time installs or looks: tests run in several."""
    PLACE.mkdir(parents=True, exist_ok=True)
    with (PLACE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _check_node() -> None:
    """The pinned Node is a package like the others; where it does not run, the system's may do."""
    said = subprocess.run(
        ["node", "--version"], env=environment(), capture_output=True, text=True, check=False
    )
    found = re.match(r"v(\d+)\.", said.stdout)
    if found is None or int(found[1]) < OLDEST_NODE:
        raise NotInstalled(
            f"Node {OLDEST_NODE} does not run here: {said.stdout.strip() or said.stderr[-200:]}"
        )


def _renew(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def _raise_recent_failure() -> None:
    failure = PLACE / _FAILED
    if failure.is_file() and time.time() - failure.stat().st_mtime < 600:
        raise NotInstalled(f"{failure.read_text()}; `make conformance` tries again")


def _install(command: list[str], folder: Path, patience: float) -> None:
    try:
        _run_installer(command, folder, patience)
    except NotInstalled as error:
        (PLACE / _FAILED).write_text(str(error))
        raise


def _run_installer(command: list[str], folder: Path, patience: float) -> None:
    name = Path(command[0]).name
    try:
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
    except OSError as error:
        raise NotInstalled(f"{command[0]}: {error.strerror}") from None
    with process:
        try:
            said, _ = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # installers start others, which would hold the pipe open
            raise NotInstalled(f"{name} did not install within {patience:g} s") from None
    if process.returncode:
        raise NotInstalled(f"{name} installs nothing here: {' '.join(said.split())[:300]}")


def _digest(files: list[Path]) -> str:
    return hashlib.sha256(b"\0".join(each.read_bytes() for each in files)).hexdigest()


def _is_installed(folder: Path, files: list[Path]) -> bool:
    mark = folder / _DONE
    return mark.is_file() and mark.read_text() == _digest(files)


def _mark(folder: Path, files: list[Path]) -> None:
    (folder / _DONE).write_text(_digest(files))
