"""The subject of a proposition: the structures it names, that `using` names, or that its operations belong to.

Here are the names that decide what is searched for; the search itself is in `kleis.elaborate.scopes.structure_search`.
See docs/reference/proving.md §2.6.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kleis.core import Carrier, Dimension, Sort
from kleis.core.goal import Instance
from kleis.core.sort_printing import elaboration_error
from kleis.elaborate.expressions.elaboration_fixpoint import ElaboratedExpression
from kleis.elaborate.scopes.global_scope import GlobalScope, PropositionScope
from kleis.elaborate.scopes.scope import Scope
from kleis.elaborate.scopes.structure_scope import StructureInstance
from kleis.elaborate.scopes.structure_search import Found, StructureSearch, Types
from kleis.problems import Problem
from kleis.spelling import suggestion
from kleis.syntax import tree
from kleis.syntax.tree.traversal import walk

__all__ = ["Subject"]


class Subject:
    """Finds what propositions over one theory are about.

    `arbitrary` gives a structure at carriers of which nothing is known; `elaborate` elaborates a proposition in a scope.
    """

    def __init__(
        self,
        scope: GlobalScope,
        search: StructureSearch,
        arbitrary: Callable[[str], StructureInstance],
        elaborate: Callable[[tree.Expression, Scope], ElaboratedExpression],
    ) -> None:
        self._globals = scope
        self._theory = scope.theory
        self._search = search
        self._arbitrary = arbitrary
        self._elaborate = elaborate

    def find(
        self, proposition: tree.Expression, using: tree.TypeExpression | None, file: str
    ) -> Found[ElaboratedExpression]:
        """The structures a proposition is about, with the proposition elaborated in their scope."""

        def attempt(instances: Sequence[StructureInstance], types: Types) -> ElaboratedExpression:
            scope = PropositionScope(self._globals, (*named, *instances), {**given, **types}, file)
            return self._elaborate(proposition, scope)

        named: list[StructureInstance] = []
        given: dict[str, Sort | Dimension] = {}
        if using is not None:
            return self._using(proposition, using, self._opaque_names(proposition), file)
        carriers = self._carriers(proposition, file)
        named += self._named_structures(proposition, file)
        for each in named:
            for name in carriers:
                if name in each.scope.types:
                    given[name] = each.scope.types[name]
        left = [name for name in carriers if name not in given]
        found = self._search.find(proposition, file, left, attempt)
        warnings = (*found.warnings, *self._undeclared(proposition, file))
        return Found((*named, *found.instances), found.types, found.result, warnings)

    def _using(
        self, proposition: tree.Expression, using: tree.TypeExpression, carriers: Sequence[str], file: str
    ) -> Found[ElaboratedExpression]:
        name = using.name if isinstance(using, tree.NamedType | tree.AppliedType) else ""
        structure = self._theory.structures.get(name)
        if structure is None:
            known = tuple(self._theory.structures)
            raise elaboration_error(
                using,
                file,
                "unknown-structure",
                f"there is no structure {name or 'of this form'}",
                found=name,
                hint=suggestion(name, known, otherwise="declare or import it"),
            )
        if isinstance(using, tree.AppliedType) or not structure.parameters:
            written = using.arguments if isinstance(using, tree.AppliedType) else ()
            arguments = tuple(self._globals.reader.argument(each, {}, file=file) for each in written)
            if len(arguments) != len(structure.parameters):
                message = f"{name} takes {len(structure.parameters)} types, here it has {len(arguments)}"
                raise elaboration_error(using, file, "type-arity", message, found=str(len(arguments)))
            implemented = self._implemented(Instance(name, arguments))
            if implemented is not None:
                # The proposition is about what is given there; its axioms are those of the implementation.
                found = self._in_structure(proposition, implemented, carriers, file)
                return Found((), found.types, found.result, found.warnings)
            instance = self._globals.instance(name, arguments)
        else:
            instance = self._arbitrary(name)
        return self._in_structure(proposition, instance, carriers, file)

    def _implemented(self, wanted: Instance) -> StructureInstance | None:
        """The instance of an implementation, whose text mentions what is given; None if there is none."""
        if not wanted.arguments:
            return None
        instances = (each.instance for each in self._globals.implementations())
        return next((each for each in instances if each.instance == wanted), None)

    def _in_structure(
        self, proposition: tree.Expression, instance: StructureInstance, carriers: Sequence[str], file: str
    ) -> Found[ElaboratedExpression]:
        """A proposition about one structure: its type names by name, the others by unification."""
        written = [node.name for node in walk(proposition) if isinstance(node, tree.NamedType)]
        types = {each: sort for each in written if (sort := instance.scope.types.get(each)) is not None}
        others = [each for each in carriers if each not in types]
        open_sorts = [
            sort
            for key, sort in instance.scope.types.items()
            if "::" not in key and isinstance(sort, Carrier) and sort not in types.values()
        ]
        if len(others) == 1 and len(open_sorts) == 1:
            types[others[0]] = open_sorts[0]
        scope = PropositionScope(self._globals, (instance,), types, file)
        return Found((instance,), types, self._elaborate(proposition, scope), ())

    def _opaque_names(self, proposition: tree.Expression) -> list[str]:
        """The type names of a proposition that no declaration has."""
        names = [node.name for node in walk(proposition) if isinstance(node, tree.NamedType)]
        opaque = [each for each in names if self._globals.reader.is_opaque(each, {})]
        return [each for each in dict.fromkeys(opaque) if each not in self._theory.summary.types]

    def _carriers(self, proposition: tree.Expression, file: str) -> list[str]:
        """The type names of a proposition that are declared as nothing else."""
        found: list[str] = []
        for node in walk(proposition):
            if not isinstance(node, tree.NamedType) or not self._globals.reader.is_opaque(node.name, {}):
                continue
            if node.name not in self._theory.summary.types:
                found += [node.name] * (node.name not in found)
            elif self._search.is_parameter(node.name):
                raise elaboration_error(
                    node,
                    file,
                    "ambiguous-type",
                    f"{node.name} is a type of its own, and the parameter of a structure",
                    found=node.name,
                    hint="say what the proposition is about: using S …",
                )
        return found

    def _undeclared(self, proposition: tree.Expression, file: str) -> list[Problem]:
        """Warnings of families of types that nothing declares: ``Vex(3)``."""
        names = {
            each.name: None
            for each in walk(proposition)
            if isinstance(each, tree.AppliedType)
            and not (each.name == "Fin" and isinstance(each.arguments[0], tree.NumberType))
        }
        is_opaque, known = self._globals.reader.is_opaque, self._theory.summary.types
        fresh = [each for each in names if is_opaque(each, {}) and each not in known]
        opaque = [each for each in known if is_opaque(each, {})] if fresh else []
        return [self._search.fresh_carrier(proposition, name, file, opaque) for name in fresh]

    def _named_structures(self, proposition: tree.Expression, file: str) -> list[StructureInstance]:
        """The structures with parameters that a proposition names: as a type, or before ``::``."""
        found: list[StructureInstance] = []
        for node in walk(proposition):
            name = getattr(node, "name", "")
            head = tree.split_name(name)[0] if isinstance(name, str) and name else ""
            named = "::" in str(name) or isinstance(node, tree.NamedType | tree.AppliedType)
            structure = self._theory.structures.get(head) if named else None
            if structure is None or not structure.parameters:
                continue
            if isinstance(node, tree.AppliedType) and node.name == head:
                given = tuple(self._globals.reader.argument(each, {}, file=file) for each in node.arguments)
                instance = self._globals.instance(head, given)
            else:
                instance = self._arbitrary(head)
            if all(each.instance != instance.instance for each in found):
                found.append(instance)
        return found
