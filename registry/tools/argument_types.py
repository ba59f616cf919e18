"""What the type of a tool says of its arguments: how many there are, and where text is wanted.

Tools of several parameters are curried: called on the first argument they give a function of the second.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import msgspec

from pif.analysis.types.tool_types import Typing
from pif.analysis.types.type_text import print_type
from pif.analysis.types.unification import Shape, Type, find
from pif.language.budget import Budget
from pif.language.reification import at_most, literal_term
from pif.language.terms import Json, Term, literal, make, print_term
from pif.language.warnings import PifWarning, Rounding
from pif.run.evaluate import Request
from pif.run.read_input import KeptStrings, read_data, read_input

__all__ = ["applied", "fresh_name", "function_warning", "kept_strings", "parameters"]

_DEEPEST = 20
"""Levels of a type that are looked at: inputs of clients nest less."""


def parameters(typing: Typing) -> list[Type]:
    """The types of a tool's arguments, one after another."""
    found: list[Type] = []
    rest = typing.function
    while rest is not None:
        found.append(find(rest.parts[0]))
        result = find(rest.parts[1])
        rest = result if isinstance(result, Shape) and result.name == "function" else None
    return found


def kept_strings(typing: Typing, argument: int = 0) -> KeptStrings:
    """Where strings stay strings in an argument: where its type says that they are."""
    wanted = parameters(typing)
    return _kept(wanted[argument], _DEEPEST) if argument < len(wanted) else False


def _kept(type_: Type, levels: int) -> KeptStrings:
    type_ = find(type_)
    if not isinstance(type_, Shape) or levels == 0:
        return False
    match type_.name:
        case "string":
            return True
        case "list":
            items = _kept(type_.parts[0], levels - 1)
            return [items] if items else False
        case "record":
            fields: dict[str, KeptStrings] = {}
            row = find(type_.parts[0])
            while isinstance(row, Shape) and row.name == "field":
                if field := _kept(row.parts[1], levels - 1):
                    fields[row.label] = field
                row = find(row.parts[2])
            return fields or False
        case _:
            return False


def applied(
    name: str, arguments: Sequence[Json], request: Request, typing: Typing, rounding: Rounding
) -> Request:
    """The run of a curried tool on several arguments: its code is a function that applies the tool to the others and then
    to its input, the last. What takes fewer is so a `type_error`, never called on less.

    `raw` and `data` of `request` hold for all of them. Raises `PifError` with a path into the argument."""
    term = literal(name)
    if not arguments:
        return msgspec.structs.replace(request, code=print_term(term), tool=None)
    for number, argument in enumerate(arguments[:-1]):
        if request.data:
            value, _ = read_data(argument, rounding)
            given = literal_term(value, at_most(Budget().result_bytes))
        else:
            kept = partial(kept_strings, typing, number)
            given = read_input(argument, raw=request.raw, rounding=rounding, kept=kept)
        term = make("app", (term, given))
    variable = fresh_name([term])
    term = make("lam", (make("app", (term, Term("var", (), variable))),), variable)
    *_, last = arguments
    is_text = isinstance(last, str) and kept_strings(typing, len(arguments) - 1) is True
    return msgspec.structs.replace(
        request, code=print_term(term), tool=None, input=last, raw=request.raw or is_text
    )


def fresh_name(terms: Sequence[Term]) -> str:
    """A variable that no term uses, so that an `eval` in one cannot refer to it."""
    names: set[str] = set()
    waiting = list(terms)
    while waiting:
        term = waiting.pop()
        if term.op in ("var", "lam", "let"):
            names.add(term.value)
        waiting += term.parts
    number, name = 0, "x"
    while name in names:
        number += 1
        name = f"x{number}"
    return name


def function_warning(label: str | None, typing: Typing, given: int, last: Json) -> PifWarning:
    """The warning of a run whose value is a function: how many arguments it still takes, and how to give them.

    `label` names the tool; None is for code of the run's own.
    `given`: how many it was given, the last of which was `last`."""
    wanted = parameters(typing)
    name = "the code" if label is None else label.partition("@")[0]
    left = max(1, len(wanted) - given)
    total = given + left
    type_ = f", of type {typing.text}" if typing.text else ""
    message = (
        f"the value is a function of {left} more argument{'s' if left > 1 else ''}: {name} takes {total}, one after "
        f"another{type_}, and was given {given}"
    )
    if given == 1 and isinstance(last, list | dict) and len(last) == total:
        message += (
            f" (the {total} {'fields' if isinstance(last, dict) else 'items'} of its input are one argument)"
        )
    letters = [print_type(each) for each in wanted[:total]] or ["a"] * total
    arguments = " ".join(each.upper().split("(")[0].split(" ")[-1] for each in letters)
    code = ", ".join(["…"] * total)
    if label is None:
        hint = f'Call it on all of them: {{"app": [f, {code}]}}, where f is the code.'
        return PifWarning(code="function_result", message=message, hint=hint)
    hint = (
        f'On the command line: pif run {name} {arguments}. In a call: "code": {{"app": ["{name}", {code}]}}.'
    )
    return PifWarning(code="function_result", message=message, hint=hint)
