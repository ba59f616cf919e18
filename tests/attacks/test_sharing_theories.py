"""Publishers of saved theories that lie, and names that would give what is here another meaning.

Alice publishes theories and is trusted by Bob; a liar has her key. After each attack every theory in Bob's home says what it said.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from kleis.prover.process.broker import Broker
from kleis.sessions.files.errors import SessionError
from kleis.sessions.files.session_storage import DirectoryStorage
from registry.errors import RegistryError
from registry.sharing.keys import KeyFile, TrustFile
from registry.sharing.ledger import LedgerFile
from registry.sharing.manifest import (
    FORMAT,
    MANIFEST,
    Manifest,
    encoded,
    object_hash,
    read_manifest,
    signed,
)
from registry.sharing.places import opened
from registry.sharing.publication import Content, left_out, publish, rooted
from registry.sharing.pull import Puller
from registry.sharing.theories import (
    TEXT_LIMIT,
    TheoryRow,
    all_theories_of,
    index_hash,
    text_object,
    theories_of,
)
from registry.sharing.theory_pull import Shelf, new_theories, pull_theory
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.workspace.workspace import Workspace

GROUPS = "structure Pair(G) { operation joined : G × G → G }\n"
RINGS = 'import "pairs.kleis"\nimport "stdlib/types.kleis"\ndefine twice(n : ℤ) : ℤ = n + n\n'


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    made = Broker(slots=1)
    yield made
    made.close()


class Storage(DirectoryStorage):
    """Saved theories in a directory; `before` is called before each is written."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "sessions", folder / "theories")
        self.before: Callable[[str], None] = lambda name: None

    def save(self, name: str, body: bytes, *, overwrite: bool) -> Path:
        self.before(name)
        return super().save(name, body, overwrite=overwrite)

    def renew(self, name: str, body: bytes, before: bytes) -> bool:
        self.before(name)
        return super().renew(name, body, before)


class Scene:
    def __init__(self, folder: Path, broker: Broker) -> None:
        self.alice, self.bob, self.out = folder / "alice", folder / "bob", folder / "out"
        self.broker = broker
        self.keys = KeyFile(self.alice)
        self.key = self.keys.create()
        TrustFile(self.bob).add(self.key, "alice")
        self.workspace = Workspace(SqliteStore(self.bob))
        self.storage = Storage(self.bob)
        self.saved = self.bob / "theories"
        self.alices = self.alice / "theories"
        self.alices.mkdir()
        self.saved.mkdir()
        (self.saved / "mine.kleis").write_text("define mine(n : ℤ) : ℤ = n\n")
        (self.alices / "pairs.kleis").write_text(GROUPS)
        (self.alices / "rings.kleis").write_text(RINGS)
        self.publish()

    def publish(self) -> Manifest:
        given = all_theories_of(self.alices)
        manifest, file = rooted({}, self.alice, "ops", theories=index_hash(given.rows))
        publish(self.out, Content({}, given.objects, {}, {}), manifest, file, b"index")
        return manifest

    def pull(self, name: str = "rings", as_name: str | None = None) -> Any:
        source = opened(str(self.out))
        try:
            puller = Puller(self.workspace, self.bob, source)
            return pull_theory(puller, name, Shelf(self.storage, self.saved, self.broker), as_name)
        except RegistryError as error:
            return {"type": "error", "error": error.as_json()}
        finally:
            source.close()

    def new(self) -> list[str]:
        """What a pull of all theories would take in."""
        source = opened(str(self.out))
        puller = Puller(self.workspace, self.bob, source)
        found = new_theories(puller, Shelf(self.storage, self.saved, self.broker))
        source.close()
        return found

    def here(self) -> dict[str, str]:
        return {each.name: each.read_text() for each in self.saved.glob("*.kleis")}

    def refused(self, name: str = "rings", as_name: str | None = None) -> Any:
        """The error of a pull that must be refused and change nothing."""
        before = self.here()
        answer = self.pull(name, as_name)
        assert answer["type"] == "error", answer
        assert self.here() == before
        assert answer["error"]["hint"]
        return answer["error"]

    def lie(self, rows: Any) -> None:
        """Sign another index."""
        content = encoded(rows)
        hash_ = self.add(content)
        root = read_manifest((self.out / MANIFEST).read_bytes(), "")
        body = encoded(replace(root, sequence=root.sequence + 1, theories=hash_))
        (self.out / MANIFEST).write_bytes(signed(self.keys.sign(body), body))

    def add(self, content: bytes) -> str:
        hash_ = object_hash(content)
        (self.out / "objects" / f"{hash_}.json").write_bytes(content)
        return hash_

    def text(self, text: str, *imports: str) -> TheoryRow:
        """A row of any text."""
        return TheoryRow(self.add(text_object(text)), imports)


@pytest.fixture
def scene(tmp_path: Path, broker: Broker) -> Iterator[Scene]:
    made = Scene(tmp_path, broker)
    yield made
    made.workspace.close()


def test_a_theory_comes_with_what_it_imports_and_says_whose_it_is(scene: Scene) -> None:
    answer = scene.pull("ops/rings")
    assert answer["theories"] == ["pairs", "rings"]
    assert scene.here() == {
        "mine.kleis": scene.here()["mine.kleis"],
        "pairs.kleis": GROUPS,
        "rings.kleis": RINGS,
    }
    origin = LedgerFile(scene.bob).read().theories["rings"]
    assert (origin.name, origin.key, origin.hash) == ("ops/rings", scene.key, object_hash(text_object(RINGS)))
    assert scene.pull("rings")["theories"] == []
    assert scene.pull("rings")["fetched"] == 0


def test_the_same_theories_are_the_same_bytes(scene: Scene) -> None:
    before = {each.name: each.read_bytes() for each in scene.out.rglob("*") if each.is_file()}
    assert scene.publish().sequence == 1
    assert {each.name: each.read_bytes() for each in scene.out.rglob("*") if each.is_file()} == before


def test_a_text_with_another_hash_is_refused(scene: Scene) -> None:
    path = scene.out / "objects" / f"{object_hash(text_object(RINGS))}.json"
    path.write_bytes(path.read_bytes().replace(b"n + n", b"n - n"))
    assert "another hash" in scene.refused()["message"]


def test_a_text_in_another_spelling_is_refused(scene: Scene) -> None:
    """Else one text would have many hashes, and the one that is here would seem to say something else."""
    row = TheoryRow(scene.add(b'{ "text" : "define f(n : \\u2124) : \\u2124 = n" }'))
    scene.lie({"spelled": row})
    assert "another way" in scene.refused("spelled")["message"]


NAMES = (
    "../mine", "a/b", "/etc/passwd", ".hidden", "", "a\x00b", "m\u0456ne", "rings\u200b", "n" * 65, "a..b", "C:a", "rings.kleis",
    "RINGS.KLEIS", "-a\n",
)  # fmt: skip


def test_names_that_are_paths_or_look_like_others_are_refused(scene: Scene) -> None:
    for name in NAMES:
        scene.lie({"rings": scene.text(GROUPS), name: scene.text(GROUPS)})
        scene.refused("rings")
        scene.refused(name)
        scene.lie({"rings": TheoryRow(object_hash(text_object(RINGS)), (name,))})
        scene.refused("rings")


def test_names_of_the_library_are_refused(scene: Scene) -> None:
    """`import "types"` of a theory that is here means the library's."""
    for name in ("types", "Types", "prelude", "stdlib", "std"):
        scene.lie({name: scene.text(GROUPS), "rings": scene.text(GROUPS)})
        assert "no name of the library" in scene.refused(name)["message"]
        assert "no name of the library" in scene.refused("rings", as_name=name)["message"]


def test_names_that_differ_in_capitals_only_are_refused(scene: Scene) -> None:
    scene.lie({"Mine": scene.text(GROUPS)})
    assert scene.refused("Mine")["kind"] == "version_conflict"
    scene.lie({"a": scene.text(GROUPS), "A": scene.text(GROUPS)})
    assert "capitals" in scene.refused("a")["message"]


PATHS = (
    "/etc/passwd.kleis", "../mine.kleis", "./mine.kleis", "team/ops/groups", "stdlib/../../mine.kleis", "stdlib//types.kleis",
    "types.kleis", "../stdlib/types.kleis",
)  # fmt: skip


def test_a_text_that_imports_a_file_is_refused(scene: Scene) -> None:
    for path in PATHS:
        scene.lie({"rings": scene.text(f'import "{path}"\n')})
        assert "library and theories beside it only" in scene.refused()["message"]
        (scene.alices / "bad.kleis").write_text(f'import "{path}"\n')
        with pytest.raises(RegistryError) as found:
            theories_of(scene.alices, ["bad"])
        assert found.value.kind == "not_allowed"


def test_a_text_that_imports_what_is_only_here_is_refused(scene: Scene) -> None:
    """`mine` is Bob's, whatever it says; the row does not tell of it, or tells of what does not come along."""
    text = 'import "mine"\ndefine g(n : ℤ) : ℤ = mine(n)\n'
    scene.lie({"rings": scene.text(text)})
    assert "other imports" in scene.refused()["message"]
    scene.lie({"rings": scene.text(text, "mine")})
    assert "does not come along" in scene.refused()["message"]


def test_loops_are_refused(scene: Scene) -> None:
    scene.lie({"a": scene.text('import "b"\n', "b"), "b": scene.text('import "a"\n', "a")})
    assert "loop" in scene.refused("a")["message"]
    scene.lie({"a": scene.text('import "a"\n', "a")})
    assert "loop" in scene.refused("a")["message"]
    (scene.alices / "pairs.kleis").write_text('import "rings"\n')
    with pytest.raises(RegistryError, match="loop"):
        theories_of(scene.alices, ["rings"])


def test_a_theory_that_cannot_be_shared_keeps_none_back_but_those_that_import_it(scene: Scene) -> None:
    """Each is named with what is amiss, and none of them is in what is written."""
    texts = {
        "path": 'import "/etc/passwd.kleis"\n', "team": 'import "team/ops/groups"\n', "types": GROUPS, "b\u00e4d": GROUPS,
        "broken": "define define", "gone": 'import "nowhere"\n', "a": 'import "b"\n', "b": 'import "a"\n', "on": 'import "path"\n',
        "Rings": GROUPS, "long": "// " + "x" * TEXT_LIMIT,
    }  # fmt: skip
    for name, text in texts.items():
        (scene.alices / f"{name}.kleis").write_text(text)
    (scene.alices / "link.kleis").symlink_to("/etc/passwd")
    (scene.alices / "latin.kleis").write_bytes(b"// \xff")
    given = all_theories_of(scene.alices)
    assert sorted(given.rows) == ["Rings", "pairs"]
    assert {*given.left} == {*texts, "link", "latin", "rings"} - {"Rings"}
    assert [each["root"] for each in left_out(given.left) if "\\" in each["root"]] == ["b\\xe4d"]
    assert all(each["message"] and each["hint"] for each in left_out(given.left))
    assert {*given.objects} == {index_hash(given.rows), *(row.object for row in given.rows.values())}
    scene.publish()
    assert scene.pull("pairs")["theories"] == ["pairs"]


def test_huge_texts_and_many_are_refused(scene: Scene) -> None:
    scene.lie({"huge": scene.text("// " + "x" * TEXT_LIMIT)})
    assert "too long" in scene.refused("huge")["message"]
    chain = {f"t{n}": scene.text("", *([f"t{n + 1}"] if n < 300 else [])) for n in range(301)}
    scene.lie(chain)
    assert "too many" in scene.refused("t0")["message"]


def test_texts_that_cannot_be_read_or_elaborated_are_refused(scene: Scene) -> None:
    scene.lie(
        {
            "bad": scene.text("structure structure {"),
            "worse": scene.text("define f(n : ℤ) : ℤ = nowhere(n)\n"),
        }
    )
    assert "cannot be read" in scene.refused("bad")["message"]
    assert "cannot be read" in scene.refused("worse")["message"]
    scene.lie({"deep": scene.text("define f(n : ℤ) : ℤ = " + "(" * 20_000)})
    scene.refused("deep")


def test_a_theory_that_says_something_else_here_stays(scene: Scene) -> None:
    (scene.saved / "rings.kleis").write_text("define twice(n : ℤ) : ℤ = n\n")
    error = scene.refused()
    assert (error["kind"], "says something else here" in error["message"]) == ("version_conflict", True)

    assert scene.pull("rings", as_name="theirs")["theories"] == ["pairs", "theirs"]
    assert scene.here()["theirs.kleis"] == RINGS
    assert LedgerFile(scene.bob).read().theories["theirs"].name == "ops/rings"


def test_an_imported_theory_that_says_something_else_here_refuses_all(scene: Scene) -> None:
    (scene.saved / "pairs.kleis").write_text(GROUPS.replace("joined", "split"))
    assert "'pairs'" in scene.refused()["message"]
    assert "'pairs'" in scene.refused(as_name="theirs")["message"]
    assert scene.refused(as_name="pairs")["kind"] == "version_conflict"


def test_a_link_in_the_place_of_a_theory_is_not_followed(scene: Scene, tmp_path: Path) -> None:
    (tmp_path / "secret.kleis").write_text(RINGS)
    (scene.saved / "rings.kleis").symlink_to(tmp_path / "secret.kleis")
    scene.refused()
    assert (scene.saved / "rings.kleis").is_symlink()


def test_an_older_publication_is_refused(scene: Scene) -> None:
    old = (scene.out / MANIFEST).read_bytes()
    (scene.alices / "more.kleis").write_text("define more(n : ℤ) : ℤ = n + 1\n")
    scene.publish()
    assert scene.pull("more")["theories"] == ["more"]
    (scene.out / MANIFEST).write_bytes(old)
    assert "older" in scene.refused()["message"]


def test_a_root_that_names_no_hash_is_refused(scene: Scene) -> None:
    root = Manifest(FORMAT, 1, "ops", scene.key, 9, "2030-01-01T00:00:00Z", {}, "", "../../etc/passwd")
    body = encoded(root)
    (scene.out / MANIFEST).write_bytes(signed(scene.keys.sign(body), body))
    assert "not spelled" in scene.refused()["message"]


def test_a_cut_leaves_theories_that_have_what_they_import(scene: Scene) -> None:
    def cut(name: str) -> None:
        if name == "rings":
            raise SessionError("no room", code="session-unwritable")

    scene.storage.before = cut
    assert scene.pull()["type"] == "error"
    assert sorted(scene.here()) == ["mine.kleis", "pairs.kleis"]
    scene.storage.before = lambda name: None
    assert scene.pull()["theories"] == ["rings"]


def test_a_kill_before_any_write_leaves_theories_that_have_what_they_import(scene: Scene) -> None:
    scene.publish()
    child = os.fork()
    if child == 0:
        scene.storage.before = lambda name: os.kill(os.getpid(), signal.SIGKILL) if name == "rings" else None
        source = opened(str(scene.out))
        puller = Puller(scene.workspace, scene.bob, source)
        scene.broker = Broker(slots=1)
        pull_theory(puller, "rings", Shelf(scene.storage, scene.saved, scene.broker))
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert sorted(scene.here()) == ["mine.kleis", "pairs.kleis"]
    assert not [each for each in scene.saved.iterdir() if each.name.startswith("rings")]
    assert scene.pull()["theories"] == ["rings"]


def test_a_theory_that_was_saved_meanwhile_stays(scene: Scene) -> None:
    mine = "define other(n : ℤ) : ℤ = n\n"

    def meanwhile(name: str) -> None:
        (scene.saved / f"{name}.kleis").write_text(mine)

    scene.storage.before = meanwhile
    assert scene.pull("pairs")["error"]["kind"] == "version_conflict"
    assert scene.here()["pairs.kleis"] == mine


NEWER = GROUPS + "define thrice(n : ℤ) : ℤ = n + n + n\n"


def changed(scene: Scene, **texts: str) -> None:
    """Other texts in Alice's home, published."""
    for name, text in texts.items():
        (scene.alices / f"{name}.kleis").write_text(text)
    scene.publish()


def test_a_newer_text_of_its_publisher_replaces_its_own(scene: Scene) -> None:
    scene.pull()
    for text in (NEWER, NEWER + NEWER.replace("thrice", "again").replace("Pair", "Twin")):
        changed(scene, pairs=text)
        assert scene.pull()["theories"] == ["pairs"]
        assert scene.here()["pairs.kleis"] == text
        assert LedgerFile(scene.bob).read().theories["pairs"].hash == object_hash(text_object(text))
    changed(scene, rings=RINGS + "define more(n : ℤ) : ℤ = n\n", pairs=NEWER + "// more\n")
    assert scene.pull()["theories"] == ["pairs", "rings"]


def test_a_newer_text_under_another_name_replaces_what_came_under_it(scene: Scene) -> None:
    scene.pull("pairs", as_name="theirs")
    changed(scene, pairs=NEWER)
    assert scene.pull("pairs", as_name="theirs")["theories"] == ["theirs"]
    changed(scene, other=NEWER + "// other\n")
    assert scene.refused("other", as_name="theirs")["kind"] == "version_conflict"


def test_what_was_changed_or_made_here_is_not_replaced_by_a_newer_text(scene: Scene) -> None:
    scene.pull()
    (scene.saved / "pairs.kleis").write_text(GROUPS + "// mine\n")
    changed(scene, pairs=NEWER)
    assert scene.refused()["kind"] == "version_conflict"
    assert scene.refused("pairs")["kind"] == "version_conflict"
    assert scene.new() == ["pairs"]
    (scene.saved / "pairs.kleis").write_text(GROUPS)
    assert scene.pull()["theories"] == ["pairs"]
    (scene.saved / "pairs.kleis").write_text(GROUPS)  # back to the older text, of one's own will
    assert (scene.new(), scene.refused("pairs")["kind"]) == ([], "version_conflict")
    (scene.saved / "alone.kleis").write_text(GROUPS)
    changed(scene, alone=GROUPS)
    assert scene.pull("alone")["theories"] == []
    changed(scene, alone=NEWER)
    assert scene.refused("alone")["kind"] == "version_conflict"


def test_a_newer_text_of_another_trusted_key_replaces_nothing(scene: Scene, tmp_path: Path) -> None:
    scene.pull()
    theirs = KeyFile(tmp_path / "mallory")
    key = theirs.create()
    TrustFile(scene.bob).add(key, "mallory")
    root = scene.publish()
    index = scene.add(encoded({"pairs": scene.text(NEWER)}))
    body = encoded(replace(root, sequence=99, key=key, theories=index, time="2999-01-01T00:00:00Z"))
    (scene.out / MANIFEST).write_bytes(signed(theirs.sign(body), body))
    assert scene.refused("pairs")["kind"] == "version_conflict"


def test_a_publisher_who_goes_back_to_an_older_text_takes_nobody_back(scene: Scene) -> None:
    scene.pull()
    changed(scene, pairs=NEWER)
    scene.pull()
    changed(scene, pairs=GROUPS)
    assert scene.refused("pairs")["kind"] == "version_conflict"


def test_an_older_root_of_another_stream_takes_nobody_back(scene: Scene) -> None:
    """A mirror shows files for the first time that are older than what a server gave; the numbers of the two say nothing of each other."""
    scene.pull()
    ledger = LedgerFile(scene.bob)
    row = ledger.read().theories["pairs"]
    changed(scene, pairs=NEWER)
    ledger.took_theories({"pairs": replace(row, stream="server", sequence=1, time="2999-01-01T00:00:00Z")})
    assert scene.refused("pairs")["kind"] == "version_conflict"
    ledger.took_theories({"pairs": replace(row, stream="server", sequence=99, time="1999-01-01T00:00:00Z")})
    assert scene.pull("pairs")["theories"] == ["pairs"]


def test_a_replayed_root_takes_nobody_back(scene: Scene) -> None:
    old = (scene.out / MANIFEST).read_bytes()
    scene.pull()
    changed(scene, pairs=NEWER)
    scene.pull()
    scene.add(text_object(GROUPS))
    (scene.out / MANIFEST).write_bytes(old)
    assert "older" in scene.refused("pairs")["message"]


def test_newer_texts_that_were_cut_off_come_whole_with_the_next_pull(scene: Scene) -> None:
    scene.pull()
    rings = RINGS + "define more(n : ℤ) : ℤ = n\n"
    changed(scene, pairs=NEWER, rings=rings)

    def cut(name: str) -> None:
        if name == "rings":
            raise SessionError("no room", code="session-unwritable")

    scene.storage.before = cut
    assert scene.pull()["type"] == "error"
    assert (scene.here()["pairs.kleis"], scene.here()["rings.kleis"]) == (NEWER, RINGS)
    scene.storage.before = lambda name: None
    assert scene.new() == ["rings"]
    assert scene.pull()["theories"] == ["rings"]
    assert (scene.here()["rings.kleis"], scene.new()) == (rings, [])


def test_a_theory_that_is_changed_while_a_newer_text_comes_stays(scene: Scene) -> None:
    scene.pull()
    changed(scene, pairs=NEWER)
    scene.storage.before = lambda name: (scene.saved / f"{name}.kleis").write_text("// mine\n") and None
    assert scene.pull()["error"]["kind"] == "version_conflict"
    assert scene.here()["pairs.kleis"] == "// mine\n"
    scene.storage.before = lambda name: None
    assert scene.refused()["kind"] == "version_conflict"


def test_a_newer_text_with_which_a_theory_here_cannot_be_read_is_refused(scene: Scene) -> None:
    scene.pull()
    (scene.saved / "mine.kleis").write_text('import "rings"\ndefine mine(n : ℤ) : ℤ = twice(n)\n')
    (scene.saved / "far.kleis").write_text('import "/nowhere.kleis"\n')
    changed(scene, rings='import "pairs.kleis"\ndefine other(n : ℤ) : ℤ = n\n')
    error = scene.refused()
    assert (error["kind"], "mine" in error["expected"]) == ("version_conflict", True)
    changed(scene, rings=RINGS + "define other(n : ℤ) : ℤ = n\n")
    assert scene.pull()["theories"] == ["rings"]


def test_what_a_theory_asserts_is_no_more_than_its_text(scene: Scene) -> None:
    """A lemma that does not hold comes in as a text, and is proved by nobody's word."""
    from kleis.prover.process.deadline import Deadline
    from kleis.sessions.sessions import open_sessions

    text = "lemma wrong : ∀(n : ℤ). n = 0\n"
    scene.lie({"wrong": scene.text(text)})
    assert scene.pull("wrong")["theories"] == ["wrong"]
    sessions = open_sessions(
        scene.bob, environment={}, directory=scene.bob, broker=scene.broker, owns_broker=False
    )
    assert sessions.load("s", ["wrong"], Deadline(20))[1] is not None
    with sessions.provers.prover(sessions.theory("s"), Deadline(20)) as prover:
        from kleis.syntax.parser.parser import parse_expression

        assert prover.verify(parse_expression("∀(n : ℤ). n = 0")).status == "disproved"


def test_unknown_fields_and_other_shapes_are_refused(scene: Scene) -> None:
    shapes: list[Any] = [
        [],
        {"rings": {"object": "0" * 64, "more": 1}},
        {"rings": {"object": "../x"}},
        {"rings": None},
    ]
    for rows in shapes:
        scene.lie(rows)
        scene.refused()
    scene.lie({"rings": TheoryRow(scene.add(msgspec.json.encode({"text": 1})))})
    scene.refused()
