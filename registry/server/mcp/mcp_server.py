"""Groups of tools → an MCP server: the one place where the SDK's low-level `Server` and our groups meet.

Both protocol generations are served (docs/reference/serving.md §4.1). `tools/call` is answered in a middleware, ahead of the SDK's
models, so that numbers, nesting and the fields of an answer pass exactly as the group gave them, and in a third of
the time; everything else goes through the SDK's ordinary handlers.

Invariants
----------
- A call never ends in a protocol error, and no exception's text reaches a client.
- `listChanged` is advertised and true in both generations: kept sessions are told on the older one, subscribed
  streams on the newer one. Changes that come together are announced once.
- The tool list depends on the groups and on what the caller may do, never on the connection; schemas are advertised as
  they stand.
- Whatever a request asks for, its caller's scopes are looked at first, in the one place that all requests pass.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp.shared.uri_template import UriTemplate
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from pif.language.errors import nearest
from registry.access.required_scopes import scope_of_method
from registry.server.calls.jobs import EndedJob, Jobs
from registry.server.calls.lanes import Busy, Lanes
from registry.server.calls.observation import within_request
from registry.server.contract.content import PromptMessage, ResourceBytes, block
from registry.server.contract.group import (
    Answer,
    PromptSpec,
    ResourceText,
)
from registry.server.contract.questions import InputRequired
from registry.server.mcp.apps import Apps, announced, takes_part
from registry.server.mcp.callers import principal_of, reporter, whose_call
from registry.server.mcp.listed import contents, names_headers, page_of
from registry.server.mcp.request_client import (
    OpenQuestions,
    Refused,
    RequestClient,
    Unanswered,
    set_log_level,
    settle,
)
from registry.server.mcp.sdk_server import SdkServer
from registry.server.mcp.stdio_streams import SdkInput, SdkOutput
from registry.server.mcp.subscriptions import Subscriptions
from registry.server.offers.offer import Failed, Offer
from registry.server.offers.wire_forms import prompt_form, resource_form, template_form, tool_form
from registry.server.streams.messages import plain_result, tool_result

if TYPE_CHECKING:
    from registry.server.monitoring.tracing import Tracing

__all__ = ["COMPLETIONS", "HTTP_SESSIONS", "McpServer"]

COMPLETIONS = 100
"""Values in one completion (a limit of the protocol)."""

HTTP_SESSIONS = 1_000
"""Connections of the older protocol over HTTP at one time."""

SPARE_SESSIONS = 64
"""Connections of the older protocol above `HTTP_SESSIONS`, for those that open while others are being closed."""

HTTP_LEVELS = 200
"""Nesting of an answer's object that the SDK can write over HTTP."""

INSUFFICIENT_SCOPE = -32003
"""The error of a request that its caller may not make. Over HTTP such a request is refused before, by its status."""

Context = ServerRequestContext[Any, Any]
Result = TypeVar("Result")


class McpServer:
    """The server that speaks for an offer: make it, then `serve` a connection."""

    def __init__(self, offer: Offer, tracing: Tracing | None = None) -> None:
        """`offer` may be one that somebody else has opened, and speaks for until now. `tracing` makes a span for each request."""
        self.offer = offer
        self._tracing = tracing
        self._apps = Apps(offer.groups)
        self._waiting = OpenQuestions()
        self.subscriptions = Subscriptions(offer.groups)
        self._levels: int | None = None
        self._on_generation: Callable[[bool], None] = lambda is_modern: None
        self.server = self._build()
        self._calls = offer.calls
        self.stopping = offer.stopping

    def _build(self) -> SdkServer:
        offer = self.offer
        has_prompts = bool(offer.prompts())
        specs = [spec for group in offer.groups for spec in group.tools()]
        server = SdkServer(
            offer.name,
            version=offer.version,
            title=offer.title or None,
            instructions=offer.instructions or None,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts if has_prompts else None,
            on_get_prompt=self._get_prompt if has_prompts else None,
            on_completion=self._complete,
            on_subscribe_resource=self.subscriptions.subscribe,
            on_unsubscribe_resource=self.subscriptions.unsubscribe,
            on_subscriptions_listen=self.subscriptions.listen,
            get_tool_input_schema=self._header_schema,
        )
        server.middleware = [self._intercept]
        if any(spec.interactive or spec.may_ask for spec in specs):
            # What calls remember between two rounds is sealed.
            security = (
                RequestStateSecurity.ephemeral()
                if offer.shared is None
                else RequestStateSecurity(keys=[offer.shared.state_key])
            )
            boundary = RequestStateBoundary(security, default_audience=offer.name)
            server.middleware = [boundary, *server.middleware]
        if any(spec.interactive for spec in specs):
            server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, self._set_level)
        if self._tracing is not None:
            from registry.server.mcp.traced_requests import TracedRequests

            server.middleware = [TracedRequests(self._tracing), *server.middleware]
        return server

    async def _set_level(self, context: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
        set_log_level(context, params.level)
        return types.EmptyResult()

    async def serve(
        self,
        reading: SdkInput,
        writing: SdkOutput,
        on_generation: Callable[[bool], None] = lambda is_modern: None,
    ) -> None:
        """Serve one connection until it ends, within the offer's `open`. `on_generation` is told which generation a request was
        of that was accepted (on the older one: the handshake)."""
        self._on_generation = on_generation
        try:
            await self.server.run(reading, writing, self.server.create_initialization_options())
        finally:
            self.subscriptions.close()

    def speak(self) -> None:
        """Announce changes from now on."""
        self.offer.on_changed = self.subscriptions.tell
        self.offer.on_look = self.subscriptions.look_soon

    def is_shown(self, name: object, capabilities: object) -> bool:
        """Whether a call may want a view, which is made here; see `Apps.is_shown`."""
        return self._apps.is_shown(name, capabilities)

    def http_sessions(self, largest: int, sessions: int = HTTP_SESSIONS) -> StreamableHTTPSessionManager:
        """The same for many connections over HTTP, to be run within `open`: `handle_request` is an ASGI application.

        `largest`: bytes of a request. Who may call is decided before (`http_requests`), and so is which of the `sessions` makes
        room for a new one, for which there are `SPARE_SESSIONS`.
        """
        self._levels = HTTP_LEVELS
        return StreamableHTTPSessionManager(
            self.server,
            max_request_body_size=largest,
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
            max_sessions=sessions + SPARE_SESSIONS,
        )

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Begin and end what all connections share."""
        self.speak()
        async with self.offer.open():
            try:
                yield
            finally:
                self.subscriptions.close()

    @property
    def lanes(self) -> Lanes:
        """The lanes of its calls."""
        return self.offer.schedule.lanes

    @property
    def jobs(self) -> Jobs:
        """Its jobs."""
        return self._calls.jobs

    def adopt_jobs(self, jobs: Sequence[EndedJob]) -> None:
        """Keep the answers of jobs of the process before this one."""
        self._calls.jobs.adopt(jobs)

    def told(self, topic: str, text: str) -> None:
        """A server of the same principal in another process has shared something."""
        for group in self.offer.groups:
            with self.offer.defects.contain(f"what another process shared about {topic}"):
                group.told(topic, text)

    @property
    def has_jobs(self) -> bool:
        """Whether a job of it has not ended."""
        return self._calls.jobs.has_running

    def required_scope(self, method: str, params: Any) -> str | None:
        """The scope that a caller needs for a request; None where every principal may make it."""
        if method != "tools/call":
            return scope_of_method(method)
        fields = params if isinstance(params, Mapping) else {}
        return self._calls.required_scope(fields.get("name"), fields.get("arguments"))

    def stop(self) -> None:
        """Begin nothing more: calls under way are answered as cancelled, subscriptions of the newer protocol end."""
        self.stopping.stop()
        self.subscriptions.stop()

    def envelope(self, is_modern: bool) -> dict[str, Any]:
        """What a generation of the protocol adds to every result."""
        return self.offer.envelope(is_modern)

    # tools

    async def _intercept(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Middleware: answers calls itself, and remembers the sessions of the older protocol."""
        is_modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
        principal = principal_of(ctx)
        needed = None if principal is None else self.required_scope(ctx.method, ctx.params)
        if principal is not None and not principal.may(needed):
            said = f"this needs the scope `{needed}`, which your token has not"
            raise MCPError(INSUFFICIENT_SCOPE, said, {"kind": "insufficient_scope", "scope": needed})
        if is_modern and ctx.request_id is not None:
            self._on_generation(is_modern)
        if ctx.method == "tools/call" and (is_modern or ctx.session.client_params is not None):
            try:
                answer = await self._answer(ctx)
                sealed = self._apps.with_view(ctx, answer, self.offer.sealed(answer, is_modern))
            except Unanswered as required:
                return {**required.wire, "_meta": self.envelope(True)["_meta"]}
            return sealed if self._levels is None else plain_result(sealed, self._levels)
        result = await call_next(ctx)
        if ctx.method in ("initialize", "server/discover") and takes_part(ctx):
            result = announced(result)
        if ctx.method == "initialize":
            self._apps.is_shown_here = takes_part(ctx)
            self.subscriptions.remember(ctx.session)
            self._on_generation(is_modern)
        return result

    async def _call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        """The ordinary way to a call, taken where a client of the older protocol never sent `initialize`."""
        answer = await self._answer(context)
        return types.CallToolResult.model_validate(tool_result(answer, {}))

    async def _answer(self, context: Context) -> Answer:
        """The answer of a call. Raises `Unanswered`, and MCPError for a question that the client cannot take."""
        params = context.params or {}
        with within_request(context.request_id, params.get("_meta")):
            return await self._answer_call(context, params)

    async def _answer_call(self, context: Context, params: Mapping[str, Any]) -> Answer:
        whose = whose_call(context)
        name, arguments, report = params.get("name"), params.get("arguments"), reporter(context)
        if not self._calls.is_interactive(name):
            return await self.stopping.answer(self._calls.answer(name, arguments, report, whose))
        client = RequestClient(context, self._waiting)
        attempts = settle(
            client, lambda: self._calls.answer_or_ask(name, arguments, report, client, whose=whose)
        )
        try:
            return await self.stopping.answer(attempts)
        except Refused as refused:
            return self._calls.refused(name, refused.kind, refused.message, refused.hint)

    def _header_schema(self, name: str) -> Mapping[str, Any] | None:
        """The schema that headers of a call over HTTP are checked with. Without this the SDK makes a whole `tools/list`
        for each call, more than half of its time."""
        schema = self._calls.input_schema(name)
        return schema if schema is not None and names_headers(schema) else None

    async def _list_tools(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        with _errors():
            specs = await self.offer.tools()
        principal = principal_of(context)
        if principal is not None and not principal.may_do_all:
            specs = [spec for spec in specs if principal.may(self._calls.required_scope(spec.name, None))]
        page, cursor = page_of(specs, params)
        tools = [types.Tool.model_validate(tool_form(spec)) for spec in page]
        if takes_part(context):
            tools = [self._apps.marked(spec, tool) for spec, tool in zip(page, tools, strict=True)]
        return types.ListToolsResult(tools=tools, next_cursor=cursor)

    # resources

    async def _list_resources(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        with _errors():
            page, cursor = page_of(self.offer.resources(), params)
        resources = [types.Resource.model_validate(resource_form(spec)) for spec in page]
        if cursor is None and takes_part(context):
            resources += self._apps.resources()
        return types.ListResourcesResult(resources=resources, next_cursor=cursor)

    async def _list_templates(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        with _errors():
            page, cursor = page_of(self.offer.templates(), params)
        templates = [types.ResourceTemplate.model_validate(template_form(spec)) for spec in page]
        return types.ListResourceTemplatesResult(resource_templates=templates, next_cursor=cursor)

    async def _read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        if takes_part(context) and (document := self._apps.read(uri)) is not None:
            return document
        for group in self.offer.groups:
            found: ResourceText | ResourceBytes | None = None
            with self.offer.defects.contain(f"the reading of {uri[:100]!r}") as contained:
                found = await group.read(uri)
            if contained.reference:
                raise MCPError(types.INTERNAL_ERROR, f"internal error {contained.reference}")
            if found is not None:
                read = contents(uri, found)
                if isinstance(read, types.TextResourceContents):
                    read = self._apps.with_resource_view(context, read)
                return types.ReadResourceResult(contents=[read])
        with _errors():
            close = nearest(uri, (spec.uri for spec in self.offer.resources("resources/read")))
        hint = f"; did you mean {close}?" if close else ""
        raise MCPError(types.INVALID_PARAMS, f"there is no resource {uri[:200]}{hint}", {"uri": uri})

    # prompts

    async def _list_prompts(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        page, cursor = page_of(self.offer.prompts(), params)
        return types.ListPromptsResult(
            prompts=[types.Prompt.model_validate(prompt_form(spec)) for spec in page], next_cursor=cursor
        )

    async def _get_prompt(
        self, context: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult | types.InputRequiredResult:
        prompts = {spec.name: spec for spec in self.offer.prompts()}
        spec = prompts.get(params.name)
        if spec is None:
            close = nearest(params.name, prompts)
            hint = f"did you mean {close}?" if close else f"there are: {', '.join(prompts)}"
            raise MCPError(types.INVALID_PARAMS, f"there is no prompt {params.name[:200]}; {hint}")
        client = RequestClient(context, self._waiting)
        try:
            messages = await settle(client, lambda: self._prompt_messages(spec, params, client))
        except ValueError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None
        except Refused as refused:
            raise MCPError(types.INVALID_PARAMS, f"{refused.message}. {refused.hint}") from None
        except Unanswered as required:
            return types.InputRequiredResult.model_validate(required.wire)
        return types.GetPromptResult(
            description=spec.description,
            messages=[
                types.PromptMessage.model_validate({"role": each.role, "content": block(each.content)})
                for each in messages
            ],
        )

    async def _prompt_messages(
        self, spec: PromptSpec, params: types.GetPromptRequestParams, client: RequestClient
    ) -> Sequence[PromptMessage] | InputRequired:
        group = next(
            each for each in self.offer.groups if any(one.name == spec.name for one in each.prompts())
        )
        return await group.prompt(spec, params.arguments or {}, client)

    # completion

    async def _complete(self, context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        """The first values; groups look for them in a worker thread, because a session may have to be read."""
        try:
            with _errors():
                values = await self.offer.schedule.in_thread(
                    "writes",
                    whose_call(context),
                    lambda: self.offer.guarded(lambda: self._completions(params), "completion/complete"),
                )
        except Busy:
            values = ()  # what is not completed now is completed at the next letter
        shown = list(values[:COMPLETIONS])
        completion = types.Completion(values=shown, total=len(values), has_more=len(values) > len(shown))
        return types.CompleteResult(completion=completion)

    def _completions(self, params: types.CompleteRequestParams) -> Sequence[str]:
        reference, argument = params.ref, params.argument
        given = (params.context.arguments if params.context else None) or {}
        for group in self.offer.groups:
            if isinstance(reference, types.ResourceTemplateReference):
                name = reference.uri
                templates = [each for each in group.resource_templates() if each.uri_template == name]
                known = {each for _ in templates for each in UriTemplate.parse(name).variable_names}
            else:
                name = reference.name
                known = {
                    each.name for spec in group.prompts() if spec.name == name for each in spec.arguments
                }
            if argument.name in known:
                return group.complete(name, argument.name, argument.value, given)
        return ()


@contextmanager
def _errors() -> Iterator[None]:
    """Defects as errors of the protocol."""
    try:
        yield
    except Failed as failed:
        raise MCPError(types.INTERNAL_ERROR, str(failed)) from None
