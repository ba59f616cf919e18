"""What expressions evaluate to (docs/reference/kleis.md §6)."""

from __future__ import annotations

import pytest

from kleis.evaluator.environment import ProgramDeclarations, environment_of
from kleis.syntax.parser.parser import parse_program
from tests.support.theories.running import environment, evaluation, refusal, value

LIST_LENGTH = "define len(l) = match l { [] => 0 | Cons(h, t) => 1 + len(t) }"
LAMPS = "data Lamp = On | Off\ndefine lit(l) = match l { On => 1 | Off => 0 }"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("-3^2", "9"),
        ("2^-1", "1/2"),
        ("-2^2 - 1", "3"),
        ("0.1 + 0.2 = 0.3", "true"),
        ("1e3", "1000"),
        ("0.10 = 0.1", "true"),
        ("1.5e-2", "3/200"),
        ("123456789012345678901234567890 + 1", "123456789012345678901234567891"),
        ("1/3 + 1/3 + 1/3", "1"),
        ("7 / 2", "7/2"),
        ("5! / 3!", "20"),
        ("Some(1) = Some(1)", "true"),
        ("[1, [2, 3]] = [1, [2, 3]]", "true"),
        ("(1, 2) = (1, 2)", "true"),
        ("(1, 2) = (2, 1)", "false"),
        ("() = ()", "true"),
        ('"1" = 1', "false"),
        ("true = 1", "false"),
        ("true ∧ 2 < 3", "true"),
        ("True = true", "true"),
        ("if 1 < 2 then 3 else 1 / 0", "3"),
        ("(λ x y . x - y)(5, 2)", "3"),
        ("(λ x y . x - y)(5)(2)", "3"),
        ("(λ x . λ y . x - y)(5)(2)", "3"),
        ("let (a, b) = (1, 2) in a + b * 10", "21"),
        ("let x = 1 in let x = x + 1 in x", "2"),
        ("let f = λ x . x * x in map(f, [1, 2])", "[1, 4]"),
        ("map(Some, [1])", "[Some(1)]"),
        ("map(λ p . fst(p), zip([1, 2], [3, 4]))", "[1, 2]"),
        ("foldl(plus, 0, [1, 2, 3])", "6"),
        ("Σ(1, 100, λ i . i)", "5050"),
        ("complex(1, 2) + 1", "complex(2, 2)"),
        ("complex(0, 1)^2", "-1"),
        ("2 * [[1, 2]]", "Matrix(1, 2, [2, 4])"),
        ("[[1, 2], [3, 4]] * [[1], [1]]", "Matrix(2, 1, [3, 7])"),
        ("(2 : ℝ) + 1", "3"),
        ('let s = "q\\"uote" in concat(s, "\\n")', '"q\\"uote\\n"'),
        ("1/4", "1/4"),
        ("negate(1/4)", "-1/4"),
        ("sqrt(2) > 1.41421356 ∧ sqrt(2) < 1.41421357", "true"),
    ],
)
def test_values(expression: str, expected: str) -> None:
    assert value(expression, "data Option(T) = None | Some(v : T)") == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ('match 3 { n if n > 10 => "big" | _ => "small" }', '"small"'),
        ('match 30 { n if n > 10 => "big" | _ => "small" }', '"big"'),
        ("len([7, 8])", "2"),
        ("match [1, 2, 3] { [a, b] => a | [a, b, c] => c }", "3"),
        ("match Cons(1, Nil) { [a] => a }", "1"),
        ("match [1, 2] { Cons(h, t) as l => (h, t, l) }", "(1, [2], [1, 2])"),
        ("match (1, 1) { (x, x) => true | _ => false }", "true"),
        ("match (1, 2) { (x, x) => true | _ => false }", "false"),
        ('match "a" { "b" => 1 | "a" => 2 }', "2"),
        ('match 1 { "1" => 1 | 1 => 2 }', "2"),
        ("match 1.0 { 1 => true | _ => false }", "true"),
        ("match true { true => 1 | false => 0 }", "1"),
        ("match 1 < 2 { True => 1 | False => 0 }", "1"),
        ("match () { () => 1 }", "1"),
        ("match complex(1, 2) { complex(a, b) => b }", "2"),
        ('match record(field("a", 1)) { record(field(n, v)) => n }', '"a"'),
        ("match Foo(1) { Bar(x) => 0 | Foo(x) => x }", "1"),
        ("match 1 { x if x / 0 = 1 ∨ true => 5 }", "5"),
    ],
)
def test_match(expression: str, expected: str) -> None:
    assert value(expression, LIST_LENGTH) == expected


def test_no_case_is_an_error_with_a_place() -> None:
    error = refusal("match 3 {\n 4 => 1 }")
    assert error.code == "no_matching_case"
    assert (error.line, error.column) == (1, 1)
    assert "3" in error.message


@pytest.mark.parametrize(
    "expression",
    [
        "(p = q) = false",
        "p = q",
        "p = 1",
        "p ≠ q",
        "(x = 1) = (y = 2)",
        "x / x = x / x",
        "[x] = [1]",
        "Some(x) = Some(y)",
        "f(x) = f(y)",
        "Foo(1) = Bar(2)",
        "Foo(1) = Foo(2)",
        "x < x + 1",
        "∀(n : ℤ). n = n",
        "∀(n : ℤ) where n > 0. n / n = 1",
        "(λ x . x) = (λ y . y)",
        "head(x) = head(x)",
        "member(x, [1, 2])",
        "x = 0 ∨ x / x = 1",
        "x > 0 ∧ 1 / 0 = 1",
        "using Group (1 = 1)",
        "1/0 = 1 ∨ p",
        "i * i = 0 - 1",
        "complement(empty_set) = empty_set",
        "let y = 1 / x in true",
        "(λ y . true)(1 / x)",
        "length([1 / x]) = 1",
        "[1 / x] = []",
        "match 1 / x { _ => true }",
        "match [1 / x] { [] => true | _ => false }",
        "length([1 / x]) = 1 ∧ true",
        "(λ y . y)(length([1 / x]) = 1) ∨ false",
    ],
)
def test_unbound_names_decide_nothing(expression: str) -> None:
    assert value(expression, "data Option(T) = None | Some(v : T)") not in ("true", "false")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("x = x", "true"),
        ("f(x) = f(x)", "true"),
        ("Some(x) = None", "false"),
        ("[x] = [y, z]", "false"),
        ("[1, x] = [2, x]", "false"),
        ("Cons(1, rest) = Cons(2, rest)", "false"),
        ("Cons(1, rest) = []", "false"),
        ("length([x, y])", "2"),
        ("head([x, 1])", "x"),
        ("member(1, [x, 1])", "true"),
        ("p ∧ false", "false"),
        ("p ∨ true", "true"),
        ("false → p", "true"),
        ("true ∧ p", "p"),
        ("false ∨ p", "p"),
        ("any(λ y . y = 1, [p, 1])", "true"),
        ("length([1 / x]) = 2 ∨ true", "true"),
        ("(λ y . y)(length([1 / x]) = 2) ∨ (λ y . y)(true)", "true"),
        ("(λ y . y)(length([1 / x]) = 1) → true", "true"),
        ("∃(b : Bool). b ∨ length([1 / x]) = 2", "true"),
        ("if p then 1 else 2", "if p then 1 else 2"),
        ("sum([x, 0, 1])", "x + 1"),
        ("eye(2) * [[x, y], [z, w]] = matrix([[x, y], [z, w]])", "true"),
    ],
)
def test_what_holds_for_all_values_of_unbound_names(expression: str, expected: str) -> None:
    assert value(expression, "data Option(T) = None | Some(v : T)") == expected


@pytest.mark.parametrize("bad", ["1/0 = 1", "head([]) = 1", "match 1 { 2 => true }"])
@pytest.mark.parametrize("undefined", ["{}", "(λ x . x)({})"])
def test_strong_kleene_in_any_order(bad: str, undefined: str) -> None:
    """Direct code and code on the stack agree."""
    operand = undefined.format(bad)
    assert value(f"{operand} ∨ true") == value(f"true ∨ {operand}") == "true"
    assert value(f"{operand} ∧ false") == value(f"false ∧ {operand}") == "false"
    assert value(f"{operand} → true") == value(f"false → {operand}") == "true"
    for undecided in (f"{operand} ∧ true", f"true ∧ {operand}", f"{operand} ∨ false", f"true → {operand}"):
        assert refusal(undecided).code in ("undefined", "no_matching_case")
    assert refusal(f"({operand}) ↔ true").code in ("undefined", "no_matching_case")


def test_kleene_does_not_hide_mistakes() -> None:
    assert refusal("5 ∧ false").code == "sort"
    assert refusal("false ∨ 5").code == "sort"
    assert refusal('("a" < 1) ∨ true').code == "sort"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("∀(l : Lamp). lit(l) = 1", "false"),
        ("∃(l : Lamp). lit(l) = 1", "true"),
        ("∀(a b : Bool). a ∧ b → a", "true"),
        ("∀(a : Bool, l : Lamp) where l = On. lit(l) = 1", "true"),
        ("∃(l : Lamp) where l = On. lit(l) = 0", "false"),
        ("∀(l : Lamp). 1 / lit(l) = 1 ∨ l = Off", "true"),
        ("∃(l : Lamp). 1 / lit(l) = 1", "true"),
        ("∀(a : Bool). ∃(b : Bool). a ≠ b", "true"),
        ("map(λ n . ∃(l : Lamp). lit(l) = n, [0, 1, 2])", "[true, true, false]"),
    ],
)
def test_quantifiers_over_finite_types_are_tried(expression: str, expected: str) -> None:
    assert value(expression, LAMPS) == expected


def test_a_partial_instance_makes_a_quantifier_undefined_unless_another_decides() -> None:
    assert refusal("∀(l : Lamp). 1 / lit(l) = 1", LAMPS).code == "undefined"
    assert value("∀(l : Lamp). 1 / lit(l) = 2", LAMPS) == "false"


# ── Names ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_definition_shadows_a_builtin_with_a_warning() -> None:
    program = "define length(l) = 42\ndefine max(a) = a"
    assert value("length([])", program) == "42"
    codes = [(warning.code, warning.line) for warning in environment(program).warnings()]
    assert codes == [("shadowed_builtin", 1), ("shadowed_builtin", 2)]


def test_a_capitalised_function_can_be_called() -> None:
    assert value("Twice(4)", "define Twice(x) = 2 * x") == "8"


def test_an_operator_defined_as_itself_is_the_builtin() -> None:
    program = "define plus(a, b) = a + b"
    assert value("1 + 2", program) == "3"
    assert "read as the builtin" in environment(program).warnings()[0].message


def test_a_local_name_hides_everything() -> None:
    assert value("let length = λ x . 7 in length([])") == "7"
    assert value("(λ plus . plus(1, 2))(λ a b . a * 10 + b)") == "12"


def test_definitions_do_not_see_the_names_of_their_callers() -> None:
    assert value("let x = 5 in f()", "define f() = x") == "x"


def test_closures_keep_their_values() -> None:
    program = "define adders() = map(λ n . λ x . x + n, [1, 10])"
    assert value("map(λ f . f(5), adders())", program) == "[6, 15]"


def test_no_capture() -> None:
    """The argument's free y is not the lambda's y: substitution by text gets this wrong (S3)."""
    assert value("(λ x . λ y . x)(y)(1)") == "y"


def test_point_free_definitions_and_partial_application() -> None:
    program = "define add = λ x y . x + y\ndefine sub(x, y) = x - y\ndefine inc = add(1)"
    assert value("inc(4)", program) == "5"
    assert value("sub(10)(3)", program) == "7"
    assert value("map(sub(10), [1, 2])", program) == "[9, 8]"
    assert value("(λ x . sub(x))(10, 4)", program) == "6"


def test_too_many_arguments() -> None:
    error = refusal("f(1, 2)", "define f(x) = x")
    assert error.code == "arity"
    assert "too many arguments for f" in error.message
    assert "takes 1 argument, not 2" in error.hint
    assert refusal("(λ x . x)(1, 2)").code == "arity"
    assert refusal("strlen(1, 2)").code == "arity"


def test_constants_are_computed_once() -> None:
    program = "define c = sum(range(1000))"
    once = evaluation("c", program).steps
    assert evaluation("c + c + c + c", program).steps < 2 * once


def test_a_constant_defined_by_itself_is_an_error() -> None:
    assert refusal("a", "define a = b + 1\ndefine b = a").code == "circular"
    assert value("a ∨ true", "define a = 1/0 = 1") == "true"


def test_mutual_recursion() -> None:
    program = "define even(n) = if n = 0 then true else odd(n - 1)\ndefine odd(n) = if n = 0 then false else even(n - 1)"
    assert value("even(20001)", program) == "false"


def test_data_types_may_redefine_the_lists_and_truth_values() -> None:
    tape = "data Tape = Nil | Cell(v : ℤ, rest : Tape)"
    assert value("match Nil { Nil => 1 | Cell(v, r) => v }", tape) == "1"
    assert value("Nil = []", tape) == "false"
    assert value("Nil = []", "data List(T) = Nil | Cons(head : T, tail : List(T))") == "true"
    assert value("(2 > 1) = True", "data Bool = True | False") == "true"
    assert value("True = true", "data Trit = True | False | Maybe") == "false"


def test_wrong_number_of_fields() -> None:
    assert refusal("Box(1, 2)", "data Box = Box(v : ℤ)").code == "arity"


def test_operations_of_structures_without_values_are_symbols() -> None:
    program = "structure Mag(M) { operation (•) : M × M → M  element u : M }"
    assert value("u • x", program) == "u • x"
    assert value("a • b = a • b", program) == "true"
    assert value("a • b = b • a", program) not in ("true", "false")


def test_definitions_of_sections_are_global_and_those_of_parameterised_structures_are_not() -> None:
    section = "structure Section { define twice(x) = 2 * x }"
    assert value("twice(3)", section) == "6"
    ring = "structure R(T) { operation negate : T → T  define (-)(x, y) = x + negate(y) }"
    assert value("5 - 3", ring) == "2"


def test_operations_of_implementations_are_chosen_by_their_type() -> None:
    program = """
        structure Join(T) { operation (⊔) : T × T → T }
        implements Join(ℤ) { operation (⊔)(x, y) = max(x, y) }
        implements Join(String) { operation (⊔)(x, y) = concat(x, y) }
    """
    assert value("3 ⊔ 5", program) == "5"
    assert value('"a" ⊔ "b"', program) == '"ab"'
    assert value("x ⊔ 5", program) == "x ⊔ 5"


def test_an_operation_declared_at_other_sorts_is_not_the_builtin() -> None:
    program = "data Path = Straight | Bend\noperation length : Path → ℝ\noperation norm : Path → ℝ"
    assert value("length([1, 2])", program) == "length([1, 2])"
    assert value("length(Bend)", program) == "length(Bend)"
    assert value("norm(Bend)", program) == "norm(Bend)"
    assert refusal("length(3)").code == "sort"


def test_the_imaginary_unit_must_be_declared() -> None:
    assert value("i * i", "operation i : ℂ") == "-1"
    assert value("i * i") == "i * i"


def test_declarations_of_several_programs() -> None:
    first = parse_program("define f(x) = x + 1", file="first.kleis")
    second = parse_program("define f(x) = x / 0", file="second.kleis")
    declarations = ProgramDeclarations(first, second)
    assert declarations.file_of("f") == "second.kleis"
    assert environment_of(declarations).procedure("f") is not None


def test_errors_name_the_file_and_place_of_the_definition() -> None:
    error = refusal("f(1)", "define g(x) = x\ndefine f(x) =\n  x / 0")
    assert (error.line, error.column) == (3, 3)


# ── Floats ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "expression", ["sqrt(2)", "1 + sin(1)", "[exp(1)]", "floor(pi())", "sin(1) < 2", "complex(0, pi())"]
)
def test_what_rests_on_floats_is_marked(expression: str) -> None:
    assert evaluation(expression).approximate


@pytest.mark.parametrize("expression", ["sqrt(4)", "sin(0)", "1/3", "8^(1/3)", "hypot(3, 4)", "log10(1000)"])
def test_what_is_exact_is_not(expression: str) -> None:
    assert not evaluation(expression).approximate


def test_no_infinity_and_no_nan() -> None:
    assert refusal("exp(1000)").code == "approximation"
    assert refusal("sqrt(2) * 10^400").code == "approximation"
    assert refusal("0 - 1 + sqrt(negate(sin(1)))").code == "undefined"


# ── Output ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_out_prints_and_gives_its_value() -> None:
    found = evaluation('[out("text"), out([1, "a"]), out(1/4), out(1/3), out(sqrt(2))]')
    assert found.output == ("text", '[1, "a"]', "0.25", "1/3", "1.4142135623730951")
    assert value('out("text")') == '"text"'


def test_matrices_are_drawn_as_boxes() -> None:
    assert evaluation("out(Matrix(2, 2, [1, 22, 3, 4]))").output == ("⎡1  22⎤\n⎣3   4⎦",)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("λ x . x + 1", "λ x . x + 1"),
        ("let k = 3 in λ x . x + k", "let k = 3 in λ x . x + k"),
        ("a + b * (c - 2)", "a + (b * (c - 2))"),
        ("x^-1", "x ^ (-1)"),
        ("f(a = 1)", 'f(record(field("a", 1)))'),
        ("singleton(1)", "insert(1, empty_set)"),
        ("bv(5, 8)", "bv(5, 8)"),
        ("sqrt(2)", "≈1.4142135623730951"),
        ("(1, (2, 3), [])", "(1, (2, 3), [])"),
        ('re_star("a")', 're_star(re_literal("a"))'),
    ],
)
def test_rendering(expression: str, expected: str) -> None:
    assert value(expression) == expected
