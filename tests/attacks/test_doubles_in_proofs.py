"""A double proves nothing: numeric results do not reach the prover, facts of a block, certificates or `verified`."""

from __future__ import annotations

import pytest

from kleis.elaborate.elaborator import Elaborator
from kleis.errors import KleisError
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.theory.theory import Theory

ATTACKS = [
    "eigenvalues([[1]]) = [1]",
    "rank([[1]]) = 1",
    "∀(x : ℝ). x * x ≥ 0 ∨ x = norm([[1]])",
    "let r = rank([[1]]) in r = 1",
    "(λ m . rank(m))([[1]]) = 1",
    "wrapped([[1]]) = 1",
    "constant = 1",
    "length(ode45(λ t y . y, [1], [0, 1])) = 11",
    "length(fft([1, 2])) = 2",
    "mpow([[2]], 2) = [[4]]",
    "interval(sqrt(2)) = [1, 2]",
    "enclose(sin, 0, 1) = [0, 1]",
    "length(roots([0, 1])) = 1",
    "cmat_trace(cmat_eye(2)) = [2, 0]",
    "(if rank([[1]]) = 1 then 1 else 0) = 1",
]
PROGRAM = "define wrapped(m) = rank(m)\ndefine constant = rank([[1]])"


@pytest.mark.parametrize("proposition", ATTACKS)
def test_no_proposition_speaks_of_what_is_computed_in_doubles(proposition: str) -> None:
    program = parse_program(PROGRAM)
    elaborator = Elaborator(Theory().include(program))
    with pytest.raises(KleisError):
        elaborator.proposition(parse_expression(proposition))


def test_a_bare_numeric_name_is_any_function() -> None:
    """It is a free name of the claim, which then holds for no value of its own."""
    goal = Elaborator(Theory()).proposition(parse_expression("map(rank, [[[1]]]) = [1]"))
    assert goal.free
