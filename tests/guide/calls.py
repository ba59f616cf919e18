"""Blocks of kind `calls`: calls of a server's tools, made by the SDK's real client, with the text that must come back.

    ```calls theory
    → submit_define {"session": "notes"}
    | define double(x : ℤ) : ℤ = x + x
    CONSISTENT: accepted (stage verify)
    …
    ```

The words behind `calls` are groups of tools, and the file of the policy for the group `policy`. Lines that begin with `| ` are the tool's main argument (the Kleis text or
the expression). The server of each block is a new one over the home of the document.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from registry.cli.demo.client import connected

__all__ = ["ToolCall", "answers", "calls", "written"]

_MAIN = {"evaluate": "expression", "explain": "expression"}


@dataclass
class ToolCall:
    """One call of a block and the text that must follow."""

    head: str
    main: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)

    @property
    def tool(self) -> str:
        return self.head.split(" ", 1)[0]

    @property
    def arguments(self) -> dict[str, Any]:
        _, _, given = self.head.partition(" ")
        arguments: dict[str, Any] = json.loads(given) if given else {}
        if self.main:
            arguments[_MAIN.get(self.tool, "kleis")] = "\n".join(self.main)
        return arguments


def calls(text: str) -> Iterator[ToolCall]:
    """The calls of a block, in order."""
    current: ToolCall | None = None
    for line in text.splitlines():
        if line.startswith("→ "):
            if current is not None:
                yield current
            current = ToolCall(line[2:])
        elif current is not None and (line == "|" or line.startswith("| ")) and not current.expected:
            current.main.append(line[2:])
        elif current is not None:
            current.expected.append(line)
    if current is not None:
        yield current


def answers(found: Sequence[ToolCall], groups: Sequence[str], folder: Path) -> list[str]:
    """What a server of these groups answers, as text."""
    command = [
        sys.executable,
        "-P",
        "-m",
        "registry.cli.pif",
        "serve",
        "--more",
        "--groups",
        ",".join(word for word in groups if not word.endswith(".kleis")),
    ]
    command += [
        part for word in groups if word.endswith(".kleis") for part in ("--policy", str(folder / word))
    ]
    environment = {**os.environ, "PIF_HOME": str(folder / "home")}

    async def talk() -> list[str]:
        async with connected(command, environment=environment, diagnostics=sys.stderr) as connection:
            return [(await connection.call(each.tool, each.arguments)).text.rstrip("\n") for each in found]

    return asyncio.run(talk())


def written(call: ToolCall, answer: str) -> str:
    """A call and its answer as they stand in a document."""
    return "\n".join([f"→ {call.head}", *(f"| {line}".rstrip() for line in call.main), *answer.split("\n")])
