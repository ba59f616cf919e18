"""No evaluation exceeds its budget or ends the process, and ordinary work fits the default budget."""

from __future__ import annotations

import sys

import pytest

from kleis.budget import STANDARD_BUDGET, Budget
from kleis.errors import BudgetError, EvaluationError
from kleis.evaluator.environment import environment_of
from kleis.evaluator.evaluate import evaluate
from kleis.syntax.tree import Call, Expression, Number, Program
from tests.support.theories.running import evaluation, refusal, stopped, value

RECURSION = """
define fact(n) = if n ≤ 0 then 1 else n * fact(n - 1)
define count(n) = if n = 0 then [] else Cons(n, count(n - 1))
define len(l) = match l { [] => 0 | Cons(h, t) => 1 + len(t) }
define map2(f, l) = match l { [] => [] | Cons(h, t) => Cons(f(h), map2(f, t)) }
define all2(p, l) = match l { [] => true | Cons(h, t) => p(h) ∧ all2(p, t) }
define loop(n) = if n = 0 then "done" else loop(n - 1)
define insert_sorted(x, l) = match l { [] => [x] | Cons(h, t) => if x ≤ h then Cons(x, l) else Cons(h, insert_sorted(x, t)) }
define sort(l) = foldl(λ sorted x . insert_sorted(x, sorted), [], l)
data Peano = Zero | Succ(p : Peano)
define peano(n) = if n = 0 then Zero else Succ(peano(n - 1))
define back(p) = match p { Zero => 0 | Succ(q) => 1 + back(q) }
"""


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("fact(3000) = product(range(1, 3001))", "true"),
        ("len(count(10000))", "10000"),
        ("length(map2(λ x . x + 1, range(10000)))", "10000"),
        ("all2(λ x . x ≥ 0, range(10000))", "true"),
        ("loop(100000)", '"done"'),
        ("sum(map(λ x . x * x, range(10000)))", "333283335000"),
        ("foldr(Cons, [], range(10000)) = range(10000)", "true"),
        ("reverse(range(10000)) = foldl(λ a x . Cons(x, a), [], range(10000))", "true"),
        ("sort(reverse(range(300))) = range(300)", "true"),
        ("back(peano(20000))", "20000"),
        ("peano(20000) = peano(20000)", "true"),
        ("length(concat(append(range(5000), range(5000))))", "10000"),
        ("strlen(intToStr(fact(3000)))", "9131"),
        ("strToInt(intToStr(fact(3000))) = fact(3000)", "true"),
    ],
)
def test_ordinary_work_fits_the_default_budget(expression: str, expected: str) -> None:
    assert value(expression, RECURSION) == expected


@pytest.mark.parametrize(
    ("expression", "program", "code"),
    [
        ("f(0)", "define f(n) = f(n + 1)", "budget_steps"),
        ("f(0)", "define f(n) = 1 + f(n + 1)", "budget_depth"),
        ("f(0)", "define f(n) = true ∧ f(n + 1)", "budget_depth"),
        ("f(f)", "define f(g) = g(g)", "budget_steps"),
        ("(λ x . x(x))(λ x . x(x))", "", "budget_steps"),
        ("f(0)", "define f(n) = map(f, [n])", "budget_depth"),
        ("f(0)", "define f(n) = foldl(λ a x . f(x), 0, [1])", "budget_depth"),
        ("f(0)", "define f(n) = match f(n) { _ => 1 }", "budget_depth"),
        ("f(0)", "define f(n) = let x = f(n) in x", "budget_depth"),
        ("f(0)", "define f(n) = [f(n)]", "budget_depth"),
        ("range(10000000)", "", "budget_size"),
        ("replicate(10^12, 1)", "", "budget_size"),
        ("zeros(10^6)", "", "budget_size"),
        ("eye(10^6)", "", "budget_size"),
        ("2^(10^9)", "", "budget_size"),
        ("2^(2^100)", "", "budget_size"),
        ("(1/2)^(10^9)", "", "budget_size"),
        ("(10^9)!", "", "budget_size"),
        ("1e999999999", "", "budget_size"),
        ("1e-999999999", "", "budget_size"),
        ("bv(1, 10^9)", "", "budget_size"),
        ("zext(10^9, bv(1, 1))", "", "budget_size"),
        ("linspace(0, 1, 10^9)", "", "budget_size"),
        ("random(10^9)", "", "budget_size"),
        ("Σ(1, 10^12, λ i . 0)", "", "budget_steps"),
        ("f(2)", "define f(n) = f(n * n)", "budget_size"),
        ("f([1])", "define f(l) = f(append(l, l))", "budget_size"),
        ('f("ab")', "define f(s) = f(concat(s, s))", "budget_size"),
        ('f("ab")', 'define f(s) = f(replaceAll(s, "a", "aa"))', "budget_size"),
        ("f([1])", "define f(l) = f([l, l])", "budget_steps"),
        ('f("a")', 'define f(r) = f(re_concat(r, re_star(re_union(r, "b"))))', "budget_size"),
        ("f(0)", 'define f(n) = let a = out("text") in f(n)', "budget_size"),
        ("all(λ n . true, [f(1)])", "define f(n) = f(n)", "budget_steps"),
        ("f(1) ∨ true", "define f(n) = f(n)", "budget_steps"),
    ],
)
def test_the_budget_always_fires(expression: str, program: str, code: str) -> None:
    assert stopped(expression, program) == code


def test_shared_structure_is_paid_when_it_is_walked() -> None:
    """A value of 2^40 leaves in 40 cells can be made, but neither compared nor shown in full."""
    program = "define grow(n) = if n = 0 then [0] else let l = grow(n - 1) in [l, l]"
    assert stopped("grow(40) = grow(40)", program) == "budget_steps"
    assert len(value("grow(40)", program)) < 50_000


def test_a_single_step_is_enough_for_nothing() -> None:
    with pytest.raises(BudgetError):
        evaluation("1 + 1", budget=Budget(steps=1))


@pytest.mark.parametrize("limits", [{"steps": 0}, {"depth": -1}, {"size": 0}])
def test_a_budget_is_positive(limits: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="must be at least 1"):
        Budget(**limits)


def test_steps_are_deterministic() -> None:
    first, second = (evaluation("sort(reverse(range(50)))", RECURSION).steps for _ in range(2))
    assert first == second


def test_evaluation_leaves_the_recursion_limit_alone() -> None:
    limit = sys.getrecursionlimit()
    value("len(count(5000))", RECURSION)
    assert sys.getrecursionlimit() == limit


def test_nested_source_of_the_greatest_height() -> None:
    assert value("(" * 200 + "1" + ")" * 200) == "1"
    assert value("1 + (" * 120 + "1" + ")" * 120) == "121"
    assert value("(λ x . " * 80 + "1" + ")" * 80 + "(0)").startswith("λ")
    assert value("if true then 1 else " * 120 + "2") == "1"


def test_a_tree_that_no_parser_makes_is_refused() -> None:
    tree: Expression = Number("1")
    for _ in range(5000):
        tree = Call("plus", (tree, Number("1")))
    with pytest.raises(EvaluationError) as caught:
        evaluate(tree, environment_of(Program(())), STANDARD_BUDGET)
    assert caught.value.code == "nesting"


def test_deep_values_are_compared_printed_and_freed_without_recursion() -> None:
    program = RECURSION + "define nest(n) = if n = 0 then [] else [nest(n - 1)]"
    assert value("nest(30000) = nest(30000)", program) == "true"
    assert value("nest(30000) = nest(29999)", program) == "false"
    assert value("peano(30000)", program).endswith("…")
    assert evaluation("cardinality(insert(nest(30000), singleton(peano(30000))))", program).value == 2


def test_errors_inside_deep_recursion_are_found() -> None:
    error = refusal("f(10000)", "define f(n) = if n = 0 then 1 / 0 else 1 + f(n - 1)")
    assert error.code == "undefined"
    assert (
        value("f(5000)", "define f(n) = if n = 0 then 1/0 = 1 else (f(n - 1) ∧ 1 = 1) ∨ n = 5000") == "true"
    )
