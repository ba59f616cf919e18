"""The engine `constructions`: familiar finite structures as models and countermodels.

See docs/reference/proving.md §7.18.

    refuted   a construction satisfies all axioms, and the claim is false there: its tables, as plain data
    model     the same without a claim
    silent    no construction of the catalogue does; that is no proof

Carriers are read as sorts of a construction, symbols as its operations of the same kind, one after the other; an axiom
that fails ends a branch.  Variables of the claim's outermost ∀ that are functions are read like symbols.  First all is
tried at some assignments only, and what survives at all of them.

A step is a look-up in a table.  Nothing here is trusted: the rule `tables` of the checker evaluates every axiom and the
claim again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, TypeAlias

from kleis import core
from kleis.core.goal import Goal
from kleis.core.sort_printing import sort_text
from kleis.core.traversal import subterms
from kleis.prover.checker.rules.named_parts import arrow, symbol_text
from kleis.prover.engines.first_order_problem import translate
from kleis.prover.engines.models.catalogue.entries import ENTRIES, Entry, made
from kleis.prover.engines.models.catalogue.tables import TRUTH, Construction
from kleis.prover.engines.models.table_formulas import (
    Column,
    Evaluation,
    OutsideError,
    TooLargeError,
    unfolded,
)
from kleis.prover.protocol.engine import Answer, Task

__all__ = ["CONSTRUCTIONS"]

_TRIED = 40
"""Assignments at which a formula is tried first."""

_POINTS = 200
"""Assignments at which the claim is tried."""

_CHOICES = 400
"""Readings of the symbols of one construction that are tried."""

_Unknown: TypeAlias = core.Symbol | str
"""What a construction has to give a meaning to: a symbol, or a variable that is a function, by its name."""


class Constructions:
    """The engine."""

    name = "constructions"
    version = "1"

    def applies(self, task: Task) -> bool:
        """Whether all axioms and the claim are first-order over carriers, and operations are spoken of."""
        problem = translate(task)
        return problem is not None and problem.exact and bool(task.goal.carriers)

    def run(self, task: Task, steps: int) -> Answer:
        """Every construction in turn, the smallest first."""
        try:
            search = _Search(task.goal, steps)
        except OutsideError:
            return Answer(outcome="silent", reason="incomplete", detail="not first-order over carriers")
        tried = 0
        for entry in ENTRIES:
            try:
                witness = search.witness(entry)
            except OutsideError:
                return _silent("incomplete", tried, search.used)
            except TooLargeError:
                if search.used > steps:
                    return _silent("resource", tried, search.used)
                continue
            tried += 1
            if witness is not None:
                outcome: Any = "model" if task.goal.claim is None else "refuted"
                return Answer(outcome=outcome, witness=witness, detail=entry.name, steps=search.used)
        return _silent("incomplete", tried, search.used)


CONSTRUCTIONS = Constructions()


def _silent(reason: Any, tried: int, used: int) -> Answer:
    detail = f"none of {tried} familiar structures"
    return Answer(outcome="silent", reason=reason, detail=detail, steps=used)


class _Search:
    """The readings of one goal."""

    def __init__(self, goal: Goal, steps: int) -> None:
        self._goal = goal
        self._steps = steps
        self.used = 0
        self._axioms = [unfolded(each.formula, goal) for each in goal.axioms]
        self._variables, self._body = _opened(None if goal.claim is None else unfolded(goal.claim, goal))
        self._functions = [each for each in self._variables if isinstance(each.sort, core.FunctionOf)]
        self._values = [each for each in self._variables if each not in self._functions]
        kinds: dict[_Unknown, tuple[tuple[core.Sort, ...], core.Sort]] = {
            each: (each.domain, each.codomain) for each in goal.symbols
        }
        kinds.update({each.name: arrow(each.sort) for each in self._functions})
        self._kinds = kinds
        self._speak_of = [_unknowns_of(each) for each in self._axioms]
        self._order = self._ordered()

    def _charge(self, count: int) -> None:
        self.used += count
        if self.used > self._steps:
            raise TooLargeError

    def _ordered(self) -> list[_Unknown]:
        """The unknowns of the axioms with the fewest new ones first, then the others."""
        order: list[_Unknown] = []
        waiting = [each for each in self._speak_of if each]
        while waiting:
            least = min(waiting, key=lambda each: len(each.difference(order)))
            order += [each for each in self._kinds if each in least and each not in order]
            waiting = [each for each in waiting if not each.issubset(order)]
        return order + [each for each in self._kinds if each not in order]

    # ── Readings ─────────────────────────────────────────────────────────────────────────────────────────────

    def witness(self, entry: Entry) -> dict[str, Any] | None:
        """The model that a construction is under some reading."""
        carriers = self._goal.carriers
        several = range(len(entry.sizes))
        for chosen in product(several, repeat=len(carriers)):
            if len(set(chosen)) < min(len(several), len(carriers)):
                continue
            if len(several) > len(set(chosen)):
                continue
            sorts: dict[core.Sort, int] = {**dict(zip(carriers, chosen, strict=True)), core.BOOL: TRUTH}
            construction = made(entry)
            choices = self._choices(construction, sorts)
            if all(choices.values()):
                found = self._read(construction, sorts, choices)
                if found is not None:
                    return found
        return None

    def _choices(
        self, construction: Construction, sorts: Mapping[core.Sort, int]
    ) -> dict[_Unknown, list[tuple[int, ...]]]:
        """The tables that may be meant by every unknown."""
        found: dict[_Unknown, list[tuple[int, ...]]] = {}
        for unknown, (domain, codomain) in self._kinds.items():
            if any(each not in sorts for each in (*domain, codomain)):
                raise OutsideError
            kind = tuple(sorts[each] for each in domain), sorts[codomain]
            found[unknown] = [(1,), (0,)] if kind == ((), TRUTH) else construction.tables(*kind)
        return found

    def _read(
        self,
        construction: Construction,
        sorts: Mapping[core.Sort, int],
        choices: Mapping[_Unknown, Sequence[Column]],
    ) -> dict[str, Any] | None:
        sizes = {each: construction.sizes[sorts[each]] for each in self._goal.carriers}
        left = _CHOICES
        for tables in self._readings(sizes, choices, {}):
            left -= 1
            found = self._model(sizes, tables)
            if found is not None:
                return found
            if not left:
                break
        return None

    def _readings(
        self,
        sizes: Mapping[core.Sort, int],
        choices: Mapping[_Unknown, Sequence[Column]],
        tables: dict[_Unknown, Column],
    ) -> Iterator[dict[_Unknown, Column]]:
        """The readings for which no axiom fails at the assignments that are tried; depth first."""
        if len(tables) == len(self._order):
            yield tables
            return
        unknown = self._order[len(tables)]
        known = {*tables, unknown}
        due = [
            axiom
            for axiom, used in zip(self._axioms, self._speak_of, strict=True)
            if used <= known and (unknown in used or not tables)
        ]
        for table in choices[unknown]:
            longer = {**tables, unknown: table}
            evaluation = Evaluation(sizes, longer, self._charge, _TRIED)
            if all(evaluation.holds(each) for each in due):
                yield from self._readings(sizes, choices, longer)

    def _model(
        self, sizes: Mapping[core.Sort, int], tables: Mapping[_Unknown, Column]
    ) -> dict[str, Any] | None:
        """The witness that a reading is, if the axioms are true and the claim is false."""
        point: tuple[int, ...] = ()
        whole = Evaluation(sizes, tables, self._charge)
        if self._body is not None:
            tried = Evaluation(sizes, tables, self._charge, _POINTS)
            found = tried.counterexample(self._values, self._body)
            if found is None or not whole.fails(self._values, self._body, found):
                return None
            point = found
        if not all(map(whole.holds, self._axioms)):
            return None
        return self._written(sizes, tables, dict(zip(self._values, point, strict=True)))

    # ── Witnesses ────────────────────────────────────────────────────────────────────────────────────────────

    def _written(
        self,
        sizes: Mapping[core.Sort, int],
        tables: Mapping[_Unknown, Column],
        values: Mapping[core.Variable, int],
    ) -> dict[str, Any]:
        """The model as plain data, as `finite models` writes it."""
        point = {each.name: self._rows((), each.sort, sizes, (value,)) for each, value in values.items()}
        point.update(
            {each.name: self._rows(*arrow(each.sort), sizes, tables[each.name]) for each in self._functions}
        )
        return {
            "carriers": {sort_text(sort): size for sort, size in sizes.items()},
            "tables": {
                symbol_text(each): self._rows(each.domain, each.codomain, sizes, tables[each])
                for each in self._goal.symbols
            },
            "point": point,
        }

    def _rows(
        self, domain: Sequence[core.Sort], codomain: core.Sort, sizes: Mapping[core.Sort, int], table: Column
    ) -> list[list[Any]]:
        points = product(*(range(sizes[each]) for each in domain))
        return [
            [*each, bool(value) if codomain == core.BOOL else value]
            for each, value in zip(points, table, strict=True)
        ]


def _opened(claim: core.Term | None) -> tuple[tuple[core.Variable, ...], core.Term | None]:
    """The variables of a claim's outermost ∀, and what is below."""
    variables: tuple[core.Variable, ...] = ()
    while isinstance(claim, core.Quantifier) and claim.kind == "forall":
        variables += claim.variables
        claim = claim.body
    return variables, claim


def _unknowns_of(formula: core.Term) -> frozenset[_Unknown]:
    return frozenset(each.symbol for each in subterms(formula) if isinstance(each, core.SymbolCall))
