"""What is read and pages of lists, in the SDK's types; which arguments headers repeat."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import mcp_types as types
from mcp.shared.exceptions import MCPError

from registry.server.contract.content import ResourceBytes
from registry.server.contract.group import ResourceText
from registry.server.offers.wire_forms import PAGE

__all__ = ["contents", "names_headers", "page_of"]

Item = TypeVar("Item")

HEADER_KEYWORD = "x-mcp-header"
"""In the schema of an argument: the header that repeats it over HTTP (2026 protocol)."""


def contents(
    uri: str, found: ResourceText | ResourceBytes
) -> types.TextResourceContents | types.BlobResourceContents:
    if isinstance(found, ResourceBytes):
        blob = b64encode(found.data).decode()
        return types.BlobResourceContents(uri=uri, mime_type=found.mime_type, blob=blob)
    return types.TextResourceContents(uri=uri, mime_type=found.mime_type, text=found.text)


def page_of(
    items: Sequence[Item], params: types.PaginatedRequestParams | None
) -> tuple[Sequence[Item], str | None]:
    """One page of a list and the cursor of the next. A cursor is the number of entries before the page."""
    cursor = params.cursor if params else None
    if cursor is not None and not (cursor.isascii() and cursor.isdigit() and len(cursor) < 10):
        raise MCPError(types.INVALID_PARAMS, "the cursor is not one of this server's")
    start = int(cursor or 0)
    end = start + PAGE
    return items[start:end], str(end) if end < len(items) else None


def names_headers(schema: Mapping[str, Any]) -> bool:
    """Whether an argument, or a part of one, is to be repeated in a header."""
    return any(
        HEADER_KEYWORD in each or names_headers(each) for each in schema.get("properties", {}).values()
    )
