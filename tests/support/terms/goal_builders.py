"""Short ways to write core terms by hand, for tests of the reference semantics."""

from __future__ import annotations

from fractions import Fraction

from kleis.core import (
    BOOL,
    INTEGER,
    NATURAL,
    RATIONAL,
    REAL,
    STRING,
    BuiltinCall,
    Carrier,
    Coercion,
    Connective,
    ConnectiveName,
    Construction,
    Constructor,
    ConstructorField,
    DataSort,
    Equals,
    ListOf,
    LiteralTerm,
    Operation,
    Quantifier,
    Sort,
    Symbol,
    SymbolCall,
    Term,
    Undefined,
    Variable,
)
from kleis.core.goal import Axiom, Goal
from kleis.problems import Place
from kleis.semantics.models import Model, evaluator_of
from kleis.semantics.ranges import Bounds, Outcome
from kleis.semantics.reference import Mode
from kleis.semantics.truth import Truth
from kleis.values import Value, render_value

X, Y = Variable("x", INTEGER), Variable("y", INTEGER)
NO_INTEGER = Undefined(INTEGER, "a test")
OPTION = DataSort("Option", (INTEGER,))
NONE = Constructor("None", (), OPTION)
SOME = Constructor("Some", (ConstructorField("value", INTEGER),), OPTION)
LIST = ListOf(INTEGER)
NIL = Constructor("Nil", (), LIST)
CONS = Constructor("Cons", (ConstructorField("_0", INTEGER), ConstructorField("_1", LIST)), LIST)

NOWHERE = Place(file="<test>", line=1, column=1)


def literal(value: bool | int | Fraction | str) -> LiteralTerm:
    """A literal at the sort it has in the core."""
    if isinstance(value, bool):
        return LiteralTerm(value, BOOL)
    if isinstance(value, str):
        return LiteralTerm(value, STRING)
    if isinstance(value, Fraction):
        return LiteralTerm(value, RATIONAL)
    return LiteralTerm(value, NATURAL if value >= 0 else INTEGER)


YES, NO = literal(True), literal(False)
VOID = Undefined(BOOL, "a test")


def integer(value: int) -> Term:
    return LiteralTerm(value, INTEGER)


def real(value: int | Fraction) -> Term:
    return LiteralTerm(value, REAL)


def both(*parts: Term) -> Term:
    return Connective("and", parts)


def either(*parts: Term) -> Term:
    return Connective("or", parts)


def no(part: Term) -> Term:
    return Connective("not", (part,))


def implies(left: Term, right: Term) -> Term:
    return Connective("implies", (left, right))


def connect(name: ConnectiveName, *parts: Term) -> Term:
    return Connective(name, parts)


def every(body: Term, *variables: Variable) -> Quantifier:
    return Quantifier("forall", variables, body)


def some(body: Term, *variables: Variable) -> Quantifier:
    return Quantifier("exists", variables, body)


def builtin(name: str, result: Sort, *arguments: Term, condition: Term | None = None) -> BuiltinCall:
    """A built-in at the sorts of its arguments; `condition` is over p0, p1, …"""
    parameters = tuple(Variable(f"p{index}", each.sort) for index, each in enumerate(arguments))
    return BuiltinCall(Operation(name, parameters, result, condition), arguments)


def parameter(index: int, sort: Sort) -> Variable:
    return Variable(f"p{index}", sort)


def plus(left: Term, right: Term) -> Term:
    return builtin("plus", left.sort, left, right)


def times(left: Term, right: Term) -> Term:
    return builtin("times", left.sort, left, right)


def minus(left: Term, right: Term) -> Term:
    return builtin("minus", INTEGER, left, right)


def over(left: Term, right: Term) -> Term:
    """The quotient of real numbers, undefined where the divisor is 0."""
    nonzero = no(Equals(parameter(1, right.sort), LiteralTerm(0, right.sort)))
    return builtin("divide", REAL, left, right, condition=nonzero)


def less(left: Term, right: Term) -> Term:
    return builtin("less_than", BOOL, left, right)


def at_most(left: Term, right: Term) -> Term:
    return builtin("leq", BOOL, left, right)


def widened(term: Term, sort: Sort) -> Term:
    return Coercion(term, sort)


def call(symbol: Symbol, *arguments: Term) -> Term:
    return SymbolCall(symbol, arguments)


def axiom(name: str, formula: Term) -> Axiom:
    return Axiom(name, formula, "axiom", NOWHERE)


def carrier(name: str) -> Carrier:
    return Carrier(name)


EMPTY = Goal(claim=None)


def truth(
    formula: Term,
    environment: dict[str, Value] | None = None,
    *,
    mode: Mode = "one-sided",
    meaning: Goal = EMPTY,
    bounds: Bounds | None = None,
    model: Model | None = None,
) -> Truth:
    """Whether a formula holds, by brute force."""
    return evaluator_of(meaning, model or Model({}, {}), bounds or Bounds(), mode).truth(formula, environment)


def outcome(
    term: Term,
    environment: dict[str, Value] | None = None,
    *,
    mode: Mode = "one-sided",
    meaning: Goal = EMPTY,
    bounds: Bounds | None = None,
    model: Model | None = None,
) -> Outcome:
    """What a term comes to."""
    evaluator = evaluator_of(meaning, model or Model({}, {}), bounds or Bounds(), mode)
    return evaluator.outcome(term, environment or {})


def listed(*items: Term) -> Term:
    term: Term = Construction(NIL, ())
    for item in reversed(items):
        term = Construction(CONS, (item, term))
    return term


def render_value_of(term: Term) -> str:
    found = outcome(term)
    assert not isinstance(found, Truth)
    return render_value(found)
