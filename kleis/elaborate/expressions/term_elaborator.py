"""Expressions to core terms: one expression in one pass.

Calls are in `call_elaboration`, patterns in `match_elaboration`; unknown sorts are variables of
`kleis.elaborate.sorts.sort_inference`.

Invariants
    * A term is well sorted as far as its sorts are known; in the last pass all are.
    * Coercions are inserted by `TermElaborator.adapt` alone; the only narrowing is ℤ to ℕ, with its condition.
    * A bound variable has a name that is not bound around it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Never

import msgspec

from kleis import core
from kleis.budget import LONGEST_LIST, Budget, Meter
from kleis.builtins.real_constants import CONSTANT_READINGS, LETTERS
from kleis.core.sort_operations import join_sorts, rank
from kleis.core.sort_printing import elaboration_error, sort_text
from kleis.core.terms import construct_list
from kleis.core.traversal import is_closed, subterms
from kleis.elaborate.expressions.applications import apply_value
from kleis.elaborate.expressions.call_elaboration import call, named_value
from kleis.elaborate.expressions.elaboration_context import Declarations
from kleis.elaborate.expressions.match_elaboration import elaborate_let, elaborate_match
from kleis.elaborate.scopes.scope import Scope
from kleis.elaborate.sorts.read_sorts import INFERRED, segment_size
from kleis.elaborate.sorts.sort_inference import FREE, Cost, Inference
from kleis.errors import BudgetError
from kleis.problems import Place, Spanned
from kleis.syntax import tree
from kleis.syntax.tree.traversal import walk
from kleis.values.text import number_from_text

__all__ = ["ANY", "TermElaborator"]

ANY = core.SortVariable("_")
"""Stands for a sort of which nothing is expected: the codomain of a function elaborated before its call is decided."""

_SET_MAKERS = frozenset(
    {"empty_set", "singleton", "insert", "remove", "union", "intersect", "difference", "complement"}
)
"""Built-ins that make a set of elements of one sort, whatever the sort."""


class TermElaborator:
    """One expression in one pass: the `Context` of the cases, which recur through it.

    `prefix` tells apart the unknown sorts of expressions that share source (the instances of a template).
    `allow_free` says whether unbound names that are declared nowhere are free names (in propositions) or errors (in
    declarations).  `bound` are the names bound around the expression.
    """

    def __init__(
        self,
        definitions: Declarations,
        scope: Scope,
        inference: Inference,
        *,
        prefix: str,
        allow_free: bool,
        constants: frozenset[str] = frozenset(),
        bound: Mapping[str, core.Term] | None = None,
    ) -> None:
        self.definitions = definitions
        self.scope = scope
        self.inference = inference
        self.prefix = prefix
        self.allow_free = allow_free
        self._constants = constants
        self.environment: dict[str, core.Term] = dict(bound or {})
        self.names: set[str] = {
            term.name for term in self.environment.values() if isinstance(term, core.Variable)
        }
        self.free: dict[str, core.Variable] = {}

    # ── places, names, errors ───────────────────────────────────────────────────────────────────────────

    def place(self, node: Spanned) -> Place:
        """Where a node stands."""
        return Place(self.scope.file, node.span.line, node.span.column)

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
        raise elaboration_error(
            node, self.scope.file, code, message, found=found, expected=expected, hint=hint
        )

    def unknown(self, node: Spanned, tag: str, what: str) -> core.Sort:
        """The sort of something that has none written, if known by now; else a variable for it."""
        return self.inference.fresh(f"{self.prefix}/{id(node)}/{tag}", node, what)

    def sort(self, term: core.Term) -> core.Sort:
        """The sort of a term, as far as it is known."""
        return self.inference.resolve(term.sort)

    def reads_constant(self, name: str) -> bool:
        """Whether a name that nothing declares is a constant; a letter such as `e` only where that was found out."""
        if name not in CONSTANT_READINGS:
            return False
        return name not in LETTERS or name in self._constants or (name != "i" and not self.allow_free)

    def free_name(self, node: tree.Name) -> core.Variable:
        """The variable of a name that nothing declares; an outermost ∀ will bind it."""
        if node.name not in self.free:
            key = f"{self.prefix}/free/{node.name}"
            sort = self.inference.fresh(key, node, f"the free name {node.name}")
            self.free[node.name] = core.Variable(node.name, sort)
        return self.free[node.name]

    @contextmanager
    def bound(self, values: Mapping[str, core.Term]) -> Iterator[None]:
        """Names in scope while a body is elaborated."""
        environment, names = self.environment, self.names
        self.environment = {**environment, **values}
        self.names = names | {value.name for value in values.values() if isinstance(value, core.Variable)}
        try:
            yield
        finally:
            self.environment, self.names = environment, names

    def variable(self, name: str, sort: core.Sort, also: Sequence[core.Variable] = ()) -> core.Variable:
        """A variable to bind, called `name` or, where that is bound around or among `also`, `name` with a number."""
        taken = self.names | {each.name for each in also}
        stem, count = name, 0
        while name in taken:
            count += 1
            name = f"{stem}_{count}"
        return core.Variable(name, sort)

    # ── terms ────────────────────────────────────────────────────────────────────────────────────────────

    def checked(self, node: tree.Expression, wanted: core.Sort) -> core.Term:
        """An expression as a term of the given sort."""
        return self.adapt(self.term(node, wanted), wanted, node)

    def formula(self, node: tree.Expression) -> core.Term:
        """An expression as a formula."""
        return self.checked(node, core.BOOL)

    def term(self, node: tree.Expression, expected: core.Sort | None = None) -> core.Term:
        """An expression as a term; `expected` is the sort it will be adapted to, if that is known."""
        if expected == ANY:
            expected = None
        match node:
            case tree.Number():
                return self._number(node)
            case tree.Text():
                return core.LiteralTerm(node.value, core.STRING)
            case tree.Boolean():
                return core.LiteralTerm(node.value, core.BOOL)
            case tree.Name():
                return named_value(self, node, expected)
            case tree.Call():
                return call(self, node, expected)
            case tree.Apply():
                return apply_value(self, node, self.term(node.function), node.arguments)
            case tree.ListLiteral():
                return self._list(node, expected)
            case tree.Quantifier():
                return self._quantifier(node)
            case tree.Conditional():
                condition = self.formula(node.condition)
                branches = [self.term(node.consequent, expected), self.term(node.alternative, expected)]
                consequent, alternative = self.joined(branches, [node.consequent, node.alternative], "if")
                return core.Conditional(condition, consequent, alternative)
            case tree.Let():
                return elaborate_let(self, node, expected)
            case tree.Lambda():
                return self._lambda(node, expected)
            case tree.Match():
                return elaborate_match(self, node, expected)
            case tree.Ascription():
                return self.checked(node.expression, self.written(node.type))
            case tree.Using():
                return self.reject(
                    node,
                    "misplaced-using",
                    "using stands before a whole proposition",
                    hint="write it first: using S proposition",
                )

    def _number(self, node: tree.Number) -> core.Term:
        try:
            value = number_from_text(node.text, Meter(Budget()))
        except BudgetError as error:
            self.reject(node, "number-too-large", str(error), found=node.text)
        return core.LiteralTerm(value, core.NATURAL if isinstance(value, int) else core.RATIONAL)

    def written(self, node: tree.TypeExpression, also: Collection[str] = ()) -> core.Sort:
        """The sort of a written type; `also` are names of values beside those that are bound around it.

        A carrier whose arguments are values is rejected: it would be empty for none of them, and ``Fin(0)`` is empty.
        """
        sort = self.scope.sort(node)
        for family in walk(node):
            if not isinstance(family, tree.AppliedType) or not isinstance(
                self.scope.sort(family), core.Carrier
            ):
                continue
            for each in walk(family):
                if isinstance(each, tree.NamedType) and (each.name in self.environment or each.name in also):
                    self.reject(
                        each,
                        "dependent-type",
                        f"{family.name} is declared nowhere, and what it has would depend on the value of {each.name}",
                        found=each.name,
                        hint=f"bound a number instead: ∀(i : ℕ). i < {each.name} → …, or ∃(i : ℕ). i < {each.name} ∧ …",
                    )
        return sort

    def _list(self, node: tree.ListLiteral, expected: core.Sort | None) -> core.Term:
        wanted = self.inference.resolve(expected) if expected is not None else None
        element = wanted.element if isinstance(wanted, core.ListOf) else None
        if len(node.items) > LONGEST_LIST:
            message = f"a list of {len(node.items)} elements is too long to be written out in a proposition"
            self.reject(
                node, "too-large", message, expected=(f"at most {LONGEST_LIST}",), hint="define it by a rule"
            )
        items = [self.term(item, element) for item in node.items]
        if not items:
            element = element or self.unknown(node, "element", "the elements of []")
            return construct_list([], element)
        # What is expected is a hint: nothing is narrowed to it here, for the other side of = may be wider.
        costs = [self.inference.cost(item.sort, element) if element is not None else None for item in items]
        if element is not None and all(cost is not None and not cost[0] for cost in costs):
            items = [self.adapt(item, element, at) for item, at in zip(items, node.items, strict=True)]
            return construct_list(items, element)
        items = self.joined(items, node.items, "a list")
        return construct_list(items, items[0].sort)

    def joined(
        self, terms: Sequence[core.Term], nodes: Sequence[tree.Expression], what: str
    ) -> list[core.Term]:
        """Terms brought to the least sort that all of them have."""
        joined: core.Sort | None = None
        for term, node in zip(terms, nodes, strict=True):
            sort = self.sort(term)
            together = sort if joined is None else self.join(joined, sort)
            if together is None:
                assert joined is not None
                self.reject(
                    node,
                    "different-sorts",
                    f"the parts of {what} have different sorts: {sort_text(joined)} and {sort_text(sort)}",
                    found=sort_text(sort),
                    expected=(sort_text(joined),),
                    hint="every part must be of one sort; numbers are widened by themselves",
                )
            joined = self.inference.resolve(together)
        assert joined is not None
        return [self.adapt(term, joined, node) for term, node in zip(terms, nodes, strict=True)]

    def join(self, a: core.Sort, b: core.Sort) -> core.Sort | None:
        """The least sort that both are coerced to, learning what is unknown; None if there is none."""
        join = join_sorts(a, b)
        if join is not None:
            return join
        for variable, other in ((a, b), (b, a)):
            if isinstance(variable, core.SortVariable) and isinstance(other, core.Numeric):
                if self.inference.is_bottom(variable):
                    return other
                self.inference.filled_with(variable, other)
                return variable
        return a if self.inference.unify(a, b) else None

    def _quantifier(self, node: tree.Quantifier) -> core.Term:
        variables: list[core.Variable] = []
        values: dict[str, core.Term] = {}
        conditions: list[tree.Expression] = []
        for binder in node.binders:
            sort = self._binder_sort(node, binder, values)
            size = segment_size(sort)
            if size is not None:
                sort = core.NATURAL
                sides = tree.Name(binder.name, binder.span), tree.Number(str(size), binder.span)
                conditions.append(tree.Call("less_than", sides, binder.span))
            variable = self.variable(binder.name, sort, variables)
            variables.append(variable)
            values[binder.name] = variable
        conditions += [node.where] if node.where is not None else []
        with self.bound(values):
            restrictions = tuple(self.formula(each) for each in conditions)
            body = self.formula(node.body)
        if restrictions:
            where = core.Connective("and", restrictions) if len(restrictions) > 1 else restrictions[0]
            body = core.Connective("implies" if node.kind == "forall" else "and", (where, body))
        return core.Quantifier(node.kind, tuple(variables), body)

    def _binder_sort(self, node: tree.Quantifier, binder: tree.Binder, before: Collection[str]) -> core.Sort:
        """The sort of a bound variable; of ``x ∈ S``, the sort of what S holds. `before` are bound with it."""
        if not (isinstance(binder.type, tree.NamedType) and binder.type.name == INFERRED):
            return self.written(binder.type, before)
        sort = self.unknown(binder, "binder", f"the variable {binder.name}")
        for each in walk(node.where) if node.where is not None else ():
            match each:
                case tree.Call(name="in_set", arguments=(tree.Name(name=name), container)) if (
                    name == binder.name
                ):
                    held = self.sort(self.term(container))
                    if isinstance(held, core.SetOf | core.ListOf):
                        self.inference.unify(sort, held.element)
        return self.inference.resolve(sort)

    def _lambda(self, node: tree.Lambda, expected: core.Sort | None) -> core.Term:
        wanted = self.inference.resolve(expected) if expected is not None else None
        if isinstance(wanted, core.FunctionOf) and len(wanted.domain) != len(node.parameters):
            self.reject(
                node,
                "arity",
                f"this function takes {len(node.parameters)} arguments where {len(wanted.domain)} are given",
                found=str(len(node.parameters)),
                expected=(str(len(wanted.domain)),),
            )
        domain = wanted.domain if isinstance(wanted, core.FunctionOf) else None
        variables: list[core.Variable] = []
        values: dict[str, core.Term] = {}
        for place, parameter in enumerate(node.parameters):
            if parameter.type is not None:
                sort = self.written(parameter.type)
            elif domain is not None:
                sort = self.inference.resolve(domain[place])
            else:
                sort = self.unknown(parameter, "parameter", f"the parameter {parameter.name}")
            variable = self.variable(parameter.name, sort, variables)
            variables.append(variable)
            values[parameter.name] = variable
        with self.bound(values):
            body = self.term(node.body, wanted.codomain if isinstance(wanted, core.FunctionOf) else None)
        return core.Lambda(tuple(variables), body)

    def cost(self, term: core.Term, wanted: core.Sort) -> Cost | None:
        """What it costs to use a term as of a sort; None if it cannot be.  Of a list or tuple literal, the parts count."""
        cost = self.inference.cost(term.sort, wanted)
        if cost is not None or not isinstance(term, core.Construction) or not term.arguments:
            return cost
        return self._cost_of_parts(term, wanted)

    def _cost_of_parts(self, term: core.Construction, wanted: core.Sort) -> Cost | None:
        constructor = self.definitions.constructor_at(term.constructor, self.inference.resolve(wanted))
        if constructor is None:
            return None
        total = FREE
        for part, field in zip(term.arguments, constructor.fields, strict=True):
            inside = self.inference.cost(part.sort, field.sort)
            if inside is None and isinstance(part, core.Construction):
                inside = self._cost_of_parts(part, field.sort)
            if inside is None:
                return None
            total = (total[0] + inside[0], total[1] + inside[1], total[2] + inside[2])
        return total

    # ── coercions ────────────────────────────────────────────────────────────────────────────────────────

    def adapt(self, term: core.Term, wanted: core.Sort, node: Spanned, role: str = "this") -> core.Term:
        """A term coerced to the sort its place requires; `ElaborationError` if it cannot be, which calls it `role`."""
        given, wanted = self.sort(term), self.inference.resolve(wanted)
        if given == wanted:
            return term
        if isinstance(given, core.SortVariable) or isinstance(wanted, core.SortVariable):
            return self._learn(term, given, wanted, node, role)
        if isinstance(given, core.Numeric) and isinstance(wanted, core.Numeric):
            if rank(given) < rank(wanted):
                return core.Coercion(term.term if isinstance(term, core.Coercion) else term, wanted)
            if (given.name, wanted.name) == ("ℤ", "ℕ"):
                return core.Narrowing(term)
        elif (inside := self._adapt_inside(term, given, wanted, node)) is not None:
            return inside
        return self._mismatch(given, wanted, node, role)

    def _learn(
        self, term: core.Term, given: core.Sort, wanted: core.Sort, node: Spanned, role: str
    ) -> core.Term:
        if isinstance(given, core.SortVariable) and isinstance(wanted, core.Numeric):
            self.inference.used_as(given, wanted)
            return core.Coercion(term, wanted)
        if isinstance(wanted, core.SortVariable) and isinstance(given, core.Numeric):
            self.inference.filled_with(wanted, given)
            return core.Coercion(term, wanted)
        if not self.inference.unify(given, wanted):
            return self._mismatch(given, wanted, node, role)
        return term

    def _adapt_inside(
        self, term: core.Term, given: core.Sort, wanted: core.Sort, node: Spanned
    ) -> core.Term | None:
        """The same value, built at the wanted sort; None if no coercion leads there."""
        if not (self.inference.known(given) and self.inference.known(wanted)):
            self.inference.unify(given, wanted)
        if isinstance(term, core.Conditional):
            consequent = self.adapt(term.consequent, wanted, node)
            return core.Conditional(term.condition, consequent, self.adapt(term.alternative, wanted, node))
        if isinstance(term, core.Let):
            return core.Let(term.variable, term.value, self.adapt(term.body, wanted, node))
        if isinstance(term, core.Undefined) and self.inference.cost(given, wanted) is not None:
            return core.Undefined(wanted, term.reason)
        if isinstance(term, core.Construction):
            constructor = self.definitions.constructor_at(term.constructor, wanted)
            if constructor is not None and len(constructor.fields) == len(term.arguments):
                fields = zip(term.arguments, constructor.fields, strict=True)
                return core.Construction(
                    constructor, tuple(self.adapt(each, field.sort, node) for each, field in fields)
                )
        if (
            isinstance(given, core.SetOf)
            and isinstance(wanted, core.SetOf)
            and isinstance(term, core.BuiltinCall)
        ):
            widened = self._widened_set(term, given, wanted, node)
            if widened is not None:
                return widened
        if isinstance(given, core.FunctionOf) and isinstance(wanted, core.FunctionOf):
            if self.inference.cost(given, wanted) is None and not isinstance(term, core.Lambda):
                return None
            return self._adapt_function(term, given, wanted, node)
        if self.inference.cost(given, wanted) is None:
            return None
        return core.Coercion(term, wanted)

    def _widened_set(
        self, term: core.BuiltinCall, given: core.SetOf, wanted: core.SetOf, node: Spanned
    ) -> core.Term | None:
        """A set of literals alone, built at the wider sort, so that a complement is taken there.

        None where a part has a sort of its own (a variable, a symbol): then the set stays, and only its sort changes.
        """
        if term.operation.name not in _SET_MAKERS or not is_closed(term):
            return None
        sorts = {given: wanted, given.element: wanted.element}
        parameters = tuple(
            core.Variable(each.name, sorts.get(each.sort, each.sort)) for each in term.operation.parameters
        )
        operation = msgspec.structs.replace(term.operation, parameters=parameters, result=wanted)
        arguments = tuple(
            self.adapt(argument, parameter.sort, node)
            for argument, parameter in zip(term.arguments, parameters, strict=True)
        )
        return core.BuiltinCall(operation, arguments)

    def _adapt_function(
        self, term: core.Term, given: core.FunctionOf, wanted: core.FunctionOf, node: Spanned
    ) -> core.Term | None:
        if len(given.domain) != len(wanted.domain):
            return None
        if isinstance(term, core.Lambda) and given.domain == wanted.domain:
            return core.Lambda(term.variables, self.adapt(term.body, wanted.codomain, node))
        inside = [each for each in subterms(term) if isinstance(each, core.Variable)]
        variables: list[core.Variable] = []
        for sort in wanted.domain:
            variables.append(self.variable("x", sort, [*inside, *variables]))
        arguments = tuple(
            self.adapt(variable, sort, node) for variable, sort in zip(variables, given.domain, strict=True)
        )
        body = self.adapt(core.Application(term, arguments, given.codomain), wanted.codomain, node)
        return core.Lambda(tuple(variables), body)

    def _mismatch(self, given: core.Sort, wanted: core.Sort, node: Spanned, role: str) -> Never:
        numbers = isinstance(given, core.Numeric) and isinstance(wanted, core.Numeric)
        self.reject(
            node,
            "wrong-sort",
            f"{role} is of type {sort_text(given)}, where {sort_text(wanted)} is required",
            found=sort_text(given),
            expected=(sort_text(wanted),),
            hint="numbers are coerced upward only: ℕ ⊂ ℤ ⊂ ℚ ⊂ ℝ ⊂ ℂ; use floor for the other way"
            if numbers
            else "",
        )
