"""The documents of the project, and their blocks, run as a reader would run them.

Each document is run by itself, from top to bottom, in a home and a directory of its own.

| block | what is done with it |
|---|---|
| `console` | each `$ command` is run in a shell, in one home for the whole document; its output must be what follows |
| `calls` | each call is made by a real client of a real server (`tests.guide.calls`); its text must be what follows |
| `json` | it must be JSON; with the word `term` behind it, a PIF term; with `config`, a client's settings that start a server |
| `python` | it is run, with the same home, and must not fail |
| `sh` | each line must be one that README shows, where `tests.guide.test_readme` runs it, or `make` with a target of the Makefile |
| `text`, `mermaid` | nothing |

In an expected output `…` stands for any text within a line, and a line of it alone for any lines.

    python -m tests.guide.transcripts GUIDE.md        writes the outputs into the document
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.guide.calls import answers, calls, written

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = sorted(
    path
    for path in [ROOT / "README.md", ROOT / "GUIDE.md", *ROOT.glob("docs/**/*.md")]
    if path.parent.name != "adr" and path.name != "benchmarks.md"
)
"""What a reader learns from: all documents but decisions, measurements, and what is for contributors."""
_BLOCK = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: its words (`console`, `json term`), its text, and the line that it starts on."""

    info: str
    text: str
    line: int


@dataclass(frozen=True)
class Exchange:
    """A command of a `console` block and the output that must follow."""

    command: str
    expected: str


def blocks(document: Path) -> list[Block]:
    """All fenced blocks of a document, in order."""
    text = document.read_text()
    return [
        Block(found["info"].strip(), found["body"], text.count("\n", 0, found.start()) + 1)
        for found in _BLOCK.finditer(text)
    ]


def exchanges(block: Block) -> Iterator[Exchange]:
    """The commands of a console block; a command goes on in lines that start with `> `."""
    command: list[str] = []
    output: list[str] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            if command:
                yield Exchange("\n".join(command), "\n".join(output))
            command, output = [line[2:]], []
        elif (line == ">" or line.startswith("> ")) and not output:
            command.append(line[2:])
        else:
            output.append(line)
    if command:
        yield Exchange("\n".join(command), "\n".join(output))


def surroundings(folder: Path) -> dict[str, str]:
    """The environment of a document's commands: the project's commands on the PATH, a home in `folder`."""
    return {
        **{
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PIF_", "MCP_", "KLEIS_", "PYTHON"))
        },
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PIF_HOME": str(folder / "home"),
        "NO_COLOR": "1",
    }


def run(command: str, folder: Path) -> str:
    """What a command prints, both streams, in a shell."""
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=surroundings(folder), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL, text=True, timeout=300, check=False,
    )  # fmt: skip
    return done.stdout.rstrip("\n")


def matches(expected: str, output: str) -> bool:
    """Whether an output is the expected one, `…` standing for any text of a line or, alone, for any lines."""
    pattern = "\n".join(
        "(?:.*\n?)*?" if line.strip() == "…" else re.escape(line).replace("…", ".*")
        for line in expected.split("\n")
    )
    return re.fullmatch(pattern.replace("(?:.*\n?)*?\n", "(?:.*\n)*?"), output) is not None


def rewritten(document: Path) -> str:
    """The document with the real outputs in its console blocks, those that match left as they are."""
    with tempfile.TemporaryDirectory() as folder:

        def filled(found: re.Match[str]) -> str:
            block = Block(found["info"].strip(), found["body"], 0)
            if block.info.startswith("calls "):
                return _called(block, Path(folder))
            if block.info != "console":
                return found[0]
            lines = []
            for exchange in exchanges(block):
                output = run(exchange.command, Path(folder))
                first, *more = exchange.command.split("\n")
                lines += [f"$ {first}", *(f"> {line}".rstrip() for line in more)]
                shown = exchange.expected if matches(exchange.expected, output) else output
                lines += shown.split("\n") if shown else []
            return "```console\n" + "\n".join(lines) + "\n```"

        return _BLOCK.sub(filled, document.read_text())


def _called(block: Block, folder: Path) -> str:
    """A block of calls with the real answers in it."""
    found = list(calls(block.text))
    real = answers(found, block.info.split()[1:], folder)
    shown = (
        expected if matches(expected, answer) else answer
        for answer, expected in zip(real, ("\n".join(each.expected) for each in found), strict=True)
    )
    text = "\n".join(written(call, answer) for call, answer in zip(found, shown, strict=True))
    return f"```{block.info}\n{text}\n```"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = ROOT / name
        path.write_text(rewritten(path))
