"""Core terms printed as Kleis: forms, names, cases; what is printed parses and elaborates to the same term."""

from __future__ import annotations

from fractions import Fraction

import pytest

from kleis.core import (
    BOOL,
    COMPLEX,
    INTEGER,
    NATURAL,
    RATIONAL,
    REAL,
    STRING,
    UNIT,
    Application,
    BitVec,
    Carrier,
    Conditional,
    Connective,
    Construction,
    Constructor,
    ConstructorField,
    DataSort,
    Dimension,
    Discrimination,
    Equals,
    FunctionOf,
    Lambda,
    Let,
    ListOf,
    LiteralTerm,
    MatrixOf,
    Narrowing,
    Quantifier,
    RecordOf,
    Selection,
    SetOf,
    Sort,
    SortVariable,
    Symbol,
    SymbolCall,
    Term,
    TupleOf,
    Undefined,
    Variable,
)
from kleis.core import Coercion as Widened
from kleis.core.goal import DataType, Goal, Instance
from kleis.delaborate.describe_goal import describe, expression_of, proposition_of
from kleis.delaborate.print_types import has_numeral, numeral, type_of, writable
from kleis.delaborate.printed_names import Names, variable_name
from kleis.syntax.parser.parser import parse_expression, parse_program, parse_type
from kleis.syntax.printer.program import print_expression, print_type
from kleis.theory.theory import Theory
from tests.support.terms.core_builders import (
    CONS,
    INTEGERS,
    NIL,
    built,
    integer,
    integers,
    natural,
    number,
    plus,
)

X, Y, N = integer("x"), integer("y"), natural("n")
L = integers("l")
PAIR = TupleOf((INTEGER, INTEGERS))
P = Variable("p", PAIR)
MAKE_PAIR = Constructor(
    "Pair", (ConstructorField("_0", INTEGER), ConstructorField("_1", INTEGERS)), PAIR, True
)
OPTION = DataSort("Option", (INTEGER,))
NONE = Constructor("None", (), OPTION)
SOME = Constructor("Some", (ConstructorField("value", INTEGER),), OPTION)
OPTIONAL = Variable("o", OPTION)
NOTHING = Undefined(INTEGER, "no case")


def zero() -> Term:
    return Widened(LiteralTerm(0, NATURAL), INTEGER)


def text(term: Term, names: Names | None = None) -> str:
    expression = expression_of(term, names)
    printed = print_expression(expression)
    assert parse_expression(printed) == expression
    ascii_text = print_expression(expression, ascii=True)
    assert parse_expression(ascii_text) == expression
    return " ".join(printed.split())


# ── Forms ────────────────────────────────────────────────────────────────────────────────────────────────────

FORMS = [
    (LiteralTerm(True, BOOL), "true"),
    (LiteralTerm('a"b', STRING), '"a\\"b"'),
    (LiteralTerm(Fraction(1, 8), RATIONAL), "0.125"),
    (LiteralTerm(Fraction(3), RATIONAL), "3.0"),
    (LiteralTerm(-7, INTEGER), "-7"),
    (LiteralTerm(Fraction(-1, 3), RATIONAL), "-(1 / 3)"),
    (Widened(N, INTEGER), "n : ℤ"),
    (Narrowing(X), "x : ℕ"),
    (plus(N, Narrowing(X)), "(n : ℤ) + ((x : ℕ) : ℤ)"),
    (Equals(Widened(N, REAL), Widened(LiteralTerm(2, NATURAL), REAL)), "(n : ℝ) = (2 : ℝ)"),
    (Connective("not", (Equals(X, Y),)), "x ≠ y"),
    (Connective("and", (Equals(X, Y), Equals(Y, X))), "x = y ∧ y = x"),
    (Quantifier("exists", (X, N), Equals(X, Widened(N, INTEGER))), "∃(x : ℤ, n : ℕ). x = (n : ℤ)"),
    (Lambda((X, Y), plus(X, Y)), "λ (x : ℤ) (y : ℤ) . x + y"),
    (Let(X, number(1), plus(X, X)), "let x : ℤ = 1 in x + x"),
    (Construction(NIL, ()), "[] : List(ℤ)"),
    (Construction(CONS, (X, Construction(CONS, (Y, Construction(NIL, ()))))), "[x, y]"),
    (Construction(CONS, (X, L)), "Cons(x, l)"),
    (Construction(MAKE_PAIR, (X, L)), "(x, l)"),
    (Construction(Constructor("Unit", (), UNIT, True), ()), "()"),
    (Conditional(Equals(X, Y), X, Y), "if x = y then x else y"),
    (Application(Variable("f", FunctionOf((INTEGER,), INTEGER)), (X,), INTEGER), "f(x)"),
    (Application(Lambda((Y,), Y), (X,), INTEGER), "(λ (y : ℤ) . y)(x)"),
    (built("pi", REAL), "pi()"),
    (built("empty_set", SetOf(INTEGER)), "∅ : Set(ℤ)"),
    (built("negate", INTEGER, X), "-x"),
    (Discrimination(CONS, L), "match l { Cons(_, _) => true | _ => false }"),
    (Selection(CONS, 0, L), "match l { Cons(part, _) => part }"),
]


@pytest.mark.parametrize(("term", "expected"), FORMS, ids=[expected for _, expected in FORMS])
def test_forms(term: Term, expected: str) -> None:
    assert text(term) == expected


def test_a_record_has_its_fields() -> None:
    fields = (("a", INTEGER), ("b", STRING))
    made = Constructor("record", tuple(ConstructorField(*each) for each in fields), RecordOf(fields), True)
    assert text(Construction(made, (X, LiteralTerm("s", STRING)))) == 'record(field("a", x), field("b", "s"))'


# ── Cases ────────────────────────────────────────────────────────────────────────────────────────────────────


def head(term: Term) -> Term:
    return Selection(CONS, 0, term)


def tail(term: Term) -> Term:
    return Selection(CONS, 1, term)


def both(*formulas: Term) -> Term:
    first, *rest = formulas
    for each in rest:
        first = Connective("and", (first, each))
    return first


CASES = [
    (Conditional(Discrimination(NIL, L), X, head(L)), "match l { Nil => x | Cons(x1, _) => x1 }"),
    (Conditional(Discrimination(NIL, L), X, Y), "match l { Nil => x | _ => y }"),
    (Conditional(Discrimination(CONS, L), head(L), NOTHING), "match l { Cons(x1, _) => x1 }"),
    (
        Conditional(both(Discrimination(CONS, L), Equals(head(L), Y)), X, NOTHING),
        "match l { Cons(x1, _) if x1 = y => x }",
    ),
    (
        Conditional(both(Discrimination(CONS, L), Equals(head(L), zero())), X, NOTHING),
        "match l { Cons(0, _) => x }",
    ),
    (
        Conditional(both(Discrimination(CONS, L), Discrimination(NIL, tail(L))), head(L), X),
        "match l { Cons(x1, Nil) => x1 | _ => x }",
    ),
    (
        Conditional(Discrimination(NIL, L), X, Conditional(Discrimination(NIL, tail(L)), Y, head(tail(L)))),
        "match l { Nil => x | Cons(_, x1) => match x1 { Nil => y | Cons(x2, _) => x2 } }",
    ),
    (
        Conditional(Discrimination(NONE, OPTIONAL), X, Selection(SOME, 0, OPTIONAL)),
        "match o { None => x | Some(value) => value }",
    ),
    (
        Conditional(
            Discrimination(NONE, OPTIONAL),
            Y,
            Conditional(
                both(Discrimination(SOME, OPTIONAL), Equals(OPTIONAL, OPTIONAL)),
                X,
                Selection(SOME, 0, OPTIONAL),
            ),
        ),
        "match o { None => y | Some(_) if o = o => x | Some(value) => value }",
    ),
    (
        Conditional(Discrimination(SOME, OPTIONAL), X, Selection(SOME, 0, OPTIONAL)),
        "match o { Some(_) => x | _ => match o { Some(part) => part } }",
    ),
    (
        Conditional(Discrimination(NIL, L), X, Conditional(Discrimination(CONS, L), Y, NOTHING)),
        "match l { Nil => x | _ => match l { Cons(_, _) => y } }",
    ),
    (Conditional(Equals(X, zero()), Y, NOTHING), "match x { 0 => y }"),
    (Conditional(Equals(plus(X, Y), zero()), Y, NOTHING), "match x { _ if x + y = (0 : ℤ) => y }"),
    (
        Conditional(Discrimination(NIL, Selection(MAKE_PAIR, 1, P)), Selection(MAKE_PAIR, 0, P), X),
        "match p { (x1, Nil) => x1 | _ => x }",
    ),
    (
        Let(P, Construction(MAKE_PAIR, (X, L)), Selection(MAKE_PAIR, 0, P)),
        "let (x1, _) : ℤ × List(ℤ) = (x, l) in x1",
    ),
    (
        Let(P, Variable("q", PAIR), Conditional(Equals(P, P), Selection(MAKE_PAIR, 0, P), X)),
        "let p : ℤ × List(ℤ) = q in if p = p then match p { (part, _) => part } else x",
    ),
]


@pytest.mark.parametrize(("term", "expected"), CASES, ids=[expected for _, expected in CASES])
def test_cases(term: Term, expected: str) -> None:
    names = Names(Goal(claim=None, data=((DataType(OPTION, (NONE, SOME)),),)))
    assert text(Quantifier("forall", (X, Y), Equals(term, X)), names).removeprefix("∀(x y : ℤ). ") in (
        f"{expected} = x",
        f"({expected}) = x",
    )


def test_a_value_and_its_parts_have_names() -> None:
    term = Conditional(
        both(Discrimination(CONS, L), Discrimination(CONS, tail(L))), Equals(tail(tail(L)), tail(L)), NOTHING
    )
    assert text(term) == "match l { Cons(_, Cons(_, x1) as x) => x1 = x }"


# ── Names ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "taken", "expected"),
    [
        ("x", (), "x"),
        ("x", ("x",), "x1"),
        ("x", ("x", "x1"), "x2"),
        ("if", (), "if1"),
        ("match", (), "match1"),
        ("λx", (), "x"),
        ("a.b", (), "a_b"),
        ("·", (), "x"),
        ("true", (), "true1"),
        ("_", (), "_"),
    ],
)
def test_variable_names_can_be_written(name: str, taken: tuple[str, ...], expected: str) -> None:
    found = variable_name(name, taken)
    assert found == expected
    assert parse_expression(f"∀({found} : ℤ). {found} = {found}") == parse_expression(
        print_expression(parse_expression(f"∀({found} : ℤ). {found} = {found}"))
    )


def test_a_variable_does_not_hide_what_is_called() -> None:
    f = Symbol("x", (INTEGER,), INTEGER)
    assert text(Quantifier("forall", (X,), Equals(SymbolCall(f, (X,)), X))) == "∀(x1 : ℤ). x(x1) = x1"
    assert text(
        Lambda((Variable("length", INTEGERS),), built("length", NATURAL, Variable("length", INTEGERS)))
    ) == ("λ (length1 : List(ℤ)) . length(length1)")


GROUP = """
structure Monoid(M) { operation (•) : M → M → M  element e : M }
structure Group(G) extends Monoid(G) { operation inv : G → G }
structure Section { element e : ℤ  operation only : ℤ → ℤ }
structure Other { element e : Bool }
"""
G = Carrier("Group::G")


def theory(source: str = GROUP) -> Theory:
    return Theory().include(parse_program(source))


def group_meaning() -> Goal:
    product, unit = Symbol("•", (G, G), G), Symbol("e", (), G)
    element, only = Symbol("e", (), INTEGER), Symbol("only", (INTEGER,), INTEGER)
    x = Variable("x", G)
    about_group = Equals(SymbolCall(product, (x, SymbolCall(unit, ()))), x)
    about_section = Equals(SymbolCall(only, (SymbolCall(element, ()),)), number(1))
    return Goal(
        claim=Quantifier("forall", (x,), Connective("and", (about_group, about_section))),
        instances=(Instance("Monoid", (G,)), Instance("Group", (G,)), Instance("Section", ())),
        carriers=(G,),
        symbols=(product, unit, element, only),
    )


def test_symbols_have_their_structure_and_carriers_their_parameter() -> None:
    expression = proposition_of(group_meaning(), theory())
    assert expression is not None
    printed = print_expression(expression)
    assert printed == ("using Group ∀(x : G). x • Group::e = x ∧ only(e : ℤ) = 1")
    assert parse_expression(printed) == expression


def test_an_instance_at_a_type() -> None:
    meaning = Goal(
        claim=Equals(SymbolCall(Symbol("inv", (INTEGER,), INTEGER), (number(1),)), number(-1)),
        instances=(Instance("Group", (INTEGER,)),),
        symbols=(Symbol("inv", (INTEGER,), INTEGER),),
    )
    expression = proposition_of(meaning, theory())
    assert expression is not None
    assert print_expression(expression) == "using Group(ℤ) Group::inv(1) = -1"


def test_no_claim() -> None:
    meaning = Goal(claim=None, instances=(Instance("Section", ()),))
    assert proposition_of(meaning) is None
    assert describe(meaning, theory()).proposition is None


# ── Types ────────────────────────────────────────────────────────────────────────────────────────────────────

SQUARE = Dimension(((("n",), 1),))
TYPES: list[tuple[Sort, str]] = [
    (UNIT, "Unit"),
    (COMPLEX, "ℂ"),
    (BitVec(8), "BitVec(8)"),
    (SetOf(TupleOf((INTEGER, BOOL))), "Set(ℤ × Bool)"),
    (FunctionOf((INTEGER, FunctionOf((REAL,), BOOL)), STRING), "ℤ → (ℝ → Bool) → String"),
    (
        MatrixOf(Dimension(((("n",), 1), ((), -1))), Dimension(((("m", "n"), 2),)), REAL),
        "Matrix(n - 1, 2 * m * n, ℝ)",
    ),
    (Carrier("Vector", (SQUARE,)), "Vector(n)"),
    (Carrier("Vector", (Dimension(()),)), "Vector(0)"),
    (Carrier("Vector", (Dimension(((("min(m, n + 1)",), 1),)),)), "Vector(min(m, n + 1))"),
    (Carrier("Vector", (Dimension(((("n",), -1),)),)), "Vector(0 - n)"),
    (DataSort("Tree", (ListOf(NATURAL),)), "Tree(List(ℕ))"),
]


@pytest.mark.parametrize(("sort", "expected"), TYPES, ids=[expected for _, expected in TYPES])
def test_types(sort: Sort, expected: str) -> None:
    written = type_of(sort)
    assert print_type(written) == expected
    assert parse_type(expected) == written
    assert writable(sort)


def test_what_no_type_denotes_is_said() -> None:
    assert not writable(RecordOf((("a", INTEGER),)))
    assert not writable(ListOf(SortVariable("t")))


# ── Numerals ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "value", [0, 3, Fraction(3), Fraction(1, 2), Fraction(7, 40), Fraction(123456789, 1000)]
)
def test_numerals_are_exact(value: int | Fraction) -> None:
    assert Fraction(numeral(value)) == value
    assert has_numeral(value)


@pytest.mark.parametrize("value", [-1, Fraction(1, 3), Fraction(-1, 2)])
def test_what_has_no_numeral(value: int | Fraction) -> None:
    assert not has_numeral(value)
