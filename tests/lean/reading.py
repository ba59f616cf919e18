"""What Lean says of files: errors, open proofs, and how it ended."""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from tests.lean.bundle import Bundle, bundles
from tests.lean.installation import Lean

__all__ = ["Finding", "Result", "read", "results"]

_PATIENCE = 3_600.0
_MEMORY = 24 << 30  # of address space: the WebAssembly machine reserves much that it never touches
_MESSAGE = re.compile(r"^\S*?\.lean:(\d+):\d+: (error|warning)(?:\([^)]*\))?: ?(.*)$")


class Finding(msgspec.Struct, frozen=True):
    """An error of Lean, by the line of the file."""

    line: int
    message: str


class Result(msgspec.Struct, frozen=True):
    """What Lean says of one file."""

    name: str
    stub: bool
    errors: tuple[Finding, ...]
    open_proofs: int
    left_open: int


def read(lean: Lean, files: Sequence[tuple[str, str]]) -> Iterator[list[Result]]:
    """What Lean says of each file, bundle by bundle."""
    for bundle in bundles(files, mathlib=lean.mathlib):
        print(f"Lean reads {len(bundle.parts)} files, {bundle.text.count(chr(10))} lines", flush=True)
        yield results(bundle, _said(lean, bundle))


def _said(lean: Lean, bundle: Bundle) -> str:
    """What one run says; a run that does not end by itself says so as an error of every file."""
    with tempfile.TemporaryDirectory(prefix="kleis-lean-") as folder:
        path = Path(folder) / "Bundle.lean"
        path.write_text(bundle.text, encoding="utf-8")
        process = subprocess.Popen(
            [*lean.command, str(path)],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
            preexec_fn=_limited,
        )
        with process:
            try:
                said, _ = process.communicate(timeout=_PATIENCE)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                said = _everywhere(bundle, f"Lean did not end within {_PATIENCE:g} s")
        failed = process.returncode not in (0, 1)
        return said + (_everywhere(bundle, f"Lean ended with {process.returncode}") if failed else "")


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(5)


def _everywhere(bundle: Bundle, message: str) -> str:
    return "".join(f"\nBundle.lean:{each.first}:0: error: {message}\n" for each in bundle.parts)


def results(bundle: Bundle, said: str) -> list[Result]:
    """What a run said of each file of its bundle."""
    errors: dict[str, list[Finding]] = {each.name: [] for each in bundle.parts}
    open_proofs = dict.fromkeys(errors, 0)
    unplaced: list[Finding] = []
    for line in said.split("\n"):
        match = _MESSAGE.match(line)
        if match is None:
            continue
        name, own = bundle.place(int(match[1]))
        if match[2] == "error":
            errors.get(name, unplaced).append(Finding(own, match[3]))
        elif "sorry" in match[3] and name in open_proofs:
            open_proofs[name] += 1
    if unplaced:
        raise AssertionError(
            f"Lean reports an error outside the files: line {unplaced[0].line}: {unplaced[0].message}"
        )
    return [
        Result(each.name, bundle.stub, tuple(errors[each.name]), open_proofs[each.name], each.left_open)
        for each in bundle.parts
    ]
