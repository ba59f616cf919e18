"""Certificates made of parts of true ones, edited, with the digest of what they now say; and whether one tells a lie.

A world is a theory that has models, with claims that are true and claims that are false in it.  Which are which was worked
out by hand, each false one with its countermodel; no part of the prover is asked.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from random import Random
from typing import Any

import msgspec

from kleis.core.canonical_bytes import digest_of
from kleis.elaborate.elaborator import Elaborator
from kleis.errors import KleisError
from kleis.prover.checker.format import Certificate
from kleis.prover.checker.kernel import Refusal, judge, parts_of
from kleis.prover.protocol.engine import declarations_of, with_lemmas
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.theory.theory import Theory
from tests.support.provers.changed_data import changed
from tests.support.provers.engine_proofs import ENGINE_WORLDS, World
from tests.support.provers.form_proofs import FORM_WORLDS
from tests.support.provers.number_proofs import NUMBER_WORLDS

__all__ = ["FORM_WORLDS", "WORLDS", "World", "attack", "attack_on", "digest", "proofs", "rules"]


def _asked(*given: str) -> dict[str, Any]:
    return {"steps": [{"proof": {"rule": "ask", "given": list(given)}}]}


_X: list[Any] = ["var", "x"]
_N: list[Any] = ["var", "n"]


def _natural(value: int) -> list[Any]:
    return ["number", str(value), "ℕ"]


_BY_ONE = {"name": "step", "proof": {"rule": "ask", "given": ["hypothesis 1"]}}
_OVER_NUMBERS = {
    "steps": [
        {
            "proof": {
                "rule": "induction",
                "on": "n",
                "by": 1,
                "cases": [{"name": "0", "proof": {"rule": "ask"}}, _BY_ONE],
            }
        }
    ]
}
_INTEGERS = {
    "steps": [
        {
            "proof": {
                "rule": "induction",
                "on": "x",
                "by": 1,
                "cases": [{"name": "low", "proof": {"rule": "ask"}}, _BY_ONE],
            }
        }
    ]
}
_IN_STEPS = {
    "steps": [
        {
            "proof": {"rule": "ask"},
            "shows": ["forall", [["n", "ℕ"]], ["=", _N, _N]],
        },
        {
            "proof": {
                "rule": "ask",
                "given": ["step 1"],
                "instances": [{"of": "step 1", "at": [_natural(3)]}],
            }
        },
    ]
}
_WITH_LEMMA = {
    "lemmas": [{"claim": "∀(n : ℕ). n ≥ 0", **_asked()}],
    **_asked("lemma 1"),
}
_COMPUTED = {"steps": [{"proof": {"rule": "evaluation"}}]}
_REGULAR = {"steps": [{"proof": {"rule": "regular languages"}}]}

_ARITHMETIC = World(
    "define twice(n : ℕ) : ℕ = n + n\n",
    (
        ("∀(n : ℕ). twice(n) ≥ n", _OVER_NUMBERS),
        ("∀(n : ℕ). n + 1 > n", _IN_STEPS),
        ("∀(n : ℕ). twice(n) = n + n", _WITH_LEMMA),
        ("∀(x : ℤ). x * x ≥ 0", _INTEGERS),
        ("twice(2) = 4", _COMPUTED),
        ("∀(p q : Bool). p ∧ q → p", _COMPUTED),
        ('∀(s : String). hasPrefix(s, "ab") → hasPrefix(s, "a")', _REGULAR),
    ),
    (
        "1 = 2",
        "twice(2) = 5",
        "∀(n : ℕ). twice(n) > n",
        "∀(n : ℕ). n = 5",
        "∀(n : ℕ). n < 1000003",
        "∀(x : ℤ). x = 5",
        "∀(x : ℤ). x ≥ 0",
        "∀(x : ℤ). x * x > 0",
        "∃(n : ℕ). n + 1 = 0",
        "∀(x y : ℤ). x = y",
        "∃(x : ℤ). ∀(y : ℤ). x ≥ y",
        "∀(x : ℤ). ∃(y : ℤ). y + y = x",
        "∀(p q : Bool). p → p ∧ q",
        '∀(s : String). hasPrefix(s, "a") → hasPrefix(s, "ab")',
        "∀(n : ℕ). 1 / n = 1 / n",
    ),
)

_SEMIGROUP = World(
    "structure S(G) { operation (•) : G → G → G\n"
    "  axiom associative : ∀(x y z : G). (x • y) • z = x • (y • z)\n"
    "  axiom idle : ∀(x : G). (x • x) • x = x }\n",
    (
        ("using S(G) ∀(x : G). x • (x • x) = x", _asked("S::associative", "S::idle")),
        ("using S(G) ∀(x y : G). (x • y) • y = x • (y • y)", _asked("S::associative")),
    ),
    (
        "using S(G) ∀(x y : G). x • y = y • x",
        "using S(G) ∀(x y : G). x = y",
        "using S(G) ∀(x : G). x • x = x",
        "using S(G) ∃(e : G). ∀(x : G). e • x = x",
        "using S(G) ∃(x y : G). ¬(x = y)",
    ),
)
"""Left projection is no commutative model; addition modulo 2 no idempotent one; one element is a model."""

_BOUNDED = World(
    "structure W { element w : ℤ\n  axiom light : w < 1 }\n",
    (("w < 2", _asked("W::light")),),
    ("w < 0", "w = 0", "w ≥ 0", "w = w + 1", "∀(x : ℤ). x < 1"),
)

_RECURSIVE = World(
    "@decreases(n)\ndefine even(n : ℕ) : Bool = if n = 0 then true else if n = 1 then false else even(n - 2)\n"
    "define len(l : List(ℤ)) : ℕ = match l { Nil => 0 | Cons(h, t) => 1 + len(t) }\n",
    (
        ("even(4)", _COMPUTED),
        ("∀(l : List(ℤ)). len(l) ≥ 0", _asked()),
        ("len([1, 2]) = 2", _COMPUTED),
    ),
    (
        "even(3)",
        "∀(n : ℕ). even(n)",
        "len([1]) = 2",
        "∀(l : List(ℤ)). len(l) = 0",
        "∀(l : List(ℤ)). len(l) < 3",
    ),
)

WORLDS: tuple[World, ...] = (
    _ARITHMETIC,
    _SEMIGROUP,
    _BOUNDED,
    _RECURSIVE,
    *ENGINE_WORLDS,
    *NUMBER_WORLDS,
    *FORM_WORLDS.values(),
)


def proofs() -> list[dict[str, Any]]:
    """The proofs of all true claims: the parts that forgeries are made of."""
    return [proof for world in WORLDS for _, proof in world.true]


@cache
def _witnesses() -> list[dict[str, Any]]:
    return [each for world in WORLDS for each in world.witnesses]


def attack(random: Random, worlds: Sequence[World] = WORLDS) -> tuple[str, str]:
    """One forgery in one of some worlds: what became of it, and, if it was accepted, the lie it tells or the empty text."""
    world = random.choice(worlds)
    if world.clash:
        return _judged(world, {**_witness(world, random), "part": world.clash}, "consistent", "a witness")
    if random.random() < 0.25:
        asked = random.choice([each for each, _ in world.true] or world.false)
        body = {**_witness(world, random), "claim": asked}
        return _judged(world, body, "disproved", "a witness")
    honest = bool(world.true) and random.random() < 0.2
    proof = random.choice([each for _, each in world.true] + list(world.others))
    claim = random.choice([each for each, _ in world.true] if honest else world.false)
    parts = [proof, random.choice(proofs())]
    kind = random.choice(("edited", "edited", "spliced", "as it is"))
    if kind != "as it is":
        parts = changed(parts, random, random.choice((1, 1, 2, 4)))
    whole = kind != "spliced" and parts and isinstance(parts[0], dict)
    body = dict(parts[0]) if whole else _spliced(parts, random)
    if random.random() < 0.1:
        body["assumed"] = random.choice((["M(ℤ)::a"], ["W::light"], ["CM::c"]))
    status = random.choice(("verified",) * 9 + ("inconsistent",))
    return _judged(world, {**body, "claim": claim}, status, kind)


@cache
def rules() -> dict[str, list[tuple[World, dict[str, Any]]]]:
    """The worlds and proofs in which each rule occurs."""
    found: dict[str, list[tuple[World, dict[str, Any]]]] = {}
    for world in WORLDS:
        for _, proof in world.true if world.false else ():
            for rule in sorted(set(_rules_in(proof))):
                found.setdefault(rule, []).append((world, proof))
    return found


def _rules_in(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        if isinstance(data.get("rule"), str):
            yield data["rule"]
        data = list(data.values())
    for each in data if isinstance(data, list | tuple) else ():
        yield from _rules_in(each)


def attack_on(rule: str, random: Random) -> tuple[str, str]:
    """One forgery from a proof in which a rule occurs: as `attack`."""
    world, proof = random.choice(rules()[rule])
    parts = changed([proof], random, random.choice((1, 1, 2, 4)))
    body = parts[0] if parts and isinstance(parts[0], dict) else proof
    return _judged(world, {**body, "claim": random.choice(world.false)}, "verified", rule)


def _witness(world: World, random: Random) -> dict[str, Any]:
    """A witness of this world or another, edited, or an assignment made up."""
    if random.random() < 0.2:
        return {"witness": _assignment(random)}
    own = world.witnesses and random.random() < 0.8
    found = random.choice(world.witnesses if own else _witnesses())
    edited = changed([found], random, random.choice((0, 1, 1, 2, 3)))
    return {"witness": edited[0] if edited else found}


def _judged(world: World, body: dict[str, Any], status: str, kind: str) -> tuple[str, str]:
    """What the checker says of a certificate that says this; and the lie, if it is one and accepted."""
    said = {**body, "version": 2, "status": status, "theory": world.theory, "goal": ""}
    claim = said.get("claim", "")
    try:
        given = [each["claim"] for each in said.get("lemmas", ())]
        said["goal"] = digest(world.theory, claim or said["part"], tuple(given), status)
        certificate = msgspec.json.decode(json.dumps(said).encode(), type=Certificate)
    except (KleisError, msgspec.ValidationError, TypeError, KeyError):
        return "unreadable", ""
    try:
        judge(certificate, ("z3",))
    except Refusal:
        return f"{kind}, refused", ""
    lies = {
        "verified": claim in world.false,
        "disproved": claim in {each for each, _ in world.true},
        "inconsistent": True,
        "consistent": True,
    }
    return "accepted", f"{status}: {json.dumps(said, ensure_ascii=False)}" if lies[status] else ""


def _spliced(parts: list[Any], random: Random) -> dict[str, Any]:
    """The lemmas and steps of two proofs in one."""
    usable = [each for each in parts if isinstance(each, dict)]
    joined: Counter[str] = Counter()
    body: dict[str, Any] = {}
    for each in usable:
        for name, part in each.items():
            if isinstance(part, list):
                body[name] = [*body.get(name, []), *part]
                joined[name] += 1
    for step in body.get("steps", [])[:-1]:
        if isinstance(step, dict) and "shows" not in step:
            step["shows"] = random.choice((["false"], ["true"], ["=", _natural(1), _natural(2)]))
    return body


def _assignment(random: Random) -> dict[str, Any]:
    names = random.choice(([], ["x"], ["n"], ["x", "y"], ["p", "q"], ["s"], ["l"]))
    values: tuple[Any, ...] = ("0", "-1", "7", "1/2", 3, True, False, "", "ab", [], ["1"])
    symbols = random.choice(([], [["w", random.choice(values)]]))
    chosen = [[each, random.choice(values)] for each in names]
    return {"kind": "assignment", "variables": chosen, "symbols": symbols}


@cache
def digest(theory: str, claim: str, lemmas: tuple[str, ...], status: str) -> str:
    """The digest that a forger would write; of a part, if the status is ``consistent``."""
    elaborator = Elaborator(Theory().include(parse_program(theory)))
    if status == "consistent":
        return digest_of(declarations_of(dict(parts_of(elaborator))[claim]))
    goal = elaborator.proposition(parse_expression(claim))
    if status == "inconsistent":
        goal = declarations_of(goal)
    task = with_lemmas(goal, [elaborator.proposition(parse_expression(each)) for each in lemmas])
    return digest_of(task.goal, task.lemmas)
