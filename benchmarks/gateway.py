"""A call judged by the gateway against a relay that copies lines, both in front of the same server over stdio.

The relay is the least that anything between client and server can do; the gateway writes its chained log. Arguments have 2 kB; the server has 1, 10 or 100 tools,
the policy 10 or 10,000 literal rules of which the last decides. `mcp-policy-gateway` from PyPI is measured on the same calls
where PIF_BENCH_POLICY_GATEWAY names the Python that it is installed in.

    python -m benchmarks.gateway
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.stdio_latency import HANDSHAKE

__all__ = ["LIMITS", "measure"]

TOOLS = (1, 10, 100)
RULES = (10, 10_000)
LIMITS = {f"judged by {rules:,} rules, {tools} tools − relay, ms": 1.0 for rules in RULES for tools in TOOLS}

SERVER = """
import json, sys
tools = [{"name": f"tool_{n}", "inputSchema": {"type": "object"}} for n in range(int(sys.argv[1]))]
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    match asked["method"]:
        case "initialize":
            result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
        case "tools/list":
            result = {"tools": tools}
        case _:
            result = {"content": [{"type": "text", "text": "done"}]}
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}) + "\\n")
    sys.stdout.flush()
"""

RELAY = """
import subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
while line := sys.stdin.buffer.readline():
    child.stdin.write(line)
    child.stdin.flush()
    if b'"id"' in line:
        sys.stdout.buffer.write(child.stdout.readline())
        sys.stdout.buffer.flush()
"""


class _Peer:
    """A server process whose tool is called by one name."""

    def __init__(self, command: Sequence[str], tool: str) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input = self._process.stdin
        self._output = self._process.stdout
        self._tool = tool
        self._number = 0
        self._exchange(msgspec.json.encode(HANDSHAKE))
        self._input.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        self._input.flush()

    def _exchange(self, text: bytes) -> Any:
        self._input.write(text + b"\n")
        self._input.flush()
        while True:
            answer = msgspec.json.decode(self._output.readline())
            if "id" in answer:
                return answer

    def processor(self) -> int:
        """Nanoseconds of processor time that the process has taken, without the server behind it; 0 where Linux does not say."""
        tasks = Path(f"/proc/{self._process.pid}/task").glob("*/schedstat")
        return sum(int(each.read_text().split()[0]) for each in tasks)

    def times(self, count: int) -> list[int]:
        """Nanoseconds of each of some calls."""
        spent = []
        for _ in range(count):
            self._number += 1
            params = {"name": self._tool, "arguments": {"path": "/srv/project/a", "text": "x" * 1_950}}
            message = {"jsonrpc": "2.0", "id": self._number, "method": "tools/call", "params": params}
            text = msgspec.json.encode(message)
            begun = time.perf_counter_ns()
            answer = self._exchange(text)
            spent.append(time.perf_counter_ns() - begun)
            if answer["result"]["content"][0]["text"] != "done":
                raise ValueError(f"a wrong answer: {answer!r}")
        return spent

    def __enter__(self) -> _Peer:
        return self

    def __exit__(self, *_: object) -> None:
        self._input.close()
        self._process.wait()
        self._output.close()


def _policy(folder: Path, rules: int, tool: str) -> Path:
    """A policy of so many literal rules, the last of which decides about the tool."""
    names = [f"other_{each}" for each in range(rules - 1)] + [tool]
    rows = "\n  | ".join(
        f'"{each}" => if is_text_of(argument(call, "path"), root) then Allow else Deny("root", "")'
        for each in names
    )
    file = folder / f"policy-{rules}.kleis"
    file.write_text(
        'import "stdlib/policies/gateway.kleis"\n\ndefine root = below("/srv/project")\n\n'
        f"define check_call(who : Principal, state : State, call : McpCall) : Decision = match tool_of(call) {{\n    {rows}\n"
        '  | _ => Deny("default", "")\n}\n'
    )
    return file


OTHER = """
import sys
import mcp_policy_gateway.upstream
mcp_policy_gateway.upstream._upstream_errlog = lambda name: sys.stderr
from mcp_policy_gateway.cli import main
sys.exit(main(sys.argv[1:]))
"""
"""Version 0.1.0 starts no server over stdio: the object that takes its standard error has no descriptor. That is replaced."""


def _other_gateway() -> str | None:
    return os.environ.get("PIF_BENCH_POLICY_GATEWAY")


def _other(folder: Path, command: str, tools: int, rules: int) -> list[str]:
    """The other gateway with as many rules on the same call; JSON is YAML."""
    names = [f"other_{each}" for each in range(rules - 1)] + [f"tool_{tools - 1}"]
    config = {
        "version": 1,
        "server": {"namespace": "always"},
        "audit": {"path": str(folder / "audit.jsonl")},
        "upstreams": {"s": {"transport": "stdio", "command": sys.executable, "args": ["-c", SERVER, str(tools)]}},
        "policies": {
            "p": {
                "default": "deny",
                "rules": [
                    {"name": f"r{place}", "effect": "allow", "tools": [f"s__{name}"], "when": {"args.path": {"matches": "/srv/project/.*"}}}
                    for place, name in enumerate(names)
                ],
            }
        },
    }  # fmt: skip
    file = folder / f"other-{tools}-{rules}.yaml"
    file.write_text(json.dumps(config))
    return [command, "-c", OTHER, "run", "-c", str(file), "--policy", "p"]


def _medians(
    commands: Mapping[str, tuple[Sequence[str], str]], rounds: int, calls: int
) -> dict[str, tuple[float, float]]:
    """Milliseconds of a call of each, in rounds that take turns: the median, and the mean of processor time.

    The other gateway makes a quarter of the calls: with many rules each takes long.
    """
    with ExitStack() as stack:
        peers = {name: stack.enter_context(_Peer(*command)) for name, command in commands.items()}
        spent: dict[str, list[int]] = {name: [] for name in peers}
        for peer in peers.values():
            peer.times(20)
        processor = dict.fromkeys(peers, 0)
        for _ in range(rounds):
            for name, peer in peers.items():
                before = peer.processor()
                spent[name].extend(peer.times(calls // 4 if name.startswith("other") else calls))
                processor[name] += peer.processor() - before
    return {
        name: (statistics.median(times) / 1e6, processor[name] / len(times) / 1e6)
        for name, times in spent.items()
    }


def measure(*, rounds: int = 5, calls: int = 60) -> dict[str, float]:
    """What judging, with its log, adds to a relay in milliseconds, for each number of rules and tools; what else was measured."""
    found: dict[str, float] = {}
    shown: dict[str, float] = {}
    other = _other_gateway()
    for tools in TOOLS:
        with tempfile.TemporaryDirectory(prefix="pif-bench-") as directory:
            folder = Path(directory)
            tool = f"tool_{tools - 1}"
            server = [sys.executable, "-c", SERVER, str(tools)]
            config = folder / "servers.json"
            config.write_text(json.dumps({"mcpServers": {"s": {"command": server[0], "args": server[1:]}}}))
            commands: dict[str, tuple[Sequence[str], str]] = {
                "relay": ([sys.executable, "-c", RELAY, *server], tool)
            }
            for rules in RULES:
                policy = _policy(folder, rules, tool)
                gateway = [
                    sys.executable, "-m", "registry.cli.pif", "--home", str(folder / f"home-{rules}"), "gateway",
                    "--policy", str(policy), "--config", str(config), "--no-pif", "--trust-first-use",
                ]  # fmt: skip
                commands[f"{rules:,}"] = (gateway, f"s__{tool}")
                if other is not None:
                    commands[f"other {rules:,}"] = (_other(folder, other, tools, rules), f"s__{tool}")
            medians = _medians(commands, rounds, calls)
        relay, of_relay = medians["relay"]
        shown[f"relay, {tools} tools, ms"] = relay
        shown[f"relay, {tools} tools, processor, ms"] = of_relay
        for rules in RULES:
            elapsed, processor = medians[f"{rules:,}"]
            found[f"judged by {rules:,} rules, {tools} tools − relay, ms"] = elapsed - relay
            shown[f"judged by {rules:,} rules, {tools} tools − relay, processor, ms"] = processor - of_relay
            if other is not None:
                elapsed, processor = medians[f"other {rules:,}"]
                name = f"mcp-policy-gateway, {rules:,} rules, {tools} tools − relay"
                shown[f"{name}, ms"] = elapsed - relay
                shown[f"{name}, processor, ms"] = processor - of_relay
    return {**found, **shown}


if __name__ == "__main__":
    for name, figure in measure().items():
        print(f"{name}: {figure:.3f}")
