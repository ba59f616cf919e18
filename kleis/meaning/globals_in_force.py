"""The declarations without parameters: what a name stands for where nothing nearer does.

Specification: proving.md §1 ("Structures without parameters", "implements S(T)", "Definitions").

Invariants
    * Looking up a name reads only the declarations that have it, so a theory may be large.
    * A `define` comes alone: it shadows.  A declared operation that is a built-in at the sorts that has is that
      built-in; at others it is an overload beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from kleis.builtins.row import Builtin
from kleis.builtins.table import CONSTANT_NAMES, find_builtin
from kleis.meaning.core import (
    Constructor,
    ConstructorField,
    DataSort,
    Dimension,
    Sort,
    SortVariable,
    Symbol,
)
from kleis.meaning.data_types import DataDeclaration
from kleis.meaning.declared_builtins import as_builtin, is_builtin
from kleis.meaning.frames import StructureInstance
from kleis.meaning.inheritance import read_structure
from kleis.meaning.meaning import Instance, MeaningError
from kleis.meaning.scope import BuiltinName, Candidate, DataConstructor, Polymorphic, Refused, Scope, Template
from kleis.meaning.sort_reading import SortReader, is_number_parameter
from kleis.meaning.wording import refusal, sort_text
from kleis.operators import canonical_name
from kleis.problems import Place, place_of
from kleis.syntax import (
    AppliedType,
    Call,
    DataDefinition,
    ElementImplementation,
    FunctionDefinition,
    Implements,
    Name,
    NamedType,
    NestedStructure,
    OperationDeclaration,
    OperationImplementation,
    Parameter,
    Structure,
    TypeExpression,
    VerifyImplementation,
    split_name,
)
from kleis.theory import Declared, Theory

__all__ = ["Globals", "Implementation"]


class Implementation(msgspec.Struct, frozen=True, eq=False):
    """``implements S(A)``: the structure at its arguments, and what is given for its operations.

    given
        By symbol, what defines it at A: what this item gives, or an earlier one gave for the same symbol.
    equal
        Pairs that have to agree: a definition of the structure, or of an earlier item, with what this item gives.
    named
        The meanings at A of the structure's names, for the global scope.
    """

    node: Implements
    instance: StructureInstance
    given: dict[Symbol, Template]
    missing: tuple[Symbol, ...]
    equal: tuple[tuple[str, Template, Template], ...]
    named: dict[str, tuple[Candidate, ...]]
    place: Place

    @property
    def label(self) -> str:
        """``Monoid(ℤ)``"""
        return f"{self.node.name}({', '.join(sort_text(each) for each in self.instance.instance.arguments)})"


class _TypedScope:
    """The scope of an implementation's text: the global one, where ``_0``, ``_1`` … are its sorts."""

    def __init__(self, outer: Globals, sorts: tuple[Sort, ...], file: str) -> None:
        self.file = file
        self._outer = outer
        self._sorts = sorts

    def sort(self, written: TypeExpression) -> Sort:
        if isinstance(written, NamedType) and written.name.startswith("_"):
            return self._sorts[int(written.name[1:])]
        return self._outer.reader.read(written, {}, file=self.file)

    def candidates(self, name: str) -> tuple[Candidate, ...]:
        return self._outer.candidates(name)

    def names(self) -> tuple[str, ...]:
        return self._outer.names()


class FileScope:
    """The global scope, for the text of one file."""

    def __init__(self, outer: Globals, file: str) -> None:
        self.file = file
        self.outer = outer

    def sort(self, written: TypeExpression) -> Sort:
        """The sort of a written type."""
        return self.outer.reader.read(written, {}, file=self.file)

    def candidates(self, name: str) -> tuple[Candidate, ...]:
        """All that a name may stand for."""
        return self.outer.candidates(name)

    def names(self) -> tuple[str, ...]:
        """Every name with candidates."""
        return self.outer.names()


class Globals:
    """The global scope of a theory."""

    file = "<text>"

    def __init__(self, theory: Theory) -> None:
        self.theory = theory
        self.reader = SortReader(theory)
        self._found: dict[str, tuple[Candidate, ...]] = {}
        self._sections: dict[str, StructureInstance | MeaningError] = {}
        self._implementations: list[Implementation] | None = None
        self._read: dict[int, Implementation] = {}
        self._labels: dict[str, int] = {}
        self._ordered: tuple[Structure, ...] | None = None
        self._given_before: dict[Symbol, Template] = {}
        self._inherited: dict[str, list[str]] | None = None
        self._data: dict[str, DataDeclaration | MeaningError] = {}

    # ── the scope ────────────────────────────────────────────────────────────────────────────────────────

    def sort(self, written: TypeExpression) -> Sort:
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
            own = [each for each in found if not is_builtin(name, each) and each != BuiltinName(row)]
            return (*own, BuiltinName(row)) if not _hides_constant(row, name, own) else own
        return found

    def _declared(self, name: str) -> Iterator[Candidate]:
        """Operations, elements and fields, and those of implementations."""
        for each in self.theory.lookup(name):
            if isinstance(each.node, OperationDeclaration) and not each.owner:
                yield from self._operation(each)
            elif each.kind in ("operation", "element", "field") and self._is_section(each.item):
                yield from self._member(each.item, name)
        for section in self._inheriting().get(name, ()):
            structure = self.theory.structures[section]
            yield from self._member(structure, name)
        yield from self._implemented(name)

    @staticmethod
    def _is_section(item: object) -> bool:
        return isinstance(item, Structure) and not item.parameters

    def _member(self, item: object, name: str) -> Iterator[Candidate]:
        assert isinstance(item, Structure)
        section = self._sections_instance(item.name)
        if isinstance(section, MeaningError):
            yield Refused(name, section.message, place_of(item, self.theory.lookup(item.name)[0].file))
        else:
            yield from map(as_builtin, section.frame.own.get(name, ()))

    def _inheriting(self) -> dict[str, list[str]]:
        """The names that sections inherit, with the sections."""
        if self._inherited is None:
            self._inherited = {}
            for structure in self.structures():
                nested = any(isinstance(each, NestedStructure) for each in structure.members)
                if structure.parameters or not (structure.extends or structure.over or nested):
                    continue
                section = self._sections_instance(structure.name)
                for name in section.frame.own if isinstance(section, StructureInstance) else ():
                    self._inherited.setdefault(name, []).append(structure.name)
        return self._inherited

    # ── definitions and operations ───────────────────────────────────────────────────────────────────────

    def _template(self, name: str, definition: FunctionDefinition, declared: Declared) -> Template:
        if isinstance(declared.item, Structure):
            section = self._sections_instance(declared.item.name)
            if isinstance(section, StructureInstance):
                for known, template in section.templates:
                    if known == name and template.node == definition:
                        return template
        return Template(name, definition, self.scope(declared.file), place_of(definition, declared.file))

    def _operation(self, declared: Declared) -> Iterator[Candidate]:
        node = declared.node
        assert isinstance(node, OperationDeclaration)
        try:
            variables, domain, codomain = self.reader.polymorphic(
                node.type, {}, file=declared.file, letters=True
            )
        except MeaningError as error:
            yield Refused(declared.name, error.message, declared.place)
            return
        if variables:
            yield Polymorphic(declared.name, variables, domain, codomain)
        else:
            yield Symbol(declared.name, domain, codomain)

    # ── data ─────────────────────────────────────────────────────────────────────────────────────────────

    def data(self, name: str) -> DataDeclaration | None:
        """A data type as it is declared; None if there is none.  `MeaningError` if its fields make no sense."""
        node = self.theory.data.get(name)
        if node is None:
            return None
        if name not in self._data:
            try:
                self._data[name] = self._read_data(node)
            except MeaningError as error:
                self._data[name] = error
        found = self._data[name]
        if isinstance(found, MeaningError):
            raise found
        return found

    def _read_data(self, node: DataDefinition) -> DataDeclaration:
        file = self.theory.lookup(node.name)[0].file
        types: dict[str, Sort | Dimension] = {
            each.name: Dimension((((each.name,), 1),))
            if is_number_parameter(each)
            else SortVariable(each.name)
            for each in node.parameters
        }
        sort = DataSort(node.name, tuple(types.values()))
        constructors = []
        for variant in node.variants:
            fields = tuple(
                ConstructorField(field.name or f"_{place}", self.reader.read(field.type, types, file=file))
                for place, field in enumerate(variant.fields)
            )
            constructors.append(Constructor(variant.name, fields, sort, alone=len(node.variants) == 1))
        parameters = tuple(each.name for each in node.parameters)
        return DataDeclaration(node.name, parameters, tuple(constructors), place_of(node, file))

    def _constructor(self, name: str, declared: Declared) -> tuple[Candidate, ...]:
        owner = declared.item
        assert isinstance(owner, DataDefinition)
        if owner.name == "Bool" and name in ("True", "False"):
            return ()
        try:
            data = self.data(owner.name)
        except MeaningError as error:
            return (Refused(name, error.message, declared.place),)
        if data is None:
            return (Refused(name, f"its data type {owner.name} was refused", declared.place),)
        constructor = next((each for each in data.constructors if each.name == name), None)
        if constructor is None:
            return (Refused(name, f"{owner.name} was declared before, and differently", declared.place),)
        return (DataConstructor(data.parameters, constructor),)

    def structures(self) -> tuple[Structure, ...]:
        """The structures in force, in order of declaration."""
        if self._ordered is None:
            declared = (entry.declaration for entry in self.theory.entries)
            structures = [each for each in declared if isinstance(each, Structure)]
            known = self.theory.structures
            self._ordered = tuple(each for each in structures if known.get(each.name) is each)
        return self._ordered

    # ── sections and implementations ─────────────────────────────────────────────────────────────────────

    def section(self, name: str) -> StructureInstance:
        """A structure without parameters; `MeaningError` if its inheritance makes no sense."""
        found = self._sections_instance(name)
        if isinstance(found, MeaningError):
            raise found
        return found

    def _sections_instance(self, name: str) -> StructureInstance | MeaningError:
        if name not in self._sections:
            try:
                self._sections[name] = self.instance(name, ())
            except MeaningError as error:
                self._sections[name] = error
        return self._sections[name]

    def instance(
        self,
        name: str,
        arguments: tuple[Sort | Dimension, ...],
        scalars: Mapping[str, Sort | Dimension] | None = None,
        within: str = "",
    ) -> StructureInstance:
        """A structure at its arguments (kleis/meaning/frames.py)."""
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

    def _scalars(self, node: Implements, structure: Structure, file: str) -> dict[str, Sort | Dimension]:
        """The types that ``implements S(A) over T(B)`` gives for the names of S's own ``over``."""
        if node.over is None or structure.over is None:
            # Where the structure is over none, what is said of one changes nothing; the check of names says so.
            return {}
        given, wanted = node.over, structure.over
        if not (isinstance(given, AppliedType) and isinstance(wanted, AppliedType)) or (
            (given.name, len(given.arguments)) != (wanted.name, len(wanted.arguments))
        ):
            shown = wanted.name if isinstance(wanted, AppliedType | NamedType) else "no other structure"
            message = f"{node.name} is over {shown}"
            raise refusal(given, file, "wrong-over", message, expected=(shown,))
        return {
            inner.name: self.reader.argument(outer, {}, file=file)
            for inner, outer in zip(wanted.arguments, given.arguments, strict=True)
            if isinstance(inner, NamedType) and self.reader.is_opaque(inner.name, {})
        }

    def implementations(self) -> list[Implementation]:
        """The implementations that make sense."""
        if self._implementations is None:
            self._implementations = []
            for entry in self.theory.implementation_entries:
                assert isinstance(entry.declaration, Implements)
                try:
                    self._implementations.append(self.read_implementation(entry.declaration, entry.file))
                except MeaningError:
                    continue
        return self._implementations

    def read_implementation(self, node: Implements, file: str) -> Implementation:
        """``implements S(A)`` read; `MeaningError` if it makes no sense."""
        if id(node) not in self._read:
            self._read[id(node)] = self._implementation(node, file)
        return self._read[id(node)]

    def _implementation(self, node: Implements, file: str) -> Implementation:
        structure = self.theory.structures.get(node.name)
        if structure is None:
            raise refusal(
                node, file, "unknown-structure", f"there is no structure {node.name}", found=node.name
            )
        arguments = tuple(self.reader.argument(each, {}, file=file) for each in node.arguments)
        if len(arguments) != len(structure.parameters):
            message = f"{node.name} takes {len(structure.parameters)} types, here it has {len(arguments)}"
            raise refusal(node, file, "type-arity", message, found=str(len(arguments)))
        label = f"{node.name}({', '.join(sort_text(each) for each in arguments)})"
        self._labels[label] = self._labels.get(label, 0) + 1
        if self._labels[label] > 1:
            label = f"{label}#{self._labels[label]}"
        scalars = self._scalars(node, structure, file)
        instance = self.instance(node.name, arguments, scalars, within=f"implements {label} / ")
        given: dict[Symbol, Template] = {}
        equal: list[tuple[str, Template, Template]] = []
        defined: dict[str, Template] = {}
        for member in node.members:
            if isinstance(member, VerifyImplementation):
                continue
            name = canonical_name(member.name)
            for each in instance.frame.own.get(name, ()):
                symbol = each if isinstance(each, Symbol) else self._signature(each)
                template = (
                    self._given(member, symbol, f"implements {label}::{name}", file) if symbol else None
                )
                if template is None or symbol is None:
                    continue
                if is_builtin(name, symbol):
                    equal += self._as_builtin(name, member, symbol, template)
                    continue
                if isinstance(each, Template):
                    defined[name] = template
                    equal.append((name, each, template))
                elif symbol in self._given_before and self._given_before[symbol].key != template.key:
                    given[symbol] = self._given_before[symbol]
                    equal.append((name, given[symbol], template))
                else:
                    given[symbol] = self._given_before.setdefault(symbol, template)
        for symbol in instance.symbols:
            if symbol not in given and symbol in self._given_before:
                given[symbol] = self._given_before[symbol]
        missing = [
            symbol
            for symbol in instance.symbols
            if symbol not in given and not is_builtin(symbol.name, symbol)
        ]
        self._put_in(instance, given)
        named = {
            name: tuple(
                self._named(each, defined.get(name))
                for each in candidates
                if not self._is_builtin(name, each)
            )
            for name, candidates in instance.frame.own.items()
        }
        place = place_of(node, file)
        return Implementation(node, instance, given, tuple(missing), tuple(equal), named, place)

    def _as_builtin(
        self,
        name: str,
        member: ElementImplementation | OperationImplementation,
        symbol: Symbol,
        template: Template,
    ) -> list[tuple[str, Template, Template]]:
        """What is given for an operation that is built in has to be what is built in."""
        if isinstance(member, OperationImplementation) and isinstance(member.body, Name):
            return []
        parameters = tuple(each.name for each in template.node.parameters)
        body = Call(name, tuple(Name(each, member.span) for each in parameters), member.span)
        node = msgspec.structs.replace(template.node, body=body)
        del symbol
        return [
            (name, msgspec.structs.replace(template, key=f"built-in {template.key}", node=node), template)
        ]

    @staticmethod
    def _signature(candidate: Candidate) -> Symbol | None:
        """A definition of a structure as a symbol of its written sorts; None if they are not all written."""
        if not isinstance(candidate, Template) or candidate.node.result is None:
            return None
        written = [each.type for each in candidate.node.parameters]
        types = [each for each in written if each is not None]
        if len(types) < len(written):
            return None
        domain = tuple(candidate.scope.sort(each) for each in types)
        return Symbol(candidate.node.name, domain, candidate.scope.sort(candidate.node.result))

    def _is_builtin(self, name: str, candidate: Candidate) -> bool:
        """Whether what a name means at A is what is built in there."""
        symbol = candidate if isinstance(candidate, Symbol) else self._signature(candidate)
        return symbol is not None and is_builtin(name, symbol)

    @staticmethod
    def _named(candidate: Candidate, defined: Template | None) -> Candidate:
        """A meaning of a name for the global scope, where it is one of several."""
        if isinstance(candidate, Template) and not candidate.overload:
            return defined or msgspec.structs.replace(candidate, overload=True)
        return candidate

    @staticmethod
    def _put_in(instance: StructureInstance, given: dict[Symbol, Template]) -> None:
        """Let the structure's own text speak of what is given."""
        for frame in instance.frames:
            for names in (frame.own, frame.nested):
                for name, candidates in names.items():
                    names[name] = [
                        given.get(each, each) if isinstance(each, Symbol) else each for each in candidates
                    ]

    def _given(
        self, member: ElementImplementation | OperationImplementation, symbol: Symbol, key: str, file: str
    ) -> Template | None:
        """What an implementation gives for a symbol, as a definition at the symbol's sorts."""
        scope = _TypedScope(self, (*symbol.domain, symbol.codomain), file)
        result = NamedType(f"_{len(symbol.domain)}")
        body = member.value if isinstance(member, ElementImplementation) else member.body
        names: list[str] = []
        if isinstance(member, OperationImplementation):
            names = [each.name for each in member.parameters]
            if not names and symbol.domain:
                if not isinstance(body, Name):
                    return None
                if body.name.startswith("builtin_") and find_builtin(body.name) is None:
                    return None
                names = [f"x{place}" for place in range(len(symbol.domain))]
                body = Call(body.name, tuple(Name(each, body.span) for each in names), body.span)
        if len(names) != len(symbol.domain):
            message = f"{symbol.name} takes {len(symbol.domain)} arguments, here it has {len(names)}"
            raise refusal(member, file, "arity", message, found=str(len(names)))
        parameters = tuple(
            Parameter(name, NamedType(f"_{place}"), member.span) for place, name in enumerate(names)
        )
        node = FunctionDefinition(member.name, parameters, result, body, (), member.span)
        return Template(key, node, scope, place_of(node, file), overload=True)

    def _implemented(self, name: str) -> Iterator[Candidate]:
        known: set[Symbol] = set()
        for each in self.implementations():
            for candidate in each.named.get(name, ()):
                symbol = candidate if isinstance(candidate, Symbol) else self._signature(candidate)
                if symbol is None or symbol not in known:
                    yield candidate
                known |= {symbol} if symbol is not None else set()

    # ── qualified names ──────────────────────────────────────────────────────────────────────────────────

    def _qualified(self, name: str) -> Iterable[Candidate]:
        head, *rest = split_name(name)
        structure = self.theory.structures.get(head)
        if structure is None or structure.parameters:
            return ()
        section = self._sections_instance(head)
        if isinstance(section, MeaningError):
            return (Refused(name, section.message, place_of(structure, self.file)),)
        return tuple(section.frame.own.get(canonical_name("::".join(rest)), ()))


def _hides_constant(row: Builtin, name: str, own: list[Candidate]) -> bool:
    """Whether a program's own constant takes the place of a built-in that needs parentheses or is one."""
    return (
        bool(own)
        and (row.least == 0 or name in CONSTANT_NAMES)
        and not any(isinstance(each, Symbol) and each.domain for each in own)
    )


def instance_text(instance: Instance) -> str:
    """``Group(G)``"""
    if not instance.arguments:
        return instance.structure
    return f"{instance.structure}({', '.join(sort_text(each) for each in instance.arguments)})"
