"""The engine `standard models`: carriers read as ℤ, ℝ or ℕ, symbols as familiar operations, every axiom proved.

See docs/reference/proving.md §7.11.

Theories whose models are all infinite have no tables: dense orders, successor functions, ordered fields.  The symbols
are interpreted one after the other; an axiom that fails at small numbers ends a branch.  An interpretation that survives
is proved: under it every axiom is a closed formula of arithmetic, and so is the negated claim.

Invariants
    * What is found is checked by `check_interpretation`, which shares the translation with the search and nothing else.
    * All carriers are read as the same set of numbers.
    * Steps are evaluations of terms by the reference semantics, and a fixed number for each query to Z3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from kleis import core
from kleis.budget import Budget
from kleis.core.goal import Goal
from kleis.core.sort_printing import sort_text
from kleis.core.traversal import rebuild, stripped, substitute, subterms
from kleis.delaborate.describe_goal import expression_of
from kleis.errors import BudgetError
from kleis.prover.engines.models.standard_operations import candidates
from kleis.prover.engines.solvers.runs import run_text, script_text
from kleis.prover.protocol.engine import Answer, Inexpressible, Outcome, Task
from kleis.prover.protocol.verdict import Binding, Evidence
from kleis.prover.protocol.witness import Interpretation
from kleis.prover.smt.script import encode
from kleis.semantics.foreign_values import NamelessError, SortMembership, value_to_term
from kleis.semantics.models import Model, evaluator_of
from kleis.semantics.ranges import Bounds
from kleis.semantics.reference import Account, Evaluator
from kleis.semantics.truth import FALSE
from kleis.syntax.printer.program import print_expression
from kleis.values import Value
from kleis.values.text import render_value

__all__ = [
    "INTERPRETATIONS",
    "check_interpretation",
    "interpretation_evidence",
    "interpreted",
    "is_standard",
    "proved_evidence",
]

_QUERY = 200_000

_QUERY_COST = 20_000

_QUERIES = 60

_NUMBERS = (core.INTEGER, core.REAL, core.NATURAL)

_SMALL = Bounds(integer=2, natural=2, denominator=2, values=9, points=200, length=1)


# ── A goal under an interpretation ───────────────────────────────────────────────────────────────────────────


class _Translation:
    """Translates terms: carriers become sorts of numbers, calls of interpreted symbols their values."""

    def __init__(self, carriers: Mapping[core.Carrier, core.Sort]) -> None:
        self._carriers = carriers
        self.values: dict[core.Symbol, tuple[tuple[core.Variable, ...], core.Term]] = {}

    def sorted(self, node: Any) -> Any:
        """A node of the core with carriers replaced."""
        if isinstance(node, core.Carrier):
            return self._carriers.get(node, node)
        if isinstance(node, tuple):
            return tuple(self.sorted(each) for each in node)
        if isinstance(node, msgspec.Struct):
            fields = {name: getattr(node, name) for name in node.__struct_fields__}
            changed = {name: self.sorted(value) for name, value in fields.items()}
            return node if changed == fields else msgspec.structs.replace(node, **changed)
        return node

    def term(self, term: core.Term) -> core.Term:
        """A term whose carriers were replaced, with calls of symbols replaced by their interpretations."""
        term = rebuild(term, self.term)
        if not isinstance(term, core.SymbolCall) or term.symbol not in self.values:
            return term
        parameters, body = self.values[term.symbol]
        result = substitute(body, {p.name: core.Variable(f"{p.name}°", p.sort) for p in parameters})
        # `let` keeps calls strict: an argument without a value leaves the whole without one.
        for parameter, argument in reversed(list(zip(parameters, term.arguments, strict=True))):
            variable = core.Variable(f"{parameter.name}°", parameter.sort)
            if isinstance(argument, core.Variable | core.LiteralTerm):
                result = substitute(result, {variable.name: argument})
            else:
                result = core.Let(variable, argument, result)
        return result


def interpreted(goal: Goal, interpretation: Interpretation) -> Goal:
    """The goal under an interpretation: no axioms are assumed, all symbols are interpreted."""
    translation = _Translation(dict(interpretation.carriers))
    sorted_goal: Goal = translation.sorted(goal)
    for symbol, parameters, body in interpretation.symbols:
        translation.values[translation.sorted(symbol)] = (parameters, body)
    return _interpreted(translation, sorted_goal)


def _interpreted(translation: _Translation, goal: Goal) -> Goal:
    definitions = tuple(
        msgspec.structs.replace(each, body=translation.term(each.body)) for each in goal.definitions
    )
    axioms = tuple(
        msgspec.structs.replace(each, formula=translation.term(each.formula)) for each in goal.axioms
    )
    claim = None if goal.claim is None else translation.term(goal.claim)
    return msgspec.structs.replace(
        goal, definitions=definitions, axioms=axioms, claim=claim, carriers=(), free=()
    )


def check_interpretation(task: Task, witness: Interpretation, steps: int) -> bool:
    """Whether an interpretation is a model of every axiom in which the claim, if there is one, is false.

    Every formula is a query of its own, of at most `steps` of Z3's steps.  Bodies must be total and
    well sorted: `is_standard` checks those that come from outside.
    """
    goal = interpreted(task.goal, witness)
    if not _complete(goal):
        return False
    formulas = [each.formula for each in goal.axioms]
    if goal.claim is not None:
        negated = _negated(goal, goal.claim, witness.point)
        if negated is None:
            return False
        formulas.append(negated)
    return all(_is_proved(goal, formula, steps) for formula in formulas)


def is_standard(task: Task, witness: Interpretation) -> bool:
    """Whether an interpretation has only sets of numbers for carriers and standard operations for symbols.

    Terms of a file that anyone may have written need not even be well sorted: −1 is no natural number.
    """
    carriers = dict(witness.carriers)
    numbers = set(carriers.values())
    if set(carriers) != set(task.goal.carriers) or len(numbers) > 1 or not numbers <= set(_NUMBERS):
        return False
    translation = _Translation(carriers)
    return all(
        (parameters, body) in _familiar(translation.sorted(symbol))
        for symbol, parameters, body in witness.symbols
    )


def _familiar(symbol: core.Symbol) -> Iterator[tuple[tuple[core.Variable, ...], core.Term]]:
    parameters, bodies = candidates(symbol.domain, symbol.codomain)
    return ((parameters, body) for body in bodies)


def interpretation_evidence(task: Task, witness: Mapping[str, Any]) -> Evidence | None:
    """The evidence of a witness of this engine, if it holds."""
    found = witness.get("interpretation")
    if not isinstance(found, Interpretation) or not is_standard(task, found):
        return None
    return proved_evidence(task, found)


def proved_evidence(task: Task, found: Interpretation) -> Evidence | None:
    """The evidence of an interpretation with well-sorted total bodies, if it holds."""
    if not check_interpretation(task, found, _QUERY):
        return None
    lines = [(sort_text(carrier), sort_text(sort)) for carrier, sort in found.carriers]
    for symbol, parameters, body in found.symbols:
        names = ", ".join(each.name for each in parameters)
        name = symbol.name.removesuffix("°")
        lines.append((f"{name}({names})" if names else name, _text(body, parameters)))
    assignment = dict(found.point)
    variables = stripped(task.goal.claim)[0] if task.goal.claim is not None else ()
    sorts = {each.name: sort_text(each.sort) for each in variables}
    bindings = tuple(Binding(name, sorts[name], render_value(value)) for name, value in assignment.items())
    return Evidence(kind="interpretation", interpretation=tuple(lines), bindings=bindings)


def _text(body: core.Term, parameters: tuple[core.Variable, ...]) -> str:
    return print_expression(expression_of(body, variables=parameters))


def _complete(goal: Goal) -> bool:
    """Whether all symbols are interpreted."""
    formulas = [each.formula for each in goal.axioms]
    formulas += [each.body for each in goal.definitions]
    formulas += [] if goal.claim is None else [goal.claim]
    return not any(isinstance(each, core.SymbolCall) for formula in formulas for each in subterms(formula))


def _negated(goal: Goal, claim: core.Term, assignment: Sequence[tuple[str, Value]]) -> core.Term | None:
    """The negation of a claim; at an assignment, if one is given for all its outermost variables.

    None where a value is not of its sort, or has no term.
    """
    variables, hypotheses, rest = stripped(claim)
    values = dict(assignment)
    if not variables or any(each.name not in values for each in variables):
        return core.Connective("not", (claim,))
    for hypothesis in reversed(hypotheses):
        rest = core.Connective("implies", (hypothesis, rest))
    account = Account(_SMALL.budget)
    ranges = evaluator_of(goal, Model({}, {}), _SMALL, "one-sided", account).ranges
    membership = SortMembership(goal, ranges, account)
    terms = {}
    for each in variables:
        value = membership.value(values[each.name], each.sort)
        if value is None:
            return None
        try:
            terms[each.name] = value_to_term(value, each.sort, goal)
        except NamelessError:
            return None
    return core.Connective("not", (substitute(rest, terms),))


def _is_proved(goal: Goal, formula: core.Term, steps: int) -> bool:
    """Whether Z3 proves a formula without unknown symbols."""
    alone = msgspec.structs.replace(goal, axioms=(), symbols=(), claim=formula)
    try:
        script = encode(Task(alone))
    except Inexpressible:
        return False
    return run_text(script_text(script, script.claim), steps).status == "unsat"


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
        """ℤ first, then ℝ, then ℕ."""
        account = Account(Budget(steps=steps, depth=150, size=100_000))
        tried = []
        try:
            for carriers, table in _choices(task.goal):
                search = _Search(task, carriers, table, account)
                for found in search.interpretations():
                    if check_interpretation(task, found, _QUERY):
                        return _answer(task.goal.claim is not None, found, account)
                tried.append(next((str(sort.name) for sort in carriers.values()), "ℤ"))
        except BudgetError:
            return Answer(outcome="silent", reason="resource", detail="steps used up", steps=steps)
        detail = f"no standard model over {' or '.join(tried)}"
        return Answer(outcome="silent", reason="incomplete", detail=detail, steps=account.used)


INTERPRETATIONS = Interpretations()


def _answer(refuted: bool, found: Interpretation, account: Account) -> Answer:
    outcome: Outcome = "refuted" if refuted else "model"
    return Answer(outcome=outcome, witness={"interpretation": found}, steps=account.used)


_Table = dict[core.Symbol, tuple[tuple[core.Variable, ...], tuple[core.Term, ...]]]


def _choices(goal: Goal) -> Iterator[tuple[dict[core.Carrier, core.Numeric], _Table]]:
    """The sets of numbers for carriers, with the candidates for every symbol."""
    for sort in _NUMBERS if goal.carriers else (core.INTEGER,):
        carriers = {each: sort for each in goal.carriers if isinstance(each, core.Carrier)}
        translation = _Translation(carriers)
        table: _Table = {}
        for symbol in goal.symbols:
            table[symbol] = candidates(translation.sorted(symbol.domain), translation.sorted(symbol.codomain))
        if all(terms for _, terms in table.values()):
            yield carriers, table


class _Search:
    """Searches the interpretations over one set of numbers that no small values refute."""

    def __init__(
        self, task: Task, carriers: dict[core.Carrier, core.Numeric], table: _Table, account: Account
    ) -> None:
        self._carriers = carriers
        self._table = table
        self._account = account
        self._translation = _Translation(carriers)
        self._goal: Goal = self._translation.sorted(task.goal)
        self._symbols = {symbol: self._translation.sorted(symbol) for symbol in table}
        self._used = {axiom.name: _symbols_of(axiom.formula) for axiom in self._goal.axioms}
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
            order += [
                symbol for symbol, read in self._symbols.items() if read in least and symbol not in order
            ]
            known = {self._symbols[symbol] for symbol in order}
            waiting = [each for each in waiting if not each <= known]
            waiting = [each - known for each in waiting]
        return order + [symbol for symbol in self._table if symbol not in order]

    def _extended(
        self, order: Sequence[core.Symbol], chosen: dict[core.Symbol, core.Term]
    ) -> Iterator[Interpretation]:
        if len(chosen) == len(order):
            yield from self._whole(chosen)
            return
        symbol = order[len(chosen)]
        parameters, terms = self._table[symbol]
        for term in terms:
            self._translation.values[self._symbols[symbol]] = (parameters, term)
            if self._possible(self._symbols[symbol]):
                yield from self._extended(order, {**chosen, symbol: term})
            del self._translation.values[self._symbols[symbol]]
            for later in order[len(chosen) + 1 :]:
                self._translation.values.pop(self._symbols[later], None)

    def _possible(self, newest: core.Symbol) -> bool:
        """Whether no axiom about the symbols interpreted so far fails at small numbers."""
        known = set(self._translation.values)
        due = [
            axiom
            for axiom in self._goal.axioms
            if newest in self._used[axiom.name] and self._used[axiom.name] <= known
        ]
        if not due:
            return True
        bare = msgspec.structs.replace(self._goal, axioms=(), claim=None)
        evaluator = self._evaluator(_interpreted(self._translation, bare))
        return all(evaluator.truth(self._translation.term(each.formula)).may_be_true for each in due)

    def _evaluator(self, goal: Goal) -> Evaluator:
        bounds = msgspec.structs.replace(_SMALL, budget=self._account.budget)
        return evaluator_of(goal, Model({}, {}), bounds, "one-sided", self._account)

    def _whole(self, chosen: dict[core.Symbol, core.Term]) -> Iterator[Interpretation]:
        """The complete interpretation, if the claim may fail in it."""
        symbols = tuple((symbol, self._table[symbol][0], term) for symbol, term in chosen.items())
        assignment: tuple[tuple[str, Value], ...] = ()
        if self._goal.claim is not None:
            goal = _interpreted(self._translation, self._goal)
            assert goal.claim is not None
            evaluator = self._evaluator(goal)
            truth = evaluator.truth(goal.claim)
            if not truth.may_be_false:
                return
            if truth is FALSE:
                assignment = _assignment(evaluator, goal.claim)
        self._queries += 1
        self._account.charge(_QUERY_COST)
        if self._queries <= _QUERIES:
            yield Interpretation(carriers=tuple(self._carriers.items()), symbols=symbols, point=assignment)


def _assignment(evaluator: Evaluator, claim: core.Term) -> tuple[tuple[str, Value], ...]:
    """An assignment of small numbers at which a claim is false; empty if its outermost variables are no numbers."""
    variables, hypotheses, rest = stripped(claim)
    for hypothesis in reversed(hypotheses):
        rest = core.Connective("implies", (hypothesis, rest))
    if not variables or any(each.sort not in _NUMBERS for each in variables):
        return ()
    for environment in evaluator.environments(variables, {})[0]:
        if evaluator.truth(rest, environment) is FALSE:
            return tuple((each.name, environment[each.name]) for each in variables)
    return ()


def _symbols_of(term: core.Term) -> frozenset[core.Symbol]:
    return frozenset(each.symbol for each in subterms(term) if isinstance(each, core.SymbolCall))
