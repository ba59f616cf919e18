"""Principals whose tools are in one PostgreSQL: each has a schema of its own, and sees nothing of another's."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from registry.access.principals import NAME_RULE
from registry.errors import RegistryError
from registry.store.open_store import open_store, url_of
from registry.store.postgres.address import read_address
from registry.store.postgres.usage import TEXTS
from tests.support.databases import SERVER, asked, new_schema
from tests.support.servers.http_server import serving
from tests.support.servers.principals import Caller, token

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


def test_sessions_and_jobs_of_another_principal_are_not_in_reach(url: str, tmp_path: Path) -> None:
    alice, mallory = (token(tmp_path, each) for each in ("alice", "mallory"))
    with serving(tmp_path, groups="theory", more=True, store=url) as server:
        one, other = Caller(server, alice), Caller(server, mallory)
        made = one.call("submit_define", session="s", kleis="define f(x : ℤ) : ℤ = x + 1")
        assert made["accepted"]
        job = one.call("evaluate", session="s", expression="∀(x : ℤ). f(x) > x", wait=False)["project_id"]
        assert one.call("check_job", project_id=job)["project_id"] == job
        assert other.call("list_session", session="*")["sessions"] == []
        assert other.call("list_session", session="s")["count"] == 0
        assert other.call("undo", session="s")["status"] == "error"
        for cancel in (False, True):
            assert other.call("check_job", project_id=job, cancel=cancel)["type"] == "error"
        assert other.call("check_job")["jobs"] == []
        assert one.call("list_session", session="s")["count"] == 1
        server.process.send_signal(signal.SIGTERM)
        server.ended()
    schema = url.rpartition("=")[2]
    assert asked(f'SELECT name FROM "{schema}__alice".sessions') == [("s",)]
    assert asked(f'SELECT count(*) FROM "{schema}".sessions') == [(0,)]


def test_rows_count_for_what_a_principal_may_store(url: str, tmp_path: Path) -> None:
    alice, bob = token(tmp_path, "alice"), token(tmp_path, "bob")
    with serving(
        tmp_path, groups="pif,theory", more=True, store=url, quotas=("stored-mb=1", "sessions=1")
    ) as server:
        one, other = Caller(server, alice), Caller(server, bob)
        for number in range(5):
            code = [number, *(f"{number} {part} " * 20_000 for part in range(6))]
            made = one.call("evolve", name=f"t{number}", description="large", code=code)
            if made["type"] == "error":
                break
        assert made["error"]["quota"] == "stored-mb"
        assert number == 3
        assert one.call("submit_define", session="s", kleis="define f(x : ℤ) : ℤ = x")["type"] == "error"
        assert other.call("evolve", name="t", description="small", code=1)["type"] == "tool"
        assert other.call("submit_define", session="s", kleis="define f(x : ℤ) : ℤ = x")["accepted"]
        assert other.call("submit_define", session="s", kleis="define g(x : ℤ) : ℤ = x")["accepted"]
        refused = other.call("submit_define", session="r", kleis="define f(x : ℤ) : ℤ = x")
        assert refused["error"]["quota"] == "sessions"
        server.process.send_signal(signal.SIGTERM)
        server.ended()


def test_every_column_that_somebody_fills_is_counted(url: str) -> None:
    """Names, hashes and numbers are short; whatever else is text counts."""
    short = {
        "name",
        "kind",
        "moment",
        "hash",
        "created",
        "folded",
        "token",
        "program",
        "revision",
        "digest",
        "id",
    }
    short |= {"client", "status", "question"}
    open_store(Path(), url).close()
    columns = asked(
        "SELECT table_name::text, column_name::text FROM information_schema.columns"
        " WHERE table_schema = %s AND data_type = 'text'",
        url.rpartition("=")[2],
    )
    counted = {(table, column) for table, some in TEXTS.items() for column in some}
    assert {each for each in columns if each[1] not in short} == counted
