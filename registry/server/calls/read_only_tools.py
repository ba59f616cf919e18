"""A group without the tools that may change something: what `pif ui` offers unless changes are allowed.

Which tools these are is what each says of itself (`ToolSpec.read_only`); the others are neither listed nor answered.
"""

from __future__ import annotations

from typing import Any

from registry.server.calls.scoped_tools import ScopedGroup
from registry.server.contract.group import Answer, CallContext, Group, ToolSpec
from registry.server.contract.questions import InputRequired

__all__ = ["ReadOnlyGroup"]


class ReadOnlyGroup(ScopedGroup):
    """The tools of a group that only read."""

    def __init__(self, inner: Group) -> None:
        super().__init__(inner, {})
        self._all: tuple[ToolSpec, ...] | None = None
        self._reading: tuple[ToolSpec, ...] = ()

    def tools(self) -> tuple[ToolSpec, ...]:
        listed = super().tools()
        if listed is not self._all:
            self._all = listed
            self._reading = tuple(spec for spec in listed if spec.read_only)
        return self._reading

    async def find(self, name: str) -> ToolSpec | None:
        spec = await super().find(name)
        return spec if spec is not None and spec.read_only else None

    async def call(self, name: str, arguments: Any, context: CallContext) -> Answer | InputRequired:
        spec = next((each for each in self.tools() if each.name == name), None) or await self.find(name)
        if spec is None:
            raise LookupError(f"{name} may change something, and is not offered")
        return await super().call(name, arguments, context)
