"""A job: tables over carriers of given sizes, each isomorphism class once, until there are no more.

Every model has a copy that meets the conditions by which the encoding breaks symmetry, and only single models are
excluded: those that were found.  So a search that ends without another one has found a model of each isomorphism class.
Of the models of one class, which are few, the first is kept (`isomorphism`).

    * Tables of Skolem functions are no part of a model: models that differ in them alone are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import msgspec

from kleis.core import BOOL
from kleis.prover.engines.first_order_problem import Problem, translate
from kleis.prover.engines.first_order_terms import Function
from kleis.prover.engines.models.finite_clauses import TooLargeError
from kleis.prover.engines.models.finite_models import FiniteSearch, true_bits
from kleis.prover.engines.solvers.runs import library
from kleis.prover.model_search.assignments import Ended
from kleis.prover.model_search.isomorphism import Cells, Classes
from kleis.prover.protocol.engine import Answer, Task

__all__ = ["TABLES", "FoundTables", "TableSearch", "table_sizes", "tables"]

TABLES = "kleis.prover.model_search.finite_tables:tables"


class TableSearch(msgspec.Struct, frozen=True):
    """What is searched: models of a task with these sizes of carriers, in order, other than those `seen`.

    `points` are free names of the claim that count as constants.
    """

    task: Task
    sizes: tuple[int, ...]
    count: int
    points: tuple[str, ...] = ()
    seen: tuple[Cells, ...] = ()


class FoundTables(msgspec.Struct, frozen=True):
    """What was found: witnesses, one of each class, and the cells of all models that were met, for the next search."""

    witnesses: tuple[Any, ...]
    seen: tuple[Cells, ...]
    ended: Ended
    detail: str = ""


def table_sizes(task: Task, size: int | None) -> Iterator[tuple[int, ...]]:
    """The sizes to try, in the order of the carriers; none where models are no tables."""
    problem = translate(task)
    if problem is None or not problem.exact:
        return
    for sizes in FiniteSearch(task.goal, problem).sizes():
        if size is None:
            yield tuple(sizes.values())
        else:
            yield (size,) * len(sizes)
            return


def tables(asked: TableSearch, steps: int) -> Answer:
    """The job.  Its answer's witness is `FoundTables`; its steps are clauses and units of Z3's `rlimit`."""
    problem = translate(asked.task)
    if problem is None or not problem.exact:
        return Answer(outcome="silent", reason="incomplete", detail="not first-order over carriers")
    try:
        return _Search(asked, problem).run(steps)
    except TooLargeError:
        return Answer(outcome="silent", reason="resource", detail="the tables of this size are too large")
    except RecursionError:
        return Answer(outcome="silent", reason="incomplete", detail="terms nest too deeply")


class _Search:
    """The search of one size."""

    def __init__(self, asked: TableSearch, problem: Problem) -> None:
        self._asked = asked
        self._finite = FiniteSearch(asked.task.goal, problem)
        self._sizes = dict(zip(next(iter(self._finite.sizes())), asked.sizes, strict=True))
        points = [function for name, function in problem.skolems if name in asked.points]
        named = [each for each in self._finite.functions if each.symbol is not None]
        named += [each for each in _unmentioned(asked.task, named) if each not in named]
        counted = [*named, *(each for each in points if each not in named)]
        self._counted = sorted(counted, key=lambda each: len(each.domain))
        rest = (each for each in self._finite.functions if each not in self._counted)
        self._finite.functions = (*self._counted, *rest)

    def run(self, steps: int) -> Answer:
        """One model after the other, each with its copies excluded."""
        encoding = self._finite.encoded(self._sizes, steps, self._counted)
        used = encoding.work
        if () in encoding.clauses:
            return _found([], [], "no others", used)
        z3 = library()
        solver = z3.SolverFor("QF_FD", ctx=z3.Context())
        _add(solver, encoding.bits, encoding.clauses)
        classes = Classes(self._counted, self._sizes)
        witnesses: list[Any] = []
        seen: list[Cells] = []
        for cells in self._asked.seen:
            classes.add(cells)
            _add(solver, encoding.bits, [encoding.other_than(self._counted, cells)])
        while len(witnesses) < self._asked.count:
            if used >= steps:
                return _found(witnesses, seen, "gave up", used)
            before = _spent(solver)
            solver.set("rlimit", min(steps - used, 2**32 - 1))
            outcome = str(solver.check())
            used += max(0, _spent(solver) - before)
            if outcome != "sat":
                return _found(witnesses, seen, "no others" if outcome == "unsat" else "gave up", used)
            values = encoding.tables(true_bits(solver.model()))
            cells = tuple(values[each] for each in self._counted)
            seen.append(cells)
            _add(solver, encoding.bits, [encoding.other_than(self._counted, cells)])
            used += _COMPARISON
            if classes.add(cells):
                witnesses.append(self._finite.witness(self._sizes, values))
        return _found(witnesses, seen, "enough", used)


_COMPARISON = 1_000
"""The steps of a comparison with the models before."""


def _found(
    witnesses: Sequence[Any], seen: Sequence[Cells], ended: Ended, used: int, detail: str = ""
) -> Answer:
    detail = detail or ("no answer within its steps" if ended == "gave up" else "")
    found = FoundTables(tuple(witnesses), tuple(seen), ended, detail)
    return Answer(outcome="model", witness=found, steps=used, detail=detail)


def _unmentioned(task: Task, mentioned: Sequence[Function]) -> Iterator[Function]:
    """Functions of the symbols, at fixed Bool arguments, that no clause is about."""
    known = {(each.symbol, each.fixed) for each in mentioned}
    for symbol in task.goal.symbols:
        for fixed in product(*((False, True) if sort == BOOL else (None,) for sort in symbol.domain)):
            if (symbol, fixed) not in known:
                domain = tuple(sort for sort in symbol.domain if sort != BOOL)
                name = f"{symbol.name}{list(fixed)}"
                yield Function(name, domain, symbol.codomain, symbol, fixed)


def _add(solver: Any, bits: int, clauses: Sequence[Sequence[int]]) -> None:
    lines = [f"p cnf {bits} {len(clauses)}", *(" ".join(map(str, clause)) + " 0" for clause in clauses)]
    solver.from_string("\n".join(lines) + "\n")


def _spent(solver: Any) -> int:
    return int(dict(list(solver.statistics())).get("rlimit count", 0))
