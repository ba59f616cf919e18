"""The functions of a derived axis, as terms of arithmetic: ``x => 1.8 * x + 32``, or a λ of one argument.

A term is a number, ``"x"``, or a list of an operation and its terms: ``["plus", ["times", 1.8, "x"], 32]``.  It is
computed on arrays when the picture is drawn; nothing else is ever called.
"""

from __future__ import annotations

import math
import re
from typing import Any, TypeAlias

from kleis.errors import KleisError
from kleis.pictures.styles import picture_error
from kleis.syntax import tree
from kleis.values import FunctionValue, Value

__all__ = ["OPERATIONS", "Term", "scale_function"]

Term: TypeAlias = Any
"""A number, ``"x"``, or a list of an operation's name and terms."""

OPERATIONS = {
    "plus": 2,
    "minus": 2,
    "times": 2,
    "divide": 2,
    "power": 2,
    "negate": 1,
    "exp": 1,
    "ln": 1,
    "sqrt": 1,
}
"""What a scale may be made of, with the number of arguments."""

_ARROW = re.compile(r"\s*\(?\s*([A-Za-z]\w{0,20})\s*\)?\s*=>(.*)", re.DOTALL)
_LONGEST = 500
_DEEPEST = 30


def scale_function(value: Value) -> Term:
    """The term of a text ``x => …`` or of a λ."""
    if isinstance(value, FunctionValue) and isinstance(value.source, tree.Lambda) and not value.applied:
        parameters = value.source.parameters
        if len(parameters) == 1:
            return _term(value.source.body, parameters[0].name, 0)
    if isinstance(value, str) and (found := _ARROW.fullmatch(value[:_LONGEST])):
        from kleis.syntax.parser.parser import parse_expression

        try:
            return _term(parse_expression(found[2].replace("calc.", "")), found[1], 0)
        except KleisError as error:
            raise picture_error(f"the scale {value[:40]!r} cannot be read: {error}", found=value) from None
    raise picture_error(
        "a scale is a function of one argument", expected=('"x => 1.8 * x + 32"', "λ x . 1.8 * x + 32")
    )


def _term(expression: tree.Expression, name: str, depth: int) -> Term:
    if depth > _DEEPEST:
        raise picture_error("a scale that is nested too deeply")
    match expression:
        case tree.Name(name=used) if used == name:
            return "x"
        case tree.Number(text=text) if math.isfinite(float(text)):
            return float(text)
        case tree.Call(name=operation, arguments=arguments) if OPERATIONS.get(operation) == len(arguments):
            return [operation, *(_term(each, name, depth + 1) for each in arguments)]
    raise picture_error(
        "a scale is made of its argument, numbers and arithmetic", expected=("+ - * / ^", "exp, ln, sqrt")
    )
