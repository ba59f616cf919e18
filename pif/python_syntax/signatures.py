"""Parameters and annotations of functions."""

from __future__ import annotations

import ast

from pif.analysis.types.unification import Origin, Shape, Type, TypeVariable
from pif.python_syntax.parse_subset import refused

__all__ = ["annotation", "plain_parameters"]


def plain_parameters(arguments: ast.arguments, node: ast.AST) -> tuple[str, ...]:
    """The names of plain parameters; raises for every other kind."""
    if arguments.posonlyargs or arguments.kwonlyargs or arguments.vararg or arguments.kwarg:
        raise refused(node, "parameters are plain names", "Write def f(a, b): …")
    if arguments.defaults:
        raise refused(arguments.defaults[0], "parameters have no default values", "Give every argument.")
    names = tuple(each.arg for each in arguments.args)
    for index, each in enumerate(arguments.args):
        if each.arg in names[:index]:
            raise refused(each, f"there are two parameters `{each.arg}`", "Give each a name of its own.")
    if isinstance(node, ast.Lambda) and len(names) != 1:
        raise refused(node, "a lambda takes one argument", "Take a pair, or nest: lambda a: lambda b: …")
    return names


def annotation(node: ast.expr) -> Type:
    """The type that an annotation says."""
    here = Origin(None)
    match node:
        case ast.Name(id="int" | "str" | "bool" | "list" | "dict" | "tuple" as name):
            plain = {"int": "integer", "str": "string", "bool": "boolean"}
            if name in plain:
                return Shape(plain[name], (), here)
            parts: tuple[Type, ...] = (TypeVariable("type", 1),)
            if name == "tuple":
                return Shape("pair", (*parts, TypeVariable("type", 1)), here)
            return (
                Shape("list", parts, here)
                if name == "list"
                else Shape("record", (TypeVariable("row", 1),), here)
            )
        case ast.Constant(value=None):
            return Shape("unit", (), here)
        case ast.Subscript(value=ast.Name(id="list"), slice=item):
            return Shape("list", (annotation(item),), here)
        case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=[first, second])):
            return Shape("pair", (annotation(first), annotation(second)), here)
        case ast.Subscript(value=ast.Name(id="dict"), slice=ast.Tuple(elts=[ast.Name(id="str"), item])):
            every = Shape("every", (Shape("maybe", (), here), annotation(item)), here)
            return Shape("record", (every,), here)
        case _:
            hint = "int, str, bool, None, list[t], tuple[t, u], dict[str, t]"
            raise refused(node, "this annotation is not known here", hint)
