"""The evaluator as a whole.

evaluate(e)                 =  naive_kleis.evaluate(e)               for well-sorted e without free names
evaluate(e) = ground v      ⟹  evaluate(e[x := a]) = v               whatever integer a is
evaluate(e[x := a])         =  evaluate(let x = a in e)              substitution, environments and bindings agree
anything at all             →  a value or a Kleis error              under any budget, within its steps
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from kleis.budget import Budget
from kleis.builtins import BUILTINS
from kleis.builtins.row import RECOVERABLE
from kleis.builtins.rows.numeric_table import numeric_arities
from kleis.errors import BudgetError, EvaluationError
from kleis.evaluator.environment import environment_of
from kleis.evaluator.evaluate import evaluate
from kleis.evaluator.examples import run_example
from kleis.syntax.printer.program import print_expression
from kleis.syntax.tree import (
    Apply,
    Assertion,
    Binder,
    Boolean,
    Call,
    Case,
    Conditional,
    ConstructorPattern,
    Example,
    Expression,
    ExpressionStatement,
    Lambda,
    Let,
    LetStatement,
    ListLiteral,
    ListPattern,
    LiteralPattern,
    Match,
    Name,
    NamedType,
    Number,
    Parameter,
    Pattern,
    Quantifier,
    Text,
    VariablePattern,
    WildcardPattern,
)
from kleis.values import Data, ListValue, Value, is_number, render_value
from tests.support.terms.well_sorted_kleis import PROGRAM, naive_outcome, well_sorted

ENVIRONMENT = environment_of(PROGRAM)
BUDGET = Budget(steps=300_000, depth=5_000, size=50_000)


# ── Well-sorted expressions live in well_sorted_kleis.py ─────────────────────────────────────────────────────

closed = well_sorted()
open_in_x = well_sorted(x="number")


def plain(value: Value) -> Any:
    """A value of the evaluator as the naive one represents it."""
    match value:
        case bool() | str():
            return value
        case ListValue():
            return [plain(item) for item in value]
        case Data(constructor=constructor, fields=fields):
            return (constructor, *map(plain, fields))
    assert is_number(value), value
    assert not isinstance(value, float)
    return Fraction(value)  # exact


def outcome(expression: Expression, environment: Any = ENVIRONMENT) -> Any:
    try:
        return plain(evaluate(expression, environment, BUDGET).value)
    except EvaluationError as error:
        return "undefined" if error.code in RECOVERABLE else error.code


@given(closed)
def test_agrees_with_a_naive_evaluator(expression: Expression) -> None:
    expected = naive_outcome(expression)
    found = outcome(expression)
    assert found == expected
    assert type(found) is type(expected)


@given(closed)
def test_reads_what_the_printer_writes(expression: Expression) -> None:
    from kleis.syntax.parser.parser import parse_expression

    assert outcome(parse_expression(print_expression(expression))) == outcome(expression)


@given(open_in_x, st.integers(-3, 3))
def test_what_is_decided_without_knowing_x_is_so_for_every_x(expression: Expression, x: int) -> None:
    try:
        value = evaluate(expression, ENVIRONMENT, BUDGET).value
    except EvaluationError as error:
        assume(error.code in RECOVERABLE)
        # Undefined without knowing x: so it is at every x, unless x made it ill-sorted first.
        assert outcome(expression, ENVIRONMENT.bind("x", x)) in ("undefined", "sort")
        return
    if isinstance(value, bool):
        assert outcome(expression, ENVIRONMENT.bind("x", x)) in (value, "sort")


@given(open_in_x, st.integers(-3, 3))
def test_bindings_lets_and_functions_agree(expression: Expression, x: int) -> None:
    number: Expression = Number(str(x)) if x >= 0 else Call("negate", (Number(str(-x)),))
    bound = outcome(expression, ENVIRONMENT.bind("x", x))
    assert outcome(Let(VariablePattern("x"), None, number, expression)) == bound
    assert outcome(Apply(Lambda((Parameter("x"),), expression), (number,))) == bound
    given_by_match = Match(number, (Case(VariablePattern("x"), None, expression),))
    assert outcome(given_by_match) == bound


# ── Anything at all ──────────────────────────────────────────────────────────────────────────────────────────

NAMES = sorted(
    {name for builtin in BUILTINS for name in (builtin.name, *builtin.aliases)}
    | set(numeric_arities())
    | {
        "x",
        "f",
        "Dot",
        "Box",
        "Pile",
        "Undeclared",
        "total",
        "below",
        "compose",
        "π",
        "S::op",
        "Pair",
        "True",
    }
)
patterns: st.SearchStrategy[Pattern] = st.recursive(
    st.sampled_from(
        [
            WildcardPattern(),
            VariablePattern("x"),
            LiteralPattern(Number("1")),
            ConstructorPattern("Nil"),
            ListPattern(()),
        ]
    ),
    lambda inner: st.one_of(
        st.builds(
            lambda name, parts: ConstructorPattern(name, tuple(parts)),
            st.sampled_from(["Box", "Pair", "Cons", "complex", "Undeclared", "record", "Matrix"]),
            st.lists(inner, max_size=3),
        ),
        st.lists(inner, max_size=2).map(lambda parts: ListPattern(tuple(parts))),
    ),
    max_leaves=4,
)


def wilder(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    several = st.lists(inner, max_size=4).map(tuple)
    return st.one_of(
        st.builds(Call, st.sampled_from(NAMES), several),
        st.builds(Call, st.sampled_from(NAMES), several),
        st.builds(ListLiteral, several),
        st.builds(Conditional, inner, inner, inner),
        st.builds(lambda p, v, b: Let(p, None, v, b), patterns, inner, inner),
        st.builds(
            lambda names, b: Lambda(tuple(map(Parameter, names)), b),
            st.lists(st.sampled_from("xyf"), min_size=1, max_size=2),
            inner,
        ),
        st.builds(Apply, inner, several),
        st.builds(
            lambda s, cases: Match(s, tuple(cases)),
            inner,
            st.lists(st.builds(Case, patterns, st.none() | inner, inner), min_size=1, max_size=3),
        ),
        st.builds(
            lambda kind, sort, where, body: Quantifier(kind, (Binder("x", NamedType(sort)),), where, body),
            st.sampled_from(["forall", "exists"]),
            st.sampled_from(["Bool", "ℤ", "Shape"]),
            st.none() | inner,
            inner,
        ),
    )


numerals = st.sampled_from(
    ["0", "1", "7", "255", "0.1", "1e20", "1e400", "1e-400", "99999999999999999999"]
).map(Number)
wild: st.SearchStrategy[Expression] = st.recursive(
    st.one_of(
        numerals,
        st.sampled_from(["", "a", "λ\n", "12", "../x"]).map(Text),
        st.booleans().map(Boolean),
        st.sampled_from(NAMES).map(Name),
    ),
    wilder,
    max_leaves=12,
)
budgets = st.builds(
    Budget,
    steps=st.integers(1, 20_000),
    depth=st.integers(1, 500),
    size=st.sampled_from([1, 10, 1000, 20_000]),
)


@given(wild, budgets)
def test_nothing_but_values_and_kleis_errors(expression: Expression, budget: Budget) -> None:
    try:
        evaluation = evaluate(expression, ENVIRONMENT, budget)
    except (EvaluationError, BudgetError) as error:
        text = str(error)
    else:
        assert 0 < evaluation.steps <= budget.steps
        text = render_value(evaluation.value, limit=500)
    assert text


@given(st.lists(wild, min_size=1, max_size=3), budgets)
def test_example_blocks_never_raise(expressions: list[Expression], budget: Budget) -> None:
    statements = [LetStatement("x", None, expressions[0])]
    assertions = [Assertion("assert", expression) for expression in expressions]
    example = Example("wild", (*statements, *assertions, *map(ExpressionStatement, expressions)))
    result = run_example(ENVIRONMENT, example, budget)
    assert len(result.assertions) == len(assertions)
    assert isinstance(result.as_dict()["passed"], bool)
