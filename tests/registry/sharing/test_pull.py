"""Publications and what is taken in of them: the same bytes, the same meaning, only what is new, and where it came from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from registry.errors import RegistryError
from registry.sharing.ledger import LedgerFile
from registry.sharing.manifest import MANIFEST
from registry.sharing.sources import DirectorySource
from tests.support.files.publications import Peer, calling

SQUARE = {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}
TWICE = {"lam": "x", "body": {"add": [{"var": "x"}, {"var": "x"}]}}


class Counting(DirectorySource):
    """A publication that counts what it is asked for."""

    asked = 0

    def object(self, hash_: str, limit: int) -> bytes:
        self.asked += 1
        return super().object(hash_, limit)


@pytest.fixture
def peers(tmp_path: Path) -> Iterator[list[Peer]]:
    made = [Peer(tmp_path / name) for name in ("alice", "bob", "carol")]
    made[0].evolve("square", SQUARE, examples=[{"input": 3, "output": 9}], laws=["∀(n : ℤ). square(n) ≥ 0"])
    made[0].evolve("fourth", calling("square", {"app": ["square", {"var": "x"}]}))
    yield made
    for each in made:
        each.close()


def test_a_tool_comes_with_what_it_calls_its_laws_and_where_it_is_from(
    peers: list[Peer], tmp_path: Path
) -> None:
    alice, bob, _ = peers
    alice.publish(tmp_path / "out")
    bob.trusts(alice)

    answer = bob.pull(tmp_path / "out", "ops/fourth")

    assert answer["added"] == ["fourth@1", "square@1"]
    assert [(law["tool"], law["status"]) for law in answer["laws"]] == [("square@1", "proved")]
    assert bob.tools() == alice.tools()
    hash_ = bob.tools()["square@1"]
    origin = LedgerFile(bob.home).origin("square@1", hash_)
    assert origin is not None
    assert (origin.name, origin.key) == ("ops/square@1", alice.key())
    assert LedgerFile(bob.home).origin("square@1", "pif1:other") is None


def test_the_same_tools_and_key_give_the_same_bytes_and_the_same_number(
    peers: list[Peer], tmp_path: Path
) -> None:
    alice = peers[0]
    first = alice.publish(tmp_path / "one", clock=lambda: 1_000.0)
    again = alice.publish(tmp_path / "two", clock=lambda: 2_000.0)

    assert first == again
    files = [
        {each.relative_to(root): each.read_bytes() for each in root.rglob("*") if each.is_file()}
        for root in (tmp_path / "one", tmp_path / "two")
    ]
    assert files[0] == files[1]
    alice.evolve("square", TWICE, drop_laws=["∀(n : ℤ). square(n) ≥ 0"], force=True)
    assert alice.publish(tmp_path / "one").sequence == 2


def test_work_is_proportional_to_what_is_new(peers: list[Peer], tmp_path: Path) -> None:
    alice, bob, _ = peers
    for number in range(60):
        alice.evolve(f"tool{number}", {"lam": "x", "body": number})
    alice.publish(tmp_path / "out")
    bob.trusts(alice)
    whole = Counting(tmp_path / "out")
    assert len(bob.puller(whole).all()["added"]) == 62
    alice.evolve("fresh", {"lam": "x", "body": "fresh"})
    alice.publish(tmp_path / "out")

    little = Counting(tmp_path / "out")
    answer = bob.puller(little).all()

    assert answer["added"] == ["fresh@1"]
    assert little.asked == 2
    assert whole.asked > 100
    nothing = Counting(tmp_path / "out")
    assert bob.puller(nothing).all()["looked_at"] == nothing.asked == 0
    for each in (whole, little, nothing):
        each.close()


def test_three_registries_in_a_row_keep_the_meaning(peers: list[Peer], tmp_path: Path) -> None:
    alice, bob, carol = peers
    alice.publish(tmp_path / "of alice")
    bob.trusts(alice)
    bob.pull(tmp_path / "of alice", "fourth")
    bob.evolve("eighth", calling("square", {"app": ["fourth", {"var": "x"}]}))
    bob.publish(tmp_path / "of bob")
    carol.trusts(bob)

    assert carol.pull(tmp_path / "of bob", "eighth")["added"] == ["eighth@1", "fourth@1", "square@1"]
    assert carol.tools() == bob.tools()


def test_a_new_version_of_the_publisher_replaces_its_own_and_only_that(
    peers: list[Peer], tmp_path: Path
) -> None:
    alice, bob, carol = peers
    bob.trusts(alice)
    carol.trusts(alice)
    alice.publish(tmp_path / "out")
    bob.pull(tmp_path / "out", "square")
    carol.evolve("square", {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}})
    alice.evolve("square", TWICE, drop_laws=["∀(n : ℤ). square(n) ≥ 0"], force=True)
    alice.publish(tmp_path / "out")

    assert bob.pull(tmp_path / "out", "square")["added"] == ["square@2"]
    assert bob.tools()["square"] == "2"
    refused = carol.pull(tmp_path / "out", "square")
    assert refused["error"]["kind"] == "version_conflict"
    assert carol.tools()["square"] == "1"
    assert carol.pull(tmp_path / "out", "square@1")["added"] == []


def test_a_tool_under_another_name_is_the_same_tool(peers: list[Peer], tmp_path: Path) -> None:
    alice, bob, _ = peers
    bob.trusts(alice)
    alice.publish(tmp_path / "out")
    bob.evolve("fourth", TWICE)

    assert bob.pull(tmp_path / "out", "fourth")["error"]["kind"] == "version_conflict"
    answer = bob.pull(tmp_path / "out", "fourth", "power4")
    assert (answer["tool"], answer["added"]) == ("power4@1", ["power4@1", "square@1"])
    assert bob.pull(tmp_path / "out", "fourth", "power4")["added"] == []
    assert bob.tools()["power4@1"] == alice.tools()["fourth@1"]


def test_tools_that_call_each_other_come_together(tmp_path: Path) -> None:
    alice, bob = Peer(tmp_path / "a"), Peer(tmp_path / "b")
    less = {"sub": [{"var": "n"}, 1]}
    for name, other, end in (("even", "odd", True), ("odd", "even", False)):
        branch = {"cond": {"eq": [{"var": "n"}, 0]}, "then": end, "else": {"app": [other, less]}}
        alice.evolve(name, {"lam": "n", "body": {"if": branch}})
    bob.trusts(alice)
    alice.publish(tmp_path / "out")

    assert bob.pull(tmp_path / "out", "even")["added"] == ["even@1", "odd@1"]
    assert bob.pull(tmp_path / "out", "even", "is_even")["error"]["path"] == "/as"
    alice.close()
    bob.close()


def test_a_directory_with_something_else_is_left_alone(peers: list[Peer], tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(Exception, match="something else"):
        peers[0].publish(tmp_path / "mine")
    assert not (tmp_path / "mine" / MANIFEST).exists()


def test_a_store_that_does_not_answer_is_no_reason_to_leave_a_tool_out(
    peers: list[Peer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice = peers[0]

    def away(hash_: str) -> str | None:
        raise RegistryError("store_error", f"no answer about {hash_}")

    monkeypatch.setattr(alice.workspace.store, "certificate", away)
    with pytest.raises(RegistryError, match="no answer"):
        alice.publish(tmp_path / "out")
    assert not (tmp_path / "out").exists()
