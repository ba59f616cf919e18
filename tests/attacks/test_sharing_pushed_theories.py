"""Saved theories that are pushed to a server, or read through to one: what is here never changes, and a cut leaves nothing half done.

Bob pushes tools and theories to Alice's server, whose home trusts him.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from kleis.prover.process.broker import Broker
from kleis.sessions.files.session_storage import DirectoryStorage
from registry.access.required_scopes import scope_of_tool
from registry.errors import RegistryError
from registry.sharing.keys import KeyFile
from registry.sharing.ledger import LedgerFile
from registry.sharing.manifest import encoded, object_hash, signed
from registry.sharing.publication import Content, rooted
from registry.sharing.push import Pusher
from registry.sharing.theories import TheoryRow, text_object
from registry.sharing.theory_pull import Shelf
from registry.sharing.upstream import Upstream
from tests.support.files.publications import SQUARE, TWICE, Peer
from tests.support.files.shared_servers import Line, Lying, Shared, pushed

TEXTS = {
    "pairs": "structure Pair(G) { operation joined : G × G → G }\n",
    "rings": 'import "pairs.kleis"\ndefine twice(n : ℤ) : ℤ = n + n\n',
}
MINE = "define mine(n : ℤ) : ℤ = n\n"


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    made = Broker(slots=1)
    yield made
    made.close()


class Scene:
    def __init__(self, folder: Path, broker: Broker) -> None:
        self.alice, self.bob = Peer(folder / "alice"), Peer(folder / "bob")
        self.alice.trusts(self.bob, "bob")
        self.bob.trusts(self.alice, "alice")
        self.shelves = {
            each.home.name: Shelf(
                DirectoryStorage(each.home / "sessions", each.home / "theories"),
                each.home / "theories",
                broker,
            )
            for each in (self.alice, self.bob)
        }
        self.save(self.alice, mine=MINE)
        self.save(self.bob, **TEXTS)
        self.server = Shared(self.alice, shelf=self.shelves["alice"])

    def save(self, peer: Peer, **texts: str) -> None:
        folder = peer.home / "theories"
        folder.mkdir(exist_ok=True)
        for name, text in texts.items():
            (folder / f"{name}.kleis").write_text(text)

    def here(self) -> dict[str, str]:
        return {each.stem: each.read_text() for each in (self.alice.home / "theories").glob("*.kleis")}

    def push(self, line: Line | None = None) -> dict[str, Any]:
        return pushed(self.bob, line or Line(self.server), theories=self.bob.home / "theories")

    def lie(self, rows: dict[str, TheoryRow], texts: dict[str, str]) -> dict[str, Any]:
        """Push theories with an index of one's own."""
        index = encoded(rows)
        objects = {object_hash(each): each for each in (index, *map(text_object, texts.values()))}
        try:
            pusher = Pusher(
                Line(self.server), Content({}, objects, {}, {}), self.bob.home, "bob", object_hash(index)
            )
            return pusher.push()
        except RegistryError as error:
            return {"type": "error", "error": error.as_json()}

    def upstream(self) -> Upstream:
        """Bob's server, which reads through to Alice's."""
        return Upstream(
            self.bob.workspace, self.bob.home, lambda: Line(self.server), shelf=lambda: self.shelves["bob"]
        )

    def close(self) -> None:
        self.alice.close()
        self.bob.close()


@pytest.fixture
def scene(tmp_path: Path, broker: Broker) -> Iterator[Scene]:
    made = Scene(tmp_path, broker)
    yield made
    made.close()


def row(text: str, *imports: str) -> TheoryRow:
    return TheoryRow(object_hash(text_object(text)), imports)


def test_theories_are_pushed_once_and_say_whose_they_are(scene: Scene) -> None:
    scene.bob.evolve("square", SQUARE)
    done = scene.push()
    assert (done["added"], done["theories"], done["refused"]) == (["square@1"], ["pairs", "rings"], [])
    assert scene.here() == {**TEXTS, "mine": MINE}
    origin = LedgerFile(scene.alice.home).read().theories["rings"]
    assert (origin.name, origin.key) == ("theirs/rings", scene.bob.key())
    again = scene.push()
    assert (again["sent"], again["theories"], again["added"]) == (1, [], [])  # the index alone
    assert [*(scene.alice.home / "sharing").glob("incoming/*")] == []


def test_what_says_something_else_here_stays_and_is_named(scene: Scene) -> None:
    scene.save(scene.alice, pairs="define other(n : ℤ) : ℤ = n\n")
    scene.save(scene.bob, alone=MINE)
    before = scene.here()
    done = scene.push()
    assert done["theories"] == ["alone"]
    assert [(each["root"], each["kind"]) for each in done["refused"]] == [
        ("pairs", "version_conflict"), ("rings", "version_conflict"),
    ]  # fmt: skip
    assert scene.here() == {**before, "alone": MINE}


def test_newer_texts_of_the_pusher_replace_its_own_and_older_ones_nothing(scene: Scene) -> None:
    scene.push()
    newer = TEXTS["rings"] + "define more(n : ℤ) : ℤ = n\n"
    scene.save(scene.bob, rings=newer)
    done = scene.push()
    assert (done["theories"], done["refused"]) == (["rings"], [])
    assert scene.here()["rings"] == newer
    scene.save(scene.bob, rings=TEXTS["rings"])
    assert scene.push()["theories"] == []
    assert scene.here()["rings"] == newer
    scene.save(scene.alice, rings=MINE)
    scene.save(scene.bob, rings=newer + "// newer\n")
    assert [each["root"] for each in scene.push()["refused"]] == ["rings"]
    assert scene.here()["rings"] == MINE


@pytest.mark.parametrize("late", [False, True])
def test_a_push_that_ends_at_any_message_leaves_theories_that_have_what_they_import(
    scene: Scene, late: bool
) -> None:
    scene.bob.evolve("square", SQUARE)
    for ends in range(20):
        done = scene.push(Line(scene.server, ends, late=late))
        here = scene.here()
        assert here["mine"] == MINE
        assert "rings" not in here or here["pairs"] == TEXTS["pairs"]
        if done["type"] == "pushed" and "ended" not in done:
            break
    assert ends > 3
    assert scene.push()["sent"] == 1
    assert scene.here() == {**TEXTS, "mine": MINE}


def _index_of(rows: dict[str, TheoryRow], **texts: str) -> Callable[[Scene], dict[str, Any]]:
    return lambda scene: scene.lie(rows, texts)


@pytest.mark.parametrize(
    "attack",
    [
        _index_of({"types": row(MINE)}, types=MINE),
        _index_of({"../up": row(MINE)}, up=MINE),
        _index_of({"Mine": row("define other() = 1\n")}, Mine="define other() = 1\n"),
        _index_of({"a": row('import "b.kleis"\n', "b"), "b": row('import "a.kleis"\n', "a")},
                  a='import "b.kleis"\n', b='import "a.kleis"\n'),
        _index_of({"a": row('import "mine.kleis"\n')}, a='import "mine.kleis"\n'),
        _index_of({"a": row('import "/etc/passwd.kleis"\n')}, a='import "/etc/passwd.kleis"\n'),
        _index_of({"a": row("define define")}, a="define define"),
        _index_of({"a": row(MINE, "mine")}, a=MINE),
    ],
    ids=["library", "path", "capitals", "loop", "only here", "file", "unreadable", "missing row"],
)  # fmt: skip
def test_what_a_pusher_signs_and_is_not_so_is_refused(
    scene: Scene, attack: Callable[[Scene], dict[str, Any]]
) -> None:
    done = attack(scene)
    assert done["type"] == "error" or done["refused"], done
    assert not done.get("theories")
    assert scene.here() == {"mine": MINE}


def test_an_older_push_brings_no_older_theories(scene: Scene) -> None:
    scene.push()
    manifest, file = rooted({}, scene.bob.home, "theirs", stream="push", theories="0" * 64)
    assert scene.server.answer("import", {"root": file.decode(), "theories": True})["type"] == "wanted"
    body = encoded(replace(manifest, sequence=1))
    older = signed(KeyFile(scene.bob.home).sign(body), body).decode()
    answer = scene.server.answer("import", {"root": older, "theories": True, "after": ""})
    assert "older" in answer["error"]["message"]


def test_who_may_not_save_theories_may_not_push_them(scene: Scene) -> None:
    assert scope_of_tool("pif", "import", {"root": "x", "theories": True, "after": ""}) == "theory"
    assert scope_of_tool("pif", "import", {"root": "x", "after": ""}) == "evolve"
    server = Shared(scene.alice)
    done = pushed(scene.bob, Line(server), theories=scene.bob.home / "theories")
    assert "takes no saved theories" in done["error"]["message"]


def test_a_server_that_takes_theories_without_end_is_left(scene: Scene) -> None:
    def upset(tool: str, arguments: dict[str, Any], honest: dict[str, Any]) -> dict[str, Any]:
        endless = arguments.get("theories") and "after" in arguments
        return {"type": "taken", "after": "a", "left": 5} if endless else honest

    assert "no end" in scene.push(Lying(scene.server, upset))["error"]["message"]


def test_a_theory_that_is_imported_and_not_here_is_read_through(scene: Scene) -> None:
    scene.save(scene.alice, **TEXTS)
    (scene.bob.home / "theories" / "rings.kleis").unlink()
    (scene.bob.home / "theories" / "pairs.kleis").write_text(TEXTS["pairs"])
    upstream = scene.upstream()
    upstream.fetch_theories(["rings", "types", "../up", "team/x/y", "nowhere"])
    there = {each.stem for each in (scene.bob.home / "theories").glob("*.kleis")}
    assert there == {"pairs", "rings"}
    asked = len(scene.server.asked)
    upstream.fetch_theories(["nowhere"])
    assert len(scene.server.asked) == asked


def test_nothing_here_is_replaced_by_reading_through(scene: Scene) -> None:
    scene.save(scene.alice, more='import "pairs.kleis"\n', pairs=MINE)
    scene.upstream().fetch_theories(["more"])
    assert (scene.bob.home / "theories" / "pairs.kleis").read_text() == TEXTS["pairs"]
    assert not (scene.bob.home / "theories" / "more.kleis").exists()


def test_nothing_that_was_read_through_is_replaced_by_a_newer_text(scene: Scene) -> None:
    scene.save(scene.alice, more=MINE)
    scene.upstream().fetch_theories(["more"])
    scene.save(scene.alice, more=MINE + "// newer\n")
    scene.upstream().fetch_theories(["more"])
    assert (scene.bob.home / "theories" / "more.kleis").read_text() == MINE


def test_tools_that_came_before_theories_ended_are_told(scene: Scene) -> None:
    scene.bob.evolve("twice", TWICE)
    done = scene.push(Line(scene.server, 6))
    assert done["added"] == ["twice@1"]
    assert done["ended"]["message"] == "the connection ended"
