"""The scope of a proposition: the structures it is about, before the global declarations.

Specification: proving.md §1 ("Resolution").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kleis.core import Dimension, Sort
from kleis.elaborate.scopes.global_scope import Globals
from kleis.elaborate.scopes.scope import Candidate
from kleis.elaborate.scopes.structure_scope import StructureInstance, number_candidate, shadows
from kleis.meaning.declared_builtins import as_builtin
from kleis.syntax.operators import canonical_name
from kleis.syntax.tree import TypeExpression, split_name

__all__ = ["InForce"]


class InForce:
    """Names of the instances in force, then global ones.

    `types` maps the type names of the proposition that stand for parameters to their carriers.
    """

    def __init__(
        self,
        outer: Globals,
        instances: Sequence[StructureInstance],
        types: Mapping[str, Sort | Dimension],
        file: str,
    ) -> None:
        self.file = file
        self.instances = tuple(instances)
        self.types = dict(types)
        for each in instances:
            for name, sort in each.frame.types.items():
                self.types.setdefault(name if "::" in name else f"{each.structure}::{name}", sort)
        self._outer = outer

    def sort(self, written: TypeExpression) -> Sort:
        """The sort of a written type."""
        return self._outer.reader.read(written, self.types, file=self.file)

    def candidates(self, name: str) -> tuple[Candidate, ...]:
        """Members of the instances in force, and the global candidates that overload them."""
        if "::" in name:
            return tuple(dict.fromkeys((*self._qualified(name), *self._outer.candidates(name))))
        own = self._own(name)
        if not own:
            for each in self.instances:
                number = each.frame.types.get(name)
                if isinstance(number, Dimension):
                    return (number_candidate(number),)
            return self._outer.candidates(name)
        if any(shadows(each) for each in own):
            return own
        outer = tuple(each for each in self._outer.candidates(name) if not shadows(each))
        return (*own, *(each for each in outer if each not in own))

    def _own(self, name: str) -> tuple[Candidate, ...]:
        found: list[Candidate] = []
        for each in self.instances:
            for known in each.frame.own.get(name, ()):
                candidate = as_builtin(known)
                if candidate not in found:
                    found.append(candidate)
        return tuple(found)

    def _qualified(self, name: str) -> tuple[Candidate, ...]:
        """``S::op``, where S is in force or inherited; ``nested::op`` of an instance."""
        head, *rest = split_name(name)
        member = canonical_name("::".join(rest))
        for each in self.instances:
            family = {each.structure, *(ancestor.structure for ancestor in each.ancestors)}
            if head in family and member in each.frame.own:
                return tuple(each.frame.own[member])
        return self._own("::".join((head, member)))

    def names(self) -> tuple[str, ...]:
        """Every name with candidates."""
        own = tuple(name for each in self.instances for name in each.frame.own)
        return (*own, *self._outer.names())
