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
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = [
    "FRAMEWORKS",
    "HERE",
    "NODE",
    "PLACE",
    "NotInstalled",
    "environment",
    "frameworks",
    "node_packages",
]

HERE = Path(__file__).resolve().parent
PLACE = HERE.parents[1] / ".build" / "conformance"
NODE = PLACE / "node"
FRAMEWORKS = PLACE / "frameworks"
OLDEST_NODE = 22
_DONE = "installed"


class NotInstalled(Exception):
    """Something that the run needs is not here and cannot be had; the text says what and why."""


def node_packages(patience: float = 600) -> Path:
    """The folder of the Node packages. Raises `NotInstalled`; `patience` are the seconds that an installation may take."""
    files = [HERE / "package.json", HERE / "package-lock.json"]
    with _alone():
        if not _is_installed(NODE, files):
            npm = shutil.which("npm")
            if npm is None:
                raise NotInstalled("npm is not installed")
            _renew(NODE)
            for each in files:
                shutil.copy(each, NODE)
            cache = str(PLACE / "npm-cache")
            _install(
                [npm, "ci", "--cache", cache, "--no-audit", "--no-fund", "--loglevel=error"], NODE, patience
            )
            shutil.rmtree(cache, ignore_errors=True)  # what is installed needs it no more
            _mark(NODE, files)
    _check_node()
    return NODE


def environment() -> dict[str, str]:
    """The environment of programs of the Node packages: the pinned Node first, and a home that is not the user's."""
    home = PLACE / "home"
    home.mkdir(parents=True, exist_ok=True)
    path = os.pathsep.join([str(NODE / "node_modules" / ".bin"), os.environ.get("PATH", "")])
    return {**os.environ, "PATH": path, "HOME": str(home), "NO_COLOR": "1"}


def frameworks(patience: float = 1_200) -> Path:
    """The Python of the environment with the agent frameworks. Raises `NotInstalled`."""
    files = [HERE / "requirements.txt"]
    python = FRAMEWORKS / "bin" / "python"
    with _alone():
        if not _is_installed(FRAMEWORKS, files):
            _renew(FRAMEWORKS)
            _install([sys.executable, "-m", "venv", str(FRAMEWORKS)], PLACE, patience)
            wanted = [*("--quiet", "--disable-pip-version-check", "--no-cache-dir"), "-r", str(files[0])]
            _install([str(python), "-m", "pip", "install", *wanted], PLACE, patience)
            _mark(FRAMEWORKS, files)
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


def _install(command: list[str], folder: Path, patience: float) -> None:
    try:
        ended = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=patience, check=False
        )
    except subprocess.TimeoutExpired:
        raise NotInstalled(f"{Path(command[0]).name} did not install within {patience:.0f} s") from None
    except OSError as error:
        raise NotInstalled(f"{command[0]}: {error.strerror}") from None
    if ended.returncode:
        last = (ended.stderr.strip() or ended.stdout.strip()).splitlines()[-3:]
        raise NotInstalled(f"{Path(command[0]).name} installs nothing here: {' '.join(last)[:300]}")


def _digest(files: list[Path]) -> str:
    return hashlib.sha256(b"\0".join(each.read_bytes() for each in files)).hexdigest()


def _is_installed(folder: Path, files: list[Path]) -> bool:
    mark = folder / _DONE
    return mark.is_file() and mark.read_text() == _digest(files)


def _mark(folder: Path, files: list[Path]) -> None:
    (folder / _DONE).write_text(_digest(files))
