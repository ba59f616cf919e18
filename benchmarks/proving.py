"""The prover against the bare solver, and the cost of its checks.

Figures are medians of one run.

    python -m benchmarks --only proving

The same queries go to Z3 directly: terms built with its Python interface, one check, the model read. Ours begin with the
text of a program and end with the answer of a warm worker: values of the counterexample, or the core of axioms. Both
solve on one thread.
"""

from __future__ import annotations

import importlib
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import msgspec

from benchmarks.timing import alternating
from kleis.elaborate.elaborator import Elaborator
from kleis.prover.certificates.build import Question, build
from kleis.prover.certificates.check import check
from kleis.prover.checker.strict_reading import to_json
from kleis.prover.portfolio import PRELOAD
from kleis.prover.process.broker import Broker
from kleis.prover.protocol.engine import Task
from kleis.prover.protocol.verdict import Verdict
from kleis.prover.prover import Prover
from kleis.syntax.parser.parser import parse_expression, parse_program, parse_type
from kleis.syntax.tree import Declaration
from kleis.theory.theory import Theory

__all__ = ["LIMITS", "measure"]

_DIRECT = "kleis.prover.engines.solvers.script_engines:DIRECT"
_STEPS = 200_000_000
_HARD = 0.2
"""Seconds by hand from which a query counts as hard."""

_QUESTIONS = 40

_LEFT_GROUP = """
structure LeftGroup(G) {
  operation m : G → G → G
  element e : G
  operation i : G → G
  axiom assoc : ∀(x y z : G). m(m(x, y), z) = m(x, m(y, z))
  axiom left_identity : ∀(x : G). m(e, x) = x
  axiom left_inverse : ∀(x : G). m(i(x), x) = e
}
"""

_FIRST = {
    "right inverse": ("∀(x : G). m(x, i(x)) = e", "verified"),
    "right identity": ("∀(x : G). m(x, e) = x", "verified"),
    "a group need not commute": ("∀(x y : G). m(x, y) = m(y, x)", "disproved"),
}


class _Query(msgspec.Struct, frozen=True):
    """A question in Kleis, and the same one in Z3's Python interface, in a context: what has to be unsatisfiable."""

    claim: str
    by_hand: Callable[[Any, Any], list[Any]]
    outcome: str


def measure() -> dict[str, float]:
    """Medians; the unit is part of each name."""
    return {**_overhead(), **_first_questions(), **_checks(), **_rechecks(), **_batch(), **_growing()}


# ── beside Z3 alone ──────────────────────────────────────────────────────────────────────────────────────────


def _pigeons(count: int, prefix: str = "p") -> _Query:
    """So many integers between 1 and one less are not all different."""
    names = [f"{prefix}{place}" for place in range(count)]
    pairs = [(left, right) for place, left in enumerate(names) for right in names[place + 1 :]]
    within = " ∧ ".join(f"{name} ≥ 1 ∧ {name} < {count}" for name in names)
    equal = " ∨ ".join(f"{left} = {right}" for left, right in pairs)

    def by_hand(z3: Any, context: Any) -> list[Any]:
        known = {name: z3.Int(name, context) for name in names}
        bounds = [bound for each in known.values() for bound in (each >= 1, each < count)]
        return [*bounds, *(known[left] != known[right] for left, right in pairs)]

    return _Query(f"∀({' '.join(names)} : ℤ). ({within}) → ({equal})", by_hand, "proved")


def _product(left: int, right: int) -> _Query:
    """A product of two primes has divisors."""
    number = left * right

    def by_hand(z3: Any, context: Any) -> list[Any]:
        x, y = z3.Ints("x y", context)
        return [x > 1, y >= x, y < number, x * y == number]

    return _Query(f"∀(x y : ℤ). (x > 1 ∧ y ≥ x ∧ y < {number}) → x * y ≠ {number}", by_hand, "refuted")


def _linear(z3: Any, context: Any) -> list[Any]:
    x, y = z3.Ints("x y", context)
    return [x > y, x + 1 <= y + 1]


def _point(z3: Any, context: Any) -> list[Any]:
    return [z3.Int("x", context) == 42]


def _square(z3: Any, context: Any) -> list[Any]:
    x = z3.Real("x", context)
    return [x * x < 0]


_TRIVIAL = (
    _Query("∀(x y : ℤ). x > y → x + 1 > y + 1", _linear, "proved"),
    _Query("∀(x : ℤ). x ≠ 42", _point, "refuted"),
    _Query("∀(x : ℝ). x * x ≥ 0.0", _square, "proved"),
)


def _overhead() -> dict[str, float]:
    hard = {"pigeonhole": _pigeons(8), "divisors": _product(211, 223)}
    rows: dict[str, float] = {}
    ratios, extra = [], []
    with Broker() as broker:
        for name, query in hard.items():
            times = _side_by_side(broker, query, 3.0, hard=True)
            rows[f"{name}: by hand (ms)"] = times["by hand"] * 1000
            rows[f"{name}: ours / z3py (times)"] = ratio = times["ours"] / times["by hand"]
            if times["by hand"] >= _HARD:
                ratios.append(ratio)
        for query in _TRIVIAL:
            times = _side_by_side(broker, query, 1.0, hard=False)
            extra.append((times["ours"] - times["by hand"]) * 1000)
    if not ratios:
        raise ValueError("no query is hard on this machine: take more pigeons")
    return {
        **rows,
        "hard queries: ours / z3py, most (times)": max(ratios),
        "trivial queries: extra, most (ms)": max(extra),
    }


def _side_by_side(broker: Broker, query: _Query, seconds: float, *, hard: bool) -> dict[str, float]:
    z3 = importlib.import_module("z3")
    kept = z3.Context()

    def by_hand() -> None:
        # What earlier runs have left in a context changes how long a hard query takes, from 0.4 to 26 s.
        context = z3.Context() if hard else kept
        solver = z3.Solver(ctx=context)
        solver.add(*query.by_hand(z3, context))
        if str(solver.check()) == "sat":
            model = solver.model()
            str([(each, model[each]) for each in model])

    def ours() -> None:
        elaborator = Elaborator(Theory().include(parse_program("")))
        meaning = elaborator.proposition(parse_expression(query.claim))
        _, future = broker.submit(_DIRECT, Task(meaning), _STEPS, preload=PRELOAD)
        found = future.result()
        if found.outcome != query.outcome:
            raise ValueError(f"{query.claim} is {found.outcome}: {found.detail}")

    return alternating({"by hand": by_hand, "ours": ours}, seconds=seconds)


# ── the first questions, and what checks cost ────────────────────────────────────────────────────────────────


def _first_questions() -> dict[str, float]:
    """Each question by a prover without cached verdicts, in a warm worker."""
    theory = Theory().include(parse_program(_LEFT_GROUP))
    rows = {}
    with Broker() as broker:
        _ask(Prover(theory, broker=broker, cvc5=False), "e = e", "verified")
        for name, (claim, expected) in _FIRST.items():
            rounds = [
                _seconds(partial(_ask, Prover(theory, broker=broker, cvc5=False), claim, expected))
                for _ in range(3)
            ]
            rows[f"{name} (s)"] = statistics.median(rounds)
    return rows


def _checks() -> dict[str, float]:
    """A prover tries the axioms alone once: what its first answer takes longer than its second.

    A certificate is checked once before it is given; checking it again is measured apart.
    """
    theory = Theory().include(parse_program(_LEFT_GROUP))
    claim, expected = _FIRST["right identity"]
    consistency, making, checking = [], [], []
    with Broker() as broker:
        for _ in range(3):
            prover = Prover(theory, broker=broker, cvc5=False)
            first = _seconds(partial(_ask, prover, claim, expected))
            consistency.append(first - _seconds(partial(_ask, prover, claim, expected)))
            verdict = _ask(prover, claim, expected)
            begun = time.perf_counter()
            certificate = build(broker, theory, Question(claim, "LeftGroup"), verdict, order=prover.order)
            making.append(time.perf_counter() - begun)
            checking.append(_seconds(partial(check, to_json(certificate), broker)))
    return {
        "consistency check (ms)": statistics.median(consistency) * 1000,
        "certificate, made and checked (ms)": statistics.median(making) * 1000,
        "certificate, checked again (ms)": statistics.median(checking) * 1000,
    }


_BY_ENGINE = {
    "completion": ("", "∀(x : G). m(x, i(x)) = e", "verified"),
    "constructions": ("", "∀(x y : G). m(x, y) = m(y, x)", "disproved"),
    "finite models": (
        "structure Undone(Q) { operation t : Q → Q → Q\n axiom undo : ∀(x y : Q). t(t(x, y), y) = x }\n",
        "∀(x y : Q). t(x, t(x, y)) = y",
        "disproved",
    ),
    "z3": ("", "∀(x y : ℝ). x * x + y * y ≥ 2 * x * y", "verified"),
    "induction": (
        "define total(l : List(ℤ)) : ℤ = match l { Nil => 0 | Cons(h, t) => h + total(t) }\n",
        "∀(l m : List(ℤ)). total(append(l, m)) = total(l) + total(m)",
        "verified",
    ),
    "evaluation": ("", "∀(x y : ℤ). 0 ≤ x ∧ x < 30 ∧ 0 ≤ y ∧ y < 30 → x * y ≤ 900", "verified"),
    "enumeration": ("", "∀(x y : ℤ). x * y ≠ 42", "disproved"),
    "regular languages": (
        "",
        '∀(s : String). hasPrefix(s, "ab") ∧ hasSuffix(s, "ba") → ¬hasPrefix(s, "ba")',
        "verified",
    ),
    "remainders": ("", "∀(x y z : ℤ). x * x + y * y ≠ 4 * z + 3", "verified"),
    "residues": (
        "structure Two { element c : ℤ  axiom two : mod(c, 3) = 2 }\n",
        "∀(x : ℤ). x * x ≠ 3 * x + c",
        "verified",
    ),
}
"""A question for each engine that decides it: declarations, claim, verdict."""

LIMITS = {
    "hard queries: ours / z3py, most (times)": 1.1,
    "trivial queries: extra, most (ms)": 10.0,
    "right inverse (s)": 2.0,
    "right identity (s)": 2.0,
    "a group need not commute (s)": 2.0,
    f"{_QUESTIONS} questions: two jobs / one job (times)": 0.625,
    "the 1,001st structure / the 2nd (times)": 1.5,
    **dict.fromkeys((f"{engine}: checking / finding (times)" for engine in _BY_ENGINE), 1.0),
}
"""The most that a figure may be."""


def _rechecks() -> dict[str, float]:
    """What checking a certificate takes, of what finding the verdict took: both begin with the text of the theory."""
    found: dict[str, float] = {}
    with Broker() as broker:
        for engine, (program, claim, expected) in _BY_ENGINE.items():
            ratios = []
            for _ in range(3):
                begun = time.perf_counter()
                theory = Theory().include(parse_program(_LEFT_GROUP + program))
                prover = Prover(theory, broker=broker, cvc5=False)
                verdict = prover.verify(parse_expression(claim))
                finding = time.perf_counter() - begun
                if (verdict.status, verdict.engine) != (expected, engine):
                    raise ValueError(
                        f"{claim} is {verdict.status} by {verdict.engine or 'none'}, not by {engine}"
                    )
                data = to_json(build(broker, theory, Question(claim), verdict, order=prover.order))
                ratios.append(_seconds(partial(check, data, broker)) / finding)
            found[f"{engine}: checking / finding (times)"] = statistics.median(ratios)
    return found


def _ask(prover: Prover, claim: str, expected: str, structure: str = "LeftGroup") -> Verdict:
    verdict = prover.verify(parse_expression(claim), using=parse_type(structure))
    if verdict.status != expected:
        raise ValueError(f"{claim} is {verdict.status}, not {expected}: {verdict.message}")
    return verdict


def _seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


# ── many questions, many structures ──────────────────────────────────────────────────────────────────────────


def _batch() -> dict[str, float]:
    """Questions, each of which takes the solver a while, with the chains in one process."""
    return {f"{_QUESTIONS} questions: two jobs / one job (times)": _batch_seconds(2) / _batch_seconds(1)}


def _batch_seconds(jobs: int) -> float:
    """The seconds that provers of one thread each take over one broker, as `kleis test --jobs` does."""
    theory = Theory().include(parse_program(_LEFT_GROUP))
    with Broker(slots=jobs) as broker, ThreadPoolExecutor(jobs) as threads:
        provers = [Prover(theory, broker=broker, cvc5=False, beside=False) for _ in range(jobs)]
        for prover in provers:
            _ask(prover, "e = e", "verified")

        def run(job: int) -> None:
            for number in range(job, _QUESTIONS, jobs):
                _ask(provers[job], _pigeons(6, f"p{number}_").claim, "verified")

        begun = time.perf_counter()
        list(threads.map(run, range(jobs)))
        return time.perf_counter() - begun


def _growing() -> dict[str, float]:
    """A structure is added to a session and asked about: to one with one other, and to one with a thousand."""
    small, large = (Theory().extend(_structure(place) for place in range(count)) for count in (1, 1000))
    with Broker() as broker:

        def verify(theory: Theory, count: int, item: Declaration) -> None:
            prover = Prover(theory.add(item), broker=broker, cvc5=False)
            _ask(prover, f"∀(x : G). m{count}(e{count}, x) = x", "verified", f"Unital{count}")

        def elaborate(theory: Theory, count: int, item: Declaration) -> None:
            claim = parse_expression(f"∀(x : G). m{count}(e{count}, x) = x")
            Elaborator(theory.add(item)).proposition(claim, using=parse_type(f"Unital{count}"))

        cases = {"2nd": (small, 1, _structure(1)), "1,001st": (large, 1000, _structure(1000))}
        whole = alternating({name: partial(verify, *case) for name, case in cases.items()}, seconds=2.0)
        alone = alternating({name: partial(elaborate, *case) for name, case in cases.items()}, seconds=1.0)
    return {
        "the 1,001st structure / the 2nd (times)": whole["1,001st"] / whole["2nd"],
        "the 1,001st structure / the 2nd, elaboration alone (times)": alone["1,001st"] / alone["2nd"],
    }


def _structure(number: int) -> Declaration:
    """A structure that shares no name with the others."""
    program = parse_program(
        f"structure Unital{number}(G) {{ operation m{number} : G → G → G  element e{number} : G\n"
        f"axiom left{number} : ∀(x : G). m{number}(e{number}, x) = x }}"
    )
    return program.items[0]
