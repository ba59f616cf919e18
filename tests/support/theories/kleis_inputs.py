"""What people type at Kleis in their first hour, and how it has to be read: the reading that was meant, or the remedy."""

from __future__ import annotations

import msgspec

__all__ = ["COMPUTED", "DECIDED", "REFUSED", "Computed", "Decided", "Refused"]


class Decided(msgspec.Struct, frozen=True):
    """A claim, its status, the codes of its warnings, and files that it needs."""

    text: str
    status: str
    warnings: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()


class Computed(msgspec.Struct, frozen=True):
    """An expression, its value as text, and the codes of its warnings."""

    text: str
    value: str
    warnings: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()


class Refused(msgspec.Struct, frozen=True):
    """A text that is refused, and a part of the hint or message that says what to write."""

    text: str
    remedy: str


FREE = ("free-names",)
CONSTANT = ("constant",)
ALGEBRA = ("stdlib/algebra.kleis",)
NUMBERS = ("stdlib/number_theory.kleis",)

DECIDED = (
    # Powers.
    Decided("x² ≥ 0", "verified", FREE),
    Decided("∀(x : ℝ). x² ≥ 0", "verified"),
    Decided("(x + 1)² = x² + 2*x + 1", "verified", FREE),
    Decided("∀(x : ℝ). x³ = x * x * x", "verified"),
    Decided("∀(a b : ℝ). (a + b)² = a² + 2*a*b + b²", "verified"),
    Decided("∀(x : ℝ). x ≠ 0 → x⁻¹ * x = 1", "verified"),
    Decided("3² + 4² = 5²", "verified"),
    Decided("-3² = -9", "verified"),
    Decided("-2^2 = 4", "verified", ("minus-binds-tight",)),
    Decided("∃(x : ℤ). x² = 2", "disproved"),
    # Free letters.
    Decided("x + y = y + x", "verified", FREE),
    Decided("x1 + x2 = x2 + x1", "verified", FREE),
    Decided("α * β = β * α", "verified", FREE),
    Decided("a - b = b - a", "disproved", FREE),
    Decided("n_1 ≤ n_1 + 1", "verified", FREE),
    # Constants.
    Decided("π > 3.14", "verified", CONSTANT),
    Decided("3.1415 < π ∧ π < 3.1416", "verified", CONSTANT),
    Decided("3.1415 < π < 3.1416", "verified", CONSTANT),
    Decided("e < 3", "verified", CONSTANT),
    Decided("2.71 < e < 2.72", "verified", CONSTANT),
    Decided("π = 3.14", "disproved", CONSTANT),
    Decided("π = 22/7", "disproved", CONSTANT),
    Decided("pi > 3", "verified", CONSTANT),
    Decided("τ > 6", "verified", CONSTANT),
    Decided("i² = -1", "verified", CONSTANT),
    Decided("∀(r : ℝ). r > 0 → π * r² > 3 * r²", "verified", CONSTANT),
    Decided("∀(x : ℝ). x < π", "disproved", CONSTANT),
    Decided("∃(x : ℝ). 3 < x ∧ x < π", "verified", CONSTANT),
    Decided("∀(π : ℤ). π = π", "verified"),
    Decided("∀(e : ℤ). e < 3", "disproved"),
    # Comparisons in a row.
    Decided("∀(x : ℝ). 0 ≤ x ≤ 5 → x² ≤ 25", "verified"),
    Decided("∀(a b c : ℝ). a < b < c → a < c", "verified"),
    Decided("1 < 2 < 3", "verified"),
    Decided("1 < 3 < 2", "disproved"),
    Decided("∀(a b c : ℤ). a = b = c → a = c", "verified"),
    # Absolute values, roots, signs.
    Decided("|x| ≥ 0", "verified", FREE),
    Decided("∀(x y : ℝ). |x + y| ≤ |x| + |y|", "verified"),
    Decided("∀(x : ℝ). |x| = |−x|", "verified"),
    Decided("√16 = 4", "verified"),
    Decided("√2 * √2 = 2", "verified"),
    Decided("6 ÷ 3 = 2", "verified"),
    Decided("5 − 3 = 2", "verified"),
    Decided("17 % 5 = 2", "verified"),
    Decided("∀(n : ℤ). n % 2 = 0 ∨ n % 2 = 1", "verified"),
    # Logic.
    Decided("∀(p q : Bool). !(p && q) ⟺ (!p || !q)", "verified"),
    Decided("∀(p q : Bool). (p ⟹ q) ⟺ (!q ⟹ !p)", "verified"),
    Decided("∀(p : Bool). p || !p", "verified"),
    Decided("1 != 2", "verified"),
    Decided("∀(p q : Bool). p -> q -> p", "verified", ("implication-chain",)),
    Decided("not 1 = 2", "error", ("not-binds-tight",)),
    Decided("∃!(x : ℤ). x + 1 = 3", "verified"),
    Decided("∃!(x : ℤ). x² = 4", "disproved"),
    Decided("forall (x : Int). x + 0 = x", "verified"),
    Decided("∀ x : ℤ. x < x + 1", "verified"),
    # Sets and quantifiers over them.
    Decided("2 ∈ {1, 2, 3}", "verified"),
    Decided("4 ∈ {1, 2, 3}", "disproved"),
    Decided("{1, 2} = {2, 1}", "verified"),
    Decided("¬(1 ∈ ∅)", "verified"),
    Decided("∀ x ∈ {1, 2, 3}. x ≤ 3", "verified"),
    Decided("∃ x ∈ {1, 2, 3}. x % 2 = 0", "verified"),
    Decided("∀ n ∈ ℕ. n ≥ 0", "verified"),
    # Sums and products.
    Decided("∑_{i=1}^{10} i = 55", "verified"),
    Decided("∑_{i=1}^{4} i² = 30", "verified"),
    Decided("∏_{k=1}^{5} k = 120", "verified"),
    Decided("5! = 120", "verified"),
    # Algebra, with what declares it.
    Decided("∀(x y : G). inv(x • y) = inv(y) • inv(x)", "verified", imports=ALGEBRA),
    Decided("∀(x : G). x • e = x", "verified", imports=ALGEBRA),
    Decided("isPrime(7)", "verified", imports=NUMBERS),
)

COMPUTED = (
    Computed("1/3 + 1/6", "1/2"),
    Computed("2^64", "18446744073709551616"),
    Computed("3²", "9"),
    Computed("let x = 3 in x² + 1", "10"),
    Computed("|2 - 5|", "3"),
    Computed("√16", "4"),
    Computed("17 % 5", "2"),
    Computed("∑_{i=1}^{4} i²", "30"),
    Computed("∏_{k=1}^{5} k", "120"),
    Computed("map(λ i . i², [1, 2, 3])", "[1, 4, 9]"),
    Computed("2 ∈ {1, 2}", "true"),
    Computed("i²", "-1", CONSTANT),
    Computed("floor(100 * π)", "314", CONSTANT),
    Computed("x + 1", "x + 1", FREE),
    Computed("-2^2", "4", ("minus-binds-tight",)),
    Computed("if 1 < 2 < 3 then 10 else 20", "10"),
    Computed("isPrime(104729)", "true", imports=NUMBERS),
)

REFUSED = (
    Refused("isPrime(7)", "stdlib/number_theory.kleis"),
    Refused("foo = 3", "declared nowhere"),
    Refused("lenght([1, 2]) = 2", "did you mean length?"),
    Refused("speed * time = distance", "declared nowhere"),
    Refused("2x = x + x", "write 2 * x"),
    Refused("f'(x) = 1", "names have no primes"),
    Refused("a – b = 0", "ASCII -"),
    Refused("x => y", "implication is →"),
    Refused(".5 + .5 = 1", "write 0.5"),
    Refused("x ** 2 = x * x", "a power is ^"),
    Refused("x^{2} = x * x", "x^n"),
    Refused("a ≠ b ≠ c", "a ≠ b ∧ b ≠ c"),
    Refused("{x | x > 0}", "∀(x : T) where"),
    Refused("∞ > 1", "there is no infinity"),
    Refused("∀(x : int). x = x", "write ℤ"),
    Refused("∀(b : bool). b", "write Bool"),
    Refused("∀(s : string). s = s", "write String"),
    Refused("x ∈ ℝ → x² ≥ 0", "∀ x ∈ ℝ"),
    Refused("x := 3", "a value comes after ="),
    Refused("a[0] = 1", "nth(list, i)"),
    Refused("∀ x . x = x", "∀(x : T)"),
    Refused("x mod 2 = 0", "a % b"),
    Refused("(1 + 2", "close it"),
    Refused("⌊x⌋ = 1", "floor(x)"),
    Refused("||x| - 1| ≥ 0", "abs(abs(x))"),
)
