"""A group of the tests' own, run as a server: `python tests/programs/demo_group.py`.

Its tools use everything that the server does for a group: arguments, threads, progress, cancellation, defects,
changing lists, resources and completion.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec

from registry.server.contract.group import (
    Announcer,
    Answer,
    CallContext,
    Group,
    ResourceSpec,
    ResourceText,
    TemplateSpec,
    ToolSpec,
)
from registry.server.stdio.stdio_server import serve_stdio


class Echo(msgspec.Struct, frozen=True):
    value: Any
    fuel: Annotated[int, msgspec.Meta(ge=1, le=100)] = 10
    style: Literal["plain", "loud"] = "plain"


class Steps(msgspec.Struct, frozen=True):
    steps: Annotated[int, msgspec.Meta(ge=0)] = 0


class Name(msgspec.Struct, frozen=True):
    name: str


class Size(msgspec.Struct, frozen=True):
    size: Annotated[int, msgspec.Meta(ge=0)]


class Nothing(msgspec.Struct, frozen=True):
    pass


def schema(required: Sequence[str] = (), **properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


INTEGER = {"type": "integer", "minimum": 0}
ECHO = ToolSpec(
    name="echo",
    title="Echo",
    description="Answers what it is given.",
    schema=schema(
        ["value"],
        value={"description": "any JSON"},
        fuel={"type": "integer", "minimum": 1, "maximum": 100, "default": 10},
        style={"type": "string", "enum": ["plain", "loud"], "default": "plain"},
    ),
    arguments=Echo,
    example={"value": 5},
    read_only=True,
    idempotent=True,
)
TOOLS = (
    ECHO,
    ToolSpec(
        name="wait_for_cancel",
        title="Wait",
        description="Waits in a worker thread until it is cancelled.",
        schema=schema(),
        arguments=Nothing,
    ),
    ToolSpec(
        name="count",
        title="Count",
        description="Counts in a worker thread, with progress.",
        schema=schema(steps=INTEGER),
        arguments=Steps,
    ),
    ToolSpec(
        name="fail",
        title="Fail",
        description="Raises an exception.",
        schema=schema(name={"type": "string"}, required=["name"]),
        arguments=Name,
    ),
    ToolSpec(
        name="add_tool",
        title="Add a tool",
        description="Adds a tool of the given name that echoes.",
        schema=schema(name={"type": "string"}, required=["name"]),
        arguments=Name,
    ),
    ToolSpec(
        name="produce",
        title="Produce",
        description="Answers text of a size.",
        schema=schema(size=INTEGER, required=["size"]),
        arguments=Size,
        read_only=True,
    ),
    ToolSpec(
        name="status",
        title="Status",
        description="Says how many calls were cancelled so far.",
        schema=schema(),
        arguments=Nothing,
    ),
)


class DemoGroup(Group):
    """See the module."""

    name = "demo"
    instructions = "Call echo first."

    def __init__(self) -> None:
        self._tools = TOOLS
        self._announcer: Announcer | None = None
        self._cancelled = 0
        self._begun = 0

    def attach(self, announcer: Announcer) -> None:
        self._announcer = announcer

    def tools(self) -> tuple[ToolSpec, ...]:
        return self._tools

    async def find(self, name: str) -> ToolSpec | None:
        return msgspec.structs.replace(ECHO, name=name) if name.startswith("hidden_") else None

    async def call(self, name: str, arguments: Any, context: CallContext) -> Answer:
        match name:
            case "wait_for_cancel":
                return await self._wait(context)
            case "count":
                return await context.run_in_worker(lambda: count(arguments.steps, context))
            case "fail":
                return fail(arguments.name)
            case "add_tool":
                self._tools = (*self._tools, msgspec.structs.replace(ECHO, name=arguments.name))
                assert self._announcer is not None
                self._announcer.tools_changed()
                self._announcer.resources_changed()
                return Answer({"added": arguments.name}, f"added {arguments.name}")
            case "produce":
                return Answer({"size": arguments.size}, "x" * arguments.size, rest="Ask for less.")
            case "status":
                status = {"cancelled": self._cancelled, "begun": self._begun}
                return Answer(status, f"{status}")
            case _:
                return echo(arguments)

    async def _wait(self, context: CallContext) -> Answer:
        loop = asyncio.get_running_loop()

        def note_begun() -> None:
            self._begun += 1

        def note_cancelled() -> None:
            self._cancelled += 1

        def wait() -> Answer:
            loop.call_soon_threadsafe(note_begun)
            context.progress(1, message="begun")
            context.cancelled.wait()
            loop.call_soon_threadsafe(note_cancelled)
            return Answer({"cancelled": True}, "cancelled")

        return await context.run_in_worker(wait)

    def resources(self) -> Sequence[ResourceSpec]:
        return [ResourceSpec(uri="demo://tools", name="tools", title="Tools", description="All names.")]

    def resource_templates(self) -> Sequence[TemplateSpec]:
        return [TemplateSpec(uri_template="demo://tools/{name}", name="tool")]

    async def read(self, uri: str) -> ResourceText | None:
        names = [spec.name for spec in self._tools]
        if uri == "demo://tools":
            return ResourceText(msgspec.json.encode(names).decode())
        if uri == "demo://tools/defect":
            raise RuntimeError("the secret of the resource")
        name = uri.removeprefix("demo://tools/")
        return ResourceText(name, "text/plain") if uri.startswith("demo://tools/") and name in names else None

    def complete(
        self, uri_template: str, argument: str, prefix: str, given: Mapping[str, str]
    ) -> Sequence[str]:
        return [spec.name for spec in self._tools if spec.name.startswith(prefix)]


def echo(arguments: Echo) -> Answer:
    structured = {"value": arguments.value, "fuel": arguments.fuel, "style": arguments.style}
    return Answer(structured, f"{arguments.value!r}")


def count(steps: int, context: CallContext) -> Answer:
    done = 0
    while done < steps and not context.cancelled.is_set():
        done += 1
        context.progress(done, steps, f"step {done}")
    return Answer({"done": done}, f"{done} steps")


def fail(how: str) -> Answer:
    match how:
        case "unencodable":
            return Answer({"value": object()}, "text")
        case "huge":
            return Answer({"value": 1 << 20_000}, "text")
        case "surrogate":
            return Answer({"value": "\ud800"}, "torn \ud800")
        case "recursion":
            return fail(how)
        case "memory":
            raise MemoryError
        case "stop":
            raise StopIteration("the secret of the tool")
        case _:
            raise RuntimeError("the secret of the tool")


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--cap", type=int, default=32 * 1024 * 1024)
    options.add_argument("--recursion", type=int, default=0)
    chosen = options.parse_args()
    if chosen.recursion:
        sys.setrecursionlimit(chosen.recursion)
    return serve_stdio([DemoGroup()], name="demo", version="1.0", cap=chosen.cap)


if __name__ == "__main__":
    sys.exit(main())
