"""Built-ins of lists as recursive definitions: the same values as those of the table, in the reference and in solvers."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import event, given

from kleis.core import BuiltinCall, DefinitionCall
from kleis.core.goal import ElaborationError
from kleis.core.traversal import subterms
from kleis.elaborate.elaborator import Elaborator
from kleis.prover.engines.induction.engine import INDUCTION, check_induction
from kleis.prover.engines.solvers.runs import run_text
from kleis.prover.lowering.defunctionalize import expanded
from kleis.prover.protocol.engine import Inexpressible, Task
from kleis.prover.smt.script import encode
from kleis.semantics.models import Model, evaluator_of
from kleis.semantics.ranges import Bounds
from kleis.semantics.truth import FALSE, TRUE, UNDEFINED, Truth
from kleis.syntax.parser.parser import parse_expression
from kleis.theory.theory import Theory
from tests.support.provers.claims import refuted_again, task
from tests.support.provers.solving import verdict
from tests.support.theories.random_lists import facts

WORLD = Elaborator(Theory())
STEPS = 8_000_000


def truth(given_task: Task) -> Truth:
    meaning = given_task.goal
    assert meaning.claim is not None
    return evaluator_of(meaning, Model({}, {}), Bounds(), "one-sided").truth(meaning.claim)


@given(facts())
def test_a_fact_about_lists_has_the_same_truth_by_recursion(text: str) -> None:
    """The built-in table, the recursive definitions under the same reference, and Z3 on their encoding."""
    try:
        stated = Task(WORLD.proposition(parse_expression(text)))
    except ElaborationError as problem:
        event(f"refused: {problem.code}")
        return
    expected, found = truth(stated), truth(expanded(stated))
    assert found is expected
    try:
        script = encode(stated)
    except Inexpressible as problem:
        event(problem.detail)
        return
    said = verdict(script)
    event(f"{text.partition('(')[0]} {said}")
    if said != "open" and script.exact:
        assert {"true": TRUE, "false": FALSE, "undefined": UNDEFINED}[said] is expected


@pytest.mark.parametrize(
    "claim",
    [
        "∀(l : List(ℤ)). length(reverse(l)) = length(l)",
        "∀(f g : ℤ → ℤ). ∀(l : List(ℤ)). map(f, map(g, l)) = map(λ x . f(g(x)), l)",
        "∀(a : ℤ). ∀(l : List(ℤ)). sum(map(λ x . x + a, l)) = sum(l) + a * length(l)",
    ],
)
def test_an_expanded_task_is_expanded_already(claim: str) -> None:
    once = expanded(task("", claim))
    assert expanded(once) == once
    assert once.goal.claim is not None
    bodies = [each.body for each in once.goal.definitions]
    names = {
        each.operation.name for each in subterms(once.goal.claim, *bodies) if isinstance(each, BuiltinCall)
    }
    assert names <= {"plus", "times"}


@pytest.mark.parametrize(
    ("claim", "found"),
    [
        ('get_field(record(field("x", 1), field("y", 2)), "y") = 2', TRUE),
        ('get_field(record(field("x", 1), field("y", 2)), "y") = 1', FALSE),
        ('get_field(record(field("x", div(1, 0)), field("y", 2)), "y") = 2', UNDEFINED),
        ('set_field(record(field("x", 1)), "w", true) = record(field("x", 1), field("w", true))', TRUE),
        ('get_field(set_field(record(field("x", 1)), "x", 3), "x") = 1', FALSE),
        ('get_field(set_field(record(field("x", div(1, 0))), "x", 3), "x") = 3', UNDEFINED),
        ('get_field(set_field(record(field("x", 1)), "y", div(1, 0)), "x") = 1', UNDEFINED),
        ('set_field(set_field(record(field("x", 1)), "y", 2), "x", 3) = record(field("y", 2), field("x", 3))', TRUE),
    ],
)  # fmt: skip
def test_fields_of_records_are_selections(claim: str, found: Truth) -> None:
    stated = Task(WORLD.proposition(parse_expression(claim)))
    assert (truth(stated), truth(expanded(stated))) == (found, found)
    words = {TRUE: "true", FALSE: "false", UNDEFINED: "undefined"}
    assert verdict(encode(stated)) == words[found]


def test_a_task_without_lists_stays_what_it_is() -> None:
    given_task = task("", "∀(x : ℤ). x + 0 = x")
    assert expanded(given_task) is given_task


def test_what_a_function_takes_from_around_it_is_a_parameter() -> None:
    """Two functions that differ in what they take only are one definition."""
    claim = "∀(a b : ℤ). ∀(l : List(ℤ)). map(λ x . x + a, l) = map(λ y . y + b, l)"
    (definition,) = expanded(task("", claim)).goal.definitions
    assert len(definition.parameters) == 2


def test_a_function_that_changes_in_the_recursion_is_handed_on_as_a_value() -> None:
    program = (
        "define grow(f : ℤ → ℤ, n : ℕ) : ℤ = if n = 0 then f(0) else grow(λ (x : ℤ) . f(x) + 1, n - 1)\n"
    )
    meaning = expanded(task(program, "grow(λ (x : ℤ) . x, 3) = 3")).goal
    assert meaning.claim is not None
    (call,) = [each for each in subterms(meaning.claim) if isinstance(each, DefinitionCall)]
    assert call.definition == "grow"


FUNCTORS = """
structure Laws {
  operation image : (ℤ → ℤ) × List(ℤ) → List(ℤ)
  axiom as_map : ∀(f : ℤ → ℤ). ∀(l : List(ℤ)). image(f, l) = map(f, l)
}
"""


def test_an_axiom_about_all_functions_hands_them_on_as_values() -> None:
    given_task = task(FUNCTORS, "∀(l : List(ℤ)). length(image(λ x . x + 1, l)) = length(l)")
    script = encode(given_task)
    assert "(Array Int Int)" in script.text()
    assert run_text(script.text(), 200_000).status in ("unsat", "unknown")
    assert run_text(script.text().replace("(assert (not", "(assert (and true"), 200_000).status != "unsat"


def test_a_recursion_of_which_nothing_is_known_is_not_said_to_end() -> None:
    program = "define far(l : List(ℤ)) : ℤ = match l { Nil => 0 | Cons(h, t) => length(t) + far(t) }\n"
    meaning = task(program, "∀(l : List(ℤ)). far(l) ≥ 0").goal
    encode(Task(meaning))
    with pytest.raises(Inexpressible, match="termination"):
        encode(Task(msgspec.structs.replace(meaning, terminations=())))


SORT = """
define insort(x : ℤ, l : List(ℤ)) : List(ℤ) =
  match l { Nil => [x] | Cons(h, t) => if x ≤ h then Cons(x, l) else Cons(h, insort(x, t)) }
define sorted(l : List(ℤ)) : List(ℤ) = match l { Nil => ([] : List(ℤ)) | Cons(h, t) => insort(h, sorted(t)) }
define ordered(l : List(ℤ)) : Bool =
  match l { Nil => true | Cons(h, t) => match t { Nil => true | Cons(k, u) => h ≤ k ∧ ordered(t) } }
define count(x : ℤ, l : List(ℤ)) : ℤ =
  match l { Nil => 0 | Cons(h, t) => if x = h then 1 + count(x, t) else count(x, t) }
"""

PROVED = [
    ("", "∀(l : List(ℤ)). length(reverse(l)) = length(l)"),
    ("", "∀(l m n : List(ℤ)). append(append(l, m), n) = append(l, append(m, n))"),
    ("", "∀(l : List(ℤ)). reverse(reverse(l)) = l"),
    ("", "∀(f g : ℤ → ℤ). ∀(l : List(ℤ)). map(f, map(g, l)) = map(λ x . f(g(x)), l)"),
    ("", "∀(f : ℤ → ℤ). ∀(l m : List(ℤ)). map(f, append(l, m)) = append(map(f, l), map(f, m))"),
    ("", "∀(l m : List(ℤ)). sum(append(l, m)) = sum(l) + sum(m)"),
    ("", "∀(n : ℤ). ∀(l : List(ℤ)). append(list_slice(l, 0, n), list_slice(l, n)) = l"),
    ("", "∀(l : List(ℤ)). length(l) > 0 → nth(l, 0) = head(l)"),
    ("", "∀(p : ℤ → Bool). ∀(l : List(ℤ)). all(p, filter(p, l))"),
    ("", "∀(l : List(ℕ)). ∀(m : List(ℤ)). length(append(l, m)) = length(l) + length(m)"),
    ("", "∀(l : List(ℕ)). sum(l) ≥ 0"),
    ("", "∀(n : ℤ). n ≥ 0 → 2 * sum(range(n)) = n * (n - 1)"),
    ("", "∀(l : List(ℤ)). foldl(λ a x . Cons(x, a), ([] : List(ℤ)), l) = reverse(l)"),
    ("", "∀(x : ℤ). ∀(l : List(ℤ)). in_set(x, reverse(l)) = in_set(x, l)"),
    (SORT, "∀(l : List(ℤ)). ordered(sorted(l))"),
    (SORT, "∀(x : ℤ). ∀(l : List(ℤ)). count(x, sorted(l)) = count(x, l)"),
    (SORT, "∀(l : List(ℤ)). length(sorted(l)) = length(l)"),
]

MAPS_COMMUTE = "∀(f g : ℤ → ℤ). ∀(l : List(ℤ)). map(f, map(g, l)) = map(g, map(f, l))"
"""Terms that functions may be applied to are many: steps cost more here than elsewhere."""

NOT_PROVED = [
    ("", "∀(l : List(ℤ)). reverse(l) = l"),
    ("", "∀(l m : List(ℤ)). append(l, m) = append(m, l)"),
    ("", "∀(l : List(ℤ)). append([head(l)], tail(l)) = l"),
    ("", "∀(l : List(ℤ)). sum(l) ≥ 0"),
    ("", MAPS_COMMUTE),
    ("", "∀(n : ℤ). length(range(n)) = n"),
    ("", "∀(l : List(ℤ)). map(λ x . div(x, x), l) = map(λ x . 1, l)"),
    ("", "∀(l : List(ℤ)). length(map(λ x . div(1, x), l)) = length(l)"),
    ("", "∀(l : List(ℤ)). foldr(λ x a . 0, div(1, length(l)), l) = 0"),
    ("", "∀(n : ℤ). length(replicate(n, 0)) ≥ 0"),
    (SORT, "∀(l : List(ℤ)). sorted(l) = l"),
    (SORT, "∀(l : List(ℤ)). ordered(l)"),
    (SORT, "∀(x : ℤ). ∀(l : List(ℤ)). count(x, l) ≤ 1"),
]


@pytest.mark.parametrize(("program", "claim"), PROVED)
def test_laws_of_lists_are_proved_by_induction(program: str, claim: str) -> None:
    stated = task(program, claim)
    assert INDUCTION.applies(stated)
    answer = INDUCTION.run(stated, STEPS)
    assert answer.outcome == "proved"
    assert refuted_again(answer.proof)
    assert check_induction(stated, answer.proof)


@pytest.mark.parametrize(("program", "claim"), NOT_PROVED)
def test_no_false_law_of_lists_is_proved(program: str, claim: str) -> None:
    stated = task(program, claim)
    steps = 500_000 if claim == MAPS_COMMUTE else 1_500_000
    assert not INDUCTION.applies(stated) or INDUCTION.run(stated, steps).outcome == "silent"
