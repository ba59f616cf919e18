"""Clients that others wrote at the gateway with `everything` behind it, each with the same tasks.

They check every message by models of their own, and use names and addresses as the gateway gives them: list the tools, call
one, make a mistake, get a structured result, a picture and links, follow a link, watch progress, read a prompt, complete.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
from pathlib import Path
from typing import Any

import mcp
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.conformance import installation
from tests.conformance.clients import ClientRun
from tests.conformance.gateway import server as gateway
from tests.conformance.gateway.cases import CASES

__all__ = ["PYTHON", "TYPESCRIPT", "run_python", "run_typescript"]

TYPESCRIPT = ("sdk", "client")
"""The SDK of the older generation, and that of both."""

PYTHON = ("python auto", "python legacy")
"""The Python SDK in both of its modes."""

_EVERYTHING = next(case for case in CASES if case.name == "everything")


def _servers(folder: Path) -> dict[str, object]:
    command, *args = _EVERYTHING.command(folder)
    return {"everything": {"command": command, "args": args}}


def run_typescript(which: str, transport: str, folder: Path, patience: float = 120) -> ClientRun:
    """The tasks by the client of a TypeScript SDK. Raises `installation.NotInstalled`."""
    packages = installation.node_packages()
    installation.node_servers()
    # Beside its packages: Node looks for them from the script's folder on.
    script = packages / "gateway_client.mjs"
    script.write_bytes((installation.HERE / "gateway" / "typescript_client.mjs").read_bytes())
    start = ["node", str(script), which, transport]
    if transport == "http":
        with gateway.over_http(folder, _servers(folder)) as address:
            return _ended(which, transport, [*start, address], patience)
    return _ended(which, transport, [*start, *gateway.command(folder, _servers(folder))], patience)


def _ended(which: str, transport: str, command: list[str], patience: float) -> ClientRun:
    try:
        ended = subprocess.run(
            command,
            env=installation.environment(),
            capture_output=True,
            text=True,
            timeout=patience,
            check=False,
        )
        return ClientRun(which, transport, json.loads(ended.stdout.strip().splitlines()[-1]))
    except subprocess.TimeoutExpired:
        return ClientRun(which, transport, {}, f"no end within {patience:.0f} s")
    except (ValueError, IndexError):
        return ClientRun(which, transport, {}, (ended.stderr.strip() or ended.stdout)[-600:])


def run_python(which: str, transport: str, folder: Path, patience: float = 120) -> ClientRun:
    """The tasks by the client of the Python SDK. Raises `installation.NotInstalled`."""
    installation.node_servers()
    mode = which.partition(" ")[2]
    if transport == "http":
        with gateway.over_http(folder, _servers(folder)) as address:
            return asyncio.run(_tasks(address, transport, mode, patience))
    command, *args = gateway.command(folder, _servers(folder))
    parameters = StdioServerParameters(command=command, args=args, cwd=installation.HERE.parents[1])
    return asyncio.run(_tasks(stdio_client(parameters), transport, mode, patience))


async def _tasks(target: Any, transport: str, mode: Any, patience: float) -> ClientRun:
    async with asyncio.timeout(patience), mcp.Client(target, mode=mode) as client:
        seen: list[float] = []

        async def progressed(progress: float, total: float | None, message: str | None) -> None:
            seen.append(progress)

        listed = await client.list_tools()
        echoed: Any = await client.call_tool("everything__echo", {"message": "ü 😀"})
        wrong = await client.call_tool("everything__echo", {})
        structured = await client.call_tool("everything__get-structured-content", {"location": "Chicago"})
        image: Any = await client.call_tool("everything__get-tiny-image", {})
        links: Any = await client.call_tool("everything__get-resource-links", {"count": 2})
        linked = await client.read_resource(links.content[1].uri)
        long = {"duration": 0.1, "steps": 2}
        await client.call_tool(
            "everything__trigger-long-running-operation", long, progress_callback=progressed
        )
        prompt: Any = await client.get_prompt("everything__args-prompt", {"city": "Bern"})
        outcomes = {
            "list": any(each.name == "everything__echo" for each in listed.tools),
            "echo": echoed.content[0].text == "Echo: ü 😀",
            "error": wrong.is_error is True,
            "structured": (structured.structured_content or {}).get("temperature") == 36,
            "image": image.content[1].mime_type == "image/png",
            "link": linked.contents[0].uri == links.content[1].uri,
            "progress": seen[:1] == [1],
            "prompt": "Bern" in prompt.messages[0].content.text,
        }
    return ClientRun(f"python {mode}", transport, outcomes)
