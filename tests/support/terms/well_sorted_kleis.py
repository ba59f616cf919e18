"""Well-sorted Kleis expressions for properties, over a small program: numbers, truth values, lists of numbers, a data
type `Shape`.

The names they use besides built-ins are defined in `PROGRAM`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from kleis.syntax.parser.parser import parse_program
from kleis.syntax.tree import (
    Apply,
    Boolean,
    Call,
    Case,
    Conditional,
    ConstructorPattern,
    Expression,
    FunctionDefinition,
    Lambda,
    Let,
    ListLiteral,
    ListPattern,
    LiteralPattern,
    Match,
    Name,
    Number,
    Parameter,
    VariablePattern,
    WildcardPattern,
)
from tests.support.terms import naive_kleis

__all__ = ["DEFINITIONS", "PROGRAM", "naive_outcome", "well_sorted"]

PROGRAM = parse_program(
    """
    data Shape = Dot | Box(side : ℤ) | Pile(top : Shape, rest : Shape)
    define total(l) = match l { [] => 0 | Cons(h, t) => h + total(t) }
    define below(n) = if n < 1 then [] else Cons(n - 1, below(n - 1))
    define positive(l) = match l { [] => true | Cons(h, t) => h ≥ 1 ∧ positive(t) }
    define height(s) = match s { Dot => 0 | Box(n) if n ≥ 1 => n | Box(_) => 0 | Pile(a, b) => height(a) + height(b) }
    define compose(f, g) = λ x . f(g(x))
    """
)
DEFINITIONS = {item.name: item for item in PROGRAM.items if isinstance(item, FunctionDefinition)}

OPERATIONS: dict[str, list[tuple[str, tuple[str, ...]]]] = {
    "number": [
        *[(name, ("number", "number")) for name in ("plus", "minus", "times", "divide", "div", "mod")],
        ("negate", ("number",)),
        *[(name, ("list",)) for name in ("length", "total", "head")],
        ("height", ("shape",)),
        ("nth", ("list", "number")),
    ],
    "truth": [
        *[(name, ("number", "number")) for name in ("less_than", "geq", "equals", "neq")],
        *[(name, (sort, sort)) for name in ("equals", "neq") for sort in ("list", "shape")],
        *[(name, ("truth", "truth")) for name in ("logical_and", "logical_or", "implies", "iff")],
        ("logical_not", ("truth",)),
        ("positive", ("list",)),
    ],
    "list": [("Cons", ("number", "list")), ("tail", ("list",)), ("append", ("list", "list"))],
    "shape": [("Box", ("number",)), ("Pile", ("shape", "shape"))],
}
SORTS = sorted(OPERATIONS)
DEPTH = 4


@st.composite
def well_sorted(draw: st.DrawFn, **names: str) -> Expression:
    """An expression of any sort in which `names`, given as name=sort, may occur free."""
    return Maker(draw).make(draw(st.sampled_from(SORTS)), DEPTH, names)


class Maker:
    """Draws expressions from the top down."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw

    def one_of(self, *choices: Any) -> Any:
        return choices[self.draw(st.integers(0, len(choices) - 1))]

    def make(self, sort: str, depth: int, names: dict[str, str]) -> Expression:
        known = [name for name, found in names.items() if found == sort]
        if known and self.draw(st.integers(0, 2)) == 0:
            return Name(self.one_of(*known))
        if depth == 0 or self.draw(st.integers(0, 5)) == 0:
            return self.literal(sort)
        makers: list[Callable[[str, int, dict[str, str]], Expression]] = [
            self.operation, self.operation, self.operation, self.conditional, self.let, self.pair,
            self.match_of_list, self.match_of_number,
        ]  # fmt: skip
        if sort == "number":
            makers += [self.application, self.composition]
        if sort == "list":
            makers += [self.list_literal, self.mapping]
        return self.one_of(*makers)(sort, depth - 1, names)

    def literal(self, sort: str) -> Expression:
        match sort:
            case "number":
                return Number(self.one_of("0", "1", "2", "3", "0.5", "10"))
            case "truth":
                return Boolean(self.one_of(False, True))
            case "list":
                if self.one_of(False, True):
                    return Call("below", (Number(self.one_of("0", "2", "7")),))
                return ListLiteral(
                    tuple(Number(self.one_of("0", "1", "2")) for _ in range(self.one_of(0, 1, 2, 3)))
                )
        return self.one_of(Name("Dot"), Call("Box", (Number("1"),)))

    def operation(self, sort: str, depth: int, names: dict[str, str]) -> Expression:
        name, sorts = self.one_of(*OPERATIONS[sort])
        return Call(name, tuple(self.make(each, depth, names) for each in sorts))

    def conditional(self, sort: str, depth: int, names: dict[str, str]) -> Expression:
        condition = self.make("truth", depth, names)
        return Conditional(condition, self.make(sort, depth, names), self.make(sort, depth, names))

    def let(self, sort: str, depth: int, names: dict[str, str]) -> Expression:
        bound = self.make("number", depth, names)
        return Let(VariablePattern("x"), None, bound, self.make(sort, depth, {**names, "x": "number"}))

    def pair(self, sort: str, depth: int, names: dict[str, str]) -> Expression:
        pattern = ConstructorPattern("Pair", (VariablePattern("x"), VariablePattern("l")))
        bound = Call("Pair", (self.make("number", depth, names), self.make("list", depth, names)))
        return Let(pattern, None, bound, self.make(sort, depth, {**names, "x": "number", "l": "list"}))

    def function(self, name: str, sort: str, depth: int, names: dict[str, str]) -> Expression:
        return Lambda((Parameter(name),), self.make(sort, depth, {**names, name: "number"}))

    def application(self, sort: str, depth: int, names: dict[str, str]) -> Expression:
        return Apply(self.function("x", sort, depth, names), (self.make("number", depth, names),))

    def composition(self, sort: str, depth: int, names: dict[str, str]) -> Expression:
        functions = (self.function("x", sort, depth, names), self.function("y", "number", depth, names))
        return Apply(Call("compose", functions), (self.make("number", depth, names),))

    def list_literal(self, sort: str, depth: int, names: dict[str, str]) -> Expression:
        return ListLiteral(tuple(self.make("number", depth, names) for _ in range(self.one_of(0, 1, 2, 3))))

    def mapping(self, sort: str, depth: int, names: dict[str, str]) -> Expression:
        name, result = self.one_of(("list_map", "number"), ("list_filter", "truth"))
        return Call(name, (self.function("x", result, depth, names), self.make("list", depth, names)))

    def guard(self, depth: int, names: dict[str, str]) -> Expression | None:
        return self.make("truth", depth, names) if self.one_of(False, True) else None

    def match_of_list(self, sort: str, depth: int, names: dict[str, str]) -> Expression:
        cases = []
        for _ in range(self.one_of(1, 2, 3)):
            pattern, bound = self.one_of(
                (ListPattern(()), {}),
                (ConstructorPattern("Nil"), {}),
                (ListPattern((VariablePattern("h"), WildcardPattern())), {"h": "number"}),
                (
                    ConstructorPattern("Cons", (VariablePattern("h"), VariablePattern("t"))),
                    {"h": "number", "t": "list"},
                ),
            )
            inner = {**names, **bound}
            cases.append(Case(pattern, self.guard(depth, inner), self.make(sort, depth, inner)))
        return Match(self.make("list", depth, names), tuple(cases))

    def match_of_number(self, sort: str, depth: int, names: dict[str, str]) -> Expression:
        cases = []
        for _ in range(self.one_of(1, 2, 3)):
            pattern, bound = self.one_of(
                (LiteralPattern(Number(self.one_of("0", "1", "2"))), {}),
                (VariablePattern("n"), {"n": "number"}),
            )
            inner = {**names, **bound}
            cases.append(Case(pattern, self.guard(depth, inner), self.make(sort, depth, inner)))
        return Match(self.make("number", depth, names), tuple(cases))


def naive_outcome(expression: Expression) -> Any:
    try:
        return naive_kleis.evaluate(expression, {}, DEFINITIONS)
    except naive_kleis.Undefined:
        return "undefined"
    except naive_kleis.IllSorted:
        return "sort"
