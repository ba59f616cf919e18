"""Certificates of questions that belong to no theory: they travel in publications, and are checked where they arrive."""

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
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.theory.theory import Theory
from registry.errors import RegistryError
from registry.sharing.ledger import Provenance
from registry.sharing.manifest import Manifest, encoded, object_hash, read_manifest
from registry.sharing.places import opened
from registry.sharing.publication import Content, publish, rooted
from registry.sharing.questions import (
    QuestionFile,
    file_certificates,
    offered_questions,
    pull_questions,
    questions_of,
)
from registry.sharing.theory_proofs import certificate_object
from registry.store.shared_state import certificate_files
from tests.support.files.publications import Peer

DEFINED = "define twice(n : ℤ) : ℤ = n + n\n"
TRUE, OTHER, FALSE = "∀(n : ℤ). twice(n) = 2 * n", "∀(n : ℤ). twice(n) ≥ n + n", "∀(n : ℤ). twice(n) > n"


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as shared:
        yield shared


@pytest.fixture(scope="module")
def certificates(broker: Broker) -> dict[str, bytes]:
    """The certificates of the three claims."""
    theory = Theory().include(parse_program(DEFINED))
    found = {}
    for claim in (TRUE, OTHER, FALSE):
        decision = Prover(theory, broker=broker).decide(parse_expression(claim))
        found[claim] = to_json(
            build(broker, theory, Question(claim), decision.verdict, answer=decision.answer)
        )
    return found


def _digest(claim: str) -> str:
    theory = Theory().include(parse_program(DEFINED))
    return digest_of(Elaborator(theory).proposition(parse_expression(claim)), ())


class Scene:
    """Alice publishes, Bob pulls."""

    def __init__(self, folder: Path, broker: Broker) -> None:
        self.alice, self.bob, self.out = Peer(folder / "alice"), Peer(folder / "bob"), folder / "out"
        self.bob.trusts(self.alice)
        self.broker = broker
        self.folder = folder

    def file(self, name: str, content: bytes) -> Path:
        path = self.folder / name
        path.write_bytes(content)
        return path

    def publish(self, objects: Mapping[str, bytes], index: str) -> Manifest:
        manifest, file = rooted({}, self.alice.home, "ops", questions=index)
        publish(self.out, Content({}, dict(objects), {}, {}), manifest, file, b"index")
        return manifest

    def claim(self, rows: Mapping[str, bytes]) -> None:
        """Publish objects under digests, whatever they are."""
        objects = {object_hash(each): each for each in rows.values()}
        index = encoded({digest: object_hash(each) for digest, each in rows.items()})
        self.publish({**objects, object_hash(index): index}, object_hash(index))

    def pull(self) -> Any:
        source = opened(str(self.out))
        try:
            puller = self.bob.puller(source)
            return pull_questions(puller, self.bob.home, certificate_files(self.bob.home), self.broker)
        finally:
            source.close()

    def filed(self) -> set[str]:
        return {each.stem for each in (self.bob.home / "certified").glob("*.json")}

    def close(self) -> None:
        self.alice.close()
        self.bob.close()


@pytest.fixture
def scene(tmp_path: Path, broker: Broker) -> Iterator[Scene]:
    made = Scene(tmp_path, broker)
    yield made
    made.close()


def test_they_are_checked_filed_published_and_taken_in(scene: Scene, certificates: dict[str, bytes]) -> None:
    storage = certificate_files(scene.alice.home)
    files = [scene.file(f"{place}.json", certificates[each]) for place, each in enumerate((TRUE, FALSE))]
    given = file_certificates(files, scene.alice.home, storage, scene.broker)
    assert given == {_digest(TRUE): TRUE, _digest(FALSE): FALSE}
    questions = questions_of(scene.alice.home, storage)
    assert set(questions.rows) == set(given)
    first = scene.publish(questions.objects, questions.index)
    assert scene.publish(questions_of(scene.alice.home, storage).objects, questions.index) == first

    taken = scene.pull()
    assert (taken["looked_at"], taken["refused"]) == (2, [])
    assert {(each["status"], each["claim"]) for each in taken["questions"]} == {
        ("verified", TRUE),
        ("disproved", FALSE),
    }
    assert scene.filed() == set(given)
    assert QuestionFile(scene.bob.home).read() == given  # a mirror gives them on
    again = scene.pull()
    assert (again["looked_at"], again["fetched"], again["questions"]) == (0, 0, [])


def test_what_was_taken_in_is_used_by_sessions(scene: Scene, certificates: dict[str, bytes]) -> None:
    from kleis.prover.certificates.shared_verdicts import SharedVerdicts
    from kleis.prover.protocol.engine import Task

    scene.claim({_digest(TRUE): certificate_object(KeptCertificate(certificates[TRUE].decode()))})
    scene.pull()
    theory = Theory().include(parse_program(DEFINED))
    task = Task(Elaborator(theory).proposition(parse_expression(TRUE)))
    found = SharedVerdicts(certificate_files(scene.bob.home), scene.broker).find(task, scene.broker)
    assert found is not None
    assert found.status == "verified"


def test_nothing_that_lies_is_filed(scene: Scene, certificates: dict[str, bytes]) -> None:
    """A certificate of another claim, one turned round, one of nothing, and one that is missing."""
    turned = certificates[FALSE].decode().replace('"disproved"', '"verified"')
    rows = {
        _digest(TRUE): certificate_object(KeptCertificate(certificates[OTHER].decode())),
        _digest(FALSE): certificate_object(KeptCertificate(turned)),
        "0" * 64: b"[1]\n",
        _digest(OTHER): certificate_object(KeptCertificate(certificates[OTHER].decode())),
    }
    scene.claim(rows)
    (scene.out / "objects" / f"{object_hash(rows['0' * 64])}.json").unlink()
    taken = scene.pull()
    assert [each["claim"] for each in taken["questions"]] == [OTHER]
    assert {each["root"] for each in taken["refused"]} == {_digest(TRUE), _digest(FALSE), "0" * 64}
    assert scene.filed() == {_digest(OTHER)}


def test_a_certificate_that_is_here_is_not_replaced(scene: Scene, certificates: dict[str, bytes]) -> None:
    certificate_files(scene.bob.home).put(_digest(TRUE), KeptCertificate(certificates[TRUE].decode()))
    scene.claim({_digest(TRUE): certificate_object(KeptCertificate(certificates[OTHER].decode()))})
    assert scene.pull()["looked_at"] == 0
    kept = certificate_files(scene.bob.home).get(_digest(TRUE))
    assert kept is not None
    assert kept.certificate.encode() == certificates[TRUE]


@pytest.mark.parametrize(
    "index", [b"[]\n", b'{"../x":"' + b"0" * 64 + b'"}\n', b'{"' + b"0" * 64 + b'":"x"}\n', b"{"]
)
def test_an_index_that_is_none_is_refused(scene: Scene, index: bytes) -> None:
    scene.publish({object_hash(index): index}, object_hash(index))
    with pytest.raises(RegistryError) as caught:
        scene.pull()
    assert caught.value.kind == "invalid_argument"
    assert scene.filed() == set()


def test_a_root_without_questions_is_spelled_as_before(scene: Scene) -> None:
    manifest, file = rooted({}, scene.alice.home, "ops")
    assert b"questions" not in file
    assert read_manifest(file, "here") == manifest
    scene.publish({}, "")
    source = opened(str(scene.out))
    assert offered_questions(scene.bob.puller(source)) == {}
    source.close()


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff", b'{"claim": "1 = 1"}'])
def test_what_is_no_certificate_is_not_given(scene: Scene, content: bytes) -> None:
    file = scene.file("one.json", content)
    with pytest.raises(RegistryError, match="cannot be shared"):
        file_certificates([file], scene.alice.home, certificate_files(scene.alice.home), scene.broker)
    assert QuestionFile(scene.alice.home).read() == {}


def test_a_theory_that_came_before_times_were_kept_is_followed_by_a_later_root() -> None:
    row = Provenance("ops/t", "k", "here", 7, "2026-01-02T00:00:00Z", "h", "h")

    def root(time: str, key: str = "k") -> Manifest:
        return Manifest("pif-share", 1, "ops", key, 3, time, {})

    assert row.is_followed("h", root("2026-01-02T00:00:01Z"))
    assert not row.is_followed("h", root("2026-01-02T00:00:00Z"))
    assert not row.is_followed("h", root("2026-01-01T23:59:59Z"))
    assert not row.is_followed("h", root("2026-02-01T00:00:00Z", "another"))
    assert not row.is_followed("changed here", root("2026-02-01T00:00:00Z"))
