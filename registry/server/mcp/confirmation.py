"""A question to the person before something is destroyed, where their client can put one (docs/reference/serving.md §5.11).

On the older protocol the server asks (`elicitation/create`) while the call waits; on the newer the call is answered by
`input_required`, and the client makes it again with what the person said and a state that the server sealed. Either way
the question is asked before the call begins, so that waiting holds no thread, lane or lock, and it is found anew after
the answer: what was agreed to is what is done.

Invariants
----------
- Only `accept` with `confirm: true` lets the call begin, once, for the same tool, arguments and question, within
  `PATIENCE` seconds. Whatever else is answered changes nothing, and the answer says so.
- A client that did not say that it can ask is not asked: its calls go on as before.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import anyio
import msgspec
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from registry.server.contract.group import Answer

__all__ = ["OPEN", "PATIENCE", "Confirmation", "can_be_asked"]

PATIENCE = 120.0
"""Seconds that a person has for an answer."""

OPEN = 64
"""Questions that are open at one time on the older protocol."""

ROUNDS = 3
"""Questions in one call: what is asked may change while a person thinks."""

_USED = 4_096
"""Agreements that are remembered as used until they are too old."""

_KEY = "confirm"

FORM: dict[str, Any] = {
    "type": "object",
    "properties": {
        _KEY: {
            "type": "boolean",
            "title": "Go ahead",
            "description": "Do it; it cannot be undone.",
            "default": False,
        }
    },
    "required": [_KEY],
}
"""What the person fills in."""

Context = ServerRequestContext[Any, Any]
Question = Callable[[], Awaitable[str | None]]


def can_be_asked(capabilities: Any) -> bool:
    """Whether a client with these capabilities (as they came) shows forms: the default where it names no mode."""
    asked = capabilities.get("elicitation") if isinstance(capabilities, Mapping) else None
    return isinstance(asked, Mapping) and ("form" in asked or not asked.keys() & {"url"})


class Confirmation:
    """The questions of one server. `patience`: seconds that a person has."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._secret = secrets.token_bytes(32)
        self._used: OrderedDict[str, float] = OrderedDict()
        self._open = 0

    async def asked(self, context: Context, question: Question) -> Answer | None:
        """Ask a client of the older protocol; None where the call may begin, else its answer."""
        if self._open >= OPEN:
            hint = "Wait for one of them to be answered, then try again."
            return Answer.error("too_busy", f"{OPEN} questions are open", hint=hint)
        self._open += 1
        try:
            agreed: str | None = None
            for _ in range(ROUNDS):
                text = await question()
                if text is None or text == agreed:
                    return None
                refused = await self._elicited(context, text)
                if refused is not None:
                    return refused
                agreed = text
            return _unanswered("what it would change went on changing while it was asked about")
        finally:
            self._open -= 1

    async def _elicited(self, context: Context, text: str) -> Answer | None:
        try:
            with anyio.fail_after(self._patience):
                said = await context.session.elicit_form(text, FORM, related_request_id=context.request_id)
        except TimeoutError:
            return _unanswered(f"nobody answered within {self._patience:g} s")
        except (MCPError, ValidationError):
            return _unanswered("the client could not ask")
        return _judged(said.action, said.content)

    async def required(self, context: Context, question: Question) -> Answer | dict[str, Any] | None:
        """The same for the newer protocol: None, an answer, or the fields of `input_required`."""
        text = await question()
        if text is None:
            return None
        params = context.params or {}
        subject = _digest(params.get("name"), params.get("arguments"), text)
        responses = params.get("inputResponses")
        said = responses.get(_KEY) if isinstance(responses, Mapping) else None
        if isinstance(said, Mapping) and self._opened(params.get("requestState"), subject):
            return _judged(said.get("action"), said.get("content"))
        form = {"mode": "form", "message": text, "requestedSchema": FORM}
        request = {"method": "elicitation/create", "params": form}
        return {
            "resultType": "input_required",
            "inputRequests": {_KEY: request},
            "requestState": self._sealed(subject),
        }

    def _sealed(self, subject: str) -> str:
        """A state that only this server makes: until when which agreement stands."""
        head = f"{time.monotonic() + self._patience:.3f}.{secrets.token_hex(8)}"
        return f"{head}.{self._seal(head, subject)}"

    def _seal(self, head: str, subject: str) -> str:
        return hmac.new(self._secret, f"{head}.{subject}".encode(), hashlib.sha256).hexdigest()

    def _opened(self, state: Any, subject: str) -> bool:
        """Whether a state is this server's, about this subject, neither too old nor used before; it is used then."""
        if not isinstance(state, str) or len(state) > 200 or not state.isascii():
            return False
        head, _, seal = state.rpartition(".")
        if not hmac.compare_digest(seal, self._seal(head, subject)):
            return False
        until = float(head.rpartition(".")[0])
        now = time.monotonic()
        if until < now or head in self._used:
            return False
        self._used[head] = until
        while self._used and (len(self._used) > _USED or next(iter(self._used.values())) < now):
            self._used.popitem(last=False)
        return True


def _digest(name: Any, arguments: Any, text: str) -> str:
    """What is agreed to: the tool, its arguments, and the question."""
    return hashlib.sha256(msgspec.json.encode([name, arguments, text], order="sorted")).hexdigest()


def _judged(action: Any, content: Any) -> Answer | None:
    """None for an agreement, else the answer of the call."""
    if action == "accept" and isinstance(content, Mapping) and content.get(_KEY) is True:
        return None
    why = "dismissed the question" if action == "cancel" else "declined"
    hint = "Do something else, or ask them before you try again."
    return Answer.error("declined", f"the person {why}: nothing was changed", hint=hint)


def _unanswered(why: str) -> Answer:
    hint = "Tell the person what it would do, then try again."
    return Answer.error("unanswered", f"{why}: nothing was changed", hint=hint)
