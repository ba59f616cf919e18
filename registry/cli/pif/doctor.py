"""`pif doctor`: the versions of this installation, and whether the home can be used. It changes nothing.

An existing store is read whole; a missing one is not created.
"""

from __future__ import annotations

import platform
import re
import shutil
import sqlite3
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Any

from registry.cli.terminal.characters import counted
from registry.cli.terminal.layout import Piece
from registry.cli.terminal.screen import Screen
from registry.errors import RegistryError
from registry.home import Home

__all__ = ["examine", "show"]

DISTRIBUTION = "pif-kleis"
SPACE = 64
"""Megabytes below which the disk of the home counts as full."""

_REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)\s*(?P<bounds>[^;\[]*)")
_BOUND = re.compile(r"(?P<relation>>=|<)\s*(?P<version>[0-9][0-9.]*)")
_NUMBERS = re.compile(r"\d+(?:\.\d+)*")

Report = dict[str, Any]


def examine(home: Home, url: str = "") -> Report:
    """Everything that `pif doctor` knows: `{"type": "doctor", "ok", "problems", "python", "packages", "home", "store"}`."""
    problems: list[str] = []
    report: Report = {
        "type": "doctor",
        "ok": True,
        "problems": problems,
        "program": {"name": DISTRIBUTION, "version": _version(DISTRIBUTION)},
        "python": _python(problems),
        "packages": _packages(problems),
        "home": _home(home, problems),
    }
    report["store"] = _database(url, problems) if url else _store(home.path, problems)
    report["ok"] = not problems
    return report


def _python(problems: list[str]) -> Report:
    needed = _python_bounds()
    if not _is_within(platform.python_version(), needed):
        problems.append(f"Python {platform.python_version()} is not supported: {needed} is needed")
    return {
        "version": platform.python_version(),
        "implementation": platform.python_implementation(),
        "executable": sys.executable,
        "system": f"{platform.system()} {platform.machine()}",
        "sqlite": sqlite3.sqlite_version,
    }


def _python_bounds() -> str:
    try:
        return metadata.metadata(DISTRIBUTION)["Requires-Python"] or ""
    except (metadata.PackageNotFoundError, KeyError):
        return ""


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _packages(problems: list[str]) -> list[Report]:
    """The packages that this program needs (its extras apart), and whether each is there and of a right version."""
    try:
        requirements = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        problems.append(f"{DISTRIBUTION} is not installed as a package; install it with `pip install -e .`")
        return []
    listed: list[Report] = []
    for requirement in requirements:
        parsed = _REQUIREMENT.match(requirement)
        if parsed is None or "extra ==" in requirement:
            continue
        name, wanted = parsed["name"], parsed["bounds"].strip()
        version = _version(name)
        within = version is not None and _is_within(version, wanted)
        if not within:
            problems.append(f"the package {name} is {version or 'missing'}, and {wanted} is needed")
        listed.append({"name": name, "version": version, "wanted": wanted, "ok": within})
    return listed


def _is_within(version: str, wanted: str) -> bool:
    """Whether a version is within bounds like `>=2.3,<3` (the relations our own metadata uses)."""
    have = _numbers(version)
    for bound in _BOUND.finditer(wanted):
        limit = _numbers(bound["version"])
        if (have < limit) == (bound["relation"] == ">="):
            return False
    return True


def _numbers(version: str) -> tuple[int, ...]:
    """The numbers that a version starts with; zeros at the end say nothing."""
    found = _NUMBERS.match(version)
    numbers = [int(part) for part in found[0].split(".")] if found else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def _home(home: Home, problems: list[str]) -> Report:
    exists = home.path.exists()
    place = home.path
    while not place.exists() and place != place.parent:
        place = place.parent
    trouble = _trouble_writing(place)
    if trouble:
        what = "the home" if exists else f"{place}, where the home would be made,"
        problems.append(f"{what} cannot be written: {trouble}")
    report: Report = {
        "path": str(home.path),
        "chosen_by": home.chosen_by,
        "exists": exists,
        "writable": trouble is None,
    }
    if place.is_dir():
        report["free_mb"] = shutil.disk_usage(place).free >> 20
        if report["free_mb"] < SPACE:
            problems.append(f"the disk of the home is full: {report['free_mb']} MB are free")
    return report


def _trouble_writing(directory: Path) -> str | None:
    """Why nothing can be written to a directory, or None; found out by writing, since permissions do not say all."""
    try:
        with tempfile.TemporaryFile(dir=directory) as file:
            file.write(b"pif")
            file.flush()
    except OSError as error:
        return error.strerror or type(error).__name__
    return None


def _store(home: Path, problems: list[str]) -> Report:
    """The store in the home: how many tools, and whether all of it is sound."""
    from registry.store.sqlite.sqlite_store import FILE_NAME, SqliteStore
    from registry.store.sqlite.traces import size_of, traces, writes_counted

    path = home / FILE_NAME
    if not path.exists() and not (home.is_dir() and traces(home, written=writes_counted(home))):
        return {"path": str(path), "exists": False, "ok": True}
    report: Report = {"path": str(path), "exists": path.exists(), "ok": True, "bytes": size_of(path)}
    try:
        store = SqliteStore(home)
    except RegistryError as error:
        problems.append(f"the store cannot be opened: {error.message} ({error.found}); {error.hint}")
        return {**report, "ok": False}
    try:
        wrong = store.check()
        report["ok"] = not wrong
        problems += [f"the store: {problem}" for problem in wrong]
        if wrong:
            problems.append(
                "stop all servers of this home, then `pif doctor --repair` saves what is readable"
            )
        if not wrong:
            report["tools"] = len(store.snapshot().names())
    finally:
        store.close()
    return report


def _database(url: str, problems: list[str]) -> Report:
    """The store in a PostgreSQL; nothing is made there."""
    from registry.store.open_store import open_store
    from registry.store.postgres.address import without_password

    report: Report = {"path": without_password(url), "exists": False, "ok": False}
    try:
        store = open_store(Path(), url, read_only=True)
    except RegistryError as error:
        problems.append(f"the store cannot be opened: {error.message} ({error.found}); {error.hint}")
        return report
    try:
        wrong = store.check()
        problems += [f"the store: {problem}" for problem in wrong]
        return {**report, "exists": True, "ok": not wrong, "tools": len(store.snapshot().names())}
    except RegistryError as error:
        problems.append(f"the store cannot be read: {error.message} ({error.found}); {error.hint}")
        return report
    finally:
        store.close()


def show(screen: Screen, report: Report) -> None:
    """The report for people."""
    python, home, store = report["python"], report["home"], report["store"]
    _row(screen, True, f"{report['program']['name']} {report['program']['version'] or '(not installed)'}")
    _row(
        screen,
        True,
        f"{python['implementation']} {python['version']} ({python['system']}), {python['executable']}",
    )
    _row(screen, True, f"SQLite {python['sqlite']}")
    for package in report["packages"]:
        _row(
            screen,
            package["ok"],
            f"{package['name']} {package['version'] or 'missing'} ({package['wanted']})",
        )
    chosen = {"default": "the platform's data directory"}.get(home["chosen_by"], home["chosen_by"])
    state = "" if home["exists"] else ", not there yet"
    free = f", {home['free_mb']} MB free" if "free_mb" in home else ""
    _row(screen, home["writable"], f"home {home['path']} (by {chosen}{state}{free})")
    if store["exists"] or not store["ok"]:
        known = [f"{store['bytes']} bytes"] if "bytes" in store else []
        known += [counted(store["tools"], "tool")] if "tools" in store else []
        _row(screen, store["ok"], f"store {store['path']}" + (f" ({', '.join(known)})" if known else ""))
    else:
        _row(screen, True, "store: none yet; the first command that needs one makes it")
    if report["ok"]:
        screen.write([Piece("All is well.", "good")])
    for problem in report["problems"]:
        screen.print_error([Piece("wrong: ", "bad"), Piece(problem)])


def _row(screen: Screen, good: bool, text: str) -> None:
    screen.write([Piece("  ok     " if good else "  WRONG  ", "good" if good else "bad"), Piece(text)])
