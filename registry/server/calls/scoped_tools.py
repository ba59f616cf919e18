"""Tools that several groups have in common, as one tool each with a `scope`: `evaluate`, `describe_schema`.

Specification: docs/reference/serving.md §6.7.

`share` takes the chosen groups and gives them back so that no tool is listed twice: the first group that has a tool
lists it with the arguments of all, and `scope` says whose it is; the later groups keep the rest of theirs.

Invariants
----------
- Without a common tool the groups come back as they are.
- `scope` is the name of a group, by default the first one's. Arguments are checked as the group in question checks
  them, so that what only another scope takes is rejected by name.
- A group's list of tools is taken to be fixed where it has a common tool; its other tools may change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import msgspec

from registry.server.calls.argument_check import Checker
from registry.server.contract.content import PromptMessage, ResourceBytes
from registry.server.contract.group import (
    Announcer,
    Answer,
    CallContext,
    Group,
    PromptSpec,
    ResourceSpec,
    ResourceText,
    TemplateSpec,
    ToolSpec,
)
from registry.server.contract.questions import Client, InputRequired

__all__ = ["ScopedGroup", "share"]

_DESCRIPTION = 2_000
"""Characters of the description of a common tool."""


def share(groups: Sequence[Group]) -> list[Group]:
    """The groups with their common tools put together."""
    owners: dict[str, list[Group]] = {}
    for group in groups:
        for spec in group.tools():
            owners.setdefault(spec.name, []).append(group)
    common = {name: _Common(name, having) for name, having in owners.items() if len(having) > 1}
    return [
        ScopedGroup(group, {name: each for name, each in common.items() if group in each.groups})
        if any(group in each.groups for each in common.values())
        else group
        for group in groups
    ]


class _Common:
    """One tool of several groups."""

    def __init__(self, name: str, groups: Sequence[Group]) -> None:
        self.groups = tuple(groups)
        specs = {group.name: _own_spec(group, name) for group in groups}
        self.checkers = {scope: Checker(spec) for scope, spec in specs.items()}
        self.spec = _merged(name, specs)

    async def call(self, arguments: msgspec.Struct, context: CallContext) -> Answer | InputRequired:
        """Answer in the scope that the arguments name."""
        given = {
            field.encode_name: value
            for field in msgspec.structs.fields(arguments)
            if (value := getattr(arguments, field.name)) is not msgspec.UNSET
        }
        scope = given.pop("scope", self.groups[0].name)
        checked = self.checkers[scope].check(given)
        if isinstance(checked, Answer):
            return checked
        group = next(each for each in self.groups if each.name == scope)
        return await group.call(self.spec.name, checked, context)


def _own_spec(group: Group, name: str) -> ToolSpec:
    return next(spec for spec in group.tools() if spec.name == name)


def _merged(name: str, specs: Mapping[str, ToolSpec]) -> ToolSpec:
    """The tool that takes what any of them takes; required is what all require."""
    first = next(iter(specs.values()))
    scopes = tuple(specs)
    properties: dict[str, Any] = {}
    for scope, spec in specs.items():
        for argument, schema in spec.input_schema.get("properties", {}).items():
            known = all(argument in each.input_schema.get("properties", {}) for each in specs.values())
            properties.setdefault(argument, schema if known else _marked(schema, scope))
    required = [
        argument
        for argument in first.input_schema.get("required", ())
        if all(argument in spec.input_schema.get("required", ()) for spec in specs.values())
    ]
    scope_schema = {
        "type": "string",
        "enum": list(scopes),
        "default": scopes[0],
        "description": "which declarations are meant",
    }
    others = " ".join(f'With scope "{scope}": {spec.description}' for scope, spec in list(specs.items())[1:])
    return ToolSpec(
        name=name,
        title=first.title,
        description=f"{first.description} {others}"[:_DESCRIPTION],
        schema={
            **first.input_schema,
            "properties": {**properties, "scope": scope_schema},
            "required": required,
        },
        arguments=_argument_type(name, properties, required, scopes),
        answers=tuple(dict.fromkeys(each for spec in specs.values() for each in spec.answers)),
        example=first.example,
        read_only=all(spec.read_only for spec in specs.values()),
        destructive=any(spec.destructive for spec in specs.values()),
        idempotent=all(spec.idempotent for spec in specs.values()),
        open_world=any(spec.open_world for spec in specs.values()),
    )


def _marked(schema: Any, scope: str) -> dict[str, Any]:
    """The schema of an argument that only one scope takes, saying so."""
    described = schema.get("description", "")
    return {**schema, "description": f"{described} (scope {scope})".strip()}


def _argument_type(
    name: str, properties: Iterable[str], required: Sequence[str], scopes: tuple[str, ...]
) -> type[msgspec.Struct]:
    """Any values: the group whose scope it is checks them."""
    fields: list[Any] = [(argument, Any) for argument in required]
    fields += [(argument, Any, msgspec.UNSET) for argument in properties if argument not in required]
    fields.append(("scope", Literal[scopes] | msgspec.UnsetType, msgspec.UNSET))
    return msgspec.defstruct(f"Scoped_{name}", fields, frozen=True, forbid_unknown_fields=True)


class ScopedGroup(Group):
    """A group whose common tools are listed by the first group that has them, and answered by all."""

    def __init__(self, inner: Group, common: Mapping[str, _Common]) -> None:
        self._inner = inner
        self._common = common
        self.name = inner.name
        self.instructions = inner.instructions
        self.brief_instructions = inner.brief_instructions
        self.job_board = inner.job_board
        self._listed: tuple[ToolSpec, ...] | None = None
        self._tools: tuple[ToolSpec, ...] = ()

    def attach(self, announcer: Announcer) -> None:
        self._inner.attach(announcer)

    def told(self, topic: str, text: str) -> None:
        self._inner.told(topic, text)

    def warnings(self) -> Sequence[str]:
        return self._inner.warnings()

    def tools(self) -> tuple[ToolSpec, ...]:
        listed = self._inner.tools()
        if listed is not self._listed:
            self._listed = listed
            self._tools = tuple(
                self._common[spec.name].spec if spec.name in self._common else spec
                for spec in listed
                if spec.name not in self._common or self._common[spec.name].groups[0] is self._inner
            )
        return self._tools

    async def refresh(self) -> None:
        await self._inner.refresh()

    async def find(self, name: str) -> ToolSpec | None:
        return None if name in self._common else await self._inner.find(name)

    async def call(self, name: str, arguments: Any, context: CallContext) -> Answer | InputRequired:
        common = self._common.get(name)
        if common is not None:
            return await common.call(arguments, context)
        return await self._inner.call(name, arguments, context)

    def question(self, name: str, arguments: Any) -> str | None:
        return self._inner.question(name, arguments)

    def resources(self) -> Sequence[ResourceSpec]:
        return self._inner.resources()

    def resource_templates(self) -> Sequence[TemplateSpec]:
        return self._inner.resource_templates()

    async def read(self, uri: str) -> ResourceText | ResourceBytes | None:
        return await self._inner.read(uri)

    def state(self, uri: str) -> object:
        return self._inner.state(uri)

    @property
    def is_told(self) -> bool:
        return self._inner.is_told

    def prompts(self) -> Sequence[PromptSpec]:
        return self._inner.prompts()

    async def prompt(
        self, spec: PromptSpec, given: Mapping[str, str], client: Client
    ) -> Sequence[PromptMessage] | InputRequired:
        return await self._inner.prompt(spec, given, client)

    def complete(self, reference: str, argument: str, prefix: str, given: Mapping[str, str]) -> Sequence[str]:
        return self._inner.complete(reference, argument, prefix, given)

    def close(self) -> None:
        self._inner.close()
