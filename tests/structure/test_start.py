"""What each command imports to do its work: a budget of modules, not of seconds, and libraries that have no part in it.

A command's start is mostly imports. The budgets are a tenth above what was counted; one that is met by taking a module out of
a path is worth more than one that is raised.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from registry.cli.kleis.commands import kleis
from registry.cli.pif.commands import pif
from registry.cli.terminal.commands import CommandTable
from tests.support.servers.raw_client import call, initialize

HEAVY = (
    "mcp",
    "mcp_types",
    "pydantic",
    "starlette",
    "uvicorn",
    "httpx2",
    "z3",
    "rich",
    "numpy",
    "psycopg",
    "prompt_toolkit",
)

IDENTITY = '{"lam": "x", "body": {"var": "x"}}'

COMMANDS: dict[str, tuple[list[str], int, tuple[str, ...]]] = {
    "pif --help": (["--help"], 230, ("asyncio", "sqlite3", "kleis.syntax", "kleis.prover")),
    "pif run": (["run", IDENTITY, "1"], 286, ("asyncio", "kleis.syntax", "kleis.prover", "click", "logging", "shutil", "hashlib")),
    "pif list": (["list"], 310, ("asyncio", "kleis.syntax", "kleis.prover")),
    "kleis --help": (["--help"], 150, ("asyncio", "sqlite3", "kleis.syntax", "kleis.prover", "msgspec")),
    "kleis eval": (["eval", "1 + 2"], 305, ("asyncio", "sqlite3", "click", "logging", "shutil", "kleis.elaborate.elaborator", "kleis.prover.prover", "kleis.prover.engines")),
    "kleis verify": (["verify", "1 + 1 = 2"], 370, ("asyncio", "sqlite3", "click", "logging", "shutil", "subprocess", "concurrent", "kleis.prover.process.connection")),
    "pif serve --groups pif": (["serve", "--groups", "pif"], 466, ("kleis.syntax", "registry.server.mcp.mcp_server")),
    "pif serve": (["serve"], 708, ("registry.server.mcp.mcp_server",)),
}  # fmt: skip
"""What a command is given, how many modules it may have imported when it ends, and what it must not have imported besides
`HEAVY`."""

REQUESTS = "".join(
    json.dumps(each) + "\n"
    for each in (
        initialize(1),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 3, "method": "resources/list"},
        call(4, "run", {"code": json.loads(IDENTITY), "input": 1}),
    )
)
"""What a server is asked."""

_PROGRAM = """
import json, sys
from registry.cli.{program} import main
status = main(json.loads(sys.argv[1]))
sys.stdout.flush()
sys.stderr.write("\\0" + json.dumps([status, sorted(sys.modules)]))
"""


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_imports_what_it_needs(command: str, tmp_path: Path) -> None:
    arguments, most, unwanted = COMMANDS[command]
    environment = {**os.environ, "PIF_HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}

    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM.format(program=command.split()[0]), json.dumps(arguments)],
        env=environment, input=REQUESTS if "serve" in command else "", capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip

    status, modules = json.loads(done.stderr.rpartition("\0")[2])
    assert status == 0, done.stderr[:2000]
    found = [
        each
        for each in modules
        if any(each == name or each.startswith(f"{name}.") for name in (*HEAVY, *unwanted))
    ]
    assert found == []
    assert len(modules) <= most


@pytest.mark.parametrize("program", [pif, kleis])
def test_the_table_of_commands_is_that_of_their_modules(program: click.Group) -> None:
    table = program.commands
    assert isinstance(table, CommandTable)
    for module, names in table.modules.items():
        assert tuple(each.name for each in __import__(module, fromlist=["COMMANDS"]).COMMANDS) == tuple(names)
    assert {name: command.name for name, command in table.items()} == {name: name for name in table}
