"""Questions to the client of a call, and its log (docs/reference/serving.md §4.5).

A tool that needs an answer from the person or the model at the other end returns `InputRequired` instead of its answer.
The server puts the questions and calls the tool again, with the same arguments and the answers in `context.client`.
So a tool is written once for both protocol generations: on the older one the server asks in a request of its own while
the call waits; on the newer one the call ends with the questions, and the client repeats it with its answers.

Invariants
----------
- Nothing is kept between the two calls but `state`, which the client carries on the newer protocol. It is sealed: what
  comes back is what was sent, for the same tool and arguments, or the request is rejected.
- A question is put only where the client declared that it takes such questions. Otherwise the call is rejected as the
  protocol says: error -32021 on the newer one, an error result of kind `client_cannot` on the older one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol

import msgspec

__all__ = [
    "CAPABILITIES",
    "Client",
    "InputRequired",
    "LogLevel",
    "Question",
    "QuestionMethod",
    "SilentClient",
]

QuestionMethod = Literal["elicitation/create", "sampling/createMessage", "roots/list"]

CAPABILITIES: Mapping[QuestionMethod, str] = {
    "elicitation/create": "elicitation",
    "sampling/createMessage": "sampling",
    "roots/list": "roots",
}
"""The capability that a client declares for each kind of question."""

LogLevel = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]


class Question(msgspec.Struct, frozen=True):
    """A question to the client: the method and parameters of the protocol's request."""

    method: QuestionMethod
    params: Mapping[str, Any] = msgspec.field(default_factory=dict)


class InputRequired(msgspec.Struct, frozen=True):
    """What a call returns that needs answers first: questions by names of the tool's choice, and what it has to
    remember until then (up to some kilobytes: the client carries it)."""

    questions: Mapping[str, Question]
    state: str | None = None


class Client(Protocol):
    """The client of one call."""

    @property
    def capabilities(self) -> Mapping[str, Any]:
        """What the client declared, by capability."""

    @property
    def answers(self) -> Mapping[str, Any]:
        """The answers to the questions of the last `InputRequired`, by name, as the protocol has them. Empty at first;
        names that were not asked may be there, and names that were asked may be missing."""

    @property
    def state(self) -> str | None:
        """The `state` of the last `InputRequired`, as it was."""

    async def log(self, level: LogLevel, message: str) -> None:
        """Send a log entry, where the client asked for entries of this level."""


class SilentClient:
    """A client that can do nothing and hears nothing: that of tools which are not `interactive`."""

    capabilities: Mapping[str, Any] = {}
    answers: Mapping[str, Any] = {}
    state: str | None = None

    async def log(self, level: LogLevel, message: str) -> None:
        """Nothing: nobody reads it."""
