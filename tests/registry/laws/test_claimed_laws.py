"""Laws that are claimed: those of a home with certificates of an older format, and what `certificate renew` makes of them.

`home_of_format_1.sql` is the dump of the store of a home as the program before format 2 left it: two tools, three versions,
five proved laws.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kleis.prover.checker.format import VERSION
from registry.records import CERTIFICATE_FORMAT, certificate_hash, read_laws
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.workspace.requests import Evolve, List
from registry.workspace.workspace import Workspace

Json = Any
LAW = "∀(x : ℤ). squared(x) ≥ 0"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home whose certificates are of format 1."""
    made = tmp_path / "home"
    made.mkdir(mode=0o700)
    with sqlite3.connect(made / "tools.sqlite") as connection:
        connection.executescript((Path(__file__).parent / "home_of_format_1.sql").read_text())
    connection.close()
    return made


@pytest.fixture
def workspace(home: Path) -> Iterator[Workspace]:
    """The same home under the present program."""
    made = Workspace(SqliteStore(home))
    yield made
    made.close()


def statuses(workspace: Workspace, reference: str) -> list[str]:
    shown: Json = workspace.show(reference)
    return [law["status"] for law in shown["laws"]]


def test_laws_of_an_older_format_are_claimed_and_say_so(workspace: Workspace) -> None:
    for reference, laws in (("squared", 2), ("squared@1", 2), ("inverse", 1)):
        assert statuses(workspace, reference) == ["claimed"] * laws
    listed: Json = workspace.list(List())
    assert {law["status"] for tool in listed["tools"] for law in tool["laws"]} == {"claimed"}
    assert "format 1" in listed["tools"][0]["laws"][0]["reason"]
    checked: Json = workspace.check_laws("squared@2")
    assert not checked["ok"]
    assert "this is a certificate of format 1" in checked["laws"][0]["findings"][0]["detail"]
    assert workspace.store.check() == ()


def test_the_format_is_that_of_the_checker() -> None:
    assert CERTIFICATE_FORMAT == VERSION


def test_a_renewed_law_is_proved_by_a_certificate_of_its_own(workspace: Workspace) -> None:
    old = {law.certificate for law in read_laws(workspace.record("inverse").laws)}
    renewed: Json = workspace.renew_laws(["inverse"])
    assert (renewed["ok"], [each["status"] for each in renewed["laws"]]) == (True, ["proved"])
    (law,) = read_laws(workspace.record("inverse").laws)
    assert law.status == "proved"
    assert law.labels == ("where the tools have values",)
    assert law.certificate not in old
    text = workspace.store.certificate(law.certificate)
    assert text is not None
    assert certificate_hash(text) == law.certificate
    assert workspace.check_laws("inverse")["ok"]
    assert statuses(workspace, "squared") == ["claimed", "claimed"]
    assert workspace.store.check() == ()


def test_all_are_renewed_versions_that_are_not_current_too(workspace: Workspace) -> None:
    renewed: Json = workspace.renew_laws([], jobs=2)
    assert renewed["ok"]
    assert [each["tool"] for each in renewed["laws"]] == [
        "inverse@1", "squared@2", "squared@2", "squared@1", "squared@1"]  # fmt: skip
    for reference in ("squared", "squared@1", "inverse"):
        assert set(statuses(workspace, reference)) == {"proved"}
        assert workspace.check_laws(reference)["ok"]
    assert workspace.record("squared").version == 2
    assert workspace.store.check() == ()
    again: Json = workspace.renew_laws([])
    assert again == {"type": "renewed", "ok": True, "laws": []}


def test_evolving_the_same_code_again_proves_what_is_claimed(workspace: Workspace) -> None:
    code = json.loads(workspace.record("inverse").code)
    made: Json = workspace.evolve(Evolve("inverse", "A hundredth", code))
    assert (made["outcome"], made["version"]) == ("laws", 1)
    assert [(law["status"], law["was"]) for law in made["laws"]] == [("proved", "claimed")]
    assert statuses(workspace, "inverse") == ["proved"]


def test_nothing_is_lost_by_export_history_or_backup(
    workspace: Workspace, home: Path, tmp_path: Path
) -> None:
    with sqlite3.connect(home / "tools.sqlite") as connection:
        before = dict(connection.execute("SELECT hash, certificate FROM certificates"))
    connection.close()
    assert workspace.export(tmp_path / "out")["versions"] == 3
    written = {path.stem: path.read_text() for path in (tmp_path / "out" / "certificates").iterdir()}
    assert written == before
    assert len(workspace.history("squared")["events"]) == 2
    assert workspace.backup(tmp_path / "copy.sqlite")["type"] == "backup"
    workspace.renew_laws([])
    for hash_, text in before.items():
        assert workspace.store.certificate(hash_) == text


def test_an_older_export_is_proved_anew_where_nothing_is_trusted(
    workspace: Workspace, tmp_path: Path
) -> None:
    workspace.export(tmp_path / "out")
    other = Workspace(SqliteStore(tmp_path / "other"))
    try:
        imported: Json = other.import_(tmp_path / "out", trust_nothing=True)
        assert [(each["tool"], each["status"]) for each in imported["laws"]] == [
            ("inverse@1", "proved"), ("squared@2", "proved"), ("squared@2", "proved"),
            ("squared@1", "proved"), ("squared@1", "proved"),
        ]  # fmt: skip
        assert other.check_laws("squared")["ok"]
    finally:
        other.close()


def test_laws_that_change_meanwhile_are_left_alone(workspace: Workspace, tmp_path: Path) -> None:
    """The store keeps laws only in place of those that were read."""
    record = workspace.record("squared")
    workspace.evolve(Evolve("squared", "The square", json.loads(record.code), drop_laws=["safe(squared)"]))
    assert workspace.store.keep_laws(record, "[]") is False
    assert len(read_laws(workspace.record("squared").laws)) == 1
    now = workspace.record("squared")
    assert workspace.store.keep_laws(now, "[]") is True
    assert workspace.record("squared").laws == "[]"
    workspace.forget("squared")
    assert workspace.store.keep_laws(now, "[]") is False


def test_tools_of_the_library_are_not_renewed(workspace: Workspace) -> None:
    assert "standard library" in workspace.renew_laws(["std.gcd"])["error"]["message"]
    assert workspace.renew_laws(["nothing"])["error"]["kind"] == "unknown_tool"


def test_an_older_export_stays_claimed_where_it_is_only_checked(workspace: Workspace, tmp_path: Path) -> None:
    workspace.export(tmp_path / "out")
    other = Workspace(SqliteStore(tmp_path / "other"))
    try:
        imported: Json = other.import_(tmp_path / "out")
        assert {each["status"] for each in imported["laws"]} == {"claimed"}
        assert all("format 1" in each["reason"] for each in imported["laws"])
    finally:
        other.close()


def test_no_time_leaves_laws_claimed(workspace: Workspace) -> None:
    from kleis.prover.process.deadline import Deadline

    renewed: Json = workspace.renew_laws(["squared"], deadline=Deadline(0.0))
    assert not renewed["ok"]
    assert statuses(workspace, "squared") == ["claimed", "claimed"]
