"""Text + text, `str` and `format`: values, refusals, and what proofs know of them (docs/reference/kleis.md §8.4, §8.9)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleis.core import BuiltinCall
from kleis.core.goal import ElaborationError
from kleis.core.traversal import subterms
from tests.support.provers.claims import task
from tests.support.theories.running import evaluation, refusal, value


@given(st.text(alphabet="ab{}x", max_size=6), st.text(alphabet="ab{}x", max_size=6))
def test_the_sum_of_texts_is_their_concatenation(a: str, b: str) -> None:
    assert evaluation(f'"{a}" + "{b}"').value == a + b
    assert value(f'"{a}" + "{b}" = concat("{a}", "{b}")') == "true"


@pytest.mark.parametrize("expression", ['"a" + 1', '1 + "a"', '"a" + [1]', '"a" - "b"'])
def test_a_text_and_another_value_have_no_sum(expression: str) -> None:
    assert refusal(expression).code == "sort"


@given(st.integers())
def test_the_text_of_an_integer_is_its_numeral(number: int) -> None:
    assert evaluation(f"str({number})").value == str(number)
    assert evaluation(f"intToStr({number})").value == str(number)
    assert evaluation(f"strToInt(str({number}))").value == number


@given(st.fractions(max_denominator=1000), st.integers(0, 6))
def test_decimals_are_rounded_as_round_does(number: object, places: int) -> None:
    rounded = evaluation(f"round(({number}) * 10^{places}) / 10^{places}").value
    text = evaluation(f'format("{{:.{places}}}", {number})').value
    assert isinstance(text, str)
    assert evaluation(f"{text} + 0").value == rounded
    assert len(text.partition(".")[2]) == places


def test_texts_of_floats_are_approximate_and_of_symbols_wait() -> None:
    assert evaluation("str(sqrt(2))").approximate
    assert evaluation('format("{:.2}", sqrt(2))').approximate
    assert value("str(x)") == "str(x)"
    assert value("str([1, x])") == "str([1, x])"


@pytest.mark.parametrize("template", ['"{} {}"', '"a"', '"{"', '"}"', '"{:d} {}"'])
def test_a_template_has_as_many_places_as_values(template: str) -> None:
    assert refusal(f"format({template}, 1)").code == "arity"


def test_in_propositions_they_are_the_operations_that_solvers_know() -> None:
    claim = task("", "∀(s : String, n : ℤ). s + str(n) = s").goal.claim
    assert claim is not None
    names = {each.operation.name for each in subterms(claim) if isinstance(each, BuiltinCall)}
    assert names == {"concat", "intToStr"}


@pytest.mark.parametrize(
    "proposition",
    ["∀(x : ℚ). str(x) = str(x)", '∀(n : ℤ). format("{}", n) = "a"', "∀(s : String). s + 1 = s"],
)
def test_what_has_no_operation_is_refused(proposition: str) -> None:
    with pytest.raises(ElaborationError):
        task("", proposition)
