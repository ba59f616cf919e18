"""The witness `rewriting`: a convergent system of equations in whose normal forms the axioms hold and the claim fails.

See docs/reference/certificates.md §5.5.

Why it is a countermodel
    * The path ordering is total on ground terms, so every ground instance of an equation can be used in one direction.
      Every critical pair joins, so each ground term has one normal form; every axiom joins, so the normal forms are a
      model; the claim's sides have different normal forms.
    * A pair joins if, for each way to order its variables, its sides have one normal form or are an instance of an
      equation in a context; every ground instance falls under one of these ways.
    * Variables that only the smaller side has become the least constant.  That is the least ground term of its sort,
      so a ground term that can be made smaller by any instance can be made smaller by this one.
    * Conditional equations: where the condition's sides have one normal form, so have the conclusion's, because
      ``if(u, u, c, d)`` is c and ``if(l, r, c, d)`` is d.
    * Truth values are a sort of this model.  ``true`` and ``false`` differ; a predicate holds where its normal form is
      ``true``; ``(s =G t) = false`` with ``(x =G x) = true`` says that s and t differ.
    * The equations say as much as the axioms and one way in which the claim fails, and distinct carriers are unrelated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kleis import core
from kleis.core.sort_printing import sort_text
from kleis.prover.checker.format import RewriteSystem
from kleis.prover.checker.rules.equation_terms import (
    EQUALITY,
    FALSE,
    TRUE,
    Function,
    Signature,
    Term,
    functions_in,
    instance,
    matched,
    put,
    variables_in,
)
from kleis.prover.checker.rules.path_ordering import PathOrder, applied, below, preorders, primed, unified
from kleis.prover.checker.rules.unit_equations import Problem, Unit
from kleis.prover.checker.sequent import NotExpressible, RejectedError, Sequent
from kleis.prover.protocol.verdict import Evidence

__all__ = ["convergent", "convergent_evidence"]

_WORK = 3_000_000
"""Terms visited before a check gives up; answers of the engine need a hundredth of it."""

_ORDERED = 5
"""Variables of a pair whose orders are all tried."""


def convergent(sequent: Sequent, witness: RewriteSystem) -> None:
    """Check that the premises hold, and the claim does not, in the normal forms of the system.

    `RejectedError` or `NotExpressible` if that is not shown.
    """
    problem = Problem(sequent)
    if not 0 <= witness.way < problem.count:
        raise RejectedError("the claim fails in no such way")
    if not all(map(_unrelated, sequent.goal.carriers)):
        raise NotExpressible("carriers whose arguments may be equal")
    units = problem.units(witness.way)
    if not units.complete:
        raise NotExpressible("clauses that no equation says as much as")
    try:
        _System(problem, units.units, witness).check()
    except RecursionError:
        raise RejectedError("terms that nest too deeply") from None


def convergent_evidence(witness: RewriteSystem) -> Evidence:
    """The evidence of a checked witness."""
    rules = [
        f"{_text(left)} {'→' if oriented else '='} {_text(right)}"
        for left, right, oriented in witness.equations
        if isinstance(left, str) or not left[0].startswith(EQUALITY)
    ]
    forms = [" ≠ ".join(map(_text, pair)) for pair in witness.normal_forms]
    return Evidence(kind="rewriting", rules=tuple(rules), normal_forms=tuple(forms))


def _text(data: Any) -> str:
    if isinstance(data, str):
        return data
    name, *arguments = data
    if len(arguments) == 2 and not any(each.isalnum() or each == "_" for each in name):
        left, right = map(_text, arguments)
        return f"({left} {name} {right})"
    return f"{name}({', '.join(map(_text, arguments))})" if arguments else name.removeprefix("?")


def _unrelated(sort: core.Sort) -> bool:
    """Whether distinct arguments of a family of carriers can differ in a model: those of polynomials need not."""
    arguments = sort.arguments if isinstance(sort, core.Carrier) else ()
    return all(
        not any("(" in atom for atoms, _ in each.terms for atom in atoms)
        if isinstance(each, core.Dimension)
        else isinstance(each, core.Carrier) and _unrelated(each)
        for each in arguments
    )


def _signature(whole: Signature, units: Sequence[Unit]) -> Signature:
    """The functions of some equations, and a constant for every sort that has none: sorts are not empty."""
    sides = [side for each in units for side in (each.left, each.right)]
    found = Signature([whole[name] for name in functions_in(*sides)])
    for variable in variables_in(*sides):
        found.declare_sort(variable.sort)
    inhabited = {found[name].codomain for name in found.names if not found[name].domain}
    for text, sort in list(found.sorts.items()):
        if sort not in inhabited:
            found.declare(Function(f"?any {text}", (), sort, "any"))
    return found


class _System:
    """The equations of a witness with their ordering."""

    def __init__(self, problem: Problem, units: Sequence[Unit], witness: RewriteSystem) -> None:
        unequal = [(each, problem.unequal(each)) for each in units]
        self._unequal = [sides for _, sides in unequal if sides is not None]
        self._facts = [(each.left, each.right) for each, sides in unequal if sides is None]
        self._work = 0
        self._signature = _signature(problem.signature, units)
        names = witness.precedence
        if len(set(names)) < len(names) or set(names) != self._signature.names:
            raise RejectedError("the precedence is not of all functions, each once")
        self._ranks = {name: rank for rank, name in enumerate(names)}
        self._order = PathOrder(self._ranks)
        self._least = {sort: self._least_of(sort) for sort in self._signature.sorts.values()}
        variables = self._signature.read_variables(witness.variables)
        self._directions: list[tuple[Term, Term, bool]] = []
        for left, right, oriented in witness.equations:
            sides = self._signature.read(left, variables), self._signature.read(right, variables)
            self._directions += self._directed(*sides, oriented=oriented)
        self._forms = [
            tuple(self._signature.read(each, variables) for each in pair) for pair in witness.normal_forms
        ]

    def _least_of(self, sort: core.Sort) -> Term:
        """The lowest function into a sort, which must be a constant."""
        functions = [self._signature[name] for name in self._signature.names]
        lowest = min(
            (each for each in functions if each.codomain == sort), key=lambda each: self._ranks[each.name]
        )
        if lowest.domain:
            raise RejectedError(f"the lowest function into {sort_text(sort)} is no constant")
        return (lowest.name,)

    def _directed(self, left: Term, right: Term, *, oriented: bool) -> list[tuple[Term, Term, bool]]:
        """An equation in the directions it is used in, depending on whether the ordering orients it."""
        if self._signature.sort(left) != self._signature.sort(right):
            raise RejectedError("an equation of different sorts")
        if oriented is not self._order.greater(left, right):
            raise RejectedError("an equation that the ordering directs otherwise")
        return [(left, right, True)] if oriented else [(left, right, False), (right, left, False)]

    def check(self) -> None:
        """Check that the system is convergent, and that all equations and disequations hold in it."""
        forms = [tuple(self._normal(side, self._order) for side in pair) for pair in self._unequal]
        if forms != self._forms or any(left == right for left, right in forms):
            raise RejectedError("the sides of the disequations have other normal forms, or the same")
        if self._normal(TRUE, self._order) == self._normal(FALSE, self._order):
            raise RejectedError("truth and falsity have one normal form")
        if not all(self._joins(*each) for each in self._facts):
            raise RejectedError("an axiom does not hold in the normal forms")
        if not all(self._joins(*each) for each in self._critical_pairs()):
            raise RejectedError("a critical pair does not join")

    # ── Rewriting ────────────────────────────────────────────────────────────────────────────────────────────

    def _normal(self, term: Term, order: PathOrder) -> Term:
        self._work += 1
        if self._work > _WORK:
            raise RejectedError(f"more than {_WORK} terms to visit")
        if isinstance(term, core.Variable):
            return term
        term = (term[0], *[self._normal(each, order) for each in term[1:]])
        for left, right, oriented in self._directions:
            if not isinstance(left, core.Variable) and left[0] != term[0]:
                continue
            values = matched(self._signature, left, term)
            if values is None:
                continue
            free = {each: self._least[each.sort] for each in variables_in(right)}
            result = instance(right, {**free, **values})
            if oriented or order.greater(term, result):
                return self._normal(result, order)
        return term

    def _joins(self, left: Term, right: Term) -> bool:
        """Whether both sides have one normal form in every instance."""
        a, b = self._normal(left, self._order), self._normal(right, self._order)
        if a == b or self._is_instance(a, b):
            return True
        variables = variables_in(a, b)
        if not 1 < len(variables) <= _ORDERED:
            return False
        return all(self._joins_in(a, b, classes) for classes in preorders(variables))

    def _joins_in(self, left: Term, right: Term, classes: Sequence[Sequence[core.Variable]]) -> bool:
        """Whether the sides join where variables of one class are equal, and later classes are greater."""
        values: dict[core.Variable, Term] = {each: group[0] for group in classes for each in group}
        ranks = {group[0]: rank for rank, group in enumerate(classes)}
        order = PathOrder(self._ranks, ranks)
        a, b = (self._normal(instance(each, values), order) for each in (left, right))
        return a == b or self._is_instance(a, b)

    def _is_instance(self, left: Term, right: Term) -> bool:
        """Whether the sides differ in one part at most, and that by an instance of an equation of the system."""
        while left != right:
            pair = ("", left, right)
            if any(matched(self._signature, ("", a, b), pair) is not None for a, b, _ in self._directions):
                return True
            if any(matched(self._signature, ("", b, a), pair) is not None for a, b, _ in self._directions):
                return True
            if isinstance(left, core.Variable) or isinstance(right, core.Variable) or left[0] != right[0]:
                return False
            unequal = [at for at in range(1, len(left)) if left[at] != right[at]]
            if len(unequal) != 1:
                return False
            left, right = left[unequal[0]], right[unequal[0]]
        return True

    def _critical_pairs(self) -> Iterator[tuple[Term, Term]]:
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
