"""Every block of README.md, GUIDE.md and the pages in docs/ is run."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pif.language.decode import decode_term
from tests.guide.calls import answers, calls
from tests.guide.transcripts import PAGES, ROOT, Block, blocks, exchanges, matches, run, surroundings
from tests.support.servers.raw_client import RawClient

NAMES = [str(page.relative_to(ROOT)) for page in PAGES]


@pytest.mark.parametrize("name", NAMES)
def test_document(name: str, tmp_path: Path) -> None:
    for block in blocks(ROOT / name):
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
                check_shell(block, name)
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
            if server["command"] != "uvx":  # `tests.guide.test_readme` starts that one
                check_server(server, surroundings(folder))


def check_server(server: dict[str, Any], environment: dict[str, str]) -> None:
    """A client's setting must start a server that answers."""
    settings = [f"{name}={value}" for name, value in environment.items()]
    client = RawClient(command=["env", "-i", *settings, server["command"], *server.get("args", [])])
    try:
        assert client.handshake()["serverInfo"]["name"] == "pif"
    finally:
        client.end_input()
        client.wait()
        client.end_output()
        assert client.process.stderr is not None
        client.process.stderr.close()


def check_python(block: Block, folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", block.text],
        cwd=folder,
        env=surroundings(folder),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"line {block.line}:\n{done.stderr}"


def check_shell(block: Block, name: str) -> None:
    """What README shows is run by `tests.guide.test_readme`; the other documents repeat it, or name targets of the Makefile."""
    if name == "README.md":
        return
    shown = {line.strip() for each in blocks(ROOT / "README.md") for line in each.text.splitlines()}
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for line in filter(None, block.text.splitlines()):
        words = line.split("#")[0].split()
        assert line in shown or (words[:1] == ["make"] and words[1] in targets), (
            f"{name}:{block.line}: {line}"
        )


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
