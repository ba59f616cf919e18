"""Nothing is plain that the SDK would reject: its own models decide, over parameters of all kinds."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from mcp.server.runner import ServerRunner
from mcp.shared.inbound import InboundModernRoute, classify_inbound_request
from mcp_types import (
    CLIENT_CAPABILITIES_META_KEY,
    CLIENT_INFO_META_KEY,
    PROTOCOL_VERSION_META_KEY,
    SERVER_INFO_META_KEY,
)
from mcp_types.methods import validate_client_request
from mcp_types.version import (
    HANDSHAKE_PROTOCOL_VERSIONS,
    LATEST_HANDSHAKE_VERSION,
    MODERN_PROTOCOL_VERSIONS,
)

from registry.server.stdio.plain_requests import is_plain, is_plain_modern, read_handshake
from registry.server.streams import generations

LISTS = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")

SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=5))
JSON = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(st.text(max_size=4), inner, max_size=2)),
    max_leaves=4,
)  # fmt: skip


def often(form: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A value that has its form, or seldom has not."""
    return st.one_of(form, form, form, JSON)


def members(required: dict[str, Any], optional: dict[str, Any]) -> st.SearchStrategy[Any]:
    """An object; seldom something else, or with a member that nobody knows."""
    whole = st.fixed_dictionaries(required, optional=optional)
    more = st.dictionaries(st.text(max_size=4), JSON, max_size=1)
    return often(st.one_of(whole, whole, st.builds(lambda known, new: {**new, **known}, whole, more)))


SETTINGS = often(
    st.dictionaries(
        st.sampled_from(["form", "url", "context", "tools", "a/b"]), often(st.just({})), max_size=2
    )
)
CAPABILITIES = members(
    {},
    {
        "roots": members({}, {"listChanged": often(st.booleans())}),
        "sampling": SETTINGS, "elicitation": SETTINGS, "experimental": SETTINGS, "extensions": SETTINGS, "tasks": JSON,
    },
)  # fmt: skip
TEXT = often(st.text(max_size=5))
CLIENT = members(
    {"name": TEXT, "version": TEXT},
    {"title": TEXT, "description": TEXT, "websiteUrl": TEXT, "icons": JSON},
)
META = members({}, {"progressToken": often(st.one_of(st.integers(), st.text(max_size=3)))})
HANDSHAKES = members(
    {"protocolVersion": often(st.sampled_from([*generations.OLDER, "1.0"])), "capabilities": CAPABILITIES, "clientInfo": CLIENT},
    {"_meta": META},
)  # fmt: skip
MODERN = members(
    {
        "_meta": members(
            {generations.VERSION_KEY: often(st.just(generations.MODERN)), generations.CAPABILITIES_KEY: CAPABILITIES},
            {CLIENT_INFO_META_KEY: CLIENT, "progressToken": often(st.integers())},
        )
    },
    {"cursor": TEXT},
)  # fmt: skip


def test_the_generations_are_the_sdks() -> None:
    assert set(generations.OLDER) == set(HANDSHAKE_PROTOCOL_VERSIONS)
    assert generations.LATEST_OLDER == LATEST_HANDSHAKE_VERSION
    assert list(MODERN_PROTOCOL_VERSIONS) == [generations.MODERN]
    assert generations.VERSION_KEY == PROTOCOL_VERSION_META_KEY
    assert generations.CAPABILITIES_KEY == CLIENT_CAPABILITIES_META_KEY
    assert generations.SERVER_INFO_KEY == SERVER_INFO_META_KEY


@given(HANDSHAKES)
def test_a_plain_handshake_is_accepted(params: Any) -> None:
    if isinstance(params, dict) and read_handshake(params) is not None:
        for version in generations.OLDER:
            validate_client_request("initialize", version, params)
        said, _ = ServerRunner._negotiate_initialize(params)
        assert not (said.capabilities.extensions or {}).get(generations.VIEWS)


@given(st.one_of(st.none(), members({}, {"_meta": META, "cursor": TEXT})), st.sampled_from([*LISTS, "ping"]))
def test_a_plain_request_is_accepted(params: Any, method: str) -> None:
    if (params is None or isinstance(params, dict)) and is_plain(params):
        for version in generations.OLDER:
            validate_client_request(method, version, params)
        assert "cursor" not in (params or {})


@given(MODERN, st.sampled_from([*LISTS, "server/discover"]))
def test_a_plain_request_that_stands_alone_is_accepted(params: Any, method: str) -> None:
    if isinstance(params, dict) and is_plain_modern(params):
        assert isinstance(classify_inbound_request({"method": method, "params": params}), InboundModernRoute)
        validate_client_request(method, generations.MODERN, params)


def test_ordinary_requests_are_plain() -> None:
    """Else the properties above would say nothing."""
    client = {"name": "x", "version": "1"}
    capabilities = {"roots": {"listChanged": True}, "sampling": {}, "elicitation": {"form": {}}}
    assert read_handshake(
        {"protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": client}
    )
    assert is_plain(None)
    assert is_plain({"_meta": {"progressToken": 0}})
    meta = {
        generations.VERSION_KEY: generations.MODERN,
        generations.CAPABILITIES_KEY: capabilities,
        CLIENT_INFO_META_KEY: client,
    }
    assert is_plain_modern({"_meta": meta})
    shows = {"extensions": {generations.VIEWS: {}}}
    assert (
        read_handshake({"protocolVersion": "2025-06-18", "capabilities": shows, "clientInfo": client}) is None
    )
    assert not is_plain_modern({"_meta": {**meta, generations.CAPABILITIES_KEY: shows}})
