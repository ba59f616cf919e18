"""The gateway as a server under test: it allows everything, since what it hands on is what is tried."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.conformance import installation

__all__ = ["command", "over_http"]

POLICY = """import "stdlib/policies/gateway.kleis"

define check_call(who : Principal, state : State, call : McpCall) : Decision = Allow
"""


def command(folder: Path, servers: Mapping[str, object], *options: str) -> list[str]:
    """The command line of a gateway over stdio in front of servers, each as `mcpServers` has it."""
    (folder / "policy.kleis").write_text(POLICY)
    (folder / "servers.json").write_text(json.dumps({"mcpServers": servers}))
    program = [sys.executable, "-m", "registry.cli.pif", "--home", str(folder / "gateway"), "gateway"]
    files = ["--policy", str(folder / "policy.kleis"), "--config", str(folder / "servers.json")]
    return [*program, *files, "--no-pif", "--trust-first-use", *options]


@contextmanager
def over_http(folder: Path, servers: Mapping[str, object]) -> Iterator[str]:
    """The address of a gateway over HTTP, which ends with the block."""
    with (
        (folder / "gateway.log").open("w") as log,
        subprocess.Popen(
            command(folder, servers, "--http", "127.0.0.1:0"),
            cwd=installation.HERE.parents[1],
            stdout=log,
            stderr=subprocess.PIPE,
            text=True,
        ) as process,
    ):
        assert process.stderr is not None
        try:
            line = process.stderr.readline()
            if "http://" not in line:
                raise RuntimeError(f"the gateway did not start: {line}{process.stderr.read()}")
            yield line.split()[-1]
        finally:
            process.terminate()
            log.write(process.stderr.read())
