"""Statements in Lean whose meaning was compared with that of Kleis by hand, each with the reason why it is the same.

A statement that changes has to be compared again.
"""

from __future__ import annotations

__all__ = ["PROGRAM", "STATEMENTS"]

PROGRAM = """
structure Pointed(A) { element point : A  operation step : A → A  axiom moves : ∃(x : A). step(x) ≠ x }
structure Bare(B) { operation related : B × B → Bool }
data Colour = Red | Green
data Tree(a) = Leaf | Node(Tree(a), a, Tree(a))
define half(x : ℤ) : ℤ = div(x, 2)
define inverse(x : ℚ) : ℚ = 1 / x
define positive(x : ℤ) : Bool = x > 0
define fits(x : ℚ) : Bool = 1 / x > 2
define count(n : ℤ) : ℤ = if n ≤ 0 then 0 else 1 + count(n - 1)
define depth(t : Tree(ℤ)) : ℕ = match t { Leaf => 0 | Node(l, x, r) => 1 + max(depth(l), depth(r)) }
"""

STATEMENTS: tuple[tuple[str, str, str], ...] = (
    (
        "∀(x : ℚ). x / x = 1",
        "∀ x : ℚ, x ≠ (0 : ℚ) ∧ x / x = (1 : ℚ)",
        "Lean gives 0 / 0 the value 0, Kleis none: the condition is part of the claim, so that Lean refutes it at 0 as Kleis does.",
    ),
    (
        "∀(x y : ℚ). y ≠ 0 ⟹ x / y * y = x",
        "∀ x y : ℚ, y ≠ (0 : ℚ) → x / y * y = x",
        "The hypothesis says already that the divisor is not 0.",
    ),
    (
        "∀(x y : ℚ). x / y = 1 ∨ y = 0",
        "∀ x y : ℚ, y ≠ (0 : ℚ) ∧ x / y = (1 : ℚ) ∨ y = (0 : ℚ)",
        "A disjunction is true where one side is, whether the other is defined or not; the left side has to be defined to count.",
    ),
    (
        "∀(x y : ℚ). y = 0 ∨ x / y = x / y",
        "∀ x y : ℚ, y = (0 : ℚ) ∨ x / y = x / y",
        "Where the first side is false the divisor is not 0, so that the second is defined without saying so.",
    ),
    (
        "∀(x : ℚ). x = 0 ∧ 1 / x = 1",
        "∀ x : ℚ, x = (0 : ℚ) ∧ x ≠ (0 : ℚ) ∧ (1 : ℚ) / x = (1 : ℚ)",
        "A conjunction is true only where both sides are defined, so that no x is left.",
    ),
    (
        "∀(x : ℚ). 1 / x > 2 ⟹ x > 0",
        "∀ x : ℚ, x ≠ (0 : ℚ) ∧ ¬ ((1 : ℚ) / x > (2 : ℚ)) ∨ x > (0 : ℚ)",
        "An implication is true where its premise is false; where the premise is undefined, its conclusion has to be true.",
    ),
    (
        "∀(l : List(ℤ)). head(l) = 1",
        "∀ l : List ℤ, List.length l > (0 : ℕ) ∧ List.headD l (0 : ℤ) = (1 : ℤ)",
        "The head of an empty list is no value in Kleis and the default in Lean, here 0, which the condition keeps out.",
    ),
    (
        "∀(l : List(ℤ)). ¬isEmpty(l) ⟹ head(l) = nth(l, 0)",
        "∀ l : List ℤ, l ≠ [] → List.length l > (0 : ℕ) ∧ (0 : ℤ) < ((List.length l : ℕ) : ℤ) ∧ List.headD l (0 : ℤ) = List.getD l (Int.toNat (0 : ℤ)) (0 : ℤ)",
        "What the hypothesis says of emptiness is written as length, so both conditions stand in the conclusion, where they hold.",
    ),
    (
        "∀(l : List(ℤ), n : ℤ). nth(l, n) = 0",
        "∀ (l : List ℤ) (n : ℤ), n ≥ (0 : ℤ) ∧ n < ((List.length l : ℕ) : ℤ) ∧ List.getD l (Int.toNat n) (0 : ℤ) = (0 : ℤ)",
        "An index has to be in the list: Lean's default is shut out, and so is the truncation of a negative index to 0.",
    ),
    (
        "∀(x : ℝ). sqrt(x) * sqrt(x) = x",
        "∀ x : ℝ, x ≥ (0 : ℝ) ∧ Real.sqrt x * Real.sqrt x = x",
        "Mathlib's root of a negative number is 0, that of Kleis is none.",
    ),
    (
        "∀(x : ℝ). ln(x) = 0",
        "∀ x : ℝ, x > (0 : ℝ) ∧ Real.log x = (0 : ℝ)",
        "Mathlib's logarithm of 0 is 0, and that of -1 is that of 1; Kleis has values for positive numbers only.",
    ),
    (
        "∀(x : ℚ). inverse(x) = 1",
        "∀ x : ℚ, inverse_defined x ∧ inverse x = (1 : ℚ)",
        "A definition that is partial has a predicate beside it, here that x is not 0.",
    ),
    (
        "∀(x : ℚ). fits(x)",
        "∀ x : ℚ, fits x",
        "A partial formula holds where it is defined and true: that is how `fits` is written, with its condition inside.",
    ),
    (
        "∀(x : ℚ). ¬fits(x)",
        "∀ x : ℚ, fits_false x",
        "That it is false needs a predicate of its own: ¬ of the formula would also hold where it is undefined.",
    ),
    (
        "∀(n m : ℕ). n - m + m = n",
        "∀ n m : ℕ, (n : ℤ) - (m : ℤ) + (m : ℤ) = (n : ℤ)",
        "Subtraction of natural numbers is that of ℤ, where 1 - 2 + 2 = 1; with Lean's truncation the claim would be false at 1, 2.",
    ),
    (
        "∀(n : ℕ). n - 1 ≥ 0",
        "∀ n : ℕ, (n : ℤ) - (1 : ℤ) ≥ (0 : ℤ)",
        "False at 0, where Lean's truncated 0 - 1 would make it true.",
    ),
    (
        "∀(n : ℕ). n - n = 0",
        "∀ n : ℕ, (n : ℤ) - (n : ℤ) = (0 : ℤ)",
        "The difference is an integer, and equal to the integer 0.",
    ),
    (
        "∀(n m : ℕ). n + m - m = n",
        "∀ n m : ℕ, ((n + m : ℕ) : ℤ) - (m : ℤ) = (n : ℤ)",
        "The sum stays natural and is read as an integer as a whole, which is the same number.",
    ),
    (
        "∀(x y : ℤ). div(x, y) * y + mod(x, y) = x",
        "∀ x y : ℤ, y ≠ (0 : ℤ) ∧ Int.fdiv x y * y + Int.fmod x y = x",
        "The remainder of division by 0 is none in Kleis; Lean's would make the equation true there.",
    ),
    (
        "∀(x : ℤ). div(x, -2) = -div(x, 2)",
        "∀ x : ℤ, Int.fdiv x (-(2 : ℤ)) = (-(x / (2 : ℤ)))",
        "Division of Kleis floors; Lean's / of a negative divisor does not, so `Int.fdiv` is written for it.",
    ),
    (
        "∀(x : ℤ). mod(x, 3) ≥ 0",
        "∀ x : ℤ, x % (3 : ℤ) ≥ (0 : ℤ)",
        "Where the divisor is a positive numeral, % is the remainder of the floor.",
    ),
    (
        "∀(x : ℤ). mod(x, -3) ≤ 0",
        "∀ x : ℤ, Int.fmod x (-(3 : ℤ)) ≤ (0 : ℤ)",
        "The remainder has the sign of the divisor, as `Int.fmod` has, and % has not.",
    ),
    (
        "div(-7, 2) = -4",
        "(-(7 : ℤ)) / (2 : ℤ) = (-(4 : ℤ))",
        "-7 / 2 is -4 by the floor, and by Lean's / with a positive divisor.",
    ),
    (
        "mod(-7, 2) = 1",
        "(-(7 : ℤ)) % (2 : ℤ) = (1 : ℤ)",
        "The remainder that goes with the floor is 1.",
    ),
    (
        "1 / 2 = 0",
        "(1 : ℚ) / (2 : ℚ) = (0 : ℚ)",
        "/ of whole numbers is exact: numerals are read in ℚ, so that the claim is false, while bare `1 / 2 = 0` is true in ℕ.",
    ),
    (
        "∀(x y : ℤ). x / y = 1",
        "∀ x y : ℤ, (y : ℚ) ≠ (0 : ℚ) ∧ (x : ℚ) / (y : ℚ) = (1 : ℚ)",
        "Exact division: both are read in ℚ, and the divisor is not 0.",
    ),
    (
        "∀(x : ℤ). half(x) * 2 ≤ x",
        "∀ x : ℤ, half x * (2 : ℤ) ≤ x",
        "The definition divides by 2, so it is total and has no predicate.",
    ),
    (
        "∀(n : ℕ, x : ℤ). n + x = x + n",
        "∀ (n : ℕ) (x : ℤ), (n : ℤ) + x = x + (n : ℤ)",
        "ℕ is read in ℤ by a cast that is written out; Lean would otherwise look for one by itself.",
    ),
    (
        "∀(n : ℕ, q : ℚ). n * q = q * n",
        "∀ (n : ℕ) (q : ℚ), (n : ℚ) * q = q * (n : ℚ)",
        "ℕ is read in ℚ by one cast, not by way of ℤ.",
    ),
    (
        "∀(x : ℤ, r : ℝ). x < r",
        "∀ (x : ℤ) (r : ℝ), (x : ℝ) < r",
        "An integer is read as a real number, and stays an integer.",
    ),
    (
        "∀(l : List(ℕ)). sum(l) ≥ 0",
        "∀ l : List ℕ, List.sum l ≥ (0 : ℕ)",
        "The sum of natural numbers is one; the comparison is in ℕ.",
    ),
    (
        "∀(x : ℤ). abs(x) ≥ x",
        "∀ x : ℤ, ((Int.natAbs x : ℕ) : ℤ) ≥ x",
        "The absolute value is a natural number in both, and is read in ℤ to be compared.",
    ),
    (
        "∀(x : ℚ). floor(x) ≤ x",
        "∀ x : ℚ, ((Int.floor x : ℤ) : ℚ) ≤ x",
        "A floor is an integer, and is read in ℚ to be compared with a fraction.",
    ),
    (
        "∀(x : ℤ, n : ℕ). x ^ n = x",
        "∀ (x : ℤ) (n : ℕ), x ^ n = x",
        "A natural exponent needs no condition; x ^ 0 is 1 in both, also of 0.",
    ),
    (
        "2 ^ (-1) = 0.5",
        "(2 : ℚ) ^ (-(1 : ℤ)) = (1 / 2 : ℚ)",
        "A negative exponent makes a fraction: the base is read in ℚ, and 2 is not 0.",
    ),
    (
        "∃(x : A). step(x) = x",
        "{A : Type u} [Pointed A] : ∃ x : A, Pointed.step x = x",
        "The carrier has an element by the structure's constant, so Nonempty is not asked for.",
    ),
    (
        "∀(x : B). related(x, x)",
        "{B : Type u} [Nonempty B] [Bare B] : ∀ x : B, Bare.related x x",
        "Carriers of Kleis are not empty; Lean's types may be, so Nonempty is a hypothesis where no constant is there.",
    ),
    (
        "(∀(x : B). related(x, x)) ⟹ ∃(x : B). related(x, x)",
        "{B : Type u} [Nonempty B] [Bare B] : (∀ x : B, Bare.related x x) → (∃ x : B, Bare.related x x)",
        "True in Kleis, where there is an element; without Nonempty false in Lean.",
    ),
    (
        "∀(c : Colour). c = Red ∨ c = Green",
        "∀ c : Colour, c = (Colour.Red : Colour) ∨ c = (Colour.Green : Colour)",
        "A data type is its constructors and nothing else, in both.",
    ),
    (
        "∃(x : ℤ). ∀(y : ℤ). x ≤ y",
        "∃ x : ℤ, ∀ y : ℤ, x ≤ y",
        "Quantifiers keep their order, and range over all integers.",
    ),
    (
        "∀(x : ℤ). positive(x) ⟺ x > 0",
        "∀ x : ℤ, positive x = true ↔ x > (0 : ℤ)",
        "A definition that is computed is a Bool in Lean; that it holds is that it equals true.",
    ),
    (
        "∀(p q : Bool). (p ⟹ q) ⟺ (¬p ∨ q)",
        "∀ p q : Bool, p = true → q = true ↔ p ≠ true ∨ q = true",
        "Truth values as variables are Bool, and as formulas equations with true; → binds tighter than ↔.",
    ),
    (
        "∀(t : Tree(ℤ)). depth(t) ≥ 0",
        "∀ t : Tree ℤ, depth t ≥ (0 : ℕ)",
        "Recursion over a data type is structural and total, so there is nothing to add.",
    ),
    (
        "∀(n : ℤ). count(n) ≥ 0",
        "∀ n : ℤ, count n ≥ (0 : ℤ)",
        "A recursion by a measure is total in Lean too, by the proof that Kleis found.",
    ),
    (
        "∀(A B : Set(ℤ)). subset(A, B) ⟹ union(A, B) = B",
        "∀ A B : Set ℤ, A ⊆ B → A ∪ B = B",
        "Sets are extensional in Mathlib as in Kleis: = of sets is that they have the same elements.",
    ),
    (
        '∀(s : String). strlen(concat(s, "é")) = strlen(s) + 1',
        '∀ s : String, String.length (s ++ "é") = String.length s + (1 : ℕ)',
        "Length counts code points in both, so that é counts once.",
    ),
    (
        "∀(f : ℤ → ℤ, x : ℤ). f(x) = f(x)",
        "∀ (f : ℤ → ℤ) (x : ℤ), f x = f x",
        "A function of Kleis is total where it is a variable, as in Lean.",
    ),
    (
        "∀(x : BitVec(8)). bvadd(x, x) = bvshl(x, bvone(8))",
        "∀ x : BitVec 8, BitVec.add x x = BitVec.shiftLeft x (BitVec.toNat (BitVec.ofNat 8 1))",
        "Words are of a fixed width; a shift is by the number that the word stands for.",
    ),
    (
        "let x = 1 / 2 in x + x = 1",
        "let x : ℚ := (1 : ℚ) / (2 : ℚ); x + x = (1 : ℚ)",
        "A name for a value that is defined is Lean's `let`; the numerals 1 and 2 are read in ℚ.",
    ),
    (
        "∀(x : ℤ). (if x > 0 then x else -x) ≥ 0",
        "∀ x : ℤ, (if x > (0 : ℤ) then x else -x) ≥ (0 : ℤ)",
        "The condition is decided by comparing integers, so nothing is chosen by `Classical`.",
    ),
)
