"""The protocols that the cases of elaboration are written against.

`Context` is one expression in one pass: `term_elaborator.TermElaborator` implements it, and recurs through it.
`Declarations` is what such an expression asks of the theory around it: `definitions.Definitions` implements it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Never, Protocol

from kleis import core
from kleis.builtins.row import Signature
from kleis.elaborate.scopes.scope import DataConstructor, Scope, Template
from kleis.elaborate.sorts.sort_inference import Cost, Inference
from kleis.problems import Place, Spanned
from kleis.syntax import tree

__all__ = ["Context", "Declarations"]


class Context(Protocol):
    """One expression being elaborated, in one pass."""

    @property
    def scope(self) -> Scope:
        """Where names that are not bound are looked up."""
        ...

    @property
    def environment(self) -> Mapping[str, core.Term]:
        """The bound names, with the terms they stand for."""
        ...

    @property
    def inference(self) -> Inference:
        """The sorts that are not written."""
        ...

    @property
    def definitions(self) -> Declarations:
        """The declarations of the theory at the sorts they are used at."""
        ...

    def reads_constant(self, name: str) -> bool:
        """Whether a name that nothing declares is a constant such as π."""
        ...

    @property
    def allow_free(self) -> bool:
        """Whether a name that nothing declares is a free name, and no error."""
        ...

    # ── expressions ──────────────────────────────────────────────────────────────────────────────────────

    def term(self, node: tree.Expression, expected: core.Sort | None = None) -> core.Term:
        """An expression as a term; `expected` is the sort it will be adapted to, if that is known."""
        ...

    def checked(self, node: tree.Expression, wanted: core.Sort) -> core.Term:
        """An expression as a term of the given sort."""
        ...

    def formula(self, node: tree.Expression) -> core.Term:
        """An expression as a formula."""
        ...

    def joined(
        self, terms: Sequence[core.Term], nodes: Sequence[tree.Expression], what: str
    ) -> list[core.Term]:
        """Terms brought to the least sort that all of them have."""
        ...

    # ── names ────────────────────────────────────────────────────────────────────────────────────────────

    def bound(self, values: Mapping[str, core.Term]) -> AbstractContextManager[None]:
        """Names in scope while a body is elaborated."""
        ...

    def variable(self, name: str, sort: core.Sort, also: Sequence[core.Variable] = ()) -> core.Variable:
        """A variable to bind, renamed where its name is bound around, or among `also`."""
        ...

    def free_name(self, node: tree.Name) -> core.Variable:
        """The variable of a free name."""
        ...

    # ── sorts ────────────────────────────────────────────────────────────────────────────────────────────

    def sort(self, term: core.Term) -> core.Sort:
        """The sort of a term, as far as it is known."""
        ...

    def written(self, node: tree.TypeExpression) -> core.Sort:
        """The sort of a written type."""
        ...

    def unknown(self, node: Spanned, tag: str, what: str) -> core.Sort:
        """The sort of something that has none written, if known by now; else a variable for it."""
        ...

    def join(self, a: core.Sort, b: core.Sort) -> core.Sort | None:
        """The least sort that both are coerced to; None if there is none."""
        ...

    def adapt(self, term: core.Term, wanted: core.Sort, node: Spanned, role: str = "this") -> core.Term:
        """A term coerced to the sort its place requires; `ElaborationError` if it has no such value."""
        ...

    def cost(self, term: core.Term, wanted: core.Sort) -> Cost | None:
        """What it costs to use a term as of a sort; None if it cannot be."""
        ...

    # ── errors ───────────────────────────────────────────────────────────────────────────────────────────

    def place(self, node: Spanned) -> Place:
        """Where a node stands."""
        ...

    def reject(
        self,
        node: Spanned,
        code: str,
        message: str,
        *,
        found: str = "",
        expected: tuple[str, ...] = (),
        hint: str = "",
    ) -> Never:
        """Raise `ElaborationError` at a node."""
        ...


class Declarations(Protocol):
    """The declarations of a theory at the sorts they are used at."""

    @property
    def higher_order(self) -> dict[core.Symbol, str]:
        """Symbols of polymorphic members of structures, with the file that uses each."""
        ...

    def is_member(self, name: str) -> bool:
        """Whether some structure with parameters has a member of this name."""
        ...

    def owners(self, name: str) -> tuple[str, ...]:
        """The structures with parameters that have a member of this name."""
        ...

    def note_uncovered(self, context: Context, node: Spanned, pattern: str) -> None:
        """Record a `match` that leaves values uncovered, for a warning."""
        ...

    def note_unreachable(self, context: Context, case: Spanned) -> None:
        """Record a case of a `match` that no value reaches, for a warning."""
        ...

    def operation(
        self, signature: Signature, parameters: tuple[core.Sort, ...], result: core.Sort
    ) -> core.Operation:
        """A built-in at fixed sorts, with its condition."""
        ...

    # ── constructors ─────────────────────────────────────────────────────────────────────────────────────

    def constructors(self, sort: core.DataSort) -> tuple[core.Constructor, ...]:
        """The constructors of a data type at its arguments."""
        ...

    def constructor_at(self, constructor: core.Constructor, sort: core.Sort) -> core.Constructor | None:
        """The same constructor at another sort of its kind; None if the sort has no such constructor."""
        ...

    def open_sort(self, context: Context, node: Spanned, found: DataConstructor) -> core.DataSort:
        """The sort of a constructor with its parameters still unknown."""
        ...

    # ── definitions ──────────────────────────────────────────────────────────────────────────────────────

    def written_parameters(self, template: Template) -> list[core.Sort | None]:
        """The written sorts of the parameters of a definition."""
        ...

    def written_result(self, template: Template) -> core.Sort | None:
        """The written sort of the result of a definition."""
        ...

    def parameter_sorts(
        self, context: Context, template: Template, given: Sequence[core.Sort]
    ) -> tuple[core.Sort, ...] | None:
        """The sorts a definition is called at; None if the arguments do not determine them yet."""
        ...

    def sorts_of(self, key: str, otherwise: tuple[core.Sort, ...]) -> tuple[core.Sort, ...]:
        """The sorts of the parameters of an instance."""
        ...

    def instance(
        self, template: Template, sorts: tuple[core.Sort, ...], node: Spanned, context: Context
    ) -> tuple[str, core.Sort]:
        """The key and result of a definition at given sorts."""
        ...
