"""Searches for the structures that a proposition is about.

Let C be the type names of the proposition that are declared as nothing else, and O the operations that are neither
built in nor global at the sorts used.  A structure with parameters fits if C are among its parameters and it has O.
The least fitting one under ``extends`` is taken.  If none fits, names of C may stand for parameters by unification;
then the smallest unions of structures on the carriers named in C; else C are fresh carriers, if nothing is missing.

O is found by trying: elaboration in too small a scope fails with `MissingOperation`.  See docs/reference/proving.md
§2.6.

Invariant: the answer depends on the declarations, not on their order.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

from kleis.core import Carrier, Dimension, Sort
from kleis.core.goal import ElaborationError, Instance, MissingOperation
from kleis.core.sort_printing import elaboration_error
from kleis.elaborate.scopes.global_scope import GlobalScope
from kleis.elaborate.scopes.inheritance import arbitrary_arguments
from kleis.elaborate.scopes.structure_scope import StructureInstance
from kleis.elaborate.sorts.read_sorts import is_number_parameter, is_type_parameter
from kleis.problems import Problem, Spanned, problem_at
from kleis.spelling import nearest
from kleis.syntax import tree
from kleis.syntax.tree.traversal import walk
from kleis.theory.name_check.structure_members import Members

__all__ = ["Found", "StructureSearch"]

Result = TypeVar("Result")

Types = Mapping[str, "Sort | Dimension"]

_Attempt = Callable[[Sequence[StructureInstance], Types], Result]

_MOST_SCOPES = 400
"""At most so many scopes are tried for one proposition; beyond that it needs `using`."""

_MOST_STRUCTURES = 5
"""At most so many structures are in a union."""


def _needed(instances: Sequence[StructureInstance]) -> tuple[StructureInstance, ...]:
    """The instances of a union without those that others of it inherit from."""
    inherited = {ancestor for each in instances for ancestor in each.ancestors}
    return tuple(each for each in instances if each.instance not in inherited)


class Found(Generic[Result]):
    """The outcome of a search: the instances, what type names stand for, and what elaboration in their scope gave."""

    def __init__(
        self,
        instances: Sequence[StructureInstance],
        types: Types,
        result: Result,
        warnings: Sequence[Problem],
    ) -> None:
        self.instances = tuple(instances)
        self.types = types
        self.result = result
        self.warnings = tuple(warnings)


class StructureSearch:
    """Finds the structures of propositions over one theory."""

    def __init__(self, scope: GlobalScope, instance: Callable[[str], StructureInstance]) -> None:
        self._globals = scope
        self._theory = scope.theory
        self._instance = instance
        self._members = Members(scope.theory)
        self._parameters: dict[str, list[str]] | None = None
        self._made: dict[tuple[str, tuple[tuple[str, str], ...]], StructureInstance] = {}

    # ── what is known of structures ──────────────────────────────────────────────────────────────────────

    def owners(self, name: str) -> tuple[str, ...]:
        """The structures with parameters that have a member of this name, inherited or not."""
        member = name.rpartition("::")[2]
        found = []
        for each in self._theory.summary.possible_owners(member):
            members = self._members.of(each)
            if members is not None and member in members:
                found.append(each)
        return tuple(found)

    def _with_parameter(self, name: str) -> list[str]:
        """The structures that have a type parameter of this name, their own or one that ``over`` brings."""
        if self._parameters is None:
            self._parameters = {}
            for structure in self._theory.summary.structures:
                for parameter in self._names_of(structure):
                    self._parameters.setdefault(parameter, []).append(structure.name)
        return self._parameters.get(name, [])

    def _type_names(self, structure: tree.Structure) -> list[str]:
        own = [each.name for each in structure.parameters if is_type_parameter(each)]
        if not own:
            return []
        brought = []
        for reference in (structure.extends, structure.over):
            for argument in getattr(reference, "arguments", ()):
                if isinstance(argument, tree.NamedType) and self._globals.reader.is_opaque(argument.name, {}):
                    brought.append(argument.name)
        return [*own, *(name for name in brought if name not in own)]

    def _least(self, names: Sequence[str]) -> list[str]:
        """The structures among `names` that no other of them is an ancestor of."""
        chosen = set(names)
        return [name for name in names if not chosen & set(self._members.ancestors(name))]

    # ── the search ───────────────────────────────────────────────────────────────────────────────────────

    def find(
        self, node: tree.Expression, file: str, carriers: Sequence[str], attempt: _Attempt[Result]
    ) -> Found[Result]:
        """The structures a proposition is about.  `carriers` is C; `attempt` elaborates it in a scope."""
        try:
            result = attempt((), {})
        except MissingOperation as missing:
            return self._about(node, file, carriers, attempt, missing)
        except ElaborationError:
            found = self._hidden(node, file, carriers, attempt)
            if found is None:
                raise
            return found
        if carriers:
            found = self._fitting(node, file, self._all_with(carriers), carriers, attempt)
            if found is not None:
                return found
        return Found((), {}, result, [self.fresh_carrier(node, name, file) for name in carriers])

    def _about(
        self,
        node: Spanned,
        file: str,
        carriers: Sequence[str],
        attempt: _Attempt[Result],
        missing: MissingOperation,
    ) -> Found[Result]:
        owners = self.owners(missing.operation)
        by_name = [
            name for name in owners if set(carriers) <= set(self._names_of(self._theory.structures[name]))
        ]
        found = self._fitting(node, file, by_name, carriers, attempt)
        if found is None and carriers:
            found = self._unified(node, file, owners, carriers, attempt)
        if found is None and carriers:
            found = self._union(node, file, carriers, attempt, missing)
        if found is not None:
            return found
        raise self._explain(missing, owners, carriers, attempt)

    def _hidden(
        self, node: tree.Expression, file: str, carriers: Sequence[str], attempt: _Attempt[Result]
    ) -> Found[Result] | None:
        """The structure whose member a name without arguments is, where the global one has a sort that does not fit."""
        names = {each.name: None for each in walk(node) if isinstance(each, tree.Name)} if carriers else {}
        for name in names:
            owners = self.owners(name)
            by_name = [
                each for each in owners if set(carriers) <= set(self._names_of(self._theory.structures[each]))
            ]
            found = self._fitting(node, file, by_name, carriers, attempt)
            found = found or self._unified(node, file, owners, carriers, attempt)
            if found is not None:
                return found
        return None

    def is_parameter(self, name: str) -> bool:
        """Whether some structure has a type parameter of this name."""
        return bool(self._with_parameter(name))

    def _names_of(self, structure: tree.Structure) -> list[str]:
        """The parameters of a structure by name, numbers too."""
        numbers = [each.name for each in structure.parameters if is_number_parameter(each)]
        return [*self._type_names(structure), *numbers]

    def _all_with(self, carriers: Sequence[str]) -> list[str]:
        first, *rest = (self._with_parameter(name) for name in carriers)
        return [name for name in first if all(name in others for others in rest)]

    def _fitting(
        self,
        node: Spanned,
        file: str,
        names: Sequence[str],
        carriers: Sequence[str],
        attempt: _Attempt[Result],
    ) -> Found[Result] | None:
        """The least of some structures that fit, with C as parameters by name."""
        fits: dict[str, Found[Result]] = {}
        for name in names[:_MOST_SCOPES]:
            found = self._try((self._instance(name),), carriers, attempt)
            if found is not None:
                fits[name] = found
        least = self._least(list(fits))
        if len(least) > 1:
            raise self._ambiguous(node, file, least)
        return fits[least[0]] if least else None

    def _try(
        self, instances: Sequence[StructureInstance], carriers: Sequence[str], attempt: _Attempt[Result]
    ) -> Found[Result] | None:
        (instance,) = instances
        types = {name: instance.scope.types[name] for name in carriers if name in instance.scope.types}
        return self._attempt(instances, types, attempt)

    @staticmethod
    def _attempt(
        instances: Sequence[StructureInstance], types: Types, attempt: _Attempt[Result]
    ) -> Found[Result] | None:
        try:
            return Found(instances, types, attempt(instances, types), ())
        except ElaborationError:
            return None

    def _unified(
        self,
        node: Spanned,
        file: str,
        owners: Sequence[str],
        carriers: Sequence[str],
        attempt: _Attempt[Result],
    ) -> Found[Result] | None:
        """The least structure that fits with C standing for its parameters in some way."""
        fits: dict[str, Found[Result]] = {}
        for name in owners[:_MOST_SCOPES]:
            for instance in self._at(name, carriers):
                types: Types = {carrier: Carrier(carrier) for carrier in carriers}
                found = self._attempt((instance,), types, attempt)
                if found is not None:
                    fits[name] = found
                    break
        least = self._least(list(fits))
        if len(least) > 1:
            raise self._ambiguous(node, file, least)
        return fits[least[0]] if least else None

    # ── unions ───────────────────────────────────────────────────────────────────────────────────────────

    def _union(
        self,
        node: Spanned,
        file: str,
        carriers: Sequence[str],
        attempt: _Attempt[Result],
        missing: MissingOperation,
    ) -> Found[Result] | None:
        """The smallest union of structures, each on carriers named in C, that has everything."""
        types: Types = {name: Carrier(name) for name in carriers}
        level: list[tuple[StructureInstance, ...]] = [
            (each,) for each in self._on(missing.operation, carriers)
        ]
        tried: set[frozenset[Instance]] = set()
        for _ in range(_MOST_STRUCTURES):
            fits: dict[frozenset[str], Found[Result]] = {}
            following: list[tuple[StructureInstance, ...]] = []
            for instances in level:
                together = frozenset(each.instance for each in instances)
                if together in tried:
                    continue
                tried.add(together)
                if len(tried) > _MOST_SCOPES:
                    return None
                try:
                    found = Found(_needed(instances), types, attempt(instances, types), ())
                except MissingOperation as further:
                    following += [
                        (*instances, each)
                        for each in self._on(further.operation, carriers)
                        if each not in instances
                    ]
                except ElaborationError:
                    continue
                else:
                    fits[frozenset(each.structure for each in found.instances)] = found
            least = self._least_unions(list(fits))
            if len(least) > 1:
                raise self._ambiguous(node, file, [" with ".join(sorted(each)) for each in least])
            if least:
                return fits[least[0]]
            level = following
        return None

    def _on(self, operation: str, carriers: Sequence[str]) -> Iterator[StructureInstance]:
        """The structures that have an operation, at all ways of taking their carriers from C."""
        # What a larger structure adds to the least one, another operation will ask for.
        for name in self._least(self.owners(operation)):
            structure = self._theory.structures[name]
            names = self._type_names(structure)
            ways = itertools.product(carriers, repeat=len(names))
            # Different carriers come first: of the instances that fit, the most general one is meant.
            for chosen in sorted(itertools.islice(ways, _MOST_SCOPES), key=lambda way: -len(set(way))):
                yield self._with(structure, dict(zip(names, chosen, strict=True)))

    def _at(self, name: str, carriers: Sequence[str]) -> Iterator[StructureInstance]:
        """A structure at all ways of taking some of its carriers from C, all of which are taken.

        The ways that leave most carriers open come first: they are the most general.
        """
        structure = self._theory.structures[name]
        names = self._type_names(structure)
        ways = itertools.islice(itertools.product(("", *carriers), repeat=len(names)), _MOST_SCOPES)
        complete = [way for way in ways if set(carriers) <= set(way)]
        for way in sorted(complete, key=lambda way: -way.count("")):
            chosen = {parameter: carrier for parameter, carrier in zip(names, way, strict=True) if carrier}
            yield self._with(structure, chosen)

    def _with(self, structure: tree.Structure, carriers: Mapping[str, str]) -> StructureInstance:
        """A structure with some of its parameters, or of those of its `over`, named in C."""
        key = (structure.name, tuple(sorted(carriers.items())))
        if key not in self._made:
            self._made[key] = self._make(structure, carriers)
        return self._made[key]

    def _make(self, structure: tree.Structure, carriers: Mapping[str, str]) -> StructureInstance:
        types = {name: Carrier(carrier) for name, carrier in carriers.items()}
        arguments = tuple(
            types.pop(parameter.name, default)
            for parameter, default in zip(structure.parameters, arbitrary_arguments(structure), strict=True)
        )
        return self._globals.instance(structure.name, arguments, types)

    def _least_unions(self, unions: Sequence[frozenset[str]]) -> list[frozenset[str]]:
        def below(a: frozenset[str], b: frozenset[str]) -> bool:
            return a != b and all(any(x == y or x in set(self._members.ancestors(y)) for y in b) for x in a)

        return [each for each in unions if not any(below(other, each) for other in unions)]

    # ── errors ───────────────────────────────────────────────────────────────────────────────────────────

    def _explain(
        self,
        missing: MissingOperation,
        owners: Sequence[str],
        carriers: Sequence[str],
        attempt: _Attempt[Result],
    ) -> ElaborationError:
        """The most specific error: that of the one structure that was meant, if there is one."""
        if len(owners) == 1:
            instance = self._instance(owners[0])
            names = self._type_names(self._theory.structures[owners[0]])
            types = {
                carrier: instance.scope.types[name]
                for carrier, name in zip(carriers, names, strict=False)
                if name in instance.scope.types
            }
            if len(types) == len(carriers):
                try:
                    attempt((instance,), types)
                except ElaborationError as error:
                    return error
        if len(carriers) > 1:
            missing.hint = (
                f"no structure, and no union of few, has it on {', '.join(carriers)}; {missing.hint}"
            )
        return missing

    @staticmethod
    def _ambiguous(node: Spanned, file: str, names: Sequence[str]) -> ElaborationError:
        shown = tuple(sorted(names))
        return elaboration_error(
            node,
            file,
            "ambiguous-structure",
            f"this may be about {' or '.join(shown)}",
            expected=shown,
            hint=f"say which: using {shown[0].split(' with ')[0]} …",
        )

    def fresh_carrier(self, node: Spanned, name: str, file: str, declared: Collection[str] = ()) -> Problem:
        """The warning that a type name stands for a carrier of its own; `declared` are further names that exist."""
        near = self._globals.reader.nearest_type(name) or nearest(name, declared)
        return problem_at(
            node,
            file,
            f"{name} is declared nowhere and read as a carrier of its own",
            code="fresh-carrier",
            severity="warning",
            found=name,
            hint=f"did you mean {' or '.join(near)}?" if near else "",
        )
