"""Built-ins of lists, tuples, strings and sets in Lean and Mathlib.  See docs/reference/lean.md §3.3."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kleis import core
from kleis.lean.export.terms.lean_types import Encoder, Sorts, call, named, sort_of
from kleis.lean.export.terms.propositions import conjunction, truth_value
from kleis.lean.language import lean_tree as lean

__all__ = ["COLLECTIONS", "component"]


def _component(place: int) -> Encoder:
    def encode(operation: core.Operation, given: Sequence[lean.Term], _: Sorts) -> lean.Term | None:
        sort = sort_of(operation)
        return component(given[0], place, len(sort.items)) if isinstance(sort, core.TupleOf) else None

    return encode


def component(term: lean.Term, place: int, count: int) -> lean.Term:
    """A component of a tuple, which Lean reads as pairs of pairs."""
    for _ in range(place):
        term = call(lean.Name("Prod.snd"), term)
    return term if place == count - 1 else call(lean.Name("Prod.fst"), term)


def _head(operation: core.Operation, given: Sequence[lean.Term], sorts: Sorts) -> lean.Term | None:
    return call(lean.Name("List.headD"), given[0], sorts.some(operation.result))


def _nth(operation: core.Operation, given: Sequence[lean.Term], sorts: Sorts) -> lean.Term | None:
    return call(
        lean.Name("List.getD"), given[0], call(lean.Name("Int.toNat"), given[1]), sorts.some(operation.result)
    )


def _length(operation: core.Operation, given: Sequence[lean.Term], _: Sorts) -> lean.Term | None:
    return call(
        lean.Name("List.length" if isinstance(sort_of(operation), core.ListOf) else "String.length"), given[0]
    )


def _concat(operation: core.Operation, given: Sequence[lean.Term], _: Sorts) -> lean.Term | None:
    if not given:
        return None
    result = given[-1]
    for each in reversed(given[:-1]):
        result = lean.Infix("++", each, result)
    return result


def _is_empty(_: core.Operation, given: Sequence[lean.Term], sorts: Sorts) -> lean.Term | None:
    return lean.Infix("=", given[0], lean.ListLiteral(()))


def _filter(operation: core.Operation, given: Sequence[lean.Term], sorts: Sorts) -> lean.Term | None:
    """``List.filter``, which takes a function to Bool."""
    predicate = operation.parameters[0].sort
    if not isinstance(predicate, core.FunctionOf):
        return None
    if isinstance(given[0], lean.Bind):
        chosen = lean.Bind("fun", given[0].binders, truth_value(given[0].body))
    else:
        each = sorts.fresh("each")
        binders = (lean.Binder((each,), sorts.type(predicate.domain[0])),)
        chosen = lean.Bind("fun", binders, call(lean.Name("decide"), call(given[0], lean.Name(each))))
    return call(lean.Name("List.filter"), chosen, given[1])


def _of_members(kind: str) -> Encoder:
    def encode(operation: core.Operation, given: Sequence[lean.Term], sorts: Sorts) -> lean.Term | None:
        predicate = operation.parameters[0].sort
        if not isinstance(predicate, core.FunctionOf):
            return None
        each = sorts.fresh("each")
        member = lean.Infix("∈", lean.Name(each), given[1])
        holds = call(given[0], lean.Name(each))
        binders = (lean.Binder((each,), sorts.type(predicate.domain[0])),)
        if kind == "all":
            return lean.Bind("∀", binders, lean.Infix("→", member, holds))
        return lean.Bind("∃", binders, lean.Infix("∧", member, holds))

    return encode


def _replicate(_: core.Operation, given: Sequence[lean.Term], __: Sorts) -> lean.Term | None:
    return call(lean.Name("List.replicate"), call(lean.Name("Int.toNat"), given[0]), given[1])


def _over_interval(name: str) -> Encoder:
    """Σ or ∏ over the integers of an interval, which may be empty."""
    return lambda _, given, __: call(
        lean.Name(name), call(lean.Name("Finset.Icc"), given[1], given[2]), given[0]
    )


def _range(_: core.Operation, given: Sequence[lean.Term], sorts: Sorts) -> lean.Term | None:
    zero = lean.Typed(lean.Number(0), sorts.type(core.INTEGER))
    return call(lean.Name("Builtin.range"), *(given if len(given) == 2 else (zero, *given)))


def _slice(_: core.Operation, given: Sequence[lean.Term], __: Sorts) -> lean.Term | None:
    if len(given) == 3:
        return call(lean.Name("Builtin.slice"), *given)
    return call(lean.Name("List.drop"), call(lean.Name("Int.toNat"), given[1]), given[0])


def _vector_sum(operation: core.Operation, given: Sequence[lean.Term], sorts: Sorts) -> lean.Term | None:
    if not isinstance(operation.result, core.ListOf):
        return None
    names = (sorts.fresh("a"), sorts.fresh("b"))
    total = lean.Infix("+", lean.Name(names[0]), lean.Name(names[1]))
    binders = (lean.Binder(names, sorts.type(operation.result.element)),)
    return call(lean.Name("List.zipWith"), lean.Bind("fun", binders, total), *given)


# ── Strings ──────────────────────────────────────────────────────────────────────────────────────────────────


def _with_rest(build: Callable[[lean.Term, lean.Term], lean.Term]) -> Encoder:
    """``s`` is ``build(part, rest)`` for some rest."""

    def encode(_: core.Operation, given: Sequence[lean.Term], sorts: Sorts) -> lean.Term | None:
        rest = sorts.fresh("rest")
        body = lean.Infix("=", given[0], build(given[1], lean.Name(rest)))
        return lean.Bind("∃", (lean.Binder((rest,), lean.Name("String")),), body)

    return encode


def _index_of(_: core.Operation, given: Sequence[lean.Term], sorts: Sorts) -> lean.Term | None:
    zero = lean.Typed(lean.Number(0), sorts.type(core.INTEGER))
    return call(lean.Name("Builtin.indexOf"), *(given if len(given) == 3 else (*given, zero)))


def _test(name: str) -> Encoder:
    """A formula from a function to Bool."""
    return lambda _, given, __: lean.Infix("=", call(lean.Name(name), *given), lean.Name("true"))


def _contains(_: core.Operation, given: Sequence[lean.Term], sorts: Sorts) -> lean.Term | None:
    before, rest = sorts.fresh("before"), sorts.fresh("rest")
    inside = lean.Infix("++", lean.Name(before), lean.Infix("++", given[1], lean.Name(rest)))
    inner = lean.Bind("∃", (lean.Binder((rest,), lean.Name("String")),), lean.Infix("=", given[0], inside))
    return lean.Bind("∃", (lean.Binder((before,), lean.Name("String")),), inner)


# ── Sets ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _empty_set(operation: core.Operation, _: Sequence[lean.Term], sorts: Sorts) -> lean.Term | None:
    return lean.Typed(lean.Name("∅"), sorts.type(operation.result))


def _folded(operator: str) -> Encoder:
    def encode(_: core.Operation, given: Sequence[lean.Term], __: Sorts) -> lean.Term | None:
        result = given[0]
        for each in given[1:]:
            result = lean.Infix(operator, result, each)
        return result

    return encode


def _proper_subset(_: core.Operation, given: Sequence[lean.Term], __: Sorts) -> lean.Term | None:
    return conjunction(lean.Infix("⊆", given[0], given[1]), lean.Infix("≠", given[0], given[1]))


def _disjoint(operation: core.Operation, given: Sequence[lean.Term], sorts: Sorts) -> lean.Term | None:
    empty = lean.Typed(lean.Name("∅"), sorts.type(sort_of(operation)))
    return lean.Infix("=", lean.Infix("∩", given[0], given[1]), empty)


COLLECTIONS: Mapping[str, Encoder] = {
    "fst": _component(0),
    "snd": _component(1),
    "head": _head,
    "tail": named("List.tail"),
    "nth": _nth,
    "length": _length,
    "isEmpty": _is_empty,
    "append": _concat,
    "concat": _concat,
    "reverse": named("List.reverse"),
    "list_flatten": named("List.flatten"),
    "list_map": named("List.map"),
    "list_filter": _filter,
    "list_flatmap": named("List.flatMap"),
    "list_fold": named("List.foldl"),
    "foldr": named("List.foldr"),
    "all": _of_members("all"),
    "any": _of_members("any"),
    "sum": named("List.sum"),
    "product": named("List.prod"),
    "replicate": _replicate,
    "range": _range,
    "list_slice": _slice,
    "list_rotate": named("Builtin.rotate"),
    "list_zip": named("List.zip"),
    "vec_add": _vector_sum,
    "sum_bounds": _over_interval("Finset.sum"),
    "sum_over": _over_interval("Finset.sum"),
    "prod_bounds": _over_interval("Finset.prod"),
    "empty_string": lambda _, __, ___: lean.Text(""),
    "str_eq": lambda _, given, __: lean.Infix("=", given[0], given[1]),
    "strlen": named("String.length"),
    "hasPrefix": _with_rest(lambda part, rest: lean.Infix("++", part, rest)),
    "hasSuffix": _with_rest(lambda part, rest: lean.Infix("++", rest, part)),
    "contains": _contains,
    "indexOf": _index_of,
    **{name: named(f"Builtin.{name}") for name in ("substr", "charAt", "replace", "strToInt")},
    **{name: named(f"Builtin.{name}") for name in ("trim", "trimLeft", "trimRight")},
    **{name: _test(f"Builtin.{name}") for name in ("isAscii", "isDigits", "isAlpha", "isAlphaNum")},
    "intToStr": named("Int.repr"),
    "empty_set": _empty_set,
    "in_set": lambda _, given, __: lean.Infix("∈", given[0], given[1]),
    "insert": lambda _, given, __: call(lean.Name("Set.insert"), given[0], given[1]),
    "remove": lambda _, given, __: lean.Infix("\\", given[1], call(lean.Name("Set.singleton"), given[0])),
    "singleton": lambda _, given, __: call(lean.Name("Set.singleton"), given[0]),
    "union": _folded("∪"),
    "intersect": _folded("∩"),
    "difference": _folded("\\"),
    "complement": lambda _, given, __: lean.Infix("\\", lean.Name("Set.univ"), given[0]),
    "subset": lambda _, given, __: lean.Infix("⊆", given[0], given[1]),
    "proper_subset": _proper_subset,
    "disjoint": _disjoint,
    "set_of": named("Builtin.setOf"),
    "cardinality": named("Set.ncard"),
    "is_finite_set": named("Set.Finite"),
}
"""The counterparts in Lean."""
