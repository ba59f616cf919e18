"""Names of sessions: nobody but the workers makes one, and none serves anybody else."""

from __future__ import annotations

import secrets

import pytest

from registry.server.workers.orders import SessionState
from registry.server.workers.session_names import SessionNames
from registry.server.workers.session_table import IDLE_SECONDS, LASTING, MOST, SessionTable

SECRET = b"s" * 32


def test_a_name_says_which_worker_holds_the_session() -> None:
    names = SessionNames(SECRET)
    for number in (0, 1, 63):
        name = names.new(number, "alice")
        assert names.holder(name, "alice") == number
        assert SessionNames(SECRET).holder(name, "alice") == number, "each worker reads it"
    assert names.new(0, "alice") != names.new(0, "alice")


@pytest.mark.parametrize("other", ["mallory", "owner", "alic", "alice2", ""])
def test_a_name_is_no_other_principal_s(other: str) -> None:
    names = SessionNames(SECRET)
    assert names.holder(names.new(0, "alice"), other) is None


def test_no_altered_name_is_one() -> None:
    names = SessionNames(SECRET)
    name = names.new(1, "alice")
    for place in range(len(name)):
        for letter in "0A-_.b":
            altered = name[:place] + letter + name[place + 1 :]
            assert altered == name or names.holder(altered, "alice") is None
    for altered in (
        name[:-1],
        name + "A",
        "0" + name[1:],
        "00" + name[1:],
        " " + name,
        name + "\n",
        name.upper(),
        "",
        "1",
        "é",
    ):
        assert names.holder(altered, "alice") is None
    assert SessionNames(secrets.token_bytes(32)).holder(name, "alice") is None, (
        "of another server, or an earlier start"
    )


def test_parts_of_two_names_are_no_name() -> None:
    names = SessionNames(SECRET)
    one, other = (names.new(0, "alice").split(".") for _ in range(2))
    assert names.holder(".".join([one[0], one[1], other[2]]), "alice") is None


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_what_is_kept_of_a_session_is_what_still_has_an_effect() -> None:
    table = SessionTable()
    table.opened("0.a", SessionState("alice", opener=b"initialize"))
    table.kept("0.a", "watch x", b"first")
    table.kept("0.a", "level", b"debug")
    table.kept("0.a", "watch x", None)
    table.kept("0.a", "level", b"error")
    table.kept("0.b", "level", b"of no session")
    found = table.find("0.a")
    assert found is not None
    assert found.kept == {"level": b"error"}
    assert table.find("0.b") is None
    for number in range(2 * LASTING):
        table.kept("0.a", f"watch {number}", b"x")
    found = table.find("0.a")
    assert found is not None
    assert len(found.kept) == LASTING


def test_an_ended_session_is_none_and_one_nobody_comes_back_for_is_forgotten() -> None:
    clock = Clock()
    table = SessionTable(clock)
    for name in ("0.a", "0.b", "1.c"):
        table.opened(name, SessionState("alice"))
    table.ended("0.a")
    assert table.find("0.a") is None
    table.left(0)
    clock.now = IDLE_SECONDS + 1
    table.forget()
    assert table.find("0.b") is None
    assert table.find("1.c") is not None, "its worker lives"
    table.left(1)
    assert table.find("1.c") is not None, "somebody came back"
    clock.now *= 3
    table.forget()
    assert table.find("1.c") is not None


def test_sessions_do_not_fill_the_memory() -> None:
    table = SessionTable()
    for number in range(MOST + 5):
        table.opened(f"0.{number}", SessionState("alice"))
    assert len(table) == MOST
    assert table.find("0.0") is None
