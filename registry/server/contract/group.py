"""The interface between the server and a group of tools (docs/reference/serving.md §4.4).

A group is plain Python: it knows no MCP library, no transport and no JSON-RPC. The server (`registry.server.mcp.mcp_server`)
asks it for its tools, checks the arguments of a call against the tool's `arguments` type, hands them to `call` and
sends the `Answer`. To write one, subclass `Group`, set `name`, return `ToolSpec`s from `tools` and answer in `call`;
everything else has a default.

Invariants
----------
- Every method but `call`, `read` and `state` is quick and does not block: it runs on the event loop. `state` is asked in a
  thread and may wait for a database. `call` and `read` may
  run for a few milliseconds there; longer work goes through `context.run_in_worker`, and what takes tens of seconds
  of Python through `context.search`. What these raise where there is no room (`Busy`) is the server's to answer.
- Errors are values: `call` returns `Answer.error(...)`. An exception that leaves `call` is a defect: the client
  gets an answer of kind `internal` without its text, the log gets the traceback.
- `tools()` returns the *same tuple object* until something changed: the server recognises a change by identity.
- The tool list is state of the server, never of a connection (a rule of the 2026-07-28 protocol).
- Arguments hold what JSON holds, exactly: integers of up to 4,300 digits arrive as they are, longer ones as an
  integer of more than 20,000 bits of the same sign; numbers beyond double range, NaN and lone surrogates never arrive.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

import msgspec

from registry.server.contract.advertised_schemas import answer_schema, schema_of
from registry.server.contract.content import Content, PromptMessage, ResourceBytes
from registry.server.contract.questions import Client, InputRequired
from registry.store.job_board import JobBoard

if TYPE_CHECKING:
    from registry.server.contract.settings import Settings

__all__ = [
    "Announcer",
    "Answer",
    "CallContext",
    "ClientJobs",
    "Flag",
    "Group",
    "JobStatus",
    "JobView",
    "LaneName",
    "PromptArgument",
    "PromptSpec",
    "ResourceSpec",
    "ResourceText",
    "TemplateSpec",
    "ToolSpec",
]

T = TypeVar("T")

LaneName = Literal["quick", "runs", "writes", "proofs", "searches"]
"""The lanes of work (`registry.server.calls.lanes`)."""


class ToolSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One tool as clients see it.

    `arguments` is the type that a call's arguments are converted to; it should be frozen and is used with unknown
    fields forbidden, whatever its own setting. Its JSON Schema is advertised; `schema` stands for another one, which is
    rejected where it names other arguments. `example` is one valid set of arguments, shown in errors. The first
    sentence of `description` must carry it; 2,048 characters are the limit. `answers` are the types (`TypedDict`s) of the
    objects that the tool answers; the schema of answers is made from them and from errors. `may_ask`: `Group.question`
    may have a question before a call. `error_fields` are fields of every error result of the tool, whoever made it: a
    gate's say that nothing is allowed.
    An `interactive` tool may ask its client (return `InputRequired`) and write to its log; any other may not.
    """

    name: str
    title: str
    description: str
    arguments: type[msgspec.Struct]
    answers: tuple[type, ...] = ()
    schema: Mapping[str, Any] | None = None
    example: Mapping[str, Any] | None = None
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    open_world: bool = False
    may_ask: bool = False
    interactive: bool = False
    error_fields: Mapping[str, Any] | None = None

    @property
    def input_schema(self) -> Mapping[str, Any]:
        """The JSON Schema of arguments that is advertised."""
        return schema_of(self.arguments) if self.schema is None else self.schema

    @property
    def output_schema(self) -> Mapping[str, Any] | None:
        """The JSON Schema of answers that is advertised; None where no types of answers are given."""
        return answer_schema(self.answers, frozenset(self.error_fields or ())) if self.answers else None


class Answer(msgspec.Struct, frozen=True):
    """What a call answers: the object and its compact rendering, each complete on its own.

    `structured` holds JSON data (or `msgspec.Raw` parts that are JSON text already). Text beyond 20,000 characters
    is cut by the server, with a note that ends in `rest`: how to get what was cut ("Call list with offset 50.").
    `content` goes after the text, for clients that show more than text.
    """

    structured: Mapping[str, Any]
    text: str
    is_error: bool = False
    rest: str = ""
    content: tuple[Content, ...] = ()

    @classmethod
    def error(
        cls, kind: str, message: str, *, path: str | None = None, hint: str = "", **more: Any
    ) -> Answer:
        """An error result (docs/reference/serving.md §5.3); `more` are further fields of the error object."""
        error: dict[str, Any] = {"kind": kind, "message": message}
        if path is not None:
            error["path"] = path
        if hint:
            error["hint"] = hint
        error.update(more)
        place = f" (at {path})" if path else ""
        text = f"{kind}{place}: {message}" + (f"\n{hint}" if hint else "")
        return cls({"type": "error", "error": error}, text, is_error=True)


class Flag(Protocol):
    """A flag that is set once and read from any thread (a `threading.Event` is one)."""

    def is_set(self) -> bool: ...

    def wait(self, timeout: float | None = None) -> bool: ...


JobStatus = Literal["in_progress", "done", "cancelled"]


class JobView(msgspec.Struct, frozen=True, kw_only=True):
    """A job: `seconds` since it began, or that it took; `begun` by the system's monotonic clock; `message` how far it is;
    `answer` once it is done."""

    id: str
    kind: str
    title: str
    status: JobStatus
    seconds: float
    begun: float = 0.0
    message: str = ""
    answer: Answer | None = None


class ClientJobs(Protocol):
    """The jobs that a client may see (`registry.server.calls.jobs`)."""

    async def start(
        self, kind: str, title: str, work: Callable[[CallContext], Awaitable[Answer]]
    ) -> JobView | None: ...

    async def find(self, number: str) -> JobView | None: ...

    async def cancel(self, number: str) -> JobView | None: ...

    async def all(self) -> list[JobView]: ...


class CallContext(Protocol):
    """The services of the server for a call while it runs."""

    @property
    def cancelled(self) -> Flag:
        """Set when the client has cancelled the call or is gone. Work in a worker thread must look at it; nothing
        stops the thread otherwise."""

    @property
    def is_job(self) -> bool:
        """Whether the work is a job's: nobody waits for it, so it may take long."""

    @property
    def jobs(self) -> ClientJobs:
        """The jobs of this client."""

    @property
    def client(self) -> Client:
        """The client at the other end: what it can do, what it answered, its log. For `interactive` tools."""

    @property
    def wants_progress(self) -> bool:
        """Whether the client asked for progress; `progress` is a no-op where it did not."""

    def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Report progress, from any thread, without waiting. `done` must grow; reports that come faster than they
        can be sent are merged into the newest."""

    async def quick(self, work: Callable[[], T]) -> T:
        """Do something that takes about a millisecond on the event loop, when it is this client's turn."""

    async def run_in_worker(
        self, work: Callable[[], T], *, lane: LaneName = "runs", share: float = 0.0, proves: bool = False
    ) -> T:
        """Run `work` in a worker thread (64 MB of stack) of a lane, and return what it returns or raise what it raises.

        `share` is the part of the memory of runs that the work may use, 0 to 1; it waits until that is free. When the
        call is cancelled this raises at once; the thread goes on until `work` sees `cancelled`. `proves`: the work may ask provers,
        as all in the lane of proofs does, and its time counts as theirs.
        """

    async def search(self, job: str, settings: Settings, arguments: object, seconds: float) -> Answer:
        """The answer of a long search, done at low priority in a process of its own over the same home.

        `job` is the address of a function ``(site, arguments, search) -> Answer`` (`registry.server.calls.search_process`).
        It has `seconds`; a process that takes longer, or whose call is cancelled, is killed.
        """


class Announcer(Protocol):
    """Announces changes of a group. All methods may be called from any thread and never wait."""

    def tools_changed(self) -> None: ...

    def resources_changed(self) -> None: ...

    def prompts_changed(self) -> None: ...

    def look(self) -> None:
        """What stands at addresses that clients watch may be something else: look at once."""

    def share(self, topic: str, text: str) -> None:
        """Tell the same group of the same principal in the server's other processes, if there are any: `Group.told`."""


class ResourceSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A resource with a fixed address."""

    uri: str
    name: str
    title: str = ""
    description: str = ""
    mime_type: str = "application/json"


class TemplateSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A family of resources: `uri_template` as in RFC 6570 (`pif://tools/{name}`)."""

    uri_template: str
    name: str
    title: str = ""
    description: str = ""
    mime_type: str = "application/json"


class ResourceText(msgspec.Struct, frozen=True):
    """The contents of a resource."""

    text: str
    mime_type: str = "application/json"


class PromptArgument(msgspec.Struct, frozen=True):
    """An argument that a person fills in. One with a `default` is optional."""

    name: str
    description: str
    default: str | None = None


class PromptSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A workflow that a person starts (a slash command in many clients): `text` is said to the agent in their name.

    In `text`, ``{name}`` stands for an argument; braces that are meant are doubled.
    """

    name: str
    title: str
    description: str
    text: str
    arguments: tuple[PromptArgument, ...] = ()

    def filled(self, given: Mapping[str, str]) -> str:
        """The text with the given arguments filled in. Raises ValueError for a missing or unknown argument."""
        known = {each.name for each in self.arguments}
        for name in given:
            if name not in known:
                raise ValueError(f"the prompt {self.name} takes no {name!r}: {_listed(self.arguments)}")
        values: dict[str, str] = {}
        for each in self.arguments:
            value = given.get(each.name, "").strip() or each.default
            if value is None:
                raise ValueError(f"the prompt {self.name} needs {each.name!r}: {each.description}")
            values[each.name] = value
        return self.text.format_map(values)


def _listed(arguments: tuple[PromptArgument, ...]) -> str:
    return f"it takes {', '.join(each.name for each in arguments)}" if arguments else "it takes nothing"


class Group:
    """A named set of tools and resources. Subclass it; the defaults offer nothing."""

    name: str = ""
    """The name of the group in `--groups`."""

    instructions: str = ""
    """This group's part of the server's `instructions`; those of all groups together stay under 2,048 characters."""

    brief_instructions: str = ""
    """The same in at most 400 characters, for where those of all chosen groups would be too long."""

    job_board: JobBoard | None = None
    """Where jobs are written down for the other servers of a database; None where there is none."""

    def attach(self, announcer: Announcer) -> None:
        """Called once, before the first request, with the way to announce changes."""

    def told(self, topic: str, text: str) -> None:
        """Another process of the same server has shared something (`Announcer.share`). Topics of other groups come too."""

    def warnings(self) -> Sequence[str]:
        """Warnings for the person who starts the server, one line each."""
        return ()

    async def refresh(self) -> None:
        """Bring what `tools` answers up to date, where that needs a database."""

    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools to list, in a stable order; the same object until they change. Waits for nothing."""
        return ()

    async def find(self, name: str) -> ToolSpec | None:
        """A tool that may be called though `tools` does not list it (a client's list may be old)."""
        return None

    async def call(self, name: str, arguments: Any, context: CallContext) -> Answer | InputRequired:
        """Answer a call of one of this group's tools; `arguments` is an instance of its `ToolSpec.arguments`."""
        raise LookupError(f"group {self.name} has no tool {name}")

    def question(self, name: str, arguments: Any) -> str | None:
        """What a person should agree to before this call, because it destroys something: one sentence that names it; None
        where it destroys nothing. Asked in a worker thread, of tools with `may_ask`, where the client can put questions.
        """
        return None

    def resources(self) -> Sequence[ResourceSpec]:
        """The resources with fixed addresses."""
        return ()

    def resource_templates(self) -> Sequence[TemplateSpec]:
        """The families of resources."""
        return ()

    async def read(self, uri: str) -> ResourceText | ResourceBytes | None:
        """The contents at `uri`, or None where this group has no such resource."""
        return None

    def state(self, uri: str) -> object:
        """What stands at `uri`, as a value that is equal as long as the contents are; None where this group has no such
        resource or it never changes. Asked in a thread, of each address that a client watches, so it must be cheap: at
        each `Announcer.look`, and every second unless `is_told`."""
        return None

    @property
    def is_told(self) -> bool:
        """Whether the group calls `Announcer.look` at every change, whoever makes it; also true where nothing changes."""
        return type(self).state is Group.state

    def prompts(self) -> Sequence[PromptSpec]:
        """The workflows that this group knows."""
        return ()

    async def prompt(
        self, spec: PromptSpec, given: Mapping[str, str], client: Client
    ) -> Sequence[PromptMessage] | InputRequired:
        """The messages of one of `prompts`, or what to ask the client first. Raises ValueError for a missing or
        unknown argument."""
        return (PromptMessage(spec.filled(given)),)

    def complete(self, reference: str, argument: str, prefix: str, given: Mapping[str, str]) -> Sequence[str]:
        """The values that begin with `prefix`, best first, of a variable of a resource template (`reference` is the
        template) or an argument of a prompt (its name); the server sends the first 100. Runs in a worker thread."""
        return ()

    def close(self) -> None:
        """Called once, when the server stops."""
