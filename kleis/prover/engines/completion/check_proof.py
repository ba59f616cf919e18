"""Checks what completion found, without its search: chains of equations, and convergent rewrite systems.

See docs/reference/proving.md §7.5.

`check_chain`
    Every link of every chain replaces one part of a term by an instance of an axiom, of the negated claim or of an
    earlier step.  Only the place of the replacement is searched for; no term ordering is used.

`check_rewriting`
    The equations, ordered by the witness's precedence, decide equality in a model of the axioms: every critical pair
    joins, so each ground term has one normal form; every axiom joins, so the normal forms are a model; the claim's
    sides have different normal forms.  Why this suffices:
    * The path ordering is total on ground terms, so every ground instance of an equation can be used in one direction.
    * A pair joins if, for each way to order its variables, its sides have one normal form or are an instance of an
      equation in a context; every ground instance falls under one of these ways.
    * Variables that only the smaller side has become the least constant.  That is the least ground term of its sort,
      so a ground term that can be made smaller by any instance can be made smaller by this one.
    * Conditional equations: where the condition's sides have one normal form, so have the conclusion's, because
      ``if(u, u, c, d)`` is c and ``if(l, r, c, d)`` is d.
    * Truth values are a sort of this model.  ``true`` and ``false`` differ; a predicate holds where its normal form is
      ``true``; ``(s =G t) = false`` with ``(x =G x) = true`` says that s and t differ.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kleis.prover.engines.completion.plain_terms import (
    MalformedError,
    PathOrder,
    Plain,
    Signature,
    applied,
    below,
    matched,
    primed,
    put,
    unified,
    variables_in,
)
from kleis.prover.engines.completion.unit_equations import CASES, CLAIM, REFLEXIVITY, Unit, units_of
from kleis.prover.engines.first_order_problem import Problem, translate
from kleis.prover.protocol.engine import Answer, Task
from kleis.prover.protocol.verdict import Evidence

__all__ = ["check_chain", "check_rewriting", "rewriting_evidence"]

_TRUE, _FALSE = ("true",), ("false",)

_WORK = 3_000_000
"""Terms visited before a check gives up; answers of the engine need a hundredth of it."""


# ── Chains ───────────────────────────────────────────────────────────────────────────────────────────────────


def check_chain(task: Task, answer: Answer) -> bool:
    """Whether the proof of a `proved` or `inconsistent` answer is valid, from the axioms of its core."""
    problem = translate(task)
    if problem is None or answer.outcome not in ("proved", "inconsistent"):
        return False
    try:
        return _shown(problem, answer)
    except (MalformedError, json.JSONDecodeError):
        return False


def _shown(problem: Problem, answer: Answer) -> bool:
    proofs: dict[str, list[tuple[str, str]]] = {}
    for name, text in answer.proof:
        prefix, _, _ = name.rpartition("step ")
        proofs.setdefault(prefix, []).append((name, text))
    allowed = {*answer.core, REFLEXIVITY, CASES}
    branches: dict[str, int | None] = {f"branch {n + 1}, ": n for n in range(len(problem.branches))}
    if answer.outcome == "inconsistent":
        branches[""] = None
        return len(proofs) == 1 and all(
            prefix in branches and _refutes(problem, branches[prefix], steps, allowed)
            for prefix, steps in proofs.items()
        )
    return problem.claimed and all(
        prefix in proofs and _refutes(problem, number, proofs[prefix], {*allowed, CLAIM})
        for prefix, number in branches.items()
    )


def _refutes(
    problem: Problem, branch: int | None, steps: Sequence[tuple[str, str]], allowed: set[str]
) -> bool:
    """Whether the steps refute the equations, or the equations with the clauses."""
    both = (units_of(problem, branch, conditional=conditional).units for conditional in (False, True))
    return any(_contradicts(units, steps, allowed) for units in both)


def _contradicts(units: Sequence[Unit], steps: Sequence[tuple[str, str]], allowed: set[str]) -> bool:
    """Whether the steps lead from the units of these names to ``true = false``."""
    signature = Signature(units)
    known: dict[str, list[tuple[Plain, Plain]]] = {}
    for unit in units:
        if unit.name in allowed:
            known.setdefault(unit.name, []).append((signature.plain(unit.left), signature.plain(unit.right)))
    ends: set[Plain] = set()
    for name, text in steps:
        step = json.loads(text)
        if not isinstance(step, dict) or name in known:
            raise MalformedError
        try:
            terms = [signature.read(each) for each in step.get("terms", ())]
        except MalformedError:
            return False
        reasons = step.get("by", ())
        if not reasons or len(terms) != len(reasons) + 1:
            raise MalformedError
        for index, reason in enumerate(reasons):
            equations = _named(str(reason), known)
            if not any(_links(signature, terms[index], terms[index + 1], each) for each in equations):
                return False
        known[name] = [(terms[0], terms[-1])]
        ends = {terms[0], terms[-1]}
    return ends == {_TRUE, _FALSE}


def _named(reason: str, known: Mapping[str, list[tuple[Plain, Plain]]]) -> list[tuple[Plain, Plain]]:
    """The equations that a reason stands for."""
    if reason in known:
        return known[reason]
    stem = reason.removeprefix("reflection of ")
    found: list[tuple[Plain, Plain]] = []
    for left, right in known.get(stem, ()):
        if right == _TRUE and isinstance(left, tuple) and left[0].startswith("= "):
            found.append((left[1], left[2]))
        if left == _TRUE and isinstance(right, tuple) and right[0].startswith("= "):
            found.append((right[1], right[2]))
    return found


def _links(signature: Signature, a: Plain, b: Plain, equation: tuple[Plain, Plain]) -> bool:
    """Whether one term is the other with at most one part replaced by means of the equation."""
    left, right = equation
    while True:
        if a == b or matched(signature, ((left, a), (right, b))) is not None:
            return True
        if matched(signature, ((left, b), (right, a))) is not None:
            return True
        if isinstance(a, str) or isinstance(b, str) or a[0] != b[0]:
            return False
        unequal = [at for at in range(1, len(a)) if a[at] != b[at]]
        if len(unequal) != 1:
            return False
        a, b = a[unequal[0]], b[unequal[0]]


# ── Rewrite systems ──────────────────────────────────────────────────────────────────────────────────────────


def check_rewriting(task: Task, witness: Any) -> bool:
    """Whether the witness of a `refuted` or `model` answer is a convergent system that shows it."""
    problem = translate(task)
    if problem is None or not problem.exact or not isinstance(witness, Mapping):
        return False
    branch = witness.get("branch")
    known = [*range(len(problem.branches))] if problem.claimed else [None]
    if isinstance(branch, bool) or branch not in known:
        return False
    units = units_of(problem, branch, conditional=bool(witness.get("conditional")))
    if not units.complete:
        return False
    try:
        return _System(units.units, witness).shows()
    except (MalformedError, _TiredError, RecursionError):
        return False


def rewriting_evidence(task: Task, witness: Any) -> Evidence | None:
    """The evidence of a checked witness."""
    if not check_rewriting(task, witness):
        return None
    equations = [
        f"{_text(each['left'])} {'→' if each['oriented'] else '='} {_text(each['right'])}"
        for each in witness["equations"]
        if not _internal(each)
    ]
    forms = [" ≠ ".join(map(_text, pair)) for pair in witness["normal_forms"]]
    return Evidence(kind="rewriting", rules=tuple(equations), normal_forms=tuple(forms))


def _internal(equation: Mapping[str, Any]) -> bool:
    """Whether an equation only defines the equality function."""
    left = equation["left"]
    return isinstance(left, list | tuple) and str(left[0]).startswith("= ")


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value.split(" : ", 1)[0]
    name, *arguments = value
    if len(arguments) == 2 and not any(each.isalnum() or each == "_" for each in str(name)):
        left, right = map(_text, arguments)
        return f"({left} {name} {right})"
    return f"{name}({', '.join(map(_text, arguments))})" if arguments else str(name).removeprefix("?")


class _TiredError(Exception):
    """The check exceeds its budget."""


class _System:
    """The equations of a witness with their ordering."""

    def __init__(self, units: Sequence[Unit], witness: Mapping[str, Any]) -> None:
        self._units = units
        self._signature = Signature(units)
        precedence = witness.get("precedence")
        if not isinstance(precedence, list | tuple) or len(set(precedence)) != len(precedence):
            raise MalformedError
        if set(precedence) != self._signature.names:
            raise MalformedError
        self._ranks = {str(name): rank for rank, name in enumerate(precedence)}
        self._order = PathOrder(self._ranks)
        self._least = {sort: self._least_of(sort) for sort in self._signature.sorts}
        self._directions: list[tuple[Plain, Plain, bool]] = []
        for each in witness.get("equations", ()):
            self._directions += self._read(each)
        self._forms = [tuple(map(self._signature.read, pair)) for pair in witness.get("normal_forms", ())]
        self._work = 0

    def shows(self) -> bool:
        """Whether the system is convergent, all units hold in it, and all disequations too."""
        goals = [each for each in self._units if each.goal is not None]
        if [self._sides(each) for each in goals] != self._forms or any(a == b for a, b in self._forms):
            return False
        if self._normal(_TRUE, self._order) == self._normal(_FALSE, self._order):
            return False
        plain = self._signature.plain
        facts = [(plain(each.left), plain(each.right)) for each in self._units if each.goal is None]
        return all(self._joins(*each) for each in facts) and all(
            self._joins(*each) for each in self._critical_pairs()
        )

    def _sides(self, goal: Unit) -> tuple[Plain, ...]:
        sides = goal.goal or ()
        return tuple(self._normal(self._signature.plain(each), self._order) for each in sides)

    # ── Reading ──────────────────────────────────────────────────────────────────────────────────────────────

    def _least_of(self, sort: str) -> Plain:
        """The lowest function into a sort, which must be a constant."""
        lowest = min(self._signature.of_sort(sort), key=lambda each: self._ranks[each.name])
        if lowest.domain:
            raise MalformedError
        return (lowest.name,)

    def _read(self, equation: Any) -> list[tuple[Plain, Plain, bool]]:
        """An equation in the directions it is used in, depending on whether the ordering orients it."""
        if not isinstance(equation, Mapping):
            raise MalformedError
        left, right = (self._signature.read(equation.get(side)) for side in ("left", "right"))
        if self._signature.sort(left) != self._signature.sort(right):
            raise MalformedError
        oriented = self._order.greater(left, right)
        if bool(equation.get("oriented")) is not oriented:
            raise MalformedError
        return [(left, right, True)] if oriented else [(left, right, False), (right, left, False)]

    # ── Rewriting ────────────────────────────────────────────────────────────────────────────────────────────

    def _normal(self, term: Plain, order: PathOrder) -> Plain:
        self._work += 1
        if self._work > _WORK:
            raise _TiredError
        if isinstance(term, str):
            return term
        term = (term[0], *[self._normal(each, order) for each in term[1:]])
        for left, right, oriented in self._directions:
            if isinstance(left, tuple) and left[0] != term[0]:
                continue
            values = matched(self._signature, ((left, term),))
            if values is None:
                continue
            free = {each: self._least[self._signature.sort(each)] for each in variables_in(right)}
            result = _once(right, {**free, **values})
            if oriented or order.greater(term, result):
                return self._normal(result, order)
        return term

    def _joins(self, left: Plain, right: Plain) -> bool:
        """Whether both sides have one normal form in every instance."""
        a, b = self._normal(left, self._order), self._normal(right, self._order)
        if a == b or self._is_instance(a, b):
            return True
        variables = variables_in(a, b)
        if not 1 < len(variables) <= 5:
            return False
        return all(self._joins_in(a, b, classes) for classes in self._preorders(variables))

    def _joins_in(self, left: Plain, right: Plain, classes: Sequence[Sequence[str]]) -> bool:
        """Whether the sides join where variables of one class are equal, and later classes are greater."""
        values: dict[str, Plain] = {each: group[0] for group in classes for each in group}
        ranks = {group[0]: rank for rank, group in enumerate(classes)}
        order = PathOrder(self._ranks, ranks)
        a, b = (self._normal(_once(each, values), order) for each in (left, right))
        return a == b or self._is_instance(a, b)

    def _is_instance(self, left: Plain, right: Plain) -> bool:
        """Whether the equation is an instance of one of the system's, in a context."""
        return any(_links(self._signature, left, right, (a, b)) for a, b, _ in self._directions)

    def _preorders(self, variables: Sequence[str]) -> Iterator[list[list[str]]]:
        """The ways to order variables, those of one sort possibly equal."""
        if not variables:
            yield []
            return
        last = variables[-1]
        for classes in self._preorders(variables[:-1]):
            for at, group in enumerate(classes):
                if self._signature.sort(group[0]) == self._signature.sort(last):
                    yield [*classes[:at], [*group, last], *classes[at + 1 :]]
            for at in range(len(classes) + 1):
                yield [*classes[:at], [last], *classes[at:]]

    def _critical_pairs(self) -> Iterator[tuple[Plain, Plain]]:
        """What a term becomes by two overlapping steps."""
        for outer, target, outer_oriented in self._directions:
            for inner, result, inner_oriented in self._directions:
                inner, result = primed(inner), primed(result)
                for path, part in below(outer):
                    values = unified(self._signature, part, inner)
                    if values is None:
                        continue
                    whole, other = applied(outer, values), applied(target, values)
                    small, smaller = applied(inner, values), applied(result, values)
                    if not outer_oriented and (whole == other or self._order.greater(other, whole)):
                        continue
                    if not inner_oriented and (small == smaller or self._order.greater(smaller, small)):
                        continue
                    yield put(whole, path, smaller), other


def _once(term: Plain, values: Mapping[str, Plain]) -> Plain:
    """The term with variables replaced, once."""
    if isinstance(term, str):
        return values.get(term, term)
    return (term[0], *[_once(each, values) for each in term[1:]])
