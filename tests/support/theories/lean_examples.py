"""Ten shapes of theories to export, as Kleis programs of our own wording: a program and its propositions."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["EXAMPLES", "Shape"]


class Shape(NamedTuple):
    """A program, the propositions about it, and pieces of text that its Lean form must have."""

    name: str
    program: str
    propositions: tuple[str, ...]
    pieces: tuple[str, ...]
    prove: bool = False


EXAMPLES = (
    Shape(
        "one carrier, equations",
        """
        structure Turnstile(A) {
            operation push : A × A → A
            axiom push_self : ∀(x : A). push(x, x) = x
            axiom push_pull : ∀(x y : A). push(x, push(x, y)) = y
        }
        """,
        ("∀(x y z : A). push(x, y) = push(x, z) ⟹ y = z",),
        (
            "class Turnstile (A : Type u) where\n  push : A → A → A\n",
            "  push_pull : ∀ x y : A, push x (push x y) = y\n",
            "[Turnstile A] :\n    ∀ x y z : A, Turnstile.push x y = Turnstile.push x z → y = z := by\n  sorry",
        ),
    ),
    Shape(
        "an element, existence",
        """
        structure Mirror(M) {
            operation flip : M → M
            element home : M
            axiom twice : ∀(x : M). flip(flip(x)) = x
            axiom fixed : flip(home) = home
            axiom moves : ∃(x : M). flip(x) ≠ x
        }
        """,
        ("∃(x y z : M). x ≠ y ∧ y ≠ z ∧ x ≠ z",),
        (
            "  home : M\n",
            "  moves : ∃ x : M, flip x ≠ x\n",
            "∃ x y z : M, x ≠ y ∧ y ≠ z ∧ x ≠ z",
        ),
    ),
    Shape(
        "two carriers",
        """
        structure Ledger(A, M) {
            operation post : A × M → A
            element nothing : M
            operation comb : M × M → M
            axiom post_nothing : ∀(a : A). post(a, nothing) = a
            axiom post_comb : ∀(a : A, m n : M). post(post(a, m), n) = post(a, comb(m, n))
        }
        """,
        ("∀(a : A). post(post(a, nothing), nothing) = a",),
        (
            "class Ledger (A : Type u) (M : Type v) where\n",
            "  post_comb : ∀ (a : A) (m n : M), post (post a m) n = post a (comb m n)\n",
            "Ledger.post (Ledger.post a (Ledger.nothing (A := A) (M := M))) (Ledger.nothing (A := A) (M := M)) = a",
        ),
    ),
    Shape(
        "a data type with a parameter, recursion",
        """
        data Vine(T) = Bud | Fork(left : Vine(T), label : T, right : Vine(T))
        define swap(v : Vine(ℕ)) : Vine(ℕ) = match v { Bud => Bud | Fork(l, a, r) => Fork(swap(r), a, swap(l)) }
        define count(v : Vine(ℕ)) : ℕ = match v { Bud => 0 | Fork(l, _, r) => count(l) + 1 + count(r) }
        """,
        ("∀(t : Vine(ℕ)). count(swap(t)) = count(t)",),
        (
            "inductive Vine (T : Type u) where\n  | Bud : Vine T\n",
            "  | Fork (left : Vine T) (label : T) (right : Vine T) : Vine T\n  deriving Repr, DecidableEq\n",
            "  | Vine.Fork left label right => Vine.Fork (swap right) label (swap left)\n",
            "  | Vine.Fork left _ right => count left + (1 : ℕ) + count right\n",
            "∀ t : Vine ℕ, count (swap t) = count t",
        ),
    ),
    Shape(
        "an enumeration, truth values",
        """
        data Signal = Stop | Wait | Go
        define next(s : Signal) : Signal = match s { Stop => Go | Go => Wait | Wait => Stop }
        define brake(s : Signal) : Bool = if s = Go then false else true
        """,
        ("∀(s : Signal). next(next(next(s))) = s", "∀(s : Signal). brake(s) ⟺ ¬(s = Go)"),
        (
            "inductive Signal where\n  | Stop : Signal\n  | Wait : Signal\n  | Go : Signal\n",
            "def brake (s : Signal) : Bool :=\n",
            "  intro s\n  cases s <;> decide\n",
        ),
        True,
    ),
    Shape(
        "natural numbers, recursion by a measure",
        """
        define gap(m : ℕ, n : ℕ) : ℤ = if m ≤ n then n - m else m - n
        define halvings(n : ℤ) : ℕ = if n ≤ 1 then 0 else 1 + halvings(div(n, 2))
        """,
        ("∀(m n : ℕ). gap(m, n) = gap(n, m)", "∀(n : ℤ). 0 < n ⟹ halvings(n) < n"),
        (
            "if m ≤ n then (n : ℤ) - (m : ℤ) else (m : ℤ) - (n : ℤ)",
            "halvings (n / (2 : ℤ))",
            "termination_by Int.toNat n\ndecreasing_by\n  all_goals omega\n",
        ),
    ),
    Shape(
        "rational and integer numbers",
        """
        define mid(x : ℚ, y : ℚ) : ℚ = (x + y) / 2
        """,
        ("∀(x y : ℚ). x < y ⟹ x < mid(x, y) ∧ mid(x, y) < y", "∀(k : ℤ). mod(k, 2) = 0 ∨ mod(k, 2) = 1"),
        (
            "def mid (x y : ℚ) : ℚ :=\n  (x + y) / (2 : ℚ)\n",
            "x < y → x < mid x y ∧ mid x y < y",
            "k % (2 : ℤ) = (0 : ℤ) ∨ k % (2 : ℤ) = (1 : ℤ)",
        ),
    ),
    Shape(
        "real numbers, nested quantifiers",
        """
        define clip(x : ℝ) : ℝ = if x ≤ 0 then 0 else if 1 ≤ x then 1 else x
        """,
        ("∀(x : ℝ). 0 < x ⟹ (∃(y : ℝ). 0 < y ∧ y < x)", "∀(x : ℝ). 0 ≤ clip(x) ∧ clip(x) ≤ 1"),
        (
            "∀ x : ℝ, (0 : ℝ) < x → (∃ y : ℝ, (0 : ℝ) < y ∧ y < x)",
            "noncomputable def clip (x : ℝ) : ℝ :=\n",
        ),
    ),
    Shape(
        "lists",
        """
        define total(xs : List(ℕ)) : ℕ = match xs { [] => 0 | Cons(x, rest) => x + total(rest) }
        define keep(k : ℕ, xs : List(ℕ)) : List(ℕ) =
            match xs { [] => [] | Cons(x, rest) => if x ≤ k then Cons(x, keep(k, rest)) else keep(k, rest) }
        """,
        ("∀(k : ℕ, xs : List(ℕ)). total(keep(k, xs)) ≤ total(xs)",),
        (
            "  | [] => (0 : ℕ)\n  | head :: tail => head + total tail\n",
            "if head ≤ k then head :: keep k tail else keep k tail",
        ),
    ),
    Shape(
        "strings",
        """
        define label(s : String) : String = if s = "" then "none" else concat(s, "!")
        """,
        ('∀(s : String). label(s) ≠ ""',),
        ('  if s = "" then "none" else s ++ "!"\n', '∀ s : String, label s ≠ ""'),
    ),
    Shape(
        "a false claim, a finite model",
        """
        structure Blend(B) {
            operation op : B × B → B
            axiom assoc : ∀(x y z : B). op(op(x, y), z) = op(x, op(y, z))
        }
        """,
        ("∀(n : ℕ). n * n ≥ 2 * n", "∀(x y : B). op(x, y) = op(y, x)"),
        (
            "  exact absurd (h (1 : ℕ)) (by decide)\n",
            "_model : Blend (Fin 2) where\n",
            "  assoc := by\n    decide\n",
            "¬ (∀ (B : Type) [Nonempty B] [Blend B], ∀ x y : B, Blend.op x y = Blend.op y x) := by\n  intro h\n",
        ),
        True,
    ),
)
