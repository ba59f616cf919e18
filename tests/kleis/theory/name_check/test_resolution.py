"""Names and arities: what is unknown is reported with its place and the nearest spelling, and nothing else is reported."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleis.problems import Problem
from kleis.syntax.parser.parser import parse_program
from kleis.theory.name_check.check_names import check_names
from kleis.theory.theory import Theory

BUILTINS = {
    "length": (1, 1),
    "range": (1, 2),
    "concat": (1, None),
    "sqrt": (1, 1),
    "builtin_add": (2, 2),
    "eigenvalues": (0, None),
}

LIBRARY = """
structure Semigroup(S) {
  operation (•) : S × S → S
  axiom associativity : ∀(x y z : S). (x • y) • z = x • (y • z)
}
structure Monoid(M) extends Semigroup(M) { element e : M  axiom left_identity : ∀(x : M). e • x = x }
structure Ring(R) {
  structure additive : Monoid(R) with (•) as (+), e as zero
  operation (×) : R × R → R
}
data Option(T) = Some(value : T) | None
data Color = red | Green
type Endo(T) = T → T
operation norm : ℝ × ℝ → ℝ
operation twist : Endo(ℝ)
define inc(x) = x + 1
define compose(f, g) = λ x . f(g(x))
define answer = 42
"""


@pytest.fixture(autouse=True)
def without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether libraries are installed is no matter of names."""
    monkeypatch.setattr("kleis.theory.name_check.uses.needed_packages", lambda modules: modules)


def problems(text: str) -> list[Problem]:
    library = parse_program(LIBRARY, file="library.kleis")
    program = parse_program(text, file="main.kleis")
    return list(check_names(program, Theory().include(library).include(program), BUILTINS))


def found(text: str) -> list[tuple[str, int, int, str]]:
    return [(each.code, each.line, each.column, each.found) for each in problems(text)]


def test_the_library_itself_has_no_problem() -> None:
    program = parse_program(LIBRARY)
    assert check_names(program, Theory().include(program), BUILTINS) == ()


@pytest.mark.parametrize(
    "text",
    [
        "define f(x) = inc(x) + length([x]) + sqrt(answer)",
        "define f(x) = g(x)\ndefine g(x) = f(x)",
        "define f(g, x) = g(x, x, x)",
        "define f(x) = compose(inc, inc)(x)",
        "define f(x) = twist(x)",
        "define f(x) = answer(x)",
        "define f = inc",
        "define f(x) = let y = x in match Some(y) { Some(z) if z > x => z | None => y | w => 0 }",
        "define f(x) = match [x] { [] => 0 | Cons(h, t) => h | [a, b] => a + b }",
        "define f(x) = match (x, x) { (a, b) => a | Pair(_, _) => 0 }",
        "define f(x) = λ y z . x + y + z",
        "define f(x) = concat(x, x, x, x)",
        "define f(x : Option(ℤ), y : Endo(ℤ)) : Matrix(2, 3, ℝ) = x",
        "@decreases(n)\ndefine f(n) = if n <= 0 then 0 else f(n - 1)",
        "define f(x) = Monoid::e",
        "define f(x) = Monoid::associativity",
        "define f(x) = Ring::additive::e + Ring::additive::plus(x, x) + Ring::zero",
        "define f(x) = record(field(\"a\", x))",
        "define f(x) = f(a = x)",
        "define eigenvalues(m) = m\ndefine f(x) = eigenvalues(x)",
        "define f(x) = Matrix(1, 2, [x, x])",
        "structure S { operation subset : Set(ℝ) × Set(ℝ) → Bool  axiom a : subset(ℤ, ℝ) }",
        "structure S(A) extends Monoid(A) { axiom a : ∀(x : A). x • e = x }",
        "structure S(A) over Ring(F) { operation scale : F × A → A }",
        "structure V { element origin : Point  axiom a : ∀(x : Point). norm(1, 2) ≥ 0 }",
        "implements Monoid(ℤ) { operation (•) = builtin_add element e = 0 verify associativity }",
        "implements Semigroup(ℤ) { operation (•)(x, y) = x }\nimplements Monoid(ℤ) { element e = 0 }",
        "example \"a\" { let x = 1  let y : ℤ  inc(x)  assert(x + y = z) assert_inconsistent }",
        "example \"a\" { assert(∀(x : ℤ) where x > 0. ∃(y : ℤ). y > x) }",
        "example \"a\" { assert(using Monoid ∀(x : M). e • x = x) }",
        "example \"a\" { assert(∀(H : Monoid(ℤ)). H::carrier = H::carrier) }",
    ],
)  # fmt: skip
def test_programs_without_problems(text: str) -> None:
    assert [(each.code, each.message) for each in problems(text)] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("define f(x) = lenght(x)", ("unknown-function", 1, 15, "lenght")),
        ("define f(x) =\n  x ⊞ x", ("unknown-operator", 2, 3, "⊞")),
        ("define f(x) = Smoe(x)", ("unknown-constructor", 1, 15, "Smoe")),
        ("define f(x) = Nnoe", ("unknown-constructor", 1, 15, "Nnoe")),
        ("define f(x) = y", ("free-name", 1, 15, "y")),
        ("define f(x) = inc(x, x)", ("arity", 1, 15, "inc")),
        ("define f(x) = length(x, x)", ("arity", 1, 15, "length")),
        ("define f(x) = range(x, x, x)", ("arity", 1, 15, "range")),
        ("define f(x) = concat()", ("arity", 1, 15, "concat")),
        ("define f(x) = Some(x, x)", ("arity", 1, 15, "Some")),
        ("define f(x) = norm(x, x, x)", ("arity", 1, 15, "norm")),
        ("define f(x) = match x { Smoe(y) => y }", ("unknown-constructor", 1, 25, "Smoe")),
        ("define f(x) = match x { Some(y, z) => y }", ("arity", 1, 25, "Some")),
        ("define f(x) = match x { None(y) => y }", ("arity", 1, 25, "None")),
        ("define f(x) = match x { red => 1 }", ("constructor-as-variable", 1, 25, "red")),
        ("define f(x) = match x { Pair(y, y) => y }", ("duplicate-variable", 1, 33, "y")),
        ("define f(x, x) = x", ("duplicate-name", 1, 13, "x")),
        ("define f(x) = λ y y . y", ("duplicate-variable", 1, 19, "y")),
        ("define f(x : Colour) = x", ("unknown-type", 1, 14, "Colour")),
        ("define f(x : Option(ℤ, ℤ)) = x", ("type-arity", 1, 14, "Option")),
        ("define f(x) = Monoid::ee", ("unknown-member", 1, 15, "Monoid::ee")),
        ("define f(x) = Monid::e", ("unknown-structure", 1, 15, "Monid::e")),
        ("define f(x) = Ring::multiplicative::e", ("unknown-member", 1, 15, "Ring::multiplicative::e")),
        ("define f(x) = eigenvalues(x)", ("needs-numeric", 1, 15, "eigenvalues")),
        ("define sqrt(x) = x", ("shadows-builtin", 1, 1, "")),
        ("type A = B\ntype B = List(A)\ntype C = C", ("alias-cycle", 3, 1, "")),
        ("data D(T, T) = A(T)", ("duplicate-name", 1, 11, "T")),
        ("data D = A | A", ("duplicate-name", 1, 14, "A")),
        ("data D = A(x : ℤ, x : ℤ)", ("duplicate-name", 1, 19, "x")),
        ("structure S(A) extends Monod(A) { }", ("unknown-structure", 1, 24, "Monod")),
        ("structure S(A) extends Color { }", ("unknown-structure", 1, 24, "Color")),
        ("structure S(A) over Feild(A) { }", ("unknown-structure", 1, 21, "Feild")),
        ("structure S(A) extends Monoid(A, A) { }", ("type-arity", 1, 24, "Monoid")),
        ("structure S(A) extends Monoid(A) with f as g { }", ("unknown-member", 1, 39, "f")),
        ("structure S(A) { structure n : Gruop(A) }", ("unknown-structure", 1, 32, "Gruop")),
        ("structure S(A) { axiom a : true axiom a : true }", ("duplicate-name", 1, 33, "a")),
        ("structure S(A) { axiom a : ∀(x : A, x : A). true }", ("duplicate-variable", 1, 37, "x")),
        ("structure S(A) extends S(A) { }", ("inheritance-cycle", 1, 1, "")),
        ("implements Monod(ℤ) { }", ("unknown-structure", 1, 1, "Monod")),
        ("implements Monoid(ℤ) { operation (•)(x, y) = x }", ("missing-implementation", 1, 1, "")),
        ("implements Semigroup(ℤ) { operation (•) = builtin_ad }", ("unknown-builtin", 1, 43, "builtin_ad")),
        ("implements Semigroup(ℤ) { operation (•) = builtin_add verify asociativity }",
         ("unknown-member", 1, 55, "asociativity")),
        ("implements Semigroup(ℤ) { operation (•) = builtin_add element associativity = 1 }",
         ("not-an-operation", 1, 55, "associativity")),
        ("implements Monoid(ℤ) { operation (•) = builtin_add element e = 0 verify e }",
         ("not-an-axiom", 1, 66, "e")),
        ("example \"a\" { assert(anser = 42) }", ("free-name", 1, 22, "anser")),
        ("example \"a\" { assert(∀(x : Colr). x = x) }", ("unknown-type", 1, 28, "Colr")),
        ("example \"a\" { let y = x  let x = inc(1, 2) }", ("arity", 1, 34, "inc")),
        ("example \"a\" { }\nexample \"a\" { }", ("duplicate-example", 2, 1, "")),
        ("example \"a\" { assert(using Monod true) }", ("unknown-structure", 1, 28, "Monod")),
    ],
)  # fmt: skip
def test_problems_with_their_places(text: str, expected: tuple[str, int, int, str]) -> None:
    assert found(text) == [expected]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("define f(x) = lenght(x)", "length"),
        ("define f(x) = match x { Smoe(y) => y }", "Some"),
        ("define f(x : Colour) = x", "Color"),
        ("structure S(A) extends Monod(A) { }", "Monoid"),
        ("define f(x) = Monoid::asociativity", "associativity"),
        ("define f(x) = anwser", "answer"),
    ],
)
def test_the_nearest_spelling_is_in_the_hint(text: str, hint: str) -> None:
    (problem,) = problems(text)
    assert f"did you mean {hint}" in problem.hint


def test_an_arity_names_the_place_of_the_declaration() -> None:
    (problem,) = problems("define f(x) = norm(1, 2, 3)")
    assert [(place.file, place.line) for place in problem.related] == [("library.kleis", 14)]
    assert "takes 2 arguments, here it has 3" in problem.message


def test_one_overload_that_accepts_is_enough() -> None:
    assert found("operation norm : ℝ × ℝ × ℝ → ℝ\ndefine f(x) = norm(1, 2, 3)") == []
    assert found("define f(norm) = norm(1, 2, 3)") == []


def test_a_definition_hides_the_arity_of_the_builtin() -> None:
    codes = [each[0] for each in found("define sqrt(x, y) = x\ndefine f(x) = sqrt(x, x)")]
    assert codes == ["shadows-builtin"]


def test_structures_that_extend_one_another_in_a_circle_end() -> None:
    text = (
        "structure A(X) extends B(X) { }\nstructure B(X) extends A(X) { element c : X }\ndefine f(x) = A::c"
    )
    assert [each[0] for each in found(text)] == ["inheritance-cycle", "inheritance-cycle"]


def test_many_ways_up_are_followed_only_so_far() -> None:
    steps = "\n".join(
        f"structure S{n}(X) extends S{n + 1}(X) with e as a{n} over S{n + 1}(X) {{ }}" for n in range(40)
    )
    text = f"{steps}\nstructure S40(X) {{ element e : X }}\ndefine f(x) = S0::e"
    assert "unknown-structure" not in {each[0] for each in found(text)}


def test_nothing_is_looked_up_for_every_one_of_many_unknown_names() -> None:
    calls = " + ".join(f"unknwon{index}(x)" for index in range(150))
    text = "define f(x) = " + " + ".join(f"({calls})".replace("(x)", f"(x + {n})") for n in range(1))
    assert len(found(text)) == 150


@given(st.permutations(parse_program(LIBRARY).items))
def test_the_order_of_declarations_does_not_matter(items: list[object]) -> None:
    program = parse_program("define f(x) = lenght(x) + Monoid::ee + inc(x, x)")
    theory = Theory().extend(items).include(program)
    codes = [each.code for each in check_names(program, theory, BUILTINS)]
    assert codes == ["unknown-function", "unknown-member", "arity"]
