"""The tool `explore` of the group `theory`: the laws of a structure, from candidates that a PIF tool makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from kleis.sessions.files.errors import SessionError
from registry.errors import RegistryError
from registry.explore.asked import Asked, ExploredAnswer
from registry.server.contract.group import Answer, CallContext, ToolSpec
from registry.server.contract.settings import Site
from registry.server.groups.theory.group import ExtraTool
from registry.server.groups.theory.job_tools import BegunAnswer
from registry.server.groups.theory.requests import JOB_WITHIN, Timeout, Wait

if TYPE_CHECKING:
    from registry.server.calls.search_process import Search

__all__ = ["EXPLORE", "provide", "search"]

SEARCH = "registry.server.groups.theory.explore_tool:search"

ANSWER_WITHIN = 40.0
"""Seconds after which the answer is what is found so far."""

LAWS_WITHIN = 30.0
"""The same for laws of tools: what is not proved by then is still tried."""


class Exploring(Asked, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of the tool: those of `explore`, how long it may take, and whether to wait."""

    timeout_ms: Timeout | None = None
    wait: Wait = True


EXPLORE = ToolSpec(
    name="explore",
    title="Find laws",
    description="Find the laws of a structure (or of PIF tools): equations between small terms are tested on finite models, then proved or "
    "refuted. A PIF tool can give the candidates. Incomplete? Call again: proofs are kept.",
    arguments=Exploring,
    answers=(ExploredAnswer, BegunAnswer),
    example={"structure": "Group", "size": 4},
    read_only=True,
    idempotent=True,
)


def provide(site: Site) -> Sequence[ExtraTool]:
    """The tool over the sessions and the tools of a site."""

    async def call(arguments: Any, context: CallContext) -> Answer:
        seconds = LAWS_WITHIN if arguments.tools else ANSWER_WITHIN
        if arguments.timeout_ms is not None:
            seconds = arguments.timeout_ms / 1_000
        if context.is_job:
            seconds = JOB_WITHIN
        return await context.search(SEARCH, site.settings, arguments, seconds)

    return (ExtraTool(EXPLORE, call),)


def search(site: Site, asked: Asked, search: Search) -> Answer:
    """What `explore` does in a process of its own."""
    try:
        found = _explored(site, asked, search)
    except RegistryError as error:
        fields = error.as_json()
        return Answer({"type": "error", "error": fields}, _error_text(fields), is_error=True)
    except SessionError as error:
        return Answer.error("invalid_argument", error.message, path="/session", hint=error.hint)
    return Answer(found, msgspec.json.encode(found).decode(), rest="Call explore with a smaller limit.")


def _explored(site: Site, asked: Asked, search: Search) -> dict[str, Any]:
    """What is found, with the workers of a cluster where the server has one and the question is about a structure."""
    from registry.explore.explore_request import explored  # not in the server, which starts this process
    from registry.server.groups.theory.explore_workers import workers_of

    told = 0

    def progress(done: int, total: int, message: str) -> None:
        nonlocal told
        if done > told:
            told = done
            search.progress(done, total, message)

    snapshot = site.oracles.get(asked.session) if asked.structure else None
    tools = site.workspace.tools()
    if snapshot is None:
        return explored(
            None,
            tools,
            asked,
            prover=lambda: site.workspace.prover,
            seconds=search.seconds,
            progress=progress,
        )
    with workers_of(site, snapshot, asked.effort, search) as workers:
        found = explored(
            snapshot if workers is None else workers.snapshot, tools, asked, prover=lambda: site.workspace.prover,
            seconds=search.seconds if workers is None else search.left(), progress=progress if workers is None else workers.progress,
            workers=None if workers is None else workers.about,
        )  # fmt: skip
    return found if workers is None else {**found, "workers": workers.told()}


def _error_text(error: dict[str, Any]) -> str:
    lines = [f"{error['kind']}: {error['message']}"]
    lines += [f"{key}: {error[key]}" for key in ("found", "expected", "hint") if key in error]
    return "\n".join(lines)
