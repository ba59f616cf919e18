"""Fixtures that run `pif`: in this process by click's runner, and as a process of its own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from registry.cli.pif.commands import pif as commands
from tests.support.files.command_lines import SQUARE, Pif, Process, command


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def pif(home: Path, monkeypatch: pytest.MonkeyPatch) -> Pif:
    """Run a command in this process: `pif("run", "square", "7", input=b"…")`."""
    monkeypatch.setenv("PIF_HOME", str(home))

    def run(*arguments: object, input: bytes | str | None = None) -> Result:
        words = [str(argument) for argument in arguments]
        return CliRunner().invoke(commands, words, input=input, catch_exceptions=False)

    return run


@pytest.fixture
def square(pif: Pif) -> Pif:
    """`pif` with the tool square."""
    made = pif("evolve", SQUARE, "--name", "square", "--description", "Squares a number")
    assert made.exit_code == 0, made.output
    return pif


@pytest.fixture
def environment(home: Path) -> dict[str, str]:
    """The environment of a process: this one's, with the home of the test and nothing that changes the output."""
    dropped = (
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "NO_COLOR",
        "PIF_DEBUG",
        "MCP_DEBUG",
        "COLUMNS",
    )
    kept = {
        key: value
        for key, value in os.environ.items()
        if key not in dropped and not key.startswith("PYTHON")  # as a user has it
    }
    return {**kept, "PIF_HOME": str(home), "TERM": "xterm-256color"}


@pytest.fixture
def process(environment: dict[str, str], tmp_path: Path) -> Process:
    """Run a command as a process: `process("run", "square", "7", env={"LC_ALL": "C"})`."""

    def run(
        *arguments: object, env: Mapping[str, str] | None = None, input: bytes = b"", **more: Any
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            command(*arguments), env={**environment, **(env or {})}, input=input, cwd=tmp_path, timeout=300,
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more},
        )  # fmt: skip

    return run
