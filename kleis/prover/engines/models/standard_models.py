"""The engine `standard models`: carriers read as numbers, texts or lists, symbols as familiar operations, every axiom proved.

See docs/reference/proving.md §7.11.

Theories whose models are all infinite have no tables: dense orders, successor functions, ordered fields, stacks, words.
The symbols are interpreted one after the other; an axiom that fails at small numbers ends a branch.  An interpretation that survives
is proved: under it every axiom is a closed formula of arithmetic, and so is the negated claim.

Invariants
    * What is found is proved formula by formula, as the rule of the checker asks it (`kleis.prover.checker.rules.interpretation`).
    * All carriers are read as one set, or some as lists of ℤ and the others as ℤ.
    * Steps are evaluations of terms by the reference semantics, and a fixed number for each query to Z3.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from kleis import core
from kleis.budget import Budget
from kleis.core.goal import Axiom, Goal
from kleis.core.sort_printing import sort_text
from kleis.core.traversal import stripped, subterms
from kleis.errors import BudgetError
from kleis.problems import Place
from kleis.prover.checker.rules.interpretation import leaves_of, parameters_of
from kleis.prover.checker.rules.interpreted_goals import Translation
from kleis.prover.checker.sequent import CheckError, Sequent
from kleis.prover.engines.models.standard_operations import candidates
from kleis.prover.engines.models.stated_operations import stated
from kleis.prover.engines.solvers.runs import run_text, script_text
from kleis.prover.lowering.defunctionalize import expanded
from kleis.prover.protocol.engine import Answer, Inexpressible, Outcome, Task
from kleis.prover.protocol.witness import Interpretation
from kleis.prover.smt.script import encode
from kleis.semantics.models import Model, evaluator_of
from kleis.semantics.ranges import Bounds
from kleis.semantics.reference import Account, Evaluator
from kleis.semantics.truth import FALSE
from kleis.values import Value

__all__ = ["INTERPRETATIONS", "is_proved"]

_QUERY = 200_000

_QUERY_COST = 20_000

_QUERIES = 60

_NUMBERS = (core.INTEGER, core.REAL, core.NATURAL)

_LIST = core.ListOf(core.INTEGER)

_MOST_LISTS = 3
"""Carriers that may be lists: what is read as what is tried in all ways."""

_HERE = Place(file="<premise>", line=1, column=1)

_SMALL = Bounds(integer=2, natural=2, denominator=2, values=9, points=200, length=1)


# ── Proofs under an interpretation ───────────────────────────────────────────────────────────────────────────


def is_proved(leaf: Sequent, steps: int) -> bool:
    """Whether Z3 proves a formula of an interpreted goal from its premises, asked by the engines' encoder."""
    text = _question(leaf)
    return text is not None and _refuted(text, steps)


def _question(leaf: Sequent) -> str | None:
    """The script of a formula's negation, and of its premises; None where it has none."""
    premises = tuple(Axiom(name, formula, "fact", _HERE) for name, formula in leaf.premises)
    goal = msgspec.structs.replace(leaf.goal, claim=leaf.claim, axioms=premises)
    try:
        script = encode(expanded(Task(goal)))
    except Inexpressible:
        return None
    return script_text(script, script.claim)


def _refuted(text: str, steps: int) -> bool:
    return run_text(text, steps).status == "unsat"


def _holds(goal: Goal, found: Interpretation, steps: int, asked: dict[str, bool]) -> bool:
    """Whether an interpretation is a model of every axiom in which the claim, if there is one, is false.

    What was `asked` of others is not asked again: interpretations that follow each other differ in one symbol.
    """
    meanings = {symbol: (parameters, body) for symbol, parameters, body in found.symbols}
    translation = Translation(goal, dict(found.carriers), meanings)
    variables = () if goal.claim is None else stripped(translation.formula(goal.claim))[0]
    values = dict(found.point)
    point = tuple((each, values[each.name]) for each in variables) if values else ()
    try:
        leaves = leaves_of(goal, translation, point)
    except CheckError:
        return False
    texts = [_question(leaf) for _, leaf in leaves]
    if any(text is None or asked.get(text) is False for text in texts):
        return False
    for text in texts:
        assert text is not None
        if text not in asked:
            asked[text] = _refuted(text, steps)
        if not asked[text]:
            return False
    return True


# ── The search ───────────────────────────────────────────────────────────────────────────────────────────────


class Interpretations:
    """The engine."""

    name = "standard models"

    def applies(self, task: Task) -> bool:
        """To axioms with unknown symbols or carriers, all of which can be numbers, texts or truth values."""
        goal = task.goal
        if goal.unsettled or not (goal.symbols or goal.carriers):
            return False
        plain = all(isinstance(each, core.Carrier) and not each.arguments for each in goal.carriers)
        return plain and any(_choices(goal))

    def run(self, task: Task, steps: int) -> Answer:
        """Each reading of the carriers in turn."""
        account = Account(Budget(steps=steps, depth=150, size=100_000))
        tried = []
        asked: dict[str, bool] = {}
        try:
            for carriers, table in _choices(task.goal):
                search = _Search(task, carriers, table, account)
                for found in search.interpretations():
                    if _holds(task.goal, found, _QUERY, asked):
                        return _answer(task.goal.claim is not None, found, account)
                tried.append(" and ".join(dict.fromkeys(map(sort_text, carriers.values()))) or "ℤ")
        except BudgetError:
            return Answer(outcome="silent", reason="resource", detail="steps used up", steps=steps)
        detail = f"no standard model over {' or '.join(tried)}"
        return Answer(outcome="silent", reason="incomplete", detail=detail, steps=account.used)


INTERPRETATIONS = Interpretations()


def _answer(refuted: bool, found: Interpretation, account: Account) -> Answer:
    outcome: Outcome = "refuted" if refuted else "model"
    return Answer(outcome=outcome, witness={"interpretation": found}, steps=account.used)


_Table = dict[core.Symbol, tuple[tuple[core.Variable, ...], tuple[core.Term, ...]]]


def _choices(goal: Goal) -> Iterator[tuple[dict[core.Carrier, core.Sort], _Table]]:
    """What carriers are read as, with the candidates for every symbol."""
    for sorts in _readings(len(goal.carriers)):
        carriers: dict[core.Carrier, core.Sort] = {
            each: sort
            for each, sort in zip(goal.carriers, sorts, strict=True)
            if isinstance(each, core.Carrier)
        }
        table: _Table = {}
        for symbol in goal.symbols:
            parameters, result = parameters_of(symbol, carriers)
            table[symbol] = parameters, (*candidates(parameters, result), *stated(goal, symbol, parameters))
        if all(terms for _, terms in table.values()):
            yield carriers, table


def _readings(carriers: int) -> Iterator[tuple[core.Sort, ...]]:
    """All carriers as the same numbers, or as texts; then some of a few as lists of ℤ, and the others as ℤ."""
    if not carriers:
        yield ()
        return
    for sort in (*_NUMBERS, core.STRING):
        yield (sort,) * carriers
    if carriers <= _MOST_LISTS:
        either: tuple[core.Sort, ...] = (core.INTEGER, _LIST)
        yield from (each for each in itertools.product(either, repeat=carriers) if _LIST in each)


class _Search:
    """Searches the interpretations of the symbols, for one reading of the carriers, that no small values refute."""

    def __init__(
        self, task: Task, carriers: dict[core.Carrier, core.Sort], table: _Table, account: Account
    ) -> None:
        self._carriers = carriers
        self._table = table
        self._account = account
        self._goal = task.goal
        self._used = {axiom.name: _symbols_of(axiom.formula) for axiom in task.goal.axioms}
        self._queries = 0

    def interpretations(self) -> Iterator[Interpretation]:
        """Depth first, the symbols of the smallest axioms first."""
        yield from self._extended(self._order(), {})

    def _order(self) -> list[core.Symbol]:
        order: list[core.Symbol] = []
        waiting = list(self._used.values())
        while waiting:
            least = min(waiting, key=lambda each: sum(1 for symbol in each if symbol not in order))
            waiting.remove(least)
            order += [symbol for symbol in self._table if symbol in least and symbol not in order]
            known = set(order)
            waiting = [each - known for each in waiting if not each <= known]
        return order + [symbol for symbol in self._table if symbol not in order]

    def _extended(
        self, order: Sequence[core.Symbol], chosen: dict[core.Symbol, core.Term]
    ) -> Iterator[Interpretation]:
        if len(chosen) == len(order):
            yield from self._whole(chosen)
            return
        symbol = order[len(chosen)]
        for term in self._table[symbol][1]:
            longer = {**chosen, symbol: term}
            if self._possible(symbol, longer):
                yield from self._extended(order, longer)

    def _translation(self, goal: Goal, chosen: Mapping[core.Symbol, core.Term]) -> Translation:
        meanings = {symbol: (self._table[symbol][0], term) for symbol, term in chosen.items()}
        return Translation(goal, self._carriers, meanings)

    def _possible(self, newest: core.Symbol, chosen: Mapping[core.Symbol, core.Term]) -> bool:
        """Whether no axiom about the symbols interpreted so far fails at small numbers."""
        known = set(chosen)
        due = [
            axiom
            for axiom in self._goal.axioms
            if newest in self._used[axiom.name] and self._used[axiom.name] <= known
        ]
        if not due:
            return True
        bare = msgspec.structs.replace(self._goal, axioms=(), claim=None)
        translation = self._translation(bare, chosen)
        evaluator = self._evaluator(translation.goal)
        return all(evaluator.truth(translation.formula(each.formula)).may_be_true for each in due)

    def _evaluator(self, goal: Goal) -> Evaluator:
        bounds = msgspec.structs.replace(_SMALL, budget=self._account.budget)
        return evaluator_of(goal, Model({}, {}), bounds, "one-sided", self._account)

    def _whole(self, chosen: dict[core.Symbol, core.Term]) -> Iterator[Interpretation]:
        """The complete interpretation, if the claim may fail in it."""
        symbols = tuple((symbol, self._table[symbol][0], term) for symbol, term in chosen.items())
        assignment: tuple[tuple[str, Value], ...] = ()
        if self._goal.claim is not None:
            translation = self._translation(self._goal, chosen)
            claim = translation.formula(self._goal.claim)
            evaluator = self._evaluator(translation.goal)
            truth = evaluator.truth(claim)
            if not truth.may_be_false:
                return
            if truth is FALSE:
                assignment = _assignment(evaluator, claim)
        self._queries += 1
        self._account.charge(_QUERY_COST)
        if self._queries <= _QUERIES:
            yield Interpretation(carriers=tuple(self._carriers.items()), symbols=symbols, point=assignment)


def _assignment(evaluator: Evaluator, claim: core.Term) -> tuple[tuple[str, Value], ...]:
    """An assignment of small values at which a claim is false; empty if its outermost variables range over something else."""
    variables, hypotheses, rest = stripped(claim)
    for hypothesis in reversed(hypotheses):
        rest = core.Connective("implies", (hypothesis, rest))
    if not variables or any(each.sort not in (*_NUMBERS, core.STRING, _LIST) for each in variables):
        return ()
    for environment in evaluator.environments(variables, {})[0]:
        if evaluator.truth(rest, environment) is FALSE:
            return tuple((each.name, environment[each.name]) for each in variables)
    return ()


def _symbols_of(term: core.Term) -> frozenset[core.Symbol]:
    return frozenset(each.symbol for each in subterms(term) if isinstance(each, core.SymbolCall))
