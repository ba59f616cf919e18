"""Deciding a goal by brute force: every interpretation within the bounds, the axioms checked in each.

A model gives every carrier a number of elements and every symbol a function, so that all axioms are true.  A claim that
is not true in a model is disproved. See docs/reference/proving.md §4.5.

How interpretations are tried
    The symbols get their functions one after the other, and every axiom is checked as soon as all its symbols have one;
    what fails goes no further.  If there are at most `Bounds.tables` ways to go on, all are tried, otherwise
    `Bounds.samples` of them, drawn from a fixed seed.

    In the one-sided mode, where the functions that are tried are not all there are (on infinite sorts, or to them), the
    symbol is also left *open*: an open symbol stands for every function, and what is decided nevertheless holds for all
    of them.  In the relativised mode functions have their values in the range, and on infinite sorts only some are tried.

    An interpretation in which an axiom stays open is *unconfirmed*: nothing is disproved by it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from random import Random
from typing import Any, Literal, NamedTuple

import msgspec

from kleis import core
from kleis.core.goal import Goal
from kleis.core.traversal import bound_by, reach, subterms
from kleis.errors import BudgetError
from kleis.semantics.ranges import Bounds, Function, Ranges, Tables
from kleis.semantics.reference import Account, Evaluator, Mode
from kleis.semantics.truth import FALSE, TRUE
from kleis.values import Value

__all__ = ["Decision", "Model", "decide", "evaluator_of"]


@dataclass(frozen=True, slots=True)
class Model:
    """An interpretation: the sizes of the carriers, and functions for the symbols that are not left open."""

    sizes: Mapping[core.Carrier, int]
    symbols: Mapping[core.Symbol, Function]


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What brute force found.

    status
        ``disproved``: the claim is not true in `model`, which satisfies every axiom.
        ``true``: the claim is true in every interpretation tried that may satisfy the axioms.
        ``model``: there was no claim, and `model` satisfies every axiom.  ``open``: none of these.
    undefined
        The claim is disproved because it is undefined in `model`; no model was found where it is false.
    point
        Of a disproved claim: values for the variables of its outermost ∀, where such values show it.
    models
        How many models were found, all axioms checked.
    exhaustive
        Nothing within the bounds was left out: no sample was drawn, and the budget sufficed.
    conclusive
        Of a true claim: it is true in all models whatsoever.
    exceeded
        The budget left something open.
    """

    status: Literal["disproved", "true", "model", "open"]
    model: Model | None = None
    undefined: bool = False
    point: Mapping[str, Value] = {}
    models: int = 0
    exhaustive: bool = False
    conclusive: bool = False
    exceeded: bool = False


def decide(
    goal: Goal,
    bounds: Bounds | None = None,
    mode: Mode = "one-sided",
    functions: Mapping[str, Sequence[Callable[..., Any]]] | None = None,
) -> Decision:
    """Decide a claim, or whether the declarations have a model, by brute force.

    `functions` gives Python functions for symbols by name; these are then the only ones tried.
    """
    bounds = bounds or Bounds()
    account = Account(bounds.budget)
    search = _Search(goal, bounds, mode, functions or {}, account)
    tally = _Tally(goal, mode)
    try:
        for found in search.interpretations():
            if tally.has_shown(found):
                break
    except (BudgetError, RecursionError):
        # Values of a type with functions among its parts may nest without end.  Only the steps of the whole decision
        # end here; what a single term exceeds leaves that term open.
        search.exhaustive = False
        account.exceeded = True
    return tally.decision(exhaustive=search.exhaustive, exceeded=account.exceeded)


def evaluator_of(
    goal: Goal, model: Model, bounds: Bounds, mode: Mode, account: Account | None = None
) -> Evaluator:
    """The evaluator of the terms of a goal in one interpretation."""
    groups = tuple({each.sort: each.constructors for each in group} for group in goal.data)
    account = account or Account(bounds.budget)
    return Evaluator(goal, Ranges(bounds, model.sizes, groups, account), account, mode, model.symbols)


class _Found(NamedTuple):
    """An interpretation of all symbols; `confirmed` if every axiom is true in it, none false or undefined."""

    model: Model
    evaluator: Evaluator
    confirmed: bool


class _Tally:
    """The result of the interpretations so far."""

    def __init__(self, goal: Goal, mode: Mode) -> None:
        self._claim = goal.claim
        self._lasting = mode == "one-sided" and not goal.carriers
        self._models = 0
        self._all_true = goal.claim is not None
        self._undefined: Decision | None = None
        self._shown: Decision | None = None

    def has_shown(self, found: _Found) -> bool:
        """Count an interpretation; whether the question is decided by it."""
        self._models += found.confirmed
        if self._claim is None:
            if found.confirmed:
                self._shown = Decision(status="model", model=found.model)
            return found.confirmed
        truth = found.evaluator.truth(self._claim)
        self._all_true = self._all_true and truth is TRUE
        if not found.confirmed or truth.may_be_true:
            return False
        point = _counterexample(found.evaluator, self._claim)
        if truth is FALSE:
            self._shown = Decision(status="disproved", model=found.model, point=point)
        elif self._undefined is None:
            self._undefined = Decision(status="disproved", undefined=True, model=found.model, point=point)
        return truth is FALSE

    def decision(self, *, exhaustive: bool, exceeded: bool) -> Decision:
        """The answer when the search has ended."""
        answer = self._shown or self._undefined
        if answer is None:
            every = self._all_true and not (exceeded and not exhaustive)
            answer = Decision(
                status="true" if every else "open", conclusive=every and exhaustive and self._lasting
            )
        return msgspec.structs.replace(answer, models=self._models, exhaustive=exhaustive, exceeded=exceeded)


def _counterexample(evaluator: Evaluator, claim: core.Term) -> dict[str, Value]:
    """Values for the outermost universal variables where the claim is false, else where it is undefined."""
    environment: dict[str, Value] = {}
    while isinstance(claim, core.Quantifier) and claim.kind == "forall":
        found: dict[str, Value] | None = None
        for inner in evaluator.environments(claim.variables, environment)[0]:
            truth = evaluator.truth(claim.body, inner)
            if not truth.may_be_true and (found is None or truth is FALSE):
                found = inner
            if truth is FALSE:
                break
        if found is None:
            break
        environment, claim = found, claim.body
    return environment


# ── Interpretations ──────────────────────────────────────────────────────────────────────────────────────────


class _Candidates:
    """The functions tried for a symbol, by number; None leaves it open.

    `complete` says that they stand for all functions there are.
    """

    def __init__(self, listed: Sequence[Function | None], tables: Tables | None, *, complete: bool) -> None:
        self._listed = listed
        self._tables = tables
        self.count = len(listed) + (0 if tables is None else tables.count)
        self.complete = complete

    def __getitem__(self, number: int) -> Function | None:
        if number < len(self._listed) or self._tables is None:
            return self._listed[number]
        return self._tables[number - len(self._listed)]


class _Axiom(NamedTuple):
    formula: core.Term
    symbols: frozenset[core.Symbol]
    variables: int


class _Search:
    """All interpretations within the bounds, those left out that fail an axiom.

    `exhaustive` is false as soon as others are left out too.
    """

    def __init__(
        self,
        goal: Goal,
        bounds: Bounds,
        mode: Mode,
        functions: Mapping[str, Sequence[Callable[..., Any]]],
        account: Account,
    ) -> None:
        self.exhaustive = True
        self._goal = goal
        self._bounds = bounds
        self._mode = mode
        self._functions = functions
        self._account = account
        axioms = [
            _Axiom(each.formula, self._symbols(each.formula), _bound(each.formula)) for each in goal.axioms
        ]
        # Cheap axioms first: most interpretations fail one of them.
        self._axioms = sorted(axioms, key=lambda axiom: axiom.variables)
        self._claimed = self._symbols(goal.claim) if goal.claim is not None else frozenset()

    def interpretations(self) -> Iterator[_Found]:
        """Small carriers first."""
        carriers = [sort for sort in self._goal.carriers if isinstance(sort, core.Carrier)]
        sizes = product(range(1, self._bounds.carrier + 1), repeat=len(carriers))
        for chosen in sorted(sizes, key=sum):
            yield from self._of_sizes(dict(zip(carriers, chosen, strict=True)))

    def _of_sizes(self, sizes: Mapping[core.Carrier, int]) -> Iterator[_Found]:
        model = Model(sizes, {})
        evaluator = evaluator_of(self._goal, model, self._bounds, self._mode, self._account)
        known: set[core.Symbol] = set()
        found = self._checked([_Found(model, evaluator, True)], self._due(set(), known))
        candidates = {symbol: self._candidates(symbol, evaluator.ranges) for symbol in self._reached()}
        for symbol in self._order(candidates):
            before = set(known)
            known.add(symbol)
            grown = self._grown(list(found), symbol, candidates[symbol])
            found = self._checked(grown, self._due(before, known))
        yield from found

    def _reached(self) -> frozenset[core.Symbol]:
        return self._claimed.union(*(axiom.symbols for axiom in self._axioms))

    def _due(self, before: set[core.Symbol], now: set[core.Symbol]) -> list[core.Term]:
        """The axioms that can be checked now, and could not before."""
        checkable = [axiom for axiom in self._axioms if axiom.symbols <= now]
        return [axiom.formula for axiom in checkable if not now or not axiom.symbols <= before]

    def _grown(
        self, found: Sequence[_Found], symbol: core.Symbol, candidates: _Candidates
    ) -> Iterator[_Found]:
        """Every interpretation with every candidate for one more symbol, or a sample of them."""
        self.exhaustive = self.exhaustive and candidates.complete
        count = len(found) * candidates.count
        numbers: Sequence[int] = range(count) if count <= self._bounds.tables else self._sample(symbol, count)
        for number in numbers:
            self._account.charge(1)
            which, candidate = divmod(number, candidates.count)
            function = candidates[candidate]
            model, evaluator, confirmed = found[which]
            if function is not None:
                model = Model(model.sizes, {**model.symbols, symbol: function})
                evaluator = evaluator.under(model.symbols)
            yield _Found(model, evaluator, confirmed)

    def _sample(self, symbol: core.Symbol, count: int) -> list[int]:
        self.exhaustive = False
        random = Random(f"{self._bounds.seed} {symbol.name}")
        return sorted({random.randrange(count) for _ in range(self._bounds.samples)})

    def _checked(self, found: Iterable[_Found], axioms: Sequence[core.Term]) -> Iterator[_Found]:
        """The interpretations in which no axiom fails to be true."""
        for each in found:
            confirmed = each.confirmed
            for formula in axioms:
                truth = each.evaluator.truth(formula)
                if not truth.may_be_true:
                    break
                confirmed = confirmed and truth is TRUE
            else:
                yield each._replace(confirmed=confirmed)

    def _candidates(self, symbol: core.Symbol, ranges: Ranges) -> _Candidates:
        given = self._functions.get(symbol.name)
        if given is not None:
            listed = [Function(symbol.name, symbol.domain, each, total=True) for each in given]
            return _Candidates(listed, None, complete=False)
        tables = ranges.tables(symbol.domain, symbol.codomain)
        relativised = self._mode == "relativised"
        if tables is None:
            some = ranges.some_functions(symbol.domain, symbol.codomain)
            return _Candidates(some if relativised else (None, *some), None, complete=not relativised)
        return _Candidates(() if relativised or tables.complete else (None,), tables, complete=True)

    def _order(self, candidates: Mapping[core.Symbol, _Candidates]) -> list[core.Symbol]:
        """The symbols of axioms with few interpretations first, those that only the claim mentions last."""
        order: list[core.Symbol] = []

        def cost(symbols: frozenset[core.Symbol]) -> int:
            return prod(candidates[symbol].count for symbol in symbols.difference(order))

        def rank(symbol: core.Symbol) -> tuple[int, str]:
            return candidates[symbol].count, str(symbol)

        waiting = [axiom.symbols for axiom in self._axioms]
        while waiting:
            cheapest = min(waiting, key=cost)
            waiting.remove(cheapest)
            order.extend(sorted(cheapest.difference(order), key=rank))
        return order + sorted(self._claimed.difference(order), key=rank)

    def _symbols(self, term: core.Term) -> frozenset[core.Symbol]:
        """The symbols that a term mentions, directly or through definitions."""
        definitions = {each.key: each for each in self._goal.definitions}
        return frozenset(reach([term], definitions).symbols)


def _bound(term: core.Term) -> int:
    return sum(len(bound_by(each)) for each in subterms(term))
