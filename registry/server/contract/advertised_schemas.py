"""JSON Schemas of arguments and answers, in the few forms that every client reads (docs/reference/serving.md §4.3).

Both are made from the types that the server itself works with: arguments are converted to theirs, answers are built as
theirs (`TypedDict`s beside the code that builds them). No schema has a `$ref`, a list of types, a combinator at its root
or a part without any keyword: of each of these some client refuses the whole list of tools.

The schema of an answer is flat: the names and kinds of the fields of the object, not what is inside of them. A tool's
answers are several objects (a value, a continuation, an error); the schema is the one object that all of them are:
every field that one of them has, required what all of them have. It allows further fields, so that a client with an
older list of tools reads a newer server.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Literal, TypedDict, get_args, get_origin

import msgspec

__all__ = ["ANY_JSON", "ErrorAnswer", "answer_schema", "schema_of"]

Schema = dict[str, Any]

_KEYWORDS = ("type", "enum", "minimum", "maximum", "default", "description")
"""Keywords of the schema of a single value. Others (lengths, titles) are left out: several clients cannot read them."""

_ANY_ITEM: Schema = {"minLength": 0}
"""What an item of a list may be, where that is any JSON: some clients refuse a list without `items`, others `items`
without a keyword, and `minLength` says nothing of what is no string."""

_SCALARS = tuple({"type": name} for name in ("string", "number", "boolean", "null"))

ANY_JSON: Schema = {"anyOf": [{"type": "object"}, {"type": "array", "items": _ANY_ITEM}, *_SCALARS]}
"""Any JSON value."""

_FEW = 4
"""Choices of a field of an answer that are named."""

_ANY_ANSWER: Schema = {"anyOf": [{"type": "object"}, {"type": "array"}, *_SCALARS]}


class ErrorAnswer(TypedDict):
    """What `Answer.error` makes: an error result of any tool."""

    type: Literal["error"]
    error: dict[str, Any]


@cache
def schema_of(arguments: type[msgspec.Struct]) -> Mapping[str, Any]:
    """The JSON Schema of an argument type.

    References are inlined. An optional argument has the schema of its value; a default of null, an empty text or a
    list is left out. Choices keep the order of their `Literal`, which msgspec sorts.
    """
    (schema,), named = msgspec.json.schema_components([arguments], ref_template="{name}")
    orders: dict[frozenset[Any], tuple[Any, ...]] = {
        frozenset(each): each for field in msgspec.structs.fields(arguments) for each in _choices(field.type)
    }

    def inlined(part: Schema) -> Schema:
        if part.get("default") in (None, "") or isinstance(part["default"], list | tuple):
            part = {key: value for key, value in part.items() if key != "default"}
        if "$ref" in part:
            return inlined({**named[part["$ref"]], **_without(part, "$ref")})
        either = [each for each in part.get("anyOf", ()) if each.get("type") != "null"]
        if len(either) == 1:
            return inlined({**either[0], **_without(part, "anyOf")})
        found = {key: part[key] for key in _KEYWORDS if key in part}
        if either:
            found["anyOf"] = [inlined(each) for each in either]
        if "enum" in part:
            choices = frozenset(part["enum"])
            found |= {"type": "string", "enum": list(orders[choices] if choices in orders else part["enum"])}
        if found.get("type") == "array":
            found["items"] = inlined(part["items"]) if part.get("items") else _ANY_ITEM
        if "properties" in part:
            properties = {name: inlined(each) for name, each in part["properties"].items()}
            found = {"type": "object", "properties": properties}
            found |= {"required": part["required"]} if part.get("required") else {}
            found["additionalProperties"] = False
        if not {"type", "anyOf"} & set(found):
            found |= ANY_JSON
        return found

    return inlined(schema)


def _without(part: Schema, keyword: str) -> Schema:
    return {key: value for key, value in part.items() if key != keyword}


def _choices(hint: Any) -> Iterator[tuple[Any, ...]]:
    """The choices of every `Literal` in a type."""
    if get_origin(hint) is Literal:
        yield get_args(hint)
    else:
        for part in get_args(hint):
            yield from _choices(part)


@cache
def answer_schema(
    answers: tuple[type, ...], of_every_error: frozenset[str] = frozenset()
) -> Mapping[str, Any]:
    """The JSON Schema of a tool whose answers are objects of these types, or an error of the server's.

    `of_every_error`: names of fields that the server adds to every error of the tool, as `ToolSpec.error_fields` says.
    """
    parts, named = msgspec.json.schema_components([*answers, ErrorAnswer], ref_template="{name}")
    objects = [named[part["$ref"]] for part in parts]
    fields: dict[str, Schema] = {}
    for each in objects:
        for name, part in each["properties"].items():
            flat = _flat(part, named)
            fields[name] = _either(fields[name], flat) if name in fields else flat
    required = [
        name
        for name in fields
        if all(
            name in each["required"] or (each is objects[-1] and name in of_every_error) for each in objects
        )
    ]
    schema: Schema = {"type": "object", "properties": {name: _short(part) for name, part in fields.items()}}
    return {**schema, "required": required} if required else schema


def _flat(part: Schema, named: Mapping[str, Schema]) -> Schema:
    """The schema of a field without what is inside of it."""
    if "$ref" in part:
        return _flat(named[part["$ref"]], named)
    if "anyOf" in part:
        return _together(_flat(each, named) for each in part["anyOf"])
    if "enum" in part:
        return {"type": "string", "enum": list(part["enum"])}
    return {"type": part["type"]} if "type" in part else _ANY_ANSWER


def _short(part: Schema) -> Schema:
    """A field with few choices names them; of more, the kind is said: lists of tools are paid for in every conversation."""
    return {"type": "string"} if len(part.get("enum", ())) > _FEW else part


def _either(left: Schema, right: Schema) -> Schema:
    """The schema of what one of the two describes."""
    if "enum" in left and "enum" in right:
        return {"type": "string", "enum": list(dict.fromkeys([*left["enum"], *right["enum"]]))}
    return _together([left, right])


def _together(parts: Iterable[Schema]) -> Schema:
    alternatives: list[Schema] = []
    for part in parts:
        for each in part.get("anyOf", [part]):
            if each not in alternatives:
                alternatives.append(each)
    return alternatives[0] if len(alternatives) == 1 else {"anyOf": alternatives}
