"""What the browser tests need from npm and the project does not: installed in `.build/browser`, pinned, once."""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import subprocess
import time
from pathlib import Path

__all__ = ["HERE", "NotInstalled", "bundled_host", "node_packages"]

HERE = Path(__file__).resolve().parent
PLACE = HERE.parents[1] / ".build" / "browser"
_PATIENCE = 240
"""Seconds that an installation may take."""
_FAILED_FOR = 600
"""Seconds in which what failed is not tried again."""


class NotInstalled(Exception):
    """Something that the tests need is not here and cannot be had; the text says what and why."""


def node_packages() -> Path:
    """The folder of the Node packages. Raises `NotInstalled`."""
    PLACE.mkdir(parents=True, exist_ok=True)
    wanted = [HERE / "package.json", HERE / "package-lock.json"]
    digest = hashlib.sha256(b"".join(each.read_bytes() for each in wanted)).hexdigest()
    done, failed = PLACE / "installed", PLACE / "failed"
    with (PLACE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if done.is_file() and done.read_text() == digest:
            return PLACE / "node_modules"
        if failed.is_file() and time.time() - failed.stat().st_mtime < _FAILED_FOR:
            raise NotInstalled(failed.read_text())
        try:
            _install(wanted)
        except NotInstalled as error:
            failed.write_text(str(error))
            raise
        done.write_text(digest)
    return PLACE / "node_modules"


def _install(wanted: list[Path]) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise NotInstalled("npm is not installed")
    for each in wanted:
        shutil.copy(each, PLACE)
    quick = ["--ignore-scripts", "--fetch-retries=1", "--no-audit", "--no-fund", "--loglevel=error"]
    try:
        made = subprocess.run(
            [npm, "ci", *quick], cwd=PLACE, capture_output=True, text=True, timeout=_PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        raise NotInstalled(f"npm ci took more than {_PATIENCE} s") from None
    if made.returncode:
        raise NotInstalled(f"npm ci failed: {made.stderr.strip()[-300:]}")


def bundled_host() -> str:
    """The script of the host page, with the libraries that it imports. Raises `NotInstalled`."""
    modules = node_packages()
    binaries = sorted((modules / "@esbuild").glob("*/bin/esbuild"))
    if not binaries:
        raise NotInstalled("esbuild has no binary for this machine")
    source = PLACE / "host.js"
    shutil.copy(HERE / "host.js", source)
    command = [str(binaries[0]), str(source), "--bundle", "--format=esm", "--platform=browser", "--log-level=error"]  # fmt: skip
    made = subprocess.run(command, capture_output=True, text=True, check=False, cwd=PLACE)
    if made.returncode:
        raise NotInstalled(f"esbuild failed: {made.stderr.strip()[-300:]}")
    return made.stdout
