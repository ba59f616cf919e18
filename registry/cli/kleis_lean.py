"""Runs the Lean on the PATH on an exported file, and says what it said.

Specification: lean-and-corpus.md §5 ("Where a `lake` or `lean` program is on the PATH, `kleis export --lean --check`
runs it"), §6.6 (lines of JSON with severity, pos, kind, data).

Invariants
    * Never "clean" unless Lean ended by itself and reported no error.
    * A message is traced back to the declaration of Kleis it belongs to.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from kleis.lean.lean_file import LeanFile

__all__ = ["LIMIT", "run_lean"]

LIMIT = 600.0
"""Seconds that a run may take: Mathlib alone takes many to load."""

_LAKEFILES = ("lakefile.toml", "lakefile.lean")


def run_lean(found: LeanFile, *, limit: float = LIMIT) -> dict[str, Any]:
    """What Lean says: ``level``, ``message``, ``errors`` and ``warnings`` (line, message, place of the declaration)."""
    command = _command()
    if command is None:
        return _answer("shape", "there is no lean on the PATH")
    with tempfile.TemporaryDirectory(prefix="kleis-lean-") as folder:
        path = Path(folder) / "Exported.lean"
        path.write_text(found.text, encoding="utf-8", newline="\n")
        try:
            ended = subprocess.run(
                [*command, "--json", str(path)], capture_output=True, text=True, timeout=limit, check=False
            )
        except subprocess.TimeoutExpired:
            return _answer("shape", f"lean did not end within {limit:g} s")
        except OSError as error:
            return _answer("shape", f"lean could not be run: {error.strerror}")
    messages = [message for line in ended.stdout.splitlines() if (message := _read(found, line)) is not None]
    errors = [each for each in messages if each["severity"] == "error"]
    warnings = [each for each in messages if each["severity"] == "warning"]
    if ended.returncode != 0 and not errors:
        detail = ended.stderr.strip().splitlines()[-1:] or ["no message"]
        errors.append({"severity": "error", "line": 0, "message": detail[0], "place": ""})
    if errors:
        return _answer("shape", f"lean reports {len(errors)} errors", errors, warnings)
    return _answer(
        "elaborated with Mathlib", f"lean reports no error, {len(warnings)} warnings", [], warnings
    )


def _answer(
    level: str,
    message: str,
    errors: list[dict[str, Any]] | None = None,
    warnings: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    return {"level": level, "message": message, "errors": errors or [], "warnings": warnings or []}


def _command() -> list[str] | None:
    """``lake env lean`` in a Lake project, which has Mathlib; else ``lean``."""
    inside = any((Path.cwd() / name).exists() for name in _LAKEFILES)
    lake, lean = shutil.which("lake"), shutil.which("lean")
    if inside and lake is not None:
        return [lake, "env", "lean"]
    return None if lean is None or not os.access(lean, os.X_OK) else [lean]


def _read(found: LeanFile, line: str) -> dict[str, Any] | None:
    """A message of Lean; None for a line that is none."""
    try:
        said = json.loads(line)
    except ValueError:
        return None
    if not isinstance(said, dict) or "severity" not in said:
        return None
    position = said.get("pos")
    number = position.get("line", 0) if isinstance(position, dict) else 0
    entry = found.declaration_at(number) if isinstance(number, int) else None
    place = str(entry.place) if entry is not None and entry.place is not None else ""
    return {
        "severity": said["severity"],
        "line": number,
        "message": str(said.get("data", "")),
        "place": place,
    }
