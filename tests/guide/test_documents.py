"""Every block of README.md and GUIDE.md is run."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pif.language.decode import decode_term
from tests.guide.calls import answers, calls
from tests.guide.transcripts import ROOT, Block, blocks, exchanges, matches, run
from tests.server.raw_client import RawClient

DOCUMENTS = ("README.md", "GUIDE.md")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_document(name: str, tmp_path: Path) -> None:
    found = blocks(ROOT / name)
    assert found, "a document without a block teaches nothing that is tested"
    for block in found:
        kind, *words = block.info.split() or [""]
        match kind:
            case "console":
                check_console(block, tmp_path, name)
            case "calls":
                check_calls(block, words, tmp_path, name)
            case "json":
                check_json(json.loads(block.text), words, tmp_path)
            case "python":
                check_python(block, tmp_path)
            case "sh":
                check_shell(block)
            case "text" | "mermaid":
                assert block.text.strip()
            case _:
                raise AssertionError(f"{name}:{block.line}: a block of kind {block.info!r} is not run")


def check_console(block: Block, folder: Path, name: str) -> None:
    commands = list(exchanges(block))
    assert commands, f"{name}:{block.line}: no command"
    for exchange in commands:
        output = run(exchange.command, folder)
        assert matches(exchange.expected, output), (
            f"{name}:{block.line}: $ {exchange.command}\nexpected:\n{exchange.expected}\nprinted:\n{output}"
        )


def check_calls(block: Block, groups: list[str], folder: Path, name: str) -> None:
    found = list(calls(block.text))
    assert found, f"{name}:{block.line}: no call"
    for call, answer in zip(found, answers(found, groups, folder), strict=True):
        expected = "\n".join(call.expected)
        assert matches(expected, answer), (
            f"{name}:{block.line}: → {call.head}\nexpected:\n{expected}\nanswered:\n{answer}"
        )


def check_json(data: Any, words: list[str], folder: Path) -> None:
    if "term" in words:
        decode_term(data)
    if "config" in words:
        (servers,) = data.values()
        for server in servers.values():
            check_server(server, folder)


def check_server(server: dict[str, Any], folder: Path) -> None:
    """A client's setting must start a server that answers."""
    command = [server["command"], *server.get("args", [])]
    if command[0] == "uvx":  # the published package; here the same command of this environment
        assert command[1:3] == ["--from", "pif-kleis"]
        command = command[3:]
    program = Path(sys.executable).parent / command[0]
    client = RawClient(command=[str(program), "--home", str(folder / "configured"), *command[1:]])
    try:
        assert client.handshake()["serverInfo"]["name"] == "pif"
    finally:
        client.end_input()
        client.wait()
        client.end_output()
        assert client.process.stderr is not None
        client.process.stderr.close()


def check_python(block: Block, folder: Path) -> None:
    environment = {**os.environ, "PIF_HOME": str(folder / "home"), "PYTHONPATH": str(ROOT),
                   "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", block.text],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"line {block.line}:\n{done.stderr}"


def check_shell(block: Block) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for line in block.text.splitlines():
        words = line.split("#")[0].split()
        match words:
            case []:
                continue
            case ["make", target]:
                assert target in targets, line
            case ["git", "clone", *_] | ["cd", _]:
                continue
            case [program, *_]:
                assert shutil.which(program) or program in ("claude", "uvx"), line


def test_readme_names_the_two_commands() -> None:
    text = (ROOT / "README.md").read_text()
    assert "make demo" in text
    assert "make test" in text


@pytest.mark.parametrize(
    ("expected", "output", "same"),
    [
        ("49", "49", True),
        ("49", "50", False),
        ("a … c", "a b c", True),
        ("a …", "b b", False),
        ("first\n…\nlast", "first\nx\ny\nlast", True),
        ("first\n…\nlast", "first\nx\ny", False),
        ("", "", True),
        ("", "x", False),
    ],
)
def test_matching_of_outputs(expected: str, output: str, same: bool) -> None:
    assert matches(expected, output) is same
