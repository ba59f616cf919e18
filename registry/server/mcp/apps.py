"""MCP Apps: views of answers for clients that show them (the extension `io.modelcontextprotocol/ui`).

A client that does not declare the extension sees nothing of this. One that does finds `_meta.ui.resourceUri` at the tools with a view,
reads the document there, and gets with each answer of such a tool the view of it, made here of the same object that the model reads.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any

import mcp_types as types
import msgspec
from mcp.server.context import HandlerResult, ServerRequestContext

from registry.server.contract.group import Answer, Group, ToolSpec
from registry.server.streams.messages import encode_json

__all__ = ["EXTENSION", "MIME_TYPE", "VIEW", "Apps", "announced", "takes_part"]

EXTENSION = "io.modelcontextprotocol/ui"
MIME_TYPE = "text/html;profile=mcp-app"

VIEW = "pif/view"
"""The field of a result's `_meta` that holds the view; models do not read it."""

_LARGEST = 2_000_000
"""Characters of a view that go with an answer; of a larger one the page shows the text."""

_URI = "ui://pif/"

_STATE = "client takes part in MCP Apps"
"""What a handshake said, among the connection's own notes: the SDK has no public name for them."""

_VIEWS: Mapping[tuple[str, str], tuple[str, str, str]] = {
    ("theory", "evaluate"): ("verdict", "evaluation_view", "verdict"),
    ("theory", "explain"): ("verdict", "verdict_view", "verdict"),
    ("pif", "run"): ("tool", "run_view", "run"),
    ("pif", "list"): ("tool", "tools_view", "tools"),
    ("pif", "diff"): ("tool", "difference_view", "difference"),
}
"""Group and tool → the module and the function of its view, and the last part of its address."""

logger = logging.getLogger(__name__)


def takes_part(context: ServerRequestContext[Any, Any]) -> bool:
    """Whether the client of a request shows views: it declares the extension with the type of our documents."""
    if context.method == "initialize":
        # The SDK leaves out of a handshake what its protocol version does not name, which clients send all the same.
        said = (context.params or {}).get("capabilities")
        is_named = _names_views(said.get("extensions") if isinstance(said, Mapping) else None)
        context.session._connection.state[_STATE] = is_named
        return is_named
    declared = context.session.client_capabilities
    if declared is not None and _names_views(declared.extensions):
        return True
    return bool(context.session._connection.state.get(_STATE))


def _names_views(extensions: object) -> bool:
    settings = extensions.get(EXTENSION) if isinstance(extensions, Mapping) else None
    listed = settings.get("mimeTypes") if isinstance(settings, Mapping) else None
    return isinstance(listed, list) and MIME_TYPE in listed


def announced(result: HandlerResult) -> HandlerResult:
    """What the server can do, for a client that takes part."""
    if isinstance(result, dict) or result is None:
        fields = result
    else:
        fields = result.model_dump(by_alias=True, mode="json", exclude_none=True)
    if not fields:
        return result
    capabilities = fields.get("capabilities") or {}
    extensions = {**(capabilities.get("extensions") or {}), EXTENSION: {}}
    return {**fields, "capabilities": {**capabilities, "extensions": extensions}}


class Apps:
    """The views of a server's tools.

    `is_shown_here`: whether the one client of a connection of the older protocol on standard streams takes part.
    """

    is_shown_here = False

    def __init__(self, groups: Sequence[Group]) -> None:
        self._views: dict[str, tuple[str, str, str]] = {}
        for group in groups:
            for spec in group.tools():
                if (view := _VIEWS.get((group.name, spec.name))) is not None:
                    self._views.setdefault(spec.name, view)

    def has_view(self, name: object) -> bool:
        """Whether a tool has a view."""
        return isinstance(name, str) and name in self._views

    def is_shown(self, name: object, capabilities: object) -> bool:
        """Whether a call may want a view; `capabilities` are those of a request of the newer protocol, else None."""
        if capabilities is None:
            return self.is_shown_here and self.has_view(name)
        declared = capabilities.get("extensions") if isinstance(capabilities, Mapping) else None
        return isinstance(declared, Mapping) and EXTENSION in declared and self.has_view(name)

    def with_view(
        self, context: ServerRequestContext[Any, Any], answer: Answer, sealed: dict[str, Any]
    ) -> dict[str, Any]:
        """The wire form of an answer with its view, where the client takes part."""
        name = (context.params or {}).get("name")
        if not self.has_view(name) or not takes_part(context):
            return sealed
        meta = {**sealed.get("_meta", {}), **self.shown(name, answer)}
        return {**sealed, "_meta": meta} if meta else sealed

    def marked(self, spec: ToolSpec, tool: types.Tool) -> types.Tool:
        """A tool of a list, with the address of its view."""
        view = self._views.get(spec.name)
        if view is None:
            return tool
        uri = _URI + view[2]
        return tool.model_copy(update={"meta": {"ui": {"resourceUri": uri}, "ui/resourceUri": uri}})

    def resources(self) -> list[types.Resource]:
        """The documents."""
        names = dict.fromkeys(view[2] for view in self._views.values())
        return [
            types.Resource(uri=_URI + each, name=f"view of {each}", mime_type=MIME_TYPE) for each in names
        ]

    def read(self, uri: str) -> types.ReadResourceResult | None:
        """The document at an address; None where there is none."""
        if not any(uri == _URI + view[2] for view in self._views.values()):
            return None
        contents = types.TextResourceContents(uri=uri, mime_type=MIME_TYPE, text=_document())
        return types.ReadResourceResult(contents=[contents])

    def shown(self, name: object, answer: Answer) -> dict[str, Any]:
        """What `_meta` of a result has besides: the view of an answer. A view that fails leaves the text to be shown."""
        view = self._views.get(name) if isinstance(name, str) else None
        if view is None:
            return {}
        try:
            make: Callable[[Any], Any] = getattr(import_module(f"registry.views.{view[0]}"), view[1])
            body = str(make(msgspec.json.decode(encode_json(answer.structured))).body)
        except Exception:
            logger.exception("the view of an answer of %s failed", name)
            return {}
        return {VIEW: body} if len(body) <= _LARGEST else {}


@cache
def _document() -> str:
    from registry.views.markup import Markup
    from registry.views.page import View, document

    return document(View("PIF", Markup('<p role="status">Waiting for an answer …</p>')), "app")
