"""The first-order fragment: which goals are in it and how they are translated; the shared problems through both engines."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import msgspec
import pytest

from kleis.core import (
    BOOL,
    INTEGER,
    STRING,
    Application,
    BuiltinCall,
    Carrier,
    Conditional,
    Construction,
    Constructor,
    DataSort,
    Definition,
    DefinitionCall,
    Dimension,
    FunctionOf,
    Let,
    ListOf,
    LiteralTerm,
    Quantifier,
    Term,
    Undefined,
    Variable,
)
from kleis.core import Operation as Builtin
from kleis.core.goal import OpenQuestion
from kleis.prover.engines.completion.check_proof import check_chain, check_rewriting
from kleis.prover.engines.completion.engine import Completion
from kleis.prover.engines.first_order_problem import translate
from kleis.prover.engines.first_order_terms import Function, functions_of
from kleis.prover.engines.models.finite_models import FiniteModels
from kleis.prover.protocol.engine import Task
from tests.support.files.shared_data import needs_shared, shared_rows
from tests.support.provers.claims import evidence_of
from tests.support.theories.algebra import (
    COMMUTATIVE,
    LEFT_GROUP,
    NOWHERE,
    G,
    H,
    Operation,
    a,
    b,
    e,
    eq,
    every,
    implies,
    le,
    m,
    ne,
    no,
    some,
    task,
)
from tests.support.theories.shared_problems import goals_of

x, y = Variable("x", G), Variable("y", G)
flag = Variable("flag", BOOL)
weight = Operation("weight", (G,), INTEGER)
lists = Operation("list", (G,), ListOf(G))
COLOUR = DataSort("Colour")


def with_definition(claim: Term, definition: Definition) -> Task:
    asked = task({}, claim)
    return Task(msgspec.structs.replace(asked.goal, definitions=(definition,)))


OUTSIDE = [
    pytest.param(eq(weight(a), weight(b)), id="numbers"),
    pytest.param(eq(lists(a), lists(b)), id="lists"),
    pytest.param(every(lambda x: eq(x, x), INTEGER), id="a variable of a built-in sort"),
    pytest.param(every(lambda x: eq(x, x), STRING), id="strings"),
    pytest.param(eq(Construction(Constructor("Red", (), COLOUR), ()), Variable("c", COLOUR)), id="data"),
    pytest.param(Undefined(BOOL, "nothing"), id="undefined"),
    pytest.param(
        BuiltinCall(Builtin("less_than", (Variable("a", INTEGER),), BOOL), (LiteralTerm(1, INTEGER),)),
        id="built-ins",
    ),
    pytest.param(
        Quantifier("exists", (Variable("h", FunctionOf((G,), G)),), eq(a, a)), id="an inner function binder"
    ),
    pytest.param(
        Quantifier("forall", (Variable("h", FunctionOf((G,), INTEGER)),), eq(a, a)), id="functions to numbers"
    ),
]


@pytest.mark.parametrize("claim", OUTSIDE)
def test_claims_outside_the_fragment_are_refused(claim: Term) -> None:
    asked = task(LEFT_GROUP, claim)
    assert translate(asked) is None
    for engine in (Completion(), FiniteModels()):
        assert not engine.applies(asked)
        assert engine.run(asked, 1_000).outcome == "silent"


@pytest.mark.parametrize("axiom", OUTSIDE)
def test_axioms_outside_are_dropped_for_proofs_and_stop_refutations(axiom: Term) -> None:
    problem = translate(task({**LEFT_GROUP, "outside": axiom}, COMMUTATIVE))
    assert problem is not None
    assert (problem.dropped, problem.exact) == (("outside",), False)
    assert not FiniteModels().applies(task({**LEFT_GROUP, "outside": axiom}, COMMUTATIVE))


def test_a_lemma_outside_is_dropped_and_does_not_matter_for_models() -> None:
    problem = translate(task({}, COMMUTATIVE, [eq(weight(a), weight(a))]))
    assert problem is not None
    assert (problem.dropped, problem.exact) == (("lemma 1",), True)


def test_what_is_unsettled_is_refused() -> None:
    asked = task(LEFT_GROUP, COMMUTATIVE)
    doubt = OpenQuestion("termination", "f", NOWHERE)
    assert translate(Task(msgspec.structs.replace(asked.goal, unsettled=(doubt,)))) is None


def test_a_question_with_nothing_inside_is_refused() -> None:
    assert translate(task({"outside": eq(weight(a), weight(b))}, None)) is None


def test_families_of_carriers_may_be_related_by_their_dimensions() -> None:
    size = Dimension(((("n",), 1),))
    least = Dimension(((("min(m, n)",), 1),))
    for dimension, exact in ((size, True), (least, False)):
        vectors = Carrier("Vector", (dimension,))
        problem = translate(task({}, every(lambda v, w: eq(v, w), vectors, vectors)))
        assert problem is not None
        assert problem.exact is exact


# ── What is unfolded: claims that are true, and their negations that are false in some model ────────────────────

pick = Operation("pick", (BOOL, G))
holds = Operation("holds", (G, BOOL), BOOL)
TWICE = Definition("twice", "twice", (x,), G, m(x, x))
LOOP = Definition("loop", "loop", (x,), G, DefinitionCall("loop", (x,), G), ("loop",))
binder = Variable("h", FunctionOf((G,), G))
predicate = Variable("s", FunctionOf((G,), BOOL))


def of(function: Variable, argument: Term) -> Term:
    assert isinstance(function.sort, FunctionOf)
    return Application(function, (argument,), function.sort.codomain)


def truths(body: Term) -> Term:
    return Quantifier("forall", (flag,), body)


VALID = [
    pytest.param(eq(Let(x, m(a, b), m(x, x)), m(m(a, b), m(a, b))), id="let"),
    pytest.param(
        every(lambda x: implies(eq(x, a), eq(Conditional(eq(x, a), b, x), b))), id="a condition in a term"
    ),
    pytest.param(
        every(lambda x: eq(pick(eq(x, x), a), pick(LiteralTerm(True, BOOL), a))), id="a formula as argument"
    ),
    pytest.param(
        truths(implies(flag, eq(pick(flag, a), pick(LiteralTerm(True, BOOL), a)))), id="∀ over Bool"
    ),
    pytest.param(
        Quantifier("exists", (flag,), eq(holds(a, flag), holds(a, LiteralTerm(False, BOOL)))),
        id="∃ over Bool",
    ),
    pytest.param(
        every(lambda x: eq(Conditional(le(x, a), le(x, a), no(le(x, a))), LiteralTerm(True, BOOL))),
        id="a condition between formulas",
    ),
    pytest.param(
        Quantifier("forall", (binder, x, y), implies(eq(x, y), eq(of(binder, x), of(binder, y)))),
        id="a function binder",
    ),
    pytest.param(
        Quantifier("forall", (predicate, x, y), implies(eq(x, y), eq(of(predicate, x), of(predicate, y)))),
        id="a predicate binder",
    ),
    pytest.param(some(lambda x: every(lambda y: eq(m(x, y), m(x, y)))), id="∃∀"),
    pytest.param(
        implies(some(lambda x: every(lambda y: le(x, y))), every(lambda y: some(lambda x: le(x, y)))),
        id="∃∀ → ∀∃",
    ),
]


@pytest.mark.parametrize("claim", VALID)
def test_valid_formulas_are_proved_and_never_refuted(claim: Term) -> None:
    asked = task({}, claim)
    answer = Completion().run(asked, 20_000)
    assert answer.outcome == "proved"
    assert check_chain(asked, answer)
    assert FiniteModels().run(asked, 100_000).outcome == "silent"


@pytest.mark.parametrize("claim", VALID)
def test_their_negations_are_refuted(claim: Term) -> None:
    asked = task({}, no(claim))
    if translate(asked) is None:
        assert isinstance(claim, Quantifier)
        assert isinstance(claim.variables[0].sort, FunctionOf)
        return
    answer = FiniteModels().run(asked, 100_000)
    assert answer.outcome == "refuted"
    assert evidence_of(asked, answer.witness) is not None


def test_definitions_are_unfolded_unless_they_are_recursive() -> None:
    assert (
        Completion()
        .run(with_definition(every(lambda x: eq(DefinitionCall("twice", (x,), G), m(x, x))), TWICE), 1_000)
        .outcome
        == "proved"
    )
    assert translate(with_definition(every(lambda x: eq(DefinitionCall("loop", (x,), G), x)), LOOP)) is None


def test_unfolding_must_not_explode() -> None:
    term: Term = a
    for number in range(16):
        variable = Variable(f"z{number}", G)
        term = Let(variable, term, m(variable, variable))
    assert translate(task({}, eq(term, a))) is None


def test_the_points_of_a_claim_are_its_outermost_variables() -> None:
    problem = translate(task(LEFT_GROUP, every(lambda x, y: some(lambda z: eq(m(x, y), z)))))
    assert problem is not None
    assert [name for name, _ in problem.skolems] == ["x", "y"]
    assert [function.name for _, function in problem.skolems] == ["?x", "?y"]


@pytest.mark.parametrize(
    ("claim", "branches"),
    [
        (COMMUTATIVE, 1),
        (eq(eq(a, b), eq(b, e)), 2),
        (every(lambda x: eq(x, x)), 1),
        (implies(eq(a, b), eq(b, e)), 1),
        (LiteralTerm(True, BOOL), 0),
    ],
)
def test_branches(claim: Term, branches: int) -> None:
    problem = translate(task({}, claim))
    assert problem is not None
    assert len(problem.branches) == branches


def test_skolem_functions_depend_on_what_they_must_depend_on() -> None:
    above = every(lambda x, y: some(lambda z: le(x, z)))
    problem = translate(task({"above": above}, None))
    assert problem is not None
    (witness,) = [each for each in functions_of(problem.axioms[0].formula) if each.symbol is None]
    assert witness == Function("?z", (G,), G)


def test_names_that_clash_are_told_apart() -> None:
    one, other = Operation("f", (G,)), Operation("f", (H,), H)
    truth = Operation("true", ())()
    asked = task({}, every(lambda x, y: eq(one(x), one(x)), G, H))
    claim = Quantifier(
        "forall",
        (x, Variable("z", H)),
        implies(ne(one(x), truth), eq(other(Variable("z", H)), other(Variable("z", H)))),
    )
    problem = translate(task({"both": claim}, every(lambda x: ne(truth, one(x)))))
    assert problem is not None
    names = {each.name for each in functions_of(*(axiom.formula for axiom in problem.axioms))}
    assert names == {"f : G → G", "f : H → H", "true :  → G"}
    assert FiniteModels().run(asked, 10_000).outcome == "silent"


# ── Determinism ──────────────────────────────────────────────────────────────────────────────────────────────

_ANSWERS = """
import msgspec
from kleis.prover.engines.completion.engine import Completion
from kleis.prover.engines.models.finite_models import FiniteModels
from tests.support.theories.algebra import COMMUTATIVE, LATTICE, LEFT_GROUP, eq, every, i, m, e, task
asked = [
    task(LEFT_GROUP, COMMUTATIVE),
    task(LEFT_GROUP, every(lambda x: eq(i(i(x)), x))),
    task(LATTICE, every(lambda x: eq(x, x))),
    task(LATTICE, None),
]
for each in asked:
    print(msgspec.json.encode(Completion().run(each, 8_000)).decode())
    print(msgspec.json.encode(FiniteModels().run(each, 100_000)).decode())
"""


def test_answers_do_not_depend_on_the_process() -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-c", _ANSWERS],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "12345")
    }
    assert len(outputs) == 1
    assert outputs.pop().count("\n") == 8


def test_loading_the_engines_does_not_load_z3() -> None:
    code = "import sys, kleis.prover.engines.models.finite_models, kleis.prover.engines.completion.engine; print('z3' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


# ── The shared problems ──────────────────────────────────────────────────────────────────────────────────────

ROWS = shared_rows("propositions.jsonl")
EXPECTED = {
    "proved": "verified",
    "refuted": "disproved",
    "model": "consistent",
    "inconsistent": "inconsistent",
}


@needs_shared  # the shared data
@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row["name"]))
def test_no_definite_answer_is_wrong_and_all_are_checked(row: dict[str, Any]) -> None:
    for meaning in goals_of(row):
        asked = Task(meaning)
        answer = Completion().run(asked, 12_000)
        if answer.outcome in ("proved", "inconsistent"):
            assert check_chain(asked, answer)
        elif answer.outcome != "silent":
            assert check_rewriting(asked, answer.witness)
        model = FiniteModels().run(asked, 150_000)
        assert model.outcome == "silent" or evidence_of(asked, model.witness) is not None
        for each in (answer, model):
            assert each.outcome == "silent" or EXPECTED[each.outcome] == row["expect"]
