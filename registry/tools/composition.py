"""Tools made from tools: a pipeline of several, and the code that a tool makes of another's code.

`compose: ["sort", "reverse"]` is the function that calls each stage on what the one before gave; a stage is a tool's
name or a term that is a function. The new tool names its stages, so it follows their new versions.
`transform: {"tool": "square", "by": "differentiate"}` calls `by` on the quoted code of `tool` and keeps the code that it
gives; the new tool is independent of both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec

from pif.analysis.facts import facts_of
from pif.language.budget import Budget
from pif.language.decode import decode_term
from pif.language.errors import PifError
from pif.language.host import Tools, missing_tool
from pif.language.terms import Json, Term, literal, make, print_term
from pif.language.warnings import Rounding
from pif.run.evaluate import Request, run
from registry.errors import RegistryError
from registry.records import parse_reference
from registry.tools.argument_types import fresh_name
from registry.tools.code_and_examples import coded

__all__ = ["STAGES", "Transform", "composed", "derived"]

STAGES = 50
"""How many stages a pipeline may have."""

TRANSFORM_FUEL = 2_000_000
"""Fuel of the run of `by`."""

_REACHED = 1_000
"""Tools that are followed to find a circle."""


class Transform(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a tool is made from another: `by` is a tool's name or a term, and takes and gives quoted code."""

    tool: Annotated[str, msgspec.Meta(description="instead of code: the tool whose code is taken")]
    by: Annotated[Json, coded("the tool that makes the new code of it")]


def composed(name: str, stages: Sequence[Json], tools: Tools, rounding: Rounding) -> Term:
    """The function that sends its input through all stages, first to last; `rounding` is told of fractions in them."""
    if not 1 <= len(stages) <= STAGES:
        raise RegistryError(
            "invalid_argument", "a pipeline has at least one stage, and not too many", place="compose",
            found=f"{len(stages)} stages", expected=f"1 to {STAGES}", hint='Example: ["sort", "reverse"]',
        )  # fmt: skip
    names = [stage for stage in stages if isinstance(stage, str)]
    terms = [_function(stage, f"compose/{number}", tools, rounding) for number, stage in enumerate(stages)]
    _check_circle(name, [*names, *(used for term in terms for used in facts_of(term).tools)], tools)
    variable = fresh_name(terms)
    body = Term("var", (), variable)
    for term in terms:
        body = make("app", (term, body))
    return make("lam", (body,), variable)


def derived(transform: Transform, tools: Tools, fuel: int, rounding: Rounding) -> Term:
    """The code that `by` gives for the code of the tool."""
    _known(transform.tool, "transform/tool", tools)
    by = _function(transform.by, "transform/by", tools, rounding)
    term = make("app", (by, make("code_of", (literal(transform.tool),))))
    answer = run(Request(code=print_term(term)), tools, Budget(fuel=min(fuel, TRANSFORM_FUEL)))
    shown = transform.by if isinstance(transform.by, str) else "the term"
    if answer["type"] == "error":
        error = answer["error"]
        at = f" at {error['path']}" if error.get("path") else ""
        raise RegistryError(
            "invalid_argument", f"{shown} fails on the code of {transform.tool}: {error['kind']}{at}: {error['message']}",
            place="transform/by", tool=error.get("tool"), found=error["kind"], expected="quoted code",
            hint=error.get("hint") or f'Try it: run {{"app": [by, {{"code_of": "{transform.tool}"}}]}}',
        )  # fmt: skip
    if answer["type"] != "value" or answer["kind"] != "quoted":
        kind = answer.get("kind", "a continuation")
        raise RegistryError(
            "invalid_argument", f"{shown} gives no code for the code of {transform.tool}", place="transform/by",
            found=f"a value of kind {kind}" if "kind" in answer else kind, expected="quoted code",
            hint="A term tool takes quoted code and gives quoted code; end with `reflect` if it works on reified terms.",
        )  # fmt: skip
    if "value" not in answer:
        raise PifError("term_too_deep", f"the code that {shown} gives nests too deep to be kept")
    return decode_term(answer["value"])


def _function(stage: Json, place: str, tools: Tools, rounding: Rounding) -> Term:
    """A stage as a term in function position."""
    if isinstance(stage, str):
        _known(stage, place, tools)
        return literal(stage)
    try:
        lost = Rounding("refuse" if rounding.refuse else "round")
        term = decode_term(stage, rounding=lost)
        rounding.take(lost, f"/{place}")
    except PifError as error:
        raise RegistryError(
            "invalid_argument", f"it is neither a tool's name nor a term: {error.message}", place=place,
            found=error.found, expected="a tool's name, or a term that is a function", hint=error.hint,
        ) from None  # fmt: skip
    if free := facts_of(term).free:
        raise RegistryError(
            "invalid_argument", f"nothing binds {', '.join(free)} there", place=place, found=", ".join(free),
            expected="a term without free names",
        )  # fmt: skip
    return term


def _known(reference: str, place: str, tools: Tools) -> None:
    if tools.tool(reference) is None:
        missing = missing_tool(reference, tools)
        raise RegistryError(
            "unknown_tool", missing.message, place=place, found=reference[:80],
            expected="the name of a registered tool", hint=missing.hint,
        )  # fmt: skip


def _check_circle(name: str, stages: Sequence[str], tools: Tools) -> None:
    """Reject a pipeline that one of its stages calls: it would never end."""
    came: dict[str, str | None] = dict.fromkeys(stages)
    waiting = [*came]
    while waiting and len(came) < _REACHED:
        reference = waiting.pop(0)
        wanted = parse_reference(reference) if tools.tool(reference) is not None else None
        if wanted is not None and wanted.name == name and wanted.version is None:
            way: list[str] = [reference]
            while (before := came[way[-1]]) is not None:
                way.append(before)
            circle = " → ".join([name, *reversed(way)])
            raise RegistryError(
                "invalid_argument", f"the pipeline would call itself: {circle}", place="compose", tool=name,
                found=circle, expected="stages that do not use the new tool",
                hint="Take another name, or name the old version of the tool with @.",
            )  # fmt: skip
        tool = tools.tool(reference)
        for used in facts_of(tool.term).tools if tool else ():
            if used not in came:
                came[used] = reference
                waiting.append(used)
