"""Tier T7: sets, which are finite sets and the complements of finite sets.

An element must be known: where it is symbolic, so is the result.  See docs/reference/kleis.md §8.3.
"""

from __future__ import annotations

from typing import Any

from kleis import core
from kleis.builtins.row import (
    Argument,
    Builtin,
    Context,
    Signature,
    Undecided,
    Untyped,
    row,
    undefined,
)
from kleis.builtins.shapes import fixed, shape
from kleis.values import (
    ListValue,
    SetValue,
    Value,
    equal,
    equality_key,
    list_of,
)

__all__ = ["SETS"]

_EMPTY_SET = SetValue({})


def _key(context: Context, element: Value) -> Any:
    key = equality_key(element, context)
    if key is None:
        raise Undecided
    return key


def _empty(context: Context) -> SetValue:
    return _EMPTY_SET


def _copied(context: Context, members: dict[Any, Any]) -> dict[Any, Any]:
    context.admit(len(members) + 1, "a set")
    return dict(members)


def _with(context: Context, members: dict[Any, Any], element: Value) -> dict[Any, Any]:
    copied = _copied(context, members)
    copied.setdefault(_key(context, element), element)
    return copied


def _without(context: Context, members: dict[Any, Any], element: Value) -> dict[Any, Any]:
    copied = _copied(context, members)
    copied.pop(_key(context, element), None)
    return copied


def _member(context: Context, element: Value, collection: Value) -> bool:
    if isinstance(collection, ListValue):
        verdicts = [equal(element, item, context) for item in collection]
        if True not in verdicts and None in verdicts:
            raise Undecided
        return True in verdicts
    assert isinstance(collection, SetValue)
    return (_key(context, element) in collection.members) is not collection.complement


def _insert(context: Context, element: Value, group: SetValue) -> SetValue:
    change = _without if group.complement else _with
    return SetValue(change(context, group.members, element), group.complement)


def _remove(context: Context, element: Value, group: SetValue) -> SetValue:
    change = _with if group.complement else _without
    return SetValue(change(context, group.members, element), group.complement)


def _complement(context: Context, group: SetValue) -> SetValue:
    return SetValue(group.members, not group.complement)


def _intersection_of_two(context: Context, a: SetValue, b: SetValue) -> SetValue:
    context.charge(len(a.members) + len(b.members))
    if a.complement and b.complement:
        return SetValue({**a.members, **b.members}, True)
    if b.complement:
        return SetValue({key: item for key, item in a.members.items() if key not in b.members})
    if a.complement:
        return SetValue({key: item for key, item in b.members.items() if key not in a.members})
    return SetValue({key: item for key, item in a.members.items() if key in b.members})


def _intersection(context: Context, *groups: SetValue) -> SetValue:
    result = groups[0]
    for group in groups[1:]:
        result = _intersection_of_two(context, result, group)
    context.admit(len(result.members), "a set")
    return result


def _union(context: Context, *groups: SetValue) -> SetValue:
    complements = [_complement(context, group) for group in groups]
    return _complement(context, _intersection(context, *complements))


def _difference(context: Context, a: SetValue, b: SetValue) -> SetValue:
    return _intersection(context, a, _complement(context, b))


def _subset(context: Context, a: SetValue, b: SetValue) -> bool:
    if a.complement and not b.complement:
        # Whether all but finitely many elements are among finitely many depends on the type.
        raise Undecided
    return (
        not _difference(context, a, b).members if not a.complement else a.members.keys() >= b.members.keys()
    )


def _proper_subset(context: Context, a: SetValue, b: SetValue) -> bool:
    if a.complement is not b.complement:
        raise Undecided
    return _subset(context, a, b) and a.members.keys() != b.members.keys()


def _singleton(context: Context, element: Value) -> SetValue:
    return _insert(context, element, _EMPTY_SET)


def _from_list(context: Context, items: ListValue) -> SetValue:
    context.admit(len(items), "a set")
    members: dict[Any, Any] = {}
    for item in items:
        members.setdefault(_key(context, item), item)
    return SetValue(members)


def _finite(group: SetValue) -> SetValue:
    if group.complement:
        raise undefined(
            "the elements of a complement cannot be listed", "intersect it with a finite set first"
        )
    return group


def _to_list(context: Context, group: SetValue) -> ListValue:
    context.charge(len(group.members))
    return list_of(_finite(group).members.values())


def _cardinality(context: Context, group: SetValue) -> int:
    return len(_finite(group).members)


def _disjoint(context: Context, a: SetValue, b: SetValue) -> bool:
    common = _intersection(context, a, b)
    if common.complement:
        raise Undecided
    return not common.members


_A = core.SortVariable("a")
_LIST = core.ListOf(_A)
_SET = core.SetOf(_A)
_RELATION = fixed(shape(_SET, _SET, core.BOOL))
_CHANGE = fixed(shape(_A, _SET, _SET))
_NO_ORDER = Untyped(
    "a set has no order: equal sets would give different lists; state the law of a list and set_of"
)


def _any_number_of_sets(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...]:
    return (Signature(row=row, parameters=(_SET,) * len(arguments), result=_SET),)


SETS: tuple[Builtin, ...] = (
    row("empty_set() : Set", fixed(shape(_SET)), _empty, "The set without elements; also without parentheses.",
        ("in_set(1, empty_set)", "false"), tier="T7", aliases="set_empty builtin_set_empty"),
    row("in_set(a : Any, s : Set|List) : Bool", fixed(shape(_A, _SET, core.BOOL), shape(_A, _LIST, core.BOOL)),
        _member, "Whether a is an element.", ("in_set(2, insert(2, empty_set))", "true"),
        ("member(3, [1, 2])", "false"), tier="T7", aliases="set_member member builtin_set_member"),
    row("insert(a : Any, s : Set) : Set", _CHANGE, _insert, "The set with a.",
        ("insert(1, insert(2, empty_set)) = insert(2, insert(1, empty_set))", "true"), tier="T7",
        aliases="set_add builtin_set_insert builtin_set_add set_insert"),
    row("remove(a : Any, s : Set) : Set", _CHANGE, _remove, "The set without a.",
        ("remove(1, singleton(1))", "empty_set"), tier="T7",
        aliases="set_del builtin_set_remove builtin_set_del set_remove"),
    row("singleton(a : Any) : Set", fixed(shape(_A, _SET)), _singleton, "The set of a alone.",
        ("in_set(1, singleton(1))", "true"), tier="T7", aliases="builtin_set_singleton set_singleton"),
    row("union(s : Set*) : Set", _any_number_of_sets, _union, "The elements of any.",
        ("union(singleton(1), singleton(2))", "set_of([2, 1])"), tier="T7", aliases="set_union builtin_set_union"),
    row("intersect(s : Set*) : Set", _any_number_of_sets, _intersection, "The elements of all.",
        ("intersect(set_of([1, 2]), set_of([2, 3]))", "singleton(2)"), tier="T7",
        aliases="intersection set_intersect set_intersection builtin_set_intersect builtin_set_intersection"),
    row("difference(s : Set, t : Set) : Set", fixed(shape(_SET, _SET, _SET)), _difference,
        "The elements of s that are not in t.", ("difference(set_of([1, 2]), singleton(2))", "singleton(1)"),
        tier="T7", aliases="set_difference set_diff builtin_set_difference"),
    row("complement(s : Set) : Set", fixed(shape(_SET, _SET)), _complement, "All that is not in s.",
        ("in_set(1, complement(singleton(1)))", "false"), ("complement(complement(singleton(1)))", "singleton(1)"),
        tier="T7", aliases="set_complement builtin_set_complement"),
    row("subset(s : Set, t : Set) : Bool", _RELATION, _subset, "Whether every element of s is in t.",
        ("subset(singleton(1), set_of([1, 2]))", "true"), tier="T7", aliases="set_subset builtin_set_subset"),
    row("proper_subset(s : Set, t : Set) : Bool", _RELATION, _proper_subset, "subset, and not equal.",
        ("proper_subset(singleton(1), singleton(1))", "false"), tier="T7", aliases="builtin_set_proper_subset"),
    row("disjoint(s : Set, t : Set) : Bool", _RELATION, _disjoint, "Whether nothing is in both.",
        ("disjoint(singleton(1), singleton(2))", "true"), tier="T7"),
    row("set_of(l : List) : Set", fixed(shape(_LIST, _SET)), _from_list, "The set of a list's elements.",
        ("cardinality(set_of([1, 1, 2]))", "2"), tier="T7", aliases="list_to_set set_from_list"),
    row("set_to_list(s : Set) : List", _NO_ORDER, _to_list, "The elements, in the order they came in.",
        ("set_to_list(set_of([2, 1, 2]))", "[2, 1]"), ("set_to_list(complement(empty_set))", "undefined"), tier="T7",
        condition="is_finite_set(s)"),
    row("cardinality(s : Set) : ℕ", fixed(shape(_SET, core.NATURAL), incomplete=True), _cardinality,
        "How many elements there are.", ("cardinality(empty_set)", "0"),
        ("cardinality(complement(empty_set))", "undefined"), tier="T7", aliases="set_size",
        condition="is_finite_set(s)"),
    row("is_finite_set(s : Set) : Bool", fixed(shape(_SET, core.BOOL), incomplete=True),
        lambda context, s: not s.complement, "Whether the elements can be listed.",
        ("is_finite_set(complement(empty_set))", "false"), tier="T7"),
)  # fmt: skip
