"""The rule `induction`: what it leaves holds exactly if the claim does, by brute force; and what it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kleis import core
from kleis.core.goal import Goal
from kleis.core.traversal import free_variables
from kleis.prover.checker.format import Ask, Case, Induction
from kleis.prover.checker.rules.induction import obligations, subgoals
from kleis.prover.checker.rules.open_claims import HYPOTHESIS, opened
from kleis.prover.checker.sequent import RejectedError, Sequent
from kleis.semantics.foreign_values import value_to_term
from kleis.semantics.models import Model, evaluator_of
from kleis.semantics.ranges import Bounds, Function
from kleis.semantics.truth import TRUE
from tests.support.provers.claims import task

PROGRAM = """
data Tree = Leaf | Twig(under : Tree) | Fork(left : Tree, right : Tree)
data Side = West(to : Side2) | End
data Side2 = East(to : Side)
"""
GOAL = task(PROGRAM, "∀(t : Tree, s : Side). t = t ∧ s = s").goal
TREE = core.DataSort("Tree", ())
SIDE = core.DataSort("Side", ())
BITS = core.ListOf(core.BOOL)
TRUTH = core.FunctionOf((core.BOOL,), core.BOOL)

LARGE = Bounds(integer=4, natural=4, length=2, depth=3)
"""The values of claims; those of parts are smaller by one induction step."""


def parts_of(step: Induction) -> Bounds:
    """Parts whose wholes are among the values of claims; by size a number is the whole, an integer may be the least."""
    if step.size:
        return msgspec.structs.replace(LARGE, length=1)
    return Bounds(integer=4, natural=4 - step.by, length=1, depth=2)


def evaluator(values: dict[core.Symbol, Any], bounds: Bounds = LARGE) -> Any:
    symbols = {
        symbol: value
        if isinstance(value, Function)
        else Function(symbol.name, (), lambda value=value: value, total=True)
        for symbol, value in values.items()
    }
    return evaluator_of(GOAL, Model({}, symbols), bounds, "relativised")


def values_of(symbol: core.Symbol, bounds: Bounds) -> list[Any]:
    sort = core.FunctionOf(symbol.domain, symbol.codomain) if symbol.domain else symbol.codomain
    return list(evaluator({}, bounds).ranges.of(sort).values)


_Choices = list[tuple[core.Symbol, list[Any]]]


def questions(sequent: Sequent, step: Induction | Ask, known: _Choices) -> Iterator[tuple[Sequent, _Choices]]:
    """The leaves of a tree, with the values of its constants."""
    if isinstance(step, Ask):
        yield sequent, known
        return
    for case, (_, left) in zip(step.cases, subgoals(sequent, step), strict=True):
        new = left.constants[len(sequent.constants) :]
        choices = [(each, values_of(each, LARGE if each.domain else parts_of(step))) for each in new]
        yield from questions(left, case.proof, [*known, *choices])


def all_hold(sequent: Sequent, step: Induction) -> bool:
    """Whether every leaf follows from its hypotheses, whatever its constants are."""
    for leaf, choices in questions(sequent, step, []):
        for chosen in product(*(values for _, values in choices)):
            here = evaluator(dict(zip((symbol for symbol, _ in choices), chosen, strict=True)))
            premises = (here.truth(each) is TRUE for _, each in leaf.premises)
            if all(premises) and here.truth(leaf.claim) is not TRUE:
                return False
    return True


def tree(sequent: Sequent, steps: tuple[Induction, ...]) -> Induction:
    """Inductions one inside the other, in every case."""
    first, *rest = steps
    found = []
    for name, left in obligations(sequent, first):
        variables = {each.name for each in opened(left.claim)[0]}
        inner = tuple(each for each in rest if each.on in variables)
        found.append(Case(name, tree(left, inner) if inner else Ask()))
    return msgspec.structs.replace(first, cases=tuple(found))


SCHEMES: dict[core.Sort, tuple[tuple[int, int, bool, bool], ...]] = {
    core.NATURAL: (
        (0, 1, False, False),
        (0, 2, False, False),
        (0, 3, False, False),
        (2, 1, False, False),
        (1, 2, False, False),
        (0, 0, False, True),
    ),
    core.INTEGER: (
        (0, 1, False, False),
        (-2, 2, False, False),
        (1, 2, False, False),
        (-4, 1, False, False),
        (3, 1, False, False),
        (40, 1, False, False),
    ),
    BITS: ((0, 0, False, False), (0, 0, True, False), (0, 0, False, True)),
    TREE: ((0, 0, False, False), (0, 0, True, False)),
    SIDE: ((0, 0, False, False), (0, 0, True, False)),
}


@st.composite
def cases(draw: st.DrawFn) -> tuple[Sequent, tuple[Induction, ...], bool]:
    """A claim that fails at few points, or none; inductions on its variables; and whether it holds."""
    sorts = draw(st.lists(st.sampled_from(list(SCHEMES)), min_size=1, max_size=2))
    variables = [core.Variable(f"x{place}", sort) for place, sort in enumerate(sorts)]
    if draw(st.booleans()):
        variables.insert(draw(st.integers(0, len(variables))), core.Variable("f", TRUTH))
    plain = [each for each in variables if each.name != "f"]
    ranges = evaluator({}).ranges
    body: core.Term = core.LiteralTerm(True, core.BOOL)
    fails = draw(st.integers(0, 2))
    for _ in range(fails):
        tests: list[core.Term] = []
        for each in plain:
            value = draw(st.sampled_from(list(ranges.of(each.sort).values)))
            tests.append(core.Equals(each, value_to_term(value, each.sort, GOAL)))
        if len(plain) < len(variables):
            at = core.LiteralTerm(draw(st.booleans()), core.BOOL)
            tests.append(core.Application(core.Variable("f", TRUTH), (at,), core.BOOL))
        test = tests[0] if len(tests) == 1 else core.Connective("and", tuple(tests))
        failure = draw(st.sampled_from([core.LiteralTerm(False, core.BOOL), core.Undefined(core.BOOL, "")]))
        body = core.Conditional(test, failure, body)
    claim = core.Quantifier("forall", tuple(variables), body)
    chosen = []
    for each in draw(st.permutations(plain)):
        start, by, deep, size = draw(st.sampled_from(SCHEMES[each.sort]))
        chosen.append(Induction(each.name, (), start, by, deep, size))
    count = draw(st.integers(1, len(chosen)))
    return Sequent(GOAL, (), claim), tuple(chosen[:count]), fails == 0


@settings(max_examples=150, deadline=None)
@given(cases())
def test_what_is_left_holds_exactly_if_the_claim_does(
    case: tuple[Sequent, tuple[Induction, ...], bool],
) -> None:
    sequent, steps, holds = case
    assert (evaluator({}).truth(sequent.claim) is TRUE) == holds
    assert all_hold(sequent, tree(sequent, steps)) == holds


# ── What is left, written out ────────────────────────────────────────────────────────────────────────────────


def sequent_of(claim: str, program: str = PROGRAM) -> Sequent:
    found = task(program, claim).goal
    assert found.claim is not None
    return Sequent(found, tuple((each.name, each.formula) for each in found.axioms), found.claim)


def names(found: tuple[tuple[str, Sequent], ...]) -> list[str]:
    return [name for name, _ in found]


def step(on: str, *cases: str, **scheme: Any) -> Induction:
    return Induction(on, tuple(Case(each, Ask()) for each in cases), **scheme)


def test_the_cases_and_their_hypotheses() -> None:
    found = subgoals(sequent_of("∀(t u : Tree). t = u"), step("t", "Leaf", "Twig", "Fork"))
    assert [len(each.premises) for _, each in found] == [0, 1, 2]
    assert [each.name for each in found[2][1].constants] == ["t#0", "t#1"]
    assert [name for name, _ in found[2][1].premises] == [f"{HYPOTHESIS}1", f"{HYPOTHESIS}2"]
    assert all(opened(each.claim)[0] == (core.Variable("u", TREE),) for _, each in found)


def test_by_size_what_is_given_is_about_smaller_values_alone() -> None:
    """The hypothesis is closed, keeps the other variables, and says nothing of values that are as large."""
    found = subgoals(sequent_of("∀(l k : List(ℤ)). l = k"), step("l", "Nil", "Cons", size=True))
    assert [[each.name for each in left.constants] for _, left in found] == [[], ["l#0", "l#1"]]
    for _, left in found:
        ((_, given),) = left.premises
        assert not free_variables(given)
        assert isinstance(given, core.Quantifier)
        assert [each.name for each in given.variables] == ["l", "k"]
        assert isinstance(given.body, core.Connective)
        smaller = given.body.arguments[0]
        assert isinstance(smaller, core.BuiltinCall)
        assert smaller.operation.name == "less_than"
    ((_, number),) = subgoals(sequent_of("∀(n : ℕ). n = n"), step("n", "step", size=True))
    assert opened(number.claim)[0] == ()


def test_names_go_on_in_an_induction_inside() -> None:
    outer = subgoals(sequent_of("∀(t u : Tree). t = u"), step("t", "Leaf", "Twig", "Fork"))
    inner = subgoals(outer[2][1], step("u", "Leaf", "Twig", "Fork"))
    assert [each.name for each in inner[2][1].constants] == ["t#0", "t#1", "u#2", "u#3"]
    assert [name for name, _ in inner[2][1].premises] == [f"{HYPOTHESIS}{place}" for place in (1, 2, 3, 4)]


def test_names_that_are_taken_are_not_used() -> None:
    sequent = sequent_of("∀(t : Tree). t = t")
    symbol = core.Symbol("t#0", (), core.INTEGER)
    mentions = core.Equals(core.SymbolCall(symbol, ()), core.SymbolCall(symbol, ()))
    taken = core.Symbol("t#1", (core.BOOL,), TREE)
    goal = msgspec.structs.replace(sequent.goal, symbols=(taken,))
    hostile = Sequent(goal, ((f"{HYPOTHESIS}1", mentions),), sequent.claim)
    (_, left) = subgoals(hostile, step("t", "Leaf", "Twig", "Fork"))[1]
    assert [each.name for each in left.constants] == ["t#2"]
    assert [name for name, _ in left.premises] == [f"{HYPOTHESIS}1", f"{HYPOTHESIS}2"]
    assert left.premises[0][1] == mentions


def test_a_name_in_a_definition_is_taken() -> None:
    sequent = sequent_of("∀(t : Tree). same(t) = t", PROGRAM + "define same(t : Tree) : Tree = t\n")
    symbol = core.Symbol("t#0", (), TREE)
    (definition,) = sequent.goal.definitions
    changed = msgspec.structs.replace(definition, body=core.SymbolCall(symbol, ()))
    goal = msgspec.structs.replace(sequent.goal, definitions=(changed,))
    (_, left) = subgoals(msgspec.structs.replace(sequent, goal=goal), step("t", "Leaf", "Twig", "Fork"))[1]
    assert [each.name for each in left.constants] == ["t#1"]


def test_hypotheses_in_front_of_a_variable_stay_about_their_own() -> None:
    claim = "∀(m : ℕ). (∀(n : ℕ). n ≥ m) → ∀(n : ℕ). n * m = 0"
    low, after = subgoals(sequent_of(claim), step("n", "0", "step", by=1))
    for _, each in (low, after):
        variables, body = opened(each.claim)
        assert [variable.name for variable in variables] == ["m"]
        assert isinstance(body, core.Connective)
        hypothesis = body.arguments[0]
        assert isinstance(hypothesis, core.Quantifier)
        (bound,) = hypothesis.variables
        assert free_variables(hypothesis.body) == (bound, core.Variable("m", core.NATURAL))


def test_functions_become_unknown_operations() -> None:
    program = "define twice(f : ℕ → ℕ, n : ℕ) : ℕ = if n = 0 then f(0) else twice(f, n - 1)\n"
    found = subgoals(
        sequent_of("∀(f : ℕ → ℕ, n : ℕ). twice(f, n) = f(0)", program), step("n", "0", "step", by=1)
    )
    operation = core.Symbol("f#0", (core.NATURAL,), core.NATURAL)
    for _, each in found:
        assert each.constants[0] == operation
        assert opened(each.claim)[0] == ()
    assert names(found) == ["0", "step"]


# ── What is refused ──────────────────────────────────────────────────────────────────────────────────────────

STRUCTURAL = ("Leaf", "Twig", "Fork")


@pytest.mark.parametrize(
    ("claim", "bad"),
    [
        ("∀(t : Tree). t = t", step("u", *STRUCTURAL)),
        ("∀(t : Tree). t = t", step("", *STRUCTURAL)),
        ("∀(t : Tree). t = t", step("t", "Leaf", "Twig")),
        ("∀(t : Tree). t = t", step("t", "Leaf", "Fork", "Twig")),
        ("∀(t : Tree). t = t", step("t", "Leaf", "Twig", "Fork", "Fork")),
        ("∀(t : Tree). t = t", step("t", "Leaf", "Leaf", "Twig", "Fork")),
        ("∀(t : Tree). t = t", step("t")),
        ("∀(t : Tree). t = t", step("t", *STRUCTURAL, start=1)),
        ("∀(t : Tree). t = t", step("t", *STRUCTURAL, by=1)),
        ("∀(t : Tree). t = t", step("t", *STRUCTURAL, by=-1)),
        ("∃(t : Tree). t = t", step("t", *STRUCTURAL)),
        ("(∀(t : Tree). t = t) ∧ True", step("t", *STRUCTURAL)),
        ("∀(s : Side2). s = s", step("s")),
        ("∀(n : ℕ). n = n", step("n", "0", "step")),
        ("∀(n : ℕ). n = n", step("n", "0", "step", start=1, by=1)),
        ("∀(n : ℕ). n = n", step("n", "0", "step", start=-1, by=1)),
        ("∀(n : ℕ). n = n", step("n", "step", by=1)),
        ("∀(n : ℕ). n = n", step("n", "1", "step", by=1)),
        ("∀(n : ℕ). n = n", step("n", "0", "1", "step", by=1)),
        ("∀(n : ℕ). n = n", step("n", "0", "step", by=2)),
        ("∀(n : ℕ). n = n", step("n", "0", "step", by=1, deep=True)),
        ("∀(n : ℕ). n = n", step("n", *map(str, range(9)), "step", by=9)),
        ("∀(n : ℕ). n = n", step("n", by=10**9)),
        ("∀(n : ℕ). n = n", step("n", "low", "step", by=1)),
        ("∀(n : ℤ). n = n", step("n", "low", "step", start=10**30, by=1)),
        ("∀(n : ℤ). n = n", step("n", "low", "step", start=-1001, by=1)),
        ("∀(n : ℤ). n = n", step("n", "step", by=1)),
        ("∀(n : ℤ). n = n", step("n", "low", "step", by=0)),
        ("∀(n : ℤ). n = n", step("n", "low", "step", by=1, deep=True)),
        ("∀(n : ℕ). n = n", step("n", "0", "step", size=True)),
        ("∀(n : ℕ). n = n", step("n", size=True)),
        ("∀(n : ℕ). n = n", step("n", "step", by=1, size=True)),
        ("∀(n : ℕ). n = n", step("n", "step", start=1, size=True)),
        ("∀(n : ℕ). n = n", step("n", "step", deep=True, size=True)),
        ("∀(l : List(ℤ)). l = l", step("l", "step", size=True)),
        ("∀(l : List(ℤ)). l = l", step("l", "Nil", "Cons", size=True, deep=True)),
        ("∀(n : ℤ). n = n", step("n", "step", size=True)),
        ("∀(x : ℚ). x = x", step("x", "step", size=True)),
        ("∀(t : Tree). t = t", step("t", "step", size=True)),
        ("∀(s : String). s = s", step("s", "step", size=True)),
        ("∀(s : Set(ℤ)). s = s", step("s", "step", size=True)),
        ("∀(n : ℚ). n = n", step("n", "low", "step", by=1)),
        ("∀(n : ℝ). n = n", step("n", "low", "step", by=1)),
        ("∀(n : ℂ). n = n", step("n", "0", "step", by=1)),
        ("∀(s : Set(ℤ)). s = s", step("s", "Nil", "Cons")),
        ("∀(b : Bool). b = b", step("b", "False", "True")),
        ("∀(s : String). s = s", step("s", "Nil", "Cons")),
        ("∀(f : ℕ → ℕ). f(0) = f(0)", step("f", "0", "step", by=1)),
    ],
)
def test_other_inductions_are_refused(claim: str, bad: Induction) -> None:
    with pytest.raises(RejectedError):
        subgoals(sequent_of(claim), bad)


def test_no_induction_over_a_carrier() -> None:
    program = "structure Magma(M) { operation m : M → M → M }\n"
    found = task(program, "∀(x : M). x = x", "Magma").goal
    assert found.claim is not None
    with pytest.raises(RejectedError, match="no induction over"):
        subgoals(Sequent(found, (), found.claim), step("x"))


def test_a_data_type_without_smallest_values_is_refused() -> None:
    sort = core.DataSort("Loop", ())
    made = core.Constructor("Again", (core.ConstructorField("_0", sort),), sort, alone=True)
    kind: Any = type(GOAL.data[0][0])
    goal: Goal = msgspec.structs.replace(GOAL, data=((kind(sort, (made,)),),))
    x = core.Variable("x", sort)
    claim = core.Quantifier("forall", (x,), core.LiteralTerm(False, core.BOOL))
    with pytest.raises(RejectedError, match="smallest"):
        subgoals(Sequent(goal, (), claim), step("x", "Again"))
    with pytest.raises(RejectedError, match="no data type"):
        subgoals(Sequent(msgspec.structs.replace(goal, data=()), (), claim), step("x", "Again"))


def test_open_formulas_are_refused() -> None:
    sequent = sequent_of("∀(t : Tree). t = t")
    t = core.Variable("t", TREE)
    about = core.Equals(t, t)
    for bad in (
        msgspec.structs.replace(sequent, premises=(("p", about),)),
        msgspec.structs.replace(sequent, claim=core.Quantifier("forall", (core.Variable("u", TREE),), about)),
    ):
        with pytest.raises(RejectedError, match="not closed"):
            subgoals(bad, step("t", *STRUCTURAL))


def test_a_name_bound_twice_is_refused() -> None:
    t = core.Variable("t", TREE)
    inner = core.Quantifier("forall", (t,), core.Equals(t, t))
    claim = core.Quantifier("forall", (t,), inner)
    with pytest.raises(RejectedError, match="twice"):
        subgoals(Sequent(GOAL, (), claim), step("t", *STRUCTURAL))
