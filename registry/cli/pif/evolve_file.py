"""Evolve files: `{"name", "description", "code", …}` or a list of them; a bare term takes its name from an option.

Each is checked as the server checks the arguments of `evolve`, so a file means the same here and there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from registry.cli.terminal.sources import Source

if TYPE_CHECKING:
    from registry.workspace.requests import Evolve

__all__ = ["checked", "is_evolve_file", "requests"]

Json = Any
Answer = dict[str, Any]

_SIGNS = ("name", "code")


def is_evolve_file(data: Json) -> bool:
    """Whether some JSON is arguments of `evolve`, or a list of them, and not a term."""
    if isinstance(data, list):
        return bool(data) and all(isinstance(item, dict) and _has_sign(item) for item in data)
    return isinstance(data, dict) and _has_sign(data)


def _has_sign(data: dict[str, Json]) -> bool:
    return any(key in data for key in _SIGNS)


def requests(
    source: Source, options: Mapping[str, Json], described: Callable[[str], str]
) -> list[dict[str, Json]]:
    """The arguments of each `evolve` that a file and the options ask for.

    `options` are the arguments of `evolve` that the command line gives. A bare term without `--description` keeps the
    one that its name has, which `described` tells.
    """
    data = source.data
    if not is_evolve_file(data):
        name = options.get("name")
        if name is None:
            message = (
                'a bare term needs --name; a file with a name is {"name": …, "description": …, "code": …}'
            )
            raise click.UsageError(message)
        return [_with(options, {"name": name, "description": described(name), "code": source.code})]
    if isinstance(data, dict):
        return [_with(options, dict(data))]
    for option in ("name", "description", "expect_version", "examples"):
        if options.get(option, []) != [] and len(data) > 1:
            spelled = "--example" if option == "examples" else f"--{option.replace('_', '-')}"
            raise click.UsageError(f"{spelled} is for one tool, and the file holds {len(data)}")
    return [_with(options, dict(item)) for item in data]


def _with(options: Mapping[str, Json], request: dict[str, Json]) -> dict[str, Json]:
    """A request with the options: lists are added to the file's, other values replace it."""
    for key, value in options.items():
        if not isinstance(value, list | tuple):
            request[key] = value
        elif value and isinstance(request.get(key, []), list):
            request[key] = [*request.get(key, []), *value]
    return request


def checked(request: dict[str, Json]) -> Evolve | Answer:
    """The arguments as the server takes them, or the error it would answer."""
    from registry.server.calls.argument_check import Checker
    from registry.server.contract.group import Answer as ErrorAnswer
    from registry.server.groups.pif.tool_specs import TOOLS
    from registry.workspace.requests import Evolve

    spec = next(spec for spec in TOOLS if spec.name == "evolve")
    arguments = Checker(spec).check(request)
    if isinstance(arguments, ErrorAnswer):
        return dict(arguments.structured)
    if not isinstance(arguments, Evolve):
        raise TypeError(f"`evolve` has arguments of type {type(arguments).__name__}")
    return arguments
