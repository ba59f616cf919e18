"""Witnesses as the JSON values of a certificate of format 1, which anyone may have written.

See docs/reference/proving.md §12.1.

Invariants
    * Reading executes nothing: only the records listed here are made, by their fields.
    * Writing and reading give the same witness; what cannot be written is rejected.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import msgspec

from kleis import core
from kleis.budget import Meter
from kleis.prover.protocol.witness import FunctionTable, Interpretation, Witness
from kleis.semantics.ranges import Bounds, Element
from kleis.values import BitVector, ListValue, SetValue, equality_key
from kleis.values.kinds import Complex, Data, list_of
from kleis.values.text import integer_text, number_text, signed_integer

__all__ = ["UnwritableError", "read", "written"]


class UnwritableError(Exception):
    """A value that has no place in a certificate, or JSON that is no value."""


def _records() -> dict[str, type[msgspec.Struct]]:
    """The records by name."""
    found: dict[str, type[msgspec.Struct]] = {}
    waiting: list[type[msgspec.Struct]] = [core.CoreNode]
    while waiting:
        each = waiting.pop()
        found[each.__name__] = each
        waiting += each.__subclasses__()
    for each in (Interpretation, Witness, FunctionTable, BitVector, Complex):
        found[each.__name__] = each
    return found


def written(value: Any) -> Any:
    """A witness as JSON values."""
    match value:
        case None | bool() | str():
            return value
        case int():
            return {"int": integer_text(value)}
        case Fraction():
            return {"fraction": number_text(value)}
        case tuple():
            return {"tuple": [written(each) for each in value]}
        case list():
            return [written(each) for each in value]
        case dict():
            return {"table": [[written(name), written(each)] for name, each in value.items()]}
        case Element():
            return {"element": value.constructor.rpartition("#")[0], "index": value.index}
        case Data():
            return {"data": value.constructor, "fields": [written(each) for each in value.fields]}
        case ListValue():
            return {"list": [written(each) for each in value]}
        case SetValue():
            members = [written(each) for each in value.members.values()]
            return {"set": members, "complement": value.complement}
        case msgspec.Struct() if _records().get(type(value).__name__) is type(value):
            fields = {name: written(getattr(value, name)) for name in value.__struct_fields__}
            return {"record": type(value).__name__, "fields": fields}
        case _:
            raise UnwritableError(f"a witness with a {type(value).__name__} cannot be written")


def read(plain: Any) -> Any:
    """The witness of JSON values; `UnwritableError` if they are none."""
    if plain is None or isinstance(plain, bool | str):
        return plain
    if isinstance(plain, list):
        return [read(each) for each in plain]
    if not isinstance(plain, dict):
        raise UnwritableError(f"{plain!r} stands for nothing")
    for key, reader in _READERS.items():
        if key in plain:
            try:
                return reader(plain)
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
                raise UnwritableError(f"not a {key}: {error}") from None
    raise UnwritableError(f"a value of none of the kinds {', '.join(_READERS)}")


def _record(plain: Mapping[str, Any]) -> Any:
    kind = _records()[plain["record"]]
    return kind(**{str(name): read(each) for name, each in plain["fields"].items()})


def _set(plain: Mapping[str, Any]) -> SetValue:
    meter = Meter(Bounds().budget)
    members = [read(each) for each in plain["set"]]
    return SetValue({equality_key(each, meter): each for each in members}, bool(plain["complement"]))


_READERS: dict[str, Callable[[Mapping[str, Any]], Any]] = {
    "int": lambda plain: signed_integer(plain["int"]),
    "fraction": lambda plain: Fraction(*map(signed_integer, plain["fraction"].split("/"))),
    "tuple": lambda plain: tuple(read(each) for each in plain["tuple"]),
    "table": lambda plain: {read(name): read(each) for name, each in plain["table"]},
    "element": lambda plain: Element(str(plain["element"]), int(plain["index"])),
    "data": lambda plain: Data(str(plain["data"]), tuple(read(each) for each in plain["fields"])),
    "list": lambda plain: list_of([read(each) for each in plain["list"]]),
    "set": _set,
    "record": _record,
}
