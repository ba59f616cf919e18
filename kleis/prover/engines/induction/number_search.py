"""The engine `induction with laws` for functions of whole numbers: inductions that start later, and laws of growth.

See docs/reference/proving.md §7.10.

    ∀(n : ℕ). n ≥ 4 → n! > 2^n                 from 4: of no n below 4 does the step follow
    ∀(t : Tree). size(t) < 2^height(t)         with the law  ∀a b. a ≤ b → 2^a ≤ 2^b
    ∀(n : ℕ). n ≥ 1 → n! ≥ 2^(n - 1)           with the law  ∀(k : ℤ). 2^k = 2 * 2^(k - 1), an identity

Numbers at which an induction may start are those that the claim mentions, and the next ones: a hypothesis `n ≥ 4` or `n > 3`
says where.  Laws are candidates until they are proved: that a function of a number has positive values, and that they do
not become smaller.  Candidates that small values refute are dropped.

Invariants
    * A law is proved before it is used, by the schemes of the checker; the proof that is left is a certificate's.
    * Steps are Z3's, and a fixed number for each run; the same task and budget give the same proof.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from kleis import core
from kleis.core.build_terms import as_number, at_least, conjunction, difference, integer
from kleis.core.goal import Goal
from kleis.core.traversal import free_variables, subterms
from kleis.prover.checker.format import Identity, Induction
from kleis.prover.checker.rules.identities import asked_for
from kleis.prover.checker.rules.induction import obligations
from kleis.prover.checker.rules.open_claims import opened
from kleis.prover.checker.sequent import RejectedError, Sequent
from kleis.prover.engines.induction.law_formulas import NUMBERS, closed, parameter
from kleis.prover.engines.induction.lemmas import EVALUATION, plausible
from kleis.prover.engines.induction.proved_laws import Leaf, Proof, SearchWithLaws, Split, task_of
from kleis.prover.engines.induction.search import ATTEMPT, WAYS, descends
from kleis.prover.lowering.defunctionalize import expanded
from kleis.prover.protocol.engine import Answer, Task
from kleis.semantics.reference import Account

__all__ = ["OF_NUMBERS", "NumberSearch"]

_FARTHEST = 30
"""The largest number at which an induction is tried."""

_USUAL = (1, 2, 3, 4)
"""Numbers at which inductions start that the claim does not mention."""

_MOST_STARTS = 8

_MOST_LAWS = 12

_OF_IDENTITIES = 2_000
"""Steps for one identity."""

_WHOLE = (core.NATURAL, core.INTEGER)

_RECURRING = {"power": 1, "factorial": 0}
"""Built-ins that are recursions over a natural number, with its place."""


class NumberSearch:
    """The engine."""

    name = "induction with laws"

    def applies(self, task: Task) -> bool:
        """To claims about recursive functions of whole numbers, powers and factorials among them."""
        goal = task.goal
        if goal.unsettled or goal.claim is None:
            return False
        try:
            variables, _ = opened(goal.claim)
        except RejectedError:
            return False
        recursive = (core.ListOf, core.DataSort)
        if not any(each.sort in _WHOLE or isinstance(each.sort, recursive) for each in variables):
            return False
        return any(True for _ in (*_growing(goal, goal.claim), *_whole_powers(goal.claim)))

    def run(self, task: Task, steps: int) -> Answer:
        """Without laws from a later start, then with the laws that can be proved."""
        return _Search(task, steps).answer()


OF_NUMBERS = NumberSearch()


class _Call(msgspec.Struct, frozen=True):
    """A call of a recursive function, and the place of the number over which it recurs."""

    term: core.BuiltinCall | core.DefinitionCall
    place: int

    def at(self, number: core.Term, others: Sequence[core.Term]) -> core.Term:
        """The function at a number, its other arguments given in full."""
        arguments = (*others[: self.place], number, *others[self.place + 1 :])
        return msgspec.structs.replace(self.term, arguments=arguments)


class _Search(SearchWithLaws):
    """The search for one proof."""

    def _said(self) -> str:
        return f"no induction from a later start found, {len(self._laws)} laws of growth proved"

    def _found(self) -> Proof | None:
        """A proof of the claim: from a later start, then with laws, by every scheme."""
        later = tuple(self._later(self._claim))
        for formula in dict.fromkeys(law for each in _whole_powers(self._claim) for law in _of_power(each)):
            self._become_identity(formula)
        if (
            proof := self._by(self._claim, (*_plain(self._claim), *later) if self._laws else later)
        ) is not None:
            return proof
        account = Account(EVALUATION)
        for formula in tuple(_laws(self._goal, self._claim))[:_MOST_LAWS]:
            if plausible(self._goal, formula, account):
                self._become_law(formula)
        if not self._laws:
            return None
        leaf = self._leaf(self._asked(self._claim, self._laws), ground=False)
        return leaf or self._by(self._claim, (*_plain(self._claim), *later))

    def _become_identity(self, formula: core.Term) -> None:
        """Keep a candidate whose sides have one form wherever they have a value, if they have one everywhere."""
        try:
            asked, used = asked_for(self._goal, formula, _OF_IDENTITIES)
        except RejectedError:
            return
        self._used += used
        if asked is None:
            self._keep(formula, Identity())

    def _become_law(self, formula: core.Term) -> None:
        """Prove a candidate, and keep it."""
        found = self._by(formula, tuple(reversed(tuple(_plain(formula)))))
        if found is not None:
            self._keep(formula, found)

    def _by(self, formula: core.Term, schemes: Sequence[Induction]) -> Split | None:
        """A proof by one of some inductions; the last of its cases, which mostly decides, is tried first."""
        sequent = self._asked(formula, self._laws)
        for scheme in schemes:
            try:
                left = obligations(sequent, scheme)
            except RejectedError:
                continue
            cases: list[tuple[str, Leaf | Split]] = []
            for name, each in reversed(left):
                leaf = self._leaf(each, ground=bool(scheme.by) and name != "step")
                if leaf is None:
                    break
                cases.insert(0, (name, leaf))
            else:
                return Split(scheme, tuple(cases))
        return None

    def _later(self, formula: core.Term) -> Iterator[Induction]:
        """Inductions over whole numbers that start at a number of the claim, or the next one."""
        variables, body = opened(formula)
        called = {call.term: call for call in _growing(self._goal, body)}
        over = [call.term.arguments[call.place] for call in called.values()]
        over += [each.arguments[1] for each in _whole_powers(body)]
        recurring = {variable for each in over for variable in free_variables(each)}
        on = [each for each in variables if each.sort in _WHOLE and each in recurring]
        twice = any(_calls_itself_twice(self._goal, each.term) for each in called.values())
        for by in (1, 2) if twice else (1,):
            yield from (Induction(each.name, (), start, by) for start in _starts(body) for each in on)

    def _leaf(self, sequent: Sequent, *, ground: bool) -> Leaf | None:
        """The sequent refuted by Z3, if it is in one of the ways; where it only computes, first by Z3's own recursion."""
        task = expanded(task_of(sequent), powers=True)
        for options in reversed(WAYS) if ground else WAYS:
            script, run = self._refute(task, options, ATTEMPT)
            if run.status == "unsat":
                return Leaf(script, run, options)
            if run.status == "sat" and not options.patterns_only:
                return None
        return None


def _plain(formula: core.Term) -> Iterator[Induction]:
    """Inductions over all values of lists, data and natural numbers, and over integers from 0."""
    for each in opened(formula)[0]:
        if isinstance(each.sort, core.ListOf | core.DataSort):
            yield Induction(each.name, ())
        elif each.sort in _WHOLE:
            yield Induction(each.name, (), 0, 1)


def _starts(body: core.Term) -> tuple[int, ...]:
    """Where an induction may start, in the order in which the claim mentions the numbers."""
    found: dict[int, None] = {}
    for each in subterms(body):
        if isinstance(each, core.LiteralTerm) and type(each.value) is int:
            found.update(dict.fromkeys((each.value, each.value + 1)))
    found.update(dict.fromkeys(_USUAL))
    return tuple(each for each in found if 0 < each <= _FARTHEST)[:_MOST_STARTS]


def _growing(goal: Goal, formula: core.Term) -> Iterator[_Call]:
    """The calls in a formula of functions that recur over a whole number and have numbers as values."""
    definitions = {each.key: each for each in goal.definitions}
    for each in dict.fromkeys(subterms(formula)):
        match each:
            case core.BuiltinCall(operation=operation, arguments=arguments) if operation.name in _RECURRING:
                place = _RECURRING[operation.name]
                known = isinstance(_uncoerced(arguments[place]), core.LiteralTerm)
                if operation.parameters[place].sort == core.NATURAL and not known:
                    yield _Call(each, place)
            case core.DefinitionCall(definition=key, sort=sort) if sort in NUMBERS:
                termination = goal.termination(key)
                definition = definitions[key]
                if termination is None or not definition.group:
                    continue
                for place in sorted(descends(definition, termination)):
                    if definition.parameters[place].sort in _WHOLE:
                        yield _Call(each, place)


def _whole_powers(formula: core.Term) -> Iterator[core.BuiltinCall]:
    """The powers in a formula of a base that is known, with an exponent in ℤ that is not: solvers know nothing of them."""
    for each in dict.fromkeys(subterms(formula)):
        if isinstance(each, core.BuiltinCall) and each.operation.name == "power":
            base, exponent = each.arguments
            if exponent.sort == core.INTEGER and free_variables(exponent) and not free_variables(base):
                yield each


def _uncoerced(term: core.Term) -> core.Term:
    while isinstance(term, core.Coercion):
        term = term.term
    return term


def _calls_itself_twice(goal: Goal, call: core.BuiltinCall | core.DefinitionCall) -> bool:
    """Whether a definition calls itself at several places, as Fibonacci's numbers are defined."""
    if isinstance(call, core.BuiltinCall):
        return False
    body = next(each.body for each in goal.definitions if each.key == call.definition)
    calls = {each for each in subterms(body) if isinstance(each, core.DefinitionCall)}
    return sum(each.definition == call.definition for each in calls) > 1


# ── Laws of growth ───────────────────────────────────────────────────────────────────────────────────────────


def _laws(goal: Goal, claim: core.Term) -> Iterator[core.Term]:
    """That the functions of a claim have positive values, and grow, as candidates."""
    found: dict[core.Term, None] = {}
    for call in _growing(goal, opened(claim)[1]):
        sort = call.term.arguments[call.place].sort
        a, b = core.Variable("a", sort), core.Variable("b", sort)
        others = [
            each if not free_variables(each) else parameter(place, each.sort)
            for place, each in enumerate(call.term.arguments)
        ]
        guards = [_at_least_one(each) for place, each in enumerate(others) if _is_open(each, call, place)]
        if sort == core.INTEGER:
            guards.append(at_least(a, as_number(core.LiteralTerm(0, core.NATURAL), sort)))
        low, high = call.at(a, others), call.at(b, others)
        found.setdefault(closed(_given(guards, _at_least_one(low))))
        found.setdefault(closed(_given([*guards, at_least(b, a)], at_least(high, low))))
    yield from found


def _of_power(call: core.BuiltinCall) -> Iterator[core.Term]:
    """What powers with exponents in ℤ are by those with the exponent before, and at 0, as candidates."""
    base, k = call.arguments[0], core.Variable("k", core.INTEGER)

    def at(exponent: core.Term) -> core.Term:
        return msgspec.structs.replace(call, arguments=(base, exponent))

    parameters = tuple(core.Variable(each, call.sort) for each in "ab")
    times = core.Operation("times", parameters, call.sort)
    yield closed(core.Equals(at(k), core.BuiltinCall(times, (base, at(difference(k, integer(1)))))))
    yield closed(core.Equals(at(difference(k, k)), as_number(core.LiteralTerm(1, core.NATURAL), call.sort)))


def _is_open(argument: core.Term, call: _Call, place: int) -> bool:
    return place != call.place and isinstance(argument, core.Variable) and argument.sort in NUMBERS


def _at_least_one(term: core.Term) -> core.Term:
    return at_least(term, as_number(core.LiteralTerm(1, core.NATURAL), term.sort))


def _given(guards: Sequence[core.Term], conclusion: core.Term) -> core.Term:
    return core.Connective("implies", (conjunction(guards), conclusion)) if guards else conclusion
