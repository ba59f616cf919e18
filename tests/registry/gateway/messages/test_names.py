"""Names at the gateway: within what clients take, each of one thing, and read back to it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleis.errors import KleisError
from registry.gateway.messages.names import (
    LONGEST,
    address_of,
    name_of,
    names_of_servers,
    parts_of,
    split_address,
    tool_part,
)

WORDS = st.text(min_size=1, max_size=60)
LIKELY = st.text(alphabet="ab_-.7", min_size=1, max_size=60)
NAMES = WORDS | LIKELY


@given(st.sets(NAMES, min_size=1, max_size=6), st.sets(NAMES, min_size=1, max_size=6))
def test_a_name_is_of_one_server_and_one_tool(servers: set[str], tools: set[str]) -> None:
    try:
        parts = names_of_servers(sorted(servers))
    except KleisError:
        assert len({each.lower() for each in servers}) < len(servers)
        return
    names = {(server, tool): name_of(parts[server], tool) for server in servers for tool in tools}
    assert len(set(names.values())) == len(names)
    for (server, tool), name in names.items():
        assert len(name) <= LONGEST
        assert re.fullmatch(r"[A-Za-z0-9_-]+", name)
        assert parts_of(name) == (parts[server], tool_part(parts[server], tool))


@pytest.mark.parametrize("tool", ["read_file", "a", "_b", "b__c", "x-y", "A1"])
def test_plain_names_stand_for_themselves(tool: str) -> None:
    assert name_of("files", tool) == f"files__{tool}"


@pytest.mark.parametrize("tool", ["a.b", "räd", "x" * 60, "", "a/b", "read file"])
def test_odd_and_long_names_end_in_a_digest(tool: str) -> None:
    name = name_of("files", tool)
    assert name.startswith("files__")
    assert re.fullmatch(r".*[a-z2-7]{16}", name)


def test_a_tool_that_is_called_like_a_digest_takes_no_name_away() -> None:
    taken = tool_part("files", "a.b")
    assert tool_part("files", taken) != taken


def test_parts_of_servers_hold_no_separator() -> None:
    parts = names_of_servers(["a__b", "a", "_a", "a_", "ä", "b" * 40])
    assert len(set(parts.values())) == 6
    assert all(
        "__" not in each and not each.startswith("_") and not each.endswith("_") for each in parts.values()
    )
    assert parts["a"] == "a"


def test_servers_that_differ_in_case_alone_are_refused() -> None:
    with pytest.raises(KleisError, match="one name"):
        names_of_servers(["Files", "files"])


@given(NAMES, st.text(max_size=40))
def test_addresses_are_read_back(server: str, uri: str) -> None:
    parts = names_of_servers([server])
    assert split_address(address_of(parts[server], uri), parts) == (server, uri)
    assert split_address(address_of(parts[server], f"ui://{uri}"), parts) == (server, f"ui://{uri}")


def test_views_keep_their_scheme() -> None:
    assert address_of("pif", "ui://tool/x") == "ui://pif+tool/x"
    assert address_of("pif", "file:///x") == "pif+file:///x"


def test_an_address_without_a_server_is_none_of_the_gateways() -> None:
    assert split_address("file:///x", {"files": "files"}) is None
    assert split_address("git+ssh://x", {"files": "files"}) is None
