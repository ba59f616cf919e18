"""Registries that share over running servers, each a process of its own: pulled from, pushed to, both ways, and by principals."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kleis.prover.process.broker import Broker
from kleis.sessions.files.session_storage import DirectoryStorage
from registry.errors import RegistryError
from registry.laws.imported import settled
from registry.laws.law_prover import LawProver
from registry.records import KeptLaw, read_laws
from registry.sharing.keys import KeyFile, TrustFile
from registry.sharing.ledger import LedgerFile
from registry.sharing.places import opened, server_at
from registry.sharing.pull import Puller
from registry.sharing.theory_pull import Shelf, offered_theories, pull_theory
from tests.support.databases import new_schema
from tests.support.files.publications import Peer, calling
from tests.support.files.shared_servers import pusher_of
from tests.support.servers.http_server import Served, serving
from tests.support.servers.principals import Caller, token

SQUARE = {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}
LAW = "∀(n : ℤ). square(n) ≥ 0"


def pulled(peer: Peer, server: Served, secret: str = "", name: str = "") -> dict[str, Any]:
    source = opened(server.url, secret)
    try:
        puller = Puller(peer.workspace, peer.home, source)
        return puller.one(name) if name else puller.all()
    finally:
        source.close()


def pushed(
    peer: Peer, server: Served, *names: str, secret: str = "", theories: Path | None = None
) -> dict[str, Any]:
    peer.key()
    with server_at(server.url, secret) as wire:
        return pusher_of(peer, wire, names, "theirs", theories).push()


def pushed_whole(peer: Peer, server: Served) -> None:
    """Push until all was taken: a server that has no room or no time says so, and what was done is not done again."""
    for _ in range(20):
        try:
            done = pushed(peer, server)
        except RegistryError as error:
            assert error.kind in ("too_busy", "store_error")
            continue
        if "ended" not in done:
            assert done["refused"] == []
            return
    pytest.fail("nothing came to an end in twenty pushes")


def _law(peer: Peer, reference: str) -> KeptLaw:
    """The one law of a version, with the certificate that it came with."""
    (law,) = read_laws(peer.workspace.record(reference).laws)
    assert peer.workspace.store.certificate(law.certificate)
    return law


def test_three_servers_and_what_goes_from_one_to_the_next(tmp_path: Path) -> None:
    alice, bob, carol = (Peer(tmp_path / name) for name in ("alice", "bob", "carol"))
    alice.evolve("square", SQUARE, examples=[{"input": 3, "output": 9}], laws=[LAW])
    alice.evolve("fourth", calling("square", {"app": ["square", {"var": "x"}]}))
    bob.trusts(alice)
    carol.trusts(bob)
    bob.trusts(carol, "carol")
    with (
        serving(alice.home, share="ops") as first,
        serving(bob.home, share="ops") as second,
        serving(carol.home, share="ops") as third,
    ):
        answer = pulled(bob, first, name="fourth")
        assert answer["added"] == ["fourth@1", "square@1"]
        assert [(each["tool"], each["status"]) for each in answer["laws"]] == [("square@1", "proved")]
        bob.evolve("eighth", calling("square", {"app": ["fourth", {"var": "x"}]}))

        assert pulled(carol, second, name="eighth")["added"] == ["eighth@1", "fourth@1", "square@1"]
        assert Caller(third, "").call("run", tool="eighth", input=2)["value"] == 256
        assert carol.tools() == bob.tools()

        carol.evolve("ninth", calling("eighth"))
        carol.evolve("tenth", {"lam": "x", "body": 10}, laws=["∀(n : ℤ). tenth(n) = 10"])
        pushed_whole(carol, second)
        assert {each: bob.tools()[each] for each in ("ninth@1", "tenth@1")} == {
            each: carol.tools()[each] for each in ("ninth@1", "tenth@1")
        }
        # A server's clock bounds what it checks in one call. What that left open is claimed, and its certificate shows it.
        if _law(bob, "tenth@1").status == "claimed":
            with LawProver() as prover:
                settled(["tenth@1"], bob.workspace.tools(), bob.workspace.store, lambda: prover)
        assert _law(bob, "tenth@1").status == "proved"
        assert pushed(carol, second)["added"] == []
        assert Caller(second, "").call("run", tool="ninth", input=2)["value"] == 256
        origin = LedgerFile(bob.home).origin("ninth@1", bob.tools()["ninth@1"])
        assert origin is not None
        assert (origin.name, origin.key, origin.source) == ("theirs/ninth@1", carol.key(), "a push by owner")
        told = Caller(second, "").call("analyze", code="ninth", aspects=["facts"])["origin"]
        assert told == origin.as_json()
        (read,) = Caller(second, "").ask("resources/read", {"uri": "pif://tools/ninth"}, "pif://tools/ninth")[
            "contents"
        ]
        assert origin.key in read["text"]
        assert "origin" not in Caller(second, "").call("analyze", code="eighth", aspects=["facts"])
        assert pulled(bob, first)["added"] == []
    for each in (alice, bob, carol):
        each.close()


def test_principals_share_what_is_theirs_as_far_as_their_tokens_go(tmp_path: Path) -> None:
    owner, sender = Peer(tmp_path / "owner"), Peer(tmp_path / "sender")
    owner.evolve("square", SQUARE)
    sender.evolve("mine", {"lam": "x", "body": "mine"})
    before = owner.tools()
    reading = token(owner.home, "ann", frozenset({"read"}))
    writing = token(owner.home, "ann", frozenset({"read", "run", "evolve"}))
    with serving(owner.home, share="ops", quotas=("stored-mb=1",)) as server:
        with pytest.raises(RegistryError, match="let this caller in"):
            pushed(sender, server)
        with pytest.raises(RegistryError, match="let this caller in"):
            pushed(sender, server, secret=reading)
        with pytest.raises(RegistryError, match="refuses") as caught:
            pushed(sender, server, secret=writing)
        assert "not trusted" in (caught.value.found or "")
        owner.trusts(sender, "sender")
        assert pushed(sender, server, secret=writing)["added"] == ["mine@1"]
        assert Caller(server, writing).call("run", tool="mine", input=1)["value"] == "mine"
        assert owner.tools() == before

        assert Caller(server, writing).call("evolve", name="hers", code=7, description="")["type"] == "tool"
        with pytest.raises(RegistryError, match="not trusted"):
            pulled(sender, server, reading)
        sender.trusts_key(KeyFile(owner.home / "principals" / "ann").public(), "ann")
        assert pulled(sender, server, reading)["added"] == ["hers@1"]

        (owner.home / "principals" / "ann" / "large").write_bytes(b"x" * 2**20)
        full = Caller(server, writing).call("evolve", name="more", code=7, description="")
        assert full["error"]["quota"] == "stored-mb"
        assert pulled(sender, server, writing)["refused"] == []  # to give is no writing
    for each in (owner, sender):
        each.close()


def test_saved_theories_are_pulled_from_a_server(tmp_path: Path) -> None:
    alice, bob = Peer(tmp_path / "alice"), Peer(tmp_path / "bob")
    theories = alice.home / "theories"
    theories.mkdir()
    texts = {
        "twice": "define twice(n : ℤ) : ℤ = n + n\n", "more": 'import "twice.kleis"\n',
        "mine": 'import "/etc/mine.kleis"\n', "uses": 'import "mine.kleis"\n', "broken": "define define",
        "round": 'import "round.kleis"\n',
    }  # fmt: skip
    for name, text in texts.items():
        (theories / f"{name}.kleis").write_text(text)
    (tmp_path / "secret.kleis").write_text(texts["twice"])
    (theories / "linked.kleis").symlink_to(tmp_path / "secret.kleis")
    bob.trusts(alice)
    storage = DirectoryStorage(bob.home / "sessions", bob.home / "theories")
    broker = Broker(slots=1)
    shelf = Shelf(storage, bob.home / "theories", broker)
    with serving(alice.home, share="ops") as server:

        def puller() -> Puller:
            return Puller(bob.workspace, bob.home, source)

        source = opened(server.url, "")
        assert list(offered_theories(puller())) == ["more", "twice"]
        done = pull_theory(puller(), "more", shelf)
        assert done["theories"] == ["twice", "more"]
        assert (bob.home / "theories" / "more.kleis").read_text() == texts["more"]
        number = puller().manifest.sequence
        assert puller().manifest.sequence == number
        (theories / "twice.kleis").write_text("define twice(n : ℤ) : ℤ = n\n")
        assert puller().manifest.sequence == number + 1
        assert pull_theory(puller(), "more", shelf)["theories"] == ["twice"]
        (bob.home / "theories" / "twice.kleis").write_text("define twice(n : ℤ) : ℤ = n - n\n")
        answer = pull_theory(puller(), "more", shelf)
        assert answer["error"]["kind"] == "version_conflict"
        source.close()
    broker.close()
    for each in (alice, bob):
        each.close()


@pytest.mark.parametrize("place", ["home", "database"])
def test_several_processes_share_as_one(place: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Two workers, over a home or a database: whichever answers, roots are the same, and a push goes on."""
    store = request.getfixturevalue("schema") if place == "database" else ""
    sender, reader = Peer(tmp_path / "sender"), Peer(tmp_path / "reader")
    sender.evolve("square", SQUARE)
    sender.evolve("fourth", calling("square", {"app": ["square", {"var": "x"}]}))
    theories = sender.home / "theories"
    theories.mkdir()
    (theories / "twice.kleis").write_text("define twice(n : ℤ) : ℤ = n + n\n")
    team = tmp_path / "team"
    TrustFile(team).add(sender.key(), "sender")
    with serving(team, share="ops", workers=2, store=store) as server:

        def roots() -> set[bytes]:
            found = set()
            for _ in range(8):  # each by a connection of its own, which either may take
                source = opened(server.url, "")
                found.add(source.root())
                source.close()
            return found

        done = pushed(sender, server, theories=theories)
        assert (done["added"], done["theories"]) == (["fourth@1", "square@1"], ["twice"])
        assert pushed(sender, server, theories=theories)["added"] == []
        assert len(roots()) == 1
        reader.trusts_key(KeyFile(team).public(), "team")
        assert pulled(reader, server)["added"] == ["fourth@1", "square@1"]
        sender.evolve("later", 7)
        assert pushed(sender, server, theories=theories)["added"] == ["later@1"]
        assert len(roots()) == 1
        assert pulled(reader, server)["added"] == ["later@1"]
        server.process.send_signal(signal.SIGTERM)
        assert server.ended()[0] == 0
    for each in (sender, reader):
        each.close()


@pytest.fixture
def schema() -> Iterator[str]:
    with new_schema() as url:
        yield url


def test_a_server_that_shares_nothing_says_so(tmp_path: Path) -> None:
    peer = Peer(tmp_path / "peer")
    with serving(tmp_path / "silent", more=True) as server:
        with pytest.raises(RegistryError) as caught:
            pulled(peer, server)
        assert "shares no tools" in (caught.value.found or "")
        with pytest.raises(RegistryError):
            pushed(peer, server)
    peer.close()
