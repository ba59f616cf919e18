"""What an upstream is to the gateway's front: settings, requests, answers, notifications, failures.

JSON stays as the bytes that were sent. `Members` is an object one level deep: names to the raw JSON of their values, in
the order of the text (`raw_json.members` takes one apart, `raw_json.joined` puts one together).  Only the envelope is
written anew: `id`, `method`, and of `params` the members that the front replaces (`name`, `uri`, `_meta`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from kleis.errors import KleisError

__all__ = [
    "Answer",
    "FailureKind",
    "Generation",
    "Limits",
    "Members",
    "Notification",
    "Receiver",
    "Timeouts",
    "Upstream",
    "UpstreamFailure",
    "UpstreamPool",
    "UpstreamSettings",
]

Generation = Literal["2025", "2026"]
"""The handshake and its sessions (revisions up to 2025-11-25), or stateless requests (from 2026-07-28 on)."""

Members: TypeAlias = Mapping[str, bytes]

FailureKind = Literal["unavailable", "exited", "timed_out", "broken", "too_large", "overloaded", "closed"]
"""Not started or held back after failures, ended during the call, no answer in time, an answer that is no sound message,
one beyond the size limit, more calls at once than are held, closed by the gateway."""


@dataclass(frozen=True)
class Timeouts:
    """Seconds. `call` is for one request, begun anew by each progress notification of it, up to `longest` in all."""

    start: float = 30.0
    call: float = 120.0
    longest: float = 3600.0
    close: float = 2.0
    idle: float = 600.0


@dataclass(frozen=True)
class Limits:
    """What one upstream may cost. Bytes, but for `depth` (levels of JSON) and the counts."""

    message: int = 16 * 1024 * 1024
    depth: int = 512
    waiting: int = 256
    """Requests that are not answered yet."""
    unsent: int = 8 * 1024 * 1024
    """Bytes written to an upstream that does not read."""
    notifications: int = 1_000
    """Notifications that the front has not taken yet; more are dropped."""
    pages: int = 100
    listed: int = 32 * 1024 * 1024
    """Bytes of all pages of one list."""


@dataclass(frozen=True)
class UpstreamSettings:
    """One server of the `mcpServers` object: `command` (stdio) or `url` (HTTP), never both.

    References to the environment (`${NAME}`) are resolved.  What may hold a secret is not in `repr`.
    """

    name: str
    command: str | None = None
    args: tuple[str, ...] = field(default=(), repr=False)
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: str | None = None
    url: str | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    exact: frozenset[str] = frozenset()
    """Tools that read integers beyond 2^53 exactly; `*` is all of them."""
    generation: Generation | None = None
    """None: found out."""
    timeouts: Timeouts = Timeouts()
    limits: Limits = Limits()
    disabled: bool = False
    secrets: frozenset[str] = field(default=frozenset(), repr=False)
    """What references were resolved to: it is left out of everything that is shown."""

    def without_secrets(self, text: str) -> str:
        """A text of the upstream's, fit to be shown."""
        hidden = {*self.secrets, *self.env.values(), *self.headers.values()}
        for each in sorted((each for each in hidden if len(each) >= 4), key=len, reverse=True):
            text = text.replace(each, "…")
        return text


@dataclass(frozen=True)
class Answer:
    """What an upstream answered: the raw JSON of `result` or of `error`, just one of them."""

    result: bytes | None = None
    error: bytes | None = None


@dataclass(frozen=True)
class Notification:
    """A notification of an upstream; `params` without the progress token, which was this side's."""

    method: str
    params: Members


Receiver = Callable[[Notification], None]
"""Called on the event loop; it must not wait."""


class UpstreamFailure(KleisError):
    """A request that got no answer, and why. The message holds nothing that the upstream or the settings said."""

    def __init__(self, kind: FailureKind, message: str, *, hint: str = "") -> None:
        super().__init__(message, code=kind, hint=hint)
        self.kind: FailureKind = kind


class Upstream(Protocol):
    """One started upstream, of one client session or principal. Every method may raise `UpstreamFailure`."""

    @property
    def settings(self) -> UpstreamSettings: ...

    @property
    def generation(self) -> Generation: ...

    @property
    def revision(self) -> str:
        """The protocol revision that was agreed on, such as `2025-11-25`."""

    @property
    def capabilities(self) -> Members: ...

    @property
    def instructions(self) -> str: ...

    @property
    def server_info(self) -> bytes:
        """The raw JSON of the server's `serverInfo`."""

    async def request(
        self,
        method: str,
        params: Members,
        *,
        meta: Members | None = None,
        on_notification: Receiver | None = None,
        timeout: float | None = None,
    ) -> Answer:
        """Send one request and wait for its answer.

        `params` has no `_meta`: `meta` is its members (what the protocol itself puts there is dropped and written anew).
        With `on_notification` progress is asked for, and what belongs to this request goes there.  When the waiting
        task is cancelled, or the time is over, the upstream is told so and its answer is dropped.
        """

    async def notify(self, method: str, params: Members) -> None:
        """Send a notification."""

    async def set_level(self, level: str) -> None:
        """The least level of log messages, as either generation asks for it."""

    async def subscribe(self, uri: str) -> Answer:
        """Ask for `notifications/resources/updated` of a resource, as either generation does."""

    async def unsubscribe(self, uri: str) -> Answer: ...

    async def list_all(self, method: str) -> list[bytes]:
        """All items of `tools/list`, `resources/list`, `resources/templates/list` or `prompts/list`, page by page.

        An upstream without the capability has none.  Raises `UpstreamFailure` beyond the limits, and for an error.
        """

    async def close(self) -> None: ...


class UpstreamPool(Protocol):
    """The upstreams of a configuration: one for each name and key, started when it is first needed.

    A key is a client session (2025) or a principal (2026); the front says which.
    """

    @property
    def settings(self) -> Mapping[str, UpstreamSettings]: ...

    async def get(
        self,
        name: str,
        key: str,
        on_notification: Receiver | None = None,
        on_end: Callable[[], None] | None = None,
    ) -> Upstream:
        """The running upstream; started where there is none, or where it has ended.

        `on_notification` receives what belongs to no request, from now on, and `on_end` is called when it ends, for whatever
        reason.  Raises `UpstreamFailure` where it does not
        start, or has failed so recently that it is not tried again yet, and `KeyError` for another name.
        """

    async def release(self, key: str) -> None:
        """Close all upstreams of a key: its client is gone."""

    async def close(self) -> None: ...
