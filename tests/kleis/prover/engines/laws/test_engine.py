"""The engines of laws: their proofs are certificates, and changed ones are refused."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
import pytest

from kleis.core.canonical_bytes import digest_of
from kleis.prover.checker.format import Certificate, CertificateError, Step
from kleis.prover.checker.kernel import judge
from kleis.prover.engines.laws.engine import IDENTITIES, LAWS, SUMS
from kleis.prover.process.broker import Broker, Guards
from kleis.prover.protocol.engine import Answer
from tests.support.provers.claims import task

TRUE = [
    (IDENTITIES, "∀(x : ℝ). cos(x) ≠ 0 → 1 + tan(x)^2 = 1 / cos(x)^2"),
    (
        IDENTITIES,
        "∀(a b c d : ℝ). let m = matrix([[a, b], [c, d]]) in multiply(m, m) = matrix_sub("
        "scalar_matrix_mul(a + d, m), scalar_matrix_mul(a * d - b * c, matrix([[1, 0], [0, 1]])))",
    ),
    (IDENTITIES, "∀(x : ℝ). cos(x) ≠ 0 → (let t = 1 / cos(x) in (let s = tan(x) in t^2 - s^2 = 1))"),
    (LAWS, "∀(x : ℝ). -1 ≤ sin(x)"),
    (SUMS, "∀(n : ℕ). Σ(0, n, λ i . 2^i) = 2^(n + 1) - 1"),
]


def certificate(claim: str, answer: Answer) -> Certificate:
    steps = msgspec.json.decode(dict(answer.proof)["steps"], type=tuple[Step, ...])
    goal = digest_of(task("", claim).goal)
    return Certificate(status="verified", theory="", goal=goal, claim=claim, steps=steps)


@pytest.mark.parametrize(("engine", "claim"), TRUE)
def test_a_proof_is_a_certificate_and_its_changes_are_none(engine: Any, claim: str) -> None:
    answer = engine.run(task("", claim), 400_000)
    assert answer.outcome == "proved", answer.detail
    whole = certificate(claim, answer)
    assert judge(whole, ("z3",)).goal.claim is not None
    data = msgspec.to_builtins(whole.steps)
    source = Random(3)
    for _ in range(12):
        changed = msgspec.json.decode(msgspec.json.encode(data))
        step = source.choice(changed)
        if source.random() < 0.5 and len(changed) > 1:
            changed.remove(step)
        else:
            step["proof"] = {"rule": "law", "name": source.choice(["pythagoras", "sine is odd", "nothing"])}
        if msgspec.json.encode(changed) == msgspec.json.encode(data):
            continue
        forged = msgspec.structs.replace(whole, steps=msgspec.convert(changed, tuple[Step, ...]))
        with pytest.raises(CertificateError):
            judge(forged, ("z3",))


def test_where_no_law_has_an_instance_the_steps_end_the_engine() -> None:
    prime = "(n * n ≥ 2 ∧ (∀(d : ℕ). 2 ≤ d ∧ d < n * n → mod(n * n, d) ≠ 0))"
    with Broker() as broker:
        _, future = broker.submit(
            "kleis.prover.engines.laws.engine:LAWS",
            task("", f"∃(n : ℕ). {prime}"),
            400_000,
            guards=Guards(cpu=20, wall=300.0),
        )
        answer = future.result()
    assert (answer.outcome, answer.reason) == ("silent", "resource")


@pytest.mark.parametrize(
    "claim",
    [
        "∀(x y : ℝ). ln(x * y) = ln(x) + ln(y)",
        "∀(x : ℝ). √x * √x = x",
        "∀(x : ℝ, m n : ℤ). x^(m + n) = x^m * x^n",
        "∀(a b : ℤ). gcd(a, b) * lcm(a, b) = a * b",
        "∀(x : ℝ). exp(x) > 1 + x",
        "∀(x : ℝ). sin(x) ≤ x",
        "∀(a b : ℤ). mod(a * b, a) = 0",
        "∀(x : ℝ). let t = 1 / cos(x) in sin(x)^2 + cos(x)^2 = 1",
        "∀(x : ℝ). let t = 1 / cos(x) in cos(x) ≠ 0 → t * cos(x) = 1",
        "∀(x : ℝ). let t = tan(x) in ∀(x : ℝ). cos(x) ≠ 0 → tan(x) * cos(x) = sin(x)",
        "∀(x : ℝ). let y = sin(x) in ∀(x : ℝ). sin(x) = y",
        "∀(a b : ℝ). let m = matrix([[a, b], [b, a]]) in det(m) = a * a + b * b",
    ],
)
def test_what_fails_somewhere_is_not_proved(claim: str) -> None:
    for engine in (IDENTITIES, LAWS):
        if engine.applies(task("", claim)):
            assert engine.run(task("", claim), 60_000).outcome == "silent"
