"""Propositions that were once interpreted wrongly, each with the right interpretation."""

from __future__ import annotations

import pytest

from kleis.core.traversal import canonical
from kleis.delaborate.describe_goal import proposition_of
from kleis.elaborate.check_program import check_program
from kleis.elaborate.elaborator import Elaborator
from kleis.errors import KleisError
from kleis.semantics.models import decide
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.syntax.printer.program import print_expression
from kleis.theory.theory import Theory

ALGEBRA = """
define e = 27/10
structure Mon(T) { operation (•) : T × T → T  element e : T  axiom l : ∀(x : T). e • x = x }
implements Mon(ℤ) { operation (•) = λ x y . x + y  element e = 0 }
"""


def elaborator(program: str = "") -> Elaborator:
    return Elaborator(Theory().include(parse_program(program)))


def decided(proposition: str, program: str = "") -> str:
    decision = decide(elaborator(program).proposition(parse_expression(proposition)))
    return "undefined" if decision.undefined else decision.status


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("[1]", "[3, -1, 2]"),
        ("[[1]]", "[[-1]]"),
        ("[0]", "[1/2]"),
        ("(1, [1])", "(1, [-1])"),
        ("[1]", "Cons(-1, [])"),
    ],
)
def test_an_equation_narrows_neither_side(left: str, right: str) -> None:
    assert decided(f"{left} ≠ {right}") == decided(f"{right} ≠ {left}") == "true"


def test_an_element_is_narrowed_where_naturals_are_declared() -> None:
    program = "define size(l : List(ℕ)) : ℕ = length(l)"
    assert decided("size([-1]) = 1", program) == "undefined"


def test_a_complement_of_literals_is_taken_at_the_wider_sort() -> None:
    claim = elaborator().proposition(parse_expression("in_set(-1, complement(singleton(1)))")).claim
    wide = elaborator().proposition(parse_expression("in_set(-1, complement(singleton(1 : ℤ)))")).claim
    assert claim is not None
    assert wide is not None
    assert canonical(claim) == canonical(wide)


@pytest.mark.parametrize(
    "proposition",
    ["∀(x : T). x = e → x • x = x", "∀(x : T). e ≠ x → x • x = e", "∀(x : T). (if x = e then x else x) = x"],
)
def test_a_constant_beside_a_carrier_is_that_of_the_structure(proposition: str) -> None:
    meaning = elaborator(ALGEBRA).proposition(parse_expression(proposition))
    assert [each.structure for each in meaning.instances] == ["Mon"]


def test_an_operation_given_by_a_lambda_is_given() -> None:
    assert decided("2 • 3 = 5", ALGEBRA) == "true"


def test_a_built_in_may_lack_arguments_where_a_function_is_wanted() -> None:
    assert decided("map(max(3), [1, 5]) = [3, 5]") in ("true", "open")


@pytest.mark.parametrize(
    "text",
    [
        "¬" * 240 + "true",
        "(" * 240 + "x" + " + 1)" * 240 + " > x",
        "".join(f"∀(x{n} : ℤ). " for n in range(120)) + "x1 = x1",
        "[" + ", ".join(map(str, range(1500))) + "] = x",
        "9" * 5000 + " > 1",
    ],
)
def test_deep_and_long_sources_are_read_and_printed(text: str) -> None:
    meaning = elaborator().proposition(parse_expression(text))
    proposition = proposition_of(meaning)
    assert proposition is not None
    assert print_expression(proposition)


def test_a_list_that_is_too_long_to_be_written_out_is_refused_with_its_place() -> None:
    text = "[" + ", ".join(["1"] * 3000) + "] = x"
    with pytest.raises(KleisError) as caught:
        elaborator().proposition(parse_expression(text))
    assert (caught.value.code, caught.value.line) == ("too-large", 1)


def test_a_data_type_with_the_name_of_a_built_in_one_is_warned_of() -> None:
    program = parse_program("data ℤ = Z")
    problems = check_program(Elaborator(Theory().include(program)), program)
    assert [each.code for each in problems] == ["built-in-type"]
