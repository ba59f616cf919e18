"""Theories with proofs and witnesses that the engines leave, as they stand in certificates: what forgeries are made of.

Completion's chains of equations, finite models, interpretations, rewrite systems, structural inductions, models beside a
proof, and grounds of an implementation.  Which claims hold was worked out by hand, each false one with its countermodel.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

__all__ = ["ENGINE_WORLDS", "World"]


class World(msgspec.Struct, frozen=True):
    """A theory with claims that follow from it, their proofs as JSON values, and claims that do not follow.

    others
        Proofs of other claims, or in other theories, that are tried on the false claims too.
    witnesses
        What shows false claims false, as JSON values.
    clash
        A structure whose axioms clash, if there is one.
    """

    theory: str
    true: tuple[tuple[str, dict[str, Any]], ...]
    false: tuple[str, ...]
    others: tuple[dict[str, Any], ...] = ()
    witnesses: tuple[dict[str, Any], ...] = ()
    clash: str = ""


def _chain(given: list[str], variables: str, links: str, model: str = "") -> dict[str, Any]:
    """A proof by rewriting, of one refutation, with a model of its axioms."""
    proof = {
        "rule": "rewriting",
        "given": given,
        "variables": json.loads(variables),
        "refutations": [{"links": json.loads(links)}],
    }
    return {"steps": [{"proof": proof}], **({"model": json.loads(model)} if model else {})}


_ASK: dict[str, Any] = {"rule": "ask"}


def _structural(variable: str, first: str, second: str) -> dict[str, Any]:
    step = {**_ASK, "given": ["hypothesis 1"]}
    cases = [{"name": first, "proof": _ASK}, {"name": second, "proof": step}]
    return {"steps": [{"proof": {"rule": "induction", "on": variable, "cases": cases}}]}


_INVERSE = World(
    "structure Pf(A) { operation f : A → A\n  operation g : A → A\n  axiom fg : ∀(x : A). f(g(x)) = x }\n",
    (
        (
            "using Pf(A) ∀(x : A). f(g(f(g(x)))) = x",
            _chain(
                ["Pf::fg"],
                '[["x0", "A"]]',
                '[{"start": "x0", "left": [[-1, [], []]]}, {"start": ["true"], "left": [[-3, [], ["x0"]]]},'
                ' {"start": ["false"], "left": [[-2, [], []], [4, [1], []], [4, [1], []], [5, [], []]]}]',
                '{"kind": "tables", "carriers": [["A", 1]], "tables": [["f : A → A", [0]], ["g : A → A", [0]]]}',
            ),
        ),
    ),
    (
        "using Pf(A) ∀(x : A). g(f(x)) = x",
        "using Pf(A) ∀(x y : A). x = y",
        "using Pf(A) ∀(x : A). f(x) = x",
        "using Pf(A) ∀(x y : A). f(x) = f(y) → x = y",
    ),
    witnesses=(
        {
            "kind": "tables",
            "carriers": [["A", 2]],
            "tables": [["f : A → A", [1, 0]], ["g : A → A", [1, 0]]],
            "point": [["x", [0]], ["y", [1]]],
        },
        {
            "kind": "rewriting",
            "precedence": ["true", "false", "?x", "f", "g", "= A"],
            "variables": [["x0", "A"]],
            "equations": [[["f", ["g", "x0"]], "x0", True], [["= A", "x0", "x0"], ["true"], True]],
            "normal_forms": [[["g", ["f", ["?x"]]], ["?x"]]],
        },
    ),
)
"""On the natural numbers with g = n + 1 and f = max(n − 1, 0) all of these are false."""

_CANCELLING = World(
    "structure CM(A) { operation s : A → A → A\n  element o : A\n"
    "  axiom c : ∀(x y : A). s(x, y) = s(y, x)\n  axiom u : ∀(x : A). s(o, x) = x }\n",
    (
        (
            "using CM(A) ∀(x : A). s(x, o) = x",
            _chain(
                ["CM::c", "CM::u"],
                '[["x0", "A"], ["x1", "A"]]',
                '[{"start": ["s", "x0", "x1"], "right": [[1, [], []]]}, {"start": "x0", "left": [[-2, [], []]]},'
                ' {"start": ["true"], "left": [[-4, [], ["x0"]]]}, {"start": ["false"],'
                ' "left": [[-3, [], []], [-5, [1], []], [6, [1], []], [7, [], []]]}]',
                '{"kind": "tables", "carriers": [["A", 1]],'
                ' "tables": [["o :  → A", [0]], ["s : A × A → A", [0]]]}',
            ),
        ),
    ),
    (
        "using CM(A) ∀(x : A). s(x, x) = x",
        "using CM(A) ∀(x : A). x = o",
        "using CM(A) ∀(x : A). ∃(y : A). s(x, y) = o",
    ),
    witnesses=(
        {
            "kind": "interpretation",
            "carriers": [["A", "ℕ"]],
            "symbols": [
                ["o :  → A", ["number", "0", "ℕ"]],
                ["s : A × A → A", ["built-in", "plus", "ℕ", ["var", "x0"], ["var", "x1"]]],
            ],
        },
    ),
)
"""All three are false of addition of natural numbers."""

_TREES = World(
    "data Tree = Leaf | Node(left : Tree, value : ℤ)\n"
    "define size(t : Tree) : ℤ = match t { Leaf => 0 | Node(l, _) => size(l) + 1 }\n",
    (("∀(t : Tree). size(t) ≥ 0", _structural("t", "Leaf", "Node")),),
    (
        "∀(t : Tree). size(t) = 0",
        "∀(t : Tree). size(t) ≤ 2",
        "∀(t : Tree). t = Leaf",
        "∃(t : Tree). size(t) < 0",
    ),
    witnesses=({"kind": "assignment", "variables": [["t", ["Node", ["Leaf"], "1"]]]},),
)

_BOUNDED = World(
    "structure W { element w : ℤ\n  axiom light : w < 1 }\n",
    (
        (
            "w < 2",
            {
                "steps": [{"proof": {**_ASK, "given": ["W::light"]}}],
                "model": {"kind": "interpretation", "symbols": [["w :  → ℤ", ["number", "0", "ℤ"]]]},
            },
        ),
    ),
    ("w < 0", "w = 0", "w ≥ 0", "∀(x : ℤ). x < 1"),
    witnesses=({"kind": "assignment", "symbols": [["w :  → ℤ", "0"]]},),
)

_FLIP = (
    "structure M(T) { operation op : T → T\n  axiom a : ∀(x : T). op(op(x)) = x }\n"
    "implements M(ℤ) { operation op = flip }\n"
)
_BY_THE_AXIOM: dict[str, Any] = {
    "steps": [{"proof": {**_ASK, "given": ["M(ℤ)::a"]}}],
    "grounds": [{"name": "M(ℤ)::a", "steps": [{"proof": _ASK}]}],
}
_IMPLEMENTED = World(
    _FLIP + "define flip(x : ℤ) : ℤ = 0 - x\n",
    (("op(op(1)) = 1", _BY_THE_AXIOM), ("∀(x : ℤ). op(op(x)) = x", _BY_THE_AXIOM)),
    ("op(1) = 1", "∀(x : ℤ). op(x) = x", "∀(x y : ℤ). op(x) = op(y)"),
    witnesses=({"kind": "assignment"}, {"kind": "assignment", "variables": [["x", "1"]]}),
)
_ASSUMED: dict[str, Any] = {"steps": [{"proof": {**_ASK, "given": ["M(ℤ)::a"]}}], "assumed": ["M(ℤ)::a"]}


def _edited(world: World, old: str, new: str, *, lost: tuple[str, ...]) -> World:
    """A world whose theory was edited; its proofs are tried on the claims that are lost with that."""
    assert old in world.theory
    kept = tuple(each for each in world.true if each[0] not in lost)
    proofs = tuple(proof for _, proof in world.true)
    return msgspec.structs.replace(
        world, theory=world.theory.replace(old, new), true=kept, false=lost, others=proofs
    )


_EDITED = (
    _edited(_INVERSE, "f(g(x)) = x", "f(g(x)) = f(x)", lost=tuple(claim for claim, _ in _INVERSE.true)),
    _edited(_CANCELLING, "s(o, x) = x", "s(o, x) = o", lost=tuple(claim for claim, _ in _CANCELLING.true)),
    _edited(_TREES, "size(l) + 1", "size(l) - 1", lost=tuple(claim for claim, _ in _TREES.true)),
    _edited(_BOUNDED, "w < 1", "w < 3", lost=("w < 2",)),
    _edited(_IMPLEMENTED, "0 - x", "x - 1", lost=tuple(claim for claim, _ in _IMPLEMENTED.true)),
)
"""Constant f; the operation that is always o; sizes below 0; w = 2; and a step down instead of a change of sign."""

_CLASHING = World(
    "structure C(A) { element a : A\n  element b : A\n"
    "  axiom one : ∀(x y : A). x = y\n  axiom two : a ≠ b }\n",
    (),
    (),
    witnesses=(
        {"kind": "tables", "carriers": [["A", 2]], "tables": [["a :  → A", [0]], ["b :  → A", [1]]]},
        {"kind": "tables", "carriers": [["A", 1]], "tables": [["a :  → A", [0]], ["b :  → A", [0]]]},
        {
            "kind": "interpretation",
            "carriers": [["A", "ℕ"]],
            "symbols": [["a :  → A", ["number", "0", "ℕ"]], ["b :  → A", ["number", "1", "ℕ"]]],
        },
    ),
    clash="C",
)

ENGINE_WORLDS: tuple[World, ...] = (
    _INVERSE,
    _CANCELLING,
    _TREES,
    _BOUNDED,
    _IMPLEMENTED,
    *_EDITED,
    _CLASHING,
)
