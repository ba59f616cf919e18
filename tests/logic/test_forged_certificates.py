"""Certificates written by hand, of what is false: none is accepted.

Specification: proving.md §6; issue 5, item 6.  The other attacks change certificates that were right
(tests/logic/test_certificate.py).
"""

from __future__ import annotations

from kleis.logic.broker import Broker
from kleis.logic.cache import digest_of
from kleis.logic.certificate import Certificate, ObligationText, check
from kleis.logic.certificate_build import theory_text
from kleis.logic.engine import Task
from kleis.logic.obligations import digest
from kleis.logic.smt.script import encode
from kleis.meaning.elaborate import elaborate
from kleis.parser import parse_expression, parse_program
from kleis.theory import Theory


def test_naming_the_engine_that_computes_spares_nobody_the_proof_of_termination() -> None:
    """The measure fails at one number that nobody tries; there, the equation of `spin` says that 0 = 1."""
    program = "@decreases(n)\ndefine spin(n : ℕ) : ℤ = if n * n = 1000006000009 then spin(n) + 1 else 0\n"
    spinning = Theory().include(parse_program(program))
    claim = "spin(1000003) = 7"
    meaning = elaborate(spinning, parse_expression(claim))
    text = encode(Task(meaning)).text()
    forged = Certificate(
        status="verified",
        claim=claim,
        theory=theory_text(spinning),
        meaning=digest_of(meaning),
        engine="evaluation",
        budget=1,
        obligations=(ObligationText("claim", text, digest(text)),),
    )
    with Broker() as broker:
        found = {each.what: each.ok for each in check(forged, broker).findings}
    assert found == {"claim": True, "hash of claim": True, "proof": True, "spin::decreases::1": False}
