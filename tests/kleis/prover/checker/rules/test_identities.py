"""The rules `identity`, `sums` and `law`: what is true is shown, and no false variant of it."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Hashable, Iterator
from functools import partial
from itertools import combinations, product
from random import Random
from typing import Any, TypeAlias

import pytest

from kleis import core
from kleis.builtins.laws import LAWS
from kleis.prover.checker.format import Identity, Law, Sums
from kleis.prover.checker.rules.identities import asked_for, check_identity
from kleis.prover.checker.rules.laws import check_law, law
from kleis.prover.checker.rules.normal_forms import Forms, Refined
from kleis.prover.checker.rules.polynomials import Form, Ring
from kleis.prover.checker.rules.sums import check_sums
from kleis.prover.checker.sequent import NotExpressible, RejectedError, Sequent
from tests.support.provers.claims import task

Function: TypeAlias = Callable[[float], float]


def sequent(claim: str) -> Sequent:
    goal = task("", claim).goal
    assert goal.claim is not None
    return Sequent(goal, (), goal.claim)


@pytest.mark.parametrize(
    "claim",
    [
        "∀(x : ℝ). sin(x)^2 + cos(x)^2 = 1",
        "∀(x : ℝ). sin(3 * x) = 3 * sin(x) - 4 * sin(x)^3",
        "∀(x y : ℝ). 2 * sin(x) * sin(y) = cos(x - y) - cos(x + y)",
        "∀(x : ℝ). sin(x + π / 2) = cos(x)",
        "cos(π / 12) = (√6 + √2) / 4",
        "4 * atan(1) = π",
        "atan(-√3) = -π / 3",
        "∀(x : ℝ). atan(-x) = -atan(x)",
        "∀(x : ℝ). tan(atan(x)) = x",
        "∀(x : ℝ). sinh(asinh(x)) = x",
        "∀(x y : ℝ). y ≠ 0 → atan((x * y) / y - x) = 0",
        "∀(x : ℝ). x ≥ 1 → cosh(acosh(x)) = x",
        "∀(x y : ℝ). exp(x - y) = exp(x) / exp(y)",
        "∀(x : ℝ). cosh(x)^2 - sinh(x)^2 = 1",
        "√12 = 2 * √3",
        "∀(x y z : ℝ). x^2 + (y + z)^2 = x * x + y^2 + 2 * y * z + z^2",
        "∀(x : ℝ, m n : ℕ). x^(m + n) = x^m * x^n",
        "∀(x y : ℝ, n : ℕ). (x * y)^n = x^n * y^n",
        "∀(n : ℕ). 6^n = 2^n * 3^n",
        "∀(A B : Matrix(3, 3, ℝ)). det(A * B) = det(A) * det(B)",
        "∀(A : Matrix(2, 3, ℝ), B : Matrix(3, 2, ℝ)). transpose(A * B) = transpose(B) * transpose(A)",
        "∀(a b c d : ℝ). a * d - b * c ≠ 0 → "
        "[[a, b], [c, d]] * scalar_matrix_mul(1 / (a * d - b * c), [[d, -b], [-c, a]]) = eye(2)",
    ],
)
def test_what_rests_on_nothing(claim: str) -> None:
    assert check_identity(sequent(claim), Identity()) > 0
    with pytest.raises(RejectedError, match="nothing"):
        check_identity(sequent(claim), Identity("step 1"))
    with pytest.raises(RejectedError):
        check_identity(sequent(claim), Identity(), 3)


@pytest.mark.parametrize(
    "claim",
    [
        "∀(x y : ℝ). ln(x * y) = ln(x) + ln(y)",
        "∀(x : ℝ). ln(x^2) = 2 * ln(x)",
        "∀(x : ℝ). √x * √x = x",
        "∀(x : ℝ). x / x = 1",
        "∀(x : ℝ, m n : ℤ). x^(m + n) = x^m * x^n",
        "∀(x : ℝ, m n : ℕ). x^(m - n) * x^n = x^m",
        "∀(x : ℝ). tan(x) * cos(x) = sin(x)",
        "∀(x : ℝ). sin(asin(x)) = x",
        "∀(x : ℝ). -1 ≤ x ∧ x ≤ 1 → sin(acos(x)) = √(1 - x^2)",
        "∀(x : ℝ). asin(x) + acos(x) = π / 2",
        "∀(x : ℝ). acosh(x) - acosh(x) = 0",
        "∀(x : ℝ). tan(asin(x)) * √(1 - x^2) = x",
        "asin(1 / 2) = π / 6",
        "∀(x : ℝ). x ≠ 0 → acos(x * (1 / x)) = 0",
        "asin(3) - asin(3) = 0",
        "∀(a b c d : ℝ). [[a, b], [c, d]] * scalar_matrix_mul(1 / (a * d - b * c), [[d, -b], [-c, a]]) = eye(2)",
    ],
)
def test_what_does_not_hold_everywhere_asks_for_more(claim: str) -> None:
    given = sequent(claim)
    asked, _ = asked_for(given.goal, given.claim, 1_000_000)
    assert asked is not None
    with pytest.raises(RejectedError, match="not given"):
        check_identity(given, Identity())
    other = Sequent(given.goal, (("step 1", given.claim),), given.claim)
    with pytest.raises(RejectedError, match="not what"):
        check_identity(other, Identity("step 1"))
    assert check_identity(Sequent(given.goal, (("step 1", asked),), given.claim), Identity("step 1")) > 0


@pytest.mark.parametrize(
    "claim",
    [
        "∀(x : ℝ). sin(2 * x) = 2 * sin(x)",
        "∀(x y z : ℝ). (x^y)^z = x^(y * z)",
        "∀(x : ℝ). sin(x)^2 - cos(x)^2 = 1",
        "∀(x : ℝ). √(x^2) = x",
        "√2 + √3 = √5",
        "∀(x : ℝ). asin(sin(x)) = x",
        "∀(x : ℝ). acos(cos(x)) = x",
        "∀(x : ℝ). atan(tan(x)) = x",
        "∀(x : ℝ). acos(-x) = -acos(x)",
        "∀(x : ℝ). acosh(cosh(x)) = x",
        "∀(x : ℝ). x ≠ 0 → atan(1 / x) = π / 2 - atan(x)",
        "atan(1) = 5 * π / 4",
        "acos(-1 / 2) = -2 * π / 3",
        "asin(2) = asin(3)",
        "∀(x : ℝ). abs(x) = x",
        "∀(x y : ℝ). exp(x * y) = exp(x) * exp(y)",
        "∀(x y : ℝ). abs(x + y) = abs(x) + abs(y)",
        "∀(n : ℕ). 0^n = 0",
        "∀(n : ℕ). (-1)^n = 1",
        "∀(x : ℝ, m n : ℕ). x^(m * n) = x^m * x^n",
        "∀(A B : Matrix(2, 2, ℝ)). A * B = B * A",
        "∀(A B : Matrix(2, 2, ℝ)). det(matrix_add(A, B)) = det(A) + det(B)",
        "∀(A B : Matrix(2, 2, ℝ)). transpose(A * B) = transpose(A) * transpose(B)",
    ],
)
def test_what_is_false_is_never_shown(claim: str) -> None:
    given = sequent(claim)
    with pytest.raises(RejectedError):
        asked_for(given.goal, given.claim, 1_000_000)


_OUTER: dict[str, Function] = {
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh,
}  # fmt: skip
_INNER: dict[str, Function] = {
    "asin": math.asin, "acos": math.acos, "atan": math.atan,
    "asinh": math.asinh, "acosh": math.acosh, "atanh": math.atanh,
}  # fmt: skip
_ARGUMENTS: dict[str, Function] = {
    "x": lambda x: x,
    "(-x)": lambda x: -x,
    "x^2": lambda x: x * x,
    "(1 / x)": lambda x: 1 / x,
    "√(1 - x^2)": lambda x: math.sqrt(1 - x * x),
    "(x / √(1 + x^2))": lambda x: x / math.sqrt(1 + x * x),
    "((x - 1) / (x + 1))": lambda x: (x - 1) / (x + 1),
    "(1 / 2)": lambda x: 0.5,
    "(√3 / 2)": lambda x: math.sqrt(3) / 2,
    "(-1)": lambda x: -1.0,
}
_OTHERS: dict[str, Function] = {
    "1 / √(1 + x^2)": lambda x: 1 / math.sqrt(1 + x * x),
    "√(1 + x^2)": lambda x: math.sqrt(1 + x * x),
    "2 * x * √(1 - x^2)": lambda x: 2 * x * math.sqrt(1 - x * x),
    "ln(x + √(x^2 + 1))": lambda x: math.log(x + math.sqrt(x * x + 1)),
}
_SAMPLES = (-2.5, -1.0, -0.7, -0.2, 0.0, 0.3, 0.8, 1.0, 1.4, 3.0)


def _terms() -> Iterator[tuple[str, Function]]:
    """Terms in x with what computes their values."""
    for (name, inner), (text, of) in product(_INNER.items(), _ARGUMENTS.items()):
        for n in (1, -1, 2):
            yield f"{n} * {name}({text})", lambda x, n=n, inner=inner, of=of: n * inner(of(x))
        for (outside, outer), n in product(_OUTER.items(), (1, 2) if text == "x" else (1,)):
            arguments = {"outer": outer, "inner": inner, "of": of, "n": n}
            yield f"{outside}({n} * {name}({text}))", partial(_nested, **arguments)
    for (text, of), n in product(_ARGUMENTS.items(), (1, -1, 2)):
        yield f"{n} * {text}", lambda x, n=n, of=of: n * of(x)
    for count in range(-12, 13):
        yield f"{count} * π / 12", lambda x, count=count: count * math.pi / 12
    yield from _OTHERS.items()


def _nested(x: float, outer: Function, inner: Function, of: Function, n: int) -> float:
    return outer(n * inner(of(x)))


def test_equal_forms_of_inverse_functions_have_equal_values() -> None:
    """Functions of inverse functions against each other, at points where both have a value."""
    ring, known = _with_forms()
    alike: dict[object, list[int]] = {}
    for place, (_, form, _) in enumerate(known):
        alike.setdefault(form.key, []).append(place)
    pairs = [pair for places in alike.values() for pair in combinations(places, 2)]
    random = Random(7)
    pairs += [(random.randrange(len(known)), random.randrange(len(known))) for _ in range(500)]
    shown = 0
    for one, other in pairs:
        (text, form, values), (like, same, theirs) = known[one], known[other]
        ring.steps = 5_000
        if one != other and _is_same(ring, form, same):
            both = [(a, b) for a, b in zip(values, theirs, strict=True) if a is not None and b is not None]
            assert all(math.isclose(a, b, rel_tol=1e-7, abs_tol=1e-7) for a, b in both), (text, like)
            shown += bool(both)
    assert shown > 50


class _Halves(dict[Hashable, int]):
    """Parts of forms in which roots are square roots, and nothing else is divided, whatever is asked for."""

    def get(self, key: Hashable, default: Any = None) -> Any:
        """How many parts something has."""
        return 2 if isinstance(key, tuple) and key[0] == "root" else default

    def __setitem__(self, key: Hashable, value: int) -> None:
        """Nothing: whoever asks for it gives up."""


def _with_forms() -> tuple[Ring, list[tuple[str, Form, list[float | None]]]]:
    ring = Ring(100_000_000)
    forms = Forms(sequent("1 = 1").goal, ring, _Halves())
    known = []
    for text, compute in _terms():
        claim = sequent(f"∀(x : ℝ). {text} = 0").claim
        assert isinstance(claim, core.Quantifier)
        assert isinstance(claim.body, core.Equals)
        ring.steps = 5_000
        with contextlib.suppress(NotExpressible, Refined):
            known.append((text, forms.of(claim.body.left), [_value(compute, each) for each in _SAMPLES]))
    return ring, known


def _is_same(ring: Ring, one: Form, other: Form) -> bool:
    try:
        return ring.same(one, other)
    except NotExpressible:
        return False


def _value(compute: Function, x: float) -> float | None:
    """The value of a term at a point; None where it has none."""
    try:
        return compute(x)
    except (ValueError, ZeroDivisionError, OverflowError):
        return None


_PARTIAL = "(if 1 / x > 0 then x else 1)"
"""Undefined at 0."""


@pytest.mark.parametrize(
    "claim",
    [
        "∀(n : ℕ). prod_bounds(λ i . 1 / (i - 3), 0, n) - prod_bounds(λ i . 1 / (i - 3), 0, n) = 0",
        "∀(n : ℕ). Σ(0, n, λ i . 1 / (i - 3)) = Σ(0, n, λ i . 1 / (i - 3))",
        "∀(x : ℝ). foldl(λ a b . a / b, x, [1, 0]) = foldl(λ a b . a / b, x, [1, 0])",
        f"∀(x : ℝ). {_PARTIAL} = {_PARTIAL}",
        f"∀(x : ℝ). {_PARTIAL} = {_PARTIAL} → 2 * {_PARTIAL} = {_PARTIAL} + {_PARTIAL}",
    ],
)
def test_what_may_have_no_value_asks_for_one(claim: str) -> None:
    """A function that is given may be partial, and that a hypothesis says so gives a term no value."""
    given = sequent(claim)
    with pytest.raises(RejectedError, match="not given"):
        check_identity(given, Identity())


def test_a_total_function_that_is_given_asks_for_nothing() -> None:
    given = sequent("∀(n : ℕ). prod_bounds(λ i . i * i, 0, n) + 1 = 1 + prod_bounds(λ i . i * i, 0, n)")
    assert check_identity(given, Identity()) > 0


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        ("∀(n : ℕ). Σ(1, n, λ i . i) = n * (n + 1) / 2", True),
        ("∀(n : ℕ). 6 * Σ(1, n, λ i . i^2) = n * (n + 1) * (2 * n + 1)", True),
        ("∀(n : ℕ). Σ(0, n, λ i . i) = n * (n + 1) / 2", True),
        ("∀(n : ℕ). Σ(1, n, λ i . i) = n * n / 2", False),
        ("∀(n : ℕ). Σ(1, n, λ i . i) = n * (n + 1) / 2 + 1", False),
        ("∀(n : ℕ). Σ(2, n, λ i . i) = n * (n + 1) / 2 - 1", False),
        ("∀(n : ℕ). Σ(0, n, λ i . n) = n * n", False),
        ("∀(n : ℕ). n ≥ 1 → Σ(1, n, λ i . i) = n * (n + 1) / 2", True),
        ("∀(n : ℕ, x : ℝ). x > 0 → n > x → Σ(1, n, λ i . i) = n * (n + 1) / 2", True),
        ("∀(n : ℕ). n ≥ 1 → Σ(1, n, λ i . i) = n * (n + 1) / 2 + 1", False),
        ("∀(n : ℕ). n ≠ 3 → Σ(0, n, λ i . 1 / (i - 3)) = Σ(0, n, λ i . 1 / (i - 3))", False),
        ("∀(n : ℕ). n ≤ 1 → Σ(1, n, λ i . i) = n", False),
        ("∀(n : ℕ). n = 0 → Σ(1, n, λ i . i) = n * n", False),
    ],
)
def test_sums_by_induction(claim: str, holds: bool) -> None:
    if holds:
        assert check_sums(sequent(claim), Sums("n")) > 0
    else:
        with pytest.raises(RejectedError):
            check_sums(sequent(claim), Sums("n"))
    with pytest.raises(RejectedError, match="no such"):
        check_sums(sequent(claim), Sums("m"))


def test_a_law_is_itself_and_no_other() -> None:
    goal = task("", "1 = 1").goal
    for name in LAWS:
        check_law(Sequent(goal, (), law(name)), Law(name))
    with pytest.raises(RejectedError, match="no law"):
        check_law(Sequent(goal, (), law("pythagoras")), Law("nothing"))
    with pytest.raises(RejectedError, match="not the law"):
        check_law(Sequent(goal, (), law("pythagoras")), Law("sine is odd"))
    false = sequent("∀(x y : ℝ). ln(x * y) = ln(x) + ln(y)")
    with pytest.raises(RejectedError, match="not the law"):
        check_law(false, Law("logarithm of a product"))
