"""The rules for witnesses and for what needs no solver: what they accept, what is shown of it, and what it rests on."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import msgspec
import pytest

from kleis import core
from kleis.core.goal import Axiom, Goal
from kleis.problems import Place
from kleis.prover.checker.check_model import check_model
from kleis.prover.checker.format import Assignment, Interpretation, Tables
from kleis.prover.checker.read_terms import operation_at
from kleis.prover.checker.rules.assignment import check_assignment
from kleis.prover.checker.rules.evaluation import check_evaluation
from kleis.prover.checker.rules.named_parts import symbol_text
from kleis.prover.checker.rules.regular import check_regular_languages
from kleis.prover.checker.sequent import FALSITY, NotExpressible, RejectedError, Sequent
from kleis.prover.checker.write_terms import term_data
from kleis.prover.engines.models.standard_models import is_proved
from kleis.prover.lowering.list_terms import nil
from tests.support.provers.claims import task

HERE = Place(file="test", line=1, column=1)
A, B = core.Carrier("A"), core.Carrier("B")


def shown(goal: Goal, witness: Any) -> Any:
    return check_model(goal, witness, operation_at())


def holds(goal: Goal, witness: Any) -> bool:
    try:
        return all(is_proved(leaf, 200_000) for _, leaf in shown(goal, witness).leaves)
    except RejectedError:
        return False


# ── Tables ───────────────────────────────────────────────────────────────────────────────────────────────────

POINTED = """
structure Pointed(T) {
  element base : T
  operation next : T → T
  axiom fixed : next(base) = base
}
"""


def test_tables_show_a_model_and_where_the_claim_fails() -> None:
    goal = task(POINTED, "∀(x : T). next(x) = base", "Pointed(T)").goal
    names = [symbol_text(each) for each in goal.symbols]
    assert [each.name for each in goal.symbols] == ["base", "next"]
    right = Tables(carriers=(("T", 2),), tables=((names[0], (0,)), (names[1], (0, 1))), point=(("x", (1,)),))
    found = shown(goal, right)
    assert found.evidence.bindings[0].value == "t1"
    assert not found.leaves
    assert 0 < found.steps < 1_000
    everywhere = msgspec.structs.replace(right, point=())
    assert shown(goal, everywhere).evidence.bindings == ()
    for wrong in (
        msgspec.structs.replace(right, point=(("x", (0,)),)),
        msgspec.structs.replace(right, tables=((names[0], (1,)), (names[1], (0, 0)))),
        msgspec.structs.replace(right, tables=(right.tables[1], right.tables[0])),
        msgspec.structs.replace(right, tables=(*right.tables, right.tables[0])),
        msgspec.structs.replace(right, tables=right.tables[:1]),
        msgspec.structs.replace(right, tables=((names[0], (0,)), (names[0], (0,)))),
        msgspec.structs.replace(right, tables=((names[0], (0,)), (names[1], (0, 1, 0)))),
        msgspec.structs.replace(right, tables=((names[0], (0,)), (names[1], (0,)))),
        msgspec.structs.replace(right, tables=((names[0], (0,)), (names[1], (0, 2)))),
        msgspec.structs.replace(right, tables=((names[0], (0,)), (names[1], (0, -1)))),
        msgspec.structs.replace(right, tables=((names[0], (0,)), (names[1], (False, True)))),
        msgspec.structs.replace(right, tables=((names[0], ()), (names[1], (0, 1)))),
        msgspec.structs.replace(right, carriers=()),
        msgspec.structs.replace(right, carriers=(("T", 2), ("T", 2))),
        msgspec.structs.replace(right, carriers=(("S", 2),)),
        msgspec.structs.replace(right, carriers=(("T", 0),)),
        msgspec.structs.replace(right, carriers=(("T", True),)),
        msgspec.structs.replace(right, carriers=(("T", 10**30),)),
        msgspec.structs.replace(right, point=(("y", (1,)),)),
        msgspec.structs.replace(right, point=(("x", (1,)), ("x", (1,)))),
        msgspec.structs.replace(right, point=(("x", (1, 1)),)),
        msgspec.structs.replace(right, point=(("x", (2,)),)),
        msgspec.structs.replace(right, point=(("x", ()),)),
    ):
        with pytest.raises(RejectedError):
            shown(goal, wrong)


def test_a_table_too_large_to_exist_is_refused_before_it_is_listed() -> None:
    f = core.Symbol("f", (A,) * 9, A)
    goal = Goal(claim=FALSITY, carriers=(A,), symbols=(f,))
    with pytest.raises(RejectedError, match="one value for every combination"):
        shown(goal, Tables(carriers=(("A", 1_000),), tables=((symbol_text(f), (0,)),)))


def test_a_point_is_given_for_all_variables_or_for_none() -> None:
    """What is shown has been used: no value beside a quantifier that was enumerated."""
    goal = task(POINTED, "∀(x : T). ∀(y : T). x = y", "Pointed(T)").goal
    names = [symbol_text(each) for each in goal.symbols]
    base = Tables(carriers=(("T", 2),), tables=((names[0], (0,)), (names[1], (0, 0))))
    assert shown(goal, base)
    assert shown(goal, msgspec.structs.replace(base, point=(("x", (0,)), ("y", (1,)))))
    for point in ((("y", (1,)),), (("x", (0,)),), (("y", (1,)), ("x", (0,)))):
        with pytest.raises(RejectedError):
            shown(goal, msgspec.structs.replace(base, point=point))


# ── Overloads, and carriers that become one sort ─────────────────────────────────────────────────────────────


def variable(name: str, sort: core.Sort) -> core.Variable:
    return core.Variable(name, sort)


def overloaded(claim: core.Term | None) -> tuple[Goal, core.Symbol, core.Symbol]:
    """Two operations f, on A and on B; that on B is the identity."""
    f, g = core.Symbol("f", (A,), A), core.Symbol("f", (B,), B)
    b = variable("b", B)
    identity = core.Quantifier("forall", (b,), core.Equals(core.SymbolCall(g, (b,)), b))
    axiom = Axiom("identity", identity, "axiom", HERE)
    return Goal(claim=claim, carriers=(A, B), symbols=(f, g), axioms=(axiom,)), f, g


def fixed_on_a() -> core.Term:
    f, a = core.Symbol("f", (A,), A), variable("a", A)
    return core.Quantifier("forall", (a,), core.Equals(core.SymbolCall(f, (a,)), a))


def test_overloads_are_told_apart_in_tables() -> None:
    goal, f, g = overloaded(fixed_on_a())
    sizes = (("A", 2), ("B", 2))
    right = Tables(carriers=sizes, tables=((symbol_text(f), (1, 0)), (symbol_text(g), (0, 1))))
    assert shown(goal, right)
    for tables in (
        ((symbol_text(g), (1, 0)), (symbol_text(f), (0, 1))),
        ((symbol_text(f), (0, 1)), (symbol_text(g), (1, 0))),
        (("f", (1, 0)), ("f", (0, 1))),
    ):
        with pytest.raises(RejectedError):
            shown(goal, Tables(carriers=sizes, tables=tables))


def test_overloads_stay_two_where_their_carriers_are_read_as_one_set() -> None:
    """f on A is x + 1 and f on B is x: both have the sorts ℤ → ℤ under the interpretation."""
    goal, f, g = overloaded(fixed_on_a())
    x0 = variable("x0", core.INTEGER)
    one = core.Coercion(core.LiteralTerm(1, core.NATURAL), core.INTEGER)
    parameters = (variable("a", core.INTEGER), variable("b", core.INTEGER))
    plus = core.BuiltinCall(core.Operation("plus", parameters, core.INTEGER), (x0, one))

    def witness(of_f: core.Term, of_g: core.Term) -> Interpretation:
        return Interpretation(
            carriers=(("A", "ℤ"), ("B", "ℤ")),
            symbols=((symbol_text(f), term_data(of_f)), (symbol_text(g), term_data(of_g))),
        )

    assert holds(goal, witness(plus, x0))
    assert not holds(goal, witness(x0, plus))
    assert not holds(goal, witness(x0, x0))
    assert not holds(goal, witness(plus, plus))
    lines = shown(goal, witness(plus, x0)).evidence.interpretation
    assert [text for _, text in lines] == ["ℤ", "ℤ", "x0 + (1 : ℤ)", "x0"]


# ── Interpretations ──────────────────────────────────────────────────────────────────────────────────────────

COUNTED = "structure Counted { element c : ℕ  operation f : ℕ → ℕ }"


@pytest.mark.parametrize(
    "body",
    [
        ["number", "-1", "ℤ"],
        ["number", "-1", "ℕ"],
        ["as", "ℕ", ["number", "-1", "ℤ"]],
        ["false"],
        ["var", "x0"],
        ["var", "x"],
        ["symbol", "c", "ℕ"],
        ["symbol", "f", "ℕ", ["number", "0", "ℕ"]],
        ["undefined", "ℤ", "?"],
        ["text", "0"],
        None,
        [],
        0,
    ],
    ids=str,
)
def test_a_symbol_is_read_as_a_term_of_its_sort_without_symbols(body: Any) -> None:
    goal = task(COUNTED, "f(c) ≥ 0 ∧ c ≥ 0").goal
    names = [symbol_text(each) for each in goal.symbols]
    with pytest.raises(RejectedError):
        shown(goal, Interpretation(symbols=((names[0], body), (names[1], ["var", "x0"]))))


def test_what_has_no_value_somewhere_refutes_nothing_there() -> None:
    """c is read as what −1 is as a natural number: nothing, so that nothing follows of it."""
    goal = task(COUNTED, "c ≥ 0 ∧ f(0) ≥ 0").goal
    names = [symbol_text(each) for each in goal.symbols]
    nothing = ["natural", ["number", "-1", "ℤ"]]
    for one, other in ((nothing, ["var", "x0"]), (["number", "0", "ℕ"], ["undefined", "ℕ", "?"])):
        assert not holds(goal, Interpretation(symbols=((names[0], one), (names[1], other))))


SOME = "structure Some(T) { element a : T }"


@pytest.mark.parametrize(
    "sort",
    [
        "ℂ",
        "Bool",
        ["List", "String"],
        ["List", ["List", "ℤ"]],
        ["Set", "ℤ"],
        ["Carrier", "Next::T"],
        "ℤ ",
        None,
        3,
    ],
    ids=str,
)
def test_carriers_are_read_as_nothing_else(sort: Any) -> None:
    goal = task(SOME, "a = a", "Some(T)").goal
    symbols = tuple((symbol_text(each), ["undefined", sort, "?"]) for each in goal.symbols)
    with pytest.raises(RejectedError):
        shown(goal, Interpretation(carriers=(("T", sort),), symbols=symbols))


@pytest.mark.parametrize(
    ("sort", "a", "same", "other"),
    [
        ("ℕ", ["number", "0", "ℕ"], "0", "1"),
        ("String", ["text", "a"], "a", "b"),
        (["List", "ℤ"], term_data(nil(core.ListOf(core.INTEGER))), [], ["0"]),
    ],
    ids=str,
)
def test_carriers_are_read_as_numbers_texts_and_lists(sort: Any, a: Any, same: Any, other: Any) -> None:
    goal = task(SOME, "∀(x : T). x = a", "Some(T)").goal
    (name,) = map(symbol_text, goal.symbols)

    def witness(x: Any) -> Interpretation:
        return Interpretation(carriers=(("T", sort),), symbols=((name, a),), point=(("x", x),))

    assert holds(goal, witness(other))
    assert not holds(goal, witness(same))


def test_a_call_reads_its_argument_once_and_stays_strict() -> None:
    """f(x) is 0: f(1 / 0) has no value nevertheless, so the claim is not false."""
    program = "structure S { operation f : ℝ → ℝ }"
    goal = task(program, "f(1 / 0) ≠ f(1 / 0)").goal
    (name,) = map(symbol_text, goal.symbols)
    zero = ["as", "ℝ", ["number", "0", "ℕ"]]
    assert not holds(goal, Interpretation(symbols=((name, zero),)))
    defined = task(program, "f(1 / 2) ≠ f(1 / 2)").goal
    assert holds(defined, Interpretation(symbols=((name, zero),)))


ENDLESS_ELSEWHERE = """
structure S { operation h : ℤ → ℕ  axiom low : ∀(n : ℤ). h(n) = 0 }
@decreases(h(n))
define f(n : ℤ) : ℤ = if h(n) = 0 then 0 else f(n) + 1
"""


def test_equations_that_clash_under_an_interpretation_show_nothing_of_its_axioms() -> None:
    """Where h is 1 the equation of f is f(n) = f(n) + 1: it proves the negated claim, and may prove no axiom."""
    goal = task(ENDLESS_ELSEWHERE, "f(0) = 0").goal
    (name,) = map(symbol_text, goal.symbols)
    for witness in (
        Interpretation(symbols=((name, ["number", "1", "ℕ"]),)),
        Interpretation(symbols=((name, ["number", "0", "ℕ"]),)),
        Assignment(symbols=((name, [[], "1"]),)),
    ):
        assert not holds(goal, witness)
    leaves = dict(shown(goal, Interpretation(symbols=((name, ["number", "1", "ℕ"]),))).leaves)
    assert {leaf: len(each.goal.definitions) for leaf, each in leaves.items()} == {
        "S::low": 0,
        "negated claim": 1,
        "f::decreases::1": 0,
    }


# ── Assignments ──────────────────────────────────────────────────────────────────────────────────────────────


def test_what_evaluation_leaves_open_is_a_leaf() -> None:
    goal = task("", "∀(x : ℤ). ∃(y : ℤ). 2 * y = x").goal
    found = shown(goal, Assignment(variables=(("x", "1"),)))
    assert [name for name, _ in found.leaves] == ["negated claim"]
    assert not found.computed
    assert found.evidence.kind == "interpretation"
    assert holds(goal, Assignment(variables=(("x", "1"),)))
    assert not holds(goal, Assignment(variables=(("x", "2"),)))


def test_axioms_that_stay_open_are_leaves_of_their_own() -> None:
    program = "structure S { element k : ℤ  axiom even : ∃(y : ℤ). 2 * y = k  axiom large : k > 3 }"
    goal = task(program, "k = 4").goal
    (name,) = map(symbol_text, goal.symbols)
    found = shown(goal, Assignment(symbols=((name, "100"),)))
    assert [leaf for leaf, _ in found.leaves] == ["S::even"]
    assert holds(goal, Assignment(symbols=((name, "100"),)))
    assert not holds(goal, Assignment(symbols=((name, "101"),)))
    with pytest.raises(RejectedError):
        shown(goal, Assignment(symbols=((name, "2"),)))
    with pytest.raises(RejectedError):
        shown(goal, Assignment(symbols=((name, "4"),)))


def test_a_symbol_left_out_may_be_anything() -> None:
    program = "structure S { element k : ℤ  operation f : ℤ → ℤ }"
    goal = task(program, "f(0) = k ∧ 1 = 2").goal
    assert shown(goal, Assignment()).computed
    open_one = task(program, "f(0) = k ∧ f(0) ≠ k + 1").goal
    with pytest.raises(RejectedError):
        shown_and_proved(open_one, Assignment())


CUBES = "∃(a b c d : ℤ). 1 ≤ a ∧ a < c ∧ c ≤ d ∧ d < b ∧ b ≤ {most} ∧ a^3 + b^3 = c^3 + d^3"


def test_a_claim_without_values_is_computed_to_be_false() -> None:
    """1729 is the smallest sum of two cubes in two ways."""
    found = shown(task("", CUBES.format(most=9)).goal, Assignment())
    assert found.computed
    assert not found.leaves
    assert found.steps > 1_000


@pytest.mark.parametrize(
    ("program", "claim"),
    [
        ("", CUBES.format(most=12)),
        ("", "∃(x : ℤ). 0 ≤ x ∧ x ≤ 9 ∧ x * x = 81"),
        ("", "∃(x : ℤ). 0 ≤ x ∧ x < 9 ∧ 1 / x > 5"),
        ("", "∃(x : ℤ). 0 ≤ x ∧ (∃(y : ℤ). 0 ≤ y ∧ y < 3 ∧ x = y + 7)"),
        ("", "∃(x : ℝ). 0 < x ∧ x < 1 ∧ x * x + x = 1"),
        ("structure S { operation f : ℤ → ℤ }", "∃(x : ℤ). 0 ≤ x ∧ x < 3 ∧ f(x) = x"),
        ("structure S { operation f : ℤ → ℤ }", "∃(x : ℤ). 0 ≤ x ∧ x < f(0) ∧ f(x) = x"),
    ],
)
def test_what_may_be_true_or_has_no_value_is_not_computed_to_be_false(program: str, claim: str) -> None:
    assert not holds(task(program, claim).goal, Assignment())


def shown_and_proved(goal: Goal, witness: Any) -> None:
    if not holds(goal, witness):
        raise RejectedError("a leaf")


@pytest.mark.parametrize("steps", [1, 2, 5, 50])
def test_a_claim_that_uses_up_the_steps_stays_open(steps: int) -> None:
    """The rule `evaluation` was asked with less than no steps, and no refusal came of it."""
    goal = task("", "∃(x : ℤ). x < 0 ∧ x > 3").goal
    found = check_assignment(goal, Assignment(), steps)
    assert [name for name, _ in found.leaves] == ["negated claim"]
    assert not found.undefined


def test_no_terms_for_elements_of_carriers() -> None:
    program = "structure S(T) { operation size : T → ℤ  axiom even : ∀(x : T). ∃(y : ℤ). 2 * y = size(x) }"
    goal = task(program, "∀(x : T). size(x) = 0", "S(T)").goal
    (name,) = map(symbol_text, goal.symbols)
    with pytest.raises(NotExpressible):
        shown(
            goal, Assignment(variables=(("x", 0),), symbols=((name, [[], "2000000"]),), carriers=(("T", 1),))
        )


def test_a_function_variable_becomes_a_term_in_a_leaf() -> None:
    goal = task("", "∀(f : ℤ → ℤ, n : ℤ). ∃(x : ℤ). f(x) = n").goal
    zero = Assignment(variables=(("f", [[], "0"]), ("n", "1")))
    assert holds(goal, zero)
    assert not holds(goal, msgspec.structs.replace(zero, variables=(("f", [[], "0"]), ("n", "0"))))
    with pytest.raises(NotExpressible):
        shown(goal, msgspec.structs.replace(zero, variables=(("f", [[["0", "0"]]]), ("n", "1"))))


def test_a_parameter_called_like_a_function_variable_is_left_alone() -> None:
    program = "define at(f : ℤ, g : ℤ → ℤ) : ℤ = g(f)"
    goal = task(program, "∀(f : ℤ → ℤ, n : ℤ). ∃(x : ℤ). at(x, f) = n ∧ x ≥ 0").goal
    assert holds(goal, Assignment(variables=(("f", [[], "0"]), ("n", "1"))))


def test_only_what_is_computed_is_spared_the_proof_of_termination() -> None:
    program = (
        "define c(n : ℤ) : ℤ = if n ≤ 1 then 0 else if mod(n, 2) = 0 then c(div(n, 2)) else c(3 * n + 1)"
    )
    goal = task(program, "c(3) = 1").goal
    assert [each.reason for each in goal.unsettled] == ["termination"]
    assert shown(goal, Assignment()).computed
    for claim, variables in (("c(3) = 1 / 0", ()), ("∀(x : ℤ). ∃(y : ℤ). 2 * y = x + c(x)", (("x", "1"),))):
        with pytest.raises(RejectedError):
            shown(task(program, claim).goal, Assignment(variables=variables))


# ── Rules without data ───────────────────────────────────────────────────────────────────────────────────────


def sequent(claim: str, program: str = "") -> Sequent:
    goal = task(program, claim).goal
    assert goal.claim is not None
    return Sequent(goal, (), goal.claim)


def test_falsity_is_not_computed_and_not_decided_by_automata() -> None:
    for rule in (check_evaluation, check_regular_languages):
        with pytest.raises(RejectedError):
            rule(Sequent(Goal(claim=None), (("clash", FALSITY),), FALSITY))


def test_a_constant_of_a_rule_above_stands_for_everything() -> None:
    c = core.Symbol("c", (), core.STRING)
    called = core.SymbolCall(c, ())
    empty = core.Equals(called, core.LiteralTerm("", core.STRING))
    itself = core.Connective("or", (empty, core.Connective("not", (empty,))))
    alone = Sequent(Goal(claim=None), (("empty", empty),), empty, (c,))
    for rule in (check_evaluation, check_regular_languages):
        with pytest.raises(RejectedError):
            rule(alone)
    assert check_regular_languages(msgspec.structs.replace(alone, claim=itself)) >= 0


DOUBLING = "\n".join(
    ["define d0(s : String) : String = concat(s, s)"]
    + [f"define d{n}(s : String) : String = concat(d{n - 1}(s), d{n - 1}(s))" for n in range(1, 40)]
)
BRANCHING = "\n".join(
    ['define b0(s : String) : Bool = contains(s, "a")']
    + [f"define b{n}(s : String) : Bool = b{n - 1}(s) ∧ ¬b{n - 1}(s) ∨ b{n - 1}(s)" for n in range(1, 40)]
)


@pytest.mark.parametrize(
    ("program", "claim"),
    [
        (DOUBLING, '∀(s : String). contains(d39(s), "a") → contains(s, "a")'),
        (BRANCHING, '∀(s : String). b39(s) → contains(s, "a")'),
        ("", "∀(s : String). (" + 'if contains(s, "a") then s else ' * 70 + "s) = s"),
    ],
    ids=["doubling", "branching", "cases"],
)
def test_claims_that_unfold_without_end_are_refused_within_the_steps(program: str, claim: str) -> None:
    asked = sequent(claim, program)
    with pytest.raises(RejectedError, match=r"large|steps"):
        check_regular_languages(asked, 20_000)


@pytest.mark.parametrize("claim", ["2 + 2 = 4", "length([1, 2]) = 2", "∀(a b : Bool). ¬(a ∧ b) = (¬a ∨ ¬b)"])
def test_what_is_computed_costs_steps_and_is_refused_where_there_are_none(claim: str) -> None:
    steps = check_evaluation(sequent(claim))
    assert 0 < steps < 1_000
    with pytest.raises(RejectedError, match="steps"):
        check_evaluation(sequent(claim), 1)


WITHOUT_SOLVERS = """
import sys
from kleis.elaborate.elaborator import Elaborator
from kleis.prover.checker.check_model import check_model
from kleis.prover.checker.format import Assignment, Tables
from kleis.prover.checker.rules.evaluation import check_evaluation
from kleis.prover.checker.rules.regular import check_regular_languages
from kleis.prover.checker.sequent import Sequent
from kleis.syntax.parser.parser import parse_expression, parse_program, parse_type
from kleis.theory.theory import Theory

program = parse_program("structure S(T) { operation f : T → T }")
elaborator = Elaborator(Theory().include(program))

def goal(claim, using=None):
    return elaborator.proposition(parse_expression(claim), using=using)

def sequent(claim):
    meant = goal(claim)
    return Sequent(meant, (), meant.claim)

check_evaluation(sequent("2 + 2 = 4"))
check_regular_languages(sequent('∀(s : String). hasPrefix(s, "ab") → contains(s, "b")'))
operation_at = elaborator.definitions.operation
moved = goal("∀(x : T). f(x) = x", parse_type("S(T)"))
check_model(moved, Tables(carriers=(("T", 2),), tables=(("f : T → T", (1, 0)),)), operation_at)
shown = check_model(goal("∀(x : ℤ). x * x > x"), Assignment(variables=(("x", "1"),)), operation_at)
assert not shown.leaves
loaded = {name.partition(".")[0] for name in sys.modules}
print(sorted(loaded & {"z3", "cvc5"}), [name for name in sys.modules if "prover.engines" in name or "smt" in name])
"""


def test_nothing_of_this_loads_a_solver_or_an_engine() -> None:
    found = subprocess.run(
        [sys.executable, "-c", WITHOUT_SOLVERS], capture_output=True, text=True, check=False, timeout=120
    )
    assert (found.stdout, found.stderr) == ("[] []\n", "")
