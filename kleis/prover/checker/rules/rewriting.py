"""The rule `rewriting`: chains of equations from premises and the negated claim to ``true = false``.

See docs/reference/certificates.md §3.5.

Why it is sound
    The premises hold and the claim does not; then in one of the ways of `unit_equations` all numbered equations hold,
    for all values of their variables and some meaning of the functions made.  A link replaces a part by an instance of
    an earlier equation, and all functions are total, so both ends are equal.  ``(s = t) = true`` means s = t.  If every
    way comes to ``true = false``, there is none, and the claim holds.

Nothing is searched for: number, direction, place and values of each step stand in the certificate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from kleis import core
from kleis.prover.checker.format import Link, Refutation, Rewrite, Rewriting
from kleis.prover.checker.rules.equation_terms import (
    FALSE,
    LARGEST,
    TRUE,
    Signature,
    Term,
    instance,
    matched,
    part_at,
    put,
    size_of,
    variables_in,
)
from kleis.prover.checker.rules.unit_equations import CLAIM, Problem, Unit
from kleis.prover.checker.sequent import RejectedError, Sequent

__all__ = ["Chains", "Rested", "Work", "rewriting"]

_WORK = 1_000_000
"""Parts of terms visited by one check."""


class Rested(msgspec.Struct, frozen=True):
    """What a proof used: premises by name, and whether the negated claim."""

    premises: tuple[str, ...]
    claim: bool


def rewriting(sequent: Sequent, step: Rewriting) -> Rested:
    """Check a proof of the sequent; `RejectedError` or `NotExpressible` if it is none."""
    given = sequent.with_premises(step.given)
    problem = Problem(given)
    if len(step.refutations) != problem.count:
        raise RejectedError(
            f"{len(step.refutations)} refutations of the {problem.count} ways in which the claim may fail"
        )
    work = Work()
    used: set[int] = set()
    try:
        for number, refutation in enumerate(step.refutations):
            units = problem.units(number).units
            used |= Chains(problem.signature, step.variables, units, work).refuted(refutation)
    except RecursionError:
        raise RejectedError("terms that nest too deeply") from None
    names = tuple(name for place, (name, _) in enumerate(given.premises) if place in used)
    return Rested(names, CLAIM in used)


class Work:
    """The meter of one check."""

    def __init__(self) -> None:
        self._left = _WORK

    def charge(self, term: Term) -> None:
        """Count the parts of a term; `RejectedError` where it is too large, or all together are."""
        parts = size_of(term, LARGEST)
        self._left -= parts
        if parts > LARGEST or self._left < 0:
            raise RejectedError(f"terms of more than {LARGEST} parts, or {_WORK} altogether")


class Chains:
    """The numbered equations of one way in which the claim may fail, and what links add to them."""

    def __init__(
        self, signature: Signature, variables: Sequence[tuple[str, str]], units: Sequence[Unit], work: Work
    ) -> None:
        self._signature = signature
        self._work = work
        self.equations = [(each.left, each.right) for each in units]
        self._sources: list[frozenset[int]] = [frozenset((each.source,)) for each in units]
        self._variables: Mapping[str, core.Variable] = signature.read_variables(variables)

    def refuted(self, refutation: Refutation) -> frozenset[int]:
        """The sources of the contradiction that the last link is."""
        for place, link in enumerate(refutation.links, 1):
            try:
                self.add(link)
            except RejectedError as error:
                raise RejectedError(f"link {place}: {error}") from None
        if not refutation.links or set(self.equations[-1]) != {TRUE, FALSE}:
            raise RejectedError("the last link does not equate truth and falsity")
        return self._sources[-1]

    def add(self, link: Link) -> None:
        """Check a link, and number its equation."""
        if link.reflects:
            if (link.start, link.left, link.right) != (None, (), ()):
                raise RejectedError("a link that reflects an equation and is a chain too")
            self.equations.append(self._reflected(link.reflects))
            self._sources.append(self._sources[link.reflects - 1])
            return
        start = self._signature.read(link.start, self._variables)
        self._work.charge(start)
        ends = []
        sources: frozenset[int] = frozenset()
        for steps in (link.left, link.right):
            term = start
            for step in steps:
                term = self._rewritten(term, step)
                sources |= self._sources[abs(step.equation) - 1]
            ends.append(term)
        self.equations.append((ends[0], ends[1]))
        self._sources.append(sources)

    def _numbered(self, number: int) -> tuple[Term, Term]:
        if not 1 <= number <= len(self.equations):
            raise RejectedError(f"there is no equation {number} yet")
        return self.equations[number - 1]

    def _reflected(self, number: int) -> tuple[Term, Term]:
        left, right = self._numbered(number)
        truth, said = (left, right) if right == TRUE else (right, left)
        equated = self._signature.equated(truth)
        if said != TRUE or equated is None:
            raise RejectedError(f"the equation {number} does not say that an equation is true")
        return equated

    def _rewritten(self, term: Term, step: Rewrite) -> Term:
        old, new = self._numbered(abs(step.equation))
        if step.equation < 0:
            old, new = new, old
        values = matched(self._signature, old, part_at(term, step.at))
        if values is None:
            raise RejectedError(f"no instance of the equation {step.equation} stands at {list(step.at)}")
        free = [each for each in variables_in(new) if each not in values]
        if len(free) != len(step.values):
            raise RejectedError(
                f"{len(step.values)} values of the {len(free)} variables of the new side alone"
            )
        for variable, data in zip(free, step.values, strict=True):
            value = self._signature.read(data, self._variables)
            if self._signature.sort(value) != variable.sort:
                raise RejectedError("the value of a variable has another sort")
            values[variable] = value
        result = put(term, step.at, instance(new, values))
        self._work.charge(result)
        return result
