"""Operations that are constructs of the core: connectives, equality, tuples, lists, records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Never

from kleis import core
from kleis.builtins.row import Untyped
from kleis.core.sort_printing import sort_text
from kleis.core.terms import TUPLES, construct_list, construct_tuple, list_constructors
from kleis.core.traversal import is_closed
from kleis.elaborate.expressions.call_errors import missing_operation
from kleis.elaborate.expressions.elaboration_context import Context
from kleis.elaborate.expressions.overload_candidates import overloaded_sorts
from kleis.elaborate.scopes.scope import BuiltinName, Candidate, Template
from kleis.syntax import tree

__all__ = ["special_form"]

_CONNECTIVES: dict[str, core.ConnectiveName] = {
    "logical_and": "and",
    "logical_or": "or",
    "logical_not": "not",
    "implies": "implies",
}


def special_form(
    context: Context, node: tree.Call, candidates: Sequence[Candidate], expected: core.Sort | None
) -> core.Term | None:
    """The term of a connective, equality, list, tuple or record; None if the call is none of them."""
    if not candidates and node.name in TUPLES and node.name:
        return _tuple(context, node, expected)
    rows = [each.row for each in candidates if isinstance(each, BuiltinName)]
    if not rows or any(isinstance(each, Template) and not each.overload for each in candidates):
        return None
    name, signature = rows[0].name, rows[0].signature
    if isinstance(signature, Untyped) and len(rows) == len(candidates):
        message = f"{node.name} has no place in a proposition: {signature.reason}"
        context.reject(node, "no-proposition", message, found=node.name)
    if not rows[0].takes(len(node.arguments)):
        return None
    if name in ("equals", "neq"):
        return _equality(context, node, name)
    if len(rows) < len(candidates):
        return None
    if name in _CONNECTIVES:
        return core.Connective(_CONNECTIVES[name], tuple(context.formula(each) for each in node.arguments))
    if name == "iff":
        left, right = node.arguments
        return core.Equals(context.formula(left), context.formula(right))
    if name in ("Cons", "Nil"):
        return _list_constructor(context, node, name, expected)
    if name == "get_field":
        return _missing_field(context, node, expected)
    return _record(context, node) if name == "record" else None


# ── Equality ─────────────────────────────────────────────────────────────────────────────────────────────────


def _equality(context: Context, node: tree.Call, name: str) -> core.Term:
    left_node, right_node = node.arguments
    if (isinstance(left_node, tree.Lambda) and not isinstance(right_node, tree.Lambda)) or (
        overloaded_sorts(context, left_node) and not overloaded_sorts(context, right_node)
    ):
        right = context.term(right_node)
        left = context.term(left_node, right.sort)
    else:
        left = context.term(left_node)
        right = context.term(right_node, left.sort)
    equation = _learnt_equality(context, node, left, right)
    if equation is None:
        together = context.join(context.sort(left), context.sort(right))
        if together is None:
            _ill_sorted(context, node, context.sort(left), context.sort(right))
        equation = core.Equals(
            context.adapt(left, together, left_node), context.adapt(right, together, right_node)
        )
    return equation if name == "equals" else core.Connective("not", (equation,))


def _learnt_equality(
    context: Context, node: tree.Call, left: core.Term, right: core.Term
) -> core.Equals | None:
    """An equation with a side of unknown sort, which is then a number, or of the sort of the other side."""
    a, b = context.sort(left), context.sort(right)
    if isinstance(a, core.SortVariable) and isinstance(b, core.Numeric) and is_closed(right):
        context.inference.number(a)
        return core.Equals(left, core.Coercion(right, a))
    if isinstance(b, core.SortVariable) and isinstance(a, core.Numeric) and is_closed(left):
        context.inference.number(b)
        return core.Equals(core.Coercion(left, b), right)
    if not isinstance(a, core.SortVariable) and not isinstance(b, core.SortVariable):
        return None
    if not context.inference.unify(a, b):
        _ill_sorted(context, node, a, b)
    return core.Equals(left, right)


def _ill_sorted(context: Context, node: tree.Call, a: core.Sort, b: core.Sort) -> Never:
    for each in node.arguments:
        if (
            isinstance(each, tree.Name)
            and each.name not in context.environment
            and context.definitions.is_member(each.name)
        ):
            raise missing_operation(context, each, each.name, ())
    context.reject(
        node,
        "ill-sorted",
        f"this compares two kinds: {sort_text(a)} and {sort_text(b)} have no common sort",
        found=sort_text(b),
        expected=(sort_text(a),),
        hint="compare values of one sort",
    )


# ── Tuples, lists and records ────────────────────────────────────────────────────────────────────────────────


def _tuple(context: Context, node: tree.Call, expected: core.Sort | None) -> core.Term:
    wanted = context.inference.resolve(expected) if expected is not None else None
    hints: Sequence[core.Sort | None] = [None] * len(node.arguments)
    if isinstance(wanted, core.TupleOf) and len(wanted.items) == len(node.arguments):
        hints = wanted.items
    if len(node.arguments) != TUPLES.index(node.name):
        context.reject(
            node,
            "arity",
            f"{node.name} takes {TUPLES.index(node.name)} parts, here it has {len(node.arguments)}",
            found=str(len(node.arguments)),
        )
    items = [context.term(each, hint) for each, hint in zip(node.arguments, hints, strict=True)]
    return construct_tuple(items, [context.sort(item) for item in items])


def _list_constructor(context: Context, node: tree.Call, name: str, expected: core.Sort | None) -> core.Term:
    wanted = context.inference.resolve(expected) if expected is not None else None
    element = wanted.element if isinstance(wanted, core.ListOf) else None
    if name == "Nil":
        return construct_list([], element or context.unknown(node, "element", "the elements of Nil"))
    head_node, tail_node = node.arguments
    head = context.term(head_node, element)
    tail = context.term(tail_node, core.ListOf(element or context.sort(head)))
    rest = context.sort(tail)
    if isinstance(rest, core.SortVariable):
        context.inference.unify(rest, core.ListOf(context.sort(head)))
        rest = context.sort(tail)
    together = context.join(context.sort(head), rest.element) if isinstance(rest, core.ListOf) else None
    if together is None:
        shown = sort_text(context.sort(head))
        context.reject(
            node,
            "wrong-sort",
            f"Cons takes an element and a list of such, not {shown} and {sort_text(rest)}",
            found=sort_text(rest),
            expected=(f"List({shown})",),
        )
    sort = core.ListOf(context.inference.resolve(together))
    _, cons = list_constructors(sort)
    parts = (context.adapt(head, sort.element, head_node), context.adapt(tail, sort, tail_node))
    return core.Construction(cons, parts)


def _missing_field(context: Context, node: tree.Call, expected: core.Sort | None) -> core.Term | None:
    """`Undefined` for a field that a record does not have; None where it has it, or its sort is not known yet."""
    record, name = node.arguments
    sort = context.sort(context.term(record))
    if (
        not isinstance(sort, core.RecordOf)
        or not isinstance(name, tree.Text)
        or name.value in dict(sort.fields)
    ):
        return None
    return core.Undefined(
        expected or context.unknown(node, "field", f"the field {name.value}"),
        f"there is no field {name.value}",
    )


def _record(context: Context, node: tree.Call) -> core.Term:
    found: dict[str, core.Term] = {}
    for each in node.arguments:
        if not (
            isinstance(each, tree.Call) and each.name == "field" and isinstance(each.arguments[0], tree.Text)
        ):
            context.reject(
                each, "wrong-sort", "a record is made of fields", hint='write field("name", value)'
            )
        found[each.arguments[0].value] = context.term(each.arguments[1])
    fields = tuple((name, context.sort(found[name])) for name in sorted(found))
    sorts = tuple(core.ConstructorField(name, sort) for name, sort in fields)
    constructor = core.Constructor("record", sorts, core.RecordOf(fields), alone=True)
    return core.Construction(constructor, tuple(found[name] for name, _ in fields))
