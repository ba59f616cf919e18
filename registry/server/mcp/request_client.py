"""The client of one request, and its questions put in the way of its protocol generation (docs/reference/serving.md §4.5).

`settle` runs what may return `InputRequired` until it has an answer. On the older protocol each question is a request of
the server's own, on the stream of the call that waits for it. On the newer one `settle` ends with `Unanswered`, whose
wire form the client answers by repeating its request; `RequestStateBoundary` of the SDK seals the state in between.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, TypeVar, get_args

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from registry.server.contract.questions import CAPABILITIES, InputRequired, LogLevel, Question

__all__ = [
    "OPEN",
    "PATIENCE",
    "ROUNDS",
    "OpenQuestions",
    "Refused",
    "RequestClient",
    "Unanswered",
    "set_log_level",
    "settle",
]

PATIENCE: Final = 600.0
"""Seconds that a client has for one question on the older protocol: a person may have to be found."""

OPEN: Final = 64
"""Calls that wait for their clients at one time on the older protocol."""

ROUNDS: Final = 8
"""Times that a call may ask on the older protocol."""

_LEVELS: Final[tuple[LogLevel, ...]] = get_args(LogLevel)
_LEVEL: Final = "log_level"
_LOGGER: Final = "pif"

_REQUESTS: Final[Mapping[str, tuple[type[Any], type[Any]]]] = {
    "elicitation/create": (types.ElicitRequest, types.ElicitResult),
    "sampling/createMessage": (types.CreateMessageRequest, types.CreateMessageResult),
    "roots/list": (types.ListRootsRequest, types.ListRootsResult),
}

Context = ServerRequestContext[Any, Any]
Result = TypeVar("Result")


class Refused(Exception):
    """A question could not be put, or was not answered. The texts are for the client."""

    def __init__(self, kind: str, message: str, hint: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.hint = hint


class Unanswered(Exception):
    """The questions of a call on the newer protocol; `wire` is the result that asks them."""

    def __init__(self, required: InputRequired) -> None:
        super().__init__("the client has to answer first")
        requests = {
            name: {"method": each.method, "params": dict(each.params)}
            for name, each in required.questions.items()
        }
        self.wire: dict[str, Any] = {"resultType": "input_required"}
        if requests:
            self.wire["inputRequests"] = requests
        if required.state is not None:
            self.wire["requestState"] = required.state


class OpenQuestions:
    """How many calls of one server wait for their clients. Use it from one event loop."""

    def __init__(self, most: int = OPEN) -> None:
        self._most = most
        self._open = 0

    @contextmanager
    def one_more(self) -> Iterator[None]:
        """Raises `Refused` where as many wait as may."""
        if self._open >= self._most:
            hint = "Wait for one of them to be answered, then try again."
            raise Refused("too_busy", f"{self._most} calls wait for answers of their clients", hint)
        self._open += 1
        try:
            yield
        finally:
            self._open -= 1


class RequestClient:
    """The client of one request, as a tool sees it (`contract.questions.Client`)."""

    def __init__(self, context: Context, waiting: OpenQuestions) -> None:
        """Raises pydantic's ValidationError, which the SDK answers with -32602, where the answers are malformed."""
        params = context.params or {}
        self._context = context
        self._waiting = waiting
        self.answers: Mapping[str, Any] = {}
        self.state: str | None = None
        if self.is_modern and (params.get("inputResponses") is not None or "requestState" in params):
            types.InputResponseRequestParams.model_validate(params, by_name=False)
            self.answers = params.get("inputResponses") or {}
            self.state = params.get("requestState")

    @property
    def is_modern(self) -> bool:
        """Whether the request is of the newer protocol."""
        return self._context.protocol_version in MODERN_PROTOCOL_VERSIONS

    @property
    def capabilities(self) -> Mapping[str, Any]:
        """What the client declared."""
        declared = self._context.session.client_capabilities
        return {} if declared is None else declared.model_dump(by_alias=True, mode="json", exclude_none=True)

    async def log(self, level: LogLevel, message: str) -> None:
        """Send a log entry on the stream of this request. On the older protocol entries from `info` on are sent, or from
        the level of `logging/setLevel`; on the newer one each request says from which level on it wants them."""
        if self.is_modern:
            wanted = ((self._context.params or {}).get("_meta") or {}).get(types.LOG_LEVEL_META_KEY)
        else:
            # The connection's own notes: the SDK has no public name for them.
            wanted = self._context.session._connection.state.get(_LEVEL, "info")
        if wanted not in _LEVELS or _LEVELS.index(level) < _LEVELS.index(wanted):
            return
        entry = types.LoggingMessageNotificationParams(level=level, data=message, logger=_LOGGER)
        notification = types.LoggingMessageNotification(params=entry)
        await self._context.session.send_notification(notification, self._context.request_id)

    async def ask(self, required: InputRequired) -> None:
        """Put the questions of the older protocol and keep the answers. Raises `Refused`."""
        with self._waiting.one_more(), anyio.move_on_after(PATIENCE) as patience:
            self.answers = {name: await self._ask_one(each) for name, each in required.questions.items()}
            self.state = required.state
        if patience.cancelled_caught:
            raise Refused("not_answered", f"the client did not answer within {PATIENCE:.0f} s", "Call again.")

    async def _ask_one(self, question: Question) -> dict[str, Any]:
        request_type, result_type = _REQUESTS[question.method]
        request = request_type.model_validate({"method": question.method, "params": dict(question.params)})
        on_stream = ServerMessageMetadata(related_request_id=self._context.request_id)
        try:
            answer = await self._context.session.send_request(request, result_type, metadata=on_stream)
        except MCPError as error:
            said = f"the client answered {question.method} with error {error.error.code}"
            raise Refused("not_answered", said, "Its own log may say why.") from error
        except ValidationError as error:
            said = f"the client's answer to {question.method} is not one of the protocol"
            raise Refused("not_answered", said, "It is a defect of the client.") from error
        answered: dict[str, Any] = answer.model_dump(by_alias=True, mode="json", exclude_none=True)
        return answered


async def settle(client: RequestClient, attempt: Callable[[], Awaitable[Result | InputRequired]]) -> Result:
    """The result of `attempt`, which is repeated when its questions have been answered.

    Raises `Unanswered` on the newer protocol, MCPError -32021 there for a capability that the client did not declare,
    and `Refused` on the older one.
    """
    for _ in range(ROUNDS):
        result = await attempt()
        if not isinstance(result, InputRequired):
            return result
        _check_capabilities(client, result)
        if client.is_modern:
            raise Unanswered(result)
        await client.ask(result)
    raise Refused("not_answered", f"the call asked {ROUNDS} times and was not done", "Call it with more.")


def _check_capabilities(client: RequestClient, required: InputRequired) -> None:
    needed = {CAPABILITIES[each.method] for each in required.questions.values()}
    missing = sorted(needed - set(client.capabilities))
    if not missing:
        return
    names = ", ".join(missing)
    message = f"this call needs what the client did not declare: {names}"
    if client.is_modern:
        data: dict[str, Any] = {"requiredCapabilities": {name: {} for name in missing}}
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, message, data)
    raise Refused("client_cannot", message, f"Use a client that declares {names}.")


def set_log_level(context: Context, level: LogLevel) -> None:
    """Entries below this level are not sent to this connection of the older protocol from now on."""
    context.session._connection.state[_LEVEL] = level
