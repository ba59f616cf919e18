"""What inference has to say where a term has no type: one problem for each place, with the place it clashes with."""

from __future__ import annotations

import msgspec

from pif.analysis.types.type_text import print_type
from pif.analysis.types.unification import Clash, Origin, Shape, Type, find
from pif.language.errors import Path, pointer
from pif.language.terms import Json

__all__ = ["PROBLEMS", "TypeProblem", "Unknown", "problem"]

PROBLEMS = 12
"""How many problems of one term are told."""


class Unknown(msgspec.Struct, frozen=True):
    """A place whose type is `?`, and why."""

    path: str
    reason: str


class TypeProblem(msgspec.Struct, frozen=True, omit_defaults=True):
    """Two types that clash at `path`. `because` is the other place: where the second type comes from, in the code of
    `because_tool` where that is set."""

    message: str
    path: str
    found: str
    expected: str = ""
    because: str | None = None
    because_tool: str | None = None
    hint: str | None = None

    def as_json(self) -> dict[str, Json]:
        """The problem as answers carry it."""
        return {"kind": "type_error", **msgspec.to_builtins(self)}


def problem(
    clash: Clash, found: Type, expected: Type | None, path: Path, says: str, hint: str | None
) -> TypeProblem:
    """A clash in words. `says` goes before what was expected: "`add` needs"."""
    place = pointer(path)
    other = _other_place(clash, place)
    whole = print_type(found)

    def told(message: str, *, expected: str = "", hint: str | None = hint) -> TypeProblem:
        because = None if other is None else pointer(other.path)
        tool = None if other is None else other.tool
        return TypeProblem(message, place, whole, expected, because, tool, hint)

    names = (_name(clash.found), _name(clash.expected))
    if "continues" in names:
        return told(
            "`continue` may only be the value of a tool's run, and this value is used",
            hint='Put it last: in a branch of `if`, the body of a `let` or of a function; for a result, call {"self": true}.',
        )
    if clash.infinite:
        return told(
            f"{says} a type that would contain itself: {whole}",
            hint="A function applied to itself has no finite type. Such code may still run.",
        )
    if clash.label is not None:
        label = f'"{clash.label[:60]}"'
        wanted = "" if expected is None else print_type(expected)
        return told(
            f"{says} a record with the field {label}, and this one lacks it, or may lack it: {whole}",
            expected=wanted,
            hint=hint or "Give the field first by `with`, or `get` a field that is always there.",
        )
    match clash.rule:
        case "data":
            return told(f"{says} data, and there is a function in this: {whole}", expected="data", hint=hint)
        case "ordered":
            return told(f"{says} an integer or a string, and this is {whole}", expected="integer or string")
        case "sized":
            return told(f"{says} a list or a string, and this is {whole}", expected="list or string")
    wanted = "another type" if expected is None else print_type(expected)
    return told(f"{says} {wanted}, and this is {whole}", expected=wanted, hint=hint or _hint(*names, says))


def _name(type_: Type | None) -> str:
    found = None if type_ is None else find(type_)
    return found.name if isinstance(found, Shape) else ""


def _other_place(clash: Clash, place: str) -> Origin | None:
    """The place of the second type: the first of the origins at hand that is not `place` itself."""
    origins = [clash.origin]
    for type_ in (clash.found, clash.expected):
        shape = None if type_ is None else find(type_)
        if isinstance(shape, Shape):
            origins.append(shape.origin)
    for origin in origins:
        if origin is not None and (origin.tool is not None or pointer(origin.path) != place):
            return origin
    return None


def _hint(found: str, expected: str, says: str) -> str | None:
    """What to try, by the two kinds."""
    match found, expected:
        case "quoted", "function":
            return "A quoted term must be run first: wrap it in `eval`."
        case "string", "function":
            return 'Only `app` takes a tool\'s name; write {"eval": {"code_of": "name"}}.'
        case _, "function":
            return "Is it applied to more arguments than it takes?"
        case "function", _:
            return "Is an argument missing? A function of several parameters takes them one after another."
        case _, "string":
            return 'Make a string of any data by {"show": t}.'
        case _, "quoted":
            return "`quote` makes one of a term, `code_of` of a tool's source."
        case _ if says.startswith("`fold`"):
            return "`fold` calls its function with ONE pair (accumulator, item), which gives the next accumulator."
        case "string", "integer":
            return "Strings stay strings: `length` counts one, nothing reads a number from it."
        case _:
            return None
