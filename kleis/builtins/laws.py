"""Laws of the built-in functions: what is true of them everywhere, as text, by name.

The prover takes them at the terms of a claim where the functions of the claim are more than names to a solver
(docs/reference/proving.md §7.22).  They are believed, as the encodings of other built-ins are: a law is true of the
built-in, not of whatever else may carry its name.  Conditions are written out; where one does not hold nothing is said.

Invariants
    * Every law is closed, mentions nothing but built-ins, and is true in the reference semantics at all arguments
      (tests/kleis/builtins/test_laws.py tries it at exact values and with bounds).
"""

from __future__ import annotations

__all__ = ["LAWS"]

_CIRCULAR = {
    "pythagoras": "∀(x : ℝ). sin(x) * sin(x) + cos(x) * cos(x) = 1",
    "sine of a sum": "∀(x y : ℝ). sin(x + y) = sin(x) * cos(y) + cos(x) * sin(y)",
    "cosine of a sum": "∀(x y : ℝ). cos(x + y) = cos(x) * cos(y) - sin(x) * sin(y)",
    "sine of a difference": "∀(x y : ℝ). sin(x - y) = sin(x) * cos(y) - cos(x) * sin(y)",
    "cosine of a difference": "∀(x y : ℝ). cos(x - y) = cos(x) * cos(y) + sin(x) * sin(y)",
    "sine is odd": "∀(x : ℝ). sin(-x) = -sin(x)",
    "cosine is even": "∀(x : ℝ). cos(-x) = cos(x)",
    "sine of a double": "∀(x : ℝ). sin(2 * x) = 2 * sin(x) * cos(x)",
    "cosine of a double": "∀(x : ℝ). cos(2 * x) = 1 - 2 * sin(x) * sin(x)",
    "tangent": "∀(x : ℝ). cos(x) ≠ 0 → tan(x) * cos(x) = sin(x)",
    "sine below its angle": "∀(x : ℝ). (x ≥ 0 → sin(x) ≤ x) ∧ (x ≤ 0 → sin(x) ≥ x) ∧ (x > 0 → sin(x) < x)",
    "cosine above its parabola": "∀(x : ℝ). cos(x) ≥ 1 - x * x / 2",
    "sine and its cubic": "∀(x : ℝ). (x ≥ 0 → sin(x) ≥ x - x ^ 3 / 6) ∧ (x ≤ 0 → sin(x) ≤ x - x ^ 3 / 6)",
    "sine is positive": "∀(x : ℝ). 0 < x ∧ x < π → sin(x) > 0",
    "cosine is positive": "∀(x : ℝ). -π < 2 * x ∧ 2 * x < π → cos(x) > 0",
    "tangent above its angle": "∀(x : ℝ). 0 < x ∧ 2 * x < π → tan(x) > x",
}

_EXPONENTIAL = {
    "exp of zero": "exp(0) = 1",
    "exp of one": "exp(1) = e()",
    "exp of a sum": "∀(x y : ℝ). exp(x + y) = exp(x) * exp(y)",
    "exp of a difference": "∀(x y : ℝ). exp(x - y) * exp(y) = exp(x)",
    "exp of the opposite": "∀(x : ℝ). exp(-x) * exp(x) = 1",
    "exp of a double": "∀(x : ℝ). exp(2 * x) = exp(x) * exp(x)",
    "exp is positive": "∀(x : ℝ). exp(x) > 0",
    "exp above its tangent": "∀(x : ℝ). exp(x) ≥ 1 + x ∧ (x ≠ 0 → exp(x) > 1 + x)",
    "exp above its parabola": "∀(x : ℝ). x ≥ 0 → exp(x) ≥ 1 + x + x * x / 2",
    "exp below a parabola": "∀(x : ℝ). x ≤ 1 → exp(x) ≤ 1 + x + x * x",
    "exp below a quotient": "∀(x : ℝ). exp(x) * (1 - x) ≤ 1",
    "exp increases": "∀(x y : ℝ). x < y → exp(x) < exp(y)",
    "exp of a logarithm": "∀(x : ℝ). x > 0 → exp(ln(x)) = x",
    "logarithm of exp": "∀(x : ℝ). ln(exp(x)) = x",
    "logarithm of one": "ln(1) = 0",
    "logarithm of a product": "∀(x y : ℝ). x > 0 ∧ y > 0 → ln(x * y) = ln(x) + ln(y)",
    "logarithm of a quotient": "∀(x y : ℝ). x > 0 ∧ y > 0 → ln(x / y) = ln(x) - ln(y)",
    "logarithm of a square": "∀(x : ℝ). x ≠ 0 → ln(x ^ 2) = 2 * ln(abs(x))",
    "logarithm below its tangent": "∀(x : ℝ). x > 0 → ln(x) ≤ x - 1 ∧ (x ≠ 1 → ln(x) < x - 1)",
    "logarithm above a quotient": "∀(x : ℝ). x > 0 → x * ln(x) ≥ x - 1",
    "logarithm increases": "∀(x y : ℝ). 0 < x ∧ x < y → ln(x) < ln(y)",
    "base two": "∀(x : ℝ). x > 0 → log2(x) * ln(2) = ln(x)",
    "base ten": "∀(x : ℝ). x > 0 → log10(x) * ln(10) = ln(x)",
    "hyperbolic sine": "∀(x : ℝ). 2 * sinh(x) = exp(x) - exp(-x)",
    "hyperbolic cosine": "∀(x : ℝ). 2 * cosh(x) = exp(x) + exp(-x)",
    "hyperbolic tangent": "∀(x : ℝ). tanh(x) * cosh(x) = sinh(x)",
}

_ROOTS = {
    "square root": "∀(x : ℝ). x ≥ 0 → sqrt(x) ≥ 0 ∧ sqrt(x) * sqrt(x) = x",
    "real power is positive": "∀(x y : ℝ). x > 0 → x ^ y > 0",
    "real power of a sum": "∀(x y z : ℝ). x > 0 → x ^ (y + z) = x ^ y * x ^ z",
    "real power of a power": "∀(x y z : ℝ). x > 0 → (x ^ y) ^ z = x ^ (y * z)",
    "real power of a product": "∀(x y z : ℝ). x > 0 ∧ y > 0 → (x * y) ^ z = x ^ z * y ^ z",
    "real power as exp": "∀(x y : ℝ). x > 0 → x ^ y = exp(y * ln(x))",
}

_DIVISORS = {
    "divisor of the first": "∀(a b : ℤ). (∃(k : ℤ). a = k * gcd(a, b)) ∧ (gcd(a, b) ≠ 0 → mod(a, gcd(a, b)) = 0)",
    "divisor of the second": "∀(a b : ℤ). (∃(k : ℤ). b = k * gcd(a, b)) ∧ (gcd(a, b) ≠ 0 → mod(b, gcd(a, b)) = 0)",
    "greatest divisor": "∀(a b d : ℤ). d ≠ 0 ∧ mod(a, d) = 0 ∧ mod(b, d) = 0 → mod(gcd(a, b), d) = 0",
    "divisor of zeros": "∀(a b : ℤ). (gcd(a, b) = 0 → a = 0 ∧ b = 0) ∧ (a = 0 ∧ b = 0 → gcd(a, b) = 0)",
    "Bézout": "∀(a b : ℤ). ∃(x y : ℤ). a * x + b * y = gcd(a, b)",
    "Bézout of coprime numbers": "∀(a b : ℤ). gcd(a, b) = 1 → (∃(x y : ℤ). a * x + b * y = 1)",
    "divisor is bounded": "∀(a b : ℤ). (a ≠ 0 → gcd(a, b) ≤ abs(a)) ∧ (b ≠ 0 → gcd(a, b) ≤ abs(b))",
    "divisor with zero": "∀(a : ℤ). gcd(a, 0) = abs(a) ∧ gcd(0, a) = abs(a)",
    "divisor with one": "∀(a : ℤ). gcd(a, 1) = 1 ∧ gcd(1, a) = 1",
    "divisor with itself": "∀(a : ℤ). gcd(a, a) = abs(a)",
    "divisor commutes": "∀(a b : ℤ). gcd(a, b) = gcd(b, a)",
    "divisor associates": "∀(a b c : ℤ). gcd(gcd(a, b), c) = gcd(a, gcd(b, c))",
    "divisor of opposites": "∀(a b : ℤ). gcd(-a, b) = gcd(a, b) ∧ gcd(a, -b) = gcd(a, b)",
    "divisor of a shift": "∀(a b k : ℤ). gcd(a + k * b, b) = gcd(a, b)",
    "divisor of a remainder": "∀(a b : ℤ). b ≠ 0 → gcd(b, mod(a, b)) = gcd(a, b)",
    "divisor of multiples": "∀(a b k : ℤ). gcd(k * a, k * b) = abs(k) * gcd(a, b)",
    "coprime division": "∀(a b c : ℤ). a ≠ 0 ∧ gcd(a, b) = 1 ∧ mod(b * c, a) = 0 → mod(c, a) = 0",
    "coprime products": "∀(a b c : ℤ). gcd(a, b) = 1 ∧ gcd(a, c) = 1 → gcd(a, b * c) = 1",
    "divisor and multiple": "∀(a b : ℤ). gcd(a, b) * lcm(a, b) = abs(a * b)",
    "multiple of the first": "∀(a b : ℤ). (∃(k : ℤ). lcm(a, b) = k * a) ∧ (a ≠ 0 → mod(lcm(a, b), a) = 0)",
    "multiple of the second": "∀(a b : ℤ). (∃(k : ℤ). lcm(a, b) = k * b) ∧ (b ≠ 0 → mod(lcm(a, b), b) = 0)",
    "least multiple": "∀(a b m : ℤ). a ≠ 0 ∧ b ≠ 0 ∧ mod(m, a) = 0 ∧ mod(m, b) = 0 → mod(m, lcm(a, b)) = 0",
    "multiple commutes": "∀(a b : ℤ). lcm(a, b) = lcm(b, a)",
    "multiple associates": "∀(a b c : ℤ). lcm(lcm(a, b), c) = lcm(a, lcm(b, c))",
    "multiple of zeros": "∀(a b : ℤ). (lcm(a, b) = 0 → a = 0 ∨ b = 0) ∧ (a = 0 ∨ b = 0 → lcm(a, b) = 0)",
    "multiple of itself": "∀(a : ℤ). lcm(a, a) = abs(a) ∧ lcm(a, 1) = abs(a) ∧ lcm(1, a) = abs(a)",
}

_DIVISIBILITY = {
    "remainder of a sum": "∀(a b d : ℤ). d ≠ 0 → mod(a + b, d) = mod(mod(a, d) + mod(b, d), d)",
    "remainder of a difference": "∀(a b d : ℤ). d ≠ 0 → mod(a - b, d) = mod(mod(a, d) - mod(b, d), d)",
    "remainder of a product": "∀(a b d : ℤ). d ≠ 0 → mod(a * b, d) = mod(mod(a, d) * mod(b, d), d)",
    "remainder of a multiple": "∀(a b d : ℤ). d ≠ 0 ∧ mod(a, d) = 0 → mod(a * b, d) = 0 ∧ mod(b * a, d) = 0",
    "division with remainder": "∀(a d : ℤ). d ≠ 0 → a = d * div(a, d) + mod(a, d)",
    "divisibility goes on": "∀(a b c : ℤ). a ≠ 0 ∧ b ≠ 0 ∧ mod(b, a) = 0 ∧ mod(c, b) = 0 → mod(c, a) = 0",
    "divisibility as a multiple": "∀(a d : ℤ). d ≠ 0 → (mod(a, d) = 0 ↔ (∃(k : ℤ). a = d * k))",
}

_NUMERALS = {
    "numeral read back": "∀(n : ℤ). strToInt(intToStr(n)) = n",
}

LAWS: dict[str, str] = {**_NUMERALS, **_CIRCULAR, **_EXPONENTIAL, **_ROOTS, **_DIVISORS, **_DIVISIBILITY}
"""By name."""
