"""Global names, and the scope of a proposition.

The global scope holds what a name stands for where nothing nearer declares it; the scope of a proposition has the
members of the structures it is about before them.  See docs/reference/proving.md §2.3.

Invariants
    * Looking up a name reads only the declarations that have it, so a theory may be large.
    * A `define` is the only candidate of its name: it shadows.  A declared operation that is a built-in at the
      declared sorts is that built-in; at others it is an overload beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from kleis import core
from kleis.builtins.row import Builtin
from kleis.builtins.rows.table import CONSTANT_NAMES, find_builtin
from kleis.core.goal import ElaborationError
from kleis.elaborate.scopes.declared_builtins import (
    as_builtin,
    is_builtin,
    is_operator,
    only_built_in,
    signature_of,
    taken_by_builtin,
)
from kleis.elaborate.scopes.implements import Implementation, Implementations
from kleis.elaborate.scopes.inheritance import read_structure
from kleis.elaborate.scopes.scope import (
    BuiltinName,
    Candidate,
    DataConstructor,
    Polymorphic,
    Rejected,
    Scope,
    Template,
)
from kleis.elaborate.scopes.structure_scope import StructureInstance, beside, number_candidate, shadows
from kleis.elaborate.sorts.data_types import DataDeclaration
from kleis.elaborate.sorts.read_sorts import SortReader, is_number_parameter
from kleis.problems import place_of
from kleis.syntax import tree
from kleis.syntax.operators import canonical_name
from kleis.theory.theory import Declared, Theory

__all__ = ["GlobalScope", "PropositionScope"]


class FileScope:
    """The global scope, for the text of one file."""

    def __init__(self, outer: GlobalScope, file: str) -> None:
        self.file = file
        self.outer = outer

    def sort(self, written: tree.TypeExpression) -> core.Sort:
        """The sort of a written type."""
        return self.outer.reader.read(written, {}, file=self.file)

    def candidates(self, name: str) -> tuple[Candidate, ...]:
        """All that a name may stand for."""
        return self.outer.candidates(name)

    def names(self) -> tuple[str, ...]:
        """Every name with candidates."""
        return self.outer.names()


class GlobalScope:
    """The global scope of a theory."""

    file = "<text>"

    def __init__(self, theory: Theory) -> None:
        self.theory = theory
        self.reader = SortReader(theory)
        self._implemented = Implementations(self.reader, self, self.instance)
        self._found: dict[str, tuple[Candidate, ...]] = {}
        self._sections: dict[str, StructureInstance | ElaborationError] = {}
        self._inherited: dict[str, list[str]] | None = None
        self._data: dict[str, DataDeclaration | ElaborationError] = {}

    # ── the scope ────────────────────────────────────────────────────────────────────────────────────────

    def sort(self, written: tree.TypeExpression) -> core.Sort:
        """The sort of a written type."""
        return self.reader.read(written, {}, file=self.file)

    def names(self) -> tuple[str, ...]:
        """Every name with candidates."""
        return tuple(self.theory.names)

    def scope(self, file: str) -> Scope:
        """This scope for the text of a file."""
        return FileScope(self, file)

    def candidates(self, name: str) -> tuple[Candidate, ...]:
        """All that a canonical name may stand for."""
        if name not in self._found:
            self._found[name] = tuple(self._qualified(name) if "::" in name else self._look_up(name))
        return self._found[name]

    def _look_up(self, name: str) -> Iterable[Candidate]:
        definition = self.theory.definitions.get(name)
        if definition is not None:
            owner = next(
                (each for each in reversed(self.theory.lookup(name)) if each.node == definition), None
            )
            if owner is not None:
                return (self._template(name, definition, owner),)
        constructor = self.theory.constructors.get(name)
        if constructor is not None:
            return self._constructor(name, constructor)
        found: list[Candidate] = []
        for candidate in self._declared(name):
            if candidate not in found:
                found.append(candidate)
        row = find_builtin(name)
        if row is not None:
            standing = [as_builtin(each, of_models=False) for each in found]
            own = [each for each in standing if not is_builtin(name, each) and each != BuiltinName(row)]
            return (*own, BuiltinName(row)) if not _hides_constant(row, name, own) else own
        return found

    def _declared(self, name: str) -> Iterator[Candidate]:
        """Operations, elements and fields, and those of implementations."""
        for each in self.theory.lookup(name):
            if isinstance(each.node, tree.OperationDeclaration) and not each.owner:
                yield from self._operation(each)
            elif each.kind in ("operation", "element", "field") and self._is_section(each.item):
                yield from self._member(each.item, name)
        for section in self._inheriting().get(name, ()):
            structure = self.theory.structures[section]
            yield from self._member(structure, name)
        yield from self._implemented.candidates(name)

    @staticmethod
    def _is_section(item: object) -> bool:
        return isinstance(item, tree.Structure) and not item.parameters

    def _member(self, item: object, name: str) -> Iterator[Candidate]:
        assert isinstance(item, tree.Structure)
        section = self._sections_instance(item.name)
        if isinstance(section, ElaborationError):
            yield Rejected(name, section.message, place_of(item, self.theory.lookup(item.name)[0].file))
        else:
            yield from section.scope.own.get(name, ())

    def _inheriting(self) -> dict[str, list[str]]:
        """The names that sections inherit, with the sections."""
        if self._inherited is None:
            self._inherited = {}
            for structure in self.theory.summary.heirs:
                section = self._sections_instance(structure.name)
                for name in section.scope.own if isinstance(section, StructureInstance) else ():
                    self._inherited.setdefault(name, []).append(structure.name)
        return self._inherited

    # ── definitions and operations ───────────────────────────────────────────────────────────────────────

    def _template(self, name: str, definition: tree.FunctionDefinition, declared: Declared) -> Template:
        if isinstance(declared.item, tree.Structure):
            section = self._sections_instance(declared.item.name)
            if isinstance(section, StructureInstance):
                for known, template in section.templates:
                    if known == name and template.node == definition:
                        return template
        return Template(name, definition, self.scope(declared.file), place_of(definition, declared.file))

    def _operation(self, declared: Declared) -> Iterator[Candidate]:
        node = declared.node
        assert isinstance(node, tree.OperationDeclaration)
        try:
            variables, domain, codomain = self.reader.polymorphic(
                node.type, {}, file=declared.file, implicit_variables=True
            )
        except ElaborationError as error:
            yield Rejected(declared.name, error.message, declared.place)
            return
        if variables:
            yield Polymorphic(declared.name, variables, domain, codomain)
        else:
            yield core.Symbol(declared.name, domain, codomain)

    # ── data ─────────────────────────────────────────────────────────────────────────────────────────────

    def data(self, name: str) -> DataDeclaration | None:
        """A data type as it is declared; None if there is none.  `ElaborationError` if its fields are not valid."""
        node = self.theory.data.get(name)
        if node is None:
            return None
        if name not in self._data:
            try:
                self._data[name] = self._read_data(node)
            except ElaborationError as error:
                self._data[name] = error
        found = self._data[name]
        if isinstance(found, ElaborationError):
            raise found
        return found

    def _read_data(self, node: tree.DataDefinition) -> DataDeclaration:
        file = self.theory.lookup(node.name)[0].file
        types: dict[str, core.Sort | core.Dimension] = {
            each.name: core.Dimension((((each.name,), 1),))
            if is_number_parameter(each)
            else core.SortVariable(each.name)
            for each in node.parameters
        }
        sort = core.DataSort(node.name, tuple(types.values()))
        constructors = []
        for variant in node.variants:
            fields = tuple(
                core.ConstructorField(
                    field.name or f"_{place}", self.reader.read(field.type, types, file=file)
                )
                for place, field in enumerate(variant.fields)
            )
            constructors.append(core.Constructor(variant.name, fields, sort, alone=len(node.variants) == 1))
        parameters = tuple(each.name for each in node.parameters)
        return DataDeclaration(node.name, parameters, tuple(constructors), place_of(node, file))

    def _constructor(self, name: str, declared: Declared) -> tuple[Candidate, ...]:
        owner = declared.item
        assert isinstance(owner, tree.DataDefinition)
        if owner.name == "Bool" and name in ("True", "False"):
            return ()
        try:
            data = self.data(owner.name)
        except ElaborationError as error:
            return (Rejected(name, error.message, declared.place),)
        if data is None:
            return (Rejected(name, f"its data type {owner.name} was refused", declared.place),)
        constructor = next((each for each in data.constructors if each.name == name), None)
        if constructor is None:
            return (Rejected(name, f"{owner.name} was declared before, and differently", declared.place),)
        return (DataConstructor(data.parameters, constructor),)

    # ── sections and implementations ─────────────────────────────────────────────────────────────────────

    def section(self, name: str) -> StructureInstance:
        """A structure without parameters; `ElaborationError` if its inheritance is not valid."""
        found = self._sections_instance(name)
        if isinstance(found, ElaborationError):
            raise found
        return found

    def _sections_instance(self, name: str) -> StructureInstance | ElaborationError:
        if name not in self._sections:
            try:
                self._sections[name] = self.instance(name, ())
            except ElaborationError as error:
                self._sections[name] = error
        return self._sections[name]

    def instance(
        self,
        name: str,
        arguments: tuple[core.Sort | core.Dimension, ...],
        scalars: Mapping[str, core.Sort | core.Dimension] | None = None,
        within: str = "",
    ) -> StructureInstance:
        """A structure at its arguments; the parameters are those of `inheritance.read_structure`."""
        structure = self.theory.structures[name]
        file = self.theory.lookup(name)[0].file
        return read_structure(
            self.reader,
            structure,
            arguments,
            outer=self.scope(file),
            file=file,
            scalars=scalars,
            within=within,
        )

    def implementations(self) -> list[Implementation]:
        """The implementations without errors."""
        return self._implemented.all()

    def read_implementation(self, node: tree.Implements, file: str) -> Implementation:
        """An implementation as it is elaborated; `ElaborationError` if it is not valid."""
        return self._implemented.read(node, file)

    # ── qualified names ──────────────────────────────────────────────────────────────────────────────────

    def _qualified(self, name: str) -> Iterable[Candidate]:
        head, *rest = tree.split_name(name)
        structure = self.theory.structures.get(head)
        if structure is None:
            return ()
        member = canonical_name("::".join(rest))
        if structure.parameters:
            return self._implemented.members(head, member)
        section = self._sections_instance(head)
        if isinstance(section, ElaborationError):
            return (Rejected(name, section.message, place_of(structure, self.file)),)
        return tuple(section.scope.own.get(member, ()))


def _hides_constant(row: Builtin, name: str, own: list[Candidate]) -> bool:
    """Whether a program's own constant takes the place of a built-in that needs parentheses or is one."""
    return (
        bool(own)
        and (row.least == 0 or name in CONSTANT_NAMES)
        and not any(isinstance(each, core.Symbol) and each.domain for each in own)
    )


def _left_to_builtin(name: str, candidate: Candidate, instance: StructureInstance) -> bool:
    """Whether a definition of a structure at built-in sorts leaves a proposition's name to the built-in.

    The text of the structure itself, and ``S::name``, keep the definition.
    """
    if not isinstance(candidate, Template) or not instance.instance.arguments:
        return False
    symbol = signature_of(candidate)
    if symbol is not None:
        return taken_by_builtin(name, symbol)
    return is_operator(name) and all(map(only_built_in, instance.instance.arguments))


class PropositionScope:
    """The scope of a proposition: members of the structures it is about, then global names.

    `types` maps the type names of the proposition that stand for parameters to their carriers.
    """

    def __init__(
        self,
        outer: GlobalScope,
        instances: Sequence[StructureInstance],
        types: Mapping[str, core.Sort | core.Dimension],
        file: str,
    ) -> None:
        self.file = file
        self.instances = tuple(instances)
        self.types = dict(types)
        for each in instances:
            for name, sort in each.scope.types.items():
                self.types.setdefault(name if "::" in name else f"{each.structure}::{name}", sort)
        self._outer = outer

    def sort(self, written: tree.TypeExpression) -> core.Sort:
        """The sort of a written type."""
        return self._outer.reader.read(written, self.types, file=self.file)

    def candidates(self, name: str) -> tuple[Candidate, ...]:
        """Members of the instances, and the global candidates that overload them."""
        if "::" in name:
            return tuple(dict.fromkeys((*self._qualified(name), *self._outer.candidates(name))))
        own = self._own(name)
        if not own:
            for each in self.instances:
                number = each.scope.types.get(name)
                if isinstance(number, core.Dimension):
                    return (number_candidate(number),)
            return self._outer.candidates(name)
        if any(shadows(each) for each in own):
            return own
        return (*own, *beside(own, self._outer.candidates(name)))

    def _own(self, name: str) -> tuple[Candidate, ...]:
        found: list[Candidate] = []
        for each in self.instances:
            for known in each.scope.own.get(name, ()):
                candidate = as_builtin(known, of_models=bool(each.instance.arguments))
                if candidate not in found and not _left_to_builtin(name, candidate, each):
                    found.append(candidate)
        return tuple(found)

    def _qualified(self, name: str) -> tuple[Candidate, ...]:
        """``S::op``, where S is an instance or inherited by one; ``nested::op`` of an instance."""
        head, *rest = tree.split_name(name)
        member = canonical_name("::".join(rest))
        for each in self.instances:
            family = {each.structure, *(ancestor.structure for ancestor in each.ancestors)}
            if head in family and member in each.scope.own:
                return tuple(each.scope.own[member])
        return self._own("::".join((head, member)))

    def names(self) -> tuple[str, ...]:
        """Every name with candidates."""
        own = tuple(name for each in self.instances for name in each.scope.own)
        return (*own, *self._outer.names())
