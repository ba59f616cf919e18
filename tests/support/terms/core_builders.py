"""Short ways to write core terms by hand, for tests of termination and data types."""

from __future__ import annotations

from kleis.core import (
    BOOL,
    INTEGER,
    NATURAL,
    BuiltinCall,
    Coercion,
    Conditional,
    Connective,
    Construction,
    Constructor,
    ConstructorField,
    DataSort,
    Definition,
    DefinitionCall,
    Discrimination,
    Equals,
    ListOf,
    LiteralTerm,
    Narrowing,
    Operation,
    Selection,
    Sort,
    Term,
    TupleOf,
    Variable,
)
from kleis.problems import Place

INTEGERS = ListOf(INTEGER)
PAIR = TupleOf((INTEGERS, INTEGERS))
TREE = DataSort("Tree")
NIL = Constructor("Nil", (), INTEGERS)
CONS = Constructor("Cons", (ConstructorField("_0", INTEGER), ConstructorField("_1", INTEGERS)), INTEGERS)
LEAF = Constructor("Leaf", (), TREE)
NODE = Constructor("Node", (ConstructorField("left", TREE), ConstructorField("right", TREE)), TREE)
MAKE_PAIR = Constructor(
    "Pair", (ConstructorField("_0", INTEGERS), ConstructorField("_1", INTEGERS)), PAIR, alone=True
)


def number(value: int) -> Term:
    return LiteralTerm(value, INTEGER)


def integer(name: str) -> Variable:
    return Variable(name, INTEGER)


def natural(name: str) -> Variable:
    return Variable(name, NATURAL)


def integers(name: str) -> Variable:
    return Variable(name, INTEGERS)


def whole(term: Term | int) -> Term:
    """As an integer."""
    if isinstance(term, int):
        return number(term)
    return Coercion(term, INTEGER) if term.sort == NATURAL else term


def built(name: str, result: Sort, *arguments: Term, condition: Term | None = None) -> Term:
    parameters = tuple(Variable(letter, each.sort) for letter, each in zip("abcd", arguments, strict=False))
    return BuiltinCall(Operation(name, parameters, result, condition), arguments)


def plus(a: Term | int, b: Term | int) -> Term:
    return built("plus", INTEGER, whole(a), whole(b))


def minus(a: Term | int, b: Term | int) -> Term:
    return built("minus", INTEGER, whole(a), whole(b))


def times(a: Term | int, b: Term | int) -> Term:
    return built("times", INTEGER, whole(a), whole(b))


def _divisor() -> Term:
    return Connective("not", (Equals(integer("b"), number(0)),))


def div(a: Term | int, b: Term | int) -> Term:
    return built("div", INTEGER, whole(a), whole(b), condition=_divisor())


def mod(a: Term | int, b: Term | int) -> Term:
    return built("mod", INTEGER, whole(a), whole(b), condition=_divisor())


def less(a: Term | int, b: Term | int) -> Term:
    return built("less_than", BOOL, whole(a), whole(b))


def at_most(a: Term | int, b: Term | int) -> Term:
    return built("leq", BOOL, whole(a), whole(b))


def same(a: Term | int, b: Term | int) -> Term:
    return Equals(whole(a), whole(b))


def both(*formulas: Term) -> Term:
    return Connective("and", formulas)


def either(*formulas: Term) -> Term:
    return Connective("or", formulas)


def no(formula: Term) -> Term:
    return Connective("not", (formula,))


def when(condition: Term, consequent: Term, alternative: Term) -> Term:
    return Conditional(condition, consequent, alternative)


def narrow(term: Term) -> Term:
    return Narrowing(term)


def is_nil(term: Term) -> Term:
    return Discrimination(NIL, term)


def head(term: Term) -> Term:
    return Selection(CONS, 0, term)


def tail(term: Term) -> Term:
    return Selection(CONS, 1, term)


def cons(first: Term, rest: Term) -> Term:
    return Construction(CONS, (first, rest))


def call(name: str, *arguments: Term, sort: Sort = INTEGER) -> Term:
    return DefinitionCall(name, arguments, sort)


def define(name: str, parameters: tuple[Variable, ...], body: Term, *others: str) -> Definition:
    return Definition(name, name, parameters, body.sort, body, (name, *others))


PLACES = {name: Place("test.kleis", line, 1) for line, name in enumerate(("f", "g", "h"), 1)}
