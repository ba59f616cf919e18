"""Signatures of lists, tuples, functions over lists, sets and records.


Lists and sets are polymorphic; sums and products are given at each sort of numbers, the empty ones being 0 and 1.
What is defined by recursion on a list or an interval is complete.  Incomplete are `random`, `linspace` and the size of
a set.  Functions given to a built-in may be partial: a call has no value where one that it needs has none.

Tuples and records: the signature is that of the argument's own sort, so it must be known.  Fields are sorted by name
in the core, so `field_names` gives them in this order.
"""

from __future__ import annotations

from collections.abc import Mapping

from kleis import core
from kleis.builtins.row import Builtin
from kleis.builtins.signatures.shapes import (
    NUMBERS,
    Argument,
    Rule,
    Signature,
    Waiting,
    fixed,
    is_open,
    larger,
    shape,
)

__all__ = ["LIST_RULES"]

_A = core.SortVariable("a")
_B = core.SortVariable("b")
_LIST = core.ListOf(_A)
_SET = core.SetOf(_A)
_PREDICATE = core.FunctionOf((_A,), core.BOOL)

_OF_A_LIST_OF_NUMBERS = fixed(*(shape(core.ListOf(each), each) for each in NUMBERS))
_OVER_AN_INTERVAL = fixed(
    *(shape(core.FunctionOf((core.INTEGER,), each), core.INTEGER, core.INTEGER, each) for each in NUMBERS)
)
_QUANTIFIED = fixed(shape(_PREDICATE, _LIST, core.BOOL))
_RELATION = fixed(shape(_SET, _SET, core.BOOL))
_CHANGE = fixed(shape(_A, _SET, _SET))


def _component(place: int) -> Rule:
    """A component of a pair or longer tuple."""

    def rule(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...] | Waiting:
        sort = arguments[0].sort
        if is_open(sort):
            return Waiting("the sort of the tuple")
        if not isinstance(sort, core.TupleOf) or len(sort.items) < 2:
            return ()
        return (Signature(row=row, parameters=(sort,), result=sort.items[place]),)

    return rule


def _application(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...]:
    """A function and all its arguments."""
    domain = tuple(core.SortVariable(f"a{place}") for place in range(1, len(arguments)))
    return (Signature(row=row, parameters=(core.FunctionOf(domain, _B), *domain), result=_B),)


def _sets(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...]:
    return (Signature(row=row, parameters=(_SET,) * len(arguments), result=_SET),)


# ── Records ──────────────────────────────────────────────────────────────────────────────────────────────────


def _of_record(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...] | Waiting:
    """`has_field` and `field_names`: of every record."""
    record = arguments[0].sort
    if is_open(record):
        return Waiting("the fields of the record")
    if not isinstance(record, core.RecordOf):
        return ()
    if row.name == "has_field":
        return (Signature(row=row, parameters=(record, core.STRING), result=core.BOOL),)
    return (Signature(row=row, parameters=(record,), result=core.ListOf(core.STRING)),)


def _field(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...] | Waiting:
    """`get_field`: the field must be named by a literal, and be there."""
    record, name = arguments[0].sort, arguments[1].literal
    if is_open(record):
        return Waiting("the fields of the record")
    if not isinstance(record, core.RecordOf) or not isinstance(name, str):
        return ()
    found = dict(record.fields).get(name)
    return () if found is None else (Signature(row=row, parameters=(record, core.STRING), result=found),)


def _with_field(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...] | Waiting:
    """`set_field`: a new field has the sort of its value; one that is there keeps its own, if the value is of it."""
    record, name = arguments[0].sort, arguments[1].literal
    if is_open(record):
        return Waiting("the fields of the record")
    if not isinstance(record, core.RecordOf) or not isinstance(name, str):
        return ()
    fields = dict(record.fields)
    value = _new_value(fields.get(name), arguments[2].sort)
    changed = core.RecordOf(tuple(sorted({**fields, name: value}.items())))
    return (Signature(row=row, parameters=(record, core.STRING, value), result=changed),)


def _new_value(old: core.Sort | None, given: core.Sort | None) -> core.Sort:
    if old is None:
        return _A
    if given is None or isinstance(given, core.SortVariable):
        return old
    return larger(old, given) or _A


LIST_RULES: Mapping[str, Rule] = {
    "head": fixed(shape(_LIST, _A)),
    "tail": fixed(shape(_LIST, _LIST)),
    "isEmpty": fixed(shape(_LIST, core.BOOL)),
    "length": fixed(shape(_LIST, core.NATURAL), shape(core.STRING, core.NATURAL)),
    "nth": fixed(shape(_LIST, core.INTEGER, _A)),
    "append": fixed(shape(_LIST, _LIST, _LIST)),
    "list_flatten": fixed(shape(core.ListOf(_LIST), _LIST)),
    "list_slice": fixed(shape(_LIST, core.INTEGER, _LIST), shape(_LIST, core.INTEGER, core.INTEGER, _LIST)),
    "list_rotate": fixed(shape(_LIST, core.INTEGER, _LIST)),
    "reverse": fixed(shape(_LIST, _LIST)),
    "list_zip": fixed(shape(_LIST, core.ListOf(_B), core.ListOf(core.TupleOf((_A, _B))))),
    "fst": _component(0),
    "snd": _component(1),
    "sum": _OF_A_LIST_OF_NUMBERS,
    "product": _OF_A_LIST_OF_NUMBERS,
    "range": fixed(
        shape(core.INTEGER, core.ListOf(core.INTEGER)),
        shape(core.INTEGER, core.INTEGER, core.ListOf(core.INTEGER)),
    ),
    "linspace": fixed(
        *(shape(each, each, core.ListOf(each)) for each in (core.RATIONAL, core.REAL)),
        *(shape(each, each, core.INTEGER, core.ListOf(each)) for each in (core.RATIONAL, core.REAL)),
        incomplete=True,
    ),
    "random": fixed(
        shape(core.INTEGER, core.ListOf(core.RATIONAL)),
        shape(core.INTEGER, core.INTEGER, core.ListOf(core.RATIONAL)),
        incomplete=True,
    ),
    "random_normal": fixed(
        shape(core.INTEGER, core.ListOf(core.REAL)),
        shape(core.INTEGER, core.INTEGER, core.ListOf(core.REAL)),
        shape(core.INTEGER, core.INTEGER, core.REAL, core.ListOf(core.REAL)),
        incomplete=True,
    ),
    "vec_add": fixed(*(shape(core.ListOf(each), core.ListOf(each), core.ListOf(each)) for each in NUMBERS)),
    "list_map": fixed(shape(core.FunctionOf((_A,), _B), _LIST, core.ListOf(_B))),
    "list_filter": fixed(shape(_PREDICATE, _LIST, _LIST)),
    "all": _QUANTIFIED,
    "any": _QUANTIFIED,
    "list_fold": fixed(shape(core.FunctionOf((_B, _A), _B), _B, _LIST, _B)),
    "foldr": fixed(shape(core.FunctionOf((_A, _B), _B), _B, _LIST, _B)),
    "list_flatmap": fixed(shape(core.FunctionOf((_A,), core.ListOf(_B)), _LIST, core.ListOf(_B))),
    "apply_lambda": _application,
    "sum_bounds": _OVER_AN_INTERVAL,
    "prod_bounds": _OVER_AN_INTERVAL,
    "sum_over": _OVER_AN_INTERVAL,
    "replicate": fixed(shape(core.INTEGER, _A, _LIST)),
    "empty_set": fixed(shape(_SET)),
    "in_set": fixed(shape(_A, _SET, core.BOOL), shape(_A, _LIST, core.BOOL)),
    "insert": _CHANGE,
    "remove": _CHANGE,
    "singleton": fixed(shape(_A, _SET)),
    "union": _sets,
    "intersect": _sets,
    "difference": fixed(shape(_SET, _SET, _SET)),
    "complement": fixed(shape(_SET, _SET)),
    "subset": _RELATION,
    "proper_subset": _RELATION,
    "disjoint": _RELATION,
    "set_of": fixed(shape(_LIST, _SET)),
    "cardinality": fixed(shape(_SET, core.NATURAL), incomplete=True),
    "is_finite_set": fixed(shape(_SET, core.BOOL), incomplete=True),
    "has_field": _of_record,
    "field_names": _of_record,
    "get_field": _field,
    "set_field": _with_field,
}
"""By the names of the rows."""
