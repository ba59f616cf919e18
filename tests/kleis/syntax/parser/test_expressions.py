"""How expressions, patterns and types are parsed (docs/reference/kleis.md §2.8–2.13)."""

from __future__ import annotations

import pytest

from kleis.errors import ParseError
from kleis.syntax.parser.parser import parse_expression, parse_type
from kleis.syntax.printer.program import print_expression, print_type
from kleis.syntax.tree import (
    Apply,
    Ascription,
    Boolean,
    Call,
    ConstructorPattern,
    DimensionOperation,
    FunctionType,
    Lambda,
    Let,
    ListPattern,
    LiteralPattern,
    Match,
    Name,
    NamedType,
    Number,
    Parameter,
    ProductType,
    Quantifier,
    Text,
    Using,
    VariablePattern,
)

READINGS = [
    # precedence and associativity, the loosest first
    ("a ↔ b → c ∨ d ∧ e = f + g * h ^ i", "a ↔ (b → (c ∨ (d ∧ (e = (f + (g * (h ^ i)))))))"),
    ("a → b → c", "a → (b → c)"),
    ("a ↔ b ↔ c", "(a ↔ b) ↔ c"),
    ("a - b - c", "(a - b) - c"),
    ("a / b * c", "(a / b) * c"),
    ("2 ^ 3 ^ 2", "2 ^ (3 ^ 2)"),
    ("a ∪ b ∩ c", "(a ∪ b) ∩ c"),
    ("f ∘ g + h", "(f ∘ g) + h"),
    ("a + b • c * d", "(a + b) • (c * d)"),
    ("a ∨ b ∧ c", "a ∨ (b ∧ c)"),
    # signs bind to one primary (row 1: -3^2 is 9)
    ("-3^2", "(-3)^2"),
    ("-x!", "(-x)!"),
    ("2^-1", "2^(-1)"),
    ("not a = b", "(not a) = b"),
    ("¬f(x) ∧ g", "(¬f(x)) ∧ g"),
    ("a -- b", "a - (-b)"),
    ("∇f(x) + 1", "gradient(f(x)) + 1"),
    ("x!ᵀ†", "dagger(transpose(factorial(x)))"),
    # every spelling
    ("a <-> b", "a ⇔ b"),
    ("a <=> b", "a ⟺ b"),
    ("a -> b", "a ⟹ b"),
    ("a ==> b", "a ⇒ b"),
    ("a || b or c", "(a ∨ b) ∨ c"),
    ("a && b and c", "(a ∧ b) ∧ c"),
    ("a == b", "a = b"),
    ("a != b", "a ≠ b"),
    ("a <= b", "a ≤ b"),
    ("a >= b", "a ≥ b"),
    ("a × b · c", "(a * b) * c"),
    ("forall (x : T). exists (y : T). p", "∀(x : T). ∃(y : T). p"),
    ("lambda x . x", "λ x . x"),
    ("λx . x", "λ x . x"),
    # what extends as far right as possible
    ("p ∧ ∀(x : T). q ∧ r", "p ∧ (∀(x : T). (q ∧ r))"),
    ("1 + if a then b else c + 2", "1 + (if a then b else (c + 2))"),
    ("¬∀(x : T). p → q", "¬(∀(x : T). (p → q))"),
    ("let a = 1 in let b = 2 in a + b", "let a = 1 in (let b = 2 in (a + b))"),
    ("λ x . λ y . x : T", "λ x . (λ y . (x : T))"),
    ("if a ∧ b or c then d and e else f", "if ((a ∧ b) ∨ c) then (d ∧ e) else f"),
    ("∀(x : ℝ) where x > 0 ∧ x + 1 ≠ 3. p", "∀(x : ℝ) where ((x > 0) ∧ ((x + 1) ≠ 3)). p"),
    ("a = (b = c)", "a = (b = c)"),
    # quantifier groups
    ("∀(x y : ℝ, n : ℤ)(z : ℂ). p", "∀(x : ℝ, y : ℝ, n : ℤ, z : ℂ). p"),
    ("∃ x : T, y : U . p", "∃(x : T, y : U). p"),
    # calls
    ("f (x)", "f(x)"),
    ("f\n(x)", "f(x)"),
    ("f(1, y = 2, 3)", 'f(1, 3, record(field("y", 2)))'),
    ("f((a = b))", "f(a == b)"),
    ("f(data = 1)", 'f(record(field("data", 1)))'),
    ("Σ(lo, hi, λ i . i)", "sum_bounds(λ i . i, lo, hi)"),
    ("Π(lo, hi, b)", "prod_bounds(b, lo, hi)"),
    ("∫(a, b, f, x)", "int_bounds(f, a, b, x)"),
    ("∫ (a, b, f)", "int_bounds(a, b, f)"),
    ("Σ xs", "Sum(xs)"),
    ("Σxs", "Sum(xs)"),
    ("∬f + ∭g + ∮h + ∯k", "DoubleIntegral(f) + TripleIntegral(g) + LineIntegral(h) + SurfaceIntegral(k)"),
    ("()", "Unit()"),
    ("(a, b)", "Pair(a, b)"),
    ("(a, b, c, d, e)", "Tuple5(a, b, c, d, e)"),
    ("(+)(a, b)", "plus(a, b)"),
    ("foldl((∧), x, xs)", "foldl(logical_and, x, xs)"),
    ("S::(+)(a, b)", "S::plus(a, b)"),
    ("using S (x = y)", "using S ((x = y))"),
    ("using S(ℤ) x = y", "using S(ℤ) (x = y)"),
]


@pytest.mark.parametrize(("text", "same"), READINGS)
def test_reading(text: str, same: str) -> None:
    assert parse_expression(text) == parse_expression(same)


DIFFERENT = [
    ("a → (b → c)", "(a → b) → c"),
    ("f(a = b)", "f((a = b))"),
    ("f()", "f"),
    ("x²", "x^2"),
    ("1.0", "1"),
    ("a ∘ b", "b ∘ a"),
    ("f(x)(y)", "f(x, y)"),
    ("using S(ℤ) x", "using S x"),
]


@pytest.mark.parametrize(("text", "other"), DIFFERENT)
def test_different_readings(text: str, other: str) -> None:
    assert parse_expression(text) != parse_expression(other)


WORDS = "in then else where as data type over with using import structure element axiom and or define example"


@pytest.mark.parametrize("word", WORDS.split())
def test_keywords_are_names_where_the_grammar_has_no_place_for_them(word: str) -> None:
    assert parse_expression(f"f({word}, {word}(1))") == Call("f", (Name(word), Call(word, (Number("1"),))))
    assert parse_expression(f"λ {word} . 1 + {word}") == Lambda(
        (Parameter(word),), Call("plus", (Number("1"), Name(word)))
    )


@pytest.mark.parametrize(
    "word", ["notx", "or_else", "matchx", "letter", "iff", "forallx", "lambda1", "existsλ"]
)
def test_words_that_begin_like_keywords_are_names(word: str) -> None:
    assert parse_expression(word) == Name(word)


REFUSED = [
    "2 x", "2x", ".5", "5.", "a[i]", "x'", "[a, ]", "f(a, )", "∀ x . p",
    "f(x) y", "λ x -> x", "if a then b", "let x = 1", "match x { }", "(a, b, c, d, e, f)", "½", "not", "if",
]  # fmt: skip


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse_expression(text)


def test_computed_application() -> None:
    identity = Lambda((Parameter("x"),), Name("x"))
    assert parse_expression("(λ x . x)(3)") == Apply(identity, (Number("3"),))
    assert parse_expression("f(x)(y)(z)") == Apply(Apply(Call("f", (Name("x"),)), (Name("y"),)), (Name("z"),))
    assert parse_expression("(f)(x)") == Call("f", (Name("x"),))


def test_literals() -> None:
    assert parse_expression("true") == Boolean(True)
    assert parse_expression("True") == Name("True")
    assert parse_expression("1e3") == Number("1e3")
    assert parse_expression(r'"a\n\t\"\\\q"') == Text('a\n\t"\\\\q')
    assert parse_expression('"a\nb"') == Text("a\nb")


def test_ascription_keeps_its_type() -> None:
    assert parse_expression("f(x) + 1 : List(ℤ)") == Ascription(
        parse_expression("f(x) + 1"), parse_type("List(ℤ)")
    )


def test_lambda_parameters_keep_their_types() -> None:
    assert parse_expression("λ x (y z : ℝ) . x") == Lambda(
        (Parameter("x"), Parameter("y", NamedType("ℝ")), Parameter("z", NamedType("ℝ"))), Name("x")
    )


def test_quantifier_types_are_trees() -> None:
    tree = parse_expression("∀(f : ℝ → ℝ × ℝ, x : H.carrier). p")
    assert isinstance(tree, Quantifier)
    assert tree.binders[0].type == FunctionType(NamedType("ℝ"), ProductType((NamedType("ℝ"),) * 2))
    assert tree.binders[1].type == NamedType("H::carrier")


def test_a_glued_carrier_is_no_part_of_a_lambda() -> None:
    assert parse_expression("λ x.carrier") == parse_expression("λ x . carrier")
    assert parse_expression("λx.carrier") == parse_expression("λ x . carrier")


def test_using_holds_the_structure() -> None:
    tree = parse_expression("using Group(ℤ) ∀(x : ℤ). p")
    assert isinstance(tree, Using)
    assert tree.structure == parse_type("Group(ℤ)")


def test_patterns() -> None:
    tree = parse_expression(
        'match v { 0 => a | "s" => b | true => c | _ => d | None => e | red => f | P(x, [1, y]) as q if x > 1 => g '
        "| () => h | (x, _) => i | Cons(h t) => j | [] => k }"
    )
    assert isinstance(tree, Match)
    patterns = [case.pattern for case in tree.cases]
    assert patterns[0] == LiteralPattern(Number("0"))
    assert patterns[1] == LiteralPattern(Text("s"))
    assert patterns[2] == LiteralPattern(Boolean(True))
    assert patterns[4] == ConstructorPattern("None")
    assert patterns[5] == VariablePattern("red")
    assert tree.cases[6].guard == parse_expression("x > 1")
    assert patterns[7] == ConstructorPattern("Unit")
    assert patterns[8] == ConstructorPattern("Pair", (VariablePattern("x"), patterns[3]))
    assert patterns[9] == ConstructorPattern("Cons", (VariablePattern("h"), VariablePattern("t")))
    assert patterns[10] == ListPattern(())


def test_infix_words_can_be_called() -> None:
    for text in ("and(p, or(q, p))", "(and(p, or(q, p)))", "((and(p, (or(q, p)))))"):
        assert parse_expression(text) == Call("and", (Name("p"), Call("or", (Name("q"), Name("p")))))
    assert parse_expression("(and)") == parse_expression("(∧)")
    assert parse_expression("p and (q or p)") == parse_expression("p ∧ (q ∨ p)")


def test_cases_need_no_separator() -> None:
    assert parse_expression("match x { A => 1 B(y) => f(y)\n(p, q) => 2 }") == parse_expression(
        "match x { A => 1 | B(y) => f(y) | (p, q) => 2 | }"
    )


def test_a_capital_bound_by_let_is_a_variable() -> None:
    tree = parse_expression("let A = m in A")
    assert isinstance(tree, Let)
    assert tree.pattern == VariablePattern("A")
    tree = parse_expression("let A() = m in 1")
    assert isinstance(tree, Let)
    assert tree.pattern == ConstructorPattern("A")


TYPES = [
    ("A -> B -> C", "A → (B → C)"),
    ("A × B → C", "(A × B) → C"),
    ("(A, B)", "A × B"),
    ("∀ T. T → T", "forall T . T -> T"),
    ("∀(T). T → T", "∀ T : Type . T → T"),
    ("∀(m n : Nat, T U : Type, x y). V(m, T)", "forall (m n : Nat)(T U)(x : Type, y : Type). V(m, T)"),
    ("∀(m n : Nat, T). V(m, T)", "∀ m n : Nat, T . V(m, T)"),
    ("M(A → B)", "M((A → B))"),
    ("M(A × B)", "M((A × B))"),
    ("F(a b, c,)", "F(a, b, c)"),
    ("F(2*n + m^2^k - 1)", "F(((2*n) + (m^(2^k))) - 1)"),
    ("H.carrier", "H::carrier"),
    ("()", "Unit"),
]


@pytest.mark.parametrize(("text", "same"), TYPES)
def test_types(text: str, same: str) -> None:
    assert parse_type(text) == parse_type(same)


def test_products_are_flat_and_nested_ones_stay() -> None:
    assert parse_type("A × B × C") == ProductType((NamedType("A"), NamedType("B"), NamedType("C")))
    assert parse_type("(A × B) × C") == ProductType((parse_type("A × B"), NamedType("C")))


def test_dimension_functions() -> None:
    assert parse_type("Vec(min(m, n))") == parse_type("Vec(min(m,n))")
    tree = parse_type("min(m, n)")
    assert tree == DimensionOperation("min", (NamedType("m"), NamedType("n")))


@pytest.mark.parametrize("text", ["A →", "A + B", "(A", "F(1.5)", "∀ . T", "A × ", "a.b"])
def test_refused_types(text: str) -> None:
    with pytest.raises(ParseError):
        parse_type(text)


# What the original printed wrongly.
PRINTED = [
    ("¬(a ∧ b)", "¬(a ∧ b)", "not (a and b)"),
    ("(2^3)^2", "(2^3)^2", "(2^3)^2"),
    ("2^(3^2)", "2^3^2", "2^3^2"),
    ("(a → b) → c", "(a ⟹ b) ⟹ c", "(a -> b) -> c"),
    ("a → (b → c)", "a ⟹ b ⟹ c", "a -> b -> c"),
    ("a = (b = c)", "a = (b = c)", "a = (b = c)"),
    ("(a ∨ b) ∧ c", "(a ∨ b) ∧ c", "(a or b) and c"),
    ('concat("a", "b")', 'concat("a", "b")', 'concat("a", "b")'),
    (r'"say \"hi\"\n"', r'"say \"hi\"\n"', r'"say \"hi\"\n"'),
    ("f(x = 1)", "f(x = 1)", "f(x = 1)"),
    ("if a ∧ b then c else d", "if a ∧ b then c else d", "if a and b then c else d"),
    ("a ∘ b", "a ∘ b", "a ∘ b"),
    ("f((a = b))", "f((a = b))", "f((a = b))"),
    ("∀(x : A). ∃(y : A). x ≤ y", "∀(x : A). ∃(y : A). x ≤ y", "forall (x : A). exists (y : A). x <= y"),
    ("λ x . Aᵀ", "λ x . Aᵀ", "lambda x . transpose(A)"),
    ("-x^2", "(-x)^2", "(-x)^2"),
    ("-(x^2)", "-(x^2)", "-(x^2)"),
    ("a - (b - c)", "a - (b - c)", "a - (b - c)"),
    ("match p { (a, b) => a }", "match p { (a, b) => a }", "match p { (a, b) => a }"),
]


@pytest.mark.parametrize(("text", "unicode", "ascii"), PRINTED)
def test_printed(text: str, unicode: str, ascii: str) -> None:
    tree = parse_expression(text)
    assert print_expression(tree) == unicode
    assert print_expression(tree, ascii=True) == ascii


def test_printed_types() -> None:
    assert print_type(parse_type("(A → B) → C")) == "(A → B) → C"
    assert print_type(parse_type("A × B → C"), ascii=True) == "(A, B) -> C"


def test_spans_cover_what_was_read() -> None:
    text = "f(a) +\n  (b * c)"
    tree = parse_expression(text)
    assert isinstance(tree, Call)
    assert (tree.span.start, tree.span.end, tree.span.line, tree.span.column) == (0, len(text), 1, 1)
    right = tree.arguments[1]
    assert text[right.span.start : right.span.end] == "b * c"
    assert (right.span.line, right.span.column) == (2, 4)
