"""Nearly true claims: laws that hold, with a sign, a number, an operation, a sort, a hypothesis or a quantifier changed."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import msgspec

from kleis.builtins.laws import LAWS
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.printer.program import print_expression
from kleis.syntax.tree import (
    Binder,
    Boolean,
    Call,
    Expression,
    ListLiteral,
    Name,
    NamedType,
    Node,
    Number,
    Quantifier,
)
from kleis.syntax.tree.traversal import rebuild, walk

__all__ = ["SEEDS", "nearly_true"]

_REAL = (
    "∀(x y : ℝ). (x + y)^2 = x^2 + 2 * x * y + y^2",
    "∀(x y : ℝ). y ≠ 0 → (x / y) * y = x",
    "∀(x y z : ℝ). y ≠ 0 ∧ z ≠ 0 → x / y / z = x / (y * z)",
    "∀(x : ℝ). x ≥ 0 → sqrt(x)^2 = x",
    "∀(x : ℝ). sqrt(x^2) = abs(x)",
    "∀(x y : ℝ). x ≥ 0 ∧ y ≥ 0 → sqrt(x * y) = sqrt(x) * sqrt(y)",
    "∀(x y : ℝ). abs(x * y) = abs(x) * abs(y)",
    "∀(x : ℝ). x > 0 → exp(ln(x) / 2) = sqrt(x)",
    "∀(x y : ℝ). x > 0 → (x^y)^2 = x^(2 * y)",
    "∀(x : ℝ). x > 0 → x^(1/2) * x^(1/3) = x^(5/6)",
    "∀(x y : ℝ). x > 0 ∧ y > 0 → ln(x^2 * y) = 2 * ln(x) + ln(y)",
    "∀(x : ℝ). sin(3 * x) = 3 * sin(x) - 4 * sin(x)^3",
    "∀(x : ℝ). cos(x)^2 = (1 + cos(2 * x)) / 2",
    "∀(x : ℝ). sin(x + π) = -sin(x) ∧ cos(x - π / 2) = sin(x)",
    "∀(x : ℝ). cos(x) ≠ 0 → 1 + tan(x)^2 = 1 / cos(x)^2",
    "∀(x : ℝ). cosh(x)^2 - sinh(x)^2 = 1",
    "∀(x : ℝ). x ≠ 0 → ln(x^2) / ln(2) = 2 * log2(abs(x))",
    "∀(x y : ℝ). x > 0 → log10(x^y) = y * log10(x)",
    "sqrt(5 + 2 * sqrt(6)) = sqrt(2) + sqrt(3)",
    "∀(x : ℝ). min(x, 0) + max(x, 0) = x",
    "∀(x : ℝ). floor(x) ≤ x ∧ x < floor(x) + 1",
    "∀(x y : ℝ). x * y ≤ (x^2 + y^2) / 2",
    "∀(x : ℝ, n : ℕ). x^(n + 1) = x^n * x",
    "∀(x : ℝ, n : ℤ). x ≠ 0 → x^(n + 1) = x^n * x",
    "∀(x y : ℝ, n : ℕ). (x * y)^n = x^n * y^n",
    "∀(x : ℝ, m n : ℕ). (x^m)^n = x^(m * n)",
    "∀(n : ℕ). (-1)^(2 * n) = 1",
    "∀(x : ℝ, n : ℕ). (0 - x)^(2 * n) = x^(2 * n)",
    "∀(n : ℤ). 6^n = 2^n * 3^n",
    "∀(x : ℝ). (if x > 0 then x else -x) = abs(x)",
    "∀(x : ℝ). x ≠ 0 → (if x / x > 0 then 1 else 2) = 1",
)
_INTERVALS = (
    "∀(x : ℝ). 0 ≤ x ∧ x ≤ 1 → exp(x) < 3",
    "∀(x : ℝ). 1 ≤ x ∧ x ≤ 2 → ln(x) < 0.7",
    "∀(x : ℝ). 0 ≤ x ∧ x ≤ 3 → sin(x) + cos(x) < 1.5",
    "∀(x y : ℝ). 0 ≤ x ∧ x ≤ 1 ∧ 0 ≤ y ∧ y ≤ 1 → x * y < 1.01",
    "∀(x : ℝ). 1/2 ≤ x ∧ x ≤ 3/2 → tan(x) > 1/2",
    "∀(x : ℝ). -1 ≤ x ∧ x ≤ 1 → asin(x) < 1.6 ∧ acos(x) > -0.1",
    "∀(x : ℝ). -2 ≤ x ∧ x ≤ 2 → abs(x^3) < 9 ∨ 1 / x > 0",
    "∀(x : ℝ). 0 ≤ x ∧ x ≤ 4 → sqrt(x) ≤ 2.1",
    "∀(x : ℝ). 1 ≤ x ∧ x ≤ 3 → x^(1/2) < 1.8 ∧ x^(-1) > 0.3",
    "∃(x : ℝ). cos(x) = x",
    "∃(x : ℝ). x^3 = 2 ∧ x > 1",
    "∃(x : ℝ). exp(x) = 3 * x ∧ x < 1",
    "∃(x : ℝ). 1 / x = 2 ∧ x > 0",
    "sqrt(2) + sqrt(3) > 3.14 ∧ sin(1) < 0.85 ∧ ln(2) > 0.69",
    "exp(1) < 2.72 ∧ π > 3.14 ∧ atan(1) < 0.79",
    "cosh(1) > 1.5 ∧ tanh(2) < 1 ∧ log2(3) > 1.58",
)
_WHOLE = (
    "∀(n : ℤ). mod(n^7 - n, 7) = 0",
    "∀(n : ℤ). mod(n, 2) = 1 → mod(n * n, 8) = 1",
    "∀(n : ℕ). mod(3^(2 * n + 1) + 2^(n + 2), 7) = 0",
    "∀(a b : ℤ). mod(a^2 + b^2, 4) ≠ 3",
    "∀(n : ℕ). mod(2^(n + 3), 8) = 0",
    "∀(n k : ℕ). mod(5^n + k, 4) = mod(1 + k, 4)",
    "∀(n : ℤ). mod(n, 6) = 5 → mod(n, 3) = 2 ∧ mod(n, 2) = 1",
    "∀(n : ℤ). n = 3 * div(n, 3) + mod(n, 3)",
    "∀(a b : ℤ). b ≠ 0 → a = b * div(a, b) + mod(a, b)",
    "∀(x : ℚ). x^2 ≠ 2",
    "∀(p q : ℤ). q ≠ 0 → p^2 ≠ 2 * q^2",
    "∀(x : ℚ). x^3 - 3 * x + 1 ≠ 0",
    "∀(p q : ℤ). q ≠ 0 → sqrt(2) ≠ p / q",
    "¬(∃(x : ℚ). x^2 + x - 1 = 0)",
    "∀(n : ℕ). Σ(1, n, λ i . i) = n * (n + 1) / 2",
    "∀(n : ℕ). Σ(1, n, λ i . i^2) = n * (n + 1) * (2 * n + 1) / 6",
    "∀(n : ℕ). Σ(0, n, λ i . 2^i) = 2^(n + 1) - 1",
    "∀(n : ℕ). Σ(1, n, λ i . 1 / (i * (i + 1))) = n / (n + 1)",
    "∀(n : ℕ). Σ(0, n + 1, λ i . i) - Σ(0, n, λ i . i) = n + 1",
    "∀(x : ℝ, n : ℕ). (x - 1) * Σ(0, n, λ i . x^i) = x^(n + 1) - 1",
    "∀(n : ℕ). 2 * prod_bounds(λ i . i + 1, 0, n) = prod_bounds(λ i . i + 1, 0, n) + prod_bounds(λ i . i + 1, 0, n)",
    "∀(n : ℕ). n < 8 → n * n < 50",
    "∀(i j : ℕ). i < 5 ∧ j < i → i * j ≤ 12",
    "∃(n : ℕ). n < 10 ∧ n^2 = 49",
    "∀(x : ℤ). -3 ≤ x ∧ x ≤ 3 → (∃(y : ℤ). 0 ≤ y ∧ y ≤ 9 ∧ y = x * x)",
    "∀(n : ℕ). n < 6 → Σ(0, n, λ i . i) = n * (n + 1) / 2",
    "∀(a b : ℤ). gcd(a, b) = gcd(b, a) ∧ gcd(a, 0) = abs(a)",
    "∀(a b : ℤ). gcd(a, b) * lcm(a, b) = abs(a * b)",
    "∀(a : ℤ). a ≠ 0 → mod(a * a, a) = 0",
    "∀(n : ℕ). factorial(n + 1) = (n + 1) * factorial(n)",
    "∀(n : ℕ). n > 0 → 2^n ≥ n + 1",
    "∀(a b : ℤ). a^2 - b^2 = (a - b) * (a + b)",
)
_LISTS = (
    "∀(l m : List(ℤ)). length(append(l, m)) = length(l) + length(m)",
    "∀(l : List(ℤ)). reverse(reverse(l)) = l",
    "∀(l m : List(ℤ)). reverse(append(l, m)) = append(reverse(m), reverse(l))",
    "∀(l : List(ℤ)). length(l) > 0 → append([head(l)], tail(l)) = l",
    "∀(l : List(ℤ)). length(map(λ x . x * 2, l)) = length(l)",
    "∀(l : List(ℚ)). length(map(λ x . 1 / (x * x + 1), l)) = length(l)",
    "∀(l : List(ℤ)). length(filter(λ x . x > 0, l)) ≤ length(l)",
    "∀(l m : List(ℤ)). sum(append(l, m)) = sum(l) + sum(m)",
    "∀(l : List(ℤ)). sum(reverse(l)) = sum(l)",
    "∀(l : List(ℤ)). foldl(λ a b . a + b, 0, l) = sum(l)",
    "∀(l : List(ℤ)). length(l) > 1 → nth(l, 1) = head(tail(l))",
    "∀(x : ℤ, l : List(ℤ)). in_set(x, append(l, [x]))",
    "∀(l : List(ℤ)). all(λ x . x > 0, l) → sum(l) ≥ 0",
    "length([1, 2, 3]) = 3 ∧ nth([4, 5], 1) = 5 ∧ head([7]) = 7",
    "sum(map(λ x . x * x, [1, 2, 3])) = 14",
    "∀(x : ℤ). in_set(x, [1, 2, 3]) → x * x < 10",
    '∀(s : String). hasPrefix(s, "ab") → hasPrefix(s, "a") ∧ strlen(s) ≥ 2',
    "∀(s t : Set(ℤ)). subset(intersect(s, t), s) ∧ subset(s, union(s, t))",
    "∀(x : ℤ, s : Set(ℤ)). in_set(x, insert(x, s)) ∧ ¬(in_set(x, remove(x, s)))",
    "∀(s t : Set(ℤ)). difference(union(s, t), t) = difference(s, t)",
)
_MATRICES = (
    "∀(A B : Matrix(2, 2, ℝ)). det(A * B) = det(A) * det(B)",
    "∀(A B : Matrix(2, 2, ℝ)). transpose(A * B) = transpose(B) * transpose(A)",
    "∀(A : Matrix(2, 3, ℝ), B : Matrix(3, 2, ℝ)). trace(A * B) = trace(B * A)",
    "∀(A B : Matrix(2, 2, ℤ)). trace(matrix_add(A, B)) = trace(A) + trace(B)",
    "∀(a b c d : ℝ). a * d - b * c ≠ 0 → "
    "matrix([[a, b], [c, d]]) * scalar_matrix_mul(1 / (a * d - b * c), matrix([[d, -b], [-c, a]])) = eye(2)",
)

SEEDS: tuple[tuple[str, ...], ...] = (_REAL, _INTERVALS, _WHOLE, _LISTS, _MATRICES, tuple(LAWS.values()))
"""Laws that hold, by theme."""

_ALIKE = (
    ("plus", "minus", "times", "divide"),
    ("less_than", "leq", "greater_than", "geq", "equals", "neq"),
    ("logical_and", "logical_or", "implies"),
    (
        "sin",
        "cos",
        "tan",
        "sqrt",
        "exp",
        "ln",
        "abs",
        "negate",
        "sinh",
        "cosh",
        "asin",
        "atan",
        "log2",
        "floor",
    ),
    ("div", "mod", "gcd", "lcm", "min", "max", "divide", "minus"),
    ("sum_bounds", "prod_bounds", "sum_over"),
    ("length", "sum", "product"),
    ("reverse", "tail"),
    ("head", "length"),
    ("union", "intersect", "difference"),
    ("all", "any"),
    ("hasPrefix", "hasSuffix", "contains"),
)
_SORTS = ("ℕ", "ℤ", "ℚ", "ℝ")
_INSTEAD: tuple[Callable[[Any], Expression], ...] = (
    lambda t: Call("divide", (Call("times", (t, Number("2"))), Number("2"))),
    lambda t: Call("power", (Call("sqrt", (t,)), Number("2"))),
    lambda t: Call("exp", (Call("ln", (t,)),)),
    lambda t: Call("plus", (t, Call("times", (Number("0"), Call("divide", (Number("1"), t)))))),
    lambda t: Call("divide", (Call("times", (t, t)), t)),
    lambda t: Call("power", (t, Number("1"))),
    lambda t: Call("negate", (t,)),
    lambda t: Call("plus", (t, Number("1"))),
    lambda t: Number("0"),
)
"""What may take the place of a term t, mostly equal to it where it has a value."""


def nearly_true(random: Random, seeds: tuple[str, ...] | None = None) -> str:
    """A claim; some mean nothing."""
    law = random.choice(seeds or random.choice(SEEDS))
    claim: Node = parse_expression(law)
    for _ in range(random.choice((1, 1, 1, 2, 2, 3))):
        places = list(walk(claim))
        claim = _changed_at(claim, random.randrange(len(places)), lambda node: _change(node, random, law))
    return print_expression(claim)  # type: ignore[arg-type]  # an expression stays one


def _changed_at(root: Node, place: int, change: Callable[[Node], Node]) -> Node:
    """The tree with the node of this number, in the order of `walk`, changed."""
    count = -1

    def visit(node: Node) -> Node:
        nonlocal count
        count += 1
        return change(node) if count == place else rebuild(node, visit)

    return visit(root)


def _change(node: Node, random: Random, law: str) -> Node:
    match node:
        case Number(text=text):
            return Number(random.choice(("0", "1", "2", "3", "7", str(int(float(text)) + 1))))
        case NamedType(name=name) if name in _SORTS:
            return NamedType(random.choice(_SORTS))
        case Binder(name=name, type=NamedType(name=sort)) if sort in _SORTS:
            return Binder(name, NamedType(random.choice(_SORTS)))
        case Quantifier(kind=kind):
            return msgspec.structs.replace(node, kind="exists" if kind == "forall" else "forall")
        case Name() if random.random() < 0.6:
            return Name(random.choice([each for each in "xyzabnmlst" if f"{each} " in law] or ["x"]))
        case Boolean(value=value):
            return Boolean(not value)
        case ListLiteral(items=items) if items:
            return ListLiteral(items[:-1])
        case Call(name="implies", arguments=(_, conclusion)) if random.random() < 0.6:
            return conclusion
        case Call(name=name, arguments=arguments):
            alike = [each for names in _ALIKE if name in names for each in names if each != name]
            if alike and random.random() < 0.6:
                return Call(random.choice(alike), arguments)
            if name in ("logical_and", "logical_or") and random.random() < 0.7:
                return random.choice(arguments)
            if len(arguments) == 2 and random.random() < 0.4:
                return Call(name, arguments[::-1])
    if isinstance(node, Call | Name | Number | ListLiteral):
        found: Node = random.choice(_INSTEAD)(node)
        return found
    return node
