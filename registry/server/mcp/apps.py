"""MCP Apps: views of answers for clients that show them (the extension `io.modelcontextprotocol/ui`).

A client that does not declare the extension sees nothing of this. One that does finds `_meta.ui.resourceUri` at the tools with a view,
reads the document there, and gets with each answer of such a tool the view of it, made here of the same object that the model reads.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import mcp_types as types
import msgspec
from mcp.server.context import HandlerResult, ServerRequestContext

from registry.records import RESERVED
from registry.server.contract.group import Answer, Group, ToolSpec
from registry.server.streams.generations import VIEWS
from registry.server.streams.messages import encode_json
from registry.views.actions import offering
from registry.views.answers import EVOLVED, TOOLS, resource_view, view_of

__all__ = ["MIME_TYPE", "VIEW", "Apps", "announced", "takes_part"]

MIME_TYPE = "text/html;profile=mcp-app"

VIEW = "pif/view"
"""The field of a result's `_meta` that holds the view; models do not read it."""

_LARGEST = 2_000_000
"""Characters of a view that go with an answer; of a larger one the page shows the text."""

_URI = "ui://pif/"

_STATE = "client takes part in MCP Apps"
"""What a handshake said, among the connection's own notes: the SDK has no public name for them."""

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
    settings = extensions.get(VIEWS) if isinstance(extensions, Mapping) else None
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
    extensions = {**(capabilities.get("extensions") or {}), VIEWS: {}}
    return {**fields, "capabilities": {**capabilities, "extensions": extensions}}


class Apps:
    """The views of a server's tools.

    `is_shown_here`: whether the one client of a connection of the older protocol on standard streams takes part.
    """

    is_shown_here = False

    def __init__(self, groups: Sequence[Group]) -> None:
        self._views: dict[str, tuple[str, str]] = {}
        self._evolving = [group for group in groups if group.name == "pif"]
        listed: set[str] = set()
        for group in groups:
            for spec in group.tools():
                listed.add(spec.name)
                if (view := TOOLS.get((group.name, spec.name))) is not None:
                    self._views.setdefault(spec.name, view)
        self._listed = frozenset(listed)

    def _view(self, name: object) -> tuple[str, str] | None:
        """The address of a tool's view. Evolved tools come and go, so any other name is taken for one where there may be some:
        the answer to a name that is none is an error, which has the same view."""
        if not isinstance(name, str):
            return None
        known = self._views.get(name)
        if known is not None or (name in self._listed and name in RESERVED):
            return known
        return EVOLVED if self._evolving else None

    def has_view(self, name: object) -> bool:
        """Whether a tool has a view."""
        return self._view(name) is not None

    def is_shown(self, name: object, capabilities: object) -> bool:
        """Whether a call may want a view; `capabilities` are those of a request of the newer protocol, else None."""
        if capabilities is None:
            return self.is_shown_here and self.has_view(name)
        declared = capabilities.get("extensions") if isinstance(capabilities, Mapping) else None
        return isinstance(declared, Mapping) and VIEWS in declared and self.has_view(name)

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
        view = self._view(spec.name)
        if view is None:
            return tool
        uri = _address(view)
        return tool.model_copy(update={"meta": {"ui": {"resourceUri": uri}, "ui/resourceUri": uri}})

    def _addresses(self) -> Iterable[str]:
        views = [*self._views.values(), *((EVOLVED,) if self._evolving else ())]
        return dict.fromkeys(_address(view) for view in views)

    def resources(self) -> list[types.Resource]:
        """The documents."""
        return [
            types.Resource(uri=each, name=f"view of {each.removeprefix(_URI)}", mime_type=MIME_TYPE)
            for each in self._addresses()
        ]

    def read(self, uri: str) -> types.ReadResourceResult | None:
        """The document at an address; None where there is none."""
        if uri not in self._addresses():
            return None
        contents = types.TextResourceContents(uri=uri, mime_type=MIME_TYPE, text=_document())
        return types.ReadResourceResult(contents=[contents])

    def shown(self, name: object, answer: Answer) -> dict[str, Any]:
        """What `_meta` of a result has besides: the view of an answer. A view that fails leaves the text to be shown."""
        view = self._view(name)
        if view is None:
            return {}
        try:
            fields = msgspec.json.decode(encode_json(answer.structured))
            with offering(self._listed):
                body = str(view_of(view, fields).body)
        except Exception:
            logger.exception("the view of an answer of %s failed", name)
            return {}
        return {VIEW: body} if len(body) <= _LARGEST else {}

    def with_resource_view(
        self, context: ServerRequestContext[Any, Any], read: types.TextResourceContents
    ) -> types.TextResourceContents:
        """The contents of a resource with their view, where the client takes part and there is one."""
        if not takes_part(context) or read.mime_type != "application/json":
            return read
        try:
            with offering(self._listed):
                view = resource_view(str(read.uri), msgspec.json.decode(read.text))
        except Exception:
            logger.exception("the view of %s failed", read.uri)
            return read
        if view is None or len(view.body) > _LARGEST:
            return read
        return read.model_copy(update={"meta": {VIEW: str(view.body)}})


def _address(view: tuple[str, str]) -> str:
    name = view[1].removesuffix("_view")
    return _URI + {"evaluation": "verdict"}.get(name, name)


@cache
def _document() -> str:
    from registry.views.markup import Markup
    from registry.views.page import View, document

    return document(View("PIF", Markup('<p role="status">Waiting for an answer …</p>')), "app")
