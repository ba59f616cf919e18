"""The termination argument of one group of mutually recursive definitions.

Without it a definition such as ``f(x) = f(x) + 1`` would prove everything. See docs/reference/proving.md §3.3.

In order of trial
    1. structural descent (kleis/termination/size_change.py);
    2. the measures of `@decreases`, if there are any: nothing else is guessed then;
    3. guessed lexicographic measures that linear arithmetic proves, without a condition, then under one that the
       calls preserve (kleis/termination/rankings.py);
    4. a guessed measure whose decrease is left to the prover, as obligations that no small values refute.

Invariants
    * The answer is "terminates" for all members or for none.  A well-founded order decreases at every call that the
      value of a member may depend on, also within λ and quantifiers, so the equations of the group have exactly one
      solution (on the arguments that satisfy the condition), in three-valued logic too.
    * What linear arithmetic proves here leaves no obligation; everything else does.
    * The measures of a member are as many as those of the others, and decrease lexicographically.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import msgspec

from kleis import core
from kleis.core import build_terms
from kleis.core.goal import DataType, Obligation, Termination
from kleis.core.sort_printing import sort_text
from kleis.core.traversal import subterms
from kleis.definedness.path_arithmetic import is_number, is_whole
from kleis.problems import Place
from kleis.termination.exact_domains import exact_conditions
from kleis.termination.obligations import obligation, without_symbols
from kleis.termination.rankings import CallFacts, Quantity, Ranking, Rankings, bound_term, candidates
from kleis.termination.recursive_calls import always_defined, recursive_calls, term_text
from kleis.termination.refute_obligation import Assignment, refutation, value_text
from kleis.termination.size_change import descending

__all__ = ["show_termination"]

_GUESSES = 8
"""How many guesses are tried whose decrease is left to the prover."""

_CONDITIONS = 12
"""How many conditions are tried."""


def show_termination(
    group: tuple[core.Definition, ...],
    *,
    data: Sequence[Sequence[DataType]] = (),
    measures: Mapping[str, tuple[core.Term, ...]] | None = None,
    place: Mapping[str, Place],
) -> dict[str, Termination]:
    """Why the definitions of a group terminate, by key; all are ``unknown`` if one is.

    `group` holds all definitions that are mutually recursive with one another.  `data` are the data types;
    `measures` what `@decreases` states, over the parameters; `place` where the definitions stand.
    """
    calls = [facts for facts in map(CallFacts, recursive_calls(group)) if not facts.impossible]
    positions = descending(facts.call for facts in calls)
    if positions is not None:
        return {
            definition.key: Termination("structural", arguments=positions.get(definition.key, ()))
            for definition in group
        }
    stated = {key: tuple(terms) for key, terms in (measures or {}).items() if terms}
    search = _Search(group, calls, data, place)
    if any(definition.key in stated for definition in group):
        return search.stated(stated)
    return search.guessed()


class _Refuted(msgspec.Struct, frozen=True):
    """Why a ranking fails: the call that refutes it, and small values where it does."""

    facts: CallFacts
    assignment: Assignment | None


class _Search:
    """The search for a ranking of one group."""

    def __init__(
        self,
        group: tuple[core.Definition, ...],
        calls: Sequence[CallFacts],
        data: Sequence[Sequence[DataType]],
        place: Mapping[str, Place],
    ) -> None:
        self._group = group
        self._keys = tuple(definition.key for definition in group)
        self._calls = calls
        self._constructors = {each.sort: each.constructors for types in data for each in types}
        self._place = place
        self._inexact: core.Term | None = None

    # ── @decreases ───────────────────────────────────────────────────────────────────────────────────────────

    def stated(self, measures: Mapping[str, tuple[core.Term, ...]]) -> dict[str, Termination]:
        """The answer for stated measures."""
        for key, terms in measures.items():
            for term in terms:
                if not is_number(term.sort):
                    return self._unknown(
                        f"the measure {term_text(term)} of {self._name(key)} has the sort {sort_text(term.sort)}, "
                        "and a measure is an integer; for lists, write length(…)"
                    )
        missing = [key for key in self._keys if key not in measures]
        if missing:
            return self._partly_stated(measures, missing)
        ranking = self._of(measures)
        failure: _Refuted | None = None
        for assumed in _assumptions(len(ranking.levels)):
            outcome = self._with_obligations(Ranking(ranking.levels, assumed))
            if not isinstance(outcome, _Refuted):
                return outcome
            failure = failure or outcome
        return self._unknown(self._not_decreasing(failure, ranking))

    def _partly_stated(
        self, measures: Mapping[str, tuple[core.Term, ...]], missing: Sequence[str]
    ) -> dict[str, Termination]:
        quantities: dict[str, Sequence[Quantity]] = {
            key: [Quantity(term) for term in terms if always_defined(term)] for key, terms in measures.items()
        }
        quantities.update((key, self._candidates(key)) for key in missing)
        search = Rankings(self._calls, quantities)
        answer = self._ranked(search)
        if answer is not None:
            return answer
        names = ", ".join(self._name(key) for key in missing)
        return self._unknown(
            f"a measure is stated for a part of the group only; write @decreases(…) before {names} too"
        )

    def _of(self, measures: Mapping[str, tuple[core.Term, ...]]) -> Ranking:
        """The stated measures as levels; shorter ones end with zeros."""
        length = max(len(measures[key]) for key in self._keys)
        zero = (build_terms.integer(0),)
        padded = {key: (*measures[key], *zero * (length - len(measures[key]))) for key in self._keys}
        return Ranking(
            tuple(tuple((key, Quantity(padded[key][level])) for key in self._keys) for level in range(length))
        )

    # ── Guesses ──────────────────────────────────────────────────────────────────────────────────────────────

    def guessed(self) -> dict[str, Termination]:
        """The answer for guessed measures."""
        quantities = {key: self._candidates(key) for key in self._keys}
        search = Rankings(self._calls, quantities)
        answer = self._ranked(search)
        if answer is not None:
            return answer
        for guess in self._guesses(quantities):
            for assumed in _assumptions(1):
                outcome = self._with_obligations(Ranking(guess.levels, assumed), guessed=True)
                if not isinstance(outcome, _Refuted):
                    return outcome
        return self._unknown(self._nothing_found(quantities))

    def _ranked(self, search: Rankings) -> dict[str, Termination] | None:
        """The answer that linear arithmetic proves, if there is one."""
        ranking = search.unconditional()
        if ranking is not None:
            return self._answer(ranking, {}, dict.fromkeys(self._keys))
        for ranking in islice(search.conditional(), _CONDITIONS):
            conditions = self._conditions(ranking)
            if conditions is not None:
                return self._answer(ranking, {}, conditions)
            self._inexact = self._inexact or bound_term(ranking.levels[ranking.assumed[0]][0][1])
        return None

    def _candidates(self, key: str) -> tuple[Quantity, ...]:
        """Guesses for a member: its own, and those of members with parameters of the same sorts."""
        own = next(each for each in self._group if each.key == key)
        found: dict[Quantity, None] = {}
        for other in (own, *(each for each in self._group if each.key != key)):
            if [each.sort for each in other.parameters] == [each.sort for each in own.parameters]:
                calls = [facts.call for facts in self._calls if facts.call.caller.key == other.key]
                for guess in candidates(other, calls):
                    term = build_terms.at_arguments(guess.term, other, own.parameters)
                    found.setdefault(Quantity(term, guess.position))
        return tuple(found)

    def _guesses(self, quantities: Mapping[str, Sequence[Quantity]]) -> Iterator[Ranking]:
        """Rankings of one level that a prover might show."""
        found = 0
        for choice in zip(*(quantities[key] for key in self._keys), strict=False):
            level = dict(zip(self._keys, choice, strict=True))
            if found < _GUESSES and all(self._plausible(facts, level) for facts in self._calls):
                found += 1
                yield Ranking((tuple(level.items()),))

    def _plausible(self, facts: CallFacts, level: Mapping[str, Quantity]) -> bool:
        before, after = level[facts.call.caller.key], level[facts.call.callee.key]
        if before.position is not None or after.position is not None:
            return False
        if not is_whole(before.term.sort) or not is_whole(after.term.sort):
            return False
        value = build_terms.at_arguments(after.term, facts.call.callee, facts.call.arguments)
        return not any(isinstance(each, core.SymbolCall) for each in subterms(value)) and not facts.hopeless(
            before, after
        )

    # ── Answers ──────────────────────────────────────────────────────────────────────────────────────────────

    def _with_obligations(
        self, ranking: Ranking, *, guessed: bool = False
    ) -> dict[str, Termination] | _Refuted:
        """The answer for a ranking, with obligations for what is not proved here; or what refutes one.

        A guess must not rest on premises about symbols, because nothing is known of symbols here.
        """
        search = Rankings(self._calls, {})
        conditions = self._conditions(ranking)
        if conditions is None:
            return _Refuted(self._calls[0], None)
        obligations: dict[str, list[Obligation]] = {}
        for facts in self._calls:
            for formula in self._open_questions(facts, ranking, search):
                if formula is None:
                    return _Refuted(facts, None)
                tried = without_symbols(formula) if guessed else formula
                assignment = refutation(tried, self._constructors_of)
                if assignment is not None:
                    return _Refuted(facts, assignment)
                key = facts.call.caller.key
                own = obligations.setdefault(key, [])
                name = f"{key}::decreases::{len(own) + 1}"
                own.append(Obligation("termination", name, key, formula, self._place[key]))
        return self._answer(ranking, obligations, conditions)

    def _open_questions(
        self, facts: CallFacts, ranking: Ranking, search: Rankings
    ) -> Iterator[core.Term | None]:
        """What of a call is left to prove; None for what cannot be stated over the integers."""
        call = facts.call
        before, after = ranking.measures(call.caller.key), ranking.measures(call.callee.key)
        terms = [each.term for each in (*before, *after)]
        defined = all(map(always_defined, terms))
        conditions = [bound_term(each) for each in ranking.conditions(call.caller.key)]
        if not defined or not search.discharged(facts, ranking):
            if not all(is_whole(term.sort) for term in terms):
                yield None
                return
            yield obligation(
                call,
                self._keys,
                conditions,
                before=[each.term for each in before],
                after=[each.term for each in after],
            )
        kept = [bound_term(each) for each in ranking.conditions(call.callee.key)]
        if kept and not (defined and search.preserved(facts, ranking)):
            yield obligation(call, self._keys, conditions, preserved=kept)

    def _answer(
        self,
        ranking: Ranking,
        obligations: Mapping[str, Sequence[Obligation]],
        conditions: Mapping[str, core.Term | None],
    ) -> dict[str, Termination]:
        return {
            key: Termination(
                "measure",
                measures=tuple(quantity.term for quantity in ranking.measures(key)),
                condition=conditions[key],
                obligations=tuple(obligations.get(key, ())),
            )
            for key in self._keys
        }

    def _conditions(self, ranking: Ranking) -> dict[str, core.Term | None] | None:
        """The conditions of a ranking, outside which no member has a value; None if that is not shown."""
        found: dict[str, core.Term | None] = {}
        for key in self._keys:
            own = [facts for facts in self._calls if facts.call.caller.key == key]
            needed = [
                bound_term(quantity)
                for quantity in ranking.conditions(key)
                if not (always_defined(quantity.term) and own and own[0].always(quantity))
            ]
            found[key] = build_terms.conjunction(needed) if needed else None
        if not any(found.values()):
            return found
        return exact_conditions(self._group, [facts.call for facts in self._calls], found)

    def _constructors_of(self, sort: core.DataSort) -> tuple[core.Constructor, ...]:
        return self._constructors.get(sort, ())

    # ── Reasons ──────────────────────────────────────────────────────────────────────────────────────────────

    def _unknown(self, reason: str) -> dict[str, Termination]:
        if self._inexact is not None:
            reason += (
                f"; it ends where {term_text(self._inexact)}, but may have values elsewhere: end it with ≤ or ≥ "
                "in place of =, or take a parameter in ℕ"
            )
        return {key: Termination("unknown", reason=reason) for key in self._keys}

    def _name(self, key: str) -> str:
        return next((each.name for each in self._group if each.key == key), key)

    def _not_decreasing(self, failure: _Refuted | None, ranking: Ranking) -> str:
        shown = ", ".join(term_text(each.term) for each in ranking.measures(self._keys[0]))
        if failure is None:
            return f"the measure {shown} is not shown to decrease"
        call = failure.facts.call
        shown = ", ".join(term_text(each.term) for each in ranking.measures(call.caller.key))
        start = f"the measure {shown} is not shown to decrease at the call {call} in {call.caller.name}"
        if failure.assignment is None:
            return (
                f"{start}: a measure that is no integer must be at least 1 less; use an integer, or floor(…)"
            )
        values = ", ".join(f"{name} = {value_text(value)}" for name, value in failure.assignment.items())
        return f"{start}: not for {values}; a measure is at least 0 before a call and less at it"

    def _nothing_found(self, quantities: Mapping[str, Sequence[Quantity]]) -> str:
        facts = self._worst(quantities)
        call = facts.call
        tried = (
            ", ".join(term_text(each.term) for each in quantities[call.caller.key])
            or "nothing: no numbers or lists"
        )
        within = f" under {call.within}" if call.within else ""
        return (
            f"the call {call} in {call.caller.name}{within} is not shown to come closer to an end: no argument "
            f"becomes a part of itself, and no measure that was tried decreases ({tried}); state an integer that "
            f"does with @decreases(…) before define {call.caller.name}"
        )

    def _worst(self, quantities: Mapping[str, Sequence[Quantity]]) -> CallFacts:
        """The first call at which nothing that was tried decreases, or else the first call."""
        for facts in self._calls:
            before, after = quantities[facts.call.caller.key], quantities[facts.call.callee.key]
            pairs = zip(before, after, strict=False)
            if all(facts.change(old, new) not in ("less", "falling") for old, new in pairs):
                return facts
        return self._calls[0]


def _assumptions(levels: int) -> tuple[tuple[int, ...], ...]:
    """Which levels to assume not negative: none, each alone, all."""
    single = tuple((index,) for index in range(levels))
    return ((), *single, *((tuple(range(levels)),) if levels > 1 else ()))
