"""The rule `identity` on lists and tuples that are written out: what is true is shown, what lacks a value asks for one."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from kleis.prover.checker.format import Identity
from kleis.prover.checker.rules.identities import asked_for, check_identity
from kleis.prover.checker.sequent import RejectedError, Sequent
from tests.support.provers.claims import task

VECTORS = """
define dot(u : List(ℝ), v : List(ℝ)) : ℝ = sum(map(λ p . fst(p) * snd(p), zip(u, v)))
define cross(u : List(ℝ), v : List(ℝ)) : List(ℝ) = match (u, v) {
    ([a, b, c], [x, y, z]) => [b * z - c * y, c * x - a * z, a * y - b * x]
}
define scaled(t : ℝ, v : List(ℝ)) : List(ℝ) = map(λ x . t * x, v)
define one(l : List(ℝ)) : ℝ = 1
define head_or(l : List(ℝ), x : ℝ) : ℝ = match l { [] => x | Cons(h, _) => h }
"""


def sequent(claim: str) -> Sequent:
    goal = task(VECTORS, claim).goal
    assert goal.claim is not None
    return Sequent(goal, (), goal.claim)


@pytest.mark.parametrize(
    "claim",
    [
        "∀(a b c x y z : ℝ). dot(cross([a, b, c], [x, y, z]), [a, b, c]) = 0",
        "∀(a b c x y z : ℝ). dot(cross([a, b, c], [x, y, z]), cross([a, b, c], [x, y, z])) "
        "= dot([a, b, c], [a, b, c]) * dot([x, y, z], [x, y, z]) - dot([a, b, c], [x, y, z])^2",
        "∀(a b c x y z : ℝ). cross([a, b, c], [x, y, z]) = scaled(-1, cross([x, y, z], [a, b, c]))",
        "∀(a b x y : ℝ). vec_add([a, b], [x, y]) = [x + a, y + b]",
        "∀(a b : ℝ). append([a], [b]) = [a, b]",
        "∀(a b : ℝ). (a + b, a) = (b + a, a)",
        "∀(a b c : ℝ). zip([a, b], [c]) = [(a, c)]",
        "∀(a b : ℝ). length([a, b]) = 2",
        "∀(m n : ℕ). [m + n] = [n + m]",
    ],
)
def test_what_rests_on_nothing(claim: str) -> None:
    assert check_identity(sequent(claim), Identity()) > 0


@pytest.mark.parametrize(
    "claim",
    [
        "∀(x : ℝ). [1 / x] = [1 / x]",
        "∀(x : ℝ). one([1 / x]) = 1",
        "∀(x y : ℝ). fst((x, 1 / y)) = x",
        "∀(x y : ℝ). head_or([x, 1 / y], 0) = x",
        "∀(x y : ℝ). head_or([x], 1 / y) = x",
        "∀(a b : ℝ). zip([a], [a, 1 / b]) = [(a, a)]",
        "∀(a : ℝ). map(λ x . 1 / x, [a]) = map(λ x . 1 / x, [a])",
        "∀(a : ℝ). sum(map(λ x . 1 / x, [a])) - sum([1 / a]) = 0",
        "∀(a b : ℝ). length([1 / a, b]) = 2",
        "∀(a : ℝ). let l = [1 / a] in [2] = [2]",
        "∀(a : ℝ). (let l = [1 / a] in 2) = 2",
    ],
)
def test_what_may_have_no_value_asks_for_one(claim: str) -> None:
    given = sequent(claim)
    asked, _ = asked_for(given.goal, given.claim, 1_000_000)
    assert asked is not None
    with pytest.raises(RejectedError, match="not given"):
        check_identity(given, Identity())
    assert check_identity(Sequent(given.goal, (("step 1", asked),), given.claim), Identity("step 1")) > 0


@pytest.mark.parametrize(
    "claim",
    [
        "∀(a b : ℝ). [a, b] = [b, a]",
        "∀(a b : ℝ). [a] = [a, b]",
        "∀(a b : ℝ). (a, b) = (b, a)",
        "∀(a b c x y z : ℝ). cross([a, b, c], [x, y, z]) = cross([x, y, z], [a, b, c])",
        "∀(a b c x y z : ℝ). dot(cross([a, b, c], [x, y, z]), [a, b, c]) = a",
        "∀(a b : ℝ). cross([a, b], [b, a]) = cross([a, b], [b, a])",
        "∀(a b c : ℝ). vec_add([a], [b, c]) = vec_add([a], [b, c])",
        "∀(l : List(ℝ)). vec_add(l, l) = map(λ x . 2 * x, l)",
        "∀(l m : List(ℝ)). append(l, m) = append(m, l)",
        "∀(l : List(ℝ)). head_or(l, 0) = 0",
        "∀(a : ℝ). head_or([], a) = 0",
        "∀(l : List(ℝ), a : ℝ). append([a], l) = [a]",
        "∀(a b c : ℝ). zip([a, b], [c]) = [(a, c), (b, c)]",
        "∀(a : ℝ). length([a, a]) = 1",
    ],
)
def test_what_is_false_or_not_known_is_never_shown(claim: str) -> None:
    given = sequent(claim)
    with pytest.raises(RejectedError):
        asked_for(given.goal, given.claim, 1_000_000)


# ── Against numbers ──────────────────────────────────────────────────────────────────────────────────────────

At = Callable[[dict[str, Fraction]], Any]
"""The value of a term where a and b are numbers: a number, a list, or None where it has none."""


def _number(random: Random, depth: int) -> tuple[str, At]:
    """A term of a number over a and b, and its value at them; None where it has none."""
    kind = (
        random.choice(("a", "b", "number", "plus", "over", "sum", "dot", "head", "length")) if depth else "a"
    )
    if kind in ("a", "b"):
        return kind, lambda at: at[kind]
    if kind == "number":
        value = Fraction(random.randint(0, 2))
        return str(value), lambda at: value
    if kind in ("plus", "over"):
        (s, f), (t, g) = (_number(random, depth - 1) for _ in range(2))

        def computed(at: dict[str, Fraction]) -> Any:
            x, y = f(at), g(at)
            if x is None or y is None or (kind == "over" and y == 0):
                return None
            return x + y if kind == "plus" else x / y

        return f"({s} {'+' if kind == 'plus' else '/'} {t})", computed
    (s, f), (t, g) = (_list(random, depth - 1) for _ in range(2))
    if kind == "dot":
        return f"dot({s}, {t})", lambda at: _of_all(
            (f(at), g(at)), lambda v, w: sum((x * y for x, y in zip(v, w, strict=False)), Fraction(0))
        )
    if kind == "head":
        default, d = _number(random, depth - 1)
        return f"head_or({s}, {default})", lambda at: _of_all((f(at), d(at)), lambda v, x: v[0] if v else x)
    if kind == "length":
        return f"length({s})", lambda at: _of_all((f(at),), lambda v: Fraction(len(v)))
    return f"sum({s})", lambda at: _of_all((f(at),), lambda v: sum(v, Fraction(0)))


def _list(random: Random, depth: int) -> tuple[str, At]:
    kind = random.choice(("items", "append", "add", "scaled")) if depth else "items"
    if kind == "items":
        items = [_number(random, max(0, depth - 1)) for _ in range(random.randint(1, 2))]
        text = f"[{', '.join(text for text, _ in items)}]"
        return text, lambda at: _of_all(tuple(f(at) for _, f in items), lambda *values: list(values))
    (s, f), (t, g) = (_list(random, depth - 1) for _ in range(2))
    if kind == "append":
        return f"append({s}, {t})", lambda at: _of_all((f(at), g(at)), lambda v, w: v + w)
    if kind == "add":
        return f"vec_add({s}, {t})", lambda at: _of_all(
            (f(at), g(at)),
            lambda v, w: [x + y for x, y in zip(v, w, strict=True)] if len(v) == len(w) else None,
        )
    factor, h = _number(random, depth - 1)
    return f"scaled({factor}, {s})", lambda at: _of_all((h(at), f(at)), lambda x, v: [x * y for y in v])


def _of_all(values: tuple[Any, ...], compute: Callable[..., Any]) -> Any:
    return None if any(each is None for each in values) else compute(*values)


@pytest.mark.parametrize("seed", range(40))
def test_what_is_shown_is_true_of_numbers(seed: int) -> None:
    """Sides that the rule finds equal without asking for anything have one value wherever the numbers are."""
    random = Random(seed)
    make = _list if seed % 2 else _number
    (left, f), (right, g) = make(random, 3), make(random, 3)
    for s, x, t, y in ((left, f, right, g), (left, f, left, f)):
        given = sequent(f"∀(a b : ℝ). {s} = {t}")
        try:
            asked, _ = asked_for(given.goal, given.claim, 200_000)
        except RejectedError:
            continue
        if asked is not None:
            continue
        for a in range(-2, 3):
            for b in range(-2, 3):
                at = {"a": Fraction(a), "b": Fraction(b)}
                assert x(at) is not None
                assert x(at) == y(at), (s, t, at)
