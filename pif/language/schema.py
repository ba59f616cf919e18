"""The JSON Schema of terms, made from the primitive table: for editors and for clients that validate before they send.

The server checks terms by `decode`, which says more; this schema accepts exactly the same JSON up to the limits on
nesting and sizes, and up to where an `unquote` may stand.
"""

from __future__ import annotations

from pif.language.primitives import PRIMITIVES
from pif.language.terms import Json

__all__ = ["term_schema"]

_TERM: Json = {"$ref": "#/$defs/term"}
_NAME: Json = {"type": "string"}


def _object(properties: dict[str, Json]) -> Json:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _array(least: int, most: int | None = None) -> Json:
    bounds = {"minItems": least} if most is None else {"minItems": least, "maxItems": most}
    return {"type": "array", "items": _TERM, **bounds}


def _either(*schemas: Json) -> Json:
    return {"anyOf": list(schemas)}


def _named(least: int) -> Json:
    return {"type": "object", "additionalProperties": _TERM, "minProperties": least}


def _operation(name: str) -> Json:
    row = PRIMITIVES[name]
    if row.shape == "many":
        return _object({name: _array(row.arity, row.arity)})
    if row.shape == "one":
        return _object({name: _TERM})
    match name:
        case "var":
            return _object({"var": _NAME})
        case "lam":
            return _object({"lam": _NAME, "body": _TERM})
        case "app":
            return _object({"app": _either(_object({"func": _TERM, "arg": _TERM}), _array(2))})
        case "let":
            return _object({"let": _named(1), "in": _TERM})
        case "if":
            return _object({"if": _object({"cond": _TERM, "then": _TERM, "else": _TERM})})
        case "continue":
            return _object({"continue": _object({"input": _TERM})})
        case "cons":
            return _object({"cons": _either(_object({"head": _TERM, "tail": _TERM}), _array(2, 2))})
        case "record":
            return _object({"record": _named(0)})
        case "code_of":
            return _object({"code_of": _TERM})
        case _:  # `nil` and `self` take any value
            return _object({name: {}})


def term_schema() -> Json:
    """A JSON Schema (draft 2020-12) whose instances are PIF terms."""
    operations = [
        {"title": row.name, "description": row.doc, **_operation(row.name)} for row in PRIMITIVES.values()
    ]
    literals: list[Json] = [
        {"title": "literal", "type": ["integer", "number", "boolean", "string", "null"]},
        {"title": "list", "type": "array", "items": _TERM},
    ]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "PIF term",
        "$ref": "#/$defs/term",
        "$defs": {"term": {"anyOf": [*literals, *operations]}},
    }
