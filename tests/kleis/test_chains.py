"""Chains of a thousand operands go through every door within Python's usual limit of recursion (docs/reference/kleis.md §3)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kleis.budget import STANDARD_BUDGET, deep
from kleis.builtins.rows.table import builtin_arities
from kleis.elaborate.elaborator import Elaborator
from kleis.evaluator.environment import environment_of
from kleis.evaluator.evaluate import evaluate
from kleis.lean.export.export import export_goal
from kleis.prover.protocol.engine import Task
from kleis.prover.smt.script import encode
from kleis.syntax.parser.parser import parse_expression, parse_program, parse_source
from kleis.syntax.printer.formatter import format_source
from kleis.syntax.printer.program import print_expression, print_program
from kleis.theory.name_check.check_names import check_names
from kleis.theory.parse_cache import ParseCache
from kleis.theory.theory import Theory
from tests.support.terms.recursion import deep_in_c

COUNT = 1_000
USUAL = 1_000


@pytest.fixture(autouse=True)
def usual_limit() -> Iterator[None]:
    """Python's own limit, whatever other tests raised it to."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(USUAL)
    yield
    sys.setrecursionlimit(max(before, sys.getrecursionlimit()))


CHAINS = {
    "sum": ("∀(x : ℤ). {} = 1000 * x", "x", " + "),
    "difference": ("∀(x : ℤ). {} = -998 * x", "x", " - "),
    "conjunction": ("∀(p : Bool). ({}) → p", "p", " ∧ "),
    "disjunction": ("∀(p : Bool). ({}) → p", "p", " ∨ "),
    "implication": ("∀(p : Bool). p → ({})", "p", " → "),
    "text": ("∀(s : String). strlen({}) = 1000 * strlen(s)", "s", " + "),
}


@pytest.fixture(params=CHAINS.values(), ids=list(CHAINS))
def proposition(request: pytest.FixtureRequest) -> str:
    pattern, operand, sign = request.param
    return str(pattern.format(sign.join([operand] * COUNT)))


@deep_in_c
def test_a_chain_is_read_printed_and_compared(proposition: str) -> None:
    tree = parse_expression(proposition)
    assert parse_expression(print_expression(tree)) == tree
    assert hash(tree) == hash(parse_expression(print_expression(tree, ascii=True)))


@deep_in_c
def test_a_program_with_a_chain_is_checked_formatted_and_kept(proposition: str, tmp_path: Path) -> None:
    text = f'example "long" {{ assert({proposition}) }}\n'
    program = parse_program(text)
    assert parse_program(format_source(text)) == program == parse_program(print_program(program))
    assert check_names(program, Theory().include(program), builtin_arities()) == ()
    cache = ParseCache(tmp_path)
    cache.store("a", parse_source(text))
    kept = cache.load("a", file="<text>")
    assert kept is not None
    assert kept.program == program


@deep_in_c
def test_a_chain_is_elaborated_encoded_and_exported(proposition: str) -> None:
    goal = Elaborator(Theory()).proposition(parse_expression(proposition))
    assert "(assert " in encode(Task(goal)).text()
    assert "theorem thm_claim" in export_goal(goal).text


@pytest.mark.parametrize(
    ("operand", "sign", "value"), [("1", " + ", 1_000), ("true", " ∧ ", True), ('"a"', " + ", "a" * 1_000)]
)
def test_a_chain_is_evaluated(operand: str, sign: str, value: object) -> None:
    found = evaluate(
        parse_expression(sign.join([operand] * COUNT)), environment_of(Theory()), STANDARD_BUDGET
    )
    assert found.value == value


def test_room_is_given_back() -> None:
    with deep():
        with deep():
            assert sys.getrecursionlimit() > USUAL
        assert sys.getrecursionlimit() > USUAL
    assert sys.getrecursionlimit() == USUAL
