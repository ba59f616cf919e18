"""The conformance suite through the gateway, in front of the server that passes it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from registry.gateway.upstream.protocol import Generation
from tests.conformance import installation, server, suite
from tests.conformance.gateway.differential import POLICY
from tests.conformance.gateway.unnaming_proxy import unnamed

__all__ = ["BEHIND", "gateway", "run"]

BEHIND = "conformance"
"""The name of the server behind the gateway."""


@contextmanager
def gateway(folder: Path, servers: Mapping[str, object]) -> Iterator[str]:
    """The address of a gateway that allows everything, while the block runs."""
    (folder / "policy.kleis").write_text(POLICY)
    (folder / "servers.json").write_text(json.dumps({"mcpServers": servers}))
    command = [sys.executable, "-m", "tests.conformance.gateway.open_gateway", str(folder), "--http"]
    with subprocess.Popen(
        command, cwd=installation.HERE.parents[1], stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        try:
            line = process.stderr.readline()
            if not line.startswith("http://"):
                raise RuntimeError(f"the gateway did not start: {line}{process.stderr.read()}")
            yield line.strip()
        finally:
            process.terminate()
            (folder / "gateway.log").write_text(process.stderr.read())


def run(generation: str, folder: Path, *, behind: Generation) -> list[suite.Outcome]:
    """The outcomes of all scenarios of a revision, with a server of the generation `behind` the gateway.

    Raises what `suite.run_suite` raises.
    """
    command, *args = server.command(folder / "home", groups="conformance")
    servers = {BEHIND: {"command": command, "args": args, "gateway": {"generation": behind}}}
    with gateway(folder, servers) as address, unnamed(address, BEHIND) as proxy:
        return suite.run_suite(proxy, generation, folder / "results")
