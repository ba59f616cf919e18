"""All servers and suites through the gateway, and the section of docs/conformance.md that says what came of it.

The section holds no dates, times or durations: a second run writes the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import msgspec

from registry.gateway.upstream.protocol import Generation
from tests.conformance import installation, suite
from tests.conformance import report as page
from tests.conformance.clients import TYPESCRIPT, ClientRun
from tests.conformance.gateway import clients, suite_through
from tests.conformance.gateway.cases import CASES, EXCEPTIONS, NEWER, OLDER
from tests.conformance.gateway.differential import Difference, differences

__all__ = ["Results", "install", "run", "write", "wrong"]

_HEAD = "## Through the gateway"
_GENERATIONS = ("2025", "2026")

_PACKAGES = {
    "everything": "@modelcontextprotocol/server-everything",
    "filesystem": "@modelcontextprotocol/server-filesystem",
    "memory": "@modelcontextprotocol/server-memory",
    "thinking": "@modelcontextprotocol/server-sequential-thinking",
    "git": "mcp-server-git",
    "time": "mcp-server-time",
    "fetch": "mcp-server-fetch",
    "sqlite": "mcp-server-sqlite",
}


class Compared(msgspec.Struct, frozen=True):
    """One server, with the generations on either side of the gateway."""

    case: str
    server: str
    client: str
    steps: int
    found: Sequence[Difference]


class Suite(msgspec.Struct, frozen=True):
    """The suite of one revision, with a server of a generation behind the gateway."""

    revision: str
    behind: str
    outcomes: Sequence[suite.Outcome]


class Results(msgspec.Struct, frozen=True):
    """All that a run found."""

    compared: Sequence[Compared]
    suites: Sequence[Suite]
    clients: Sequence[ClientRun]


def install() -> None:
    """Install what is put behind the gateway. Raises `installation.NotInstalled`."""
    installation.node_servers()
    installation.python_servers(NEWER)
    installation.python_servers(OLDER)


def run(folder: Path) -> Results:
    """Compare all servers in all pairs of generations, and run the suite of both revisions."""
    compared = []
    for case in CASES:
        for server in case.generations:
            for client in _GENERATIONS:
                print(f"{case.name} through the gateway, {server} for {client}", flush=True)
                at = folder / f"{case.name}-{server}-{client}"
                at.mkdir()
                found = differences(
                    case, at, server=cast("Generation", server), client=cast("Generation", client)
                )
                steps = len(case.steps(at / "at"))
                compared.append(Compared(case.name, server, client, steps, found))
    suites = []
    for revision in suite.GENERATIONS:
        for behind in _GENERATIONS:
            print(f"the conformance suite through the gateway, {revision}, in front of {behind}", flush=True)
            at = folder / f"suite-{revision}-{behind}"
            at.mkdir()
            outcomes = suite_through.run(revision, at, behind=cast("Generation", behind))
            suites.append(Suite(revision, behind, outcomes))
    runs = []
    for transport in ("stdio", "http"):
        for which in (*clients.TYPESCRIPT, *clients.PYTHON):
            print(f"{which} at the gateway over {transport}", flush=True)
            at = folder / f"client-{which}-{transport}"
            at.mkdir()
            ran = clients.run_typescript if which in clients.TYPESCRIPT else clients.run_python
            runs.append(ran(which, transport, at))
    return Results(compared, suites, runs)


def wrong(results: Results) -> list[str]:
    """What is not as it should be."""
    found = [
        f"{each.case} through the gateway ({each.server} for {each.client}): {one.step}: {one.straight!r} became {one.through!r}"
        for each in results.compared
        for one in each.found
    ]
    found += [
        f"{each.client} at the gateway over {each.transport}: {each.failure or dict(each.outcomes)}"
        for each in results.clients
        if not each.is_good
    ]
    return found + [
        f"the suite through the gateway, {each.revision} in front of {each.behind}: {name}"
        for each in results.suites
        for name in suite_through.unexpected(each.revision, each.outcomes)
    ]


def write(results: Results) -> None:
    """Write the section anew; the rest of the page stays."""
    rest = page.PAGE.read_text().partition(f"\n{_HEAD}\n")[0].rstrip("\n")
    page.PAGE.write_text(f"{rest}\n\n{_section(results)}")


def _section(results: Results) -> str:
    versions = _versions()
    rows = [
        (
            f"`{_PACKAGES[each.case]}` {versions[_PACKAGES[each.case]]}",
            each.server,
            each.client,
            f"{each.steps - len(each.found)} of {each.steps}",
        )
        for each in results.compared
    ]
    suites = [
        (
            each.revision,
            each.behind,
            f"{sum(one.word == 'passed' for one in scored)} of {len(scored)}",
            f"{len(suite_through.NOT_OFFERED[each.revision])}",
        )
        for each in results.suites
        for scored in [[one for one in each.outcomes if not one.unscored]]
    ]
    named = {each: f"`{package}`" for each, (package, _) in TYPESCRIPT.items()}
    named |= {each: f"`mcp` (Python), {each.partition(' ')[2]}" for each in clients.PYTHON}
    at_work = [
        (named[each.client], each.transport, f"{sum(each.outcomes.values())} of {len(each.outcomes)}")
        for each in results.clients
    ]
    left_out = [(f"`{name}`", reason) for name, reason in EXCEPTIONS.items()]
    not_offered = [
        (revision, ", ".join(f"`{each}`" for each in sorted(names)))
        for revision, names in suite_through.NOT_OFFERED.items()
    ]
    return f"""\
{_HEAD}

Servers that others wrote, behind a gateway that allows everything. Each request is made twice, to the server and through the gateway, and the answers have to be the same: lists, calls with every kind of content, errors, progress, cancelled calls, resources, prompts, completion, subscriptions. Names and addresses are compared without the gateway's prefix; results that hold none are the same byte for byte where both sides speak one generation. Of a listed tool `execution` (which speaks of tasks) is left out.

{_table(("Server", "It speaks", "The client speaks", "Answers that are the same"), rows)}
Not compared of `everything`:

{_table(("Tool", "Why"), left_out)}
Clients with `everything` behind the gateway: each lists, calls, makes a mistake, follows a link, watches progress, gets pictures, structured results and a prompt.

{_table(("Client", "Transport", "Tasks done"), at_work)}
The conformance suite through the gateway, with the group `conformance` behind it over HTTP:

{_table(("Revision", "The server speaks", "Scored scenarios passed", "Not offered"), suites)}
Not offered: the server asks its client for something, which the gateway offers to no server yet. These are

{_table(("Revision", "Scenarios"), not_offered)}"""


def _versions() -> Mapping[str, str]:
    here = installation.HERE / "gateway"
    node: dict[str, str] = json.loads((here / "package.json").read_text())["dependencies"]
    python = "".join((here / each).read_text() for each in (NEWER, OLDER))
    return {**node, **dict(re.findall(r"^(mcp-server-\w+)==(\S+)$", python, re.M))}


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(each)} |\n" for each in lines)
