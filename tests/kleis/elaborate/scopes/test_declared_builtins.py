"""A declaration over a type parameter, and an operator sign anywhere, leave built-in sorts to the built-in."""

from __future__ import annotations

from itertools import product

import pytest

from kleis.builtins.row import Builtin
from kleis.builtins.rows.table import BUILTINS
from kleis.core import Term
from kleis.core.goal import ElaborationError
from kleis.elaborate.check_program import check_program
from kleis.syntax.parser.parser import parse_program
from tests.support.theories.cases import PROGRAM, elaborator_of, goal_of

SORTS = ("ℕ", "ℤ", "ℚ", "ℝ", "ℂ", "Bool", "String", "List(ℤ)", "Set(ℤ)")
OPERATORS = {
    "plus": "+",
    "minus": "-",
    "times": "*",
    "divide": "/",
    "power": "^",
    "less_than": "<",
    "leq": "≤",
    "greater_than": ">",
    "geq": "≥",
}


def _claim(program: str, proposition: str) -> Term | None:
    """What a proposition claims, with what a program declares; None where it cannot be elaborated."""
    try:
        return goal_of(elaborator_of(program), proposition).claim
    except ElaborationError:
        return None


def _declarations(name: str, count: int, sort: str) -> list[str]:
    """Every way in which a program may try to give a name of a built-in a meaning of its own at a sort."""
    domain = " × ".join(["T"] * count)
    parameters = ", ".join(f"x{number}" for number in range(count))
    typed = ", ".join(f"x{number} : T" for number in range(count))
    shown = f"({OPERATORS[name]})" if name in OPERATORS else name
    declared = f"structure Own(T) {{ operation {shown} : {domain} → T }}"
    found = [
        declared,
        f"{declared} implements Own({sort}) {{ operation {shown}({parameters}) = x0 }}",
        f"{declared} implements Own({sort}) {{ }}",
        f"structure Own(T) {{ element e : T define {shown}({typed}) : T = x0 }} implements Own({sort}) {{ element e = e }}",
    ]
    if name in OPERATORS:
        found += [
            f"operation {shown} : {domain} → T",
            f"operation {shown} : {domain.replace('T', sort)} → {sort}",
            f"structure Section {{ operation {shown} : {domain.replace('T', sort)} → {sort} }}",
        ]
    return found


@pytest.mark.parametrize("row", BUILTINS, ids=lambda row: row.name)
def test_built_in_sorts_belong_to_built_ins(row: Builtin) -> None:
    """At sorts that a built-in takes, a claim about its name is the same whatever else is declared."""
    tried = 0
    for count, sort in product(range(max(1, row.least), 3), SORTS):
        names = " ".join(f"x{number}" for number in range(count))
        call = (
            f" {OPERATORS[row.name]} ".join(names.split())
            if row.name in OPERATORS
            else f"{row.name}({names.replace(' ', ', ')})"
        )
        proposition = f"∀({names} : {sort}). {call} = {call}"
        built_in = _claim("", proposition)
        if built_in is None:
            continue
        for program in _declarations(row.name, count, sort):
            tried += 1
            assert _claim(program, proposition) == built_in, program
    assert tried or row.name not in OPERATORS


@pytest.mark.parametrize(
    ("program", "found"),
    [
        ("operation (/) : ℤ × ℤ → ℤ", "(/) : ℤ × ℤ → ℚ is built in"),
        ("structure Section { operation (-) : ℕ × ℕ → ℕ }", "(-) : ℕ × ℕ → ℤ is built in"),
        ("structure Own(T) { operation length : String → T }", "length : String → ℕ is built in"),
        (
            "structure Own(T) { element e : T operation length : String → Bool }",
            "length : String → ℕ is built in",
        ),
        (
            "structure Own(T) { operation (/) : T × T → T } implements Own(ℤ) { operation (/)(a, b) = a }",
            "Own(ℤ) is no model: (/) : ℤ × ℤ → ℚ is built in",
        ),
        (
            "structure Own(T) { operation (/) : T × T → T } implements Own(ℚ) { operation (/) = builtin_divide }",
            "",
        ),
    ],
)
def test_a_conflict_is_an_error_of_the_file(program: str, found: str) -> None:
    problems = [
        each.message for each in check_program(elaborator_of(program), parse_program(program, file=PROGRAM))
    ]
    assert any(each.startswith(found) for each in problems) if found else not problems, problems


def test_a_structure_keeps_its_own_definition_in_its_text() -> None:
    program = """
        structure Signed(T) {
            operation (+) : T × T → T
            operation opposite : T → T
            define (-)(x : T, y : T) : T = x + opposite(y)
            axiom left : ∀(x : T). x - x = x + opposite(x)
        }
    """
    goal = goal_of(elaborator_of(program), "using Signed(ℤ) Signed::minus(5, 3) = 5 + opposite(3)")
    assert any("minus" in each.name for each in goal.definitions)
    assert _claim(program, "using Signed(ℤ) 5 - 3 = 2") == _claim("", "5 - 3 = 2")
