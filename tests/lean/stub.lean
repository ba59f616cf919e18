-- What exported files name of Mathlib, for a Lean without it.  Operations on ℝ and ℂ are opaque: nothing is proved of
-- them here.  Sets are predicates and finite sets lists, as far as statements need them.
@[expose] public section
set_option autoImplicit true

notation "ℕ" => Nat
notation "ℤ" => Int
notation "ℚ" => Rat

axiom Stub.const (α : Type u) (name : String) : α
axiom Stub.unary (α : Type u) (β : Type v) (name : String) : α → β
axiom Stub.binary (α : Type u) (β : Type v) (γ : Type w) (name : String) : α → β → γ

axiom Real : Type
notation "ℝ" => Real
structure Complex where
  mk :: (re : ℝ) (im : ℝ)
notation "ℂ" => Complex

class RatCast (K : Type u) where
  ratCast : Rat → K

class Stub.Numbers (K : Type) where
  number : Nat → K

noncomputable section
instance : Stub.Numbers ℝ := ⟨Stub.unary Nat ℝ "numeral"⟩
instance : Stub.Numbers ℂ := ⟨fun n => ⟨Stub.Numbers.number n, Stub.Numbers.number 0⟩⟩

section
variable {K : Type} [Stub.Numbers K]
instance (n : Nat) : OfNat K n := ⟨Stub.Numbers.number n⟩
instance : Inhabited K := ⟨Stub.Numbers.number 0⟩
instance : Zero K := ⟨Stub.Numbers.number 0⟩
instance : One K := ⟨Stub.Numbers.number 1⟩
instance : Add K := ⟨Stub.binary K K K "+"⟩
instance : Sub K := ⟨Stub.binary K K K "-"⟩
instance : Mul K := ⟨Stub.binary K K K "*"⟩
instance : Div K := ⟨Stub.binary K K K "/"⟩
instance : Neg K := ⟨Stub.unary K K "-"⟩
instance : NatCast K := ⟨Stub.unary Nat K "cast"⟩
instance : IntCast K := ⟨Stub.unary Int K "cast"⟩
instance : RatCast K := ⟨Stub.unary Rat K "cast"⟩
instance : Pow K Nat := ⟨Stub.binary K Nat K "^"⟩
instance : Pow K Int := ⟨Stub.binary K Int K "^"⟩
instance : Pow K K := ⟨Stub.binary K K K "^"⟩
instance : DecidableEq K := fun _ _ => Classical.propDecidable _
end

instance : Coe Rat ℝ := ⟨RatCast.ratCast⟩
instance : Coe Rat ℂ := ⟨RatCast.ratCast⟩
instance : Coe ℝ ℂ := ⟨fun x => ⟨x, 0⟩⟩
instance : LT ℝ := ⟨Stub.binary ℝ ℝ Prop "<"⟩
instance : LE ℝ := ⟨Stub.binary ℝ ℝ Prop "≤"⟩
instance : Min ℝ := ⟨Stub.binary ℝ ℝ ℝ "min"⟩
instance : Max ℝ := ⟨Stub.binary ℝ ℝ ℝ "max"⟩
instance (x y : ℝ) : Decidable (x < y) := Classical.propDecidable _
instance (x y : ℝ) : Decidable (x ≤ y) := Classical.propDecidable _

namespace Real
def pi : ℝ := Stub.const ℝ "pi"
def sin := Stub.unary ℝ ℝ "sin"
def cos := Stub.unary ℝ ℝ "cos"
def tan := Stub.unary ℝ ℝ "tan"
def sinh := Stub.unary ℝ ℝ "sinh"
def cosh := Stub.unary ℝ ℝ "cosh"
def tanh := Stub.unary ℝ ℝ "tanh"
def arcsin := Stub.unary ℝ ℝ "arcsin"
def arccos := Stub.unary ℝ ℝ "arccos"
def arctan := Stub.unary ℝ ℝ "arctan"
def exp := Stub.unary ℝ ℝ "exp"
def log := Stub.unary ℝ ℝ "log"
def sqrt := Stub.unary ℝ ℝ "sqrt"
end Real

def norm := Stub.unary ℂ ℝ "norm"
def star := Stub.unary ℂ ℂ "star"
def Complex.normSq (z : ℂ) : ℝ := z.re * z.re + z.im * z.im

instance (priority := low) : Zero Rat := ⟨0⟩
instance (priority := low) : One Rat := ⟨1⟩
instance (priority := low) : Min Rat := ⟨fun x y => if x ≤ y then x else y⟩
instance (priority := low) : Max Rat := ⟨fun x y => if x ≤ y then y else x⟩

class Stub.Absolute (K : Type u) where
  value : K → K
def abs {K : Type u} [Stub.Absolute K] (x : K) : K := Stub.Absolute.value x
instance : Stub.Absolute Int := ⟨fun x => if x < 0 then -x else x⟩
instance : Stub.Absolute Rat := ⟨fun x => if x < 0 then -x else x⟩
instance : Stub.Absolute ℝ := ⟨Stub.unary ℝ ℝ "abs"⟩

class Stub.Floored (K : Type u) where
  value : K → Int
def Int.floor {K : Type u} [Stub.Floored K] (x : K) : Int := Stub.Floored.value x
def Int.ceil {K : Type u} [Stub.Floored K] [Neg K] (x : K) : Int := -Stub.Floored.value (-x)
instance : Stub.Floored Rat := ⟨Rat.floor⟩
instance : Stub.Floored ℝ := ⟨Stub.unary ℝ Int "floor"⟩

def Set (α : Type u) : Type u := α → Prop
namespace Set
instance : Membership α (Set α) := ⟨fun s x => s x⟩
instance : EmptyCollection (Set α) := ⟨fun _ => False⟩
instance : Union (Set α) := ⟨fun s t x => s x ∨ t x⟩
instance : Inter (Set α) := ⟨fun s t x => s x ∧ t x⟩
instance : SDiff (Set α) := ⟨fun s t x => s x ∧ ¬ t x⟩
instance : HasSubset (Set α) := ⟨fun s t => ∀ x, s x → t x⟩
def univ : Set α := fun _ => True
protected def singleton (a : α) : Set α := fun x => x = a
protected def insert (a : α) (s : Set α) : Set α := fun x => x = a ∨ s x
def image (f : α → β) (s : Set α) : Set β := fun y => ∃ x, s x ∧ f x = y
def ncard (s : Set α) : Nat := Stub.unary (Set α) Nat "ncard" s
protected def Finite (s : Set α) : Prop := ∃ l : List α, ∀ x, s x → x ∈ l
end Set

def Finset (α : Type u) : Type u := List α
namespace Finset
def Icc (low high : Int) : Finset Int :=
  (List.range (high + 1 - low).toNat).map (fun (n : Nat) => low + (n : Int))
def sum {ι : Type u} {M : Type v} [Add M] [Zero M] (s : Finset ι) (f : ι → M) : M :=
  List.foldr (fun x rest => f x + rest) 0 s
def prod {ι : Type u} {M : Type v} [Mul M] [One M] (s : Finset ι) (f : ι → M) : M :=
  List.foldr (fun x rest => f x * rest) 1 s
end Finset

def List.prod {M : Type u} [Mul M] [One M] (l : List M) : M := l.foldr (· * ·) 1
def Nat.factorial : Nat → Nat
  | 0 => 1
  | n + 1 => (n + 1) * Nat.factorial n

def Matrix (m : Type u) (n : Type v) (K : Type w) := m → n → K
namespace Matrix
instance [Add K] : Add (Matrix m n K) := ⟨fun a b i j => a i j + b i j⟩
instance [Sub K] : Sub (Matrix m n K) := ⟨fun a b i j => a i j - b i j⟩
instance [Neg K] : Neg (Matrix m n K) := ⟨fun a i j => -a i j⟩
instance [Zero K] : OfNat (Matrix m n K) 0 := ⟨fun _ _ => 0⟩
instance {l : Type u} {m : Type v} {n : Type w} {K : Type x} : HMul (Matrix l m K) (Matrix m n K) (Matrix l n K) :=
  ⟨Stub.binary (Matrix l m K) (Matrix m n K) (Matrix l n K) "*"⟩
def transpose (a : Matrix m n K) : Matrix n m K := fun i j => a j i
def trace {m : Type u} {K : Type v} (a : Matrix m m K) : K := Stub.unary (Matrix m m K) K "trace" a
def det {m : Type u} {K : Type v} (a : Matrix m m K) : K := Stub.unary (Matrix m m K) K "det" a
end Matrix
end
set_option autoImplicit false
