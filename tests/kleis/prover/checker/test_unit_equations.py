"""The reading of premises and claims as equations: it says what the formulas say, in every small world."""

from __future__ import annotations

from random import Random

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.errors import UnsatisfiedAssumption

from kleis.core import (
    BOOL,
    INTEGER,
    Application,
    Carrier,
    Conditional,
    Definition,
    DefinitionCall,
    Dimension,
    FunctionOf,
    Let,
    LiteralTerm,
    Quantifier,
    Symbol,
    SymbolCall,
    Term,
    Undefined,
    Variable,
)
from kleis.core.goal import Goal
from kleis.prover.checker.rules.unit_equations import CLAIM, LOGIC, Problem
from kleis.prover.checker.sequent import FALSITY, NotExpressible, Sequent
from kleis.prover.engines.completion.certified_names import Functions
from kleis.prover.engines.completion.unit_equations import units_of
from kleis.prover.engines.first_order_problem import translate
from kleis.prover.protocol.engine import Task
from tests.support.provers.worlds import World, expansions, random_world, value
from tests.support.terms.recursion import recursion_limit
from tests.support.theories.algebra import (
    G,
    H,
    Operation,
    a,
    b,
    both,
    either,
    eq,
    every,
    i,
    implies,
    le,
    m,
    ne,
    no,
    some,
    task,
)
from tests.support.theories.random_theories import formulas

MOST = 3_000
TRUE, FALSE = LiteralTerm(True, BOOL), LiteralTerm(False, BOOL)


def sequent(claim: Term, **premises: Term) -> Sequent:
    goal = task(premises, claim).goal
    return Sequent(goal, tuple(premises.items()), claim)


def read(claim: Term, **premises: Term) -> Problem:
    return Problem(sequent(claim, **premises))


def read_if_small(claim: Term, **premises: Term) -> Problem:
    """The reading of random formulas, which may have too many cases."""
    try:
        return read(claim, **premises)
    except NotExpressible as error:
        raise UnsatisfiedAssumption(str(error)) from None


def satisfied(problem: Problem, number: int, world: World) -> tuple[bool, bool]:
    """Whether some meaning of the made functions makes all equations true, and whether they say everything."""
    units = problem.units(number)
    found = expansions(world, problem.signature, units.units, MOST)
    if found is None:
        raise UnsatisfiedAssumption("too many functions to try")
    return bool(found), units.complete


# ── Meaning ──────────────────────────────────────────────────────────────────────────────────────────────────


@given(formulas(), st.integers(0, 10_000))
def test_the_equations_of_a_premise_hold_where_it_does(formula: Term, seed: int) -> None:
    world = random_world(seed)
    problem = read_if_small(FALSITY, premise=formula)
    assert problem.count == 1
    some_meaning, complete = satisfied(problem, 0, world)
    if value(world, formula, {}):
        assert some_meaning
    elif complete:
        assert not some_meaning


@given(formulas(), st.integers(0, 10_000))
def test_the_equations_of_one_way_hold_where_the_claim_does_not(formula: Term, seed: int) -> None:
    world = random_world(seed)
    problem = read_if_small(formula)
    ways = [satisfied(problem, number, world) for number in range(problem.count)]
    if not value(world, formula, {}):
        assert any(some_meaning for some_meaning, _ in ways)
    else:
        assert not any(some_meaning and complete for some_meaning, complete in ways)


@given(formulas(), formulas(), st.integers(0, 10_000))
def test_premises_and_claim_are_read_together(premise: Term, claim: Term, seed: int) -> None:
    world = random_world(seed)
    problem = read_if_small(claim, premise=premise)
    ways = [satisfied(problem, number, world) for number in range(problem.count)]
    if value(world, premise, {}) and not value(world, claim, {}):
        assert any(some_meaning for some_meaning, _ in ways)
    else:
        assert not any(some_meaning and complete for some_meaning, complete in ways)


@given(formulas(), formulas())
def test_the_engine_reads_the_same_equations(premise: Term, claim: Term) -> None:
    asked = task({"premise": premise}, claim)
    problem = translate(asked)
    assume(problem is not None and not problem.dropped)
    assert problem is not None
    theirs = read_if_small(claim, premise=premise)
    assert theirs.count == len(problem.branches)
    for number in range(theirs.count):
        ours = units_of(problem, number, conditional=True)
        known = theirs.units(number)
        assert ours.complete == known.complete
        Functions(ours.units, known.units, ["premise"], theirs.signature)


def test_worlds_tell_formulas_apart() -> None:
    """The oracle of these tests is no constant: of random formulas some hold in a random world, some do not."""
    random = Random(1)
    worlds = [World(2, random) for _ in range(40)]
    formula = every(lambda x: some(lambda y: le(x, y)))
    assert {value(each, formula, {}) for each in worlds} == {True, False}
    problem = read(FALSITY, premise=formula)
    for world in worlds:
        assert satisfied(problem, 0, world) == (value(world, formula, {}), True)


# ── What is made ─────────────────────────────────────────────────────────────────────────────────────────────


def shown(problem: Problem, number: int = 0) -> list[str]:
    def text(term: object) -> str:
        if isinstance(term, Variable):
            return term.name.split(".")[0]
        assert isinstance(term, tuple)
        head, *arguments = term
        return f"{head}({', '.join(map(text, arguments))})" if arguments else head

    sources = {CLAIM: "claim", LOGIC: "logic"}
    return [
        f"{sources.get(each.source, each.source)}: {text(each.left)} = {text(each.right)}"
        for each in problem.units(number).units
    ]


def test_a_claim_is_denied_of_new_constants() -> None:
    assert shown(read(every(lambda x, y: eq(m(x, y), m(y, x))))) == [
        "claim: = G(m(?x, ?y), m(?y, ?x)) = false",
        "logic: = G(x, x) = true",
    ]


def test_an_existing_element_depends_on_what_is_around_it() -> None:
    formula = every(lambda x, y: some(lambda z: le(m(x, z), x)))
    assert shown(read(FALSITY, premise=formula)) == ["0: le(m(x, ?z(x)), x) = true"]


def test_clauses_become_conditional_equations() -> None:
    formula = every(lambda x, y: implies(both(le(x, y), eq(x, a)), eq(y, b)))
    assert shown(read(FALSITY, premise=formula)) == [
        "0: if Bool : G(le(x, y), true, if G : G(x, a, y, b), b) = b",
        "logic: if Bool : G(x, x, y, z) = y",
        "logic: if G : G(x, x, y, z) = y",
    ]


def test_a_disjunction_is_split_where_its_parts_have_no_common_variable() -> None:
    claim = both(every(lambda x: eq(x, a)), every(lambda x: le(x, b)))
    problem = read(claim)
    assert problem.count == 2
    assert shown(problem, 0)[0] == "claim: = G(?x, a) = false"
    assert shown(problem, 1)[0] == "claim: le(?x2, b) = false"


def test_a_claim_that_cannot_fail_fails_in_no_way() -> None:
    assert read(TRUE).count == 0
    assert read(either(no(FALSE), every(lambda x: eq(x, a)))).count == 0
    assert read(FALSITY).count == 1


def test_functions_of_the_outermost_quantifier_are_new_functions() -> None:
    f, x = Variable("f", FunctionOf((G,), G)), Variable("x", G)
    claim = Quantifier("forall", (f, x), eq(Application(f, (x,), G), x))
    assert shown(read(claim))[0] == "claim: = G(?f(?x), ?x) = false"


def test_definitions_are_unfolded_and_truth_values_split() -> None:
    x, t = Variable("x", G), Variable("t", BOOL)
    twice = Definition("twice", "twice", (x, t), G, Conditional(t, m(x, x), x))
    claim = every(lambda y, s: eq(DefinitionCall("twice", (y, s), G), y), G, BOOL)
    goal = msgspec.structs.replace(task({}, claim).goal, definitions=(twice,), symbols=(m.symbol,))
    problem = Problem(Sequent(goal, (), claim))
    assert [shown(problem, each)[0] for each in range(problem.count)] == [
        "claim: = G(?y, ?y) = false",
        "claim: = G(m(?y, ?y), ?y) = false",
    ]


# ── What is outside ──────────────────────────────────────────────────────────────────────────────────────────

UNDEFINED = Undefined(G, "nothing")


@pytest.mark.parametrize(
    "formula",
    [
        eq(UNDEFINED, a),
        every(lambda n: eq(n, n), INTEGER),
        every(lambda s: eq(s, s), FunctionOf((G,), G)),
        eq(Let(Variable("x", G), UNDEFINED, a), a),
        eq(Conditional(eq(UNDEFINED, a), a, b), a),
        eq(DefinitionCall("first", (a, UNDEFINED), G), a),
        eq(DefinitionCall("again", (a,), G), a),
    ],
)
def test_what_may_be_undefined_or_is_not_first_order_is_outside(formula: Term) -> None:
    x, y = Variable("x", G), Variable("y", G)
    definitions = (
        Definition("first", "first", (x, y), G, x),
        Definition("again", "again", (x,), G, DefinitionCall("again", (x,), G), ("again",)),
    )
    goal = msgspec.structs.replace(task({}, formula).goal, definitions=definitions)
    for each in (Sequent(goal, (("premise", formula),), FALSITY), Sequent(goal, (), every(lambda: formula))):
        with pytest.raises(NotExpressible):
            Problem(msgspec.structs.replace(each))


def test_a_formula_that_grows_beyond_all_bounds_is_outside() -> None:
    goal = Goal(claim=None, carriers=(G,), symbols=(a.symbol, b.symbol, le.symbol, m.symbol, i.symbol))
    shared: Term = le(a, b)
    for _ in range(40):
        shared = eq(shared, no(shared))
    named: Term = a
    for number in range(60):
        x = Variable(f"x{number}", G)
        named = Let(x, named, m(x, x))
    deep: Term = a
    for _ in range(5_000):
        deep = i(deep)
    for formula, reason in ((shared, "parts"), (eq(named, a), "parts"), (eq(deep, a), "nest too deeply")):
        with recursion_limit(3_000), pytest.raises(NotExpressible, match=reason):
            Problem(Sequent(goal, (("premise", formula),), FALSITY))


# ── Names ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_nothing_made_has_the_name_of_a_symbol() -> None:
    names = ("?x", "?x2", "?x :  → G", "true", "false", "= G", "if G : G", "f[true]", "c")
    constants = [Symbol(name, (), G) for name in names]
    terms = [SymbolCall(each, ()) for each in constants]
    premises = {str(place): ne(each, a) for place, each in enumerate(terms)}
    problem = read(every(lambda x: eq(x, a)), **premises)
    known = [problem.signature[name] for name in problem.signature.names]
    assert {each.symbol for each in known if each.symbol is not None} == {*constants, a.symbol}
    units = problem.units(0).units
    made = [each for each in known if each.symbol is None and each.name.startswith("?")]
    assert len(made) == 1
    denied = [each for each in units if each.source == CLAIM]
    assert denied[0].left[1] == (made[0].name,)
    assert made[0].name not in {*names, *(each.name for each in known if each.symbol is not None)}


def test_overloads_are_told_apart_by_their_sorts() -> None:
    one, other = Operation("e", ())(), Operation("e", (), H)()
    problem = read(FALSITY, one=ne(one, a), other=every(lambda h: eq(h, other), H))
    assert {"e :  → G", "e :  → H"} <= problem.signature.names


def test_sorts_that_look_the_same_are_refused() -> None:
    family = Carrier("V", (Dimension(((("n",), 1),)),))
    alike = Carrier("V(n)")
    with pytest.raises(NotExpressible, match="two sorts"):
        read(FALSITY, premise=both(every(lambda x: eq(x, x), family), every(lambda x: eq(x, x), alike)))


def test_the_constants_of_a_sequent_keep_their_names() -> None:
    goal = Goal(claim=None, carriers=(G,), symbols=(a.symbol,))
    constant = Symbol("?x", (), G)
    claim = every(lambda x: eq(x, SymbolCall(constant, ())))
    problem = Problem(Sequent(goal, (), claim, (constant,)))
    assert shown(problem)[0] == "claim: = G(?x2, ?x :  → G) = false"


def test_the_same_sequent_is_read_the_same_way() -> None:
    claim = every(lambda x: some(lambda y: either(le(x, y), eq(y, a))))
    assert shown(read(claim, p=claim)) == shown(read(claim, p=claim))
    assert Task(task({}, claim).goal) == task({}, claim)
