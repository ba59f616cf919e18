"""The engine `superposition`: first-order clauses with equality.

See docs/reference/proving.md §7.19.

    proved        every branch of the negated claim leads to the empty clause
    inconsistent  the axioms alone do
    silent        otherwise; a saturated search refutes nothing, since no model is made of it

The proof is a JSON text for each branch, named ``branch 1``, …, or ``axioms``.  It says which input clauses are used and
lists the steps of `derivations`; a term is ``[function, argument, …]``, a variable ``"x0 : G"``.  `certified` makes data of
the checker of it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from kleis import core
from kleis.core.sort_printing import sort_text
from kleis.prover.engines.completion.precedences import precedences
from kleis.prover.engines.completion.rewriting import Greater
from kleis.prover.engines.completion.shared_terms import Bank, Node, Ordering
from kleis.prover.engines.completion.unit_equations import units_of
from kleis.prover.engines.completion.weight_ordering import WeightOrdering
from kleis.prover.engines.first_order_problem import Problem, translate
from kleis.prover.engines.first_order_terms import TRUE, Function, Term, Variable, functions_of
from kleis.prover.engines.superposition.clauses import CLAIM, Given, clauses_of
from kleis.prover.engines.superposition.derivations import Cut, Factor, Move, Replace, derivation
from kleis.prover.engines.superposition.orderings import Atom
from kleis.prover.engines.superposition.search import Search
from kleis.prover.engines.superposition.strategy import Strategy
from kleis.prover.protocol.engine import Answer, Task
from kleis.prover.protocol.verdict import Reason

__all__ = ["ConditionalSuperposition", "Superposition"]

_SLICE = 20_000

_STRATEGIES: tuple[tuple[str, Strategy], ...] = (
    ("weights", Strategy(selecting=True, ratio=5, goal=70)),
    ("weights", Strategy(selecting=True, ratio=10, goal=100, foreign=2, familiar=True)),
    ("weights", Strategy(selecting=True, ratio=5, goal=100, foreign=1)),
    ("weights", Strategy(selecting=False, ratio=8, goal=50, first=15_000)),
    ("paths", Strategy(selecting=True, ratio=5, goal=70, first=25_000)),
)
"""Ordering and strategy of the searches that take turns; of few steps the first two alone."""


class Superposition:
    """Clauses with equality: ordered superposition with selection."""

    name = "superposition"
    version = "1"

    def applies(self, task: Task) -> bool:
        """Whether the claim is first-order over carriers, or some axiom if there is no claim."""
        return translate(task) is not None

    def run(self, task: Task, steps: int) -> Answer:
        """Refute every branch of the negated claim, within its share of the steps."""
        try:
            return self._run(task, steps)
        except RecursionError:
            return Answer(outcome="silent", reason="incomplete", detail="terms nest too deeply")

    def _run(self, task: Task, steps: int) -> Answer:
        problem = translate(task)
        if problem is None:
            return Answer(outcome="silent", reason="incomplete", detail="not first-order over carriers")
        branches = [*range(len(problem.branches))] if problem.claimed else [None]
        answers: list[Answer] = []
        for number, branch in enumerate(branches):
            used = sum(each.steps for each in answers)
            answer = _Attempt(problem, branch).answer((steps - used) // (len(branches) - number))
            answers.append(answer)
            if answer.outcome != "proved":
                break
        return _together(answers)


class ConditionalSuperposition(Superposition):
    """Superposition where some axiom is no equation: completion by weight, which is slow, knows nothing of that axiom.

    Its place is before that; theories of equations alone keep the other order.
    """

    def applies(self, task: Task) -> bool:
        """Whether some axiom has more than one literal, or is no equation of elements."""
        problem = translate(task)
        if problem is None or not problem.branches:
            return False
        given = [each for each in clauses_of(problem, 0) if each.name != CLAIM]
        return not all(_is_equation(each) for each in given)


def _is_equation(clause: Given) -> bool:
    return len(clause.literals) == 1 and clause.literals[0].positive and clause.literals[0].right != TRUE


def _together(answers: Sequence[Answer]) -> Answer:
    """One answer from those of the branches so far."""
    steps = sum(each.steps for each in answers)
    last = answers[-1] if answers else Answer(outcome="proved")
    if last.outcome != "proved":
        return Answer(
            outcome=last.outcome,
            core=last.core,
            reason=last.reason,
            detail=last.detail,
            steps=steps,
            proof=last.proof,
        )
    core = tuple(dict.fromkeys(name for each in answers for name in each.core))
    proof = tuple(part for each in answers for part in each.proof)
    detail = ", ".join(dict.fromkeys(each.detail for each in answers)) or "0 steps"
    return Answer(outcome="proved", core=core, detail=detail, steps=steps, proof=proof)


class _Attempt:
    """The clauses of the axioms and of one branch."""

    def __init__(self, problem: Problem, branch: int | None) -> None:
        self._branch = branch
        self._clauses = clauses_of(problem, branch)
        literals = [literal for each in self._clauses for literal in each.literals]
        self._functions: tuple[Function, ...] = (TRUE.function, *functions_of(*literals))
        self._heads = {each: place for place, each in enumerate(self._functions)}
        sorts = (sort for each in self._functions for sort in (*each.domain, each.codomain))
        variables = (side.sort for each in literals for side in (each.left, each.right))
        self._sorts = tuple(dict.fromkeys((*sorts, *variables)))
        units = units_of(problem, branch).units
        self._distributing = precedences(self._functions, units, lambda each: 0)[0]

    def answer(self, steps: int) -> Answer:
        """The answer of all strategies, taking turns in slices that double."""
        searches = [self._search(*each) for each in _STRATEGIES[: max(2, steps // _SLICE)]]
        share = max(1, steps // len(searches))
        limit = min(_SLICE, share)
        while True:
            for search in searches:
                search.run(limit)
                if search.empty is not None:
                    return self._refuted(search, sum(each.steps for each in searches))
            if limit >= share or all(each.saturated for each in searches):
                break
            limit = min(2 * limit, share)
        spent = sum(each.steps for each in searches)
        kept = max(each.active for each in searches)
        reason: Reason = "incomplete" if all(each.saturated for each in searches) else "resource"
        detail = f"no contradiction among {kept} clauses"
        return Answer(outcome="silent", reason=reason, detail=detail, steps=spent)

    def _search(self, ordering: str, strategy: Strategy) -> Search:
        bank = Bank([self._sorts.index(each.codomain) for each in self._functions])
        ranks = self._ranks(ordering)
        chosen: Greater = WeightOrdering(ranks) if ordering == "weights" else Ordering(ranks)
        true = bank.apply(self._heads[TRUE.function], ())
        search = Search(bank, true, len(self._functions), chosen, strategy)
        search.give([(self._atoms(bank, each), each.name == CLAIM) for each in self._clauses])
        return search

    def _ranks(self, ordering: str) -> list[int]:
        """The precedence.  For paths, what distributes over other functions is above them; for weights, unary functions are."""
        if ordering == "paths":
            order = [self._heads[each] for each in self._distributing]
        else:
            order = sorted(range(len(self._functions)), key=self._layer)
        ranks = [0] * len(order)
        for rank, place in enumerate(order):
            ranks[place] = rank
        return ranks

    def _layer(self, place: int) -> tuple[int, int, int]:
        """``true`` first, constants, functions by their arguments, unary ones, predicates."""
        function = self._functions[place]
        arity = len(function.domain)
        layer = 0 if place == 0 else 3 if function.codomain == core.BOOL else 1 + int(arity > 0)
        return layer, 9 if arity == 1 else arity, place

    def _atoms(self, bank: Bank, clause: Given) -> tuple[Atom, ...]:
        names: dict[str, int] = {}

        def node(term: Term) -> Node:
            if isinstance(term, Variable):
                number = names.setdefault(term.name, len(names))
                return bank.variable(number, self._sorts.index(term.sort))
            return bank.apply(self._heads[term.function], tuple(map(node, term.arguments)))

        return tuple((each.positive, node(each.left), node(each.right)) for each in clause.literals)

    # ── Proofs ───────────────────────────────────────────────────────────────────────────────────────────────

    def _refuted(self, search: Search, steps: int) -> Answer:
        given, done = derivation(search)
        names = dict.fromkeys(self._clauses[place].name for place in given)
        data = {
            "given": given,
            "steps": [
                {
                    "number": step.number,
                    "of": step.clause,
                    "values": list(map(self._term, step.values)),
                    "moves": list(map(self._move, step.moves)),
                }
                for step in done
            ],
        }
        on_claim = CLAIM in names
        name = f"branch {self._branch + 1}" if self._branch is not None and on_claim else "axioms"
        return Answer(
            outcome="proved" if on_claim else "inconsistent",
            core=tuple(each for each in names if each != CLAIM),
            detail=f"{len(done)} steps",
            steps=steps,
            proof=((name, json.dumps(data, ensure_ascii=False, separators=(",", ":"))),),
        )

    def _move(self, move: Move) -> dict[str, Any]:
        match move:
            case Replace():
                return {
                    "replace": [move.at, move.side],
                    "path": move.path,
                    "by": [move.clause, move.equation, move.source],
                    "values": list(map(self._term, move.values)),
                }
            case Cut():
                values = list(map(self._term, move.values))
                return {"cut": move.at, "by": [move.clause, move.other], "values": values}
            case Factor():
                return {"factor": [move.at, move.side], "with": [move.other, move.its]}

    def _term(self, node: Node) -> Any:
        if node.head < 0:
            return f"x{-1 - node.head} : {sort_text(self._sorts[node.sort])}"
        return [self._functions[node.head].name, *map(self._term, node.arguments)]
