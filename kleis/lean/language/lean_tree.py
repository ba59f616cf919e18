"""The subset of Lean 4 that is emitted, as trees.

`lean_printer` writes a tree, `lean_parser` reads it back: ``parse_file(print_file(tree)) == tree`` for every tree that
the export makes.

Invariants
    * A name is spelled as in the file: «end», ``Group.op``.
    * Operators are those of `OPERATORS`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias, get_args

import msgspec

__all__ = [
    "CLOSING",
    "OPERATORS",
    "Anonymous",
    "Arm",
    "Bind",
    "Binder",
    "By",
    "Calc",
    "Call",
    "Cases",
    "Class",
    "Close",
    "Closing",
    "Command",
    "Constructor",
    "Decrease",
    "Def",
    "Doc",
    "End",
    "Evaluate",
    "Exact",
    "Explicit",
    "Field",
    "Have",
    "If",
    "Import",
    "Induction",
    "InductionCase",
    "Inductive",
    "Infix",
    "Intro",
    "LetIn",
    "ListLiteral",
    "Match",
    "Model",
    "ModelField",
    "Mutual",
    "Name",
    "Named",
    "Namespace",
    "Notation",
    "Number",
    "Option",
    "Prefix",
    "Simplify",
    "Suppose",
    "Tactic",
    "Term",
    "Text",
    "Theorem",
    "Tuple",
    "Typed",
    "Universes",
    "walk",
]


class Node(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="lean"):
    """The base of all nodes."""


def walk(root: Node) -> Iterator[Node]:
    """A node and everything below it, in no particular order."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        for field in node.__struct_fields__:
            value = getattr(node, field)
            parts = value if isinstance(value, tuple) else (value,)
            for part in parts:  # a step of a calculation is a pair
                waiting.extend(
                    each for each in (part if isinstance(part, tuple) else (part,)) if isinstance(each, Node)
                )


# ── Terms and types ──────────────────────────────────────────────────────────────────────────────────────────

OPERATORS: dict[str, tuple[int, Literal["left", "right", "none"]]] = {
    "↔": (20, "none"),
    "→": (25, "right"),
    "∨": (30, "right"),
    "||": (30, "left"),
    "∧": (35, "right"),
    "×": (35, "right"),
    "&&": (35, "left"),
    **dict.fromkeys(("=", "≠", "<", "≤", ">", "≥", "∈", "⊆", "∣"), (50, "none")),
    **dict.fromkeys(("+", "-"), (65, "left")),
    "++": (66, "none"),
    "∪": (66, "none"),
    "::": (67, "right"),
    **dict.fromkeys(("*", "/", "%"), (70, "left")),
    **dict.fromkeys(("∩", "\\"), (71, "none")),
    "^": (75, "none"),
}
"""Infix operators: how tightly they bind, and how they chain.  Where Lean chains more, brackets are written."""


class Name(Node, frozen=True):
    """A name, possibly dotted; ``_`` as a pattern."""

    text: str


class Number(Node, frozen=True):
    """A numeral."""

    value: int


class Text(Node, frozen=True):
    """A string literal."""

    value: str


class Explicit(Node, frozen=True):
    """``@f``: all arguments are given."""

    name: str


class Named(Node, frozen=True):
    """``(A := t)`` among the arguments of a call."""

    name: str
    value: Term


class Call(Node, frozen=True):
    """An application to one or more arguments."""

    function: Term
    arguments: tuple[Term, ...]


class Infix(Node, frozen=True):
    """Two operands with an operator of `OPERATORS` between them."""

    operator: str
    left: Term
    right: Term


class Prefix(Node, frozen=True):
    """``¬ p``, ``-t`` or ``!b``."""

    operator: Literal["¬", "-", "!"]
    operand: Term


class Binder(Node, frozen=True):
    """``(x y : T)``, ``{x : T}`` or ``[T]`` (which has no names)."""

    names: tuple[str, ...]
    type: Term
    style: Literal["explicit", "implicit", "instance"] = "explicit"


class Bind(Node, frozen=True):
    """``∀ x : T, φ``, ``∃ x : T, φ`` or ``fun (x : T) => t``."""

    kind: Literal["∀", "∃", "fun"]
    binders: tuple[Binder, ...]
    body: Term


class If(Node, frozen=True):
    """``if c then a else b``, with a name for the condition where one is given."""

    condition: Term
    yes: Term
    no: Term
    hypothesis: str = ""


class Arm(Node, frozen=True):
    """One case of a match."""

    pattern: Term
    body: Term


class Match(Node, frozen=True):
    """``match t with | p => e …``."""

    subject: Term
    arms: tuple[Arm, ...]


class LetIn(Node, frozen=True):
    """``let x : T := v; body``."""

    name: str
    type: Term
    value: Term
    body: Term


class Typed(Node, frozen=True):
    """``(t : T)``."""

    term: Term
    type: Term


class Tuple(Node, frozen=True):
    """``(a, b)``: two or more."""

    items: tuple[Term, ...]


class ListLiteral(Node, frozen=True):
    """``[a, b]``."""

    items: tuple[Term, ...]


class Anonymous(Node, frozen=True):
    """``⟨a, b⟩``: a value of a structure, a conjunction or an existential."""

    items: tuple[Term, ...]


class By(Node, frozen=True):
    """``(by decide)``."""

    tactic: Close


Term: TypeAlias = (
    By
    | Name
    | Number
    | Text
    | Explicit
    | Named
    | Call
    | Infix
    | Prefix
    | Bind
    | If
    | Match
    | LetIn
    | Typed
    | Tuple
    | ListLiteral
    | Anonymous
)


# ── Tactics ──────────────────────────────────────────────────────────────────────────────────────────────────


Closing: TypeAlias = Literal[
    "sorry", "decide", "decide +kernel", "rfl", "omega", "norm_num", "grind", "linarith", "ring"
]

CLOSING: tuple[Closing, ...] = get_args(Closing)
"""Tactics that close a goal.  ``decide +kernel`` lets the kernel compute, which unfolds every definition."""


class Close(Node, frozen=True):
    """A tactic without arguments, one of `CLOSING`; ``all_goals`` before it."""

    name: Closing
    all_goals: bool = False


class Intro(Node, frozen=True):
    """``intro x y``."""

    names: tuple[str, ...]


class Exact(Node, frozen=True):
    """``exact t``."""

    term: Term


class Cases(Node, frozen=True):
    """``cases x <;> cases y <;> decide``."""

    names: tuple[str, ...]
    then: Close


class Decrease(Node, frozen=True):
    """That a measure decreases where ``omega`` alone does not see it.

    kind
        ``remainder``: some measure becomes a remainder.  ``filtered``: a list loses its head and is filtered.
        ``lengths``: by equations about lengths, which are given.
    """

    kind: Literal["remainder", "filtered", "lengths"]
    lemmas: tuple[Name, ...] = ()


class Simplify(Node, frozen=True):
    """``simp only [f, h]``; `then` closes what is left, if anything is: ``<;> omega``."""

    lemmas: tuple[Term, ...]
    then: Close | None = None


class Evaluate(Node, frozen=True):
    """``simp [↓forall_prop_of_false, f, g]``: computes with the equations of definitions.

    The first lemma drops what follows from a condition that is false, before it is unfolded for ever.
    """

    lemmas: tuple[Name, ...]


class Have(Node, frozen=True):
    """``have h : φ := by`` and tactics; without a statement ``have h := t``, of a proof that is one `Exact`."""

    name: str
    statement: Term | None
    proof: tuple[Tactic, ...]


class Suppose(Node, frozen=True):
    """``refine Classical.byContradiction (fun h => ?_)``: that what is claimed does not hold."""

    name: str


class Calc(Node, frozen=True):
    """``calc a`` and a line ``_ = b := t`` for every step."""

    start: Term
    steps: tuple[tuple[Term, Term], ...]


class InductionCase(Node, frozen=True):
    """``| c x ih =>`` and tactics."""

    constructor: str
    names: tuple[str, ...]
    proof: tuple[Tactic, ...]


class Induction(Node, frozen=True):
    """``induction x with`` and cases; hypotheses are about all values of what is `generalizing`."""

    on: str
    cases: tuple[InductionCase, ...]
    generalizing: tuple[str, ...] = ()


Tactic: TypeAlias = (
    Close | Intro | Exact | Cases | Decrease | Simplify | Evaluate | Have | Suppose | Calc | Induction
)


# ── Commands ─────────────────────────────────────────────────────────────────────────────────────────────────


class Import(Node, frozen=True):
    """``import M``."""

    module: str


class Option(Node, frozen=True):
    """``set_option o v``."""

    name: str
    value: str


class Notation(Node, frozen=True):
    """``local notation "S" => N``."""

    symbol: str
    name: str


class Namespace(Node, frozen=True):
    """``namespace N``."""

    name: str


class End(Node, frozen=True):
    """``end N``."""

    name: str


class Universes(Node, frozen=True):
    """``universe u v``."""

    names: tuple[str, ...]


class Doc(Node, frozen=True):
    """``/-! … -/``: a remark that stands by itself."""

    text: str


class Field(Node, frozen=True):
    """A field of a class or structure."""

    name: str
    type: Term


class Class(Node, frozen=True):
    """``class C (α : Type u) extends D α where`` and fields; ``structure`` where `keyword` says so."""

    name: str
    parameters: tuple[Binder, ...]
    parents: tuple[Term, ...]
    fields: tuple[Field, ...]
    keyword: Literal["class", "structure"] = "class"
    classical: bool = False
    doc: str = ""


class Constructor(Node, frozen=True):
    """``| c (x : T) : D α``; `result` is always written."""

    name: str
    fields: tuple[Binder, ...]
    result: Term


class Inductive(Node, frozen=True):
    """``inductive D (α : Type u) where`` and constructors."""

    name: str
    parameters: tuple[Binder, ...]
    constructors: tuple[Constructor, ...]
    deriving: tuple[str, ...] = ()
    doc: str = ""


class Def(Node, frozen=True):
    """``def f (x : A) : B := e``.

    `classical` puts ``open Classical in`` before it, `measures` are its ``termination_by``, `decreasing` the tactics
    after ``decreasing_by``.
    """

    name: str
    binders: tuple[Binder, ...]
    type: Term
    body: Term
    noncomputable: bool = False
    abbreviation: bool = False
    classical: bool = False
    measures: tuple[Term, ...] = ()
    decreasing: tuple[Tactic, ...] = ()
    doc: str = ""


class ModelField(Node, frozen=True):
    """``f := t``, or ``ax := by …``."""

    name: str
    value: Term | None
    proof: tuple[Tactic, ...] = ()


class Model(Node, frozen=True):
    """``def m : C (Fin 2) where`` and a value for every field."""

    name: str
    type: Term
    fields: tuple[ModelField, ...]
    doc: str = ""


class Theorem(Node, frozen=True):
    """``theorem t (x : A) : φ := by`` and tactics."""

    name: str
    binders: tuple[Binder, ...]
    statement: Term
    proof: tuple[Tactic, ...]
    classical: bool = False
    doc: str = ""


class Mutual(Node, frozen=True):
    """``mutual`` … ``end``."""

    members: tuple[Inductive | Def, ...]


Command: TypeAlias = (
    Import
    | Option
    | Notation
    | Namespace
    | End
    | Universes
    | Doc
    | Class
    | Inductive
    | Def
    | Model
    | Theorem
    | Mutual
)
