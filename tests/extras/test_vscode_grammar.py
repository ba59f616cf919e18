"""The grammar of the VS Code extension in VS Code's own engine, and its client as Node reads it; needs npm and the network."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from kleis.editing.colours import coloured

ROOT = Path(__file__).parents[2]
PROGRAMS = [
    ROOT / "stdlib" / "kleis" / name for name in ("prelude.kleis", "lists.kleis", "number_theory.kleis")
]

_SAME = {
    "comment": "comment.",
    "string": "string.",
    "number": "constant.numeric",
    "value": "constant.language",
}
"""Colours that no context decides, and the scopes of the grammar for them."""


@pytest.fixture(scope="module")
def extension(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the extension with its packages."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("npm is not installed")
    folder = tmp_path_factory.mktemp("extension") / "vscode"
    shutil.copytree(ROOT / "editors" / "vscode", folder, ignore=shutil.ignore_patterns("node_modules"))
    done = subprocess.run(
        ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"npm cannot install the packages: {done.stderr[-200:]}")
    return folder


def test_its_own_tests_pass(extension: Path) -> None:
    done = subprocess.run(["npm", "test"], cwd=extension, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_client_is_javascript(extension: Path) -> None:
    done = subprocess.run(
        ["node", "--check", "extension.js"], cwd=extension, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.name)
def test_it_agrees_with_the_parser_where_no_context_decides(extension: Path, program: Path) -> None:
    done = subprocess.run(
        ["node", "test/grammar.test.js"],
        cwd=extension,
        env={**os.environ, "KLEIS_FILE": str(program)},
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    pieces = list(coloured(program.read_text()))
    for colour, scope in _SAME.items():
        grammar = "".join(
            text
            for text, each in found
            if each.startswith(scope) or (scope == "string." and each.startswith("constant.character"))
        )
        parser = "".join(piece.text for piece in pieces if piece.colour == colour)
        assert "".join(grammar.split()) == "".join(parser.split()), colour
    assert any(piece.colour == "comment" for piece in pieces)
