"""What the evaluator needs to know of a program: the protocol a theory fulfils, and its plainest fulfilment.

Specification: kleis-language.md §4.1, proving.md §1 ("Structures without parameters").  Imports are the loader's
business: whoever hands declarations over has put the imported ones in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from kleis.syntax.operators import canonical_name
from kleis.syntax.tree import (
    DataDefinition,
    ElementDeclaration,
    Field,
    FunctionDefinition,
    Implements,
    OperationDeclaration,
    Program,
    Structure,
    TypeExpression,
)

__all__ = ["Declarations", "ProgramDeclarations"]


class Declarations(Protocol):
    """The declarations in force.  A theory has these four attributes and one method; none may ever change.

    definitions
        What `define` says at top level and in structures without parameters, by name; of several with one
        name the last, unless a later file declares the name as its own.  Definitions in structures with parameters speak of any model and are not here.
    data
        Data types by name.
    constants
        The types of declared operations, elements and fields (top level, and structures without parameters), by
        name.  A declaration gives no value; the evaluator only learns which names are meant as builtins.
    implementations
        All `implements` items, in order.
    file_of(name)
        The file of the definition `name`, for the place of an error.
    """

    @property
    def definitions(self) -> Mapping[str, FunctionDefinition]: ...

    @property
    def data(self) -> Mapping[str, DataDefinition]: ...

    @property
    def constants(self) -> Mapping[str, TypeExpression]: ...

    @property
    def implementations(self) -> Sequence[Implements]: ...

    def file_of(self, name: str) -> str: ...


class ProgramDeclarations:
    """The declarations of programs read one after another, without imports: `Declarations` for one text."""

    def __init__(self, *programs: Program) -> None:
        self.definitions: dict[str, FunctionDefinition] = {}
        self.data: dict[str, DataDefinition] = {}
        self.constants: dict[str, TypeExpression] = {}
        self.implementations: list[Implements] = []
        self._files: dict[str, str] = {}
        for program in programs:
            for item in program.items:
                match item:
                    case FunctionDefinition():
                        self._define(item, program.file)
                    case DataDefinition():
                        self.data[item.name] = item
                        for variant in item.variants:
                            self._hide(variant.name, program.file)
                    case OperationDeclaration():
                        self._declare(item.name, item.type, program.file)
                    case Implements():
                        self.implementations.append(item)
                    case Structure() if not item.parameters:
                        self._read_section(item, program.file)

    def file_of(self, name: str) -> str:
        """The file of the definition `name`."""
        return self._files.get(name, "<text>")

    def _define(self, definition: FunctionDefinition, file: str) -> None:
        self.definitions[definition.name] = definition
        self._files[definition.name] = file

    def _read_section(self, structure: Structure, file: str) -> None:
        for member in structure.members:
            match member:
                case FunctionDefinition():
                    self._define(member, file)
                case OperationDeclaration() | ElementDeclaration() | Field():
                    self._declare(member.name, member.type, file)

    def _declare(self, spelling: str, type_: TypeExpression, file: str) -> None:
        name = canonical_name(spelling)
        self.constants[name] = type_
        self._hide(name, file)

    def _hide(self, name: str, file: str) -> None:
        """A declaration hides the definition of another file, which speaks of something else."""
        if self.file_of(name) != file:
            self.definitions.pop(name, None)
