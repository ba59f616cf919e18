"""The names in types: declared, built in, a parameter, or an opaque sort.

Specification: proving.md §1 ("An undeclared type name in a declaration is one global opaque sort"; "fresh carriers,
with a warning that names the nearest declared type").  So an unknown type is no error; one that is spelled almost
like a known type is a warning.
"""

from __future__ import annotations

from typing import TypeAlias

from rpds import HashTrieSet

from kleis.resolution_report import Report
from kleis.syntax.tree import (
    AppliedType,
    DimensionOperation,
    ForAllType,
    FunctionType,
    NamedType,
    NumberType,
    ProductType,
    TypeExpression,
    split_name,
)
from kleis.theory.name_check.known_names import Known
from kleis.theory.name_check.structure_members import head_name

__all__ = ["TypeNames"]

_Scope: TypeAlias = "HashTrieSet[str]"


class TypeNames:
    """Checks types against what is known."""

    def __init__(self, known: Known, report: Report) -> None:
        self._known = known
        self._report = report

    def check(self, written: TypeExpression | None, scope: _Scope) -> None:
        """Report the names of a type that mean nothing; `scope` are the type parameters and local names."""
        pending = [(written, scope)] if written is not None else []
        while pending:
            node, names = pending.pop()
            match node:
                case NumberType():
                    pass
                case NamedType():
                    self._name(node, names)
                case AppliedType():
                    self._name(node, names)
                    self._count(node)
                    pending.extend((argument, names) for argument in node.arguments)
                case FunctionType():
                    pending += [(node.domain, names), (node.codomain, names)]
                case ProductType():
                    pending.extend((item, names) for item in node.items)
                case ForAllType():
                    inner = names.update(variable.name for variable in node.variables)
                    pending.extend((each.kind, names) for each in node.variables if each.kind is not None)
                    pending.append((node.body, inner))
                case DimensionOperation():
                    pending.extend((argument, names) for argument in node.arguments)

    def structure(self, written: TypeExpression | None, scope: _Scope, role: str) -> bool:
        """Report a reference to a structure that is none; whether it is one."""
        if written is None:
            return False
        name = head_name(written)
        if name is None:
            self._report.error(written, "not-a-structure", f"{role} takes a structure, like Group(G)")
            return False
        if name in self._known.theory.structures:
            if isinstance(written, AppliedType):
                self._count(written)
                for argument in written.arguments:
                    self.check(argument, scope)
            return True
        hint = self._report.nearest("structure", name, self._known.structure_names)
        if name in self._known.theory.data or name in self._known.theory.aliases:
            message = f"{name} is a type, not a structure"
        else:
            message = f"there is no structure {name}"
        self._report.error(
            written, "unknown-structure", message, hint=hint or "declare or import it", found=name
        )
        return False

    def _name(self, node: NamedType | AppliedType, scope: _Scope) -> None:
        head, *rest = split_name(node.name)
        if head in scope or self._known.is_type(head):
            return
        if rest:
            hint = self._report.nearest("structure", head, self._known.structure_names)
            message = f"there is no structure {head} to take {rest[-1]} from"
            self._report.error(node, "unknown-structure", message, hint=hint, found=node.name)
            return
        hint = self._report.nearest("type", head, self._known.type_names)
        if hint:
            message = f"the type {head} is declared nowhere and read as a type of its own"
            self._report.warn(node, "unknown-type", message, hint=hint, found=head)

    def _count(self, node: AppliedType) -> None:
        wanted = self._known.type_parameters(node.name)
        given = len(node.arguments)
        if wanted is None or wanted == given:
            return
        takes = f"{wanted} argument{'s' if wanted != 1 else ''}" if wanted else "no arguments"
        self._report.error(
            node, "type-arity", f"{node.name} takes {takes}, here it has {given}", found=node.name
        )
