"""The rule `induction`: the sequents that show a claim for all values of one of its outermost variables.

See docs/reference/certificates.md §3.4.

    structural   over lists or a data type: one sequent for each constructor, the claim of what it makes, given the claim
                 of its fields of the same sort; `deep`: given also that of their own such fields
    natural      over ℕ from b by k: the claim of 0, …, b + k - 1, each without a hypothesis, and for n ≥ b that of n + k, given
                 that of n, …, n + k - 1
    integer      over ℤ from b by k: the claim of everything below b + k, without a hypothesis, and for n ≥ b that of n + k,
                 given that of n, …, n + k - 1
    by size      over lists: one sequent for each form, the claim of what has it, given that of all shorter lists; over ℕ
                 the claim of any number, given that of all smaller ones

The claim of a part is for all values of the other variables.  What is given is *true*, not merely not false.

Invariants
    * If the sequents returned hold, then so does the one that was given.
    * Sort, scheme and claim determine the sequents, their names and their order.
    * Parts, and the total functions that a claim is about, become constants of names that nothing else in sight has.
    * Nothing is shown by induction over a carrier, ℚ, ℝ, ℂ, sets or functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from kleis import core
from kleis.core.build_terms import at_least, integer, length_of, less, total
from kleis.core.goal import Goal
from kleis.core.sort_printing import sort_text
from kleis.core.terms import list_constructors
from kleis.core.traversal import free_variables, substitute
from kleis.prover.checker.format import Induction
from kleis.prover.checker.rules.open_claims import Names, closed, opened, with_functions_named
from kleis.prover.checker.sequent import RejectedError, Sequent

__all__ = ["obligations", "subgoals"]

_FARTHEST = 1_000
"""The largest absolute value at which an induction over the integers may start."""

_HIGHEST = 50
"""The largest number at which an induction over the natural numbers may start: it has a case for each below."""

_MOST = 8
"""The number of earlier values that a step may use."""

_Sequents = tuple[tuple[str, Sequent], ...]
_Variables = tuple[core.Variable, ...]


def subgoals(sequent: Sequent, step: Induction) -> _Sequents:
    """What a step leaves to show, each with the name of its case; `RejectedError` where its cases are others."""
    found = obligations(sequent, step)
    expected = [name for name, _ in found]
    if [each.name for each in step.cases] != expected:
        raise RejectedError(
            f"the cases of an induction on {step.on} are {', '.join(expected)}, in this order"
        )
    return found


def obligations(sequent: Sequent, step: Induction) -> _Sequents:
    """What a step leaves to show, whatever its cases say."""
    if any(free_variables(each) for each in (sequent.claim, *(each for _, each in sequent.premises))):
        raise RejectedError("a formula of the sequent is not closed")
    sequent = with_functions_named(sequent)
    variables, body = opened(sequent.claim)
    on = next((each for each in variables if each.name == step.on), None)
    if on is None:
        raise RejectedError(f"{step.on!r} is no outermost variable of the claim")
    return _Split(sequent, on, tuple(each for each in variables if each != on), body).by(step)


class _Split:
    """One sequent, the variable of the induction, and the other ones."""

    def __init__(self, sequent: Sequent, on: core.Variable, rest: _Variables, body: core.Term) -> None:
        self._sequent = sequent
        self._on = on
        self._rest = rest
        self._body = body
        self._names = Names(sequent)

    def by(self, step: Induction) -> _Sequents:
        """The sequents of the scheme that a step names; it has to be one for the variable's sort."""
        sort = self._on.sort
        if step.size:
            plain = step.by == 0 and step.start == 0 and not step.deep
            if plain and (isinstance(sort, core.ListOf) or sort == core.NATURAL):
                return self._by_size()
            raise RejectedError(f"no induction by size over {sort_text(sort)} with {step}")
        if isinstance(sort, core.DataSort | core.ListOf) and step.by == 0 and step.start == 0:
            return self._structural(_constructors(self._sequent.goal, sort), deep=step.deep)
        if 1 <= step.by <= _MOST and abs(step.start) <= _FARTHEST and not step.deep:
            if sort == core.NATURAL and 0 <= step.start <= _HIGHEST:
                return self._natural(step.start, step.by)
            if sort == core.INTEGER:
                return self._integer(step.start, step.by)
        raise RejectedError(
            f"no induction over {sort_text(sort)} is from {step.start} by {step.by}, {step.deep=}"
        )

    def _of(self, term: core.Term) -> core.Term:
        """The claim of a value of the variable, for all others."""
        return closed(self._rest, substitute(self._body, {self._on.name: term}))

    def _left(
        self, claim: core.Term, parts: Sequence[core.Symbol] = (), hypotheses: Sequence[core.Term] = ()
    ) -> Sequent:
        premises = (*self._sequent.premises, *self._names.hypotheses(hypotheses))
        constants = (*self._sequent.constants, *parts)
        return msgspec.structs.replace(self._sequent, premises=premises, claim=claim, constants=constants)

    def _structural(self, constructors: Sequence[core.Constructor], *, deep: bool) -> _Sequents:
        sort = self._on.sort
        found = []
        for constructor in constructors:
            names = Names(self._sequent)
            parts = [names.constant(self._on.name, (), field.sort) for field in constructor.fields]
            terms = tuple(core.SymbolCall(each, ()) for each in parts)
            smaller = [each for each in terms if each.sort == sort]
            hypotheses = [self._of(each) for each in smaller]
            if deep:
                hypotheses += [each for part in smaller for each in self._inside(part, constructors)]
            claim = self._of(core.Construction(constructor, terms))
            found.append((constructor.name, self._left(claim, parts, hypotheses)))
        return tuple(found)

    def _inside(self, part: core.Term, constructors: Sequence[core.Constructor]) -> Iterator[core.Term]:
        """The claim of the fields of a part, each where the part has it."""
        for constructor in constructors:
            for index, field in enumerate(constructor.fields):
                if field.sort == self._on.sort:
                    claim = self._of(core.Selection(constructor, index, part))
                    yield core.Connective("implies", (core.Discrimination(constructor, part), claim))

    def _by_size(self) -> _Sequents:
        """A number, or a list of each form, given the claim of all whose size, a natural number, is smaller."""
        sort = self._on.sort
        if not isinstance(sort, core.ListOf):
            part = self._names.constant(self._on.name, (), sort)
            return (("step", self._of_size(core.SymbolCall(part, ()), (part,))),)
        found = []
        for constructor in list_constructors(sort):
            names = Names(self._sequent)
            parts = [names.constant(self._on.name, (), field.sort) for field in constructor.fields]
            value = core.Construction(constructor, tuple(core.SymbolCall(each, ()) for each in parts))
            found.append((constructor.name, self._of_size(value, parts)))
        return tuple(found)

    def _of_size(self, value: core.Term, parts: Sequence[core.Symbol]) -> Sequent:
        """The claim of a value, given that of all smaller ones."""
        smaller = less(_size(self._on), _size(value))
        given = closed((self._on, *self._rest), core.Connective("implies", (smaller, self._body)))
        return self._left(self._of(value), parts, (given,))

    def _natural(self, start: int, steps: int) -> _Sequents:
        low = (core.LiteralTerm(each, core.NATURAL) for each in range(start + steps))
        part = self._names.constant(self._on.name, (), core.NATURAL)
        number = core.SymbolCall(part, ())
        values: list[core.Term] = [number, *(_sum(number, each) for each in range(1, steps + 1))]
        given = [self._of(each) for each in values[:-1]]
        if start > 0:
            given.insert(0, at_least(core.Coercion(number, core.INTEGER), integer(start)))
        cases = ((f"{each.value}", self._left(self._of(each))) for each in low)
        return (*cases, ("step", self._left(self._of(values[-1]), (part,), given)))

    def _integer(self, start: int, steps: int) -> _Sequents:
        below = core.Connective("implies", (at_least(integer(start + steps - 1), self._on), self._body))
        part = self._names.constant(self._on.name, (), core.INTEGER)
        number = core.SymbolCall(part, ())
        values = [number, *(total([number, integer(each)]) for each in range(1, steps + 1))]
        given = [at_least(number, integer(start)), *(self._of(each) for each in values[:-1])]
        low = self._left(closed(opened(self._sequent.claim)[0], below))
        return ("low", low), ("step", self._left(self._of(values[-1]), (part,), given))


def _constructors(goal: Goal, sort: core.DataSort | core.ListOf) -> tuple[core.Constructor, ...]:
    """The constructors of a sort, one of which makes a value of others alone: there are smallest values."""
    try:
        found = list_constructors(sort) if isinstance(sort, core.ListOf) else goal.constructors(sort)
    except KeyError:
        raise RejectedError(f"the goal has no data type {sort_text(sort)}") from None
    if all(any(field.sort == sort for field in each.fields) for each in found):
        raise RejectedError(f"{sort_text(sort)} has no smallest values")
    return found


def _size(term: core.Term) -> core.Term:
    """The length of a list, or a natural number itself; in ℤ, with a value everywhere."""
    return length_of(term) if isinstance(term.sort, core.ListOf) else core.Coercion(term, core.INTEGER)


def _sum(number: core.Term, more: int) -> core.Term:
    """A natural number and a literal."""
    parameters = tuple(core.Variable(each, core.NATURAL) for each in "ab")
    arguments = (number, core.LiteralTerm(more, core.NATURAL))
    return core.BuiltinCall(core.Operation("plus", parameters, core.NATURAL), arguments)
