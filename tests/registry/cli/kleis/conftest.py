"""Running the command in this process and in one of its own."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from registry.cli.kleis import main


def plain_environment() -> dict[str, str]:
    """This process's environment without what changes Python, as a user has it."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


class Answer(NamedTuple):
    """What a command left behind."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture(autouse=True)
def _own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ".cache"))
    monkeypatch.setenv("PIF_HOME", str(tmp_path / ".home"))
    monkeypatch.delenv("KLEIS_ROOT", raising=False)
    (tmp_path / "kleis.toml").touch()


@pytest.fixture
def kleis(capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """Run the command here."""

    def call(*arguments: str) -> Answer:
        capsys.readouterr()
        status = main(arguments)
        out, err = capsys.readouterr()
        return Answer(status, out, err)

    return call


@pytest.fixture
def process(tmp_path: Path) -> Callable[..., Answer]:
    """Run the command as a user does."""

    def call(*arguments: str, text: str = "", environment: dict[str, str] | None = None) -> Answer:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "registry.cli.kleis", *arguments],
            input=text,
            capture_output=True,
            text=True,
            encoding="utf-8",
            env={**plain_environment(), **(environment or {})},
            check=False,
        )
        return Answer(done.returncode, done.stdout, done.stderr)

    return call


def on_a_terminal(*arguments: str) -> tuple[int, str]:
    """Run the command with a terminal as its output: the status, and what it shows."""
    ours, theirs = pty.openpty()
    environment = {**plain_environment(), "TERM": "xterm"}
    environment.pop("NO_COLOR", None)
    command = [sys.executable, "-m", "registry.cli.kleis", *arguments]
    with subprocess.Popen(command, stdout=theirs, env=environment) as process:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # how a closed terminal ends on Linux
            while piece := os.read(ours, 65536):
                shown += piece
    os.close(ours)
    return process.returncode, shown.decode()


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., None]:
    """Write files by name without suffix; ``__`` in a name is a directory."""

    def files(**texts: str) -> None:
        for name, text in texts.items():
            path = tmp_path / (name.replace("__", "/") + ".kleis")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    return files
