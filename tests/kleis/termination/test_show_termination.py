"""The termination arguments of a corpus of recursive definitions, recorded: kind, measures, condition, obligations, reason.

They are part of goals and so of certificates, and their obligations are given to the prover: a change of them is a change
of steps and verdicts.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kleis.core.goal import Termination
from kleis.elaborate.elaborator import Elaborator
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.termination.recursive_calls import term_text
from kleis.theory.theory import Theory

_DATA = "data Tree = Leaf | Node(value : ℤ, left : Tree, right : Tree)\n"

CORPUS: dict[str, tuple[str, str]] = {
    "structural on a list": (
        "define f(l : List(ℤ)) : ℤ = match l { [] => 0 | Cons(h, t) => h + f(t) }",
        "∀(l : List(ℤ)). f(l) = 0",
    ),
    "structural on data": (
        _DATA + "define f(t : Tree) : ℤ = match t { Leaf => 0 | Node(v, l, r) => v + f(l) + f(r) }",
        "∀(t : Tree). f(t) = 0",
    ),
    "guessed": ("define f(n : ℕ) : ℕ = if n = 0 then 0 else f(n - 1)", "f(3) = 0"),
    "guessed under a condition": ("define f(n : ℤ) : ℤ = if n = 0 then 0 else f(n - 1)", "f(3) = 0"),
    "guessed difference": ("define f(a : ℤ, b : ℤ) : ℤ = if a ≥ b then a else f(a + 1, b)", "f(0, 3) = 3"),
    "guessed length": (
        "define f(l : List(ℤ)) : ℤ = if length(l) ≤ 1 then 0 else f(append(tail(tail(l)), [1]))",
        "f([1]) = 0",
    ),
    "guessed, left to the prover": (
        "define f(n : ℕ) : ℕ = if n ≤ 1 then n else f(div(n * n, n + 1))",
        "f(3) = 0",
    ),
    "Euclid": ("define f(a : ℕ, b : ℕ) : ℕ = if b = 0 then a else f(b, mod(a, b))", "f(4, 6) = 2"),
    "half": ("define f(n : ℕ) : ℕ = if n = 0 then 0 else f(div(n, 2))", "f(9) = 0"),
    "away": ("define f(n : ℤ) : ℤ = f(n + 1)", "f(0) = 1"),
    "lexicographic": (
        "define f(m : ℕ, n : ℕ) : ℕ = if m = 0 then n + 1 else if n = 0 then f(m - 1, 1) else f(m - 1, f(m, n - 1))",
        "f(1, 1) = 3",
    ),
    "mutual": (
        "define even(n : ℕ) : Bool = if n = 0 then true else odd(n - 1)\n"
        "define odd(n : ℕ) : Bool = if n = 0 then false else even(n - 1)",
        "even(4)",
    ),
    "stated": ("@decreases(n * n)\ndefine f(n : ℕ) : ℕ = if n = 0 then 0 else f(n - 1)", "f(3) = 0"),
    "stated, refuted at integers": (
        "@decreases(n)\ndefine f(n : ℤ) : ℤ = if n = 0 then 0 else f(n * n - 1)",
        "f(3) = 0",
    ),
    "stated, refuted at a list": (
        "@decreases(length(l))\ndefine f(l : List(ℤ)) : ℤ = if isEmpty(l) then 0 else f(reverse(l))",
        "f([1]) = 0",
    ),
    "stated, refuted at a pair": (
        "@decreases(fst(p))\ndefine f(p : ℤ × ℤ) : ℤ = if fst(p) ≤ 0 then 0 else f((snd(p), fst(p)))",
        "f((1, 2)) = 0",
    ),
    "stated, refuted at data": (
        _DATA
        + "@decreases(match t { Leaf => 0 | Node(v, l, r) => v })\n"
        + "define f(t : Tree) : ℤ = match t { Leaf => 0 | Node(v, l, r) => f(Node(v, r, l)) }",
        "∀(t : Tree). f(t) = 0",
    ),
    "stated, refuted at a string": (
        '@decreases(strlen(s))\ndefine f(s : String) : ℤ = if s = "" then 0 else f(replace(s, "a", "b"))',
        'f("a") = 0',
    ),
    "stated, not an integer": (
        "@decreases(x)\ndefine f(x : ℝ) : ℝ = if x ≤ 0 then 0 else f(x - 1/2)",
        "f(1) = 0",
    ),
    "stated, undefined at some values": (
        "@decreases(div(m, n))\ndefine f(m : ℤ, n : ℤ) : ℤ = if m ≤ 0 then 0 else f(m - 1, n)",
        "f(1, 1) = 0",
    ),
    "stated, through another definition": (
        "define g(n : ℕ) : ℕ = div(n, 2)\n@decreases(n)\ndefine f(n : ℕ) : ℕ = if n > 3 then f(g(n)) else n",
        "f(9) = 2",
    ),
    "stated, with a quantifier on the path": (
        "@decreases(n)\n"
        "define f(n : ℕ) : ℕ = if ∀(k : ℕ). k > n ∨ k < 5 then n else f(if n > 9 then n - 5 else n + 1)",
        "f(9) = 9",
    ),
    "stated, with a built-in that is not computed": (
        "@decreases(n)\ndefine f(n : ℕ) : ℕ = if n > 3 then f(gcd(n, 6)) else n",
        "f(9) = 3",
    ),
}


def shown(name: str) -> list[str]:
    """The termination arguments of the definitions that a proposition of the corpus reaches."""
    program, proposition = CORPUS[name]
    goal = Elaborator(Theory().include(parse_program(program))).proposition(parse_expression(proposition))
    return [line for key, found in goal.terminations for line in _lines(key, found)]


def _lines(key: str, found: Termination) -> list[str]:
    lines = [f"{key}: {found.kind}"]
    lines += [f"argument {place}" for place in found.arguments]
    lines += [f"measure {term_text(term)}" for term in found.measures]
    lines += [f"condition {term_text(found.condition)}"] if found.condition is not None else []
    lines += [f"obligation {each.name}: {term_text(each.formula, 9)}" for each in found.obligations]
    return [*lines, found.reason] if found.reason else lines


RECORDED = json.loads(Path(__file__).with_name("arguments.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", CORPUS)
def test_the_argument_is_the_recorded_one(name: str) -> None:
    assert shown(name) == RECORDED[name]
