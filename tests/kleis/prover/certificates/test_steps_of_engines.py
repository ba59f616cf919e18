"""What engines leave, as steps of certificates: in the words of the task, with leaves that a solver refutes."""

from __future__ import annotations

import json

import msgspec
import pytest

from kleis import core
from kleis.core.traversal import substitute, subterms
from kleis.prover.certificates.inductions import induction_steps
from kleis.prover.certificates.questions import question_steps
from kleis.prover.checker.format import Ask, CertificateError, Induction, Step
from kleis.prover.checker.rules.open_claims import opened
from kleis.prover.engines.induction.engine import INDUCTION, PATIENT_INDUCTION
from kleis.prover.engines.solvers.instantiation import INSTANTIATION, OVERLAPS
from kleis.prover.engines.solvers.residues import RESIDUES
from kleis.prover.lowering.defunctionalize import lowered
from kleis.prover.lowering.written_back import UnwritableError, written_back
from kleis.prover.protocol.engine import Task
from tests.support.files.shared_data import needs_shared, shared_rows
from tests.support.provers.claims import task
from tests.support.provers.leaves import formulas, is_refuted, leaves_of_steps, operations

OPERATIONS = operations()
PEANO = """
data Nat = Zero | Succ(n : Nat)
define add(a : Nat, b : Nat) : Nat = match a { Zero => b | Succ(n) => Succ(add(n, b)) }
"""
TREES = """
data Tree = Leaf | Node(a : Tree, v : ℤ, b : Tree)
define mirror(t : Tree) : Tree = match t { Leaf => Leaf | Node(a, v, b) => Node(mirror(b), v, mirror(a)) }
define flat(t : Tree) : List(ℤ) = match t { Leaf => [] | Node(a, v, b) => append(flat(a), append([v], flat(b))) }
"""
PAIRS = """
data Row = End | Add(head : ℤ, tail : Row)
define size(x : Row) : ℕ = match x { End => 0 | Add(_, t) => 1 + size(t) }
define swapped(x : Row) : Row = match x { End => End | Add(h, End) => Add(h, End) | Add(h, Add(k, t)) => Add(k, Add(h, swapped(t))) }
"""
REPEATED = "define repeated(f : ℤ → ℤ, n : ℕ, x : ℤ) : ℤ = if n = 0 then x else repeated(f, n - 1, f(x))\n"
POWERS = "define power2(n : ℕ) : ℕ = if n = 0 then 1 else 2 * power2(n - 1)\n"
DOWN = "define down(n : ℤ) : ℤ = if n ≤ 3 then 3 else down(n - 1)\n"

INDUCTIVE = [
    (PEANO, "∀(x y : Nat). add(x, y) = add(y, x)"),
    (TREES, "∀(t : Tree). flat(mirror(t)) = reverse(flat(t))"),
    (PAIRS, "∀(x : Row). size(swapped(x)) = size(x)"),
    (POWERS, "∀(n : ℕ). power2(n) > n"),
    (DOWN, "∀(n : ℤ). down(n) = 3"),
    ("", "∀(l m : List(ℤ)). length(append(l, m)) = length(l) + length(m)"),
    ("", "∀(l : List(ℤ)). reverse(reverse(l)) = l"),
    ("", "∀(a : ℤ, l m : List(ℤ)). map(λ (x : ℤ) . x + a, append(l, m)) = append(map(λ (x : ℤ) . x + a, l), map(λ (x : ℤ) . x + a, m))"),
    ("", "∀(p : ℤ → Bool, l : List(ℤ)). length(filter(p, l)) ≤ length(l)"),
    ("", "∀(f g : ℤ → ℤ, l : List(ℤ)). map(f, map(g, l)) = map(λ (x : ℤ) . f(g(x)), l)"),
    (REPEATED, "∀(f : ℤ → ℤ, n : ℕ, x : ℤ). repeated(f, n, f(x)) = f(repeated(f, n, x))"),
    ("", "∀(l : List(ℤ)). foldl(λ (a x : ℤ) . a + x, 0, l) = foldr(λ (x a : ℤ) . x + a, 0, l)"),
]  # fmt: skip
ABOUT_FUNCTIONS = "∀(f : ℤ → ℤ, l : List(ℤ)). map(f, reverse(l)) = reverse(map(f, l))"


def steps_of(given: Task) -> tuple[Step, ...]:
    answer = INDUCTION.run(given, 8_000_000)
    if answer.outcome != "proved":
        answer = PATIENT_INDUCTION.run(given, 3_000_000)
    assert answer.outcome == "proved"
    return induction_steps(given, answer)


def check(given: Task, steps: tuple[Step, ...]) -> None:
    """Every leaf is refuted; steps go through the file's form, and use only what stands before them."""
    assert msgspec.json.decode(msgspec.json.encode(steps), type=tuple[Step, ...]) == steps
    assert steps[-1].shows is None
    leaves = list(leaves_of_steps(given, steps, OPERATIONS))
    assert leaves
    for leaf in leaves:
        assert is_refuted(leaf, OPERATIONS), leaf[1]


@pytest.mark.parametrize(("program", "claim"), INDUCTIVE)
def test_inductions(program: str, claim: str) -> None:
    given = task(program, claim)
    steps = steps_of(given)
    assert isinstance(steps[-1].proof, Induction)
    assert "built-in " not in json.dumps([each.shows for each in steps])  # how keys of lowering begin
    check(given, steps)


def test_a_lemma_about_functions_is_about_all_and_taken_at_those_of_the_claim() -> None:
    given = task("", ABOUT_FUNCTIONS)
    lemma, claim = steps_of(given)
    assert lemma.shows[:2] == ["forall", [["f", ["Function", "ℤ", "ℤ"]]]]
    check(given, (lemma, claim))
    last = list(leaves_of_steps(given, (lemma, claim), OPERATIONS))[-1]
    (hint,) = last[1].instances
    assert (hint.of, len(hint.at)) == ("step 1", 1)
    instance = formulas(last, OPERATIONS)[-1]
    variables, _ = opened(instance)
    assert all(not isinstance(each.sort, core.FunctionOf) for each in variables)


def test_axioms_outside_of_the_core_are_not_given() -> None:
    program = """
    structure Weighed(W) {
      element unit : W
      operation join : W → W → W
      axiom left : ∀(x : W). join(unit, x) = x
      axiom other : ∀(x y : W). join(x, y) = join(y, x)
    }
    define all(l : List(W)) : W = match l { Nil => unit | Cons(h, t) => join(unit, all(t)) }
    """
    program = program.replace("define all(l : List(W)) : W = match", "  define all(l : List(W)) : W = match")
    body, _, definition = program.partition("    }\n")
    given = task(f"{body}{definition}    }}\n", "∀(l : List(W)). all(l) = unit", "Weighed")
    (step,) = steps_of(given)
    leaves = list(leaves_of_steps(given, (step,), OPERATIONS))
    assert {name for _, ask in leaves for name in ask.given} == {"Weighed::left", "hypothesis 1"}
    check(given, (step,))


@needs_shared
def test_the_shared_propositions_by_induction() -> None:
    """Rows that the published order leaves to induction."""
    rows = {row["name"]: row for row in shared_rows("propositions.jsonl")}
    names = ("app_assoc", "rev_app", "len_app", "tree_size_mirror", "fact_positive", "pw_gt_n")
    for row in (rows[name] for name in names):
        given = task(row["kleis"], row["proposition"], row["using"])
        check(given, steps_of(given))


def test_what_has_no_words_is_said() -> None:
    given = task("", "∀(l m : List(ℤ)). length(append(l, m)) = length(l) + length(m)")
    low = lowered(given)
    x = core.Variable("x", core.INTEGER)
    for term, part in (
        (core.DefinitionCall("made up", (x,), core.INTEGER), "made up"),
        (core.BuiltinCall(core.Operation("no row", (x,), core.INTEGER), (x,)), "no row"),
    ):
        with pytest.raises(UnwritableError, match=part):
            written_back(core.Quantifier("forall", (x,), core.Equals(term, x)), low, given.goal)


@pytest.mark.parametrize(("program", "claim"), INDUCTIVE)
def test_writing_back_undoes_lowering(program: str, claim: str) -> None:
    """A lowered claim, written back, mentions no definition that lowering wrote, and lowers to the same again."""
    given = task(program, claim)
    low = lowered(given)
    assert low.task.goal.claim is not None
    back = written_back(low.task.goal.claim, low, given.goal)
    keys = {each.key for each in given.goal.definitions}
    called = {each.definition for each in subterms(back.formula) if isinstance(each, core.DefinitionCall)}
    assert called <= keys
    assert {each.name for each in back.functions} == set(low.operations)
    again = lowered(Task(msgspec.structs.replace(given.goal, claim=back.closed()))).task.goal.claim
    assert again == low.task.goal.claim


@pytest.mark.parametrize(
    "proof",
    [
        (),
        (("template 1; induction on x; Zero", ""),),
        (("claim; induction on z; Zero", ""), ("claim; induction on z; Succ", "")),
        (("claim; induction on x from 0 by 1; 0", ""), ("claim; induction on x from 0 by 1; step", "")),
        (("claim; induction on x; Zero", ""),),
        (("claim; induction on x; Zero", ""), ("claim; induction on y; Succ", "")),
        (("claim; induction on x", ""),),
        (("template 999999", ""), ("claim", "")),
        (("speculated x", ""), ("claim", "")),
    ],
)
def test_paths_that_are_no_induction_on_the_claim(proof: tuple[tuple[str, str], ...]) -> None:
    given = task(PEANO, "∀(x y : Nat). add(x, y) = add(y, x)")
    answer = INDUCTION.run(given, 8_000_000)
    with pytest.raises(CertificateError):
        induction_steps(given, msgspec.structs.replace(answer, proof=proof))


# ── Questions ────────────────────────────────────────────────────────────────────────────────────────────────

FIELD = """
structure Field(F) {
  operation times : F → F → F
  operation inverse : F → F
  element zero : F
  element one : F
  axiom assoc : ∀(x y z : F). times(x, times(y, z)) = times(times(x, y), z)
  axiom unit : ∀(x : F). times(one, x) = x
  axiom absorbs : ∀(x : F). times(x, zero) = zero
  axiom inverts : ∀(x : F). x ≠ zero → times(inverse(x), x) = one
}
"""
COMMANDS = """
structure Commands {
  operation allow : String → Bool
  operation deny : String → Bool
  axiom tools : ∀(c : String). hasPrefix(c, "git") → allow(c)
  axiom force : ∀(c : String). contains(c, "--force") → deny(c)
  axiom never : ∀(c : String). ¬(allow(c) ∧ deny(c))
}
"""


def test_instances_are_hints_over_the_claims_variables() -> None:
    given = task(FIELD, "∀(a b : F). times(a, b) = zero → a = zero ∨ b = zero", "Field")
    answer = INSTANTIATION.run(given, 2_000_000)
    assert answer.outcome == "proved"
    assert answer.instances
    (step,) = question_steps(given, answer, "instantiation")
    assert isinstance(step.proof, Ask)
    assert {each.of for each in step.proof.instances} <= set(answer.core) == set(step.proof.given)
    check(given, (step,))
    axioms = {each.name: each.formula for each in given.goal.axioms}
    expected = []
    for name, terms in answer.instances:
        axiom = axioms[name]
        assert isinstance(axiom, core.Quantifier)
        values = dict(zip((each.name for each in axiom.variables), terms, strict=True))
        expected.append(substitute(axiom.body, values))
    (leaf,) = leaves_of_steps(given, (step,), OPERATIONS)
    assert formulas(leaf, OPERATIONS)[len(step.proof.given) :] == expected


def test_values_at_which_conditions_overlap_are_hints() -> None:
    given = task(COMMANDS, None)
    answer = OVERLAPS.run(given, 1_000_000)
    assert answer.outcome == "inconsistent"
    (step,) = question_steps(given, answer, "overlaps")
    assert isinstance(step.proof, Ask)
    values = {each.at[0][1] for each in step.proof.instances}
    assert any(each.startswith("git") and "--force" in each for each in values)
    (leaf,) = leaves_of_steps(given, (step,), OPERATIONS)
    assert is_refuted(leaf, OPERATIONS)


@pytest.mark.parametrize(
    "claim",
    [
        "∀(n : ℤ). mod(n * n, 3) ≠ 2",
        "∀(a b : ℤ). mod(a * a + b * b, 4) ≠ 3",
        "∀(a b : ℕ). mod(a * a + b * b, 4) ≠ 3",
    ],
)
def test_residues(claim: str) -> None:
    given = task("", claim)
    answer = RESIDUES.run(given, 400_000)
    assert answer.outcome == "proved"
    fact, step = question_steps(given, answer, "residues")
    assert isinstance(step.proof, Ask)
    assert {each.of for each in step.proof.instances} == {"step 1"}
    variables = {each.name for each in opened(given.goal.claim)[0]} if given.goal.claim else set()
    assert len(step.proof.instances) == len(variables)
    check(given, (fact, step))


def test_an_answer_without_a_modulus_has_no_steps() -> None:
    given = task("", "∀(n : ℤ). mod(n * n, 3) ≠ 2")
    answer = RESIDUES.run(given, 400_000)
    for detail in ("", "modulo", "modulo x", "3", "modulo ３"):
        with pytest.raises(CertificateError):
            question_steps(given, msgspec.structs.replace(answer, detail=detail), "residues")
