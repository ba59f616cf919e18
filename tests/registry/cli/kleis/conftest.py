"""Fixtures that run `kleis`: in this process, and as a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from registry.cli.kleis import main
from tests.support.files.command_lines import Answer, plain_environment


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


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., None]:
    """Write files by name without suffix; ``__`` in a name is a directory."""

    def files(**texts: str) -> None:
        for name, text in texts.items():
            path = tmp_path / (name.replace("__", "/") + ".kleis")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    return files
