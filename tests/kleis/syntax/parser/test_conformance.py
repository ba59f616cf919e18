"""Small programs whose syntax trees are fixed: each parses without an error, to the tree expected."""

from __future__ import annotations

import pytest

from kleis.syntax.parser.parser import parse_expression, parse_program, parse_source
from kleis.syntax.printer.program import print_program

ROWS = [
    'example "1" { assert(-3^2 = 9) }',
    'example "2" { assert(∀(n : ℕ). n ≥ 0) }',
    "data Lamp = On | Off\ndefine w(l) = match l { On => 1 | Off => 0 }\n"
    'example "3" { assert(∀(l : Lamp). w(l) = 1) }',
    'data Box = B(v : ℤ)\nexample "4" { assert(∀(a b : ℤ). B(a) = B(b) ⟹ a = b) }',
    'define k = 5\nexample "5" { assert(∀(x : ℤ). x + k > x) }',
    'example "6" { assert(∀(x : ℤ). x ≠ 42) }',
    'example "7" { assert((p = q) = false) }',
    'example "8" { assert(∀(y : ℤ). ∃(x : ℤ) where x < x. x = y) }',
    'example "9" { assert(∀(x : ℝ). x^2 ≥ 0) }',
    'example "10" { assert(mod(0 - 7, 3) = 2) }',
    'example "11" { assert(true ∧ 2 < 3) }',
    'example "12" { out(match 3 { n if n > 10 => "big" | _ => "small" }) }',
    'define len(l) = match l { [] => 0 | Cons(h, t) => 1 + len(t) }\nexample "13" { out(len([7, 8])) }',
    'define sq(x) = x * x\nexample "14" { assert(map(sq, [1, 2]) = [1, 4]) }',
    "structure Mag(M) { operation (•) : M × M → M  element u : M  axiom lu : ∀(x : M). u • x = x }\n"
    'example "15" { assert(∀(x : M). u • x = x) }',
    'example "16" { assert(∀(x y : Widget). x + y = y + x) }',
    'define r(n) = if n ≤ 0 then 0 else r(n - 1)\nexample "17" { assert(∀(n : ℤ). r(n) = 0) }',
    'example "18" { assert(123456789012345678901234567890 + 1 = 123456789012345678901234567891) }',
    'example "19" { assert(1/3 + 1/3 + 1/3 = 1) }',
    'structure C { axiom a : 1 = 2 }\nexample "20" { assert(1 + 1 = 2) assert_inconsistent }',
    'example "21" { assert(∀(a b : Bool). a ∧ b ⟹ a) }',
    'example "22" { assert(∀(s : String). strlen(concat(s, "ab")) = strlen(s) + 2) }',
    'example "23" { assert(∃(x y : ℤ). x + y = 10 ∧ x - y = 2) }',
    'example "24" { assert(∀(a b : BitVec8). bvand(a, b) = bvand(b, a)) }',
    'example "25" { assert(matches("abc", re_plus(re_range("a", "z")))) }',
]


@pytest.mark.parametrize("text", ROWS)
def test_row(text: str) -> None:
    result = parse_source(text)
    assert result.errors == ()
    for ascii in (False, True):
        assert parse_program(print_program(result.program, ascii=ascii)) == result.program


def test_row_1_is_the_square_of_minus_three_and_is_pointed_out() -> None:
    assert parse_expression("-3^2 = 9") == parse_expression("((-3)^2) = 9")
    assert [lint.code for lint in parse_source(ROWS[0]).lints] == ["minus-binds-tight"]


LONG = """\
// A program as people write them: comments everywhere, axioms over many lines, words used as names.
@library("demo") @version("0.1")
import "stdlib/prelude.kleis"   // the prelude

/* A ring, with
   its two structures */
structure NearRing(R) extends Monoid(R) with (•) as (×), e as one over Base(R) {
    data : List(R)          // a field called data
    type : String
    structure additive : AbelianGroup(R) with (•) as (+), inv as negate {
        operation (+) : R × R → R   /* inline */
        element zero : R
        axiom comm : ∀(x y : R).
            x + y
            = y + x
    }
    operation element_at : (List(R), ℕ) → R
    axiom left : ∀(x : R)(y z : R) where x ≠ zero
        ∧ y ≠ zero.
        x × (y + z)
            = x × y
            // the middle of an axiom
            + x × z
    axiom chain : (forall (p q : Bool). p -> q <-> not p or q) and
        (exists (x : R). x == zero)
    define (-)(x, y) = x + negate(y)
}

data Expr(T : Type) =
      Num(value : ℤ)
    | Add(Expr(T), Expr(T))   // no names
    | Call(name : String, body : (T → T) → T)

define eval(e : Expr(ℤ), data) : ℤ =
    match e {
        Num(v) => v
        Add(a, b) =>
            eval(a, data)
            + eval(b, data)
        Call("abs", f) if data > 0 || data < -1 => f(λ x . x)
        _ => let (p, q) = (1, 2) in
             let type : ℤ = p in
             if p = q then type else Σ(0, 3, λ i . i^2)
    }

example "use" {
    let m = Matrix(2, 2, [1, 0, 0, 1])
    let x : ℝ;
    let op = λ (a : ℝ) b . a * b;
    assert(op(2, 3) = 6); assert(mᵀ = m)
    assert(∀(v : NearRing::carrier). using NearRing v + zero = v)
    plot(x, color = "red", style = [1, 2])
    (λ f . f(1)(2))(curry)
    assert_unknown(∃(x : ℝ). sin(x) = x!)
}
"""


def test_a_program_with_a_bit_of_everything() -> None:
    result = parse_source(LONG)
    assert result.errors == ()
    assert [type(item).__name__ for item in result.program.items] == [
        "Annotation", "Annotation", "Import", "Structure", "DataDefinition", "FunctionDefinition", "Example",
    ]  # fmt: skip
    assert parse_program(print_program(result.program)) == result.program


@pytest.mark.parametrize("width", range(1, len(LONG), 29))
def test_every_beginning_of_it_is_read_or_refused_in_place(width: int) -> None:
    text = LONG[:width]
    result = parse_source(text)
    last = text.count("\n") + 1
    assert all(1 <= error.line <= last for error in result.errors)
