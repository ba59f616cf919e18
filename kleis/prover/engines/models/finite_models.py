"""The engine `finite models`: carriers of 1 … 10 elements, by propositional search on Z3's SAT core.

See docs/reference/proving.md §7.4.

    refuted   a model of all axioms in which the claim is false: carriers and tables, as plain data
    model     the same without a claim
    silent    none up to a size; that is no proof

Sizes are tried by their sum: 1 … 10 of one sort, 1 … 4 each of several.  A step is an instance of a clause, a
propositional clause, or a unit of Z3's `rlimit`.  Z3 is imported when the engine runs, in a context of its own that is
dropped with the answer.  Nothing here is trusted: the rule `tables` of the checker evaluates every axiom and the claim
again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from itertools import product
from typing import Any

from kleis.core import BOOL, Sort, Symbol
from kleis.core.goal import Goal
from kleis.core.sort_printing import sort_text
from kleis.prover.checker.rules.named_parts import symbol_text
from kleis.prover.engines.first_order_problem import Problem, translate
from kleis.prover.engines.first_order_terms import Function, Literal, functions_of
from kleis.prover.engines.models.finite_clauses import (
    Clause,
    Encoding,
    TooLargeError,
    clauses_of,
    variables_of_clause,
)
from kleis.prover.protocol.engine import Answer, Task

__all__ = ["FiniteModels", "FiniteSearch", "true_bits"]

_LARGEST = 10
_LARGEST_OF_SEVERAL = 4


class FiniteModels:
    """Small carriers with operation tables."""

    name = "finite models"
    version = "1"

    def applies(self, task: Task) -> bool:
        """Whether all axioms and the claim are first-order over carriers: otherwise a model proves nothing."""
        problem = translate(task)
        return problem is not None and problem.exact

    def run(self, task: Task, steps: int) -> Answer:
        """Look for a model of the axioms in which the claim is false, smallest carriers first."""
        problem = translate(task)
        if problem is None or not problem.exact:
            return Answer(outcome="silent", reason="incomplete", detail="not first-order over carriers")
        try:
            return FiniteSearch(task.goal, problem).answer(steps)
        except RecursionError:
            return Answer(outcome="silent", reason="incomplete", detail="terms nest too deeply")


class FiniteSearch:
    """All sizes of one problem.  `functions` are what its tables are of."""

    def __init__(self, goal: Goal, problem: Problem) -> None:
        self._goal = goal
        self._problem = problem
        self._clauses = clauses_of(problem)
        literals = (Literal(True, each.left, each.right) for clause in self._clauses for each in clause)
        points = [function for _, function in problem.skolems]
        self.functions = tuple(dict.fromkeys((*functions_of(*literals), *points)))
        self._spoken_of = self._in_use()
        self._sorts = (*goal.carriers, *sorted(self._spoken_of - set(goal.carriers), key=sort_text))

    def answer(self, steps: int) -> Answer:
        """The first model, or the size up to which there is none."""
        if beyond := self._beyond():
            return Answer(outcome="silent", reason="incomplete", detail=f"{beyond} has no finite table")
        used = 0
        searched = "nothing"
        for sizes in self.sizes():
            try:
                encoding = self.encoded(sizes, steps - used)
            except TooLargeError:
                return self._silent(searched, steps, "resource")
            outcome, true, spent = _solved(encoding, steps - used - encoding.work)
            used += encoding.work + spent
            if outcome == "sat":
                claimed = self._problem.claimed
                return Answer(
                    outcome="refuted" if claimed else "model",
                    witness=self.witness(sizes, encoding.tables(true)),
                    detail=self.named(sizes),
                    steps=used,
                )
            if outcome != "unsat":
                return self._silent(searched, used, "resource")
            searched = self.named(sizes)
        return self._silent(searched, used, "incomplete")

    def encoded(
        self, sizes: Mapping[Sort, int], limit: int, exchanged: Sequence[Function] | None = None
    ) -> Encoding:
        """The clauses for carriers of given sizes; raises `TooLargeError`.

        Models that an exchange of elements makes smaller are left out if the functions to compare are given.
        """
        encoding = Encoding(self.functions, sizes, limit, exchanged)
        for clause in sorted(self._clauses, key=_weight):
            encoding.add(clause)
        return encoding

    def _silent(self, searched: str, steps: int, reason: Any) -> Answer:
        kind = "countermodel" if self._problem.claimed else "model"
        found = "no size was searched" if searched == "nothing" else f"no {kind} up to {searched}"
        return Answer(outcome="silent", reason=reason, detail=found, steps=steps)

    # ── Sizes ────────────────────────────────────────────────────────────────────────────────────────────────

    def _in_use(self) -> frozenset[Sort]:
        sorts = {sort for each in self.functions for sort in (*each.domain, each.codomain)}
        sorts.update(each.sort for clause in self._clauses for each in variables_of_clause(clause))
        return frozenset(sorts - {BOOL})

    def _beyond(self) -> str:
        """A symbol that no formula speaks of, over a sort that is no carrier; or nothing."""
        sized = {*self._sorts, BOOL}
        found = (each for each in self._goal.symbols if not sized >= {*each.domain, each.codomain})
        return next((each.name for each in found), "")

    def sizes(self) -> Iterator[dict[Sort, int]]:
        """Sizes of all carriers, the smallest sum first; a carrier that no formula mentions has one element."""
        used = [sort for sort in self._sorts if sort in self._spoken_of]
        rest = dict.fromkeys((sort for sort in self._sorts if sort not in self._spoken_of), 1)
        largest = _LARGEST if len(used) <= 1 else _LARGEST_OF_SEVERAL
        for total in range(len(used), largest * len(used) + 1):
            for chosen in _sums(total, len(used), largest):
                yield {**dict(zip(used, chosen, strict=True)), **rest}

    def named(self, sizes: Mapping[Sort, int]) -> str:
        """Sizes in words."""
        if len(sizes) == 1:
            return f"size {next(iter(sizes.values()))}"
        named = (f"{sort_text(sort).rsplit('::', 1)[-1]} = {size}" for sort, size in sizes.items())
        return "sizes " + ", ".join(named)

    # ── Witnesses ────────────────────────────────────────────────────────────────────────────────────────────

    def witness(
        self, sizes: Mapping[Sort, int], tables: Mapping[Function, tuple[int, ...]]
    ) -> dict[str, Any]:
        """The model as plain data.  A row is the arguments and the value; elements are numbers, truth values Bool."""
        return {
            "carriers": {sort_text(sort): size for sort, size in sizes.items()},
            "tables": {
                symbol_text(symbol): self._rows(symbol, sizes, tables) for symbol in self._goal.symbols
            },
            "point": {
                name: _rows_of(function.domain, function.codomain, sizes, tables[function])
                for name, function in self._problem.skolems
            },
        }

    def _rows(
        self, symbol: Symbol, sizes: Mapping[Sort, int], tables: Mapping[Function, tuple[int, ...]]
    ) -> list[list[Any]]:
        """The table of a symbol, put together from its functions with fixed Bool arguments."""
        made = {each.fixed: each for each in self.functions if each.symbol == symbol}
        rows: list[list[Any]] = []
        for fixed in product(*((False, True) if sort == BOOL else (None,) for sort in symbol.domain)):
            function = made.get(fixed)
            domain = tuple(sort for sort in symbol.domain if sort != BOOL)
            values = tables[function] if function is not None else None
            for *arguments, value in _rows_of(domain, symbol.codomain, sizes, values):
                rest = iter(arguments)
                rows.append([*(next(rest) if each is None else each for each in fixed), value])
        return rows


def _rows_of(
    domain: tuple[Sort, ...], codomain: Sort, sizes: Mapping[Sort, int], values: tuple[int, ...] | None
) -> list[list[Any]]:
    """The rows of a function; of one that does not matter, the first value everywhere."""
    points = list(product(*(range(sizes[sort]) for sort in domain)))
    given = values if values is not None else (0,) * len(points)
    return [
        [*point, bool(value) if codomain == BOOL else value]
        for point, value in zip(points, given, strict=True)
    ]


def _sums(total: int, count: int, largest: int) -> Iterator[tuple[int, ...]]:
    """The ways to write a number as a sum of so many numbers from 1 to the largest."""
    if count == 0:
        if total == 0:
            yield ()
        return
    for first in range(max(1, total - (count - 1) * largest), min(largest, total - (count - 1)) + 1):
        for others in _sums(total - first, count - 1, largest):
            yield (first, *others)


def _weight(clause: Clause) -> int:
    return len(variables_of_clause(clause))


def _solved(encoding: Encoding, limit: int) -> tuple[str, frozenset[int], int]:
    """The outcome of the SAT core, the bits that are true, and the resources used."""
    if () in encoding.clauses:
        return "unsat", frozenset(), 0
    if limit <= 0:
        return "unknown", frozenset(), 0
    z3: Any = import_module("z3")
    solver = z3.SolverFor("QF_FD", ctx=z3.Context())
    solver.set("rlimit", limit)
    lines = [f"p cnf {encoding.bits} {len(encoding.clauses)}"]
    lines += [" ".join(map(str, clause)) + " 0" for clause in encoding.clauses]
    solver.from_string("\n".join(lines) + "\n")
    outcome = str(solver.check())
    spent = int(dict(list(solver.statistics())).get("rlimit count", 0))
    return outcome, true_bits(solver.model()) if outcome == "sat" else frozenset(), spent


_TRUE = re.compile(r"\(define-fun k!(\d+) \(\) Bool\s+true\)")


def true_bits(model: Any) -> frozenset[int]:
    """The bits that are true in a model of the SAT core.

    Read from its text, in one call of Z3: asking for each of some thousand bits takes ten times as long as finding the model.
    """
    return frozenset(map(int, _TRUE.findall(model.sexpr())))
