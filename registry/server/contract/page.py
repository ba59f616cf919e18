"""A page that a server over HTTP has beside MCP: `/livez`, `/metrics`, `/ui`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec

__all__ = ["Page", "PageAnswer"]


class PageAnswer(msgspec.Struct, frozen=True):
    """What a page says: the status, the type of the body, the body, and headers besides."""

    status: int
    content_type: str
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()


class Page(msgspec.Struct, frozen=True):
    """`path`: where it is. `is_open`: anyone who reaches the server may read it, without a token."""

    path: str
    is_open: bool
    answer: Callable[[], Awaitable[PageAnswer]]
