"""Built-ins of lists, tuples, strings and sets in Lean and Mathlib.  See docs/reference/lean.md §3.3."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kleis import core
from kleis.lean.export.terms.lean_types import Encoder, Sorts, call, named, sort_of
from kleis.lean.export.terms.propositions import conjunction
from kleis.lean.language.lean_tree import Bind, Binder, Infix, LeanTerm, ListLiteral, Name, Text, Typed

__all__ = ["COLLECTIONS", "component"]


def _component(place: int) -> Encoder:
    def encode(operation: core.Operation, given: Sequence[LeanTerm], _: Sorts) -> LeanTerm | None:
        sort = sort_of(operation)
        return component(given[0], place, len(sort.items)) if isinstance(sort, core.TupleOf) else None

    return encode


def component(term: LeanTerm, place: int, count: int) -> LeanTerm:
    """A component of a tuple, which Lean reads as pairs of pairs."""
    for _ in range(place):
        term = call(Name("Prod.snd"), term)
    return term if place == count - 1 else call(Name("Prod.fst"), term)


def _head(operation: core.Operation, given: Sequence[LeanTerm], sorts: Sorts) -> LeanTerm | None:
    return call(Name("List.headD"), given[0], sorts.some(operation.result))


def _nth(operation: core.Operation, given: Sequence[LeanTerm], sorts: Sorts) -> LeanTerm | None:
    return call(Name("List.getD"), given[0], call(Name("Int.toNat"), given[1]), sorts.some(operation.result))


def _length(operation: core.Operation, given: Sequence[LeanTerm], _: Sorts) -> LeanTerm | None:
    return call(
        Name("List.length" if isinstance(sort_of(operation), core.ListOf) else "String.length"), given[0]
    )


def _concat(operation: core.Operation, given: Sequence[LeanTerm], _: Sorts) -> LeanTerm | None:
    if not given:
        return None
    result = given[-1]
    for each in reversed(given[:-1]):
        result = Infix("++", each, result)
    return result


def _is_empty(_: core.Operation, given: Sequence[LeanTerm], sorts: Sorts) -> LeanTerm | None:
    return Infix("=", given[0], ListLiteral(()))


def _filter(operation: core.Operation, given: Sequence[LeanTerm], sorts: Sorts) -> LeanTerm | None:
    """Lean's takes a function to Bool."""
    predicate = operation.parameters[0].sort
    if not isinstance(predicate, core.FunctionOf):
        return None
    each = sorts.fresh("each")
    binders = (Binder((each,), sorts.type(predicate.domain[0])),)
    chosen = Bind("fun", binders, call(Name("decide"), call(given[0], Name(each))))
    return call(Name("List.filter"), chosen, given[1])


def _of_members(kind: str) -> Encoder:
    def encode(operation: core.Operation, given: Sequence[LeanTerm], sorts: Sorts) -> LeanTerm | None:
        predicate = operation.parameters[0].sort
        if not isinstance(predicate, core.FunctionOf):
            return None
        each = sorts.fresh("each")
        member = Infix("∈", Name(each), given[1])
        holds = call(given[0], Name(each))
        binders = (Binder((each,), sorts.type(predicate.domain[0])),)
        if kind == "all":
            return Bind("∀", binders, Infix("→", member, holds))
        return Bind("∃", binders, Infix("∧", member, holds))

    return encode


def _replicate(_: core.Operation, given: Sequence[LeanTerm], __: Sorts) -> LeanTerm | None:
    return call(Name("List.replicate"), call(Name("Int.toNat"), given[0]), given[1])


def _over_interval(name: str) -> Encoder:
    """Σ or ∏ over the integers of an interval, which may be empty."""
    return lambda _, given, __: call(Name(name), call(Name("Finset.Icc"), given[1], given[2]), given[0])


# ── Strings ──────────────────────────────────────────────────────────────────────────────────────────────────


def _with_rest(build: Callable[[LeanTerm, LeanTerm], LeanTerm]) -> Encoder:
    """``s`` is ``build(part, rest)`` for some rest."""

    def encode(_: core.Operation, given: Sequence[LeanTerm], sorts: Sorts) -> LeanTerm | None:
        rest = sorts.fresh("rest")
        body = Infix("=", given[0], build(given[1], Name(rest)))
        return Bind("∃", (Binder((rest,), Name("String")),), body)

    return encode


def _contains(_: core.Operation, given: Sequence[LeanTerm], sorts: Sorts) -> LeanTerm | None:
    before, rest = sorts.fresh("before"), sorts.fresh("rest")
    inside = Infix("++", Name(before), Infix("++", given[1], Name(rest)))
    inner = Bind("∃", (Binder((rest,), Name("String")),), Infix("=", given[0], inside))
    return Bind("∃", (Binder((before,), Name("String")),), inner)


# ── Sets ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _empty_set(operation: core.Operation, _: Sequence[LeanTerm], sorts: Sorts) -> LeanTerm | None:
    return Typed(Name("∅"), sorts.type(operation.result))


def _folded(operator: str) -> Encoder:
    def encode(_: core.Operation, given: Sequence[LeanTerm], __: Sorts) -> LeanTerm | None:
        result = given[0]
        for each in given[1:]:
            result = Infix(operator, result, each)
        return result

    return encode


def _of_list(operation: core.Operation, given: Sequence[LeanTerm], sorts: Sorts) -> LeanTerm | None:
    if not isinstance(operation.result, core.SetOf):
        return None
    each = sorts.fresh("each")
    binder = Binder((each,), sorts.type(operation.result.element))
    return Typed(Bind("fun", (binder,), Infix("∈", Name(each), given[0])), sorts.type(operation.result))


def _proper_subset(_: core.Operation, given: Sequence[LeanTerm], __: Sorts) -> LeanTerm | None:
    return conjunction(Infix("⊆", given[0], given[1]), Infix("≠", given[0], given[1]))


def _disjoint(operation: core.Operation, given: Sequence[LeanTerm], sorts: Sorts) -> LeanTerm | None:
    empty = Typed(Name("∅"), sorts.type(sort_of(operation)))
    return Infix("=", Infix("∩", given[0], given[1]), empty)


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
    "list_flatmap": lambda _, given, __: call(Name("List.flatMap"), given[1], given[0]),
    "list_fold": named("List.foldl"),
    "foldr": named("List.foldr"),
    "all": _of_members("all"),
    "any": _of_members("any"),
    "sum": named("List.sum"),
    "product": named("List.prod"),
    "replicate": _replicate,
    "sum_bounds": _over_interval("Finset.sum"),
    "sum_over": _over_interval("Finset.sum"),
    "prod_bounds": _over_interval("Finset.prod"),
    "empty_string": lambda _, __, ___: Text(""),
    "str_eq": lambda _, given, __: Infix("=", given[0], given[1]),
    "strlen": named("String.length"),
    "hasPrefix": _with_rest(lambda part, rest: Infix("++", part, rest)),
    "hasSuffix": _with_rest(lambda part, rest: Infix("++", rest, part)),
    "contains": _contains,
    "empty_set": _empty_set,
    "in_set": lambda _, given, __: Infix("∈", given[0], given[1]),
    "insert": lambda _, given, __: call(Name("Set.insert"), given[0], given[1]),
    "remove": lambda _, given, __: Infix("\\", given[1], call(Name("Set.singleton"), given[0])),
    "singleton": lambda _, given, __: call(Name("Set.singleton"), given[0]),
    "union": _folded("∪"),
    "intersect": _folded("∩"),
    "difference": _folded("\\"),
    "complement": lambda _, given, __: Infix("\\", Name("Set.univ"), given[0]),
    "subset": lambda _, given, __: Infix("⊆", given[0], given[1]),
    "proper_subset": _proper_subset,
    "disjoint": _disjoint,
    "set_of": _of_list,
    "cardinality": named("Set.ncard"),
    "is_finite_set": named("Set.Finite"),
}
"""The counterparts in Lean."""
