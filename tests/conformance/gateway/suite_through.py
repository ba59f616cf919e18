"""The conformance suite through the gateway, in front of the server that passes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Literal

from registry.gateway.upstream.protocol import Generation
from tests.conformance import server, suite
from tests.conformance.gateway import server as gateway
from tests.conformance.gateway.unnaming_proxy import unnamed

__all__ = ["BEHIND", "NOT_OFFERED", "run", "unexpected"]

BEHIND = "conformance"
"""The name of the server behind the gateway, and of its group of tools."""

Transport = Literal["stdio", "http"]

NOT_OFFERED: Mapping[str, frozenset[str]] = {
    "2025-11-25": frozenset(
        {
            "tools-call-sampling",
            "tools-call-elicitation",
            "elicitation-sep1034-defaults",
            "elicitation-sep1330-enums",
        }
    ),
    "2026-07-28": frozenset(
        {
            "server-stateless",
            "input-required-result-basic-elicitation",
            "input-required-result-basic-sampling",
            "input-required-result-basic-list-roots",
            "input-required-result-request-state",
            "input-required-result-multiple-input-requests",
            "input-required-result-multi-round",
            "input-required-result-non-tool-request",
            "input-required-result-result-type",
            "input-required-result-tampered-state",
            "input-required-result-capability-check",
        }
    ),
}
"""Scenarios in which the server asks its client for something: the gateway offers that to no server yet."""

_STATELESS = frozenset(
    {
        "sep-2575-server-rejects-undeclared-capability",
        "sep-2575-missing-capability-http-400",
        "sep-2575-http-server-no-independent-requests-on-stream",
    }
)
"""The checks of `server-stateless` that need a server which asks its client for something."""


def run(
    generation: str, folder: Path, *, behind: Generation, over: Transport = "http"
) -> list[suite.Outcome]:
    """The outcomes of all scenarios of a revision, with a server of the generation `behind` the gateway.

    Over stdio each session of the older generation has a process of its own.  Raises what `suite.run_suite` raises.
    """
    home = folder / "home"
    home.mkdir()
    with ExitStack() as opened:
        if over == "http":
            there: dict[str, object] = {"url": opened.enter_context(server.over_http(home, groups=BEHIND))}
        else:
            command, *args = server.command(home, groups=BEHIND)
            there = {"command": command, "args": args}
        servers = {BEHIND: {**there, "gateway": {"generation": behind}}}
        address = opened.enter_context(gateway.over_http(folder, servers))
        proxy = opened.enter_context(unnamed(address, BEHIND))
        return suite.run_suite(proxy, generation, folder / "results")


def unexpected(generation: str, outcomes: Sequence[suite.Outcome]) -> dict[str, suite.Outcome | str]:
    """Scored scenarios that went otherwise than `NOT_OFFERED` says, by name."""
    wrong: dict[str, suite.Outcome | str] = {
        each.scenario: each
        for each in outcomes
        if not each.unscored and each.word != "passed" and each.scenario not in NOT_OFFERED[generation]
    }
    wrong |= {
        each.scenario: each
        for each in outcomes
        if each.scenario == "server-stateless"
        and not {said.partition(":")[0] for said in each.complaints} <= _STATELESS
    }
    passed = {each.scenario for each in outcomes if each.word == "passed"}
    return wrong | dict.fromkeys(NOT_OFFERED[generation] & passed, "passed, and is listed as not offered")
