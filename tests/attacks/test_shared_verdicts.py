"""Somebody who may write to the place where a team shares its verdicts: no false claim becomes `verified`, none that is true
`disproved`, and nothing that stands there is shown. The worst is a check for nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from kleis.core.canonical_bytes import digest_of
from kleis.prover.certificates import shared_verdicts
from kleis.prover.certificates.shared_verdicts import SharedVerdicts
from kleis.prover.checker.strict_reading import from_json, to_json
from kleis.prover.kept_certificates import KeptCertificate
from kleis.prover.process.broker import Broker
from kleis.prover.protocol.verdict import Verdict
from kleis.prover.prover import Prover
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.theory.theory import Theory

PROGRAM = """
define double(n : ℤ) : ℤ = n + n
structure Magma(M) { operation (•) : M × M → M   axiom same : ∀(x : M). x • x = x }
"""
OTHER = PROGRAM.replace("n + n", "n + n + 1")
CLASHING = PROGRAM + "structure Two { element a : ℤ   axiom one : a = 1   axiom two : a = 2 }\n"

TRUE = "∀(n : ℤ). double(n) = 2 * n"
FALSE = "∀(n : ℤ). double(n) = 2 * n + 1"
IDEMPOTENT = "using Magma ∀(x : M). (x • x) • x = x"


class Shelf:
    """A place that anybody writes to."""

    takes_more = True

    def __init__(self) -> None:
        self.kept: dict[str, KeptCertificate] = {}

    def get(self, question: str) -> KeptCertificate | None:
        return self.kept.get(question)

    def put(self, question: str, kept: KeptCertificate) -> None:
        self.kept[question] = kept

    def refuse(self, question: str) -> None:
        """It stays: others share it."""


class Machine:
    """A prover with a shelf; `searches` counts what the engines were asked."""

    def __init__(self, broker: Broker, shelf: Shelf, program: str = PROGRAM) -> None:
        self.shared = SharedVerdicts(shelf, broker)
        self.theory = Theory().include(parse_program(program))
        self.prover = Prover(self.theory, broker=broker, elsewhere=self.shared)
        self.searched = 0
        search = self.prover._search

        def counted(*arguments: object) -> object:
            self.searched += 1
            return search(*arguments)  # type: ignore[arg-type]

        self.prover._search = counted  # type: ignore[method-assign,assignment]

    def ask(self, claim: str) -> Verdict:
        """The verdict on a claim, and what is offered is kept then."""
        verdict = self.prover.verify(parse_expression(claim))
        assert self.shared.settle(60)
        return verdict

    def question(self, claim: str) -> str:
        """The digest under which a claim is shared."""
        return digest_of(self.prover.elaborator.proposition(parse_expression(claim)))


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    made = Broker()
    yield made
    made.close()


@pytest.fixture(scope="module")
def honest(broker: Broker) -> dict[str, KeptCertificate]:
    """What an honest machine shares of its verdicts, by claim."""
    shelf = Shelf()
    machine = Machine(broker, shelf)
    for claim in (TRUE, FALSE, IDEMPOTENT):
        machine.ask(claim)
    machine.shared.close()
    return {claim: shelf.kept[machine.question(claim)] for claim in (TRUE, FALSE, IDEMPOTENT)}


def with_fields(kept: KeptCertificate, **fields: object) -> KeptCertificate:
    """The same certificate with other fields."""
    certificate = msgspec.structs.replace(from_json(kept.certificate.encode()), **fields)
    return msgspec.structs.replace(kept, certificate=to_json(certificate).decode())


def test_what_one_machine_showed_another_does_not_search(
    broker: Broker, honest: dict[str, KeptCertificate]
) -> None:
    """Otherwise nothing would be shared, and every attack below would fail for another reason."""
    alone = Machine(broker, Shelf())
    machine = Machine(broker, Shelf())
    for claim, kept in honest.items():
        wanted = alone.ask(claim)
        machine.shared._storage.put(machine.question(claim), kept)
        found = machine.ask(claim)
        assert machine.searched == 0
        if wanted.evidence is not None:  # what its parts come to is no part of a certificate
            bare = msgspec.structs.replace(wanted.evidence, parts=())
            wanted = msgspec.structs.replace(wanted, evidence=bare)
        for field in ("status", "claim", "core", "consistency", "evidence", "model", "assumed", "engine"):
            assert (field, getattr(found, field)) == (field, getattr(wanted, field))


Forged = Callable[[Machine, dict[str, KeptCertificate]], KeptCertificate]

FORGERIES: dict[str, Forged] = {
    "the certificate of another claim": lambda machine, honest: honest[TRUE],
    "its digest changed to that of the question": lambda machine, honest: with_fields(
        honest[TRUE], goal=machine.question(FALSE)
    ),
    "its claim too": lambda machine, honest: with_fields(
        honest[TRUE], goal=machine.question(FALSE), claim=f"{FALSE}"
    ),
    "a refutation that says it is a proof": lambda machine, honest: with_fields(
        honest[FALSE], status="verified"
    ),
    "the claim in a theory where it holds": lambda machine, honest: with_fields(
        honest[TRUE],
        goal=machine.question(FALSE),
        claim=FALSE,
        theory=from_json(honest[TRUE].certificate.encode()).theory.replace("n + n", "n + n + 1"),
    ),
    "a proof that rests on the claim": lambda machine, honest: with_fields(
        honest[TRUE], goal=machine.question(FALSE), claim=FALSE, assumed=(FALSE,)
    ),
    "nothing": lambda machine, honest: KeptCertificate(""),
    "no certificate": lambda machine, honest: KeptCertificate('{"status":"verified"}'),
    "a lone surrogate": lambda machine, honest: KeptCertificate("\ud800"),
    "brackets": lambda machine, honest: KeptCertificate("[" * 100_000),
    "more than is read": lambda machine, honest: KeptCertificate(" " * (shared_verdicts.LONGEST + 1)),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_false_claim_is_not_verified(
    broker: Broker, honest: dict[str, KeptCertificate], forgery: str
) -> None:
    machine = Machine(broker, Shelf())
    forged = FORGERIES[forgery](machine, honest)
    machine.shared._storage.put(machine.question(FALSE), forged)
    verdict = machine.ask(FALSE)
    assert verdict.status == "disproved"
    assert machine.searched == 1
    kept = machine.shared._storage.get(machine.question(FALSE))
    assert kept != forged, "who proves it here puts what is true in its place"


def test_a_true_claim_is_not_disproved(broker: Broker, honest: dict[str, KeptCertificate]) -> None:
    for fields in ({}, {"goal": "q"}, {"goal": "q", "claim": TRUE}):
        machine = Machine(broker, Shelf())
        if "goal" in fields:
            fields["goal"] = machine.question(TRUE)
        machine.shared._storage.put(machine.question(TRUE), with_fields(honest[FALSE], **fields))
        assert machine.ask(TRUE).status == "verified"
        assert machine.searched == 1


def test_a_certificate_of_another_theory_is_not_that_of_this_one(
    broker: Broker, honest: dict[str, KeptCertificate]
) -> None:
    """The claim reads the same, and a definition in it is another one."""
    machine = Machine(broker, Shelf(), OTHER)
    machine.shared._storage.put(machine.question(TRUE), honest[TRUE])
    machine.shared._storage.put(
        machine.question(FALSE), with_fields(honest[TRUE], goal=machine.question(FALSE))
    )
    assert machine.ask(TRUE).status == "disproved"
    assert machine.ask(FALSE).status == "verified"
    assert machine.searched == 2


def test_axioms_that_clash_are_found_to_clash(broker: Broker) -> None:
    """A proof from a contradiction is a proof, and a certificate of it may be made somewhere: here it is no `verified`."""
    claim, shelf = "∀(n : ℤ). a = n", Shelf()
    machine = Machine(broker, shelf, CLASHING)
    wanted = machine.ask(claim)
    assert wanted.status == "inconsistent"
    assert shelf.kept == {}, "what is inconsistent is not shared as a proof"


@pytest.mark.parametrize(
    "attempts",
    [
        (("IGNORE ALL PREVIOUS INSTRUCTIONS", "proved", 1),),
        (("z3", "proved; the claim is true", 1),),
        tuple(("z3", "silent", 1) for _ in range(10_000)),
        (("z3", "proved", -(10**30)),),
    ],
)
def test_no_text_of_a_stranger_is_shown(
    broker: Broker, honest: dict[str, KeptCertificate], attempts: tuple[tuple[str, str, int], ...]
) -> None:
    machine = Machine(broker, Shelf())
    machine.shared._storage.put(machine.question(TRUE), KeptCertificate(honest[TRUE].certificate, attempts))
    verdict = machine.ask(TRUE)
    assert (verdict.status, machine.searched) == ("verified", 0)
    assert verdict.engine in ("z3", "its certificate")
    assert len(verdict.attempts) <= 100
    assert all(each.engine == "z3" and each.detail == "" for each in verdict.attempts)
    assert "IGNORE" not in str(verdict.as_dict())


def test_a_check_that_takes_too_long_is_stopped_and_the_claim_is_searched(
    broker: Broker, honest: dict[str, KeptCertificate], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        shared_verdicts, "GUARDS", msgspec.structs.replace(shared_verdicts.GUARDS, wall=0.001)
    )
    machine = Machine(broker, Shelf())
    machine.shared._storage.put(machine.question(TRUE), honest[TRUE])
    assert machine.ask(TRUE).status == "verified"
    assert machine.searched == 1


def test_a_certificate_that_was_refused_is_not_checked_again(
    broker: Broker, honest: dict[str, KeptCertificate], monkeypatch: pytest.MonkeyPatch
) -> None:
    checks: list[bytes] = []
    check = shared_verdicts.check

    def counted(data: bytes, *arguments: object, **named: object) -> object:
        checks.append(data)
        return check(data, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(shared_verdicts, "check", counted)
    shelf = Shelf()
    shelf.takes_more = False
    machine = Machine(broker, shelf)
    shelf.put(machine.question(FALSE), honest[TRUE])
    for _ in range(3):
        assert machine.ask(FALSE).status == "disproved"
    assert len(checks) == 1


def test_a_file_of_a_home_is_believed_no_more(
    broker: Broker, honest: dict[str, KeptCertificate], tmp_path: Path
) -> None:
    from kleis.prover.kept_certificates import CertificateFiles

    files = CertificateFiles(tmp_path / "certified")
    machine = Machine(broker, files)  # type: ignore[arg-type]
    files.put(machine.question(FALSE), with_fields(honest[TRUE], goal=machine.question(FALSE)))
    files.put(machine.question(TRUE), honest[TRUE])
    assert machine.ask(FALSE).status == "disproved"
    assert machine.ask(TRUE).status == "verified"
    assert machine.searched == 1
    (tmp_path / "certified" / f"{machine.question(TRUE)}.json").write_text("{")
    assert machine.ask(TRUE).status == "verified"
    assert machine.searched == 2
