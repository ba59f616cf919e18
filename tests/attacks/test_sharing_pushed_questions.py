"""Certificates of questions that are pushed to a server: each is checked there, and a sender who lies wastes a bounded number of checks.

Bob pushes to Alice's server, which trusts his key. What is filed there shows what its digest says, whatever is sent, and wherever a
connection ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from kleis.core.canonical_bytes import digest_of
from kleis.elaborate.elaborator import Elaborator
from kleis.prover.certificates.build import Question, build
from kleis.prover.checker.strict_reading import to_json
from kleis.prover.kept_certificates import KeptCertificate
from kleis.prover.process.broker import Broker
from kleis.prover.prover import Prover
from kleis.sessions.files.session_storage import DirectoryStorage
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.theory.theory import Theory
from registry.access.required_scopes import scope_of_tool
from registry.errors import RegistryError
from registry.sharing.manifest import encoded, object_hash
from registry.sharing.publication import Content
from registry.sharing.pull import Puller
from registry.sharing.push import Pusher, fits
from registry.sharing.questions import QuestionFile, Questions, pull_questions, questions_of
from registry.sharing.server_source import ServerSource
from registry.sharing.theory_proofs import ProofFile, Proofs, certificate_object
from registry.sharing.theory_pull import Shelf
from registry.store.shared_state import certificate_files
from tests.support.files.publications import Peer
from tests.support.files.shared_servers import Line, Lying, Shared

DEFINED = "define twice(n : ℤ) : ℤ = n + n\n"
TRUE, OTHER, FALSE = "∀(n : ℤ). twice(n) = 2 * n", "∀(n : ℤ). twice(n) ≥ n + n", "∀(n : ℤ). twice(n) > n"


def _digest(claim: str) -> str:
    theory = Theory().include(parse_program(DEFINED))
    return digest_of(Elaborator(theory).proposition(parse_expression(claim)), ())


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker(slots=1) as shared:
        yield shared


@pytest.fixture(scope="module")
def kept(broker: Broker) -> dict[str, KeptCertificate]:
    """The certificates of the three claims."""
    theory = Theory().include(parse_program(DEFINED))
    found = {}
    for claim in (TRUE, OTHER, FALSE):
        decision = Prover(theory, broker=broker).decide(parse_expression(claim))
        made = build(broker, theory, Question(claim), decision.verdict, answer=decision.answer)
        found[claim] = KeptCertificate(to_json(made).decode())
    return found


class Scene:
    def __init__(self, folder: Path, broker: Broker) -> None:
        self.alice, self.bob, self.carol = (Peer(folder / each) for each in ("alice", "bob", "carol"))
        self.alice.trusts(self.bob, "bob")
        self.carol.trusts(self.alice)
        self.broker = broker
        saved = self.alice.home / "theories"
        saved.mkdir()
        proofs = Proofs(ProofFile(self.alice.home), certificate_files(self.alice.home))
        storage = DirectoryStorage(self.alice.home / "sessions", saved)
        self.server = Shared(self.alice, shelf=Shelf(storage, saved, broker, proofs))

    def file(self, peer: Peer, kept: Mapping[str, KeptCertificate]) -> None:
        for claim, each in kept.items():
            certificate_files(peer.home).put(_digest(claim), each)
        QuestionFile(peer.home).add({_digest(claim): claim for claim in kept})

    def push(self, line: Line | None = None, given: Questions | None = None) -> dict[str, Any]:
        """What Bob has, or what he says that he has. Errors are answers."""
        self.bob.key()
        asked = given or questions_of(self.bob.home, certificate_files(self.bob.home), fits)
        content = Content({}, dict(asked.objects), {}, {})
        try:
            wire = line or Line(self.server)
            return Pusher(wire, content, self.bob.home, "theirs", questions=asked.index).push()
        except RegistryError as error:
            return {"type": "error", "error": error.as_json()}

    def filed(self, peer: Peer | None = None) -> set[str]:
        return {each.stem for each in ((peer or self.alice).home / "certified").glob("*.json")}

    def close(self) -> None:
        for each in (self.alice, self.bob, self.carol):
            each.close()


@pytest.fixture
def scene(tmp_path: Path, broker: Broker) -> Iterator[Scene]:
    made = Scene(tmp_path, broker)
    yield made
    made.close()


def claimed(rows: Mapping[str, bytes]) -> Questions:
    """Objects under digests, whatever they are."""
    hashes = {digest: object_hash(content) for digest, content in rows.items()}
    index = encoded(hashes)
    objects = {object_hash(each): each for each in (*rows.values(), index)}
    return Questions(hashes, objects, object_hash(index))


def test_what_holds_goes_from_one_registry_to_the_next(
    scene: Scene, kept: dict[str, KeptCertificate]
) -> None:
    scene.file(scene.bob, kept)
    scene.file(scene.alice, {OTHER: kept[OTHER]})
    done = scene.push()
    assert {(each["status"], each["claim"]) for each in done["questions"]} == {
        ("verified", TRUE), ("disproved", FALSE),
    }  # fmt: skip
    assert (done["refused"], done["sent"]) == ([], 3)  # the index, and what was missing
    assert scene.filed() == {_digest(each) for each in kept}
    assert not [*(scene.alice.home / "sharing").glob("incoming/*")]
    again = scene.push()
    assert (again["questions"], again["sent"]) == ([], 1)

    puller = Puller(scene.carol.workspace, scene.carol.home, ServerSource(Line(scene.server)))
    taken = pull_questions(puller, scene.carol.home, certificate_files(scene.carol.home), scene.broker)
    assert (len(taken["questions"]), taken["refused"]) == (3, [])
    assert scene.filed(scene.carol) == scene.filed()


@pytest.mark.parametrize("late", [False, True])
def test_a_push_that_ends_at_any_message_leaves_only_what_holds(
    scene: Scene, kept: dict[str, KeptCertificate], late: bool
) -> None:
    scene.file(scene.bob, kept)
    honest = {_digest(each) for each in kept}
    for ends in range(20):
        done = scene.push(Line(scene.server, ends, late=late))
        assert scene.filed() <= honest
        assert set(QuestionFile(scene.alice.home).read()) == scene.filed()
        if done["type"] == "pushed" and "ended" not in done:
            break
    assert ends > 3
    assert scene.push()["questions"] == []
    assert scene.filed() == honest


def test_a_sender_who_lies_wastes_three_checks(scene: Scene, kept: dict[str, KeptCertificate]) -> None:
    turned = kept[FALSE].certificate.replace('"disproved"', '"verified"')
    lies = {
        _digest(TRUE): certificate_object(kept[OTHER]),
        _digest(FALSE): certificate_object(KeptCertificate(turned)),
        **{f"{number:064x}": b"[%d]\n" % number for number in range(10)},
    }
    done = scene.push(given=claimed(lies))
    assert done["questions"] == []
    assert len(done["refused"]) == 4  # the three, and that no more are looked at
    assert "no more of this source" in done["refused"][-1]["message"]
    assert scene.filed() == set()
    assert QuestionFile(scene.alice.home).read() == {}
    assert not [*(scene.alice.home / "sharing").glob("incoming/*")]


def test_one_lie_keeps_nothing_back_that_came_before_it(
    scene: Scene, kept: dict[str, KeptCertificate]
) -> None:
    rows = {_digest(TRUE): certificate_object(kept[TRUE]), "f" * 64: certificate_object(kept[OTHER])}
    done = scene.push(given=claimed(rows))
    assert [each["claim"] for each in done["questions"]] == [TRUE]
    assert [each["root"] for each in done["refused"]] == ["f" * 64]
    assert scene.filed() == {_digest(TRUE)}


@pytest.mark.parametrize(
    "index", [b"[]\n", b'{"../x":"' + b"0" * 64 + b'"}\n', b'{"' + b"0" * 64 + b'":"x"}\n', b"{"]
)
def test_an_index_that_is_none_is_refused(scene: Scene, index: bytes) -> None:
    done = scene.push(given=Questions({}, {object_hash(index): index}, object_hash(index)))
    assert done["type"] == "error" or "ended" in done
    assert scene.filed() == set()


def test_a_server_has_room_for_so_many_only(
    scene: Scene, kept: dict[str, KeptCertificate], monkeypatch: pytest.MonkeyPatch
) -> None:
    """More than an index can hold would keep back all that it offers."""
    monkeypatch.setattr("registry.sharing.service.MOST", 2)
    scene.file(scene.alice, {OTHER: kept[OTHER], TRUE: kept[TRUE]})
    scene.file(scene.bob, kept)
    assert "no room" in scene.push()["error"]["message"]
    assert len(scene.filed()) == 2


def test_what_is_too_large_for_a_request_stays_here(scene: Scene, kept: dict[str, KeptCertificate]) -> None:
    scene.file(scene.bob, {TRUE: kept[TRUE], OTHER: KeptCertificate("x" * (3 * 2**20 + 1))})
    assert [each["claim"] for each in scene.push()["questions"]] == [TRUE]


def test_who_is_not_trusted_or_has_no_scope_pushes_none(
    scene: Scene, kept: dict[str, KeptCertificate]
) -> None:
    assert scope_of_tool("pif", "import", {"root": "x", "questions": True, "after": ""}) == "theory"
    scene.file(scene.carol, kept)
    scene.bob, scene.carol = scene.carol, scene.bob
    assert "not trusted" in scene.push()["error"]["message"]
    scene.bob, scene.carol = scene.carol, scene.bob
    scene.file(scene.bob, kept)
    plain = Shared(scene.alice)
    assert "takes no" in scene.push(Line(plain))["error"]["message"]
    assert scene.filed() == set()


def test_a_server_that_lies_gets_nothing_but_what_was_offered(
    scene: Scene, kept: dict[str, KeptCertificate]
) -> None:
    scene.file(scene.bob, kept)

    def greedy(tool: str, arguments: dict[str, Any], honest: dict[str, Any]) -> dict[str, Any]:
        asks = arguments.get("questions") and "after" not in arguments
        return {"type": "wanted", "objects": ["0" * 64]} if asks else honest

    def endless(tool: str, arguments: dict[str, Any], honest: dict[str, Any]) -> dict[str, Any]:
        taking = arguments.get("questions") and "after" in arguments
        return {"type": "taken", "after": "a", "left": 5} if taking else honest

    assert "may not have" in scene.push(Lying(scene.server, greedy))["error"]["message"]
    assert "no end" in scene.push(Lying(scene.server, endless))["error"]["message"]


@pytest.mark.parametrize(
    "lie", ["other bytes", "too much", "nothing", "half a character", "another certificate"]
)
def test_an_upstream_that_lies_brings_nothing(
    scene: Scene, kept: dict[str, KeptCertificate], lie: str
) -> None:
    scene.file(scene.alice, {TRUE: kept[TRUE]})

    def upset(tool: str, arguments: dict[str, Any], honest: dict[str, Any]) -> dict[str, Any]:
        if honest["type"] != "objects":
            return honest
        texts = {
            "other bytes": lambda text: text.replace("twice", "thrice"),
            "too much": lambda text: text + " " * (5 * 2**20),
            "half a character": lambda text: "\ud800",
            "another certificate": lambda text: certificate_object(kept[OTHER]).decode(),
        }
        if lie == "nothing":
            return {**honest, "objects": {}}
        return {**honest, "objects": {hash_: texts[lie](text) for hash_, text in honest["objects"].items()}}

    certificates = certificate_files(scene.carol.home)
    puller = Puller(scene.carol.workspace, scene.carol.home, ServerSource(Lying(scene.server, upset)))
    with pytest.raises(RegistryError) as caught:
        pull_questions(puller, scene.carol.home, certificates, scene.broker)
    assert caught.value.kind == "invalid_argument"
    assert scene.filed(scene.carol) == set()
    assert QuestionFile(scene.carol.home).read() == {}


@pytest.mark.parametrize("late", [False, True])
def test_a_pull_that_ends_at_any_message_leaves_only_what_holds(
    scene: Scene, kept: dict[str, KeptCertificate], late: bool
) -> None:
    scene.file(scene.alice, kept)
    certificates = certificate_files(scene.carol.home)
    for ends in range(20):
        try:
            source = ServerSource(Line(scene.server, ends, late=late))
            puller = Puller(scene.carol.workspace, scene.carol.home, source)
            pull_questions(puller, scene.carol.home, certificates, scene.broker)
            break
        except RegistryError as error:
            assert error.kind == "store_error"
            assert set(QuestionFile(scene.carol.home).read()) == scene.filed(scene.carol)
    assert ends == 3  # the root, the index, the certificates
    assert scene.filed(scene.carol) == {_digest(each) for each in kept}
