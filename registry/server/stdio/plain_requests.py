"""Requests that are answered without the SDK: those of which it is certain what the SDK would answer.

A type here says less than the protocol does. What it does not fit is no error: the SDK's server is asked, which knows how to
reject it. So nothing that is answered here may be anything that the SDK rejects, or answers otherwise.
"""

from __future__ import annotations

from typing import Any, Literal, TypeVar

import msgspec

from kleis.decoding import converted
from registry.server.streams.generations import CAPABILITIES_KEY, VERSION_KEY, VIEWS

__all__ = ["Handshake", "is_plain", "is_plain_modern", "read_handshake"]

_Unset = msgspec.UnsetType
_UNSET = msgspec.UNSET
_Settings = dict[str, dict[str, Any]]
Form = TypeVar("Form")


class _Roots(msgspec.Struct, frozen=True, rename="camel"):
    list_changed: bool | _Unset = _UNSET


class Capabilities(msgspec.Struct, frozen=True):
    """What a client can do. Tasks are left to the SDK."""

    roots: _Roots | _Unset = _UNSET
    sampling: _Settings | _Unset = _UNSET
    elicitation: _Settings | _Unset = _UNSET
    experimental: _Settings | _Unset = _UNSET
    extensions: _Settings | _Unset = _UNSET
    tasks: _Unset = _UNSET


class ClientInfo(msgspec.Struct, frozen=True, rename="camel"):
    """What a client is. Pictures of it are left to the SDK."""

    name: str
    version: str
    title: str | _Unset = _UNSET
    description: str | _Unset = _UNSET
    website_url: str | _Unset = _UNSET
    icons: _Unset = _UNSET


class _Meta(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    progress_token: str | int | _Unset = _UNSET


class _Parameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Of a request that asks for nothing in particular."""

    meta: _Meta | _Unset = msgspec.field(default=_UNSET, name="_meta")


class Handshake(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """The parameters of `initialize`."""

    protocol_version: str
    capabilities: Capabilities
    client_info: ClientInfo
    meta: _Meta | _Unset = msgspec.field(default=_UNSET, name="_meta")


class _ModernMeta(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: Literal["2026-07-28"] = msgspec.field(name=VERSION_KEY)
    capabilities: Capabilities = msgspec.field(name=CAPABILITIES_KEY)
    client_info: ClientInfo | _Unset = msgspec.field(
        default=_UNSET, name="io.modelcontextprotocol/clientInfo"
    )
    progress_token: str | int | _Unset = msgspec.field(default=_UNSET, name="progressToken")


class _ModernParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    meta: _ModernMeta = msgspec.field(name="_meta")


def read_handshake(params: dict[str, Any] | None) -> Handshake | None:
    """A handshake that is certainly accepted, of a client without views; None for any other."""
    found = _read(params, Handshake)
    return None if found is None or _has_views(found.capabilities) else found


def is_plain(params: dict[str, Any] | None) -> bool:
    """Whether these parameters of the older generation ask for nothing in particular."""
    return params is None or _read(params, _Parameters) is not None


def is_plain_modern(params: dict[str, Any] | None) -> bool:
    """Whether these parameters of the newer generation ask for nothing in particular, for a client without views."""
    found = _read(params, _ModernParameters)
    return found is not None and not _has_views(found.meta.capabilities)


def _has_views(capabilities: Capabilities) -> bool:
    return isinstance(capabilities.extensions, dict) and VIEWS in capabilities.extensions


def _read(params: dict[str, Any] | None, form: type[Form]) -> Form | None:
    try:
        return converted(params, form)
    except msgspec.ValidationError:
        return None
