"""Evolve files: `{"name", "description", "code", …}` or a list of them; a bare term takes its name from an option.

Each is checked as the server checks the arguments of `evolve`, so a file means the same here and there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click
import msgspec

from registry.cli.terminal.sources import Source

if TYPE_CHECKING:
    from registry.server.groups.pif.tool_specs import Evolve

__all__ = ["Options", "checked", "is_evolve_file", "requests"]

Json = Any
Answer = dict[str, Any]

_SIGNS = ("name", "code")


class Options(msgspec.Struct, frozen=True):
    """What the command line says beside the file."""

    name: str | None
    description: str | None
    expect_version: int | None
    dry_run: bool
    examples: tuple[tuple[Json, Json], ...]
    language: str = "json"
    force: bool = False
    laws: tuple[str, ...] = ()
    drop_laws: tuple[str, ...] = ()


def is_evolve_file(data: Json) -> bool:
    """Whether some JSON is arguments of `evolve`, or a list of them, and not a term."""
    if isinstance(data, list):
        return bool(data) and all(isinstance(item, dict) and _has_sign(item) for item in data)
    return isinstance(data, dict) and _has_sign(data)


def _has_sign(data: dict[str, Json]) -> bool:
    return any(key in data for key in _SIGNS)


def requests(source: Source, options: Options, described: Callable[[str], str]) -> list[dict[str, Json]]:
    """The arguments of each `evolve` that a file and the options ask for.

    A bare term without `--description` keeps the one that its name has, which `described` tells.
    """
    data = source.data
    if not is_evolve_file(data):
        if options.name is None:
            message = (
                'a bare term needs --name; a file with a name is {"name": …, "description": …, "code": …}'
            )
            raise click.UsageError(message)
        return [
            _with(
                options, {"name": options.name, "description": described(options.name), "code": source.code}
            )
        ]
    if isinstance(data, dict):
        return [_with(options, dict(data))]
    single = {"--name": options.name, "--description": options.description,
              "--expect-version": options.expect_version, "--example": options.examples or None}  # fmt: skip
    for option, value in single.items():
        if value is not None and len(data) > 1:
            raise click.UsageError(f"{option} is for one tool, and the file holds {len(data)}")
    return [_with(options, dict(item)) for item in data]


def _with(options: Options, request: dict[str, Json]) -> dict[str, Json]:
    """A request with what the options say, which stands above what the file says."""
    for key in ("name", "description", "expect_version"):
        value = getattr(options, key)
        if value is not None:
            request[key] = value
    if options.dry_run:
        request["dry_run"] = True
    if options.force:
        request["force"] = True
    for key, more in (("laws", options.laws), ("drop_laws", options.drop_laws)):
        if more and isinstance(request.get(key, []), list):
            request[key] = [*request.get(key, []), *more]
    if options.language != "json":
        request["language"] = options.language
    given = request.get("examples", [])
    if options.examples and isinstance(given, list):
        request["examples"] = [*given, *({"input": i, "output": o} for i, o in options.examples)]
    return request


def checked(request: dict[str, Json]) -> Evolve | Answer:
    """The arguments as the server takes them, or the refusal it would answer."""
    from registry.server.calls.argument_check import Checker
    from registry.server.contract.group import Answer as Refusal
    from registry.server.groups.pif.tool_specs import TOOLS, Evolve

    spec = next(spec for spec in TOOLS if spec.name == "evolve")
    arguments = Checker(spec).check(request)
    if isinstance(arguments, Refusal):
        return dict(arguments.structured)
    if not isinstance(arguments, Evolve):
        raise TypeError(f"`evolve` has arguments of type {type(arguments).__name__}")
    return arguments
