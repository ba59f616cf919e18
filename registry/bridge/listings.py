"""What a theory declares, as records for tools: structures, and their operations and axioms with what is inherited.

Names are written as they are inside the structure (`•`, not `Group::•`), so that `using Group` before a proposition
made of them says the same.
"""

from __future__ import annotations

from typing import Any

import msgspec

from kleis.core import Symbol
from kleis.delaborate.describe_goal import expression_of
from kleis.delaborate.print_types import type_of
from kleis.elaborate.elaborator import Elaborator
from kleis.syntax.printer.program import print_expression, print_type
from kleis.syntax.tree import Call, Expression, Name, NamedType, Node, TypeExpression
from kleis.theory.theory import Theory
from pif.language.values import Quoted, Record, list_of
from registry.oracles.answer_records import record_of
from registry.oracles.quoted_terms import term_of

__all__ = [
    "Signature",
    "axiom_expressions",
    "axiom_records",
    "operation_records",
    "signatures_of",
    "structure_records",
]


class Signature(msgspec.Struct, frozen=True):
    """An operation of a structure: `arguments` and `result` are types as Kleis writes them."""

    name: str
    arguments: tuple[str, ...]
    result: str


def structure_records(theory: Theory) -> list[Record]:
    """All structures, by name."""
    return [
        record_of(
            kleis=f"structure {name}({', '.join(each.name for each in node.parameters)})"
            if node.parameters
            else f"structure {name}",
            name=name,
            parameters=list_of([each.name for each in node.parameters]),
        )
        for name, node in sorted(theory.structures.items())
    ]


def signatures_of(theory: Theory, structure: str) -> list[Signature]:
    """The operations and elements of a structure, inherited ones included. Raises `KleisError`."""
    symbols = Elaborator(theory).arbitrary(structure).symbols  # also those that no axiom speaks of
    return [_signature(symbol, structure) for symbol in sorted(symbols, key=lambda each: each.name)]


def _signature(symbol: Symbol, structure: str) -> Signature:
    types = [print_type(_inside(type_of(sort), structure)) for sort in (*symbol.domain, symbol.codomain)]
    return Signature(_short(symbol.name, structure), tuple(types[:-1]), types[-1])


def operation_records(theory: Theory, structure: str) -> list[Record]:
    """The same as records. Raises `KleisError`."""
    return [
        record_of(
            arguments=list_of(list(each.arguments)),
            kleis=f"{each.name} : {' → '.join((*each.arguments, each.result))}",
            name=each.name,
            result=each.result,
        )
        for each in signatures_of(theory, structure)
    ]


def axiom_expressions(theory: Theory, structure: str) -> list[tuple[str, Expression]]:
    """The axioms of a structure by name, inherited ones included. Raises `KleisError`."""
    return [
        (axiom.name, _renamed(expression_of(axiom.formula), structure))
        for axiom in Elaborator(theory).structure(structure).axioms
    ]


def axiom_records(theory: Theory, structure: str) -> list[Record]:
    """The axioms of a structure, each as Kleis and as a quoted term. Raises `KleisError`."""
    return [
        record_of(kleis=print_expression(expression), name=name, term=Quoted(term_of(expression)))
        for name, expression in axiom_expressions(theory, structure)
    ]


def _short(name: str, structure: str) -> str:
    """A member's name as it is written inside the structure."""
    owner, _, last = name.rpartition("::")
    return last if owner == structure else name


def _inside(type_: TypeExpression, structure: str) -> TypeExpression:
    renamed: TypeExpression = _renamed(type_, structure)
    return renamed


def _renamed(node: Any, structure: str) -> Any:
    """A tree with the names of a structure's members written as inside it."""
    if not isinstance(node, Node):
        return tuple(_renamed(each, structure) for each in node) if isinstance(node, tuple) else node
    changes = {
        field: _renamed(value, structure)
        for field in node.__struct_fields__
        if isinstance(value := getattr(node, field), Node | tuple)
    }
    if isinstance(node, Call | Name | NamedType):
        changes["name"] = _short(node.name, structure)
    return msgspec.structs.replace(node, **changes)
