"""Terms as data: written and read again, and everything else refused.

See docs/reference/certificates.md §2.3.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleis import core
from kleis.core.goal import Goal
from kleis.core.traversal import subterms
from kleis.elaborate.elaborator import Elaborator
from kleis.prover.checker.read_terms import Vocabulary
from kleis.prover.checker.sequent import RejectedError
from kleis.prover.checker.write_terms import sort_data, term_data
from kleis.syntax.parser.parser import parse_expression, parse_program, parse_type
from kleis.theory.theory import Theory

_FILE = Path(__file__).parents[4] / "benchmarks/more_propositions.jsonl"
ROWS = [
    row
    for row in map(json.loads, _FILE.read_text().splitlines())
    if row["proposition"] and "import" not in row["kleis"]
]

PROGRAM = """
structure Monoid(M) { operation (•) : M × M → M  element e : M  axiom left : ∀(x : M). e • x = x }
data Tree = Leaf | Node(left : Tree, value : ℤ, right : Tree)
define size(t : Tree) : ℕ = match t { Leaf => 0 | Node(l, v, r) => size(l) + 1 + size(r) }
define half(n : ℤ) : ℚ = if n = 0 then 0 else 1 / n
"""
CLAIM = (
    "∀(x : M) (t : Tree) (n : ℕ) (f : ℤ → ℤ) (s : Set(ℤ)) (r : ℝ). e • x = x ∧ size(t) ≥ 0 ∧ "
    '(match t { Leaf => 1 | Node(l, v, q) => v }) > n - 1 ∧ half(n) = 0.5 ∧ in_set(f(3), s) ∧ "a" ≠ "b" ∧ r / 2 < r'
)


def goal_of(program: str, claim: str, using: str = "") -> tuple[Goal, Vocabulary]:
    elaborator = Elaborator(Theory().include(parse_program(program)))
    goal = elaborator.proposition(parse_expression(claim), using=parse_type(using) if using else None)
    return goal, Vocabulary(goal, elaborator.definitions.operation)


GOAL, VOCABULARY = goal_of(PROGRAM, CLAIM)


@pytest.mark.parametrize("row", ROWS[::3], ids=[row["name"] for row in ROWS[::3]])
def test_formulas_are_read_as_they_were_written(row: dict[str, Any]) -> None:
    goal, vocabulary = goal_of(row["kleis"], row["proposition"], row.get("using") or "")
    for formula in (goal.claim, *(each.formula for each in goal.axioms)):
        assert formula is not None
        data = json.loads(json.dumps(term_data(formula)))
        assert vocabulary.closed_formula(data) == formula


def test_bodies_of_definitions_too() -> None:
    for each in GOAL.definitions:
        data = json.loads(json.dumps(term_data(each.body)))
        assert VOCABULARY.of_sort(data, each.result, each.parameters) == each.body


N = ["var", "n"]
HOSTILE: dict[str, Any] = {
    "no list": "true",
    "nothing": [],
    "null": None,
    "a number": 1,
    "an unknown head": ["assert", ["true"]],
    "a head that is no word": [["true"]],
    "true of something": ["true", 1],
    "a free variable": ["=", ["var", "y"], ["var", "y"]],
    "a variable of no text": ["var", 1],
    "a term that is no formula": ["number", "1", "ℕ"],
    "solver text": ["text", ")(assert false)"],
    "an ill-sorted equation": ["=", ["number", "1", "ℕ"], ["number", "1", "ℤ"]],
    "a negative natural number": ["=", ["number", "-1", "ℕ"], ["number", "-1", "ℕ"]],
    "a fraction in ℤ": ["=", ["number", "1/2", "ℤ"], ["number", "1/2", "ℤ"]],
    "a number in Bool": ["number", "1", "Bool"],
    "a padded number": ["=", ["number", "01", "ℕ"], ["number", "1", "ℕ"]],
    "a fraction that is not reduced": ["=", ["number", "2/4", "ℚ"], ["number", "1/2", "ℚ"]],
    "no number": ["=", ["number", "nan", "ℝ"], ["number", "nan", "ℝ"]],
    "a number that is no text": ["=", ["number", 1, "ℕ"], ["number", 1, "ℕ"]],
    "an unknown symbol": ["symbol", "holds", "Bool"],
    "a symbol at other sorts": ["=", ["symbol", "e", "ℤ"], ["symbol", "e", "ℤ"]],
    "an unknown built-in": ["built-in", "is_true", "Bool"],
    "a built-in with another result": ["built-in", "plus", "Bool", ["number", "1", "ℕ"], ["number", "1", "ℕ"]],
    "a built-in with too few arguments": ["built-in", "leq", "Bool", ["number", "1", "ℕ"]],
    "a built-in at mixed sorts": ["built-in", "leq", "Bool", ["number", "1", "ℕ"], ["number", "1", "ℤ"]],
    "an unknown definition": ["definition", "power"],
    "a definition without arguments": ["=", ["definition", "size"], ["number", "0", "ℕ"]],
    "an unknown constructor": ["is", "Cons", ["make", "Leaf", ["Data", "Tree"]]],
    "a constructor of another sort": ["is", "Leaf", ["number", "1", "ℕ"]],
    "an unknown data type": ["is", "Leaf", ["make", "Leaf", ["Data", "Forest"]]],
    "a constructor with too few fields": ["is", "Leaf", ["make", "Node", ["Data", "Tree"]]],
    "a field that is not there": ["=", ["field", "Leaf", 0, ["make", "Leaf", ["Data", "Tree"]]], N],
    "a field that is no number": ["=", ["field", "Node", True, ["make", "Leaf", ["Data", "Tree"]]], N],
    "an unknown carrier": ["forall", [["x", ["Carrier", "Group::G"]]], ["true"]],
    "a sort variable": ["forall", [["x", "T"]], ["true"]],
    "a variable bound twice": ["forall", [["x", "ℤ"], ["x", "ℤ"]], ["true"]],
    "a variable bound around it": ["forall", [["x", "ℤ"]], ["exists", [["x", "ℤ"]], ["true"]]],
    "no variable": ["forall", [], ["true"]],
    "a body that is no formula": ["forall", [["x", "ℤ"]], ["var", "x"]],
    "a let around a let of one name": [
        "let", "x", ["true"], ["let", "x", ["true"], ["var", "x"]],
    ],
    "branches of two sorts": ["=", ["if", ["true"], ["number", "1", "ℕ"], ["true"]], ["true"]],
    "a condition that is none": ["if", ["number", "1", "ℕ"], ["true"], ["true"]],
    "a conjunction of one": ["and", ["true"]],
    "a negation of two": ["not", ["true"], ["true"]],
    "a coercion downwards": ["=", ["as", "ℕ", ["number", "1", "ℤ"]], ["number", "1", "ℕ"]],
    "a coercion of Bool": ["=", ["as", "ℤ", ["true"]], ["number", "1", "ℤ"]],
    "a coercion that changes nothing": ["=", ["as", "ℤ", ["number", "1", "ℤ"]], ["number", "1", "ℤ"]],
    "a narrowed real": ["=", ["natural", ["number", "1", "ℝ"]], ["number", "1", "ℕ"]],
    "an application of a number": ["apply", ["number", "1", "ℕ"], ["number", "1", "ℕ"]],
    "a function at too many arguments": [
        "apply", ["function", [["x", "ℤ"]], ["true"]], ["number", "1", "ℤ"], ["number", "1", "ℤ"],
    ],
    "fields out of order": ["forall", [["x", ["Record", ["b", "ℤ"], ["a", "ℤ"]]]], ["true"]],
    "a tuple of one": ["forall", [["x", ["Tuple", "ℤ"]]], ["true"]],
    "a bit vector without bits": ["forall", [["x", ["BitVec", 0]]], ["true"]],
    "a wide bit vector": ["forall", [["x", ["BitVec", 10**9]]], ["true"]],
}  # fmt: skip


def _row(*entries: str) -> Any:
    made: Any = ["make", "Nil", ["List", "ℤ"]]
    for entry in reversed(entries):
        made = ["make", "Cons", ["List", "ℤ"], ["number", entry, "ℤ"], made]
    return made


def _trace_of_rows(*rows: Any) -> Any:
    """That the trace of the 2×2 matrix of these rows is 5."""
    made: Any = ["make", "Nil", ["List", ["List", "ℤ"]]]
    for each in reversed(rows):
        made = ["make", "Cons", ["List", ["List", "ℤ"]], each, made]
    square = ["Matrix", ["Dimension", [[], 2]], ["Dimension", [[], 2]], "ℤ"]
    return ["=", ["built-in", "trace", "ℤ", ["built-in", "matrix", square, made]], ["number", "5", "ℤ"]]


def test_a_matrix_has_the_size_of_its_rows() -> None:
    VOCABULARY.closed_formula(_trace_of_rows(_row("1", "2"), _row("3", "4")))
    for rows in ([_row("1", "2")], [_row("1", "2"), _row("3")], [_row("1"), _row("2")], []):
        with pytest.raises(RejectedError, match="no such sorts"):
            VOCABULARY.closed_formula(_trace_of_rows(*rows))


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_everything_else_is_refused(data: Any) -> None:
    with pytest.raises(RejectedError):
        VOCABULARY.closed_formula(data)


def test_huge_terms_are_refused() -> None:
    _, vocabulary = goal_of(PROGRAM, CLAIM)
    with pytest.raises(RejectedError, match="more than"):
        vocabulary.closed_formula(["and", *[["true"]] * 200_000])


_DATA = st.recursive(
    st.sampled_from(
        [
            "true",
            "var",
            "n",
            "ℕ",
            "ℤ",
            "Bool",
            "=",
            "and",
            "forall",
            "symbol",
            "e",
            "1",
            "-1",
            0,
            1,
            True,
            None,
        ]
    ),
    lambda inner: st.lists(inner, max_size=4),
    max_leaves=12,
)


@given(_DATA)
def test_whatever_is_read_is_well_sorted_and_written_so(data: Any) -> None:
    _, vocabulary = goal_of(PROGRAM, "1 = 1")
    try:
        term = vocabulary.term(data, ())
    except RejectedError:
        return
    assert all(isinstance(each.sort, core.Sort) for each in subterms(term))
    assert vocabulary.term(json.loads(json.dumps(term_data(term))), ()) == term


def test_the_condition_of_a_built_in_is_the_tables() -> None:
    _, vocabulary = goal_of(PROGRAM, "∀(x y : ℝ). x / y = x / y")
    x = core.Variable("x", core.REAL)
    read = vocabulary.term(["built-in", "divide", "ℝ", ["var", "x"], ["var", "x"]], (x,))
    assert isinstance(read, core.BuiltinCall)
    assert read.operation.condition is not None


def test_sorts() -> None:
    for variable in GOAL.claim.variables if isinstance(GOAL.claim, core.Quantifier) else ():
        assert VOCABULARY.sort(json.loads(json.dumps(sort_data(variable.sort)))) == variable.sort
