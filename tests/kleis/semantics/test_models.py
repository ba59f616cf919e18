"""Brute force: models of axioms, claims in them, and what follows for all models."""

from __future__ import annotations

import pytest

from kleis.budget import Budget
from kleis.core import (
    BOOL,
    INTEGER,
    REAL,
    Application,
    BitVec,
    Conditional,
    Definition,
    DefinitionCall,
    Equals,
    FunctionOf,
    Lambda,
    ListOf,
    Quantifier,
    Symbol,
    Term,
    Undefined,
    Variable,
)
from kleis.core.goal import Axiom, Goal, Termination
from kleis.elaborate.elaborator import Elaborator
from kleis.semantics.models import Decision, decide
from kleis.semantics.ranges import Bounds
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.theory.theory import Theory
from tests.support.terms.goal_builders import (
    NO,
    VOID,
    at_most,
    axiom,
    both,
    builtin,
    call,
    carrier,
    either,
    every,
    implies,
    integer,
    less,
    minus,
    no,
    over,
    plus,
    real,
    some,
    times,
)

G, H = carrier("G"), carrier("H")
X, Y, Z = (Variable(name, G) for name in "xyz")
M = Symbol("m", (G, G), G)
E = Symbol("e", (), G)
INVERSE = Symbol("i", (G,), G)
N, K = Variable("n", INTEGER), Variable("k", INTEGER)
R = Variable("r", REAL)


def m(left: Term, right: Term) -> Term:
    return call(M, left, right)


ASSOCIATIVE = axiom("assoc", every(Equals(m(m(X, Y), Z), m(X, m(Y, Z))), X, Y, Z))
LEFT_IDENTITY = axiom("left_id", every(Equals(m(call(E), X), X), X))
LEFT_INVERSE = axiom("left_inv", every(Equals(m(call(INVERSE, X), X), call(E)), X))
GROUP = (ASSOCIATIVE, LEFT_IDENTITY, LEFT_INVERSE)
COMMUTATIVE = every(Equals(m(X, Y), m(Y, X)), X, Y)


def group(claim: Term | None, axioms: tuple[Axiom, ...] = GROUP, size: int = 2) -> Decision:
    meaning = Goal(claim=claim, carriers=(G,), symbols=(M, E, INVERSE), axioms=axioms)
    return decide(meaning, Bounds(carrier=size))


def test_the_models_of_a_structure_are_found_up_to_their_size() -> None:
    # One group of one element, two labelled ones of two and three of three elements.
    answer = group(COMMUTATIVE, size=3)
    assert (answer.status, answer.models, answer.exhaustive) == ("true", 1 + 2 + 3, True)
    assert not answer.conclusive


def test_a_countermodel_is_shown_with_a_point() -> None:
    answer = group(every(Equals(call(INVERSE, X), X), X), size=3)
    assert (answer.status, answer.undefined) == ("disproved", False)
    assert answer.model is not None
    assert answer.model.sizes == {G: 3}
    element = answer.point["x"]
    inverse = answer.model.symbols[INVERSE].target(element)
    assert str(inverse) != str(element)


def test_without_commutativity_there_are_semigroups_that_are_not_commutative() -> None:
    answer = group(COMMUTATIVE, (ASSOCIATIVE,))
    assert answer.status == "disproved"
    assert answer.models >= 1


def test_whether_axioms_have_a_model() -> None:
    assert group(None).status == "model"
    contradiction = axiom("absurd", no(Equals(call(E), call(E))))
    answer = group(None, (*GROUP, contradiction))
    assert (answer.status, answer.models, answer.exhaustive) == ("open", 0, True)
    two = axiom("two", some(no(Equals(X, Y)), X, Y))
    answer = group(None, (*GROUP, two))
    assert answer.model is not None
    assert answer.model.sizes == {G: 2}


def test_an_undefined_axiom_makes_no_model() -> None:
    undefined = axiom("partial", either(VOID, Equals(call(E), m(call(E), call(E)))))
    assert group(None, (undefined,)).status == "model"
    partial = (axiom("partial", both(VOID, Equals(call(E), call(E)))),)
    assert group(None, partial).status == "open"
    vacuous = group(NO, partial)
    assert (vacuous.status, vacuous.models) == ("true", 0)


def test_carriers_are_not_empty() -> None:
    p = Symbol("p", (G,), BOOL)
    claim = some(either(call(p, X), no(call(p, X))), X)
    assert decide(Goal(claim=claim, carriers=(G,), symbols=(p,))).status == "true"


def test_a_claim_over_builtins_alone_is_conclusive_where_the_sorts_are_finite() -> None:
    word = Variable("w", BitVec(3))
    claim = every(
        Equals(builtin("bvxor", BitVec(3), word, word), builtin("bvzero", BitVec(3), integer(3))), word
    )
    answer = decide(Goal(claim=claim))
    assert (answer.status, answer.exhaustive, answer.conclusive) == ("true", True, True)
    bounded = decide(Goal(claim=every(less(N, integer(9)), N)), mode="relativised")
    assert (bounded.status, bounded.conclusive) == ("true", False)
    assert decide(Goal(claim=every(less(N, integer(9)), N))).status == "open"


def test_undefined_points_disprove_and_false_ones_are_preferred() -> None:
    undefined = decide(Goal(claim=every(Equals(over(R, R), real(1)), R)))
    assert (undefined.status, undefined.undefined, dict(undefined.point)) == ("disproved", True, {"r": 0})
    false = decide(Goal(claim=every(Equals(over(real(1), R), real(1)), R)))
    assert (false.status, false.undefined) == ("disproved", False)
    assert false.point["r"] not in (0, 1)


def test_a_point_names_the_variables_of_every_outer_quantifier() -> None:
    claim = every(every(at_most(times(N, N), K), K), N)
    answer = decide(Goal(claim=claim))
    n, k = answer.point["n"], answer.point["k"]
    assert isinstance(n, int)
    assert isinstance(k, int)
    assert n * n > k


def test_an_axiom_that_is_only_open_confirms_nothing() -> None:
    f = Symbol("f", (INTEGER,), INTEGER)
    recursive = axiom("f_def", every(Equals(call(f, N), Conditional(at_most(N, integer(0)), integer(0),
                                                                   call(f, minus(N, integer(1))))), N))  # fmt: skip
    claim = Equals(call(f, integer(0)), integer(7))
    answer = decide(Goal(claim=claim, symbols=(f,), axioms=(recursive,)))
    assert (answer.status, answer.models) == ("open", 0)
    assert decide(Goal(claim=None, symbols=(f,), axioms=(recursive,))).status == "open"


def test_an_open_symbol_stands_for_every_function() -> None:
    f = Symbol("f", (INTEGER,), BOOL)
    excluded_middle = every(either(call(f, integer(1)), no(call(f, integer(1)))), Variable("b", BOOL))
    assert decide(Goal(claim=excluded_middle, symbols=(f,))).status == "open"
    trivial = implies(call(f, integer(1)), Equals(integer(1), integer(1)))
    answer = decide(Goal(claim=trivial, symbols=(f,)))
    assert (answer.status, answer.conclusive) == ("true", True)


def test_functions_on_infinite_sorts_are_tried_and_may_be_given() -> None:
    f = Symbol("f", (INTEGER,), INTEGER)
    claim = Equals(call(f, integer(2)), integer(4))
    assert decide(Goal(claim=claim, symbols=(f,))).status == "disproved"
    square = decide(Goal(claim=claim, symbols=(f,)), functions={"f": (lambda n: n * n,)})
    assert (square.status, square.exhaustive, square.conclusive) == ("true", False, False)


def test_functions_into_infinite_sorts_are_tables() -> None:
    d = Symbol("d", (G, G), INTEGER)
    symmetric = axiom("sym", every(Equals(call(d, X, Y), call(d, Y, X)), X, Y))
    meaning = Goal(
        claim=every(Equals(call(d, X, X), integer(0)), X), carriers=(G,), symbols=(d,), axioms=(symmetric,)
    )
    answer = decide(meaning)
    assert answer.status == "disproved"
    assert not answer.conclusive
    c = Symbol("c", (), INTEGER)
    beyond = decide(Goal(claim=less(call(c), integer(99)), symbols=(c,)))
    assert beyond.status == "open"
    bounded = decide(Goal(claim=less(call(c), integer(99)), symbols=(c,)), mode="relativised")
    assert (bounded.status, bounded.exhaustive, bounded.conclusive) == ("true", True, False)
    f = Symbol("f", (INTEGER,), INTEGER)
    tried = decide(Goal(claim=less(call(f, integer(7)), integer(99)), symbols=(f,)), mode="relativised")
    assert (tried.status, tried.exhaustive) == ("true", False)


def test_more_tables_than_can_be_tried_are_sampled_from_a_fixed_seed() -> None:
    meaning = Goal(claim=every(Equals(m(X, Y), m(X, Y)), X, Y), carriers=(G,), symbols=(M,))
    everything = decide(meaning)
    assert (everything.models, everything.exhaustive) == (1 + 16, True)
    first, second = (decide(meaning, Bounds(tables=15, samples=5)) for _ in range(2))
    assert 1 < first.models <= 1 + 5
    assert first.models == second.models
    assert (first.status, first.exhaustive) == ("true", False)


def test_two_carriers_have_sizes_of_their_own() -> None:
    f = Symbol("f", (G,), H)
    u = Variable("u", H)
    onto = every(some(Equals(call(f, X), u), X), u)
    answer = decide(Goal(claim=onto, carriers=(G, H), symbols=(f,)))
    assert answer.model is not None
    assert answer.model.sizes == {G: 1, H: 2}
    v, w = Variable("v", H), Variable("w", H)
    single = every(Equals(X, Y), X, Y)
    pair = every(either(Equals(u, v), Equals(u, w), Equals(v, w)), u, v, w)
    small = decide(Goal(claim=both(single, pair), carriers=(G, H)), Bounds(carrier=3))
    assert small.model is not None
    assert small.model.sizes == {G: 2, H: 1}


def test_axioms_reach_symbols_through_definitions() -> None:
    p = Symbol("p", (G,), BOOL)
    holds = Definition("holds", "holds", (X,), BOOL, call(p, X))
    law = axiom("law", every(DefinitionCall("holds", (Y,), BOOL), Y))
    meaning = Goal(
        claim=every(call(p, X), X), carriers=(G,), symbols=(p,), axioms=(law,), definitions=(holds,)
    )
    answer = decide(meaning)
    assert (answer.status, answer.models) == ("true", 2)


ENDLESS = Definition("f", "f", (N,), INTEGER, plus(DefinitionCall("f", (N,), INTEGER), integer(1)), ("f",))
DOUBLING = Definition(
    "f",
    "f",
    (N,),
    INTEGER,
    plus(DefinitionCall("f", (N,), INTEGER), DefinitionCall("f", (N,), INTEGER)),
    ("f",),
)


@pytest.mark.parametrize("definition", [ENDLESS, DOUBLING])
@pytest.mark.parametrize("claim_is", [True, False])
def test_a_definition_that_does_not_end_decides_nothing(definition: Definition, claim_is: bool) -> None:
    equation = Equals(DefinitionCall("f", (integer(0),), INTEGER), integer(0))
    meaning = Goal(
        claim=equation if claim_is else no(equation),
        definitions=(definition,),
        terminations=(("f", Termination("unknown")),),
    )
    for mode in ("one-sided", "relativised"):
        answer = decide(meaning, Bounds(budget=Budget(steps=20_000, depth=100)), mode)
        assert (answer.status, answer.exceeded, answer.conclusive) == ("open", True, False)


def test_deep_recursion_through_functions_ends_at_the_budget() -> None:
    xs = ListOf(INTEGER)
    here = Variable("x", INTEGER)
    deeper = Lambda((here,), DefinitionCall("f", (plus(here, integer(1)),), INTEGER))
    one = builtin("range", xs, integer(1))
    body = builtin("sum", INTEGER, builtin("list_map", xs, deeper, one))
    endless = Definition("f", "f", (N,), INTEGER, body, ("f",))
    applied = Definition("g", "g", (N,), INTEGER, Application(Lambda((here,), DefinitionCall("g", (here,), INTEGER)), (N,), INTEGER), ("g",))  # fmt: skip
    for name in ("f", "g"):
        claim = Equals(DefinitionCall(name, (integer(0),), INTEGER), integer(0))
        answer = decide(Goal(claim=claim, definitions=(endless, applied)))
        assert (answer.status, answer.exceeded) == ("open", True)


def test_the_order_of_carriers_symbols_and_axioms_does_not_matter() -> None:
    forwards = Goal(claim=COMMUTATIVE, carriers=(G,), symbols=(M, E, INVERSE), axioms=GROUP)
    backwards = Goal(claim=COMMUTATIVE, carriers=(G,), symbols=(INVERSE, E, M), axioms=GROUP[::-1])
    assert decide(forwards).models == decide(backwards).models == 3


def test_an_existential_claim_over_functions() -> None:
    f = Variable("f", FunctionOf((G,), G))
    moved = every(no(Equals(Application(f, (X,), G), X)), X)
    claim: Term = Quantifier("exists", (f,), moved)
    answer = decide(Goal(claim=claim, carriers=(G,)))
    assert answer.model is not None
    assert answer.model.sizes == {G: 1}
    assert decide(Goal(claim=Undefined(BOOL, "a test"))).undefined


def test_data_with_functions_among_its_parts_stays_open() -> None:
    program = "data D = F(x : ℤ → D) | B"
    meaning = Elaborator(Theory().include(parse_program(program))).proposition(
        parse_expression("∀(d : D). d = d")
    )
    assert meaning.unsettled
    assert decide(meaning).status in ("open", "true")
