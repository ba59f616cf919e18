"""Witnesses that engines find, as the data of a certificate.

See docs/reference/certificates.md §5.1.  Nothing is checked here but what writing needs: that values are of their sorts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kleis import core
from kleis.core.goal import Goal
from kleis.core.sort_printing import sort_text
from kleis.core.traversal import stripped
from kleis.errors import BudgetError
from kleis.prover.checker import format as file_format
from kleis.prover.checker.rules.assignment import BOUNDS
from kleis.prover.checker.rules.interpretation import parameters_of
from kleis.prover.checker.rules.interpreted_goals import Translation
from kleis.prover.checker.rules.named_parts import arrow, outermost_variables, symbol_text
from kleis.prover.checker.sequent import RejectedError
from kleis.prover.checker.values import ValueReader, table_data, value_data
from kleis.prover.checker.write_terms import UnwritableError, sort_data, term_data
from kleis.prover.protocol.witness import FunctionTable, Interpretation, Witness
from kleis.semantics.models import Model, evaluator_of
from kleis.semantics.reference import Account

__all__ = ["witness_data"]


def witness_data(
    goal: Goal, witness: object
) -> file_format.Tables | file_format.Assignment | file_format.Interpretation:
    """What an engine found, as data; `UnwritableError` where it has no place in a certificate."""
    try:
        match witness:
            case Witness():
                return _assignment(goal, witness)
            case {"carriers": sizes, "tables": tables, "point": point}:
                return _tables(goal, sizes, tables, point)
            case {"interpretation": Interpretation() as found}:
                return _interpretation(goal, found)
    except (RejectedError, BudgetError, LookupError, TypeError, ValueError) as error:
        raise UnwritableError(f"a witness that is none of this goal: {error}") from None
    raise UnwritableError("a witness of no kind that certificates have")


# ── Tables ───────────────────────────────────────────────────────────────────────────────────────────────────


def _tables(
    goal: Goal, sizes: Mapping[str, Any], tables: Mapping[str, Any], points: Mapping[str, Any]
) -> file_format.Tables:
    """The tables in the goal's order.

    A variable of the claim about which the search knew nothing gets the first element: any will do.
    """
    point = []
    for each in outermost_variables(goal.claim) if points else ():
        if each.name not in points and isinstance(each.sort, core.FunctionOf):
            raise UnwritableError(f"nothing is said of {each.name}")
        first = False if each.sort == core.BOOL else 0
        point.append((each.name, _values(points.get(each.name, [[first]]), len(arrow(each.sort)[0]))))
    return file_format.Tables(
        carriers=tuple((sort_text(each), sizes[sort_text(each)]) for each in goal.carriers),
        tables=tuple(
            (symbol_text(each), _values(tables[symbol_text(each)], len(each.domain))) for each in goal.symbols
        ),
        point=tuple(point),
    )


def _values(rows: Sequence[Sequence[Any]], count: int) -> tuple[int | bool, ...]:
    """The values of rows with so many arguments, in the order of the arguments."""
    values = {tuple(arguments): value for *arguments, value in rows}
    if len(values) < len(rows) or any(len(each) != count for each in values):
        raise UnwritableError("a table with two rows for the same arguments, or with others")
    return tuple(values[each] for each in sorted(values))


# ── Assignments ──────────────────────────────────────────────────────────────────────────────────────────────


def _assignment(goal: Goal, witness: Witness) -> file_format.Assignment:
    carriers = [each for each in goal.carriers if isinstance(each, core.Carrier)]
    if witness.unread:
        raise UnwritableError(f"{witness.unread[0]} has no value that can be written")
    symbols = dict(witness.symbols)
    if len(symbols) < len(witness.symbols):
        raise UnwritableError("a symbol with two values")
    sizes = {each: witness.carriers[sort_text(each)] for each in carriers}
    if not all(type(size) is int and 0 < size <= BOUNDS.values for size in sizes.values()):
        raise UnwritableError("a carrier without elements, or with too many")
    account = Account(BOUNDS.budget)
    ranges = evaluator_of(goal, Model(sizes, {}), BOUNDS, "one-sided", account).ranges
    reader = ValueReader(goal, ranges, account)
    variables = () if goal.claim is None else stripped(goal.claim)[0]
    given = witness.assignment if any(each.name in witness.assignment for each in variables) else {}
    return file_format.Assignment(
        variables=tuple(
            (each.name, _written(reader, given[each.name], *arrow(each.sort), goal))
            for each in variables
            if given
        ),
        symbols=tuple(
            (symbol_text(each), _written(reader, symbols[each], each.domain, each.codomain, goal))
            for each in goal.symbols
            if each in symbols
        ),
        carriers=tuple((sort_text(each), size) for each, size in sizes.items()),
        precision=witness.precision,
    )


def _written(
    reader: ValueReader, given: Any, domain: Sequence[core.Sort], codomain: core.Sort, goal: Goal
) -> Any:
    """A value, or the table of a function; a bare value is that of a function everywhere."""
    if not domain:
        return value_data(reader.member(given, codomain), codomain, goal)
    table = given if isinstance(given, FunctionTable) else FunctionTable((), given)
    rows = []
    for arguments, result in table.rows:
        read = (reader.member(each, sort) for each, sort in zip(arguments, domain, strict=True))
        rows.append((tuple(read), reader.member(result, codomain)))
    default = None if table.default is None else reader.member(table.default, codomain)
    return table_data(FunctionTable(tuple(rows), default), domain, codomain, goal)


# ── Interpretations ──────────────────────────────────────────────────────────────────────────────────────────


def _interpretation(goal: Goal, found: Interpretation) -> file_format.Interpretation:
    carriers = dict(found.carriers)
    meanings = {symbol: (parameters, body) for symbol, parameters, body in found.symbols}
    if len(meanings) < len(found.symbols) or len(carriers) < len(found.carriers):
        raise UnwritableError("a symbol or carrier that is interpreted twice")
    symbols = []
    for symbol in goal.symbols:
        parameters, body = meanings[symbol]
        if parameters != parameters_of(symbol, carriers)[0]:
            raise UnwritableError(f"{symbol.name} has other parameters")
        symbols.append((symbol_text(symbol), term_data(body)))
    return file_format.Interpretation(
        carriers=tuple((sort_text(each), sort_data(carriers[each])) for each in map(_carrier, goal.carriers)),
        symbols=tuple(symbols),
        point=_point(goal, carriers, dict(found.point)),
        functions=tuple((name, term_data(body)) for name, _, body in found.functions),
        undefined=found.undefined,
        proof=found.proof,
    )


def _point(
    goal: Goal, carriers: Mapping[core.Carrier, core.Sort], given: Mapping[str, Any]
) -> tuple[tuple[str, Any], ...]:
    if goal.claim is None or not given:
        return ()
    translation = Translation(goal, carriers, {})
    variables = stripped(translation.formula(goal.claim))[0]
    account = Account(BOUNDS.budget)
    ranges = evaluator_of(translation.goal, Model({}, {}), BOUNDS, "one-sided", account).ranges
    reader = ValueReader(translation.goal, ranges, account)
    return tuple(
        (each.name, value_data(reader.member(given[each.name], each.sort), each.sort, translation.goal))
        for each in variables
    )


def _carrier(sort: core.Sort) -> core.Carrier:
    if not isinstance(sort, core.Carrier):
        raise UnwritableError(f"{sort_text(sort)} is no carrier")
    return sort
