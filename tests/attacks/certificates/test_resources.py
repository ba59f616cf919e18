"""Certificates that are deep, wide or huge: each check ends with a refusal, and its caller goes on."""

from __future__ import annotations

import pytest

from kleis.prover.certificates.check import check
from kleis.prover.checker.format import Ask as Asked
from kleis.prover.checker.format import Case, Certificate, Evaluation, Induction, Step
from kleis.prover.checker.strict_reading import to_json
from kleis.prover.process.broker import Broker
from tests.attacks.certificates.test_forged_files import forged

_TRUE = ["true"]
_FILE = b'{"version":2,"status":"verified","theory":"","goal":"","claim":"1 = 2","steps":%s}\n'
_LAST = Step(Asked(("step 1",)))


def _unread(claim: str = "1 = 2", theory: str = "") -> bytes:
    steps = (Step(Asked()),)
    return to_json(Certificate(status="verified", theory=theory, goal="0" * 64, claim=claim, steps=steps))


_ATTACKS = {
    "brackets of a file": _FILE % (b"[" * 100_000 + b"]" * 100_000),
    "brackets of a claim": _unread("(" * 20_000 + "1" + ")" * 20_000 + " = 2"),
    "operators of a claim": _unread("¬" * 50_000 + "(1 = 1)"),
    "brackets of a theory": _unread(
        theory="define f(n : ℤ) : ℤ = " + "(" * 20_000 + "n" + ")" * 20_000 + "\n"
    ),
    "a number of a claim": _unread("9" * 2_000_000 + " = 2"),
    "a power, computed": to_json(forged("2^(10^9) = 3", Step(Evaluation()))),
    "a term of many parts": to_json(forged("1 = 2", Step(Asked(), ["and", *[_TRUE] * 200_000]), _LAST)),
    "many questions": to_json(forged("1 = 2", *[Step(Evaluation(), _TRUE)] * 3_000, _LAST)),
    "a file": b" " * (9 * 1024 * 1024),
    "bytes that are no text": b"\xff\xfe",
    "half of a character": _unread().replace(b"1 = 2", b"\\ud800"),
    "an induction from far below": to_json(
        forged(
            "∀(x : ℤ). x = 5",
            Step(Induction("x", (Case("low", Asked()), Case("step", Asked())), start=-(10**9), by=1)),
        )
    ),
}


@pytest.mark.parametrize("name", _ATTACKS)
def test_what_takes_too_much_is_refused(name: str) -> None:
    with Broker() as broker:
        report = check(_ATTACKS[name], broker)
        assert report.refused is not None
        assert check(to_json(forged("1 = 1", Step(Asked()))), broker).ok, "the caller goes on"
