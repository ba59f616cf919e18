"""Principals whose tools are in one PostgreSQL: each has a schema of its own, and sees nothing of another's."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from registry.access.principals import NAME_RULE
from registry.errors import RegistryError
from registry.store.open_store import url_of
from registry.store.postgres.address import read_address
from tests.support.databases import SERVER, asked, new_schema
from tests.support.servers.http_server import serving, started
from tests.support.servers.principals import Caller, token
from tests.support.servers.raw_client import PATIENCE

SQUARE = {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}


@pytest.fixture
def url() -> Iterator[str]:
    with new_schema() as found:
        yield found
        schema = found.rpartition("=")[2]
        for (name,) in asked(
            "SELECT nspname FROM pg_namespace WHERE starts_with(nspname, %s)", f"{schema}__"
        ):
            asked(f'DROP SCHEMA "{name}" CASCADE')


def test_tools_of_another_principal_are_not_in_reach(url: str, tmp_path: Path) -> None:
    owner, alice, mallory = (token(tmp_path, each) for each in ("owner", "alice", "mallory"))
    with serving(tmp_path, groups="pif", more=True, store=url) as server:
        callers = [Caller(server, each) for each in (owner, alice, mallory)]
        before = [each.call("history", name="square") for each in callers]
        made = callers[1].call("evolve", name="square", description="Alice's", code=SQUARE)
        assert made["type"] == "tool"
        assert callers[1].call("run", code="square", input=7)["value"] == 49
        after = [each.call("history", name="square") for each in callers]
        assert after[1]["type"] == "history"
        assert (after[0], after[2]) == (before[0], before[2])
        for each in (callers[0], callers[2]):
            assert each.call("forget", name="square")["type"] == "error"
            assert each.call("list")["total"] == 0
        assert callers[1].call("run", code="square", input=8)["value"] == 64
        server.process.send_signal(signal.SIGTERM)
        server.ended()
    schema = url.rpartition("=")[2]
    assert asked(f'SELECT count(*) FROM "{schema}__alice".heads') == [(1,)]
    assert asked(f'SELECT count(*) FROM "{schema}".heads') == [(0,)]


def test_no_two_principals_have_one_schema() -> None:
    assert re.fullmatch(NAME_RULE, "a-b")
    assert not re.fullmatch(NAME_RULE, "a_b")
    schemas = [
        read_address(url_of(base, name), patience=1).schema
        for base in (SERVER, f"{SERVER}?schema=other&sslmode=disable")
        for name in ("a-b", "ab", "a")
    ]
    assert schemas == ["pif__a_b", "pif__ab", "pif__a", "other__a_b", "other__ab", "other__a"]
    assert url_of("", "alice") == ""
    with pytest.raises(RegistryError, match="schema"):
        url_of(f"{SERVER}?schema={'s' * 62}", "alice")


def test_bytes_of_a_home_do_not_stand_for_those_of_a_database(tmp_path: Path) -> None:
    process = started(tmp_path, store=f"{SERVER}?schema=never_made", quotas=("stored-mb=1",))
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert "leave one of them out" in said
