"""Quoted terms and Kleis expressions: there and back, and the same values on both sides."""

from __future__ import annotations

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from kleis.budget import Budget as KleisBudget
from kleis.errors import KleisError
from kleis.evaluator.environment import environment_of
from kleis.evaluator.evaluate import evaluate
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.printer.program import print_expression
from kleis.syntax.tree import Expression
from kleis.theory.theory import Theory
from pif.language.budget import Budget
from pif.language.decode import decode_term
from pif.language.terms import Term, literal, make, print_term, same_term
from pif.run.evaluate import Request, run
from registry.oracles.answer_records import kleis_value
from registry.oracles.quoted_terms import KleisTermError, expression_of, term_of
from tests.support.terms.kleis_strategies import expressions
from tests.support.terms.term_strategies import Features, closed_terms
from tests.support.terms.tool_dictionary import Dictionary

NAMES = ("x", "y", "f", "•", "implies", "p1")


def _leaves() -> st.SearchStrategy[Term]:
    return st.one_of(
        st.integers(-(10**30), 10**30).map(literal),
        st.booleans().map(literal),
        st.text(alphabet='ab"\\n β𝄞\n', max_size=4).map(literal),
        st.just(literal(None)),
        st.just(Term("nil")),
        st.sampled_from(NAMES).map(lambda name: Term("var", (), name)),
        st.just(make("kleis", (literal("f(x)(y)"),))),
    )


def _grown(parts: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    two = st.tuples(parts, parts)
    binder = st.sampled_from(("x", "y", "z"))

    def quantified(symbol: str, sort: str, name: str, body: Term) -> Term:
        head = make("app", (Term("var", (), symbol), literal(sort)))
        return make("app", (head, make("lam", (body,), name)))

    return st.one_of(
        *(two.map(lambda each, op=op: make(op, each)) for op in _BINARY),
        *(parts.map(lambda each, op=op: make(op, (each,))) for op in _UNARY),
        st.lists(parts, max_size=3).map(lambda each: make("list", tuple(each))),
        st.tuples(parts, parts, parts).map(lambda each: make("if", each)),
        st.builds(lambda name, body: make("lam", (body,), name), binder, parts),
        st.builds(lambda name, value, body: make("let", (value, body), name), binder, parts, parts),
        st.builds(
            quantified, st.sampled_from("∀∃"), st.sampled_from(("ℤ", "List(ℤ)", "ℤ → Bool")), binder, parts
        ),
        st.builds(
            lambda name, given: make("app", (Term("var", (), name), given)),
            st.sampled_from(("f", "inv")),
            parts,
        ),
        st.builds(
            lambda name, given: make("app", (make("app", (Term("var", (), name), given[0])), given[1])),
            st.sampled_from(("f", "•", "implies", "power")),
            two,
        ),
        parts.map(
            lambda body: make("app", (make("app", (Term("var", (), "using"), literal("Group"))), body))
        ),
    )


_BINARY = (
    "add",
    "sub",
    "mul",
    "div",
    "mod",
    "eq",
    "lt",
    "lte",
    "gt",
    "gte",
    "and",
    "or",
    "pair",
    "cons",
    "concat",
)
_UNARY = ("not", "head", "tail", "isEmpty", "length", "fst", "snd")

propositions = st.recursive(_leaves(), _grown, max_leaves=12)


@given(propositions)
def test_a_term_comes_back_from_kleis_and_from_its_text(term: Term) -> None:
    expression = expression_of(term)
    assert same_term(term_of(expression), term)
    assert same_term(term_of(parse_expression(print_expression(expression))), term)
    assert same_term(decode_term(print_term(term)), term)


@given(expressions)
@example(parse_expression("λ y . λ (x : T) . 0"))
@example(parse_expression("∀(x : T). ∀(plus : T). p(x)"))
@example(parse_expression("∀(x : T). ∃(y : T). ∀(z : T). p(x)"))
def test_every_expression_has_a_term_that_says_the_same(expression: Expression) -> None:
    term = term_of(expression)
    back = expression_of(term)
    assert same_term(term_of(back), term)
    assert expression_of(term_of(back)) == back
    assert same_term(decode_term(print_term(term)), term)


@given(closed_terms(Features(free=("u",), tools=("double",), context=True, quotes=True, evals=True), size=40))
def test_any_term_is_an_expression_or_refused_with_its_place(term: Term) -> None:
    try:
        expression = expression_of(term)
    except KleisTermError as error:
        place = print_term(term)
        for key in error.path.split("/")[1:]:
            key = key.replace("~1", "/").replace("~0", "~")
            place = place[int(key)] if isinstance(place, list) else place[key]
    else:
        assert parse_expression(print_expression(expression)) == expression


@given(
    st.text(max_size=12)
    | st.sampled_from(("x) ∧ (y", "∀(x : ℤ). x", "x y", "true", "1", "f(x)", "", "let", "λ"))
)
def test_a_name_is_a_name_or_refused(text: str) -> None:
    for term in (Term("var", (), text), make("lam", (Term("var", (), text),), text)):
        try:
            expression = expression_of(term)
        except KleisTermError:
            continue
        assert parse_expression(print_expression(expression)) == expression


def _primed(term: Term, bound: bool) -> tuple[Term, bool]:
    """A term with x′ for x, and whether one of these is free in it."""
    inside = bound or (term.op in ("lam", "let") and term.value == "x")
    own = [bound if term.op == "let" and not place else inside for place in range(len(term.parts))]
    parts = [_primed(part, each) for part, each in zip(term.parts, own, strict=True)]
    is_x = term.op in ("var", "lam", "let") and term.value == "x"
    made = make(term.op, tuple(part for part, _ in parts), "x'" if is_x else term.value)
    free = (term.op == "var" and is_x and not bound) or any(each for _, each in parts)
    return made, free


@given(propositions)
def test_bound_names_with_primes_are_renamed_and_free_ones_refused(term: Term) -> None:
    """`std.substitute` makes such names; no text of these terms holds x_1."""
    primed, free = _primed(term, False)
    try:
        found = expression_of(primed)
    except KleisTermError as error:
        assert free
        assert "x'" in error.message
    else:
        assert not free
        kept = make("kleis", (literal("f(kept)(y)"),))
        plain = expression_of(_with(term, make("kleis", (literal("f(x)(y)"),)), kept))
        renamed = print_expression(expression_of(_with(primed, make("kleis", (literal("f(x)(y)"),)), kept)))
        assert renamed.replace("x_1", "x") == print_expression(plain)
        assert parse_expression(print_expression(found)) == found


def _with(term: Term, old: Term, new: Term) -> Term:
    if same_term(term, old):
        return new
    return term.rebuilt(tuple(_with(part, old, new) for part in term.parts))


def test_a_renamed_name_meets_no_other() -> None:
    x, primed, other = (Term("var", (), name) for name in ("x", "x'", "x_1"))
    inside = make("eq", (make("add", (primed, other)), make("kleis", (literal("f(x_2)(y)"),))))
    term = make("lam", (make("lam", (make("let", (primed, inside), "x''"),), "x'"),), "x_3")
    assert print_expression(expression_of(term)) == "λ x_3 x_4 . let x_5 = x_4 in x_4 + x_1 = f(x_2)(y)"
    for free in (primed, make("let", (primed, x), "x'"), make("eq", (make("lam", (primed,), "x'"), primed))):
        with pytest.raises(KleisTermError, match="is no name in Kleis"):
            expression_of(free)


# The same values.

ENVIRONMENT = environment_of(Theory())


def _numbers(depth: int) -> st.SearchStrategy[Term]:
    leaf = st.integers(-9, 9).map(literal) | st.just(Term("var", (), "x"))
    if depth == 0:
        return leaf
    part = _numbers(depth - 1)
    return st.one_of(
        leaf,
        *(
            st.tuples(part, part).map(lambda each, op=op: make(op, each))
            for op in ("add", "sub", "mul", "div", "mod")
        ),
        st.tuples(_truths(depth - 1), part, part).map(lambda each: make("if", each)),
        st.tuples(part, part).map(lambda each: make("let", each, "x")),
        st.tuples(part, part).map(lambda each: make("head", (make("list", each),))),
        st.tuples(part, part).map(lambda each: make("snd", (make("pair", each),))),
        st.tuples(part, part).map(lambda each: make("app", (make("lam", (each[0],), "x"), each[1]))),
    )


def _truths(depth: int) -> st.SearchStrategy[Term]:
    if depth == 0:
        return st.booleans().map(literal)
    number, truth = _numbers(depth - 1), _truths(depth - 1)
    return st.one_of(
        *(
            st.tuples(number, number).map(lambda each, op=op: make(op, each))
            for op in ("eq", "lt", "lte", "gt", "gte")
        ),
        *(st.tuples(truth, truth).map(lambda each, op=op: make(op, each)) for op in ("and", "or")),
        truth.map(lambda each: make("not", (each,))),
    )


@given(_numbers(4) | _truths(4))
def test_a_term_without_free_names_has_the_same_value_in_both_languages(term: Term) -> None:
    term = make("let", (literal(3), term), "x")
    answer = run(Request(code=print_term(term)), Dictionary(), Budget(fuel=100_000))
    assume(answer["type"] == "value")
    try:
        found = evaluate(expression_of(term), ENVIRONMENT, KleisBudget(steps=100_000))
    except KleisError as error:
        raise AssertionError(f"{print_term(term)}: {error}") from error
    assert kleis_value(found.value) == answer["value"]
