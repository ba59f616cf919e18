"""Calls with a node of their own in the core: connectives, equality, lists, tuples, records.

Specification: proving.md §1 ("Definedness"), kleis/core/terms.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Never

from kleis import core
from kleis.builtins.row import Untyped
from kleis.core.sort_printing import sort_text
from kleis.core.terms import TUPLES, construct_list, construct_tuple, list_constructors
from kleis.core.traversal import is_closed
from kleis.elaborate.expressions.call_errors import missing_operation
from kleis.elaborate.expressions.overload_candidates import overloaded_sorts
from kleis.elaborate.scopes.scope import BuiltinName, Candidate, Template
from kleis.syntax import tree

if TYPE_CHECKING:
    from kleis.elaborate.expressions.term_elaborator import TermElaborator

__all__ = ["special_form"]

_CONNECTIVES: dict[str, core.ConnectiveName] = {
    "logical_and": "and",
    "logical_or": "or",
    "logical_not": "not",
    "implies": "implies",
}


def special_form(
    unit: TermElaborator, node: tree.Call, candidates: Sequence[Candidate], expected: core.Sort | None
) -> core.Term | None:
    """The term of a connective, equality, list, tuple or record; None if the call is none of them."""
    if not candidates and node.name in TUPLES and node.name:
        return _tuple(unit, node, expected)
    rows = [each.row for each in candidates if isinstance(each, BuiltinName)]
    if not rows or any(isinstance(each, Template) and not each.overload for each in candidates):
        return None
    name, signature = rows[0].name, rows[0].signature
    if isinstance(signature, Untyped) and len(rows) == len(candidates):
        message = f"{node.name} has no place in a proposition: {signature.reason}"
        unit.refuse(node, "no-proposition", message, found=node.name)
    if not rows[0].takes(len(node.arguments)):
        return None
    if name in ("equals", "neq"):
        return _equality(unit, node, name)
    if len(rows) < len(candidates):
        return None
    if name in _CONNECTIVES:
        return core.Connective(_CONNECTIVES[name], tuple(unit.formula(each) for each in node.arguments))
    if name == "iff":
        left, right = node.arguments
        return core.Equals(unit.formula(left), unit.formula(right))
    if name in ("Cons", "Nil"):
        return _list_constructor(unit, node, name, expected)
    if name == "get_field":
        return _missing_field(unit, node, expected)
    return _record(unit, node) if name == "record" else None


# ── Equality ─────────────────────────────────────────────────────────────────────────────────────────────────


def _equality(unit: TermElaborator, node: tree.Call, name: str) -> core.Term:
    left_node, right_node = node.arguments
    if (isinstance(left_node, tree.Lambda) and not isinstance(right_node, tree.Lambda)) or (
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
        equation = core.Equals(unit.adapt(left, together, left_node), unit.adapt(right, together, right_node))
    return equation if name == "equals" else core.Connective("not", (equation,))


def _learnt_equality(
    unit: TermElaborator, node: tree.Call, left: core.Term, right: core.Term
) -> core.Equals | None:
    """An equation with a side of unknown sort: it is a number like a literal, or of the sort of the other side."""
    a, b = unit.sort(left), unit.sort(right)
    if isinstance(a, core.SortVariable) and isinstance(b, core.Numeric) and is_closed(right):
        unit.inference.number(a)
        return core.Equals(left, core.Coercion(right, a))
    if isinstance(b, core.SortVariable) and isinstance(a, core.Numeric) and is_closed(left):
        unit.inference.number(b)
        return core.Equals(core.Coercion(left, b), right)
    if not isinstance(a, core.SortVariable) and not isinstance(b, core.SortVariable):
        return None
    if not unit.inference.unify(a, b):
        _ill_sorted(unit, node, a, b)
    return core.Equals(left, right)


def _ill_sorted(unit: TermElaborator, node: tree.Call, a: core.Sort, b: core.Sort) -> Never:
    for each in node.arguments:
        if (
            isinstance(each, tree.Name)
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


def _tuple(unit: TermElaborator, node: tree.Call, expected: core.Sort | None) -> core.Term:
    wanted = unit.inference.resolve(expected) if expected is not None else None
    hints: Sequence[core.Sort | None] = [None] * len(node.arguments)
    if isinstance(wanted, core.TupleOf) and len(wanted.items) == len(node.arguments):
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


def _list_constructor(
    unit: TermElaborator, node: tree.Call, name: str, expected: core.Sort | None
) -> core.Term:
    wanted = unit.inference.resolve(expected) if expected is not None else None
    element = wanted.element if isinstance(wanted, core.ListOf) else None
    if name == "Nil":
        return construct_list([], element or unit.unknown(node, "element", "the elements of Nil"))
    head_node, tail_node = node.arguments
    head = unit.term(head_node, element)
    tail = unit.term(tail_node, core.ListOf(element or unit.sort(head)))
    rest = unit.sort(tail)
    if isinstance(rest, core.SortVariable):
        unit.inference.unify(rest, core.ListOf(unit.sort(head)))
        rest = unit.sort(tail)
    together = unit.join(unit.sort(head), rest.element) if isinstance(rest, core.ListOf) else None
    if together is None:
        shown = sort_text(unit.sort(head))
        unit.refuse(
            node,
            "wrong-sort",
            f"Cons takes an element and a list of such, not {shown} and {sort_text(rest)}",
            found=sort_text(rest),
            expected=(f"List({shown})",),
        )
    sort = core.ListOf(unit.inference.resolve(together))
    _, cons = list_constructors(sort)
    parts = (unit.adapt(head, sort.element, head_node), unit.adapt(tail, sort, tail_node))
    return core.Construction(cons, parts)


def _missing_field(unit: TermElaborator, node: tree.Call, expected: core.Sort | None) -> core.Term | None:
    """A field that a record has not: undefined.  None where the record has it, or is not known yet."""
    record, name = node.arguments
    sort = unit.sort(unit.term(record))
    if (
        not isinstance(sort, core.RecordOf)
        or not isinstance(name, tree.Text)
        or name.value in dict(sort.fields)
    ):
        return None
    return core.Undefined(
        expected or unit.unknown(node, "field", f"the field {name.value}"), f"there is no field {name.value}"
    )


def _record(unit: TermElaborator, node: tree.Call) -> core.Term:
    found: dict[str, core.Term] = {}
    for each in node.arguments:
        if not (
            isinstance(each, tree.Call) and each.name == "field" and isinstance(each.arguments[0], tree.Text)
        ):
            unit.refuse(each, "wrong-sort", "a record is made of fields", hint='write field("name", value)')
        found[each.arguments[0].value] = unit.term(each.arguments[1])
    fields = tuple((name, unit.sort(found[name])) for name in sorted(found))
    sorts = tuple(core.ConstructorField(name, sort) for name, sort in fields)
    constructor = core.Constructor("record", sorts, core.RecordOf(fields), alone=True)
    return core.Construction(constructor, tuple(found[name] for name, _ in fields))
