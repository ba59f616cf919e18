"""The tool `explore` of the group `theory`: the laws of a structure, from candidates that a PIF tool makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec

from kleis.sessions.files.errors import SessionError
from registry.errors import RegistryError
from registry.explore.explore_request import GENERATOR, Asked, explored
from registry.server.contract.group import Answer, CallContext, ToolSpec
from registry.server.contract.schemas import Natural, record, session_name, text, texts, whole
from registry.server.contract.settings import Site
from registry.server.groups.theory.group import ExtraTool

__all__ = ["EXPLORE", "Explore", "provide"]

ANSWER_WITHIN = 40.0
"""Seconds after which the answer is what is found so far."""

LAWS_WITHIN = 30.0
"""The same for laws of tools: what is not proved by then is still tried."""


class Explore(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    structure: str = ""
    tools: tuple[str, ...] = ()
    session: str = "default"
    size: Annotated[int, msgspec.Meta(ge=1, le=20)] = 5
    variables: Annotated[int, msgspec.Meta(ge=0, le=6)] = 3
    generator: str = GENERATOR
    carrier: str | None = None
    offset: Natural = 0
    limit: Annotated[int, msgspec.Meta(ge=0, le=1_000)] = 20


EXPLORE = ToolSpec(
    name="explore",
    title="Find laws",
    description="Find the laws of a structure (or of PIF tools): equations between small terms are tested on finite models, then proved or "
    "refuted. A PIF tool of your own can give the candidates. Incomplete answers: call again, proofs are kept.",
    input_schema=record(
        (),
        structure=text(),
        tools=texts("PIF tools, instead"),
        session=session_name(),
        size=whole(1, 20, default=5, description="symbols a side"),
        variables=whole(0, 6, default=3),
        generator=text("PIF tool: record → list of quoted propositions"),
        carrier=text(),
        offset=whole(0, default=0),
        limit=whole(0, 1_000, default=20),
    ),
    arguments=Explore,
    example={"structure": "Group", "size": 4},
    read_only=True,
    idempotent=True,
)


def provide(site: Site) -> Sequence[ExtraTool]:
    """The tool over the sessions and the tools of a site."""

    async def call(arguments: Any, context: CallContext) -> Answer:
        return await context.run_in_worker(lambda: _answer(site, arguments, context))

    return (ExtraTool(EXPLORE, call),)


def _answer(site: Site, arguments: Explore, context: CallContext) -> Answer:
    told = 0

    def progress(done: int, total: int, message: str) -> None:
        nonlocal told
        if done > told:
            told = done
            context.progress(done, total, message)

    asked = Asked(
        structure=arguments.structure, tools=arguments.tools, size=arguments.size, variables=arguments.variables,
        generator=arguments.generator, carrier=arguments.carrier, offset=arguments.offset, limit=arguments.limit,
    )  # fmt: skip
    try:
        found = explored(
            site.oracles.get(arguments.session) if arguments.structure else None, site.workspace.tools(), asked,
            prover=lambda: site.workspace.prover, seconds=LAWS_WITHIN if arguments.tools else ANSWER_WITHIN, cancelled=context.cancelled.is_set, progress=progress,
        )  # fmt: skip
    except RegistryError as error:
        fields = error.as_json()
        return Answer({"type": "error", "error": fields}, _refusal_text(fields), is_error=True)
    except SessionError as error:
        return Answer.error("invalid_argument", error.message, path="/session", hint=error.hint)
    return Answer(found, msgspec.json.encode(found).decode(), rest="Call explore with a smaller limit.")


def _refusal_text(error: dict[str, Any]) -> str:
    lines = [f"{error['kind']}: {error['message']}"]
    lines += [f"{key}: {error[key]}" for key in ("found", "expected", "hint") if key in error]
    return "\n".join(lines)
