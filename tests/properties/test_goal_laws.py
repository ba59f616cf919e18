"""Laws that hold for the goal of every formula: both sides are elaborated, and brute force compares them.

∀(b : Bool). φ(b)      =  φ(true) ∧ φ(false)            ∃ likewise with ∨
let n = t in φ         =  match t { n => φ }  =  (λ n . φ)(t)  =  it(t), where define it(n) = φ
φ                      =  φ with the operands of ∧ and ∨ in the other order, and a → b as ¬a ∨ b
using no declarations  =  using declarations that φ does not mention
"""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from kleis.core.goal import ElaborationError, Goal
from kleis.core.traversal import canonical
from kleis.elaborate.elaborator import Elaborator
from kleis.semantics.ranges import Bounds
from kleis.syntax.parser.parser import parse_expression, parse_program, parse_type
from kleis.syntax.tree import (
    Apply,
    Binder,
    Boolean,
    Call,
    Case,
    Expression,
    FunctionDefinition,
    Lambda,
    Let,
    Match,
    NamedType,
    Parameter,
    Quantifier,
    VariablePattern,
)
from kleis.theory.theory import Theory
from tests.support.provers.brute_force import truth_of
from tests.support.terms.variants import places, replaced_at
from tests.support.terms.well_sorted_kleis import PROGRAM, Maker
from tests.support.theories.cases import sort_text

THEORY = Theory().include(PROGRAM)
UNRELATED = parse_program(
    """
    structure Elsewhere { element lonely : Island  axiom never : lonely ≠ lonely }
    structure Any(T) { operation turn : T → T  axiom back : ∀(x : T). turn(turn(x)) = x }
    data Colour = Red | Green
    define unused(x) = x + 1
    """
)


@st.composite
def _formulas(draw: st.DrawFn, **names: str) -> Expression:
    return Maker(draw).make("truth", 3, names)


@st.composite
def _numbers(draw: st.DrawFn) -> Expression:
    return Maker(draw).make("number", 2, {})


def _truth(proposition: Expression, theory: Theory = THEORY) -> str:
    """The truth of a proposition by brute force, or the code of its refusal."""
    try:
        meaning: Goal = Elaborator(theory).proposition(proposition)
    except ElaborationError as error:
        return f"refused: {error.code}"
    return truth_of(meaning, bounds=Bounds())


def _at(value: bool, formula: Expression) -> Expression:
    return Let(VariablePattern("b"), None, Boolean(value), formula)


@given(_formulas(b="truth"))
@settings(max_examples=60)
def test_quantifiers_over_truth_values_are_connectives(formula: Expression) -> None:
    binders = (Binder("b", NamedType("Bool")),)
    both = (_at(True, formula), _at(False, formula))
    for kind, connective in (("forall", "logical_and"), ("exists", "logical_or")):
        quantified = Quantifier(kind, binders, None, formula)  # type of kind: one of the two
        assert _truth(quantified) == _truth(Call(connective, both))


@given(_formulas(n="number"), _numbers())
@settings(max_examples=60)
def test_ways_to_give_a_name_a_value_agree(formula: Expression, value: Expression) -> None:
    by_let = _truth(Let(VariablePattern("n"), None, value, formula))
    by_match = _truth(Match(value, (Case(VariablePattern("n"), None, formula),)))
    by_function = _truth(Apply(Lambda((Parameter("n"),), formula), (value,)))
    definition = FunctionDefinition("it", (Parameter("n"),), None, formula)
    by_definition = _truth(Call("it", (value,)), THEORY.add(definition))
    assert by_let == by_match
    # The parameter of a λ may take its sort from the body first; then an argument of a larger sort is refused.
    assert by_function in (by_let, "refused: wrong-sort", "refused: needs-type")
    # A template is instantiated by the sorts of the arguments alone: it([]) does not say which list it is given.
    assert by_definition in (by_let, "refused: needs-type")


@given(_formulas())
@settings(max_examples=60)
def test_the_order_of_operands_does_not_matter(formula: Expression) -> None:
    assert _truth(_mirrored(formula)) == _truth(formula)


def _mirrored(formula: Expression) -> Expression:
    """Operands of ∧ and ∨ the other way round, a → b as ¬a ∨ b."""
    mirrored: Any = formula
    for path in sorted(places(formula, lambda each: isinstance(each, Call)), key=len, reverse=True):
        mirrored = replaced_at(mirrored, path, _mirrored_call)
    assert isinstance(mirrored, type(formula))
    return mirrored


def _mirrored_call(call: Call) -> Call:
    if call.name in ("logical_and", "logical_or"):
        return msgspec.structs.replace(call, arguments=call.arguments[::-1])
    if call.name == "implies":
        left, right = call.arguments
        return Call("logical_or", (Call("logical_not", (left,)), right))
    return call


@given(_formulas())
@settings(max_examples=40)
def test_declarations_that_are_not_spoken_of_change_nothing(formula: Expression) -> None:
    assert _truth(formula, THEORY.include(UNRELATED)) == _truth(formula)


@example(parse_expression("(λ x . x)(n) < div(n, n)"))
@given(_formulas(n="number"))
@settings(max_examples=60)
def test_a_free_name_is_an_outermost_universal(formula: Expression) -> None:
    try:
        meaning = Elaborator(THEORY).proposition(formula)
    except ElaborationError as error:
        assert error.code in ("needs-type", "wrong-sort", "ambiguous-operation")
        return
    assume(meaning.free)
    binders = tuple(Binder(each.name, parse_type(sort_text(each.sort))) for each in meaning.free)
    bound = Elaborator(THEORY).proposition(Quantifier("forall", binders, None, formula))
    assert meaning.claim is not None
    assert bound.claim is not None
    if places(formula, lambda each: isinstance(each, Lambda)):
        # The parameter of a λ is read over a larger set of numbers where the set of what it gets is known sooner.
        assert truth_of(bound, bounds=Bounds()) == truth_of(meaning, bounds=Bounds())
    else:
        assert canonical(bound.claim) == canonical(meaning.claim)
