"""Calls with a node of their own in the core: connectives, equality, lists, tuples, records.

Specification: proving.md §1 ("Definedness"), kleis/core/terms.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Never

from kleis.builtins.signatures.signature_table import UNTYPED
from kleis.core import (
    Coercion,
    Connective,
    ConnectiveName,
    Construction,
    Constructor,
    ConstructorField,
    Equals,
    ListOf,
    Numeric,
    RecordOf,
    Sort,
    SortVariable,
    Term,
    TupleOf,
    Undefined,
)
from kleis.core.sort_printing import sort_text
from kleis.core.terms import TUPLES, construct_list, construct_tuple, list_constructors
from kleis.core.traversal import is_closed
from kleis.elaborate.expressions.call_errors import missing_operation
from kleis.elaborate.expressions.overload_candidates import overloaded_sorts
from kleis.elaborate.scopes.scope import BuiltinName, Candidate, Template
from kleis.syntax.tree import Call, Name, Text
from kleis.syntax.tree import Lambda as LambdaExpression

if TYPE_CHECKING:
    from kleis.elaborate.expressions.term_elaborator import Unit

__all__ = ["special_form"]

_CONNECTIVES: dict[str, ConnectiveName] = {
    "logical_and": "and",
    "logical_or": "or",
    "logical_not": "not",
    "implies": "implies",
}


def special_form(
    unit: Unit, node: Call, candidates: Sequence[Candidate], expected: Sort | None
) -> Term | None:
    """The term of a connective, equality, list, tuple or record; None if the call is none of them."""
    if not candidates and node.name in TUPLES and node.name:
        return _tuple(unit, node, expected)
    rows = [each.row for each in candidates if isinstance(each, BuiltinName)]
    if not rows or any(isinstance(each, Template) and not each.overload for each in candidates):
        return None
    name = rows[0].name
    if name in UNTYPED and len(rows) == len(candidates):
        message = f"{node.name} has no place in a proposition: {UNTYPED[name]}"
        unit.refuse(node, "no-proposition", message, found=node.name)
    if not rows[0].takes(len(node.arguments)):
        return None
    if name in ("equals", "neq"):
        return _equality(unit, node, name)
    if len(rows) < len(candidates):
        return None
    if name in _CONNECTIVES:
        return Connective(_CONNECTIVES[name], tuple(unit.formula(each) for each in node.arguments))
    if name == "iff":
        left, right = node.arguments
        return Equals(unit.formula(left), unit.formula(right))
    if name in ("Cons", "Nil"):
        return _list_constructor(unit, node, name, expected)
    if name == "get_field":
        return _missing_field(unit, node, expected)
    return _record(unit, node) if name == "record" else None


# ── Equality ─────────────────────────────────────────────────────────────────────────────────────────────────


def _equality(unit: Unit, node: Call, name: str) -> Term:
    left_node, right_node = node.arguments
    if (isinstance(left_node, LambdaExpression) and not isinstance(right_node, LambdaExpression)) or (
        overloaded_sorts(unit, left_node) and not overloaded_sorts(unit, right_node)
    ):
        right = unit.term(right_node)
        left = unit.term(left_node, right.sort)
    else:
        left = unit.term(left_node)
        right = unit.term(right_node, left.sort)
    equation = _learnt_equality(unit, node, left, right)
    if equation is None:
        together = unit.join(unit.sort(left), unit.sort(right))
        if together is None:
            _ill_sorted(unit, node, unit.sort(left), unit.sort(right))
        equation = Equals(unit.adapt(left, together, left_node), unit.adapt(right, together, right_node))
    return equation if name == "equals" else Connective("not", (equation,))


def _learnt_equality(unit: Unit, node: Call, left: Term, right: Term) -> Equals | None:
    """An equation with a side of unknown sort: it is a number like a literal, or of the sort of the other side."""
    a, b = unit.sort(left), unit.sort(right)
    if isinstance(a, SortVariable) and isinstance(b, Numeric) and is_closed(right):
        unit.inference.number(a)
        return Equals(left, Coercion(right, a))
    if isinstance(b, SortVariable) and isinstance(a, Numeric) and is_closed(left):
        unit.inference.number(b)
        return Equals(Coercion(left, b), right)
    if not isinstance(a, SortVariable) and not isinstance(b, SortVariable):
        return None
    if not unit.inference.unify(a, b):
        _ill_sorted(unit, node, a, b)
    return Equals(left, right)


def _ill_sorted(unit: Unit, node: Call, a: Sort, b: Sort) -> Never:
    for each in node.arguments:
        if (
            isinstance(each, Name)
            and each.name not in unit.environment
            and unit.definitions.is_member(each.name)
        ):
            raise missing_operation(unit, each, each.name, ())
    unit.refuse(
        node,
        "ill-sorted",
        f"this compares two kinds: {sort_text(a)} and {sort_text(b)} have no common sort",
        found=sort_text(b),
        expected=(sort_text(a),),
        hint="compare values of one sort",
    )


# ── Tuples, lists and records ────────────────────────────────────────────────────────────────────────────────


def _tuple(unit: Unit, node: Call, expected: Sort | None) -> Term:
    wanted = unit.inference.resolve(expected) if expected is not None else None
    hints: Sequence[Sort | None] = [None] * len(node.arguments)
    if isinstance(wanted, TupleOf) and len(wanted.items) == len(node.arguments):
        hints = wanted.items
    if len(node.arguments) != TUPLES.index(node.name):
        unit.refuse(
            node,
            "arity",
            f"{node.name} takes {TUPLES.index(node.name)} parts, here it has {len(node.arguments)}",
            found=str(len(node.arguments)),
        )
    items = [unit.term(each, hint) for each, hint in zip(node.arguments, hints, strict=True)]
    return construct_tuple(items, [unit.sort(item) for item in items])


def _list_constructor(unit: Unit, node: Call, name: str, expected: Sort | None) -> Term:
    wanted = unit.inference.resolve(expected) if expected is not None else None
    element = wanted.element if isinstance(wanted, ListOf) else None
    if name == "Nil":
        return construct_list([], element or unit.unknown(node, "element", "the elements of Nil"))
    head_node, tail_node = node.arguments
    head = unit.term(head_node, element)
    tail = unit.term(tail_node, ListOf(element or unit.sort(head)))
    rest = unit.sort(tail)
    if isinstance(rest, SortVariable):
        unit.inference.unify(rest, ListOf(unit.sort(head)))
        rest = unit.sort(tail)
    together = unit.join(unit.sort(head), rest.element) if isinstance(rest, ListOf) else None
    if together is None:
        shown = sort_text(unit.sort(head))
        unit.refuse(
            node,
            "wrong-sort",
            f"Cons takes an element and a list of such, not {shown} and {sort_text(rest)}",
            found=sort_text(rest),
            expected=(f"List({shown})",),
        )
    sort = ListOf(unit.inference.resolve(together))
    _, cons = list_constructors(sort)
    parts = (unit.adapt(head, sort.element, head_node), unit.adapt(tail, sort, tail_node))
    return Construction(cons, parts)


def _missing_field(unit: Unit, node: Call, expected: Sort | None) -> Term | None:
    """A field that a record has not: undefined.  None where the record has it, or is not known yet."""
    record, name = node.arguments
    sort = unit.sort(unit.term(record))
    if not isinstance(sort, RecordOf) or not isinstance(name, Text) or name.value in dict(sort.fields):
        return None
    return Undefined(
        expected or unit.unknown(node, "field", f"the field {name.value}"), f"there is no field {name.value}"
    )


def _record(unit: Unit, node: Call) -> Term:
    found: dict[str, Term] = {}
    for each in node.arguments:
        if not (isinstance(each, Call) and each.name == "field" and isinstance(each.arguments[0], Text)):
            unit.refuse(each, "wrong-sort", "a record is made of fields", hint='write field("name", value)')
        found[each.arguments[0].value] = unit.term(each.arguments[1])
    fields = tuple((name, unit.sort(found[name])) for name in sorted(found))
    sorts = tuple(ConstructorField(name, sort) for name, sort in fields)
    constructor = Constructor("record", sorts, RecordOf(fields), alone=True)
    return Construction(constructor, tuple(found[name] for name, _ in fields))
