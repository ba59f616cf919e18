"""Evidence: what an engine claims of a model, checked before anyone sees it.

Specification: proving.md §2.  Engines are trusted with nothing.  Each kind of witness has a check that shares no code
with the search:

==================  ===========================================================================================
assignment          every axiom in force is true and the claim is not, evaluated by the reference semantics
tables              the same over finite carriers, every value enumerated
interpretation      each axiom, and the negated claim, proved under it by queries of their own
rewriting           critical pairs join, axioms join, the claim's normal forms differ
==================  ===========================================================================================

What stays open under evaluation (a quantifier over an infinite sort, a float, a budget) is not evidence.

The checks run in a child process like any engine: `CHECKER` is one, of a pair of a task and an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import msgspec

from kleis.budget import Budget, Meter
from kleis.errors import KleisError
from kleis.logic.engine import Answer, Task
from kleis.logic.smt.script import stripped
from kleis.logic.verdict import Binding, Evidence, Table
from kleis.meaning.core import Carrier, Symbol
from kleis.meaning.meaning import Meaning
from kleis.meaning.models import Model, evaluator_of
from kleis.meaning.ranges import Bounds, Element, Function
from kleis.meaning.reference import Evaluator
from kleis.meaning.truth import FALSE, OPEN, TRUE
from kleis.meaning.wording import sort_text
from kleis.values import Value, equality_key
from kleis.values.rendering import render_value

__all__ = ["CHECKER", "Checker", "check_evidence"]

_BUDGET = Budget(steps=2_000_000, depth=1_000, size=100_000)
_BOUNDS = Bounds(carrier=8, points=200_000, values=2_000, budget=_BUDGET)


def check_evidence(task: Task, answer: Answer) -> Evidence | None:
    """The evidence in an answer's witness, if it is any."""
    witness = answer.witness
    if isinstance(witness, Mapping):
        return _plain(task, witness)
    from kleis.logic.engines.witnesses import Witness

    if not isinstance(witness, Witness):
        return None
    return _point(task, witness) or _proved_point(task, witness)


def _plain(task: Task, witness: Mapping[str, Any]) -> Evidence | None:
    """Witnesses of engines that bring a check of their own."""
    if "tables" in witness:
        from kleis.logic.engines.finite_models_check import check_tables

        return check_tables(task, witness)
    if "equations" in witness:
        from kleis.logic.engines.completion_check import rewriting_evidence

        return rewriting_evidence(task, witness)
    if "interpretation" in witness:
        from kleis.logic.engines.interpretations import interpretation_evidence

        return interpretation_evidence(task, witness)
    return None


# ── Values of variables and symbols ──────────────────────────────────────────────────────────────────────────


def _point(task: Task, witness: Any) -> Evidence | None:
    """Values given for variables and symbols: every axiom true, the claim not."""
    meaning = task.meaning
    carriers = [each for each in meaning.carriers if isinstance(each, Carrier)]
    sizes = {
        each: witness.carriers[sort_text(each)] for each in carriers if sort_text(each) in witness.carriers
    }
    if len(sizes) < len(carriers) or witness.unread:
        return None
    functions = {symbol: _function(symbol, value) for symbol, value in witness.symbols}
    evaluator = evaluator_of(meaning, Model(sizes, functions), _BOUNDS, "one-sided")
    if any(evaluator.truth(axiom.formula) is not TRUE for axiom in meaning.axioms):
        return None
    if meaning.claim is None:
        return _evidence(meaning, witness, sizes, {}, undefined=False)
    variables, hypotheses, claim = stripped(meaning.claim)
    point = {each.name: witness.assignment.get(each.name) for each in variables}
    if any(value is None for value in point.values()):
        return None
    outcome = _outcome(evaluator, hypotheses, claim, point)
    if outcome is None:
        return None
    return _evidence(meaning, witness, sizes, point, undefined=outcome == "undefined")


def _proved_point(task: Task, witness: Any) -> Evidence | None:
    """A point at which the claim speaks of all numbers: that it fails there is proved, not evaluated.

    Only where nothing but numbers is unknown: constants and variables, no operations and no carriers.
    """
    from kleis.logic.engines.interpretations import Interpretation, interpretation_evidence, literal

    constants = [(symbol, value) for symbol, value in witness.symbols if not symbol.domain]
    values = [value for _, value in constants] + list(witness.assignment.values())
    if task.meaning.carriers or witness.unread or len(constants) < len(task.meaning.symbols):
        return None
    if not all(isinstance(each, int | Fraction) and not isinstance(each, bool) for each in values):
        return None
    found = Interpretation(
        carriers=(),
        symbols=tuple((symbol, (), literal(value, symbol.codomain)) for symbol, value in constants),
        point=tuple(witness.assignment.items()),
    )
    return interpretation_evidence(task, {"interpretation": found})


def _outcome(
    evaluator: Evaluator, hypotheses: Sequence[Any], claim: Any, point: dict[str, Any]
) -> str | None:
    """``false`` or ``undefined`` if the implication is that for certain at a point."""
    premises = [evaluator.truth(each, point) for each in hypotheses]
    conclusion = evaluator.truth(claim, point)
    if any(each is OPEN or not each.decided for each in (*premises, conclusion)):
        return None
    if any(each is FALSE for each in premises) or conclusion is TRUE:
        return None
    return "false" if conclusion is FALSE and all(each is TRUE for each in premises) else "undefined"


def _function(symbol: Symbol, value: Any) -> Function:
    """A symbol's interpretation: a constant, or a table with a value for everything else."""
    meter = Meter(_BOUNDS.budget)

    def key(arguments: Sequence[Value]) -> tuple[Any, ...]:
        return tuple(equality_key(each, meter) for each in arguments)

    rows = {key(arguments): result for arguments, result in getattr(value, "rows", ())}
    default = getattr(value, "default", value)

    def call(*arguments: Value) -> Any:
        found = rows.get(key(arguments), default)
        return OPEN if found is None else found

    return Function(symbol.name, symbol.domain, call, total=True)


def _evidence(
    meaning: Meaning, witness: Any, sizes: Mapping[Carrier, int], point: Mapping[str, Any], *, undefined: bool
) -> Evidence:
    names = {
        each: [f"{_letter(sort_text(each))}{place}" for place in range(size)] for each, size in sizes.items()
    }

    def text(value: Any) -> str:
        if isinstance(value, Element):
            return f"{_letter(value.constructor.partition('#')[0])}{value.index}"
        return render_value(value)

    variables = stripped(meaning.claim)[0] if meaning.claim is not None else ()
    bindings = [Binding(each.name, sort_text(each.sort), text(point[each.name])) for each in variables]
    tables: list[Table] = []
    for symbol, value in witness.symbols:
        if not symbol.domain:
            bindings.append(Binding(symbol.name, sort_text(symbol.codomain), text(value)))
            continue
        columns = tuple(map(sort_text, (*symbol.domain, symbol.codomain)))
        rows = [tuple(map(text, (*arguments, result))) for arguments, result in value.rows]
        if value.default is not None:
            rows.append((*("otherwise" for _ in symbol.domain), text(value.default)))
        tables.append(Table(symbol.name, columns, tuple(rows)))
    return Evidence(
        kind="tables" if sizes else "assignment",
        undefined=undefined,
        bindings=tuple(bindings),
        carriers=tuple((sort_text(each), tuple(found)) for each, found in names.items()),
        tables=tuple(tables),
    )


def _letter(carrier: str) -> str:
    """The letter that elements of a carrier are called by."""
    first = carrier.rpartition("::")[2][:1].lower()
    return first if first.isalpha() and first.isascii() else "a"


# ── As an engine ─────────────────────────────────────────────────────────────────────────────────────────────


class Checked(msgspec.Struct, frozen=True):
    """What is handed to the checker: a task with what an engine answered to it."""

    task: Task
    answer: Answer


class Checker:
    """Runs a check where it can do no harm.  Its answer's witness is the evidence."""

    name = "check"

    def applies(self, task: Any) -> bool:
        """To answers with a witness."""
        return isinstance(task, Checked)

    def run(self, task: Any, steps: int) -> Answer:
        """Check an answer."""
        del steps
        run: Callable[[Task, Answer], Evidence | None] = check_evidence
        try:
            evidence = run(task.task, task.answer)
        except KleisError as error:
            return Answer(outcome="silent", reason="incomplete", detail=f"not evaluated: {error}")
        except RecursionError:
            return Answer(outcome="silent", reason="resource", detail="not evaluated: nested too deep")
        if evidence is None:
            return Answer(outcome="silent", reason="incomplete", detail="what was found is no evidence")
        return Answer(outcome=task.answer.outcome, witness=evidence)


CHECKER = Checker()
