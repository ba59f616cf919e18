"""Integers too long for Python's default printing: cache keys, scripts, witnesses and certificates handle them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from kleis.core.canonical_bytes import digest_of
from kleis.prover.checker.write_terms import number_spelling
from kleis.prover.engines.solvers.script_engines import DIRECT
from kleis.prover.evidence import check_evidence
from kleis.prover.protocol.engine import Task
from kleis.prover.smt.script import encode
from kleis.values.text import signed_integer
from tests.support.provers.claims import task

NINES = "9" * 5_000
EIGHTS = "8" * 4_999 + "7"


def test_questions_with_different_long_numbers_have_different_keys() -> None:
    keys = {digest_of(task("", f"∀(x : ℤ). x < {each}").goal) for each in (NINES, EIGHTS, f"1.{NINES}")}
    assert len(keys) == 3
    again = digest_of(task("", f"∀(x : ℤ). x < {NINES}").goal)
    assert again in keys


def test_solvers_are_told_and_tell_all_digits() -> None:
    given = task("", f"∀(x : ℤ). x * 2 ≠ {NINES[:-1]}8")
    assert NINES[:-1] in encode(Task(given.goal)).claim
    evidence = check_evidence(given, DIRECT.run(given, 1_000_000))
    assert evidence is not None
    assert evidence.bindings[0].value == "4" + "9" * 4_999


@pytest.mark.parametrize("digits", [1, 5_000])
def test_certificates_hold_long_numbers(digits: int) -> None:
    """The numbers are made here: pytest cannot print them."""
    for number in (10**digits, -(10**digits)):
        assert (signed_integer(number_spelling(number)) == number) is True
    parts = number_spelling(Fraction(-(10**digits), 10**digits + 1)).split("/")
    assert (Fraction(*map(signed_integer, parts)) == Fraction(-(10**digits), 10**digits + 1)) is True
