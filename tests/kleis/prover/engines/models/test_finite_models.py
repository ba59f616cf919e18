"""Finite models: what is found, that each model is checked, and that brute force agrees."""

from __future__ import annotations

from copy import deepcopy
from itertools import pairwise
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings

from kleis.budget import Budget
from kleis.core import BOOL, Application, Carrier, FunctionOf, Quantifier, Term, Variable
from kleis.prover.engines.models.finite_models import FiniteModels, true_bits
from kleis.prover.protocol.engine import Answer, Task
from kleis.semantics.models import decide
from kleis.semantics.ranges import Bounds
from tests.support.provers.claims import evidence_of
from tests.support.provers.claims import task as claims_task
from tests.support.theories.algebra import (
    COMMUTATIVE,
    LATTICE,
    LEFT_GROUP,
    MONOID,
    G,
    H,
    Operation,
    a,
    both,
    e,
    either,
    eq,
    every,
    i,
    implies,
    j,
    k,
    m,
    ne,
    no,
    some,
    task,
)
from tests.support.theories.random_theories import formulas

BUDGET = 8_000_000


def run(asked: Task, steps: int = BUDGET) -> Answer:
    return FiniteModels().run(asked, steps)


def size_of(answer: Answer) -> int:
    (size,) = answer.witness["carriers"].values()
    return size


DISTRIBUTIVE = every(lambda x, y, z: eq(k(x, j(y, z)), j(k(x, y), k(x, z))))
MODULAR = every(lambda x, y, z: implies(eq(k(x, z), x), eq(j(x, k(y, z)), k(j(x, y), z))))


@pytest.mark.parametrize(
    ("axioms", "claim", "size"),
    [
        pytest.param(LEFT_GROUP, COMMUTATIVE, 6, id="the smallest group that does not commute is S3"),
        pytest.param(
            {**LEFT_GROUP, "fourth": every(lambda x: eq(m(m(x, x), m(x, x)), e))},
            COMMUTATIVE,
            8,
            id="of exponent 4 it has 8 elements",
        ),
        pytest.param(LATTICE, DISTRIBUTIVE, 5, id="M3 or N5"),
        pytest.param(LATTICE, MODULAR, 5, id="N5"),
        pytest.param({**LATTICE, "modular": MODULAR}, DISTRIBUTIVE, 5, id="M3"),
        pytest.param(LEFT_GROUP, every(lambda x: eq(i(x), x)), 3, id="the cyclic group of 3"),
        pytest.param(LEFT_GROUP, every(lambda x, y: eq(x, y)), 2, id="a group of 2"),
        pytest.param({}, every(lambda x: ne(x, x)), 1, id="carriers are not empty"),
        pytest.param({}, some(lambda x: some(lambda y: ne(x, y))), 1, id="there need not be two elements"),
    ],
)
def test_smallest_countermodel(axioms: dict[str, Term], claim: Term, size: int) -> None:
    asked = task(axioms, claim)
    answer = run(asked)
    assert answer.outcome == "refuted"
    assert size_of(answer) == size
    assert evidence_of(asked, answer.witness) is not None


def test_ten_elements_where_nine_do_not_suffice() -> None:
    def fifth(x: Term) -> Term:
        return m(x, m(x, m(x, m(x, x))))

    asked = task(
        LEFT_GROUP,
        every(lambda x, y: implies(both(eq(fifth(x), e), eq(m(y, y), e)), eq(m(x, y), m(y, x)))),
    )
    answer = run(asked, 4 * BUDGET)
    assert (answer.outcome, size_of(answer)) == ("refuted", 10)
    assert evidence_of(asked, answer.witness) is not None


def test_a_theory_has_a_model() -> None:
    asked = task({**LEFT_GROUP, "two": some(lambda x: ne(x, e))}, None)
    answer = run(asked)
    assert (answer.outcome, size_of(answer)) == ("model", 2)
    assert evidence_of(asked, answer.witness) is not None


def test_a_search_that_ends_says_how_far_it_went_and_proves_nothing() -> None:
    injective = every(lambda x, y: implies(eq(i(x), i(y)), eq(x, y)))
    surjective = every(lambda y: some(lambda x: eq(i(x), y)))
    answer = run(task({"injective": injective}, surjective))
    assert (answer.outcome, answer.reason) == ("silent", "incomplete")
    assert answer.detail == "no countermodel up to size 10"


def test_a_budget_that_is_used_up_says_so() -> None:
    answer = run(task(LEFT_GROUP, COMMUTATIVE), 20_000)
    assert (answer.outcome, answer.reason) == ("silent", "resource")
    assert answer.detail.startswith("no countermodel up to size ")


@pytest.mark.parametrize("steps", [0, 1, 10, 100])
def test_tiny_budgets(steps: int) -> None:
    answer = run(task(LEFT_GROUP, COMMUTATIVE), steps)
    assert (answer.outcome, answer.reason) == ("silent", "resource")


def test_more_steps_never_change_an_answer() -> None:
    asked = task(LEFT_GROUP, every(lambda x: eq(i(x), x)))
    answer = run(asked)
    assert run(asked, answer.steps * 3) == answer


def test_several_carriers_have_sizes_of_their_own() -> None:
    h = Operation("h", (G,), H)
    injective = every(lambda x, y: implies(eq(h(x), h(y)), eq(x, y)))
    asked = task({}, injective)
    answer = run(asked)
    assert answer.outcome == "refuted"
    assert answer.witness["carriers"] == {"G": 2, "H": 1}
    assert evidence_of(asked, answer.witness) is not None


def test_a_carrier_that_nothing_speaks_of_is_left_small() -> None:
    asked = task(LEFT_GROUP, every(lambda x: eq(i(x), x)))
    idle = msgspec.structs.replace(asked.goal, carriers=(G, H))
    answer = run(Task(idle))
    assert answer.witness["carriers"] == {"G": 3, "H": 1}
    assert evidence_of(Task(idle), answer.witness) is not None


def each_is_itself(function: Operation) -> Term:
    return every(lambda x: eq(function(x), function(x)), function.symbol.domain[0])


def test_many_carriers_are_no_hindrance() -> None:
    carriers = [Carrier(f"C{number}") for number in range(12)]
    functions = [Operation(f"f{at}", (one,), other) for at, (one, other) in enumerate(pairwise(carriers))]
    first = functions[0]
    constant = [each_is_itself(function) for function in functions]
    two = some(lambda x: some(lambda y: ne(x, y), carriers[0]), carriers[0])
    claim = every(lambda x, y: both(eq(first(x), first(y)), eq(x, y)), carriers[0], carriers[0])
    asked = task({"constant": both(*constant), "two": two}, claim)
    answer = run(asked, 500_000)
    assert answer.outcome == "refuted"
    assert sum(answer.witness["carriers"].values()) == 13


def test_instances_are_counted_even_where_they_say_nothing() -> None:
    letters = [Variable(f"x{number}", G) for number in range(9)]
    equal = eq(letters[0], letters[0])
    apart = [eq(one, other) for one, other in pairwise(letters)]
    claim = Quantifier("forall", tuple(letters), either(equal, *apart))
    axiom = Quantifier("forall", tuple(letters), either(*apart, no(both(*apart))))
    answer = run(task({"idle": axiom}, claim), 200_000)
    assert answer.outcome == "silent"
    assert answer.steps <= 400_000


def test_elements_have_readable_names_that_nothing_else_has() -> None:
    gamma, g0 = Carrier("Gamma"), Operation("g0", ())()
    asked = task({}, every(lambda x, y: both(eq(x, g0), eq(y, y)), G, gamma))
    evidence = evidence_of(asked, run(asked).witness)
    assert evidence is not None
    names = [name for _, elements in evidence.carriers for name in elements]
    assert len(set(names)) == len(names) == 3
    assert "g0" not in names
    assert {binding.name for binding in evidence.bindings} == {"x", "y"}


def test_a_countermodel_names_the_point() -> None:
    asked = task(LEFT_GROUP, every(lambda x: eq(i(x), x)))
    evidence = evidence_of(asked, run(asked).witness)
    assert evidence is not None
    ((binding),) = evidence.bindings
    table = next(each for each in evidence.tables if each.name == "i")
    assert (binding.name, binding.sort) == ("x", "G")
    assert (binding.value, binding.value) not in table.rows
    assert table.columns == ("G", "G")


def test_a_claim_about_all_functions_is_refuted_by_one() -> None:
    function = Variable("h", FunctionOf((G,), G))
    x = Variable("x", G)
    claim = Quantifier(
        "forall", (function,), Quantifier("forall", (x,), eq(Application(function, (x,), G), x))
    )
    asked = task({}, claim)
    answer = run(asked)
    evidence = evidence_of(asked, answer.witness)
    assert answer.outcome == "refuted"
    assert evidence is not None
    assert [table.name for table in evidence.tables] == ["h"]


def test_predicates_with_truth_values_as_arguments() -> None:
    q = Operation("q", (G, BOOL), BOOL)
    flag = Variable("flag", BOOL)
    claim = Quantifier("forall", (flag,), every(lambda x: implies(q(x, flag), q(x, no(flag)))))
    asked = task({}, claim)
    answer = run(asked)
    assert answer.outcome == "refuted"
    assert evidence_of(asked, answer.witness) is not None


# ── The check ────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def found() -> tuple[Task, dict[str, Any]]:
    asked = task({**MONOID, "two": ne(a, e)}, every(lambda x: eq(m(x, x), e)))
    return asked, run(asked).witness


def test_every_changed_value_is_noticed_unless_it_is_a_model_too(found: tuple[Task, dict[str, Any]]) -> None:
    asked, witness = found
    assert evidence_of(asked, witness) is not None
    kept = 0
    for name, rows in witness["tables"].items():
        for index, row in enumerate(rows):
            changed = deepcopy(witness)
            changed["tables"][name][index][-1] = 1 - row[-1]
            kept += evidence_of(asked, changed) is not None
    assert kept == 0


def _without(part: str) -> Any:
    def change(witness: dict[str, Any]) -> None:
        witness.pop(part)

    return change


def _row_dropped(witness: dict[str, Any]) -> None:
    next(rows for rows in witness["tables"].values() if len(rows) > 1).pop()


def _row_twice(witness: dict[str, Any]) -> None:
    rows = next(iter(witness["tables"].values()))
    rows.append(rows[0])


def _value_outside(witness: dict[str, Any]) -> None:
    next(iter(witness["tables"].values()))[0][-1] = 2


def _truth_for_an_element(witness: dict[str, Any]) -> None:
    next(iter(witness["tables"].values()))[0][-1] = True


def _larger_carrier(witness: dict[str, Any]) -> None:
    witness["carriers"]["G"] = 3


def _empty_carrier(witness: dict[str, Any]) -> None:
    witness["carriers"]["G"] = 0


def _point_where_it_holds(witness: dict[str, Any]) -> None:
    witness["point"]["x"] = [[1 - witness["point"]["x"][0][0]]]


@pytest.mark.parametrize(
    "change",
    [
        _without("carriers"),
        _without("tables"),
        _without("point"),
        _row_dropped,
        _row_twice,
        _value_outside,
        _truth_for_an_element,
        _larger_carrier,
        _empty_carrier,
        _point_where_it_holds,
    ],
)
def test_a_malformed_or_false_witness_is_refused(found: tuple[Task, dict[str, Any]], change: Any) -> None:
    asked, witness = found
    changed = deepcopy(witness)
    change(changed)
    assert evidence_of(asked, changed) is None


@pytest.mark.parametrize("witness", [None, 3, [], {}, {"carriers": [], "tables": {}, "point": {}}])
def test_rubbish_is_refused(found: tuple[Task, dict[str, Any]], witness: Any) -> None:
    assert evidence_of(found[0], witness) is None


def test_a_model_of_another_claim_is_refused(found: tuple[Task, dict[str, Any]]) -> None:
    asked, witness = found
    other = msgspec.structs.replace(asked.goal, claim=every(lambda x: eq(x, x)))
    assert evidence_of(Task(other), witness) is None


def test_the_bits_of_a_model_are_those_that_the_solver_says_one_by_one() -> None:
    z3 = pytest.importorskip("z3")
    random = Random(0)
    clauses = [[random.choice((-1, 1)) * random.randint(1, 3_000) for _ in range(4)] for _ in range(6_000)]
    solver = z3.SolverFor("QF_FD", ctx=z3.Context())
    lines = ["p cnf 3000 6000", *(" ".join(map(str, each)) + " 0" for each in clauses)]
    solver.from_string("\n".join(lines) + "\n")
    assert str(solver.check()) == "sat"
    model = solver.model()
    said = {int(each.name()[2:]) for each in model.decls() if z3.is_true(model[each])}
    assert len(said) > 100
    assert true_bits(model) == said


# ── Brute force ──────────────────────────────────────────────────────────────────────────────────────────────

TWO = Bounds(carrier=2, budget=Budget(steps=3_000_000, depth=150, size=100_000))


@settings(max_examples=60, deadline=None)
@given(formulas(), formulas())
def test_brute_force_agrees_up_to_two_elements(axiom: Term, claim: Term) -> None:
    asked = task({"axiom": axiom}, claim)
    answer = run(asked, 300_000)
    decision = decide(asked.goal, TWO)
    if decision.status == "disproved":
        assert answer.outcome == "refuted"
    if answer.outcome == "refuted":
        assert evidence_of(asked, answer.witness) is not None
        assert decision.status == "disproved" or max(answer.witness["carriers"].values()) > 2


@settings(max_examples=40, deadline=None)
@given(formulas())
def test_brute_force_agrees_about_models(axiom: Term) -> None:
    asked = task({"axiom": either(axiom, no(axiom)), "again": axiom}, None)
    answer = run(asked, 300_000)
    decision = decide(asked.goal, TWO)
    assert decision.status != "model" or answer.outcome == "model"
    if answer.outcome == "model":
        assert evidence_of(asked, answer.witness) is not None


def test_a_symbol_over_numbers_that_no_formula_mentions_has_no_table() -> None:
    asked = claims_task(
        "structure Scaled(V) { operation add : V × V → V  operation scale : ℝ × V → V\n"
        "  axiom commutes : ∀(x y : V). add(x, y) = add(y, x)\n"
        "  axiom keeps : ∀(r : ℝ, x y : V). scale(r, add(x, y)) = add(scale(r, x), scale(r, y)) }",
        "using Scaled(V) ∀(x y : V). add(x, y) = x",
    )
    axioms = tuple(each for each in asked.goal.axioms if each.name == "Scaled::commutes")
    narrowed = msgspec.structs.replace(asked, goal=msgspec.structs.replace(asked.goal, axioms=axioms))
    assert any(each.name == "scale" for each in narrowed.goal.symbols)
    answer = run(narrowed)
    assert (answer.outcome, answer.detail) == ("silent", "scale has no finite table")
