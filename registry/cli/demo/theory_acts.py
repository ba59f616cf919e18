"""The acts of `pif demo` in which the two languages meet: conjectures of an agent's own, synthesis by counterexample, and
laws that a new version of a tool must keep.

Specification: issue 7, items 5 to 7.
"""

from __future__ import annotations

from typing import Any

from registry.cli.demo_calls import Act, Call

__all__ = ["CONJECTURES", "LAWS", "SYNTHESIS"]

Json = Any


def _var(name: str) -> Json:
    return {"var": name}


_MADE = {"snd": {"snd": _var("p")}}
_COMMUTES = {
    "quote": {
        "eq": [
            {"app": [_var("⊙"), _var("x"), {"unquote": _MADE}]},
            {"app": [_var("⊙"), {"unquote": _MADE}, _var("x")]},
        ]
    }
}
_TERMS = {
    "app": [
        "std.conjecture_terms",
        {
            "record": {
                "operations": [
                    {"record": {"name": "⊙", "arity": 2}},
                    {"record": {"name": "back", "arity": 1}},
                    {"record": {"name": "u", "arity": 0}},
                ],
                "variables": ["x", "y"],
                "used": 1,
                "size": {"snd": _var("p")},
                "applied": {"quote": None},
                "arity": 0,
            }
        },
    ]
}
_GENERATOR = {
    "lam": "input",
    "body": {
        "fold": [
            {
                "lam": "p",
                "body": {
                    "fold": [
                        {"lam": "p", "body": {"cons": {"head": _COMMUTES, "tail": {"fst": _var("p")}}}},
                        {"fst": _var("p")},
                        _TERMS,
                    ]
                },
            },
            {"nil": True},
            {"range": [1, {"add": [{"get": [_var("input"), "size"]}, 1]}]},
        ]
    },
}

CONJECTURES = Act(
    "Conjectures of one's own: what commutes with x?",
    (
        Call(
            "evolve",
            {
                "name": "commuting",
                "description": "Candidate laws: x commutes with each small term",
                "code": _GENERATOR,
            },
            {"type": "tool", "name": "commuting", "version": 1},
            "a generator of propositions, as data",
        ),
        Call(
            "explore",
            {"structure": "Symmetries", "generator": "commuting", "size": 3},
            {
                "type": "exploration",
                "complete": True,
                "undecided": [],
                "counts": {"proved": 7, "follows": 2, "refuted": 8},
            },
            "proved, or refuted in a model",
        ),
        Call(
            "explore",
            {"structure": "Symmetries", "size": 3},
            {"type": "exploration", "complete": True, "undecided": [], "candidates": 92},
            "all equations between terms of at most three symbols",
        ),
    ),
)
"""An agent's generator on a structure of its own, then the library's."""

_R, _X, _Y = _var("result"), _var("x"), _var("y")
_SPECIFICATION = {
    "and": [
        {"and": [{"gte": [_R, _X]}, {"gte": [_R, _Y]}]},
        {"or": [{"eq": [_R, _X]}, {"eq": [_R, _Y]}]},
    ]
}
_SYNTHESIS = {
    "app": [
        "std.synthesize",
        {
            "record": {
                "variables": [{"record": {"name": name, "type": "ℤ"}} for name in "xy"],
                "specification": {"quote": _SPECIFICATION},
                "candidates": {
                    "app": [
                        "std.synthesis_candidates",
                        {"record": {"leaves": [{"quote": leaf} for leaf in (_X, _Y, 0, 1)]}},
                    ]
                },
            }
        },
    ]
}

SYNTHESIS = Act(
    "Synthesis by counterexample, inside one run",
    (
        Call(
            "run",
            {"code": _SYNTHESIS, "session": "default", "fuel": 1_000_000},
            {
                "type": "value",
                "value": {
                    "verdict": "verified",
                    "term": {"if": {"cond": {"lte": [_X, _Y]}, "then": _Y, "else": _X}},
                },
            },
            "the greater of two numbers: proposed, disproved, refined, proved",
        ),
    ),
)
"""The library's tool, on a specification of a maximum."""


def _chosen(then: Json, other: Json) -> Json:
    cond = {"lte": [_X, _Y]}
    return {"lam": "x", "body": {"lam": "y", "body": {"if": {"cond": cond, "then": then, "else": other}}}}


_BOUND = "∀(x y : ℤ). larger(x, y) ≥ x ∧ larger(x, y) ≥ y"
_SWAPPED = "∀(x y : ℤ). larger(x, y) = larger(y, x)"
_LARGER = {"name": "larger", "description": "The larger of two numbers"}

LAWS = Act(
    "Laws of a tool are proved, and a new version must keep them",
    (
        Call(
            "evolve",
            {**_LARGER, "code": _chosen(_Y, _X), "laws": [_BOUND, _SWAPPED]},
            {"type": "tool", "version": 1, "laws": [{"status": "proved"}, {"status": "proved"}]},
            "what the synthesis found, with two laws and a certificate for each",
        ),
        Call(
            "evolve",
            {**_LARGER, "code": _chosen(_X, _Y)},
            {
                "type": "error",
                "error": {"kind": "law_disproved", "counterexample": {"input": {"x": 0, "y": 1}}},
            },
            "a wrong version: refused, with a run that shows it",
        ),
        Call(
            "explore",
            {"tools": ["larger"], "size": 3, "variables": 2},
            {"type": "exploration", "complete": True, "undecided": []},
            "the laws that nobody asked for",
        ),
    ),
)
"""A tool with proved laws, a version that breaks one, and the laws that `explore` finds."""
