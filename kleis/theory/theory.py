"""A theory: declarations, immutable, growing by one declaration at a time.

See docs/reference/kleis.md §5.4.

Invariants
    * `theory.add(d)` leaves `theory` as it was and shares what it can: adding the thousandth declaration costs
      about what adding the tenth did.
    * Adding declarations in any split gives the same theory and the same problems, in the same order.
    * Nothing is lost.  A declaration that clashes with an earlier one is *rejected*: it stays among `entries`,
      its name stays known, and a `Problem` says where both stand.  The lookups give the earlier one.  Constructors of
      a rejected data type are registered where their names are free, so that programs that only compute still run.
    * `define` is different: of several definitions of one name the last is in scope, with a warning.
    * An operation, element, field or constructor of a later file takes a definition of its name out of scope: the
      name is then the program's own and has no value, with a warning.

A theory fulfils `kleis.evaluator.environment.Declarations`.  Forward references are legal in Kleis, so a
theory does not check that names are known: `kleis.theory.name_check.check_names` does, when all is loaded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Self, TypeAlias, TypeVar

import msgspec
from rpds import HashTrieMap, List, Queue

from kleis.problems import Place, Problem, place_of, problem_at
from kleis.syntax import tree
from kleis.syntax.operators import canonical_name
from kleis.theory.declaration_summary import DeclarationSummary

__all__ = ["Declared", "Entry", "Kind", "Theory"]

Kind: TypeAlias = Literal[
    "structure",
    "data type",
    "type alias",
    "constructor",
    "definition",
    "operation",
    "element",
    "field",
    "axiom",
    "nested structure",
]

_SYMBOLS: tuple[Kind, ...] = ("operation", "element", "field")
_LISTS = ("_entries", "_examples", "_implementations", "_lemmas", "_problems")

_MEMBER_KINDS: dict[type, Kind] = {
    tree.OperationDeclaration: "operation",
    tree.ElementDeclaration: "element",
    tree.Field: "field",
    tree.Axiom: "axiom",
    tree.FunctionDefinition: "definition",
    tree.NestedStructure: "nested structure",
}


SomeTheory = TypeVar("SomeTheory", bound="Theory")


class Entry(msgspec.Struct, frozen=True):
    """A declaration with the file it stands in."""

    declaration: tree.Declaration
    file: str


class Declared(msgspec.Struct, frozen=True):
    """What a name stands for: one of its declarations.

    `owner` is the scope of the name: empty at top level, ``Ring`` for a member, ``Ring::additive`` for a member
    of a nested structure, the data type for a constructor.  `item` is the top-level item around it.
    """

    name: str
    kind: Kind
    owner: str
    node: tree.Declaration | tree.StructureMember | tree.Variant
    item: tree.Declaration
    file: str

    @property
    def place(self) -> Place:
        """Where it is declared."""
        return place_of(self.node, self.file)

    @property
    def qualified(self) -> str:
        """The name with its owner: ``Ring::additive::plus``."""
        return f"{self.owner}::{self.name}" if self.owner else self.name


class Theory:
    """The declarations of a program.  Start with `Theory()` and `add`, `extend` or `include`.

    definitions, data, aliases, structures
        What is in scope, by name.  `definitions` holds top-level definitions and those of structures without
        parameters, whose members are global.
    constants
        The types of operations, elements and fields declared at top level or in structures without parameters.
    constructors
        Each constructor with its data type (`Declared.item`).
    summary
        Facts about all declarations.
    """

    __slots__ = (
        "_defined",
        "_entries",
        "_examples",
        "_implementations",
        "_lemmas",
        "_names",
        "_problems",
        "_stated",
        "_types",
        "aliases",
        "constants",
        "constructors",
        "data",
        "definitions",
        "structures",
        "summary",
    )

    definitions: Mapping[str, tree.FunctionDefinition]
    data: Mapping[str, tree.DataDefinition]
    aliases: Mapping[str, tree.AliasDefinition]
    structures: Mapping[str, tree.Structure]
    constants: Mapping[str, tree.TypeExpression]
    constructors: Mapping[str, Declared]
    summary: DeclarationSummary

    _names: HashTrieMap[str, List[Declared]]
    _defined: HashTrieMap[str, Declared]
    _types: HashTrieMap[str, Declared]
    _entries: Queue[Entry]
    _examples: Queue[Entry]
    _implementations: Queue[Entry]
    _lemmas: Queue[Entry]
    _stated: HashTrieMap[tuple[str, str], Place]
    _problems: Queue[Problem]

    def __init__(self) -> None:
        for slot in Theory.__slots__:
            empty: object = Queue() if slot in _LISTS else HashTrieMap()
            object.__setattr__(self, slot, empty)
        object.__setattr__(self, "summary", DeclarationSummary())

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a theory never changes; add() gives a new one (tried to set {name})")

    # ── growing ──────────────────────────────────────────────────────────────────────────────────────────

    def add(self, declaration: tree.Declaration, *, file: str = "<text>") -> Self:
        """The theory with one more declaration.  Never raises: what clashes becomes a problem."""
        return self.extend((declaration,), file=file)

    def extend(self, declarations: Iterable[tree.Declaration], *, file: str = "<text>") -> Self:
        """The theory with more declarations, in order."""
        growth = _Growth(self, file)
        for declaration in declarations:
            growth.add(declaration)
        return growth.theory(type(self))

    def include(self, program: tree.Program) -> Self:
        """The theory with the items of a program.  Its imports are not followed: `Loader` does that."""
        return self.extend(program.items, file=program.file)

    # ── looking up ───────────────────────────────────────────────────────────────────────────────────────

    def lookup(self, name: str) -> tuple[Declared, ...]:
        """Everything called `name`, in order of declaration.  Operators go by symbol or by canonical name.

        A qualified name (``Ring::plus``) gives the members of that owner; its own members only, not inherited
        ones (`kleis.theory.name_check.structure_members`).
        """
        *owner, last = tree.split_name(name)
        found = tuple(self._names.get(canonical_name(last), ()))[::-1]
        if not owner:
            return found
        return tuple(each for each in found if each.owner == "::".join(owner))

    def operations(self, name: str) -> tuple[Declared, ...]:
        """The operations, elements and fields called `name`: its overloads."""
        return tuple(each for each in self.lookup(name) if each.kind in _SYMBOLS)

    def axioms(self, name: str | None = None) -> tuple[Declared, ...]:
        """The axioms of that name, or all of them in order."""
        if name is not None:
            return tuple(each for each in self.lookup(name) if each.kind == "axiom")
        return tuple(
            member
            for entry in self._entries
            if isinstance(entry.declaration, tree.Structure)
            for member in _members(entry.declaration, entry.file)
            if member.kind == "axiom"
        )

    def file_of(self, name: str) -> str:
        """The file of the definition of `name` in scope."""
        defined = self._defined.get(name)
        return defined.file if defined is not None else "<text>"

    @property
    def names(self) -> Iterable[str]:
        """Every declared name."""
        return self._names.keys()

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All declarations, in order, rejected ones included."""
        return tuple(self._entries)

    @property
    def examples(self) -> tuple[Entry, ...]:
        """The example blocks, in order."""
        return tuple(self._examples)

    @property
    def lemmas(self) -> tuple[Entry, ...]:
        """The lemmas that were stated, proved or not, in order; not one whose name its file has already."""
        return tuple(self._lemmas)

    @property
    def implementations(self) -> Sequence[tree.Implements]:
        """The `implements` items, in order."""
        return [e.declaration for e in self._implementations if isinstance(e.declaration, tree.Implements)]

    @property
    def implementation_entries(self) -> tuple[Entry, ...]:
        """The `implements` items with their files, in order."""
        return tuple(self._implementations)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The clashes, in order of declaration."""
        return tuple(self._problems)

    def __len__(self) -> int:
        return len(self._entries)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Theory) and self.entries == other.entries

    def __hash__(self) -> int:
        return hash(self.entries)

    def __repr__(self) -> str:
        return f"<Theory of {len(self)} declarations>"


def _members(structure: tree.Structure, file: str) -> Iterable[Declared]:
    """The members of a structure and of the structures nested in it, outer ones first."""
    pending: list[tuple[str, tuple[tree.StructureMember, ...]]] = [(structure.name, structure.members)]
    for owner, nodes in pending:
        for node in nodes:
            yield Declared(canonical_name(node.name), _MEMBER_KINDS[type(node)], owner, node, structure, file)
            if isinstance(node, tree.NestedStructure):
                pending.append((f"{owner}::{node.name}", node.members))


class _Growth:
    """One extension in progress: the parts of a theory, replaced one by one; `theory` puts them together."""

    def __init__(self, theory: Theory, file: str) -> None:
        self.file = file
        self._names = theory._names
        self._defined = theory._defined
        self._types = theory._types
        self._entries = theory._entries
        self._examples = theory._examples
        self._implementations = theory._implementations
        self._lemmas = theory._lemmas
        self._stated = theory._stated
        self._problems = theory._problems
        self.definitions: Any = theory.definitions
        self.data: Any = theory.data
        self.aliases: Any = theory.aliases
        self.structures: Any = theory.structures
        self.constants: Any = theory.constants
        self.constructors: Any = theory.constructors
        self.summary = theory.summary

    def theory(self, kind: type[SomeTheory]) -> SomeTheory:
        grown = kind.__new__(kind)
        for slot in Theory.__slots__:
            object.__setattr__(grown, slot, getattr(self, slot))
        return grown

    def add(self, declaration: tree.Declaration) -> None:
        entry = Entry(declaration, self.file)
        self._entries = self._entries.enqueue(entry)
        self.summary = self.summary.with_declaration(declaration)
        match declaration:
            case tree.Import() | tree.Annotation():
                pass
            case tree.Example():
                self._examples = self._examples.enqueue(entry)
            case tree.Lemma():
                self._state(declaration, entry)
            case tree.Implements():
                self._implementations = self._implementations.enqueue(entry)
            case tree.FunctionDefinition():
                self._define(declaration, declaration, "")
            case tree.OperationDeclaration():
                declared = self._register(declaration.name, "operation", "", declaration, declaration)
                self.constants = self.constants.insert(declared.name, declaration.type)
                self._hide(declared)
            case tree.AliasDefinition():
                if self._declare_type(declaration, "type alias"):
                    self.aliases = self.aliases.insert(declaration.name, declaration)
            case tree.DataDefinition():
                if self._declare_type(declaration, "data type"):
                    self.data = self.data.insert(declaration.name, declaration)
                    self.summary = self.summary.with_data(declaration.name)
                self._construct(declaration)
            case tree.Structure():
                if self._declare_type(declaration, "structure"):
                    self.structures = self.structures.insert(declaration.name, declaration)
                    self.summary = self.summary.with_structure(declaration)
                    self._read_members(declaration)

    def _state(self, lemma: tree.Lemma, entry: Entry) -> None:
        """A lemma: it declares nothing, and its name is only for other lemmas of the file and those that import it."""
        earlier = self._stated.get((self.file, lemma.name))
        if earlier is not None:
            self._report(_stated_twice(lemma, self.file, earlier))
            return
        self._stated = self._stated.insert((self.file, lemma.name), place_of(lemma, self.file))
        self._lemmas = self._lemmas.enqueue(entry)

    def _register(
        self,
        name: str,
        kind: Kind,
        owner: str,
        node: tree.Declaration | tree.StructureMember | tree.Variant,
        item: tree.Declaration,
    ) -> Declared:
        name = canonical_name(name)
        declared = Declared(name, kind, owner, node, item, self.file)
        known: List[Declared] = self._names.get(name, List())
        self._names = self._names.insert(name, known.push_front(declared))
        return declared

    def _report(self, problem: Problem) -> None:
        self._problems = self._problems.enqueue(problem)

    def _define(self, node: tree.FunctionDefinition, item: tree.Declaration, owner: str) -> None:
        name = canonical_name(node.name)
        declared = self._register(name, "definition", owner, node, item)
        if not _is_global(item):
            return
        earlier = self._defined.get(name)
        self._defined = self._defined.insert(name, declared)
        self.definitions = self.definitions.insert(name, node)
        if earlier is not None:
            self._report(_redefined(node, self.file, earlier))

    def _declare_type(
        self, node: tree.Structure | tree.DataDefinition | tree.AliasDefinition, kind: Kind
    ) -> bool:
        """Register a structure, data type or alias; False if its name is taken."""
        earlier = self._types.get(node.name)
        if earlier is not None:
            self._report(_declared_twice(node, kind, self.file, earlier))
            return False
        self._types = self._types.insert(node.name, self._register(node.name, kind, "", node, node))
        return True

    def _construct(self, data: tree.DataDefinition) -> None:
        for variant in data.variants:
            taken = self.constructors.get(variant.name)
            if taken is None:
                declared = self._register(variant.name, "constructor", data.name, variant, data)
                self.constructors = self.constructors.insert(variant.name, declared)
                self._hide(declared)
            elif taken.owner != data.name:
                self._report(_constructed_twice(variant, data, self.file, taken))

    def _read_members(self, structure: tree.Structure) -> None:
        for member in _members(structure, self.file):
            node = member.node
            if isinstance(node, tree.FunctionDefinition):
                self._define(node, structure, member.owner)
                continue
            declared = self._register(member.name, member.kind, member.owner, node, structure)
            if (
                isinstance(node, tree.OperationDeclaration | tree.ElementDeclaration | tree.Field)
                and member.owner == structure.name
                and _is_global(structure)
            ):
                self.constants = self.constants.insert(member.name, node.type)
                self._hide(declared)

    def _hide(self, declared: Declared) -> None:
        """A declaration hides an imported definition of its name.

        Within one file the two belong together: the definition says what the declared operation is.
        """
        earlier = self._defined.get(declared.name)
        if earlier is None or earlier.file == declared.file:
            return
        self._defined = self._defined.remove(declared.name)
        self.definitions = self.definitions.remove(declared.name)
        self._report(_hidden(declared, earlier))


def _is_global(item: tree.Declaration) -> bool:
    """Whether the members of an item are global: those of a structure with parameters are about any model."""
    return not (isinstance(item, tree.Structure) and item.parameters)


def _redefined(node: tree.FunctionDefinition, file: str, earlier: Declared) -> Problem:
    if earlier.node == node:
        message = f"{node.name} is defined again, in the same words as at {earlier.place}"
        hint = "leave one of the two out"
    else:
        message = f"this definition of {node.name} replaces the one at {earlier.place}"
        hint = "rename one of the two if both are meant"
    return problem_at(
        node,
        file,
        message,
        code="redefinition",
        severity="warning",
        hint=hint,
        related=(earlier.place,),
    )


def _hidden(declared: Declared, earlier: Declared) -> Problem:
    return problem_at(
        declared.node,
        declared.file,
        f"the {declared.kind} {declared.name} hides the definition at {earlier.place}",
        code="hidden-definition",
        severity="warning",
        hint="rename it if the imported definition is meant as well",
        related=(earlier.place,),
    )


def _stated_twice(lemma: tree.Lemma, file: str, earlier: Place) -> Problem:
    return problem_at(
        lemma,
        file,
        f"{lemma.name} is already a lemma, stated at {earlier}; this one is refused",
        code="duplicate-lemma",
        hint="rename one of the two",
        related=(earlier,),
    )


def _declared_twice(
    node: tree.Structure | tree.DataDefinition | tree.AliasDefinition,
    kind: Kind,
    file: str,
    earlier: Declared,
) -> Problem:
    if earlier.node == node:
        return problem_at(
            node,
            file,
            f"the {kind} {node.name} is declared again, in the same words as at {earlier.place}",
            code="declared-again",
            severity="warning",
            hint="leave one of the two out, or import the other file",
            related=(earlier.place,),
        )
    return problem_at(
        node,
        file,
        f"{node.name} is already a {earlier.kind}, declared at {earlier.place}; this {kind} is refused",
        code="duplicate-declaration",
        hint="rename one of the two",
        related=(earlier.place,),
    )


def _constructed_twice(
    variant: tree.Variant, data: tree.DataDefinition, file: str, taken: Declared
) -> Problem:
    return problem_at(
        variant,
        file,
        f"{variant.name} is already a constructor of {taken.owner}, declared at {taken.place}; "
        f"the one of {data.name} is refused",
        code="duplicate-constructor",
        found=variant.name,
        hint="rename one of the two constructors",
        related=(taken.place,),
    )
