"""Certificates that come with saved theories: filed as claimed, checked when their question is asked, and never believed before.

Alice publishes a theory with certificates of its lemmas and is trusted by Bob; a liar has her key. Whatever is filed, a lemma serves in Bob's
home only if a certificate shows it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from kleis.core.canonical_bytes import digest_of
from kleis.elaborate.elaborator import Elaborator
from kleis.prover.kept_certificates import LONGEST, KeptCertificate
from kleis.prover.process.broker import Broker
from kleis.prover.process.deadline import Deadline
from kleis.sessions.files.session_storage import DirectoryStorage
from kleis.sessions.sessions import open_sessions
from kleis.sessions.stated_lemmas import serving_lemmas
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.theory.theory import Theory
from registry.errors import RegistryError
from registry.sharing.manifest import OBJECT_LIMIT, encoded, object_hash
from registry.sharing.places import opened
from registry.sharing.publication import Content, publish, rooted
from registry.sharing.pull import Puller
from registry.sharing.theories import TheoryRow, all_theories_of, text_object
from registry.sharing.theory_proofs import MOST, ProofFile, Proofs, certificate_object, prove_lemmas
from registry.sharing.theory_pull import Shelf, pull_theory
from registry.store.shared_state import certificate_files
from tests.support.files.publications import Peer
from tests.support.files.shared_servers import Line, Shared, pushed

DEFINED = "define twice(n : ℤ) : ℤ = n + n\n"
TRUE = "∀(n : ℤ). mod(twice(n), 2) = 0"
OTHER = "∀(n : ℤ). twice(n + 1) = twice(n) + 2"
FALSE = "∀(n : ℤ). twice(n) = n"
TEXT = f"{DEFINED}lemma even: {TRUE}\nlemma next: {OTHER}\nlemma wrong: {FALSE}\n"


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    made = Broker(slots=1)
    yield made
    made.close()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, broker: Broker) -> dict[str, KeptCertificate]:
    """The certificates of the lemmas that are true, by their questions."""
    folder = tmp_path_factory.mktemp("alice")
    (folder / "twice.kleis").write_text(TEXT)
    made = prove_lemmas(folder, ["twice"], broker)["twice"]
    assert not isinstance(made, RegistryError)
    return made


def question(claim: str) -> str:
    """The digest of a claim about the theory, which no lemma serves."""
    program = parse_program(DEFINED)
    theory = Theory().include(program)
    return digest_of(Elaborator(theory).proposition(parse_expression(claim)), ())


class Scene:
    def __init__(self, folder: Path, broker: Broker) -> None:
        self.alice, self.bob, self.out = Peer(folder / "alice"), Peer(folder / "bob"), folder / "out"
        self.bob.trusts(self.alice)
        self.broker = broker
        self.shelves = {each: self._shelf(each) for each in (self.alice, self.bob)}
        (self.alice.home / "theories" / "twice.kleis").write_text(TEXT)

    def _shelf(self, peer: Peer) -> Shelf:
        saved = peer.home / "theories"
        saved.mkdir()
        proofs = Proofs(ProofFile(peer.home), certificate_files(peer.home))
        return Shelf(DirectoryStorage(peer.home / "sessions", saved), saved, self.broker, proofs)

    def publish(self, claimed: Mapping[str, KeptCertificate | bytes], hashes: Mapping[str, str] = {}) -> None:
        """Publish the theory with certificates under questions; `hashes` are claimed without an object."""
        contents = {
            each: kept if isinstance(kept, bytes) else certificate_object(kept)
            for each, kept in claimed.items()
        }
        certificates = {each: object_hash(content) for each, content in contents.items()} | {**hashes}
        row = TheoryRow(object_hash(text_object(TEXT)), (), certificates)
        objects = {object_hash(each): each for each in (*contents.values(), text_object(TEXT))}
        index = encoded({"twice": row})
        objects[object_hash(index)] = index
        manifest, file = rooted({}, self.alice.home, "ops", theories=object_hash(index))
        publish(self.out, Content({}, objects, {}, {}), manifest, file, b"index")

    def pull(self) -> Any:
        source = opened(str(self.out))
        try:
            puller = Puller(self.bob.workspace, self.bob.home, source)
            return pull_theory(puller, "twice", self.shelves[self.bob])
        finally:
            source.close()

    def filed(self) -> set[str]:
        return {each.stem for each in (self.bob.home / "certified").glob("*.json")}

    def serving(self) -> set[str]:
        """The lemmas that serve in a session of Bob's. Nothing is proved: only certificates are looked at."""
        sessions = open_sessions(
            self.bob.home, environment={}, directory=self.bob.home, broker=self.broker, owns_broker=False,
            certificates=certificate_files(self.bob.home),
        )  # fmt: skip
        try:
            sessions.load("s", ["twice"], Deadline(60))
            universe = sessions.universe("s")
            with sessions.provers.prover(universe.theory, Deadline(60)) as prover:
                ledger = serving_lemmas(universe, prover)
            return {each.lemma.name for each in ledger.entered if each.fact is not None}
        finally:
            sessions.close()

    def close(self) -> None:
        self.alice.close()
        self.bob.close()


@pytest.fixture
def scene(tmp_path: Path, broker: Broker) -> Iterator[Scene]:
    found = Scene(tmp_path, broker)
    yield found
    found.close()


def with_fields(kept: KeptCertificate, **fields: Any) -> KeptCertificate:
    return replace(
        kept, certificate=json.dumps({**json.loads(kept.certificate), **fields}, ensure_ascii=False)
    )


def test_what_is_true_is_shown_by_certificates_and_what_is_false_has_none(
    scene: Scene, made: dict[str, KeptCertificate]
) -> None:
    assert question(TRUE) in made
    assert len(made) == 2  # `even` serves the next, so that one's question is another than if it stood alone
    scene.publish(made)
    assert scene.pull()["certificates"] == 2
    assert scene.filed() == set(made)
    assert scene.serving() == {"even", "next"}
    again = scene.pull()
    assert (again["fetched"], again.get("certificates")) == (0, None)


def test_without_certificates_nothing_serves(scene: Scene) -> None:
    scene.publish({})
    assert "certificates" not in scene.pull()
    assert scene.serving() == set()


Forging = Callable[[dict[str, KeptCertificate]], dict[str, KeptCertificate | bytes]]


def _first(made: dict[str, KeptCertificate]) -> KeptCertificate:
    return made[min(made)]


@pytest.mark.parametrize(
    "forged",
    [
        lambda made: {question(FALSE): _first(made)},
        lambda made: {question(FALSE): with_fields(_first(made), goal=question(FALSE))},
        lambda made: {question(FALSE): with_fields(_first(made), goal=question(FALSE), claim=FALSE)},
        lambda made: dict(zip(sorted(made), (made[each] for each in sorted(made, reverse=True)), strict=True)),
        lambda made: {each: with_fields(kept, version=99) for each, kept in made.items()},
        lambda made: {each: with_fields(kept, format_version=99, version=0) for each, kept in made.items()},
        lambda made: {each: replace(kept, certificate="{") for each, kept in made.items()},
        lambda made: {each: replace(kept, certificate="[" * 100_000) for each, kept in made.items()},
    ],
    ids=["another's", "goal", "claim", "swapped", "version", "format", "no certificate", "deep"],
)  # fmt: skip
def test_what_shows_nothing_serves_nothing_and_is_dropped(
    scene: Scene, made: dict[str, KeptCertificate], forged: Forging
) -> None:
    claims = forged(made)
    scene.publish(claims)
    assert scene.pull()["certificates"] == len(claims)
    assert scene.serving() == set()
    assert scene.filed().isdisjoint({question(TRUE), question(FALSE)})  # those that were asked
    scene.publish(made)
    for _ in range(2):  # what is honest is kept out until its question was asked, and no longer
        assert scene.pull()["certificates"] >= 1
        found = scene.serving()
        if found == {"even", "next"}:
            return
    raise AssertionError(found)


@pytest.mark.parametrize(
    "content",
    [
        certificate_object(KeptCertificate("x" * (LONGEST + 1))),
        b'{"certificate":"' + b"x" * OBJECT_LIMIT + b'"}\n',
        certificate_object(KeptCertificate("{}", (("z3", "proved", 1),) * 101)),
        b'{"certificate": "{}", "attempts": []}\n',
        b"[1]\n",
        b"\xff",
    ],
    ids=["long", "huge", "attempts", "other spelling", "shape", "bytes"],
)
def test_what_is_no_certificate_is_not_filed_and_the_theory_comes(scene: Scene, content: bytes) -> None:
    scene.publish({question(TRUE): content})
    answer = scene.pull()
    assert answer["theories"] == ["twice"]
    assert "certificates" not in answer
    assert scene.filed() == set()


def test_a_certificate_that_is_withheld_is_no_more_than_that(scene: Scene) -> None:
    scene.publish({}, {question(TRUE): "0" * 64})
    assert scene.pull()["theories"] == ["twice"]
    assert scene.filed() == set()


@pytest.mark.parametrize(
    "hashes",
    [
        {"../../theories/mine": "0" * 64},
        {"0" * 63: "0" * 64},
        {"0" * 64: "../up"},
        {f"{number:064x}": "0" * 64 for number in range(MOST + 1)},
    ],
    ids=["path", "short", "object", "many"],
)
def test_questions_that_are_none_are_refused(scene: Scene, hashes: dict[str, str]) -> None:
    scene.publish({}, hashes)
    assert scene.pull()["error"]["kind"] == "invalid_argument"
    assert scene.shelves[scene.bob].saved.joinpath("twice.kleis").exists() is False


def test_what_is_filed_already_is_not_replaced(scene: Scene, made: dict[str, KeptCertificate]) -> None:
    scene.publish(made)
    scene.pull()
    before = {each.name: each.read_bytes() for each in (scene.bob.home / "certified").iterdir()}
    scene.publish({each: replace(kept, certificate="{") for each, kept in made.items()})
    assert "certificates" not in scene.pull()
    assert {each.name: each.read_bytes() for each in (scene.bob.home / "certified").iterdir()} == before


def test_they_go_on_with_the_theory_to_and_from_servers(
    scene: Scene, made: dict[str, KeptCertificate]
) -> None:
    scene.publish(made)
    scene.pull()
    scene.alice.trusts(scene.bob, "bob")
    (scene.alice.home / "theories" / "twice.kleis").unlink()
    alice, bob = scene.shelves[scene.alice], scene.shelves[scene.bob]
    server = Shared(scene.alice, shelf=alice)
    done = pushed(scene.bob, Line(server), theories=bob.saved, proofs=bob.proofs)
    assert (done["theories"], done["certificates"]) == (["twice"], 2)
    assert {each.stem for each in (scene.alice.home / "certified").glob("*.json")} == set(made)
    given = all_theories_of(alice.saved, alice.proofs)
    assert server.service.root()["type"] == "offer"
    wanted = [*given.rows["twice"].claimed.values()]
    assert server.service.objects(wanted)["objects"] == {
        each: given.objects[each].decode() for each in wanted
    }
