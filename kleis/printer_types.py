"""Types, kinds and dimensions as text.  See kleis/syntax/printer/program.py."""

from __future__ import annotations

from typing import assert_never

from kleis.syntax.tree import (
    AppliedType,
    DimensionOperation,
    ForAllType,
    FunctionType,
    NamedType,
    NumberType,
    ProductType,
    TypeExpression,
    TypeParameter,
)

__all__ = ["TypePrinter", "quote"]

_ARROW, _PRODUCT, _SUM, _TERM, _POWER, _ATOM = range(6)
_DIMENSION_LEVELS = {"+": _SUM, "-": _SUM, "*": _TERM, "/": _TERM, "^": _POWER}


def quote(value: str) -> str:
    """A string literal."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


class TypePrinter:
    """Writes types in Unicode or ASCII."""

    def __init__(self, *, ascii: bool) -> None:
        self.ascii = ascii
        self.arrow = "->" if ascii else "→"

    def type(self, tree: TypeExpression, level: int = _ARROW) -> str:
        """A type where one of this level or tighter may stand."""
        match tree:
            case NamedType():
                return tree.name
            case NumberType():
                return str(tree.value)
            case AppliedType():
                return f"{tree.name}({self._types(tree.arguments)})"
            case FunctionType():
                domain = self.type(tree.domain, _PRODUCT)
                text, own = f"{domain} {self.arrow} {self.type(tree.codomain)}", _ARROW
            case ForAllType():
                variables = ", ".join([self._variable(variable) for variable in tree.variables])
                quantifier = "forall " if self.ascii else "∀"
                text, own = f"{quantifier}({variables}). {self.type(tree.body)}", _ARROW
            case ProductType() if self.ascii:
                return f"({self._types(tree.items)})"
            case ProductType():
                text, own = " × ".join([self.type(item, _SUM) for item in tree.items]), _PRODUCT
            case DimensionOperation():
                text, own = self._dimension(tree)
            case _:
                assert_never(tree)
        return text if own >= level else f"({text})"

    def parameters(self, parameters: tuple[TypeParameter, ...]) -> str:
        """The parameters of a structure, data type or alias, with their parentheses; empty without any."""
        if not parameters:
            return ""
        return "(" + ", ".join(self._parameter(parameter) for parameter in parameters) + ")"

    def _types(self, types: tuple[TypeExpression, ...]) -> str:
        return ", ".join([self.type(item) for item in types])

    def _parameter(self, parameter: TypeParameter) -> str:
        return parameter.name if parameter.kind is None else f"{parameter.name} : {self.type(parameter.kind)}"

    def _variable(self, variable: TypeParameter) -> str:
        plain = variable.kind is None or variable.kind == NamedType("Type")
        return variable.name if plain else self._parameter(variable)

    def _dimension(self, tree: DimensionOperation) -> tuple[str, int]:
        level = _DIMENSION_LEVELS.get(tree.operator)
        if level is None:
            return f"{tree.operator}({self._types(tree.arguments)})", _ATOM
        left, right = tree.arguments
        if level == _POWER:
            return f"{self.type(left, _ATOM)}^{self.type(right, _POWER)}", level
        return f"{self.type(left, level)} {tree.operator} {self.type(right, level + 1)}", level
