"""Real terms between rationals: comparisons, definedness, definitions, and that a declaration wins."""

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
from kleis.semantics.elementary_bounds import Elementary
from kleis.semantics.enclosures import MOST_PRECISION, Encloser, compared
from kleis.semantics.real_functions import applied
from kleis.semantics.truth import FALSE, OPEN, TRUE, UNDEFINED
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
        ("exp(-1) < 1 ∧ exp(1/2) > 1", TRUE),
        ("3.14 < 4 * arctan(1) ∧ 4 * arctan(1) < 3.15", TRUE),
        ("arctan(2) > 1", TRUE),
        ("sin(1) < 0.85", TRUE),
        ("√2 + √3 > π", TRUE),
        ("ln(2) > 0.69 ∧ cos(1) > 0.5 ∧ 2^(1/2) < 1.5", TRUE),
        ("π^e < e^π", TRUE),
        ("exp(π * √163) < 262537412640768744", TRUE),
        ("exp(π * √163) = 262537412640768744", FALSE),
        ("sin(22) < -0.0088 ∧ sin(22) > -0.0089", TRUE),
        ("sin(10^30) < -0.0901 ∧ sin(10^30) > -0.0902", TRUE),
        ("exp(10000) > 10^4342", TRUE),
        ("tan(1.57) > 1255", TRUE),
        ("tan(π/2) > 0", OPEN),
        ("exp(10^6) > 1", OPEN),
        ("π^(10^9) > 1", OPEN),
        ("exp(exp(exp(3))) > 1", OPEN),
        ("sin(sin(sin(sin(1)))) > 0.6", TRUE),
        ("((((π^60)^60)^60)^60)^60 > 1", OPEN),
        # Equality of numbers that are not known exactly.
        ("√2 * √2 = 2", OPEN),
        ("√2 * √2 ≤ 2", OPEN),
        ("sin(1)^2 + cos(1)^2 = 1", OPEN),
        ("2^(1/2) = √2", OPEN),
        ("√4 = 2 ∧ 8^(1/3) = 2", TRUE),
        # Definedness.
        ("ln(0) > 1", UNDEFINED),
        ("√(3 - π) < 1", OPEN),
        ("√(π - 3) < 0.38", TRUE),
        ("ln(π - 4) < 1 ∨ ln(π - 4) ≥ 1", OPEN),
        ("1 / (sin(1) - sin(1)) > 0", OPEN),
        ("(-8)^(1/3) < 0", UNDEFINED),
        ("(π - π)^(1/2) < 1", OPEN),
        ("0^0 = 1 ∧ (π - π)^0 = 1", TRUE),
        ("ln(0) > 1 ∨ √2 < 1.5", TRUE),
        ("√2 > 1.5 ∨ ln(0) > 1", UNDEFINED),
        ("√2 > 1.5 → ln(0) > 1", TRUE),
        ("¬(√2 > 1.5)", TRUE),
        ("∀(n : ℕ). n < 20 → exp(n) ≥ 1 + n", TRUE),
        ("∃(n : ℕ). n < 30 ∧ n > 0 ∧ abs(sin(n)) < 0.01", TRUE),
    ],
)
def test_comparisons_by_bounds(text: str, truth: object) -> None:
    assert _truth(text) is truth


@pytest.mark.parametrize(
    "nested", ["sin(" * 150 + "1" + ")" * 150, " + ".join(f"sin({n})" for n in range(150))]
)
def test_long_and_deep_terms_end(nested: str) -> None:
    assert _truth(f"{nested} > 0") is TRUE


def test_more_digits_tell_more_apart() -> None:
    goal = Elaborator(Theory()).proposition(
        parse_expression("π > 3.14159265358979323846264338327950288419716939937510")
    )
    assert goal.claim is not None
    coarse = computed(goal, goal.claim, 100_000)
    assert coarse.truth is OPEN
    assert coarse.account.imprecise
    fine = computed(goal, goal.claim, 100_000, 1024)
    assert fine.truth is TRUE
    assert fine.account.enclosed


def test_a_large_precision_ends_with_the_steps() -> None:
    goal = Elaborator(Theory()).proposition(parse_expression("sin(1) + cos(1) + exp(1) > ln(2)"))
    assert goal.claim is not None
    found = computed(goal, goal.claim, 1_000, MOST_PRECISION)
    assert found.truth is OPEN
    assert found.exceeded


_DEFINITIONS = """
define one(x : ℝ) : ℝ = sin(x)^2 + cos(x)^2
define same(x : ℝ) : ℝ = 1.5
define step(x : ℝ) : ℝ = if x > 3 then 1.0 else 2.0
define square(x : ℝ) : ℝ = let y = exp(x) in y * y
define twice(x : ℝ) : ℝ = x + sin(x)
"""


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        ("one(1) > 0.9999 ∧ one(1) < 1.0001", TRUE),
        ("one(1) = 1", OPEN),
        ("same(π) = 1.5", TRUE),
        ("same(ln(2)) < 2", TRUE),
        ("same(ln(0)) = 1.5", UNDEFINED),
        ("same(ln(π - 4)) = 1.5", OPEN),
        ("step(π) = 1 ∧ step(e()) = 2", TRUE),
        ("square(1) < 7.39 ∧ square(1) > 7.38", TRUE),
        ("twice(twice(twice(π))) > 3.14", TRUE),
        ("twice(" * 60 + "1" + ")" * 60 + " > 3.14", TRUE),
    ],
)
def test_definitions_at_numbers_that_are_not_known_exactly(text: str, truth: object) -> None:
    goal = Elaborator(Theory().include(parse_program(_DEFINITIONS))).proposition(parse_expression(text))
    assert goal.claim is not None
    assert computed(goal, goal.claim, 300_000).truth is truth


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
def test_an_enclosure_holds_the_value(seed: int) -> None:
    source = random.Random(seed)
    claim = _claim(f"{_random_term(source, 3)} + π * 0 = 0.5")
    assert isinstance(claim, core.Equals)
    encloser = Encloser(
        96, lambda steps: None, lambda each, values: getattr(each, "value", None), lambda key: None
    )
    found = encloser.of(claim.left, {})
    if found is None:
        return
    fine = Elementary(4_000, lambda steps: None)
    ends = {name: applied(fine, name)[0] for name in BOUNDS}
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
