"""The programs of tests/kleis/elaborate/programs: every assertion elaborates, and brute force agrees with it.

They have what the shared propositions lack: ℕ, implementations, extension, `over`, nested structures with renaming,
ℚ and ℂ, sets, parametric data, guards, ∃ with `where`, function binders, structures that share names, linked sections.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kleis.elaborate.check_program import check_program
from kleis.elaborate.elaborator import Elaborator
from kleis.semantics.ranges import Bounds
from kleis.syntax.parser.parser import parse_program
from kleis.syntax.printer.program import print_expression
from kleis.syntax.tree import Assertion, Example, Expression, Program
from kleis.theory.theory import Theory
from tests.support.provers.brute_force import truth_of
from tests.support.terms.well_sorted import assert_sound

FILES = sorted((Path(__file__).parent / "programs").glob("*.kleis"))
PROGRAMS = {path.stem: parse_program(path.read_text(), file=path.name) for path in FILES}


def _assertions(program: Program) -> list[tuple[str, Expression]]:
    return [
        (statement.kind, statement.proposition)
        for item in program.items
        if isinstance(item, Example)
        for statement in item.statements
        if isinstance(statement, Assertion) and statement.proposition is not None
    ]


ASSERTIONS = [
    pytest.param(name, kind, proposition, id=f"{name}: {print_expression(proposition)}")
    for name, program in PROGRAMS.items()
    for kind, proposition in _assertions(program)
]


@pytest.mark.parametrize(("name", "kind", "proposition"), ASSERTIONS)
def test_an_assertion(name: str, kind: str, proposition: Expression) -> None:
    program = PROGRAMS[name]
    meaning = Elaborator(Theory().include(program)).proposition(proposition, file=program.file)
    assert_sound(meaning)
    assert not meaning.unsettled
    answer = truth_of(meaning, bounds=Bounds())
    assert (
        answer
        in {
            "assert": ("true",),
            "assert_disproved": ("false", "undefined"),
            "assert_inconsistent": ("true of no model",),
        }[kind]
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_has_no_errors(name: str) -> None:
    program = PROGRAMS[name]
    problems = check_program(Elaborator(Theory().include(program)), program)
    assert [str(each.message) for each in problems if each.severity == "error"] == []


def test_an_axiom_about_a_number_below_zero_in_the_naturals_is_told_so() -> None:
    text = "structure S { operation level : ℕ → ℝ  axiom below : level(0 - 1) = 2 }"
    program = parse_program(text)
    (problem,) = check_program(Elaborator(Theory().include(program)), program)
    assert problem.code == "not-shown-defined"
    assert "ℕ begins at 0" in problem.message
    assert "write ℤ" in problem.hint
