"""Constants between rationals: the digits, the arithmetic on bounds, and that a declaration wins."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from kleis import core
from kleis.builtins.real_constants import BOUNDS
from kleis.elaborate.elaborator import Elaborator
from kleis.prover.checker.rules.evaluation import computed
from kleis.prover.checker.sequent import Sequent
from kleis.prover.checker.translation.script import translate
from kleis.semantics.enclosures import compared, enclosure
from kleis.semantics.truth import FALSE, OPEN, TRUE
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.theory.theory import Theory


def _arctangent(denominator: int, terms: int) -> tuple[Fraction, Fraction]:
    """arctan(1/denominator) between two partial sums of its alternating series."""
    total = Fraction(0)
    for k in range(terms):
        last = total
        total += Fraction((-1) ** k, (2 * k + 1) * denominator ** (2 * k + 1))
    return min(last, total), max(last, total)


def test_the_digits_of_pi_are_those_of_machin() -> None:
    five, large = _arctangent(5, 40), _arctangent(239, 12)
    low, high = 16 * five[0] - 4 * large[1], 16 * five[1] - 4 * large[0]
    assert BOUNDS["pi"][0] < low < high < BOUNDS["pi"][1]
    assert BOUNDS["tau"][0] < 2 * low < 2 * high < BOUNDS["tau"][1]


def test_the_digits_of_e_are_those_of_its_series() -> None:
    total, term = Fraction(0), Fraction(1)
    for k in range(1, 45):
        total += term
        term /= k
    assert BOUNDS["e"][0] < total < total + 2 * term < BOUNDS["e"][1]


def _claim(text: str, program: str = "") -> core.Term:
    theory = Theory().include(parse_program(program)) if program else Theory()
    goal = Elaborator(theory).proposition(parse_expression(text))
    assert goal.claim is not None
    return goal.claim


def _truth(text: str) -> object:
    goal = Elaborator(Theory()).proposition(parse_expression(text))
    assert goal.claim is not None
    return computed(goal, goal.claim, 100_000).truth


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        ("π > 3.14", TRUE),
        ("π = 22/7", FALSE),
        ("π ≠ 3", TRUE),
        ("π - π < 0.001", TRUE),
        ("π = π", OPEN),
        ("1 / (π - 3) > 7", TRUE),
        ("1 / (π - π) = 0", OPEN),
        ("(-π)^3 < -31", TRUE),
        ("|2 - e| < 0.72", TRUE),
        ("min(π, e) < 3 ∧ max(π, e) > 3", TRUE),
        ("3 > π ∨ e > 3", FALSE),
        ("sin(π) = 0", OPEN),
        ("2.718 < exp(1) ∧ exp(1) < 2.719", TRUE),
        ("exp(2) > 7.389 ∧ exp(2) < 7.3891", TRUE),
        ("exp(0) = 1", TRUE),
        ("exp(-1) < 1", OPEN),
        ("exp(1/2) > 1", OPEN),
        ("3.14 < 4 * arctan(1) ∧ 4 * arctan(1) < 3.15", TRUE),
        ("arctan(2) > 1", OPEN),
        ("((((π^60)^60)^60)^60)^60 > 1", OPEN),
    ],
)
def test_comparisons_by_bounds(text: str, truth: object) -> None:
    assert _truth(text) is truth


def test_a_defined_constant_is_its_value() -> None:
    theory = Theory().include(parse_program("define euler = exp(1)\ndefine forever = forever + euler"))
    for text, truth in (("euler < 2.7", FALSE), ("2 * euler > 5", TRUE), ("forever < 2.7 ∨ euler > 3", OPEN)):
        goal = Elaborator(theory).proposition(parse_expression(text))
        assert goal.claim is not None
        assert computed(goal, goal.claim, 100_000).truth is truth


def _random_term(source: random.Random, depth: int) -> str:
    if depth == 0:
        return source.choice(["π", "e()", "τ", "2", "(0 - 3)", "1/7"])
    a, b = _random_term(source, depth - 1), _random_term(source, depth - 1)
    return source.choice(
        [f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"abs({a})", f"max({a}, {b})", f"(({a})^3)"]
    )


def _value(term: core.Term, ends: dict[str, Fraction]) -> Fraction:
    """The value with constants at given points, by plain rational arithmetic."""
    match term:
        case core.LiteralTerm(value=value):
            return Fraction(value)
        case core.Coercion(term=inner):
            return _value(inner, ends)
        case core.BuiltinCall(operation=operation, arguments=arguments):
            name = operation.name
            if name in ends and not arguments:
                return ends[name]
            given = [_value(each, ends) for each in arguments]
            compute = {
                "plus": lambda a, b: a + b,
                "minus": lambda a, b: a - b,
                "times": lambda a, b: a * b,
                "divide": lambda a, b: a / b,
                "abs": abs,
                "max": max,
                "power": lambda a, b: a ** int(b),
                "negate": lambda a: -a,
            }
            return Fraction(compute[name](*given))  # type: ignore[operator]
    raise AssertionError(term)


@pytest.mark.parametrize("seed", range(60))
def test_an_enclosure_holds_the_value_at_every_point_between_the_bounds(seed: int) -> None:
    source = random.Random(seed)
    claim = _claim(f"{_random_term(source, 3)} + π * 0 = 0.5")
    assert isinstance(claim, core.Equals)
    found = enclosure(claim.left, lambda each: getattr(each, "value", None))
    if found is None:
        return
    for _ in range(8):
        ends = {name: source.choice([low, high, (low + high) / 2]) for name, (low, high) in BOUNDS.items()}
        assert found[0] <= _value(claim.left, ends) <= found[1]


def test_bounds_that_overlap_decide_nothing() -> None:
    one, two, three = Fraction(1), Fraction(2), Fraction(3)
    assert compared("less_than", (one, two), (two, three)) is OPEN
    assert compared("leq", (one, two), (two, three)) is TRUE
    assert compared("equals", (one, two), (one, two)) is OPEN
    assert compared("geq", (one, one), (two, three)) is FALSE


@pytest.mark.parametrize(
    "program",
    [
        "structure S { element e : ℝ }",
        "operation e : ℝ",
        "define e : ℝ = 0",
        "structure S(T) { element e : ℝ  axiom zero : e = 0 }",
    ],
)
def test_a_declared_e_is_not_the_constant(program: str) -> None:
    """The unit of a group over ℝ would make the group contradict itself."""
    claim = _claim("e = 0", program)
    assert "BuiltinCall" not in repr(claim) or "'e'" not in repr(claim).partition("BuiltinCall")[2][:80]


def test_the_checker_knows_the_bounds_by_itself() -> None:
    goal = Elaborator(Theory()).proposition(parse_expression("∀(x : ℝ). x > 4 → x > π"))
    assert goal.claim is not None
    script = translate(Sequent(goal, (), goal.claim)).text()
    assert script.count("h-constant-pi") >= 4
    assert str(BOUNDS["pi"][1].numerator) in script
