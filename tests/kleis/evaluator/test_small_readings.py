"""Details that programs rely on: powers of unbound names, escaped line breaks, records by named arguments."""

from __future__ import annotations

import pytest

from tests.support.theories.running import assertion, refusal, value


def test_a_power_with_a_natural_exponent_always_has_a_value() -> None:
    assert assertion("assert(y = x^2 + 1)", lets="let x : ℝ  let y = x^2 + 1").status == "passed"
    assert assertion("assert(x^0 = x^0)").status == "passed"


@pytest.mark.parametrize("power", ["x^n", "x^(-1)", "x^(1/2)", "(1/x)^2"])
def test_other_powers_may_be_undefined(power: str) -> None:
    assert assertion(f"assert({power} = {power})").status == "undecided"


def test_lines_of_an_escaped_text() -> None:
    assert value('splitLines("a\\\\nb")') == '["a", "b"]'
    assert value('countLines("a\\\\nb\\\\n")') == "2"
    assert value('splitLines("a\\\\nb\\nc")') == '["a\\\\nb", "c"]'


def test_a_record_by_named_arguments() -> None:
    assert value('record(name = "a") = record(field("name", "a"))') == "true"
    assert value('get_field(record(name = "a", size = 2), "size")') == "2"
    assert refusal("record(3)").code == "sort"


def test_a_sum_does_not_speak_of_matrices() -> None:
    assert "matri" not in refusal('sum([1, "a"])').message


def test_a_negation_is_shown_with_its_sign() -> None:
    assert value("¬allowed(1)") == "¬allowed(1)"
    assert value("¬(p ∧ q)") == "¬(p ∧ q)"
    assert value("¬p") == "¬p"
