"""Inductions that lie: false claims, each with the induction that would show it if one check were missing.

Every attack is a proof tree whose leaves Z3 refutes wherever they are true.  It is stopped by the rule, or by a leaf that is
no theorem; and where it is a leaf, the attack says which.
"""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from kleis import core
from kleis.core.goal import DataType
from kleis.prover.checker.format import Ask, Case, Induction, Step
from kleis.prover.checker.read_terms import Vocabulary
from kleis.prover.checker.rules.induction import subgoals
from kleis.prover.checker.rules.open_claims import HYPOTHESIS
from kleis.prover.checker.sequent import RejectedError, Sequent
from kleis.prover.checker.write_terms import term_data
from kleis.prover.protocol.engine import Task
from tests.support.provers.claims import task
from tests.support.provers.leaves import is_refuted, leaves, leaves_of_steps, operations

OPERATIONS = operations()
TREES = "data Tree = Leaf | Node(left : Tree, right : Tree)\n"
H1, H2, H3 = (f"{HYPOTHESIS}{place}" for place in (1, 2, 3))


def sequent_of(claim: str, program: str = "", using: str | None = None) -> Sequent:
    goal = task(program, claim, using).goal
    assert goal.claim is not None
    return Sequent(goal, tuple((each.name, each.formula) for each in goal.axioms), goal.claim)


def ask(*given: str) -> Ask:
    return Ask(tuple(given))


def on(variable: str, *cases: tuple[str, Any], **scheme: Any) -> Induction:
    return Induction(variable, tuple(Case(name, proof) for name, proof in cases), **scheme)


def open_leaves(sequent: Sequent, proof: Induction) -> list[int]:
    """The leaves, by number, that are not refuted: the attack fails there."""
    return [
        place
        for place, leaf in enumerate(leaves(sequent, proof))
        if not is_refuted(leaf, OPERATIONS, 200_000)
    ]


# ── Stopped by the rule ──────────────────────────────────────────────────────────────────────────────────────

NATURALS = {
    "from 1": ("∀(n : ℕ). n ≥ 1", on("n", ("1", ask()), ("step", ask(H1)), by=1)),
    "from 1 by its start": ("∀(n : ℕ). n ≥ 1", on("n", ("low", ask()), ("step", ask(H1)), start=1, by=1)),
    "from -1": ("∀(n : ℕ). n > 0", on("n", ("0", ask()), ("step", ask(H1)), start=-1, by=1)),
    "from 3, with nothing below": (
        "∀(n : ℕ). n ≥ 3",
        on("n", ("3", ask()), ("step", ask(H1, H2)), start=3, by=1),
    ),
    "from 3, without 3 itself": (
        "∀(n : ℕ). n ≤ 2",
        on("n", *((f"{each}", ask()) for each in range(3)), ("step", ask(H1, H2)), start=3, by=1),
    ),
    "from 2 by 2, without 3": (
        "∀(n : ℕ). n < 3 ∨ mod(n, 2) = 0",
        on("n", *((f"{each}", ask()) for each in range(3)), ("step", ask(H1, H2, H3)), start=2, by=2),
    ),
    "from farther than there are cases": (
        "∀(n : ℕ). n < 51",
        on("n", *((f"{each}", ask()) for each in range(52)), ("step", ask(H1, H2)), start=51, by=1),
    ),
    "only one of two": ("∀(n : ℕ). mod(n, 2) = 0", on("n", ("0", ask()), ("step", ask(H1)), by=2)),
    "one of two, twice": (
        "∀(n : ℕ). mod(n, 2) = 0",
        on("n", ("0", ask()), ("0", ask()), ("step", ask(H1)), by=2),
    ),
    "no step": ("∀(n : ℕ). n = 0", on("n", ("0", ask()), by=1)),
    "two steps": ("∀(n : ℕ). n = 0", on("n", ("0", ask()), ("0", ask()), by=1)),
    "no base": ("∀(n : ℕ). n = n + 1", on("n", ("step", ask(H1)), by=1)),
    "step before base": ("∀(n : ℕ). n ≥ 0", on("n", ("step", ask(H1)), ("0", ask()), by=1)),
    "no case": ("∀(n : ℕ). n = n + 1", on("n", by=1)),
    "by no step": ("∀(n : ℕ). n = n + 1", on("n", ("step", ask()), by=0)),
    "by minus one": ("∀(n : ℕ). n = n + 1", on("n", ("step", ask()), by=-1)),
}
DATA = {
    "the base alone": ("∀(t : Tree). t = Leaf", on("t", ("Leaf", ask()))),
    "the base twice": ("∀(t : Tree). t = Leaf", on("t", ("Leaf", ask()), ("Leaf", ask()))),
    "a case too many": (
        "∀(t : Tree). t = Leaf",
        on("t", ("Leaf", ask()), ("Leaf", ask()), ("Node", ask(H1))),
    ),
    "in another order": ("∀(t : Tree). t = t", on("t", ("Node", ask()), ("Leaf", ask()))),
    "no case": ("∀(t : Tree). t ≠ t", on("t")),
    "with a start": ("∀(t : Tree). t = t", on("t", ("Leaf", ask()), ("Node", ask()), start=1)),
    "as if it were a number": ("∀(t : Tree). t ≠ t", on("t", ("step", ask(H1)), by=1)),
    "constructors of lists": ("∀(t : Tree). t = Leaf", on("t", ("Nil", ask()), ("Cons", ask()))),
}
VARIABLES = {
    "one that is not there": ("∀(n : ℕ). n = 0", on("m", ("0", ask()), ("step", ask(H1)), by=1)),
    "one of an ∃": ("∃(n : ℕ). n > n", on("n", ("0", ask()), ("step", ask(H1)), by=1)),
    "one behind an ∃": ("∃(m : ℕ). ∀(n : ℕ). n ≤ m", on("n", ("0", ask()), ("step", ask(H1)), by=1)),
    "one on the left of →": (
        "(∀(n : ℕ). n = 0) → 1 = 2 ∨ 1 = 1",
        on("n", ("0", ask()), ("step", ask(H1)), by=1),
    ),
    "one under ¬": ("¬(∀(n : ℕ). n ≥ 0)", on("n", ("0", ask()), ("step", ask(H1)), by=1)),
    "one under ∧": ("(∀(n : ℕ). n ≥ 0) ∧ 1 = 2", on("n", ("0", ask()), ("step", ask(H1)), by=1)),
    "a rational number": ("∀(q : ℚ). q ≥ 0", on("q", ("low", ask()), ("step", ask(H1)), by=1)),
    "a real number": ("∀(r : ℝ). r ≠ 1 / 2", on("r", ("0", ask()), ("step", ask(H1)), by=1)),
    "a truth value": ("∀(b : Bool). b", on("b", ("True", ask()))),
    "a set": ("∀(s : Set(ℤ)). s = s", on("s", ("Nil", ask()), ("Cons", ask()))),
    "a string": ("∀(s : String). s = s", on("s", ("Nil", ask()), ("Cons", ask()))),
    "a function": ("∀(f : ℕ → ℕ). f(0) = 0", on("f", ("0", ask()), ("step", ask(H1)), by=1)),
    "deep, of a number": (
        "∀(n : ℕ). n = n + 1",
        on("n", ("0", ask()), ("step", ask(H1)), by=1, deep=True),
    ),
}


@pytest.mark.parametrize("name", NATURALS)
def test_natural_numbers(name: str) -> None:
    claim, proof = NATURALS[name]
    with pytest.raises(RejectedError):
        list(leaves(sequent_of(claim), proof))


@pytest.mark.parametrize("name", DATA)
def test_data(name: str) -> None:
    claim, proof = DATA[name]
    with pytest.raises(RejectedError):
        list(leaves(sequent_of(claim, TREES), proof))


@pytest.mark.parametrize("name", VARIABLES)
def test_variables(name: str) -> None:
    claim, proof = VARIABLES[name]
    with pytest.raises(RejectedError):
        list(leaves(sequent_of(claim), proof))


def test_a_carrier_has_no_induction() -> None:
    program = "structure Pointed(P) { element point : P }\n"
    for proof in (on("x"), on("x", ("point", ask())), on("x", ("0", ask()), ("step", ask(H1)), by=1)):
        with pytest.raises(RejectedError):
            list(leaves(sequent_of("∀(x : P). x = point", program, "Pointed"), proof))


@pytest.mark.parametrize(
    "step",
    [
        {"start": 10**18, "by": 1},
        {"start": -(10**18), "by": 1},
        {"start": 0, "by": 10**9},
        {"start": 0, "by": 2**63 - 1},
        {"start": 2**70, "by": 2**70},
    ],
)
def test_numbers_without_bound(step: dict[str, int]) -> None:
    for sort in ("ℕ", "ℤ"):
        with pytest.raises(RejectedError):
            subgoals(sequent_of(f"∀(n : {sort}). n = n"), on("n", **step))


# ── Stopped by a leaf ────────────────────────────────────────────────────────────────────────────────────────

LEAVES: dict[str, tuple[str, str, Induction, list[int]]] = {
    "an integer from 0, with nothing below": (
        "",
        "∀(n : ℤ). n ≥ 0",
        on("n", ("low", ask()), ("step", ask(H1, H2)), by=1),
        [0],
    ),
    "an integer from far above": (
        "",
        "∀(n : ℤ). n > 1000",
        on("n", ("low", ask()), ("step", ask(H1, H2)), start=1000, by=1),
        [0],
    ),
    "a step that needs n ≥ start of an n below": (
        "",
        "∀(n : ℤ). n ≠ 5",
        on("n", ("low", ask()), ("step", ask(H1, H2)), start=0, by=1),
        [1],
    ),
    "a number below the start of which the claim is false": (
        "",
        "∀(n : ℕ). n ≠ 2",
        on("n", *((f"{each}", ask()) for each in range(4)), ("step", ask(H1, H2)), start=3, by=1),
        [2],
    ),
    "a start above which the claim is false once": (
        "",
        "∀(n : ℕ). n ≠ 5",
        on("n", *((f"{each}", ask()) for each in range(3)), ("step", ask(H1, H2)), start=2, by=1),
        [3],
    ),
    "a start above which every second is given": (
        "",
        "∀(n : ℕ). n < 2 ∨ mod(n, 2) = 0",
        on("n", *((f"{each}", ask()) for each in range(4)), ("step", ask(H1, H2, H3)), start=2, by=2),
        [3],
    ),
    "two values given and one shown": (
        "",
        "∀(n : ℕ). n < 2",
        on("n", ("0", ask()), ("1", ask()), ("step", ask(H1, H2)), by=2),
        [2],
    ),
    "a hypothesis of the whole": (
        TREES,
        "∀(t : Tree). t = Leaf",
        on("t", ("Leaf", ask()), ("Node", ask(H1, H2))),
        [1],
    ),
    "parts of parts that are not there": (
        TREES,
        "∀(t : Tree). t ≠ Node(Leaf, Leaf)",
        on(
            "t",
            ("Leaf", ask()),
            ("Node", ask(*(f"{HYPOTHESIS}{place}" for place in range(1, 7)))),
            deep=True,
        ),
        [1],
    ),
    "an undefined hypothesis is none": (
        "",
        "∀(n : ℕ). 1 / (n - 3) = 1 / (n - 3)",
        on("n", ("0", ask()), ("step", ask(H1)), by=1),
        [1],
    ),
    "undefined everywhere": (
        "",
        "∀(n : ℕ). n / 0 = n / 0",
        on("n", ("0", ask()), ("step", ask(H1)), by=1),
        [0],
    ),
    "a hypothesis for all values of the other variable only": (
        "",
        "∀(n m : ℕ). n ≤ m",
        on("n", ("0", ask()), ("step", ask(H1)), by=1),
        [1],
    ),
    "a variable bound again inside": (
        "",
        "∀(n : ℕ). (∃(m : ℕ). m > n) ∧ ¬(∃(m : ℕ). m = 3 ∧ n = 3)",
        on("n", ("0", ask()), ("step", ask(H1)), by=1),
        [1],
    ),
    "a hypothesis of the claim about a variable of the same name": (
        "",
        "∀(k : ℕ). (∀(n : ℕ). n ≥ 0) → ∀(n : ℕ). n ≤ k",
        on("n", ("0", ask()), ("step", ask(H1)), by=1),
        [1],
    ),
    "a function that is another one in the hypothesis": (
        "",
        "∀(f : ℕ → ℕ, n : ℕ). f(n) = f(0)",
        on("n", ("0", ask()), ("step", ask(H1)), by=1),
        [1],
    ),
}


@pytest.mark.parametrize("name", LEAVES)
def test_false_claims_leave_a_leaf_open(name: str) -> None:
    program, claim, proof, expected = LEAVES[name]
    assert open_leaves(sequent_of(claim, program), proof) == expected


def test_an_induction_inside_keeps_what_is_above() -> None:
    """Nested inductions: the inner hypotheses are about the outer part, not about every value."""
    inner = on("m", ("0", ask(H1)), ("step", ask(H1, H2)), by=1)
    proof = on("n", ("0", on("m", ("0", ask()), ("step", ask(H1)), by=1)), ("step", inner), by=1)
    assert open_leaves(sequent_of("∀(n m : ℕ). n = m"), proof)
    with pytest.raises(RejectedError):  # the variable of the induction around is no variable any more
        list(leaves(sequent_of("∀(n m : ℕ). n = m"), on("n", ("0", proof), ("step", proof), by=1)))


# ── Names ────────────────────────────────────────────────────────────────────────────────────────────────────


def captured(name: str, sort: core.Sort) -> core.Term:
    """An axiom: the symbol of this name is one certain value."""
    value: core.Term = (
        core.LiteralTerm(3, core.NATURAL)
        if sort == core.NATURAL
        else core.Coercion(core.LiteralTerm(3, core.NATURAL), sort)
    )
    return core.Equals(core.SymbolCall(core.Symbol(name, (), sort), ()), value)


@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize("sort", [core.NATURAL, core.INTEGER])
def test_a_symbol_named_like_a_part(declared: bool, sort: core.Sort) -> None:
    """Were ``n#0 = 3`` said of the part, the step would show that 4 is every number's successor."""
    text = "ℕ" if sort == core.NATURAL else "ℤ"
    low = ("0", ask()) if sort == core.NATURAL else ("low", ask())
    sequent = sequent_of(f"∀(n : {text}). n ≤ 0 ∨ n = 4")
    stolen = tuple(core.Symbol(f"n#{place}", (), sort) for place in range(4))
    goal = msgspec.structs.replace(sequent.goal, symbols=stolen if declared else ())
    premises = tuple((f"Axiom {each.name}", captured(each.name, sort)) for each in stolen)
    hostile = Sequent(goal, premises, sequent.claim)
    given = (name for name, _ in premises)
    hypotheses = (H1,) if sort == core.NATURAL else (H1, H2)
    proof = on("n", low, ("step", ask(*given, *hypotheses)), by=1)
    assert open_leaves(hostile, proof) == [1]
    (_, left) = subgoals(hostile, proof)[1]
    assert not {each.name for each in left.constants} & {each.name for each in stolen}


def test_a_constant_of_an_induction_around_is_not_used_again() -> None:
    sequent = sequent_of("∀(n : ℕ). n = 0")
    taken = core.Symbol("n#1", (), core.NATURAL)
    hostile = msgspec.structs.replace(sequent, constants=(taken,))
    (_, left) = subgoals(hostile, on("n", ("0", ask()), ("step", ask()), by=1))[1]
    assert [each.name for each in left.constants] == ["n#1", "n#2"]


def test_an_operation_named_like_a_function_variable() -> None:
    sequent = sequent_of("∀(f : ℕ → ℕ, n : ℕ). f(n) = 0")
    stolen = core.Symbol("f#0", (core.NATURAL,), core.NATURAL)
    n = core.Variable("n", core.NATURAL)
    zero = core.Equals(core.SymbolCall(stolen, (n,)), core.LiteralTerm(0, core.NATURAL))
    premise = core.Quantifier("forall", (n,), zero)
    hostile = Sequent(sequent.goal, (("zero", premise),), sequent.claim)
    proof = on("n", ("0", ask("zero")), ("step", ask("zero", H1)), by=1)
    assert open_leaves(hostile, proof) == [0, 1]


def test_a_premise_named_like_a_hypothesis() -> None:
    """The names of hypotheses are those that are free: no leaf gets another formula than it asks for."""
    sequent = sequent_of("∀(n : ℕ). n = 0")
    truth: core.Term = core.LiteralTerm(True, core.BOOL)
    hostile = msgspec.structs.replace(sequent, premises=((H1, truth),))
    (_, left) = subgoals(hostile, on("n", ("0", ask()), ("step", ask()), by=1))[1]
    assert [name for name, _ in left.premises] == [H1, H2]
    assert left.premise(H1) == truth


def test_a_premise_about_the_variable_is_no_premise() -> None:
    """``n = 0`` with n free is not said of the n of the claim, nor of any other."""
    sequent = sequent_of("∀(n : ℕ). n = 0")
    n = core.Variable("n", core.NATURAL)
    about = core.Equals(n, core.LiteralTerm(0, core.NATURAL))
    hostile = msgspec.structs.replace(sequent, premises=(("about n", about),))
    with pytest.raises(RejectedError, match="closed"):
        subgoals(hostile, on("n", ("0", ask()), ("step", ask("about n")), by=1))


# ── Data types that are none ─────────────────────────────────────────────────────────────────────────────────


def test_a_type_whose_values_would_have_no_end() -> None:
    sort = core.DataSort("Endless", ())
    again = core.Constructor("Again", (core.ConstructorField("_0", sort),), sort, alone=True)
    x = core.Variable("x", sort)
    claim = core.Quantifier("forall", (x,), core.LiteralTerm(False, core.BOOL))
    goal = msgspec.structs.replace(sequent_of("1 = 1").goal, data=((DataType(sort, (again,)),),))
    with pytest.raises(RejectedError):
        subgoals(Sequent(goal, (), claim), on("x", ("Again", ask(H1))))
    empty = msgspec.structs.replace(goal, data=((DataType(sort, ()),),))
    with pytest.raises(RejectedError):
        subgoals(Sequent(empty, (), claim), on("x"))


# ── Lemmas ───────────────────────────────────────────────────────────────────────────────────────────────────


def lemma(claim: str, proof: Any) -> Step:
    goal = task("", claim).goal
    assert goal.claim is not None
    return Step(proof, term_data(goal.claim))


def walk(claim: str, *steps: Step) -> list[bool]:
    given: Task = task("", claim)
    return [is_refuted(leaf, OPERATIONS, 200_000) for leaf in leaves_of_steps(given, steps, OPERATIONS)]


def test_a_lemma_may_not_use_what_comes_later() -> None:
    false = "∀(n : ℕ). n = 0"
    first, second = lemma(false, ask("step 2")), lemma(false, ask("step 1"))
    with pytest.raises(RejectedError, match="'step 2'"):
        walk(false, first, second, Step(ask("step 2")))


def test_a_lemma_may_not_use_itself_or_the_claim() -> None:
    false = "∀(n : ℕ). n = 0"
    with pytest.raises(RejectedError, match="'step 1'"):
        walk(false, lemma(false, ask("step 1")), Step(ask("step 1")))
    with pytest.raises(RejectedError, match="'claim'"):
        walk(false, Step(on("n", ("0", ask()), ("step", ask("claim", H1)), by=1)))


def test_a_hypothesis_does_not_leave_its_case() -> None:
    false = "∀(n : ℕ). n = 0"
    inner = on("n", ("0", ask()), ("step", ask(H1)), by=1)
    with pytest.raises(RejectedError, match="hypothesis 1"):
        walk(false, lemma("∀(n : ℕ). n ≥ 0", inner), Step(ask(H1)))
    with pytest.raises(RejectedError, match="hypothesis 1"):
        walk(false, Step(on("n", ("0", ask(H1)), ("step", ask(H1)), by=1)))
    with pytest.raises(RejectedError, match="hypothesis 2"):
        walk(false, Step(on("n", ("0", ask()), ("step", ask(H1, H2)), by=1)))


def test_a_false_lemma_leaves_a_leaf_open() -> None:
    false = "∀(n : ℕ). n = 0"
    proof = on("n", ("0", ask()), ("step", ask(H1)), by=1)
    assert walk("∀(n : ℕ). n = n + 1", lemma(false, proof), Step(ask("step 1"))) == [
        True,
        False,
        True,
    ]


def test_a_part_is_unknown_outside_of_its_case() -> None:
    """A term of a file may mention the constants of its own leaf, no others."""
    sequent = sequent_of("∀(n : ℕ). n = 0")
    zero, after = subgoals(sequent, on("n", ("0", ask()), ("step", ask()), by=1))
    data = ["symbol", "n#0", "ℕ"]
    within = Vocabulary(after[1].goal, OPERATIONS, after[1].constants)
    assert within.term(data, ()) == core.SymbolCall(after[1].constants[0], ())
    with pytest.raises(RejectedError):
        Vocabulary(zero[1].goal, OPERATIONS, zero[1].constants).term(data, ())
