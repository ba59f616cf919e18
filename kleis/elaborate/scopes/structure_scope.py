"""Structures at their arguments: what each declares, and the scope of its text.

`inheritance` reads a structure, with everything it inherits, into these.  See docs/reference/proving.md §2.4.

Invariants
    * A `StructureScope` never changes once its structure is read.
    * A declared operation that is a built-in is among the candidates once, as the built-in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kleis import core
from kleis.core.goal import ElaborationError, Instance
from kleis.core.sort_printing import dimension_text
from kleis.elaborate.scopes.declared_builtins import as_builtin, signature_of
from kleis.elaborate.scopes.scope import (
    BuiltinName,
    Candidate,
    Polymorphic,
    Rejected,
    Scope,
    Template,
)
from kleis.elaborate.sorts.dimensions import number_of
from kleis.elaborate.sorts.read_sorts import SortReader
from kleis.problems import Place, Problem, place_of
from kleis.syntax import tree
from kleis.syntax.operators import canonical_name

__all__ = ["NamedAxiom", "StructureInstance", "StructureScope", "beside", "number_candidate", "shadows"]


def number_candidate(number: core.Dimension) -> Candidate:
    """A `Nat` parameter as a term: an unknown natural number, or the one it stands for."""
    text = dimension_text(number)
    value = number_of(number)
    if value is None:
        return core.Symbol(text, (), core.NATURAL)
    node = tree.FunctionDefinition(text, (), tree.NamedType("ℕ"), tree.Number(text))
    return Template(f"dimension {text}", node, _Numbers(), Place("<type>", 0, 0))


class _Numbers:
    """The scope of a number that stands for a parameter."""

    file = "<type>"

    def sort(self, written: tree.TypeExpression) -> core.Sort:
        return core.NATURAL

    def candidates(self, name: str) -> tuple[Candidate, ...]:
        return ()

    def names(self) -> tuple[str, ...]:
        return ()


class StructureScope:
    """The scope of the text of one structure at its arguments."""

    def __init__(
        self,
        reader: SortReader,
        types: Mapping[str, core.Sort | core.Dimension],
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

    def sort(self, written: tree.TypeExpression) -> core.Sort:
        """The sort of a written type."""
        return self._reader.read(written, self.types, file=self.file)

    def add(self, name: str, candidate: Candidate) -> None:
        """Add a candidate for a name."""
        known = self.own.setdefault(name, [])
        if candidate not in known:
            known.append(candidate)

    def candidates(self, name: str) -> tuple[Candidate, ...]:
        """The structure's own candidates for a name, with the global ones that overload them."""
        known = self.own.get(name) or self.nested.get(name) or self._qualified(name)
        of_models = bool(self.types)  # a section has none
        own = tuple(dict.fromkeys(as_builtin(each, of_models=of_models) for each in known))
        if not own:
            number = self.types.get(name)
            return (
                (number_candidate(number),)
                if isinstance(number, core.Dimension)
                else self._outer.candidates(name)
            )
        if any(isinstance(each, Rejected) or shadows(each) or not _takes_arguments(each) for each in own):
            return own
        return (*own, *beside(own, self._outer.candidates(name)))

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


def beside(own: Sequence[Candidate], outer: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """The candidates from outside that overload nearer ones: a nearer one hides what has its sorts."""
    taken = [sorts for each in own if (sorts := _sorts(each)) is not None]
    return tuple(
        each for each in outer if not shadows(each) and each not in own and _sorts(each) not in taken
    )


def _sorts(candidate: Candidate) -> tuple[tuple[core.Sort, ...], core.Sort] | None:
    """The sorts of an operation or element; None where they are not all written."""
    symbol = signature_of(candidate) if isinstance(candidate, Template) else candidate
    return (symbol.domain, symbol.codomain) if isinstance(symbol, core.Symbol) else None


def _takes_arguments(candidate: Candidate) -> bool:
    if isinstance(candidate, Template):
        return bool(candidate.node.parameters)
    if isinstance(candidate, BuiltinName):
        return candidate.row.most != 0
    return isinstance(candidate, Polymorphic) or (
        isinstance(candidate, core.Symbol) and bool(candidate.domain)
    )


class NamedAxiom:
    """An axiom of a structure at its arguments: its qualified name, its source, and the scope of its text."""

    def __init__(self, name: str, node: tree.Axiom, scope: StructureScope) -> None:
        self.name = name
        self.node = node
        self.scope = scope

    @property
    def place(self) -> Place:
        """Where it is written."""
        return place_of(self.node, self.scope.file)


class StructureInstance:
    """A structure at its arguments, parents and nested structures included."""

    def __init__(self, instance: Instance, scope: StructureScope) -> None:
        self.instance = instance
        self.scope = scope
        self.ancestors: list[Instance] = []
        self.symbols: dict[core.Symbol, Place] = {}
        self.axioms: list[NamedAxiom] = []
        self.templates: list[tuple[str, Template]] = []
        self.warnings: list[Problem] = []
        self.errors: list[ElaborationError] = []
        self.scopes: list[StructureScope] = [scope]

    @property
    def structure(self) -> str:
        """The name of the structure."""
        return self.instance.structure
