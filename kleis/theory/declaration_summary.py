"""Facts about all declarations of a theory, kept up to date as it grows.

Adding to a session of a thousand structures must cost about what adding to an empty one does, and so must a question to
it: nothing that they need may walk through all declarations.

Invariant: `with_declaration` of every declaration, and `with_structure` and `with_data` of those in scope, in order, give
what a walk through them would.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from rpds import HashTrieMap, HashTrieSet, Queue

from kleis.syntax import tree
from kleis.syntax.operators import canonical_name
from kleis.syntax.tree.traversal import walk

__all__ = ["DeclarationSummary"]

_NO_NAMES: HashTrieSet[str] = HashTrieSet()
_NO_STRUCTURES: Queue[tree.Structure] = Queue()
_NO_DATA: Queue[str] = Queue()
_NO_PLACES: Queue[tuple[int, str]] = Queue()
_NO_MEMBERS: HashTrieMap[str, Queue[tuple[int, str]]] = HashTrieMap()


class DeclarationSummary(msgspec.Struct, frozen=True):
    """Immutable; start with `DeclarationSummary()`.

    carriers
        The parameters of structures.
    renamed
        The new names of renaming clauses.
    heirs
        The structures without parameters that inherit or hold members of other structures, in order of declaration.
    structures
        All structures, in order of declaration.
    sections
        Those without parameters.
    declaring
        Of the structures with parameters that have no members but their own: the places in the order of declaration
        and the names of those that declare a member, by its name.
    sharing
        The places and names of the other structures with parameters: those that inherit, or hold members of others.
    data
        The names of the data types, in order of declaration.
    types
        The type names in global declarations, refused ones too, that are no parameters or type variables of theirs.
    """

    carriers: HashTrieSet[str] = _NO_NAMES
    renamed: HashTrieSet[str] = _NO_NAMES
    heirs: Queue[tree.Structure] = _NO_STRUCTURES
    structures: Queue[tree.Structure] = _NO_STRUCTURES
    sections: Queue[tree.Structure] = _NO_STRUCTURES
    declaring: HashTrieMap[str, Queue[tuple[int, str]]] = _NO_MEMBERS
    sharing: Queue[tuple[int, str]] = _NO_PLACES
    data: Queue[str] = _NO_DATA
    types: HashTrieSet[str] = _NO_NAMES

    def with_declaration(self, declaration: tree.Declaration) -> DeclarationSummary:
        """The summary with the type names of one more declaration."""
        names = [*_type_names(declaration)]
        return msgspec.structs.replace(self, types=self.types.update(names)) if names else self

    def with_structure(self, structure: tree.Structure) -> DeclarationSummary:
        """The summary with one more structure in scope."""
        sections, heirs, declaring, sharing = self.sections, self.heirs, self.declaring, self.sharing
        place = (len(self.structures), structure.name)
        if not structure.parameters:
            sections = sections.enqueue(structure)
            heirs = heirs.enqueue(structure) if _inherits(structure) else heirs
        elif _inherits(structure):
            sharing = sharing.enqueue(place)
        else:
            for name in {canonical_name(each.name) for each in structure.members}:
                declaring = declaring.insert(name, declaring.get(name, _NO_PLACES).enqueue(place))
        return DeclarationSummary(
            self.carriers.update(each.name for each in structure.parameters),
            self.renamed.update(each.new for each in _renamings(structure)),
            heirs,
            self.structures.enqueue(structure),
            sections,
            declaring,
            sharing,
            self.data,
            self.types,
        )

    def with_data(self, name: str) -> DeclarationSummary:
        """The summary with one more data type in scope."""
        return msgspec.structs.replace(self, data=self.data.enqueue(name))

    def possible_owners(self, member: str) -> Iterator[str]:
        """The structures with parameters that may have a member of this name, in order of declaration.

        Those that have no members but their own have it; of the others, which are few, all are named.
        """
        for _, name in sorted((*self.declaring.get(member, _NO_PLACES), *self.sharing)):
            yield name


def _inherits(structure: tree.Structure) -> bool:
    nested = any(isinstance(each, tree.NestedStructure) for each in structure.members)
    return bool(structure.extends or structure.over or nested)


def _renamings(structure: tree.Structure) -> Iterator[tree.Renaming]:
    """The renamings of a structure and of the structures nested in it."""
    pending: list[tree.Structure | tree.NestedStructure] = [structure]
    for each in pending:
        yield from each.renamings
        pending += [member for member in each.members if isinstance(member, tree.NestedStructure)]


def _type_names(node: tree.Declaration) -> Iterator[str]:
    """The type names in a global declaration that may be opaque sorts: no parameters or type variables of it.

    An undeclared type name is one global opaque sort; in a top-level `operation` a name of one letter is a type
    variable (docs/reference/proving.md §2.3).
    """
    types: list[tree.TypeExpression] = []
    variables: set[str] = set()
    match node:
        case tree.Structure(parameters=()):
            types += [
                each.type
                for each in node.members
                if isinstance(each, tree.OperationDeclaration | tree.ElementDeclaration | tree.Field)
            ]
        case tree.OperationDeclaration():
            types.append(node.type)
        case tree.DataDefinition():
            types += [field.type for variant in node.variants for field in variant.fields]
            variables = {each.name for each in node.parameters}
        case _:
            return
    for part in walk(*types):
        if isinstance(part, tree.ForAllType):
            variables |= {each.name for each in part.variables}
        is_variable = isinstance(node, tree.OperationDeclaration) and len(getattr(part, "name", "")) == 1
        if (
            isinstance(part, tree.NamedType | tree.AppliedType)
            and part.name not in variables
            and not is_variable
        ):
            yield part.name
