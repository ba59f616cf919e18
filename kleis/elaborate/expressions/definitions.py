"""Definitions at the sorts they are called with.

A definition with untyped parameters is elaborated for each tuple of argument sorts.  A recursive group is monomorphic,
at the least sorts closed under its own calls.  See docs/reference/proving.md §3.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from kleis import core
from kleis.builtins.row import Signature
from kleis.core.goal import DataType, ElaborationError, Termination
from kleis.core.sort_operations import join_sorts, map_sort, substitute_sort, variables_of
from kleis.core.sort_printing import elaboration_error, sort_text, sorts_text
from kleis.core.terms import list_constructors, tuple_constructor
from kleis.core.traversal import reach, subterms
from kleis.elaborate.expressions.builtin_instances import Operations
from kleis.elaborate.expressions.elaboration_context import Context
from kleis.elaborate.expressions.elaboration_fixpoint import ElaboratedExpression, elaborate_to_fixpoint
from kleis.elaborate.scopes.scope import DataConstructor, Scope, Template
from kleis.elaborate.sorts.data_instances import at_arguments
from kleis.elaborate.sorts.data_types import DataDeclaration
from kleis.elaborate.sorts.sort_inference import Inference
from kleis.problems import Place, Problem, Spanned, problem_at
from kleis.syntax.tree import Expression, TypeExpression

__all__ = ["Definitions", "TheoryQueries"]


class TheoryQueries(Protocol):
    """What definitions ask of a theory; `kleis.elaborate.elaborator.Elaborator` answers."""

    def data_type(self, name: str) -> DataDeclaration | None:
        """The data type of a name; None if there is none, or none without errors."""
        ...

    def owners(self, name: str) -> tuple[str, ...]:
        """The structures with parameters that have a member of this name."""
        ...

    def is_global(self, scope: Scope) -> bool:
        """Whether a scope is that of the declarations without parameters."""
        ...

    def groups(self, sorts: Sequence[core.Sort]) -> tuple[tuple[DataType, ...], ...]:
        """The data types reached from sorts."""
        ...


class _Progress:
    """A definition that is being elaborated at some sorts.

    sorts, result
        As far as they are known: they grow from one round to the next.
    place, lowest
        Where it is on the stack, and the lowest place there that it calls, directly or not.
    changed
        Whether the sorts or the result grew in this round, so that another one is needed.
    """

    def __init__(
        self, template: Template, sorts: tuple[core.Sort, ...], result: core.Sort | None, place: int
    ) -> None:
        self.template = template
        self.sorts = sorts
        self.result = result
        self.place = place
        self.lowest = place
        self.changed = False
        self.recursive = False


class Definitions:
    """The definitions reached so far, over one theory.

    finished
        Definitions by key: the qualified name, with the sorts where they are not written.
    terminations, places
        By key, the termination arguments of recursive definitions, and where definitions are written.
    uncovered
        Warnings of matches that leave values uncovered, by place.
    unreachable
        Warnings of cases that no value reaches, by place.
    higher_order
        Symbols of polymorphic members of structures, with the file that uses each.
    """

    def __init__(self, theory: TheoryQueries) -> None:
        self._theory = theory
        self.finished: dict[str, core.Definition] = {}
        self.terminations: dict[str, Termination] = {}
        self.places: dict[str, Place] = {}
        self.uncovered: dict[str, Problem] = {}
        self.unreachable: dict[str, Problem] = {}
        self._stack: list[_Progress] = []
        self._provisional: dict[str, tuple[_Progress, core.Definition | None]] = {}
        self._measures: dict[str, tuple[core.Term, ...]] = {}
        self._operations = Operations(self)
        self._failed: dict[str, ElaborationError] = {}
        self._widened: dict[str, str] = {}
        """Keys as they were asked for, with the key at the larger sorts that recursive calls need."""
        self._data: dict[core.DataSort, DataType] = {}
        self.higher_order: dict[core.Symbol, str] = {}

    # ── structures and matches ─────────────────────────────────────────────────────────────────────────

    def is_member(self, name: str) -> bool:
        """Whether some structure with parameters has a member of this name."""
        return bool(self._theory.owners(name))

    def owners(self, name: str) -> tuple[str, ...]:
        """The structures with parameters that have a member of this name."""
        return self._theory.owners(name)

    def note_uncovered(self, context: Context, node: Spanned, pattern: str) -> None:
        """Record a `match` that leaves values uncovered, for a warning."""
        place = context.place(node)
        self.uncovered[str(place)] = problem_at(
            node,
            context.scope.file,
            f"no case covers {pattern}: there the match is undefined",
            code="uncovered-case",
            severity="warning",
            found=pattern,
            hint=f"add a case for {pattern}, or _ => …",
        )

    def note_unreachable(self, context: Context, case: Spanned) -> None:
        """Record a case of a `match` that no value reaches, for a warning."""
        self.unreachable[str(context.place(case))] = problem_at(
            case,
            context.scope.file,
            "no value reaches this case: those before it take them all",
            code="unreachable-case",
            severity="warning",
            hint="leave it out, or move it before the cases that take its values",
        )

    # ── constructors ─────────────────────────────────────────────────────────────────────────────────────

    def constructors(self, sort: core.DataSort) -> tuple[core.Constructor, ...]:
        """The constructors of a data type at its arguments."""
        declaration = self._theory.data_type(sort.name)
        if declaration is None:
            return ()
        if sort not in self._data:
            self._data[sort] = at_arguments(declaration, sort)
        return self._data[sort].constructors

    def constructor_at(self, constructor: core.Constructor, sort: core.Sort) -> core.Constructor | None:
        """The same constructor at another sort of its kind; None if the sort has no such constructor."""
        match sort:
            case core.ListOf():
                found = [each for each in list_constructors(sort) if each.name == constructor.name]
                return found[0] if found else None
            case core.TupleOf(items=items):
                same = isinstance(constructor.sort, core.TupleOf) and len(items) == len(constructor.fields)
                return tuple_constructor(sort) if same else None
            case core.RecordOf(fields=fields):
                names = [field.name for field in constructor.fields]
                if not isinstance(constructor.sort, core.RecordOf) or names != [name for name, _ in fields]:
                    return None
                parts = tuple(core.ConstructorField(name, each) for name, each in fields)
                return core.Constructor("record", parts, sort, alone=True)
            case core.DataSort():
                return next((each for each in self.constructors(sort) if each.name == constructor.name), None)
            case _:
                return None

    def open_sort(self, context: Context, node: Spanned, found: DataConstructor) -> core.DataSort:
        """The sort of a constructor with its parameters still unknown."""
        values = {
            name: context.unknown(node, f"sort {name}", f"the {name} of {found.constructor.name}")
            for name in found.parameters
        }
        sort = substitute_sort(found.constructor.sort, values)
        assert isinstance(sort, core.DataSort)
        return sort

    # ── built-ins ────────────────────────────────────────────────────────────────────────────────────────

    def operation(
        self, signature: Signature, parameters: tuple[core.Sort, ...], result: core.Sort
    ) -> core.Operation:
        """A built-in at fixed sorts, with its condition."""
        return self._operations.at(signature, parameters, result)

    # ── definitions ──────────────────────────────────────────────────────────────────────────────────────

    def written_parameters(self, template: Template) -> list[core.Sort | None]:
        """The written sorts of the parameters; an undeclared type name of one letter is a type variable."""
        return [self._written(template, each.type) for each in template.node.parameters]

    def written_result(self, template: Template) -> core.Sort | None:
        """The written sort of the result."""
        return self._written(template, template.node.result)

    def _written(self, template: Template, written: TypeExpression | None) -> core.Sort | None:
        if written is None:
            return None
        sort = template.scope.sort(written)
        return _with_variables(sort) if self._theory.is_global(template.scope) else sort

    def parameter_sorts(
        self, context: Context, template: Template, given: Sequence[core.Sort]
    ) -> tuple[core.Sort, ...] | None:
        """The sorts a definition is called at; None if the arguments do not determine them yet."""
        values: dict[str, core.Sort] = {}
        written = self.written_parameters(template)
        for pattern, sort in zip(written, given, strict=True):
            if pattern is not None and variables_of(pattern):
                self._collect(context, pattern, sort, values)
        found: list[core.Sort] = []
        for pattern, sort in zip(written, given, strict=True):
            wanted = context.inference.resolve(sort) if pattern is None else substitute_sort(pattern, values)
            if variables_of(wanted):
                return None
            found.append(wanted)
        return tuple(found)

    def _collect(
        self, context: Context, pattern: core.Sort, sort: core.Sort, values: dict[str, core.Sort]
    ) -> None:
        sort = context.inference.resolve(sort)
        if isinstance(pattern, core.SortVariable):
            if not variables_of(sort):
                known = values.get(pattern.name)
                values[pattern.name] = (join_sorts(known, sort) or known) if known is not None else sort
            return
        for inner, part in context.inference.pieces(pattern, sort) or ():
            self._collect(context, inner, part, values)

    def sorts_of(self, key: str, otherwise: tuple[core.Sort, ...]) -> tuple[core.Sort, ...]:
        """The sorts of the parameters of an instance, perhaps larger than those it was asked for at."""
        if key in self.finished:
            return tuple(each.sort for each in self.finished[key].parameters)
        for progress in self._stack:
            if self._key_of(progress) == key:
                return progress.sorts
        for progress, _ in self._provisional.values():
            if self._key_of(progress) == key:
                return progress.sorts
        return otherwise

    def _key(self, template: Template, sorts: tuple[core.Sort, ...]) -> str:
        written = self.written_parameters(template)
        if all(sort is not None and not variables_of(sort) for sort in written):
            return template.key
        return f"{template.key}@({sorts_text(sorts)})"

    def _key_of(self, progress: _Progress) -> str:
        return self._key(progress.template, progress.sorts)

    def instance(
        self, template: Template, sorts: tuple[core.Sort, ...], node: Spanned, context: Context
    ) -> tuple[str, core.Sort]:
        """The key and result of a definition at given sorts; it is elaborated when it is first asked for."""
        key = self._key(template, sorts)
        key = self._widened.get(key, key)
        if key in self._failed:
            raise self._failed[key]
        if key in self.finished:
            return key, self.finished[key].result
        for progress in self._stack:
            if progress.template.key == template.key:
                return self._recursive(progress, sorts, node, context)
        known = self._provisional.get(template.key)
        if known is not None:
            return self._again(known[0], sorts, node, context)
        return self._fixpoint(_Progress(template, sorts, None, len(self._stack)), node, context)

    def elaborate_at(self, template: Template, sorts: tuple[core.Sort, ...]) -> str:
        """The key of a definition at given sorts; it is elaborated when it is first asked for."""
        keys: list[str] = []

        def use(context: Context) -> core.Term:
            key, result = self.instance(template, sorts, template.node, context)
            keys.append(key)
            return core.DefinitionCall(key, (), result)

        elaborate_to_fixpoint(self, template.scope, use, prefix=f"use of {template.key}", allow_free=False)
        return keys[-1]

    def _recursive(
        self, progress: _Progress, sorts: tuple[core.Sort, ...], node: Spanned, context: Context
    ) -> tuple[str, core.Sort]:
        """A call of a definition from within itself."""
        progress.recursive = True
        self._widen(progress, sorts, node, context)
        for above in self._stack[progress.place + 1 :]:
            above.lowest = min(above.lowest, progress.place)
        return self._key_of(progress), self._result(progress, node, context)

    def _again(
        self, progress: _Progress, sorts: tuple[core.Sort, ...], node: Spanned, context: Context
    ) -> tuple[str, core.Sort]:
        """A call of a definition that was elaborated in this round, as part of a group that is not finished."""
        before = progress.sorts
        progress.recursive = True
        self._widen(progress, sorts, node, context)
        for above in self._stack[progress.lowest + 1 :]:
            above.lowest = min(above.lowest, progress.lowest)
        if progress.sorts != before:
            self._stack[progress.lowest].changed = True
        return self._key_of(progress), self._result(progress, node, context)

    def _widen(
        self, progress: _Progress, sorts: tuple[core.Sort, ...], node: Spanned, context: Context
    ) -> None:
        joined = [join_sorts(a, b) for a, b in zip(progress.sorts, sorts, strict=True)]
        found = tuple(each for each in joined if each is not None)
        if len(found) < len(joined):
            name = progress.template.node.name
            context.reject(
                node,
                "polymorphic-recursion",
                f"{name} calls itself at ({sorts_text(sorts)}) while it is read at ({sorts_text(progress.sorts)})",
                found=sorts_text(sorts),
                expected=(sorts_text(progress.sorts),),
                hint="a recursive definition works at one tuple of sorts; write its types",
            )
        if found != progress.sorts:
            progress.sorts = found
            progress.changed = True

    def _result(self, progress: _Progress, node: Spanned, context: Context) -> core.Sort:
        written = self._instance_result(progress)
        if written is not None:
            return written
        if progress.result is not None:
            return progress.result
        name = progress.template.node.name
        return context.inference.fresh(
            f"result of {progress.template.key}", node, f"the result of {name}", bottom=True
        )

    def _instance_result(self, progress: _Progress) -> core.Sort | None:
        """The written result at the sorts of an instance."""
        result = self.written_result(progress.template)
        if result is None or not variables_of(result):
            return result
        values: dict[str, core.Sort] = {}
        for pattern, sort in zip(self.written_parameters(progress.template), progress.sorts, strict=True):
            if pattern is not None:
                _match_sort(pattern, sort, values)
        found = substitute_sort(result, values)
        return None if variables_of(found) else found

    def _fixpoint(self, progress: _Progress, node: Spanned, context: Context) -> tuple[str, core.Sort]:
        """Elaborate a definition, in rounds until its sorts and result stay the same."""
        asked = self._key_of(progress)
        self._stack.append(progress)
        try:
            progress.changed = True
            while progress.changed:
                progress.changed = False
                self._forget(progress)
                definition = self._body(progress)
            if progress.lowest == progress.place:
                if definition is None:
                    raise self._no_result(progress)
                self._finish(progress, definition)
            self._widened[asked] = self._key_of(progress)
        except ElaborationError as error:
            if len(self._stack) == 1:
                self._failed[self._key_of(progress)] = error
            raise
        finally:
            self._stack.pop()
        if progress.lowest < progress.place:
            self._provisional[progress.template.key] = (progress, definition)
        return self._key_of(progress), self._result(progress, node, context)

    def _forget(self, progress: _Progress) -> None:
        """Drop what the previous round elaborated on the way: its sorts may have changed."""
        for key, (inner, _) in list(self._provisional.items()):
            if inner.lowest >= progress.place:
                del self._provisional[key]

    def _body(self, progress: _Progress) -> core.Definition | None:
        """The definition as one round elaborates it; None if its result is not known yet."""
        template = progress.template
        source = template.node
        key = self._key(template, progress.sorts)
        pairs = zip(source.parameters, progress.sorts, strict=True)
        parameters = tuple(core.Variable(each.name, sort) for each, sort in pairs)
        written = self._instance_result(progress)
        found = self._elaborate(
            template,
            key,
            parameters,
            lambda context: (
                context.term(source.body) if written is None else context.checked(source.body, written)
            ),
        )
        sort = written or found.sort
        if sort is None:
            return None
        together = join_sorts(progress.result, sort) if progress.result is not None else sort
        if together is None:
            found.elaborator.reject(
                source,
                "different-sorts",
                f"{source.name} gives {sort_text(sort)} here and {sort_text(progress.result or sort)} there",
                hint="write the result: define f(…) : T = …",
            )
        if together != progress.result:
            progress.result = together
            progress.changed = progress.changed or progress.recursive
        if not found.complete:
            return None
        body = found.elaborator.adapt(found.term, together, source.body)
        self._measures[key] = self._decreases(template, key, parameters)
        self.places[key] = template.place
        return core.Definition(key, source.name, parameters, together, body)

    @staticmethod
    def _no_result(progress: _Progress) -> ElaborationError:
        name = progress.template.node.name
        return elaboration_error(
            progress.template.node,
            progress.template.scope.file,
            "needs-type",
            f"what {name} gives cannot be found out: every way through it calls it again",
            found=name,
            hint=f"write the result: define {name}(…) : T = …",
        )

    def _elaborate(
        self,
        template: Template,
        key: str,
        parameters: Sequence[core.Variable],
        elaborate: Callable[[Context], core.Term],
    ) -> ElaboratedExpression:
        return elaborate_to_fixpoint(
            self,
            template.scope,
            elaborate,
            prefix=key,
            allow_free=False,
            bound={variable.name: variable for variable in parameters},
        )

    def _decreases(
        self, template: Template, key: str, parameters: Sequence[core.Variable]
    ) -> tuple[core.Term, ...]:
        """The stated measures of a definition."""

        def measure(source: Expression) -> core.Term:
            return self._elaborate(
                template, f"{key}/decreases", parameters, lambda context: context.term(source)
            ).term

        return tuple(measure(each) for each in template.node.decreases)

    def _finish(self, progress: _Progress, definition: core.Definition) -> None:
        """Add a definition, with the recursive group elaborated on its way, to the finished ones."""
        group = [definition]
        for key, (inner, each) in list(self._provisional.items()):
            if inner.lowest >= progress.place:
                if each is None:
                    raise self._no_result(inner)
                group.append(each)
                del self._provisional[key]
        keys = {each.key for each in group}
        called = {
            each.key: {
                term.definition
                for term in subterms(each.body)
                if isinstance(term, core.DefinitionCall) and term.definition in keys
            }
            for each in group
        }
        recursive = len(group) > 1 or bool(called[definition.key])
        names = tuple(sorted(keys)) if recursive else ()
        finished = tuple(
            core.Definition(each.key, each.name, each.parameters, each.result, each.body, names)
            for each in group
        )
        for each in reversed(finished):
            self.finished[each.key] = each
        circular = {
            each.key: measure
            for each in finished
            for measure in reach(self._measures.get(each.key, ()), self.finished).definitions
            if measure in keys
        }
        if recursive:
            from kleis.termination.show_termination import show_termination

            sorts = [variable.sort for each in finished for variable in each.parameters]
            self.terminations.update(
                show_termination(
                    finished,
                    data=self._theory.groups(sorts),
                    measures={each.key: self._measures.get(each.key, ()) for each in finished},
                    place=self.places,
                )
            )
        if recursive and circular:
            reason = "what should become smaller is said by the recursion itself"
            self.terminations.update({each.key: Termination("unknown", reason=reason) for each in finished})


def _with_variables(sort: core.Sort) -> core.Sort:
    """A written sort with the opaque type names of one letter as type variables."""
    if isinstance(sort, core.Carrier) and len(sort.name) == 1 and not sort.arguments:
        return core.SortVariable(sort.name)
    return map_sort(sort, _with_variables)


def _match_sort(pattern: core.Sort, sort: core.Sort, values: dict[str, core.Sort]) -> None:
    if isinstance(pattern, core.SortVariable):
        values.setdefault(pattern.name, sort)
        return
    for inner, part in Inference.pieces(pattern, sort) or ():
        _match_sort(inner, part, values)
