"""A job: tables over carriers of given sizes, each isomorphism class once, until there are no more.

When a model is found, every copy of it under a renaming of elements is excluded with it.  So a search that ends without
another model has found a model of each isomorphism class: any other model of these sizes would have a copy that meets
the conditions by which the encoding breaks symmetry, and that copy is excluded by none.

    * Elements that constants name keep the numbers that the encoding gives them, so only the others are renamed.
    * Tables of Skolem functions are no part of a model: models that differ in them alone are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations, product
from math import factorial, prod
from typing import Any

import msgspec

from kleis.core import BOOL, Sort
from kleis.prover.engines.first_order_problem import Problem, translate
from kleis.prover.engines.first_order_terms import Function
from kleis.prover.engines.models.finite_clauses import Encoding, TooLargeError
from kleis.prover.engines.models.finite_models import FiniteSearch
from kleis.prover.engines.solvers.runs import library
from kleis.prover.model_search.assignments import Ended
from kleis.prover.protocol.engine import Answer, Task

__all__ = ["TABLES", "FoundTables", "TableSearch", "copies", "table_sizes", "tables"]

TABLES = "kleis.prover.model_search.finite_tables:tables"

_MOST_RENAMINGS = 50_000
"""8! is less; more copies than this are not made."""

Cells = tuple[tuple[int, ...], ...]
"""The values of every function that counts, in the order of its arguments."""


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
    """What was found: witnesses, and their cells for the next search."""

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
        encoding = self._finite.encoded(self._sizes, steps)
        used = encoding.work
        if () in encoding.clauses:
            return _found([], [], "no others", used)
        z3 = library()
        solver = z3.SolverFor("QF_FD", ctx=z3.Context())
        solver.from_string(_dimacs(encoding.bits, encoding.clauses))
        witnesses: list[Any] = []
        seen: list[Cells] = []
        for cells in self._asked.seen:
            used += self._exclude(solver, encoding, cells)
        while len(witnesses) < self._asked.count:
            if used >= steps:
                return _found(witnesses, seen, "gave up", used)
            before = _spent(solver)
            solver.set("rlimit", min(steps - used, 2**32 - 1))
            outcome = str(solver.check())
            used += max(0, _spent(solver) - before)
            if outcome != "sat":
                return _found(witnesses, seen, "no others" if outcome == "unsat" else "gave up", used)
            model = solver.model()
            true = frozenset(int(each.name()[2:]) for each in model.decls() if z3.is_true(model[each]))
            values = encoding.tables(true)
            witnesses.append(self._finite.witness(self._sizes, values))
            seen.append(tuple(values[each] for each in self._counted))
            if len(witnesses) < self._asked.count:
                try:
                    used += self._exclude(solver, encoding, seen[-1])
                except TooLargeError:
                    return _found(
                        witnesses, seen, "gave up", used, "a model of this size has too many copies"
                    )
        return _found(witnesses, seen, "enough", used)

    def _exclude(self, solver: Any, encoding: Encoding, cells: Cells) -> int:
        """Exclude a model and its copies; the number of clauses that it takes."""
        clauses = [
            encoding.other_than(self._counted, copy) for copy in copies(self._counted, self._sizes, cells)
        ]
        solver.from_string(_dimacs(encoding.bits, clauses))
        return len(clauses)


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


def _dimacs(bits: int, clauses: Sequence[Sequence[int]]) -> str:
    lines = [f"p cnf {bits} {len(clauses)}", *(" ".join(map(str, clause)) + " 0" for clause in clauses)]
    return "\n".join(lines) + "\n"


def _spent(solver: Any) -> int:
    return int(dict(list(solver.statistics())).get("rlimit count", 0))


# ── Copies under renamings ───────────────────────────────────────────────────────────────────────────────────


def copies(functions: Sequence[Function], sizes: Mapping[Sort, int], cells: Cells) -> list[Cells]:
    """The different copies of a model in which constants name elements in order: the first one 0, the next at most 1, ….

    Raises `TooLargeError` where there are too many renamings.
    """
    choices = [_renamings(sort, size, functions, cells) for sort, size in sizes.items()]
    if prod(number for number, _ in choices) > _MOST_RENAMINGS:
        raise TooLargeError
    found: dict[Cells, None] = {}
    plans = [_Plan(each, sizes) for each in functions]
    for chosen in product(*(renamings for _, renamings in choices)):
        renaming = dict(zip(sizes, chosen, strict=True))
        found[tuple(plan.renamed(values, renaming) for plan, values in zip(plans, cells, strict=True))] = None
    return list(found)


def _renamings(
    sort: Sort, size: int, functions: Sequence[Function], cells: Cells
) -> tuple[int, Iterator[tuple[int, ...]]]:
    """The renamings of one carrier that give the elements of constants their numbers, and how many there are."""
    fixed = list(
        dict.fromkeys(
            values[0]
            for each, values in zip(functions, cells, strict=True)
            if not each.domain and each.codomain == sort
        )
    )
    others = [each for each in range(size) if each not in fixed]

    def renamings() -> Iterator[tuple[int, ...]]:
        for numbers in permutations(range(len(fixed), size)):
            renaming = [0] * size
            for number, element in enumerate(fixed):
                renaming[element] = number
            for element, number in zip(others, numbers, strict=True):
                renaming[element] = number
            yield tuple(renaming)

    return factorial(len(others)), renamings()


class _Plan:
    """The cells of one function, renamed."""

    def __init__(self, function: Function, sizes: Mapping[Sort, int]) -> None:
        self._domain = function.domain
        self._codomain = function.codomain
        self._points = list(product(*(range(sizes[sort]) for sort in function.domain)))
        self._places = {point: place for place, point in enumerate(self._points)}

    def renamed(self, values: tuple[int, ...], renaming: Mapping[Sort, tuple[int, ...]]) -> tuple[int, ...]:
        names = [renaming[sort] for sort in self._domain]
        result = renaming.get(self._codomain)
        moved = [0] * len(values)
        for point, value in zip(self._points, values, strict=True):
            place = self._places[tuple([name[each] for name, each in zip(names, point, strict=True)])]
            moved[place] = value if result is None else result[value]
        return tuple(moved)
