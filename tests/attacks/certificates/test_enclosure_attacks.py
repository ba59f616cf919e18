"""Certificates of comparisons by rational bounds, changed: each file that says something else is refused.

See docs/reference/certificates.md §3.8.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import msgspec
import pytest

from kleis.prover.certificates.build import Question, build
from kleis.prover.certificates.check import check
from kleis.prover.checker.format import Assignment, Certificate, Enclosures, Evaluation, Step
from kleis.prover.checker.strict_reading import to_json
from kleis.prover.process.broker import Broker
from kleis.prover.prover import Prover
from kleis.syntax.parser.parser import parse_expression
from kleis.theory.theory import Theory
from tests.attacks.certificates.test_forged_files import forged

FINE = "|π - 3.14159265358979323846264338327950288419716939937510| < 10^(-49)"
COARSE = "|π - 3.14159265358979323846264338327950288419716939937510| > 10^(-49)"


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as made:
        yield made


def made(broker: Broker, claim: str) -> Certificate:
    with Prover(Theory(), broker=broker) as prover:
        verdict = prover.verify(parse_expression(claim))
    return build(broker, Theory(), Question(claim), verdict)


def accepted(broker: Broker, certificate: Certificate) -> bool:
    return check(to_json(certificate), broker).ok


def test_a_proof_holds_with_its_precision_and_with_more_alone(broker: Broker) -> None:
    certificate = made(broker, FINE)
    assert certificate.steps == (Step(Enclosures(1024)),)
    for precision, holds in ((2048, True), (128, False), (0, False), (-1, False), (10**9, False)):
        changed = msgspec.structs.replace(certificate, steps=(Step(Enclosures(precision)),))
        assert accepted(broker, changed) is holds, precision
    assert not accepted(broker, msgspec.structs.replace(certificate, steps=(Step(Evaluation()),)))


def test_a_refutation_holds_with_its_precision_and_with_more_alone(broker: Broker) -> None:
    certificate = made(broker, COARSE)
    assert certificate.witness == Assignment(precision=1024)
    for precision, holds in ((2048, True), (128, False), (0, False), (10**9, False)):
        changed = msgspec.structs.replace(certificate, witness=Assignment(precision=precision))
        assert accepted(broker, changed) is holds, precision


@pytest.mark.parametrize(
    "claim",
    [
        "π < 3",
        "sin(π) = 0",
        "√2 * √2 = 2",
        "ln(0) < 1",
        "¬(ln(0) < 1)",
        "√(3 - π) < 1",
        "w = w",
        "exp(10^6) > 1",
    ],
)
def test_forged_proofs_are_refused(broker: Broker, claim: str) -> None:
    theory = "structure W { element w : ℝ }\n" if "w" in claim else ""
    assert not accepted(broker, forged(claim, Step(Enclosures(256)), theory=theory))


@pytest.mark.parametrize("claim", ["π > 3", "sin(π) = 0", "√2 * √2 = 2", "√(3 - π) < 1"])
def test_forged_refutations_are_refused(broker: Broker, claim: str) -> None:
    changed = forged(claim, status="disproved", witness=Assignment(precision=256))
    assert not accepted(broker, changed)


def test_no_byte_of_a_proof_may_change(broker: Broker) -> None:
    """Random bytes of the claim, the digest and the proof: an accepted file is one with more precision, or the same."""
    data = to_json(made(broker, FINE))
    begin = data.index(b'"goal"')
    source = random.Random(1)
    for _ in range(40):
        place = source.randrange(begin, len(data))
        byte = source.choice(b'0123456789"{}<>-.\\ ')
        changed = data[:place] + bytes([byte]) + data[place + 1 :]
        if changed != data and b'"precision":1024' in changed:
            assert not check(changed, broker).ok, changed[begin:]


@pytest.mark.parametrize(
    "proof",
    [
        '{"rule":"enclosures"}',
        '{"rule":"enclosures","precision":"128"}',
        '{"rule":"enclosures","precision":1e2}',
        '{"rule":"enclosures","precision":true}',
        '{"rule":"enclosures","precision":128,"low":"3"}',
    ],
)
def test_other_fields_are_malformed(broker: Broker, proof: str) -> None:
    data = to_json(forged("π > 3", Step(Enclosures(128)))).decode()
    right = '{"rule":"enclosures","precision":128}'
    assert right in data
    assert check(data.encode(), broker).ok
    assert not check(data.replace(right, proof).encode(), broker).ok
