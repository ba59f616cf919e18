"""Clients that others wrote, each with the same tasks over both transports.

The tasks: list the tools, evolve one, run it, make a mistake and read the error, have a claim proved. The TypeScript
clients also read a resource, get a prompt and complete a name; they validate every message by their schemas.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

import msgspec

from tests.conformance import installation, server

__all__ = ["FRAMEWORKS", "TYPESCRIPT", "ClientRun", "Lint", "lint_schemas", "run_framework", "run_typescript"]

Transport = str
TRANSPORTS = ("stdio", "http")

TYPESCRIPT = {
    "sdk": ("@modelcontextprotocol/sdk", "2025-11-25"),
    "client": ("@modelcontextprotocol/client", "2026-07-28"),
}
"""The TypeScript clients by the word that `typescript_client.mjs` takes, with the generation that they speak."""

FRAMEWORKS = {
    "pydantic-ai": "pydantic-ai-slim",
    "langchain": "langchain-mcp-adapters",
    "openai-agents": "openai-agents",
    "fastmcp": "fastmcp",
}
"""The frameworks by the word that `framework_client.py` takes, with the package that is pinned."""


class ClientRun(msgspec.Struct, frozen=True):
    """One client over one transport: what came of each task; `failure` where it did not come to an end."""

    client: str
    transport: Transport
    outcomes: Mapping[str, bool]
    failure: str = ""

    @property
    def is_good(self) -> bool:
        """Whether all was done."""
        return not self.failure and bool(self.outcomes) and all(self.outcomes.values())


class Lint(msgspec.Struct, frozen=True):
    """What the Inspector finds in the schemas of all tools with `--strict`, errors and warnings alike."""

    generation: str
    transport: Transport
    tools: int
    findings: tuple[str, ...]


def run_typescript(which: str, transport: Transport, home: Path, patience: float = 120) -> ClientRun:
    """The tasks by a client of a TypeScript SDK. Raises `installation.NotInstalled`."""
    folder = installation.node_packages()
    # Beside its packages: Node looks for them from the script's folder on.
    script = folder / "typescript_client.mjs"
    script.write_bytes((installation.HERE / "typescript_client.mjs").read_bytes())
    start = ["node", str(script), which, transport]
    return _run(which, transport, home, start, installation.environment(), patience)


def run_framework(which: str, transport: Transport, home: Path, patience: float = 180) -> ClientRun:
    """The tasks by the client of an agent framework. Raises `installation.NotInstalled`."""
    start = [str(installation.frameworks()), str(installation.HERE / "framework_client.py"), which, transport]
    return _run(which, transport, home, start, None, patience)


def _run(
    client: str,
    transport: Transport,
    home: Path,
    start: list[str],
    environment: Mapping[str, str] | None,
    patience: float,
) -> ClientRun:
    home.mkdir(parents=True)
    if transport == "http":
        with server.over_http(home) as address:
            return _ended(client, transport, [*start, address], environment, patience)
    return _ended(client, transport, [*start, *server.command(home)], environment, patience)


def _ended(
    client: str,
    transport: Transport,
    command: list[str],
    environment: Mapping[str, str] | None,
    patience: float,
) -> ClientRun:
    try:
        ended = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=patience, check=False
        )
        return ClientRun(client, transport, json.loads(ended.stdout.strip().splitlines()[-1]))
    except subprocess.TimeoutExpired:
        return ClientRun(client, transport, {}, f"no end within {patience:.0f} s")
    except (ValueError, IndexError):
        return ClientRun(client, transport, {}, (ended.stderr.strip() or ended.stdout)[-600:])


def lint_schemas(generation: str, transport: Transport, folder: Path, patience: float = 120) -> Lint:
    """The Inspector's word on the schemas of every tool of every group, listed on that generation.

    Raises `installation.NotInstalled`, and RuntimeError where the Inspector lists nothing.
    """
    folder.mkdir(parents=True)
    packages = installation.node_packages()
    policy = folder / "gate.kleis"
    policy.write_text('define check_read(path) = "allow"')
    options = ("--more", "--policy", str(policy))
    era = "modern" if generation >= "2026" else "legacy"
    inspector = str(packages / "node_modules" / ".bin" / "mcp-inspector")
    ask = ["node", inspector, "--cli"]
    how = ["--protocol-era", era, "--method", "tools/list", "--strict", "--format", "json"]
    if transport == "http":
        with server.over_http(folder, groups="all", options=options) as address:
            ended = _inspected([*ask, "--transport", "http", "--server-url", address, *how], patience)
    else:
        # A file names the server: its options must not be taken for the Inspector's.
        program, *arguments = server.command(folder, groups="all", options=options)
        config = folder / "servers.json"
        config.write_text(json.dumps({"mcpServers": {"pif": {"command": program, "args": arguments}}}))
        ended = _inspected([*ask, "--config", str(config), "--server", "pif", *how], patience)
    try:
        said = json.loads(ended.stdout)
        tools = len(said["result"]["tools"])
    except (ValueError, KeyError) as error:
        raise RuntimeError(f"the Inspector listed nothing: {ended.stderr[-2000:]}") from error
    findings = tuple(
        f"{found['severity']}: {tool['toolName']}: {found['schema']}.{found['path']}: {found['issue']}"
        for tool in said.get("schemaFindings", ())
        for found in tool["findings"]
    )
    return Lint(generation, transport, tools, findings)


def _inspected(command: list[str], patience: float) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        env=installation.environment(),
        capture_output=True,
        text=True,
        timeout=patience,
        check=False,
    )
