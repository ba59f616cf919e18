"""A job: values of unknowns by Z3, each other than those before, until there are no more.

What was found is excluded by a constraint of its own, so the last query says whether there is another one.  A value is
excluded exactly as Z3 has it; what is shown of it is checked elsewhere.

    * Two models are the same here where the names that count have the same values.  Values of carriers and tables of
      functions do not count: no constraint says what they are.
    * Where the constraints can be undefined, only values that make them true are looked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from kleis import core
from kleis.prover.engines.solvers.read_models import read_witness
from kleis.prover.engines.solvers.runs import library, run_solver, script_text
from kleis.prover.engines.solvers.script_engines import with_rational_values
from kleis.prover.protocol.engine import Answer, Inexpressible, Task
from kleis.prover.smt.script import Script, encode

__all__ = ["ASSIGNMENTS", "AssignmentSearch", "Ended", "FoundAssignments", "assignments"]

ASSIGNMENTS = "kleis.prover.model_search.assignments:assignments"

Ended: TypeAlias = Literal["no others", "enough", "uncounted", "gave up"]
"""Why a search ended: there are no others; there are as many as were wanted; nothing that was found can be excluded, so
that no other could be asked for; the solver gave up."""


class AssignmentSearch(msgspec.Struct, frozen=True):
    """What is searched: models of a task other than the `excluded` ones, `count` of them, that differ in `apart`."""

    task: Task
    count: int
    apart: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()


class FoundAssignments(msgspec.Struct, frozen=True):
    """What was found, with the constraints that exclude it."""

    witnesses: tuple[Any, ...]
    excluded: tuple[str, ...]
    ended: Ended
    apart: tuple[str, ...] = ()
    detail: str = ""


def assignments(asked: AssignmentSearch, steps: int) -> Answer:
    """The job.  Its answer's witness is `FoundAssignments`; its steps are Z3's."""
    try:
        script = encode(asked.task)
    except Inexpressible as error:
        return Answer(outcome="silent", reason="incomplete", detail=error.detail)
    excluded = [(f"excluded {place}", text) for place, text in enumerate(asked.excluded, 1)]
    script = msgspec.structs.replace(script, axioms=(*script.axioms, *excluded))
    return _Search(asked, script).run(steps)


def true_constraints(script: Script) -> str:
    """What is asserted of the claim: that it is false, and not only undefined."""
    return script.false or script.claim


def counted(script: Script, apart: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The names that count, of these or of all, with their names in the script."""
    named = [(each.variable.name, each.variable.sort, each.name) for each in script.constants]
    named += [(symbol.name, symbol.codomain, name) for symbol, name in script.symbols if not symbol.domain]
    return tuple(
        (name, written)
        for name, sort, written in named
        if not isinstance(sort, core.FunctionOf | core.Carrier) and (not apart or name in apart)
    )


class _Search:
    def __init__(self, asked: AssignmentSearch, script: Script) -> None:
        self._asked = asked
        self._script = script
        self._negated = true_constraints(script)
        self._counted = counted(script, asked.apart)

    def run(self, steps: int) -> Answer:
        z3 = library()
        context = z3.Context()
        names = [written for _, written in self._counted]
        text = script_text(self._script, self._negated).removesuffix("(check-sat)\n")
        probes = "".join(f"(assert (= {name} {name}))\n" for name in names)
        try:
            parsed = z3.parse_smt2_string(text + probes, ctx=context)
        except z3.Z3Exception as error:
            return Answer(outcome="silent", reason="incomplete", detail=f"Z3 refuses the script: {error}")
        unknowns = [each.arg(0) for each in parsed[len(parsed) - len(names) :]] if names else []
        solver = z3.Solver(ctx=context)
        for each in parsed[: len(parsed) - len(names)]:
            solver.add(each)
        witnesses: list[Any] = []
        texts: list[str] = []
        ended: Ended = "enough"
        detail, used = "", 0
        while len(witnesses) < self._asked.count:
            if used >= steps:
                ended, detail = "gave up", "no answer within its steps"
                break
            run = run_solver(solver, steps - used)
            used += run.used
            if run.status != "sat":
                ended = "no others" if run.status == "unsat" else "gave up"
                detail = run.detail
                break
            model = self._rational(run.model, texts, steps)
            witnesses.append(read_witness(self._asked.task.goal, self._script, model, undefined=False))
            if not names:
                ended = "uncounted"
                break
            values = [model.eval(each, model_completion=True) for each in unknowns]
            same = [each == value for each, value in zip(unknowns, values, strict=True)]
            solver.add(z3.Not(z3.And(*same)))
            pairs = zip(names, values, strict=True)
            texts.append(f"(not (and {' '.join(f'(= {name} {value.sexpr()})' for name, value in pairs)}))")
        found = FoundAssignments(
            tuple(witnesses), tuple(texts), ended, tuple(name for name, _ in self._counted), detail
        )
        return Answer(outcome="model", witness=found, steps=used, detail=detail)

    def _rational(self, model: Any, texts: Sequence[str], steps: int) -> Any:
        """The model with rational values near to its algebraic ones, if there is one that is not excluded."""
        excluded = [(f"found {place}", text) for place, text in enumerate(texts)]
        script = msgspec.structs.replace(self._script, axioms=(*self._script.axioms, *excluded))
        return with_rational_values(script, self._negated, model, steps)
