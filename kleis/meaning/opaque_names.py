"""The type names in a declaration that may be opaque sorts.

Specification: proving.md §1 ("An undeclared type name in a declaration is one global opaque sort; in a top-level
`operation` a name of one letter is a type variable").
"""

from __future__ import annotations

from collections.abc import Iterator

from kleis.syntax.tree import (
    AppliedType,
    DataDefinition,
    Declaration,
    ElementDeclaration,
    Field,
    ForAllType,
    NamedType,
    OperationDeclaration,
    Structure,
    TypeExpression,
)
from kleis.syntax.tree.traversal import walk

__all__ = ["opaque_names"]


def opaque_names(node: Declaration) -> Iterator[str]:
    """The type names in a global declaration that are no parameters or type variables of it."""
    types: list[TypeExpression] = []
    variables: set[str] = set()
    match node:
        case Structure(parameters=()):
            types += [
                each.type
                for each in node.members
                if isinstance(each, OperationDeclaration | ElementDeclaration | Field)
            ]
        case OperationDeclaration():
            types.append(node.type)
        case DataDefinition():
            types += [field.type for variant in node.variants for field in variant.fields]
            variables = {each.name for each in node.parameters}
        case _:
            return
    for part in walk(*types):
        if isinstance(part, ForAllType):
            variables |= {each.name for each in part.variables}
        letter = isinstance(node, OperationDeclaration) and len(getattr(part, "name", "")) == 1
        if isinstance(part, NamedType | AppliedType) and part.name not in variables and not letter:
            yield part.name
