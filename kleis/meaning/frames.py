"""Structures at their arguments: what each brings, and where the names in its text are looked up.

Specification: proving.md §1 ("Structures with parameters", "Structures without parameters").

A structure shares the names of its parents: same name and same type is one symbol, another type an overload.  A
renaming clause gives a member of the parent another name, in the child and for everyone who looks from outside; the
parent's own axioms are read in the parent's frame, where the old name leads to the renamed symbol.

Members of a nested structure are its own (``additive::•``) unless they are renamed, or declared again around it with
the same name and type.

Invariants
    * A frame never changes once its structure is read.
    * An ancestor that is reached twice with the same symbols is read once.
    * Symbols are equal exactly if their names and sorts are; nothing here compares anything else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kleis.builtins.table import find_builtin
from kleis.meaning.core import BOOL, NATURAL, Carrier, Dimension, Sort, SortVariable, Symbol
from kleis.meaning.dimension_reading import number_of, read_dimension
from kleis.meaning.inference import Inference
from kleis.meaning.meaning import Instance, MeaningError
from kleis.meaning.scope import BuiltinName, Candidate, Polymorphic, Refused, Scope, Template
from kleis.meaning.signatures import Argument, Waiting, signatures
from kleis.meaning.sort_reading import SortReader, is_number_parameter
from kleis.meaning.wording import dimension_text, refusal, sort_text, sorts_text
from kleis.operators import canonical_name
from kleis.problems import Place, Problem, place_of, problem_at
from kleis.syntax import (
    AppliedType,
    Axiom,
    ElementDeclaration,
    Field,
    FunctionDefinition,
    NamedType,
    NestedStructure,
    Number,
    OperationDeclaration,
    Renaming,
    Structure,
    StructureMember,
    TypeExpression,
)

__all__ = [
    "Frame",
    "NamedAxiom",
    "StructureInstance",
    "arbitrary_arguments",
    "as_builtin",
    "is_builtin",
    "number_candidate",
    "read_structure",
    "shadows",
]

_MOST_ANCESTORS = 200

_CONNECTIVES = frozenset({"logical_and", "logical_or", "logical_not", "implies", "iff"})

_Naming = Callable[[str, tuple[Sort, ...], Sort], str]


def is_builtin(name: str, candidate: Candidate) -> bool:
    """Whether a declared operation is the built-in of that name, at sorts that the built-in has."""
    row = find_builtin(name)
    if row is None or not isinstance(candidate, Symbol):
        return False
    domain = candidate.domain
    if row.name in ("equals", "neq"):
        return len(domain) == 2 and domain[0] == domain[1] and candidate.codomain == BOOL
    if row.name in _CONNECTIVES:
        return all(each == BOOL for each in (*domain, candidate.codomain))
    found = signatures(row, tuple(Argument(sort) for sort in domain))
    if isinstance(found, Waiting):
        return False
    wanted = (*domain, candidate.codomain)
    return any(_is_instance((*each.parameters, each.result), wanted) for each in found)


def _is_instance(patterns: Sequence[Sort], sorts: Sequence[Sort]) -> bool:
    """Whether sorts are those of a polymorphic signature, for some values of its sort variables."""
    values: dict[str, Sort] = {}
    waiting = list(zip(patterns, sorts, strict=True)) if len(patterns) == len(sorts) else None
    while waiting:
        pattern, sort = waiting.pop()
        if isinstance(pattern, SortVariable):
            if values.setdefault(pattern.name, sort) != sort:
                return False
        elif pattern != sort:
            inner = Inference.pieces(pattern, sort)
            if inner is None:
                return False
            waiting += inner
    return waiting is not None


def as_builtin(candidate: Candidate) -> Candidate:
    """The built-in that a declared operation is, if it is one; else the candidate."""
    if isinstance(candidate, Symbol) and is_builtin(candidate.name, candidate):
        row = find_builtin(candidate.name)
        assert row is not None
        return BuiltinName(row)
    return candidate


def number_candidate(number: Dimension) -> Candidate:
    """A `Nat` parameter as a term: an unknown natural number, or the one it stands for."""
    text = dimension_text(number)
    value = number_of(number)
    if value is None:
        return Symbol(text, (), NATURAL)
    node = FunctionDefinition(text, (), NamedType("ℕ"), Number(text))
    return Template(f"dimension {text}", node, _Numbers(), Place("<type>", 0, 0))


class _Numbers:
    """The scope of a number that stands for a parameter."""

    file = "<type>"

    def sort(self, written: TypeExpression) -> Sort:
        return NATURAL

    def candidates(self, name: str) -> tuple[Candidate, ...]:
        return ()

    def names(self) -> tuple[str, ...]:
        return ()


class Frame:
    """The scope of the text of one structure at its arguments."""

    def __init__(
        self,
        reader: SortReader,
        types: Mapping[str, Sort | Dimension],
        outer: Scope,
        file: str,
        structure: str = "",
    ) -> None:
        self.file = file
        self.structure = structure
        self.types = dict(types)
        self.own: dict[str, list[Candidate]] = {}
        self.nested: dict[str, list[Candidate]] = {}
        """What the braces of nested structures declare: seen unqualified in this text, but not from outside."""
        self._reader = reader
        self._outer = outer

    def sort(self, written: TypeExpression) -> Sort:
        """The sort of a written type."""
        return self._reader.read(written, self.types, file=self.file)

    def add(self, name: str, candidate: Candidate) -> None:
        """Give a name one more meaning."""
        known = self.own.setdefault(name, [])
        if candidate not in known:
            known.append(candidate)

    def candidates(self, name: str) -> tuple[Candidate, ...]:
        """The structure's own meanings of a name, with the global ones that overload them."""
        known = self.own.get(name) or self.nested.get(name) or self._qualified(name)
        own = tuple(dict.fromkeys(as_builtin(each) for each in known))
        if not own:
            number = self.types.get(name)
            return (
                (number_candidate(number),) if isinstance(number, Dimension) else self._outer.candidates(name)
            )
        if any(isinstance(each, Refused) or shadows(each) or not _takes_arguments(each) for each in own):
            return own
        outer = tuple(each for each in self._outer.candidates(name) if not shadows(each))
        return (*own, *(each for each in outer if each not in own))

    def _qualified(self, name: str) -> list[Candidate]:
        """``S::op`` in the text of S itself."""
        head, _, member = name.partition("::")
        return self.own.get(canonical_name(member), []) if head == self.structure else []

    def names(self) -> tuple[str, ...]:
        """Every name with candidates."""
        return (*self.own, *self._outer.names())


def shadows(candidate: Candidate) -> bool:
    """Whether a candidate is a definition that comes alone."""
    return isinstance(candidate, Template) and not candidate.overload


def _takes_arguments(candidate: Candidate) -> bool:
    if isinstance(candidate, Template):
        return bool(candidate.node.parameters)
    if isinstance(candidate, BuiltinName):
        return candidate.row.most != 0
    return isinstance(candidate, Polymorphic) or (isinstance(candidate, Symbol) and bool(candidate.domain))


class NamedAxiom:
    """An axiom where it is in force: its qualified name, its source, and where its names are looked up."""

    def __init__(self, name: str, node: Axiom, frame: Frame) -> None:
        self.name = name
        self.node = node
        self.frame = frame

    @property
    def place(self) -> Place:
        """Where it is written."""
        return place_of(self.node, self.frame.file)


class StructureInstance:
    """A structure at its arguments, parents and nested structures included."""

    def __init__(self, instance: Instance, frame: Frame) -> None:
        self.instance = instance
        self.frame = frame
        self.ancestors: list[Instance] = []
        self.symbols: dict[Symbol, Place] = {}
        self.axioms: list[NamedAxiom] = []
        self.templates: list[tuple[str, Template]] = []
        self.warnings: list[Problem] = []
        self.refusals: list[MeaningError] = []
        self.frames: list[Frame] = [frame]

    @property
    def structure(self) -> str:
        """The name of the structure."""
        return self.instance.structure


def arbitrary_arguments(structure: Structure) -> tuple[Sort | Dimension, ...]:
    """Arguments of which nothing is known: carriers and numbers called by the structure."""
    return tuple(
        Dimension((((f"{structure.name}::{each.name}",), 1),))
        if is_number_parameter(each)
        else Carrier(f"{structure.name}::{each.name}")
        for each in structure.parameters
    )


def read_structure(
    reader: SortReader,
    structure: Structure,
    arguments: Sequence[Sort | Dimension],
    *,
    outer: Scope,
    file: str,
) -> StructureInstance:
    """A structure at its arguments.  `MeaningError` if its inheritance makes no sense."""
    instance = Instance(structure.name, tuple(arguments))
    types = _types(structure, arguments, file)
    found = StructureInstance(instance, Frame(reader, types, outer, file, structure.name))
    _Reading(reader, found, outer).read(structure, found.frame, structure.name, lambda name, *_: name, "")
    return found


def _types(
    structure: Structure, arguments: Sequence[Sort | Dimension], file: str
) -> dict[str, Sort | Dimension]:
    if len(structure.parameters) != len(arguments):
        message = f"{structure.name} takes {len(structure.parameters)} types, here it has {len(arguments)}"
        raise refusal(structure, file, "type-arity", message, found=str(len(arguments)))
    pairs = zip(structure.parameters, arguments, strict=True)
    types: dict[str, Sort | Dimension] = {}
    for parameter, argument in pairs:
        types[parameter.name] = argument
        types[f"{structure.name}::{parameter.name}"] = argument
    return types


class _Reading:
    """Reads a structure with everything it inherits."""

    def __init__(self, reader: SortReader, found: StructureInstance, outer: Scope) -> None:
        self.reader = reader
        self.theory = reader.theory
        self.found = found
        self.outer = outer
        self.seen: set[object] = set()
        self.path: list[str] = []
        self.trail: list[str] = []
        """The way from the structure that is read to the one whose text it is now, for the keys of definitions."""

    def read(self, structure: Structure, frame: Frame, label: str, naming: _Naming, prefix: str) -> None:
        """The members of a structure into a frame: parents first, then its own, then nested ones."""
        if structure.name in self.path or len(self.path) > _MOST_ANCESTORS:
            message = f"the inheritance of {structure.name} goes round in a circle"
            raise refusal(structure, frame.file, "inheritance-cycle", message, found=structure.name)
        self.path.append(structure.name)
        self.trail.append(structure.name)
        for parent, renamings in ((structure.extends, structure.renamings), (structure.over, ())):
            if parent is not None:
                self._inherit(parent, renamings, frame, naming, prefix)
        self._members(structure.members, frame, label, naming)
        self.path.pop()
        self.trail.pop()

    # ── parents ──────────────────────────────────────────────────────────────────────────────────────────

    def _reference(
        self, written: TypeExpression, frame: Frame
    ) -> tuple[Structure, tuple[Sort | Dimension, ...]]:
        """A reference to a structure, with its arguments read in a frame; new names in it are carriers."""
        name = written.name if isinstance(written, NamedType | AppliedType) else ""
        structure = self.theory.structures.get(name)
        if structure is None:
            message = f"there is no structure {name}"
            raise refusal(written, frame.file, "unknown-structure", message, found=name)
        given = written.arguments if isinstance(written, AppliedType) else ()
        if not given and len(structure.parameters) == 1:
            carriers = [
                sort for key, sort in frame.types.items() if isinstance(sort, Carrier) and "::" not in key
            ]
            if len(carriers) == 1:
                return structure, (carriers[0],)
        if len(given) != len(structure.parameters):
            message = f"{name} takes {len(structure.parameters)} types, here it has {len(given)}"
            raise refusal(written, frame.file, "type-arity", message, found=str(len(given)))
        arguments: list[Sort | Dimension] = []
        for parameter, each in zip(structure.parameters, given, strict=True):
            if is_number_parameter(parameter):
                arguments.append(read_dimension(each, frame.types, file=frame.file))
                continue
            opaque = isinstance(each, NamedType) and self.reader.is_opaque(each.name, frame.types)
            if isinstance(each, NamedType) and opaque and self.found.instance.arguments:
                frame.types[each.name] = Carrier(f"{self.found.structure}::{each.name}")
            arguments.append(frame.sort(each))
        return structure, tuple(arguments)

    def _inherit(
        self,
        written: TypeExpression,
        renamings: Sequence[Renaming],
        frame: Frame,
        naming: _Naming,
        prefix: str,
    ) -> None:
        structure, arguments = self._reference(written, frame)
        new = {each.old: each.new for each in renamings}
        above = self._frame(structure, arguments)

        def renamed(name: str, domain: tuple[Sort, ...], codomain: Sort) -> str:
            return naming(new.get(name, name), domain, codomain)

        self._note(structure, arguments)
        self.read(structure, above, f"{prefix}{self._label(structure, arguments)}", renamed, prefix)
        self._check_renamings(renamings, above, structure, frame)
        for name, candidates in above.own.items():
            for each in candidates:
                frame.add(new.get(name, name), each)

    def _frame(self, structure: Structure, arguments: tuple[Sort | Dimension, ...]) -> Frame:
        file = next((each.file for each in self.theory.lookup(structure.name)), self.found.frame.file)
        types = _types(structure, arguments, file)
        frame = Frame(self.reader, types, self.outer, file, structure.name)
        self.found.frames.append(frame)
        return frame

    def _note(self, structure: Structure, arguments: tuple[Sort | Dimension, ...]) -> None:
        instance = Instance(structure.name, arguments)
        if instance not in self.found.ancestors:
            self.found.ancestors.append(instance)

    def _label(self, structure: Structure, arguments: tuple[Sort | Dimension, ...]) -> str:
        del arguments
        return structure.name

    def _check_renamings(
        self, renamings: Sequence[Renaming], above: Frame, structure: Structure, frame: Frame
    ) -> None:
        for each in renamings:
            if each.old not in above.own:
                message = f"{structure.name} has no member {each.old}"
                known = tuple(sorted(above.own))
                raise refusal(each, frame.file, "unknown-member", message, found=each.old, expected=known)

    # ── members ──────────────────────────────────────────────────────────────────────────────────────────

    def _members(self, members: Sequence[StructureMember], frame: Frame, label: str, naming: _Naming) -> None:
        nested = [each for each in members if isinstance(each, NestedStructure)]
        for member in members:
            self._declare(member, frame, label, naming)
        for each in nested:
            self._declare_nested(each, frame, f"{label}::{each.name}", naming)
        for member in members:
            self._define(member, frame)
        for each in nested:
            self._nest(each, frame, label, naming)
        for member in members:
            if isinstance(member, Axiom):
                self._axiom(member, frame, label)

    def _declare(self, member: StructureMember, frame: Frame, label: str, naming: _Naming) -> None:
        if not isinstance(member, OperationDeclaration | ElementDeclaration | Field):
            return
        name = canonical_name(member.name)
        try:
            variables, domain, codomain = self.reader.polymorphic(
                member.type, frame.types, file=frame.file, letters=False
            )
        except MeaningError as error:
            self.found.refusals.append(error)
            frame.add(
                name, Refused(f"{label}::{member.name}", str(error.message), place_of(member, frame.file))
            )
            return
        if variables:
            named = naming(name, domain, codomain)
            frame.add(name, Polymorphic(named, variables, domain, codomain, higher=True))
            return
        symbol = Symbol(naming(name, domain, codomain), domain, codomain)
        self.found.symbols.setdefault(symbol, place_of(member, frame.file))
        frame.add(name, symbol)

    def _declare_nested(self, node: NestedStructure, frame: Frame, label: str, naming: _Naming) -> None:
        """The members in the braces of a nested structure: its own, unless declared around it with the same type."""
        inside = Frame(self.reader, frame.types, self.outer, frame.file)

        def named(name: str, domain: tuple[Sort, ...], codomain: Sort) -> str:
            for each in frame.own.get(name, ()):
                if isinstance(each, Symbol) and (each.domain, each.codomain) == (domain, codomain):
                    return each.name
            return naming(f"{node.name}::{name}", domain, codomain)

        for member in node.members:
            self._declare(member, inside, label, named)
        for name, candidates in inside.own.items():
            for each in candidates:
                frame.add(f"{node.name}::{name}", each)
                frame.nested.setdefault(name, []).append(each)

    def _define(self, member: StructureMember, frame: Frame) -> None:
        if not isinstance(member, FunctionDefinition):
            return
        name = canonical_name(member.name)
        arguments = self.found.instance.arguments
        shown = f"({', '.join(map(sort_text, arguments))})" if arguments else ""
        owner = "::".join((f"{self.trail[0]}{shown}", *self.trail[1:]))
        key = f"{owner}::{name}" if arguments or len(self.trail) > 1 else name
        template = Template(key, member, frame, place_of(member, frame.file))
        frame.own[name] = [template]
        self.found.templates.append((name, template))

    def _axiom(self, member: Axiom, frame: Frame, label: str) -> None:
        key = (
            member,
            tuple(sorted((name, str(value)) for name, value in frame.types.items())),
            _symbols(frame),
        )
        if key in self.seen:
            return
        self.seen.add(key)
        self.found.axioms.append(NamedAxiom(f"{label}::{member.name}", member, frame))

    # ── nested structures ────────────────────────────────────────────────────────────────────────────────

    def _nest(self, node: NestedStructure, frame: Frame, label: str, naming: _Naming) -> None:
        structure, arguments = self._reference(node.type, frame)
        new = {each.old: each.new for each in node.renamings}
        inner = self._frame(structure, arguments)
        shared: list[str] = []

        def nested(name: str, domain: tuple[Sort, ...], codomain: Sort) -> str:
            if name in new:
                shared.append(name)
                return naming(new[name], domain, codomain)
            for each in (*frame.own.get(name, ()), *frame.own.get(f"{node.name}::{name}", ())):
                if isinstance(each, Symbol) and (each.domain, each.codomain) == (domain, codomain):
                    shared.append(name)
                    return each.name
            return naming(f"{node.name}::{name}", domain, codomain)

        self._note(structure, arguments)
        self.trail.append(node.name)
        self.read(structure, inner, f"{label}::{node.name}", nested, "")
        self.trail.pop()
        self._check_renamings(node.renamings, inner, structure, frame)
        if not shared and inner.own:
            self.found.warnings.append(_unrelated(node, structure, frame.file))
        for name, candidates in inner.own.items():
            for each in candidates:
                frame.add(f"{node.name}::{name}", each)
                if name in new:
                    frame.add(new[name], each)
        body = Frame(self.reader, frame.types, self.outer, frame.file)
        self.found.frames.append(body)
        for source in (inner.own, frame.own, frame.nested):
            for name, candidates in source.items():
                for each in candidates:
                    body.add(name, each)
        for member in node.members:
            if isinstance(member, NestedStructure):
                self._nest(member, frame, f"{label}::{node.name}", naming)
        for member in node.members:
            if isinstance(member, Axiom):
                self._axiom(member, body, f"{label}::{node.name}")


def _symbols(frame: Frame) -> tuple[tuple[str, str], ...]:
    return tuple(
        sorted(
            (name, f"{each.name}/{sorts_text((*each.domain, each.codomain))}")
            for name, candidates in frame.own.items()
            for each in candidates
            if isinstance(each, Symbol)
        )
    )


def _unrelated(node: NestedStructure, structure: Structure, file: str) -> Problem:
    return problem_at(
        node,
        file,
        f"the laws of {node.name} speak of operations of its own ({node.name}::…), not of those declared here",
        code="unrelated-nested-structure",
        severity="warning",
        hint=f"rename them: structure {node.name} : {structure.name}(…) with (•) as (+)",
        found=node.name,
    )
