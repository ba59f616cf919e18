"""Values of one language as values of the other, by their sort, for trials and counterexamples of laws.

| Kleis | PIF |
|---|---|
| ℕ, ℤ | integer |
| Bool, String, Unit | boolean, string, unit |
| List(s), s × t, records | list, pair, record |
"""

from __future__ import annotations

from kleis import core, values
from kleis.syntax import tree
from pif.analysis.types.unification import Shape, Type, TypeVariable, find
from pif.language.terms import Json, Term, literal, make
from registry.translate.node_types import fields_of

__all__ = ["NotShared", "fits", "from_json", "from_kleis", "to_term"]


class NotShared(Exception):
    """A value or sort that the other language does not have."""


def to_term(value: values.Value) -> Term:
    """The written term of PIF that evaluates to a value."""
    match value:
        case bool() | int() | str():
            return literal(value)
        case values.ListValue():
            return make("list", tuple(map(to_term, value)))
        case values.Data(constructor="Unit"):
            return literal(None)
        case values.Data(constructor="Pair", fields=(first, second)):
            return make("pair", (to_term(first), to_term(second)))
        case values.Data(constructor="record", fields=fields):
            named = dict(map(_field, fields))
            names = tuple(sorted(named))
            return make("record", tuple(to_term(named[name]) for name in names), names)
        case _:
            raise NotShared(f"PIF has no value like {type(value).__name__}")


def _field(value: values.Value) -> tuple[str, values.Value]:
    if isinstance(value, values.Data) and value.constructor == "field" and isinstance(value.fields[0], str):
        return value.fields[0], value.fields[1]
    raise NotShared("a record whose fields have no names")


def from_json(data: Json, sort: core.Sort) -> values.Value:
    """The value of a sort, as PIF prints it. Raises `NotShared` for a value of another sort."""
    match sort:
        case core.Numeric(name="ℕ" | "ℤ") if type(data) is int and (data >= 0 or sort.name == "ℤ"):
            return data
        case core.Basic(name="Bool") if type(data) is bool:
            return data
        case core.Basic(name="String") if type(data) is str:
            return data
        case core.TupleOf(items=()) if data is None:
            return values.UNIT
        case core.ListOf(element=element) if isinstance(data, list):
            return values.list_of([from_json(each, element) for each in data])
        case core.TupleOf(items=(first, second)) if isinstance(data, dict) and set(data) == {"pair"}:
            left, right = data["pair"]
            return values.Data("Pair", (from_json(left, first), from_json(right, second)))
        case core.RecordOf(fields=fields) if isinstance(data, dict) and set(data) == {
            name for name, _ in fields
        }:
            parts = [values.Data("field", (name, from_json(data[name], inner))) for name, inner in fields]
            return values.Data("record", tuple(parts))
        case _:
            raise NotShared("a value of another sort")


def from_kleis(expression: tree.Expression) -> values.Value:
    """The value of a closed Kleis term of literals and constructors. Raises `NotShared` for any other."""
    match expression:
        case tree.Number(text=text) if text.isdigit():
            return int(text)
        case tree.Call(name="negate", arguments=(tree.Number(text=text),)) if text.isdigit():
            return -int(text)
        case tree.Text(value=value) | tree.Boolean(value=value):
            return value
        case tree.Call(name="Unit"):
            return values.UNIT
        case tree.Name(name="Nil") | tree.Name(name="nil"):
            return values.list_of([])
        case tree.ListLiteral(items=items):
            return values.list_of([from_kleis(each) for each in items])
        case tree.Call(name="Cons" | "cons", arguments=(first, rest)):
            tail = from_kleis(rest)
            if isinstance(tail, values.ListValue):
                return values.list_of([from_kleis(first), *tail])
        case tree.Call(name="Pair", arguments=(first, second)):
            return values.Data("Pair", (from_kleis(first), from_kleis(second)))
    raise NotShared("a value that PIF does not have")


def fits(value: values.Value, type_: Type | None) -> bool:
    """Whether a value has a PIF type; an empty list has every list type."""
    shape = None if type_ is None else find(type_)
    if isinstance(shape, TypeVariable):
        return ("ordered" not in shape.rules or _is_ordered(value)) and (
            "sized" not in shape.rules or isinstance(value, str | values.ListValue)
        )
    fields = fields_of(shape)
    if fields is not None:
        if not isinstance(value, values.Data) or value.constructor != "record":
            return False
        found = dict(map(_field, value.fields))
        return all(name in found and fits(found[name], inner) for name, inner in fields.items())
    match shape:
        case Shape(name="integer"):
            return isinstance(value, int) and not isinstance(value, bool)
        case Shape(name="boolean"):
            return isinstance(value, bool)
        case Shape(name="string"):
            return isinstance(value, str)
        case Shape(name="list", parts=(element,)):
            return isinstance(value, values.ListValue) and all(fits(each, element) for each in value)
        case Shape(name="pair", parts=(first, second)):
            return (
                isinstance(value, values.Data)
                and value.constructor == "Pair"
                and fits(value.fields[0], first)
                and fits(value.fields[1], second)
            )
        case _:
            return True


def _is_ordered(value: values.Value) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)
