"""Checks witnesses: what an engine claims of a model, before it is shown to anyone.

See docs/reference/proving.md §5.5.  Engines are trusted with nothing.  Each kind of witness has a check that shares no
code with the search:

==================  ===========================================================================================
assignment          every assumed axiom is true and the claim is not, evaluated by the reference semantics
tables              the same over finite carriers, every value enumerated
interpretation      each axiom, and the negated claim, proved under it by queries of their own
rewriting           critical pairs join, axioms join, the claim's normal forms differ
==================  ===========================================================================================

What stays open under evaluation (a quantifier over an infinite sort, a float, a budget) is not evidence.

The checks run in a child process, as engines do: `check_witness` is the job.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from kleis import core
from kleis.budget import Budget
from kleis.builtins.row import Context
from kleis.core.goal import Goal
from kleis.core.sort_printing import sort_text
from kleis.core.traversal import free_variables, rebuild, stripped
from kleis.errors import KleisError
from kleis.prover.protocol.engine import Answer, Task
from kleis.prover.protocol.verdict import Binding, Evidence, Table
from kleis.prover.protocol.witness import FunctionTable, Witness
from kleis.semantics.foreign_values import NamelessError, SortMembership, value_to_term
from kleis.semantics.models import Model, evaluator_of
from kleis.semantics.ranges import Bounds, Element, Function
from kleis.semantics.reference import Account, Evaluator
from kleis.semantics.truth import FALSE, OPEN, TRUE
from kleis.values import Value, equality_key
from kleis.values.text import render_value

__all__ = ["CHECK_WITNESS", "Checked", "check_evidence", "check_witness"]

_BUDGET = Budget(steps=2_000_000, depth=1_000, size=100_000)
_BOUNDS = Bounds(carrier=8, points=200_000, values=2_000, budget=_BUDGET)


def check_evidence(task: Task, answer: Answer) -> Evidence | None:
    """The evidence of an answer's witness; None if the check does not confirm it."""
    witness = answer.witness
    if isinstance(witness, Mapping):
        return _plain(task, witness)
    if not isinstance(witness, Witness):
        return None
    return _assignment(task, witness) or _proved_assignment(task, witness)


def _plain(task: Task, witness: Mapping[str, Any]) -> Evidence | None:
    """Witnesses of engines that bring a check of their own."""
    if "tables" in witness:
        from kleis.prover.engines.models.finite_check import check_tables

        return check_tables(task, witness)
    if "equations" in witness:
        from kleis.prover.engines.completion.check_proof import rewriting_evidence

        return rewriting_evidence(task, witness)
    if "interpretation" in witness:
        from kleis.prover.engines.models.standard_models import interpretation_evidence

        return interpretation_evidence(task, witness)
    return None


# ── Values of variables and symbols ──────────────────────────────────────────────────────────────────────────


def _assignment(task: Task, witness: Any) -> Evidence | None:
    """An assignment: values of variables and symbols, all of their sorts; every axiom true, the claim not."""
    goal = task.goal
    carriers = [each for each in goal.carriers if isinstance(each, core.Carrier)]
    sizes = {
        each: witness.carriers[sort_text(each)] for each in carriers if sort_text(each) in witness.carriers
    }
    sized = all(type(size) is int and size > 0 for size in sizes.values())
    if len(sizes) < len(carriers) or witness.unread or not sized:
        return None
    account = Account(_BOUNDS.budget)
    bare = evaluator_of(goal, Model(sizes, {}), _BOUNDS, "one-sided", account)
    values = _Values(SortMembership(goal, bare.ranges, account), account)
    variables, hypotheses, claim = ((), (), None) if goal.claim is None else stripped(goal.claim)
    try:
        shown = values.of_symbols(witness.symbols)
        assignment = {
            each.name: values.of_variable(each, witness.assignment.get(each.name)) for each in variables
        }
    except _ForeignError:
        return None
    evaluator = bare.under({symbol: values.function(symbol, table) for symbol, table in shown})
    if any(evaluator.truth(axiom.formula) is not TRUE for axiom in goal.axioms):
        return None
    if claim is None:
        return _evidence(goal, shown, sizes, {}, undefined=False)
    environment = {
        each.name: values.function(each, assignment[each.name])
        if isinstance(each.sort, core.FunctionOf)
        else assignment[each.name]
        for each in variables
    }
    outcome = _outcome(evaluator, hypotheses, claim, environment)
    if outcome is None:
        return None
    return _evidence(goal, shown, sizes, assignment, undefined=outcome == "undefined")


def _proved_assignment(task: Task, witness: Any) -> Evidence | None:
    """An assignment at which the claim or an axiom quantifies over infinitely many values: proved, not evaluated.

    Only where every unknown has a value that can be written as a term: no carriers, no functions of functions.
    """
    from kleis.prover.engines.models.standard_models import proved_evidence
    from kleis.prover.protocol.witness import Interpretation

    goal, named = _with_functions_named(task.goal)
    if goal.carriers or witness.unread:
        return None
    account = Account(_BOUNDS.budget)
    ranges = evaluator_of(goal, Model({}, {}), _BOUNDS, "one-sided", account).ranges
    given = dict(witness.assignment)
    try:
        functions = tuple((symbol, given.pop(name)) for name, symbol in named.items() if name in given)
        read = _Values(SortMembership(goal, ranges, account), account)
        shown = read.of_symbols((*witness.symbols, *functions))
        symbols = tuple((symbol, *_body(symbol, value, goal)) for symbol, value in shown)
    except (_ForeignError, NamelessError):
        return None
    assignment = tuple(given.items())
    found = Interpretation(carriers=(), symbols=symbols, point=assignment)
    return proved_evidence(msgspec.structs.replace(task, goal=goal), found)


def _with_functions_named(goal: Goal) -> tuple[Goal, dict[str, core.Symbol]]:
    """The claim with an operation for every function variable of its outermost ∀."""
    if goal.claim is None:
        return goal, {}
    variables, hypotheses, rest = stripped(goal.claim)
    named = {
        each.name: core.Symbol(f"{each.name}{_AS_OPERATION}", each.sort.domain, each.sort.codomain)
        for each in variables
        if isinstance(each.sort, core.FunctionOf)
    }

    def called(term: core.Term) -> core.Term:
        term = rebuild(term, called)
        if isinstance(term, core.Application) and isinstance(term.function, core.Variable):
            symbol = named.get(term.function.name)
            return term if symbol is None else core.SymbolCall(symbol, term.arguments)
        return term

    for hypothesis in reversed(hypotheses):
        rest = core.Connective("implies", (hypothesis, rest))
    body = called(rest)
    if not named or any(each.name in named for each in free_variables(body)):
        return goal, {}
    others = tuple(each for each in variables if each.name not in named)
    claim = core.Quantifier("forall", others, body) if others else body
    symbols = (*goal.symbols, *named.values())
    return msgspec.structs.replace(goal, claim=claim, symbols=symbols), named


_AS_OPERATION = "°"
"""The end of the names of these operations; no declared name ends so."""


def _body(symbol: core.Symbol, value: Any, goal: Goal) -> tuple[tuple[core.Variable, ...], core.Term]:
    """Parameters and body of a symbol with a value: cases for the rows of a table, then its default."""
    if not isinstance(value, FunctionTable):
        return (), value_to_term(value, symbol.codomain, goal)
    parameters = tuple(core.Variable(f"x{place}", sort) for place, sort in enumerate(symbol.domain))
    if value.default is None:
        raise NamelessError
    body = value_to_term(value.default, symbol.codomain, goal)
    for arguments, result in reversed(value.rows):
        given = [value_to_term(each, sort, goal) for each, sort in zip(arguments, symbol.domain, strict=True)]
        tests = tuple(map(core.Equals, parameters, given))
        test = tests[0] if len(tests) == 1 else core.Connective("and", tests)
        body = core.Conditional(test, value_to_term(result, symbol.codomain, goal), body)
    return parameters, body


def _outcome(
    evaluator: Evaluator, hypotheses: Sequence[Any], claim: Any, assignment: dict[str, Any]
) -> str | None:
    """``false`` or ``undefined`` if the implication certainly is that at an assignment."""
    premises = [evaluator.truth(each, assignment) for each in hypotheses]
    conclusion = evaluator.truth(claim, assignment)
    if any(each is OPEN or not each.decided for each in (*premises, conclusion)):
        return None
    if any(each is FALSE for each in premises) or conclusion is TRUE:
        return None
    return "false" if conclusion is FALSE and all(each is TRUE for each in premises) else "undefined"


class _ForeignError(Exception):
    """A value that is not of its sort."""


_Shown = tuple[tuple[core.Symbol, Any], ...]


class _Values:
    """Reads the values of a witness: each must be one of its sort."""

    def __init__(self, membership: SortMembership, context: Context) -> None:
        self._membership = membership
        self._context = context

    def of_symbols(self, given: Sequence[tuple[core.Symbol, Any]]) -> _Shown:
        """Values of constants, and tables of operations; no symbol has two."""
        if len({symbol for symbol, _ in given}) < len(given):
            raise _ForeignError
        return tuple(
            (
                each,
                self._table(each.domain, each.codomain, value) if each.domain else self._value(value, each),
            )
            for each, value in given
        )

    def of_variable(self, variable: core.Variable, given: Any) -> Any:
        """The value of a variable, or the table of a function variable."""
        sort = variable.sort
        if isinstance(sort, core.FunctionOf):
            return self._table(sort.domain, sort.codomain, given)
        return self._one(given, sort)

    def function(self, named: core.Symbol | core.Variable, value: Any) -> Function:
        """A function that evaluates a constant, or a table with a default."""
        sort = named.sort if isinstance(named, core.Variable) else None
        domain = named.domain if isinstance(named, core.Symbol) else getattr(sort, "domain", ())
        rows = {self._key(arguments): result for arguments, result in getattr(value, "rows", ())}
        default = getattr(value, "default", value)

        def call(*arguments: Value) -> Any:
            found = rows.get(self._key(arguments), default)
            return OPEN if found is None else found

        return Function(named.name, domain, call, total=True)

    def _value(self, given: Any, symbol: core.Symbol) -> Value:
        return self._one(given, symbol.codomain)

    def _one(self, given: Any, sort: core.Sort) -> Value:
        value = self._membership.value(given, sort)
        if value is None:
            raise _ForeignError
        return value

    def _table(self, domain: Sequence[core.Sort], codomain: core.Sort, given: Any) -> FunctionTable:
        """A table whose arguments and results are of their sorts; a bare value is the result everywhere."""
        table = given if isinstance(given, FunctionTable) else FunctionTable((), given)
        rows = []
        for arguments, result in table.rows:
            if len(arguments) != len(domain):
                raise _ForeignError
            read = tuple(self._one(each, sort) for each, sort in zip(arguments, domain, strict=True))
            rows.append((read, self._one(result, codomain)))
        if len({self._key(arguments) for arguments, _ in rows}) < len(rows):
            raise _ForeignError
        default = None if table.default is None else self._one(table.default, codomain)
        return FunctionTable(tuple(rows), default)

    def _key(self, arguments: Sequence[Value]) -> tuple[Any, ...]:
        return tuple(equality_key(each, self._context) for each in arguments)


def _evidence(
    goal: Goal,
    shown: _Shown,
    sizes: Mapping[core.Carrier, int],
    assignment: Mapping[str, Any],
    *,
    undefined: bool,
) -> Evidence:
    names = {
        each: [f"{_letter(sort_text(each))}{place}" for place in range(size)] for each, size in sizes.items()
    }

    def text(value: Any) -> str:
        if isinstance(value, Element):
            return f"{_letter(value.constructor.partition('#')[0])}{value.index}"
        return render_value(value)

    variables = stripped(goal.claim)[0] if goal.claim is not None else ()
    named = [(each.name, *_arrow(each.sort), assignment[each.name]) for each in variables]
    named += [(symbol.name, symbol.domain, symbol.codomain, value) for symbol, value in shown]
    bindings: list[Binding] = []
    tables: list[Table] = []
    for name, domain, codomain, value in named:
        if not isinstance(value, FunctionTable):
            bindings.append(Binding(name, sort_text(codomain), text(value)))
            continue
        columns = tuple(map(sort_text, (*domain, codomain)))
        rows = [tuple(map(text, (*arguments, result))) for arguments, result in value.rows]
        if value.default is not None:
            rows.append((*("otherwise" for _ in domain), text(value.default)))
        tables.append(Table(name, columns, tuple(rows)))
    return Evidence(
        kind="tables" if sizes else "assignment",
        undefined=undefined,
        bindings=tuple(bindings),
        carriers=tuple((sort_text(each), tuple(found)) for each, found in names.items()),
        tables=tuple(tables),
    )


def _arrow(sort: core.Sort) -> tuple[tuple[core.Sort, ...], core.Sort]:
    return (sort.domain, sort.codomain) if isinstance(sort, core.FunctionOf) else ((), sort)


def _letter(carrier: str) -> str:
    """The letter that names of elements of a carrier begin with."""
    first = carrier.rpartition("::")[2][:1].lower()
    return first if first.isalpha() and first.isascii() else "a"


# ── As a job ─────────────────────────────────────────────────────────────────────────────────────────────────


class Checked(msgspec.Struct, frozen=True):
    """The input of `check_witness`: a task with what an engine answered to it."""

    task: Task
    answer: Answer


CHECK_WITNESS = "kleis.prover.evidence:check_witness"


def check_witness(checked: Checked, steps: int) -> Answer:
    """The job of a check.  Its answer's witness is the evidence."""
    del steps
    try:
        evidence = check_evidence(checked.task, checked.answer)
    except KleisError as error:
        return Answer(outcome="silent", reason="incomplete", detail=f"not evaluated: {error}")
    except RecursionError:
        return Answer(outcome="silent", reason="resource", detail="not evaluated: nested too deep")
    if evidence is None:
        return Answer(outcome="silent", reason="incomplete", detail="what was found is no evidence")
    return Answer(outcome=checked.answer.outcome, witness=evidence)
