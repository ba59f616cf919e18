"""Answers of a theory as PIF values: Kleis values, verdicts and declarations (docs/reference/pif.md §2.12)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from kleis import values as kleis_values
from kleis.core import Symbol
from kleis.delaborate.describe_goal import expression_of
from kleis.delaborate.print_types import type_of
from kleis.elaborate.elaborator import Elaborator
from kleis.errors import KleisError
from kleis.prover.protocol.verdict import Verdict
from kleis.sessions.answer_fields import evidence_fields
from kleis.syntax import tree
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.printer.program import print_expression, print_type
from kleis.syntax.tree.traversal import rebuild
from kleis.theory.theory import Theory
from pif.language.budget import INTEGER_BITS, reserve_stack
from pif.language.values import Quoted, Record, Value, items_of, list_of
from registry.oracles.quoted_terms import term_of

__all__ = [
    "Signature",
    "axiom_expressions",
    "axiom_records",
    "kleis_value",
    "operation_records",
    "parts_of",
    "record_of",
    "signatures_of",
    "structure_records",
    "verdict_record",
    "written_value",
]

_LEVELS = 50
"""Levels of nesting of a Kleis value that become PIF data."""

_SHOWN = 10_000
"""Characters of a Kleis value that has no counterpart in PIF."""

_STACK = 3_000
"""Python frames that a walk over an axiom may need: the parser limits its nesting."""

_Node = TypeVar("_Node", bound=tree.Node)


class _NoData(Exception):
    """A value has no counterpart in PIF."""


def record_of(**fields: Value) -> Record:
    """A record, its fields in code-point order."""
    return _record(fields)


def _record(fields: Mapping[str, Value]) -> Record:
    return Record(dict(sorted(fields.items())))


def kleis_value(value: kleis_values.Value) -> Value:
    """A Kleis value: integers, booleans, strings, `()`, lists and pairs as such, any other as a record with its text in
    `kleis`."""
    try:
        return _data(value, _LEVELS)
    except _NoData:
        return record_of(kleis=kleis_values.render_value(value, limit=_SHOWN))


def _data(value: kleis_values.Value, levels: int) -> Value:
    if levels == 0:
        raise _NoData
    match value:
        case bool() | str():
            return value
        case int() if value.bit_length() <= INTEGER_BITS:
            return value
        case kleis_values.ListValue():
            return list_of([_data(item, levels - 1) for item in value])
        case kleis_values.Data() if value.constructor == "Pair" and len(value.fields) == 2:
            return (_data(value.fields[0], levels - 1), _data(value.fields[1], levels - 1))
        case kleis_values.Data() if value.constructor == "Unit":
            return None
        case _:
            raise _NoData


def written_value(text: str) -> Value:
    """A value written in Kleis as a PIF value; the text itself where PIF has no such data (``g0``)."""
    try:
        return _written(parse_expression(text), _LEVELS)
    except (KleisError, _NoData):
        return text


def _written(expression: tree.Expression, levels: int) -> Value:
    match expression:
        case _ if levels == 0:
            raise _NoData
        case tree.Number(text) if text.isdecimal() and len(text) < INTEGER_BITS // 4:
            return int(text)
        case tree.Call("negate", (tree.Number(text),)) if text.isdecimal() and len(text) < INTEGER_BITS // 4:
            return -int(text)
        case tree.Boolean(value) | tree.Text(value):
            return value
        case tree.ListLiteral(items):
            return list_of([_written(item, levels - 1) for item in items])
        case tree.Call("Pair", (first, second)):
            return (_written(first, levels - 1), _written(second, levels - 1))
        case tree.Call("Unit", ()):
            return None
        case _:
            raise _NoData


def verdict_record(claim: str, verdict: Verdict | None = None, *, problem: str = "") -> Record:
    """The record that `verify` gives. `problem`: why there is no proposition to decide."""
    if verdict is None:
        verdict = Verdict(status="error", message=problem)
    reasons = [each for each in (verdict.reason, verdict.message) if each]
    reason = ": ".join(reasons)
    if verdict.advice:
        reason = f"{reason} ({verdict.advice})" if reason else verdict.advice
    evidence = {} if verdict.evidence is None else evidence_fields(verdict.evidence)
    if evidence.get("undefined"):
        reason = "undefined at the point shown"
    return record_of(
        axioms=list_of(list(verdict.core)),
        claim=claim,
        counterexample=_record(
            {name: written_value(text) for name, text in evidence.get("values", {}).items()}
        ),
        method=verdict.engine,
        model=_model(evidence),
        reason=reason,
        verdict=verdict.status,
    )


def _model(evidence: Mapping[str, Any]) -> Record:
    """The model of evidence fields: carriers, tables (rows of arguments with the value last), interpretation, rules."""
    fields = {name: evidence[name] for name in ("carriers", "interpretation", "rules") if name in evidence}
    if "tables" in evidence:
        fields["tables"] = {table["name"]: table["rows"] for table in evidence["tables"]}
    return _record({name: _of_json(each) for name, each in fields.items()})


def _of_json(data: Any) -> Value:
    """Texts, lists and objects as values."""
    match data:
        case dict():
            return _record({name: _of_json(each) for name, each in data.items()})
        case list():
            return list_of([_of_json(each) for each in data])
        case _:
            return str(data)


def parts_of(value: Value) -> int:
    """The parts of a value; each 64 characters of a string and each node of a quoted term count as one more."""
    count = 0
    stack = [value]
    while stack:
        part = stack.pop()
        count += 1
        if isinstance(part, str):
            count += len(part) >> 6
        elif isinstance(part, Quoted):
            count += part.term.nodes
        elif isinstance(part, Record):
            stack.extend(part.fields.values())
        elif isinstance(part, tuple) and len(part) == 3:
            stack.extend(items_of(part))
        elif isinstance(part, tuple):
            stack.extend(part)
    return count


# ── Declarations ─────────────────────────────────────────────────────────────────────────────────────────────
#
# Names are written as they are inside the structure (`•`, not `Group::•`), so that `using Group` before a proposition
# made of them means the same.


class Signature(msgspec.Struct, frozen=True):
    """An operation of a structure: `arguments` and `result` are types as Kleis writes them."""

    name: str
    arguments: tuple[str, ...]
    result: str


def structure_records(theory: Theory) -> list[Record]:
    """All structures, by name."""
    return [
        record_of(
            kleis=f"structure {name}({', '.join(each.name for each in node.parameters)})"
            if node.parameters
            else f"structure {name}",
            name=name,
            parameters=list_of([each.name for each in node.parameters]),
        )
        for name, node in sorted(theory.structures.items())
    ]


def signatures_of(theory: Theory, structure: str) -> list[Signature]:
    """The operations and elements of a structure, inherited ones included. Raises `KleisError`."""
    symbols = Elaborator(theory).arbitrary(structure).symbols  # also those that no axiom mentions
    return [_signature(symbol, structure) for symbol in sorted(symbols, key=lambda each: each.name)]


def _signature(symbol: Symbol, structure: str) -> Signature:
    types = [print_type(_inside(type_of(sort), structure)) for sort in (*symbol.domain, symbol.codomain)]
    return Signature(_short(symbol.name, structure), tuple(types[:-1]), types[-1])


def operation_records(theory: Theory, structure: str) -> list[Record]:
    """The same as records. Raises `KleisError`."""
    return [
        record_of(
            arguments=list_of(list(each.arguments)),
            kleis=f"{each.name} : {' → '.join((*each.arguments, each.result))}",
            name=each.name,
            result=each.result,
        )
        for each in signatures_of(theory, structure)
    ]


def axiom_expressions(theory: Theory, structure: str) -> list[tuple[str, tree.Expression]]:
    """The axioms of a structure by name, inherited ones included. Raises `KleisError`."""
    reserve_stack(_STACK)
    return [
        (axiom.name, _inside(expression_of(axiom.formula), structure))
        for axiom in Elaborator(theory).structure(structure).axioms
    ]


def axiom_records(theory: Theory, structure: str) -> list[Record]:
    """The axioms of a structure, each as Kleis and as a quoted term. Raises `KleisError`."""
    return [
        record_of(kleis=print_expression(expression), name=name, term=Quoted(term_of(expression)))
        for name, expression in axiom_expressions(theory, structure)
    ]


def _short(name: str, structure: str) -> str:
    """A member's name as it is written inside the structure."""
    owner, _, last = name.rpartition("::")
    return last if owner == structure else name


def _inside(node: _Node, structure: str) -> _Node:
    """A tree with the names of a structure's members written as inside it."""
    inside = rebuild(node, lambda below: _inside(below, structure))
    if isinstance(inside, tree.Call | tree.Name | tree.NamedType):
        return msgspec.structs.replace(inside, name=_short(inside.name, structure))
    return inside
