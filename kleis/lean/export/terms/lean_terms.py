"""Terms and formulas of the core in Lean, with their definedness.

Lean's functions are total, so each formula φ has two formulas, T(φ) and F(φ), as in the SMT encoding
(docs/reference/proving.md §4.3); where neither holds φ is undefined.

Invariants
    * A formula is a term of type Prop, a truth value among values one of type Bool.
    * `classical` says that somewhere a formula without a decision procedure had to be decided.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from kleis import core
from kleis.core.sort_printing import sort_text
from kleis.core.traversal import substitute, subterms
from kleis.definedness.partial_logic import conditional, connective, equivalence
from kleis.lean.export.terms.conditionals import Decidability, specialised, tested, with_parts
from kleis.lean.export.terms.lean_builtins import OPERATIONS, coerced, literal
from kleis.lean.export.terms.lean_collections import component
from kleis.lean.export.terms.lean_names import Locals
from kleis.lean.export.terms.lean_types import DataNames, Sorts, call, not_expressible
from kleis.lean.export.terms.propositions import (
    FALSE,
    LEAN,
    TRUE,
    Formula,
    Value,
    cases,
    chosen,
    conjunction,
    decided,
    denied,
    exists,
    forall,
    implication,
    mentions,
    merged,
    numerals_compared,
    occurs,
    plain_truth,
    simplified,
    truth_value,
    where,
)
from kleis.lean.language import lean_tree as lean

__all__ = ["DefinitionUse", "Terms", "World"]


_APPLIED = {
    **dict.fromkeys(("list_map", "list_filter", "list_flatmap"), "members"),
    **dict.fromkeys(("sum_bounds", "prod_bounds", "sum_over"), "interval"),
}
"""Built-ins that call a function at every member of a list, or integer of an interval."""


class DefinitionUse(msgspec.Struct, frozen=True):
    """A definition as it is called: heads with their named type arguments.

    kind
        ``value``; ``bool``: decided by computation, of type Bool; ``prop``: a formula.
    defined
        The predicate that says where it has a value (of a formula: where it is true or false is `head` and `false`).
    """

    kind: str
    head: lean.Term
    defined: lean.Term | None = None
    false: lean.Term | None = None


class World(Protocol):
    """What the terms of one declaration refer to."""

    def symbol(self, symbol: core.Symbol) -> lean.Term:
        """The function of a symbol."""

    def definition(self, key: str) -> DefinitionUse:
        """A definition."""


class Terms:
    """Translates the terms of one declaration."""

    def __init__(
        self,
        world: World,
        sorts: Sorts,
        data: DataNames,
        locals_: Locals,
        decidability: Decidability,
        *,
        named_conditions: bool = False,
    ) -> None:
        self.world = world
        self.sorts = sorts
        self.data = data
        self.locals = locals_
        self.decidability = decidability
        self.classical = False
        self._named_conditions = named_conditions
        self._count = 0

    def binder(self, variable: core.Variable) -> lean.Binder:
        """A variable as it is bound."""
        return lean.Binder((self.locals(variable.name),), self.sorts.type(variable.sort))

    def statement(self, term: core.Term, *, assume_defined: bool = False) -> lean.Term:
        """What is claimed of a closed formula: that it is true; or only that it is nowhere false."""
        formula = self.formula(term)
        return simplified(denied(formula.false) if assume_defined else formula.true)

    # ── formulas ─────────────────────────────────────────────────────────────────────────────────────────

    def formula(self, term: core.Term) -> Formula:
        """A term of sort Bool."""
        match term:
            case core.LiteralTerm(value=value):
                return Formula(TRUE if value else FALSE)
            case core.Connective(name=name, arguments=arguments):
                return Formula(*connective(LEAN, name, [self.formula(each) for each in arguments]))
            case core.Equals(left=left, right=right):
                return self._equation(left, right)
            case core.Quantifier(kind=kind, variables=variables, body=body):
                return self._quantified(kind, variables, self.formula(body))
            case core.Conditional():
                return self._conditional_formula(term)
            case core.Let(variable=variable, value=value, body=body):
                return self._let_formula(variable, value, body)
            case core.Discrimination(constructor=constructor, term=inner):
                return self._made_by(constructor, inner)
            case core.DefinitionCall(definition=key, arguments=arguments):
                return self._called_formula(key, arguments)
            case core.Undefined():
                return Formula(FALSE, FALSE)
            case _:
                return self._atom(term)

    def _atom(self, term: core.Term) -> Formula:
        """A formula that is a call: symbols, built-ins and functions give formulas, variables and parts Bool."""
        value = self._plain(term)
        atom = value.term
        if isinstance(term, core.Variable | core.Selection | core.Coercion):
            atom = lean.Infix("=", atom, lean.Name("true"))
        return where(atom, value.defined)

    def _equation(self, left: core.Term, right: core.Term) -> Formula:
        if left.sort == core.BOOL:
            a, b = self.formula(left), self.formula(right)
            if a.total and b.total:
                return Formula(lean.Infix("↔", a.true, b.true))
            return Formula(*equivalence(LEAN, a, b))
        x, y = self.value(left), self.value(right)
        return where(lean.Infix("=", x.term, y.term), conjunction(x.defined, y.defined))

    def _quantified(self, kind: str, variables: Sequence[core.Variable], body: Formula) -> Formula:
        binders = merged(self.binder(each) for each in variables)
        if kind == "forall":
            return Formula(forall(binders, body.true), None if body.total else exists(binders, body.false))
        return Formula(exists(binders, body.true), None if body.total else forall(binders, body.false))

    def _conditional_formula(self, term: core.Conditional) -> Formula:
        subject = tested(term.condition)
        if subject is not None:
            return self._cases_formula(term, subject)
        condition = self.formula(term.condition)
        yes, no = self.formula(term.consequent), self.formula(term.alternative)
        if condition.total and yes.total and no.total:
            return Formula(chosen(condition.true, yes.true, no.true))
        return Formula(*conditional(LEAN, condition, yes, no))

    def _let_formula(self, variable: core.Variable, value: core.Term, body: core.Term) -> Formula:
        body = with_parts(body, variable, value)
        inner, formula = self.value(value), self.formula(body)
        true = conjunction(inner.defined, self._bound(variable, inner, formula.true))
        if inner.defined == TRUE and formula.total:
            return Formula(true)
        return Formula(true, conjunction(inner.defined, self._bound(variable, inner, formula.false)))

    def _bound(self, variable: core.Variable, value: Value, body: lean.Term) -> lean.Term:
        name = self.locals(variable.name)
        if not mentions(body, name):
            return body
        return lean.LetIn(name, self.sorts.type(variable.sort), value.term, body)

    def _made_by(self, constructor: core.Constructor, inner: core.Term) -> Formula:
        value = self.value(inner)
        if constructor.alone:
            return where(TRUE, value.defined)
        if not constructor.fields:
            return where(lean.Infix("=", value.term, self._head(constructor)), value.defined)
        test = lean.Match(
            value.term,
            (
                lean.Arm(self._any(constructor), lean.Name("true")),
                lean.Arm(lean.Name("_"), lean.Name("false")),
            ),
        )
        return where(lean.Infix("=", test, lean.Name("true")), value.defined)

    def _called_formula(self, key: str, arguments: Sequence[core.Term]) -> Formula:
        given = [self.value(each) for each in arguments]
        terms = [each.term for each in given]
        defined = conjunction(*(each.defined for each in given))
        use = self.world.definition(key)
        if use.kind == "bool":
            return where(lean.Infix("=", call(use.head, *terms), lean.Name("true")), defined)
        true = call(use.head, *terms)
        if use.false is None:
            return where(true, defined)
        return Formula(conjunction(defined, true), conjunction(defined, call(use.false, *terms)))

    # ── values ───────────────────────────────────────────────────────────────────────────────────────────

    def value(self, term: core.Term) -> Value:
        """A term as a value; a formula as one of type Bool."""
        if term.sort == core.BOOL and not isinstance(term, core.Variable | core.Selection):
            formula = self.formula(term)
            return Value(self._truth(formula.true, term), formula.defined)
        match term:
            case core.LiteralTerm():
                return Value(literal(term, self.sorts))
            case core.Construction(constructor=constructor, arguments=arguments):
                return self._construction(constructor, arguments)
            case core.Conditional():
                return self._conditional(term)
            case core.Let(variable=variable, value=inner, body=body):
                given, result = self.value(inner), self.value(with_parts(body, variable, inner))
                bound = self._bound(variable, given, result.term)
                return Value(bound, conjunction(given.defined, self._bound(variable, given, result.defined)))
            case core.DefinitionCall(definition=key, arguments=arguments):
                return self._called(key, arguments)
            case core.Lambda(variables=variables, body=body):
                return self._lambda(variables, body)
            case core.Coercion(term=inner, sort=sort):
                value = self.value(inner)
                return Value(coerced(value.term, inner.sort, sort, self.sorts), value.defined)
            case core.Narrowing(term=inner):
                value = self.value(inner)
                natural = lean.Infix("≤", lean.Typed(lean.Number(0), lean.Name("ℤ")), value.term)
                return Value(call(lean.Name("Int.toNat"), value.term), conjunction(value.defined, natural))
            case core.Undefined(sort=sort):
                return Value(self.sorts.some(sort), FALSE)
            case _:
                return self._plain(term)

    def _truth(self, formula: lean.Term, term: core.Term) -> lean.Term:
        """A formula as a value of type Bool."""
        plain = plain_truth(formula)
        if plain is not None:
            return plain
        if not self.decidability.formula(term):
            self.classical = True
        return truth_value(formula)

    def _plain(self, term: core.Term) -> Value:
        """Atoms: variables, symbols, built-ins, selections, applications."""
        match term:
            case core.Variable(name=name):
                return Value(lean.Name(self.locals(name)))
            case core.SymbolCall(symbol=symbol, arguments=arguments):
                return self._strict(arguments, lambda given: call(self.world.symbol(symbol), *given))
            case core.BuiltinCall(operation=operation, arguments=arguments):
                return self._builtin(operation, arguments)
            case core.Selection(constructor=constructor, index=index, term=inner):
                return self._selection(constructor, index, inner)
            case core.Application(function=function, arguments=arguments):
                head = self.value(function)
                value = self._strict(arguments, lambda given: lean.Call(head.term, tuple(given)))
                if isinstance(function, core.Lambda):
                    raise not_expressible(
                        "a function that is written where it is applied", "write let instead"
                    )
                return Value(value.term, conjunction(head.defined, value.defined))
            case _:
                raise not_expressible(f"{type(term).__name__} of {sort_text(term.sort)} has no Lean form")

    def _strict(self, arguments: Sequence[core.Term], build: Callable[[list[lean.Term]], lean.Term]) -> Value:
        given = [self.value(each) for each in arguments]
        return Value(build([each.term for each in given]), conjunction(*(each.defined for each in given)))

    # ── constructors ─────────────────────────────────────────────────────────────────────────────────────

    def _head(self, constructor: core.Constructor) -> lean.Term:
        """A constructor, or the value of one without fields."""
        if isinstance(constructor.sort, core.ListOf):
            return lean.ListLiteral(()) if not constructor.fields else lean.Name("List.cons")
        name = lean.Name(self.data.constructor(constructor))
        return name if constructor.fields else lean.Typed(name, self.sorts.type(constructor.sort))

    def _construction(self, constructor: core.Constructor, arguments: Sequence[core.Term]) -> Value:
        def build(given: list[lean.Term]) -> lean.Term:
            if isinstance(constructor.sort, core.ListOf) and given:
                rest = given[1]
                inner = rest.term if isinstance(rest, lean.Typed) else rest
                if isinstance(inner, lean.ListLiteral):
                    return lean.Typed(
                        lean.ListLiteral((given[0], *inner.items)), self.sorts.type(constructor.sort)
                    )
                return lean.Infix("::", given[0], rest)
            if isinstance(constructor.sort, core.ListOf):
                return lean.Typed(lean.ListLiteral(()), self.sorts.type(constructor.sort))
            if isinstance(constructor.sort, core.TupleOf):
                return lean.Tuple(tuple(given))
            return call(self._head(constructor), *given)

        return self._strict(arguments, build)

    def _any(self, constructor: core.Constructor) -> lean.Term:
        return self.pattern(constructor, ["_"] * len(constructor.fields))

    def pattern(self, constructor: core.Constructor, names: Sequence[str]) -> lean.Term:
        """A constructor as a pattern."""
        parts: list[lean.Term] = [lean.Name(each) for each in names]
        if isinstance(constructor.sort, core.ListOf):
            return lean.Infix("::", parts[0], parts[1]) if parts else lean.ListLiteral(())
        if isinstance(constructor.sort, core.TupleOf):
            return lean.Tuple(tuple(parts))
        return call(lean.Name(self.data.constructor(constructor)), *parts)

    def _selection(self, constructor: core.Constructor, index: int, inner: core.Term) -> Value:
        value = self.value(inner)
        match constructor.sort:
            case core.TupleOf(items=items):
                return Value(component(value.term, index, len(items)), value.defined)
            case core.RecordOf(fields=fields):
                name, projections = self.data.record(tuple(each for each, _ in fields))
                return Value(call(lean.Name(f"{name}.{projections[index]}"), value.term), value.defined)
            case _:
                pass
        part = self.locals.fresh("part")
        names = [part if place == index else "_" for place in range(len(constructor.fields))]
        arms = [lean.Arm(self.pattern(constructor, names), lean.Name(part))]
        if constructor.alone:
            return Value(lean.Match(value.term, tuple(arms)), value.defined)
        arms.append(lean.Arm(lean.Name("_"), self.sorts.some(constructor.fields[index].sort)))
        return Value(lean.Match(value.term, tuple(arms)), self._made_by(constructor, inner).true)

    # ── conditionals and matches ─────────────────────────────────────────────────────────────────────────

    def _conditional(self, term: core.Conditional) -> Value:
        subject = tested(term.condition)
        if subject is not None:
            return self._cases(term, subject)
        condition = self.formula(term.condition)
        yes, no = self.value(term.consequent), self.value(term.alternative)
        if not self.decidability.formula(term.condition):
            self.classical = True
        name = self.locals.fresh("h") if self._named_conditions else ""
        result = lean.If(decided(condition.true), yes.term, no.term, name)
        branches: lean.Term = TRUE
        if (yes.defined, no.defined) != (TRUE, TRUE):
            branches = chosen(condition.true, yes.defined, no.defined)
        return Value(result, conjunction(condition.defined, branches))

    def _branches(self, term: core.Term, subject: core.Term) -> list[tuple[lean.Term, core.Term]]:
        """The cases of a term by the constructor of a value: patterns, and the term in each case."""
        found: list[tuple[lean.Term, core.Term]] = []
        for constructor in self.data.constructors(subject.sort):
            parts = [self._part(each.name, each.sort) for each in constructor.fields]
            body = specialised(term, subject, constructor, parts)
            if self._named_conditions and isinstance(subject, core.Variable):
                # Of a recursion Lean has to see how the whole is made of the parts.
                body = substitute(body, {subject.name: core.Construction(constructor, tuple(parts))})
            names = [self.locals(each.name) if occurs(each, body) else "_" for each in parts]
            found.append((self.pattern(constructor, names), body))
        return found

    def _part(self, name: str, sort: core.Sort) -> core.Variable:
        self._count += 1
        return core.Variable(f"{name if not name.startswith('_') else 'part'}\0{self._count}", sort)

    def opened(self, term: core.Term, parameter: core.Variable) -> Value:
        """A value in which a parameter of one constructor is matched, so that its parts are seen to be smaller."""
        return self._cases(term, parameter)

    def _cases(self, term: core.Term, subject: core.Term) -> Value:
        value = self.value(subject)
        branches = [(pattern, self.value(body)) for pattern, body in self._branches(term, subject)]
        result = cases(value.term, [(pattern, each.term) for pattern, each in branches])
        defined = cases(value.term, [(pattern, each.defined) for pattern, each in branches])
        return Value(result, conjunction(value.defined, defined))

    def _cases_formula(self, term: core.Conditional, subject: core.Term) -> Formula:
        value = self.value(subject)
        branches = [(pattern, self.formula(body)) for pattern, body in self._branches(term, subject)]
        true = cases(value.term, [(pattern, each.true) for pattern, each in branches])
        if value.defined == TRUE and all(each.total for _, each in branches):
            return Formula(true)
        false = cases(value.term, [(pattern, each.false) for pattern, each in branches])
        return Formula(conjunction(value.defined, true), conjunction(value.defined, false))

    # ── calls ────────────────────────────────────────────────────────────────────────────────────────────

    def _called(self, key: str, arguments: Sequence[core.Term]) -> Value:
        use = self.world.definition(key)
        value = self._strict(arguments, lambda given: call(use.head, *given))
        if use.defined is None:
            return value
        inside = self._strict(arguments, lambda given: call(use.defined or TRUE, *given))
        return Value(value.term, conjunction(value.defined, inside.term))

    def _builtin(self, operation: core.Operation, arguments: Sequence[core.Term]) -> Value:
        given: list[Value] = []
        everywhere: lean.Term = TRUE
        for place, each in enumerate(arguments):
            if place == 0 and isinstance(each, core.Lambda) and operation.name in _APPLIED:
                value, everywhere = self._function(each, _APPLIED[operation.name], arguments)
                given.append(value)
            else:
                given.append(self.value(each))
        terms = [each.term for each in given]
        encoder = OPERATIONS.get(operation.name)
        result = encoder(operation, terms, self.sorts) if encoder else None
        if result is None:
            for sort in (*(each.sort for each in operation.parameters), operation.result):
                self.sorts.type(sort)  # a type without a form is the better reason
            raise not_expressible(f"the built-in {operation.name} has no definition in Lean here")
        if operation.name == "list_filter" and not self._is_tested(arguments[0]):
            self.classical = True
        condition: lean.Term = TRUE
        if operation.condition is not None:
            names = (each.name for each in operation.parameters)
            inside = substitute(operation.condition, dict(zip(names, arguments, strict=True)))
            condition = numerals_compared(self.formula(inside).true)
        return Value(result, conjunction(*(each.defined for each in given), everywhere, condition))

    def _is_tested(self, predicate: core.Term) -> bool:
        """Whether a predicate that is written out is decided, with the conditions of what it calls."""
        if not isinstance(predicate, core.Lambda) or not self.decidability.formula(predicate.body):
            return False
        for each in subterms(predicate.body):
            if isinstance(each, core.DefinitionCall):
                use = self.world.definition(each.definition)
                if use.kind == "prop" or use.defined is not None:
                    return False
            elif isinstance(each, core.BuiltinCall):
                condition = each.operation.condition
                if condition is not None and not self.decidability.formula(condition):
                    return False
        return True

    def _function(
        self, function: core.Lambda, applied: str, arguments: Sequence[core.Term]
    ) -> tuple[Value, lean.Term]:
        """A function given to a built-in, and the condition that it has a value wherever the built-in calls it."""
        binders = tuple(self.binder(each) for each in function.variables)
        if function.body.sort == core.BOOL:
            formula = self.formula(function.body)
            inner, defined = formula.true, formula.defined
        else:
            value = self.value(function.body)
            inner, defined = value.term, value.defined
        argument = lean.Name(binders[0].names[0])
        if applied == "members":
            asked: lean.Term = lean.Infix("∈", argument, self.value(arguments[1]).term)
        else:
            low, high = self.value(arguments[1]).term, self.value(arguments[2]).term
            asked = conjunction(lean.Infix("≤", low, argument), lean.Infix("≤", argument, high))
        return Value(lean.Bind("fun", binders, inner)), forall(binders, implication(asked, defined))

    def _lambda(self, variables: Sequence[core.Variable], body: core.Term) -> Value:
        binders = tuple(self.binder(each) for each in variables)
        if body.sort == core.BOOL:
            formula = self.formula(body)
            total, inner = formula.total, formula.true
        else:
            value = self.value(body)
            total, inner = value.defined == TRUE, value.term
        if not total:
            raise not_expressible(
                "a function that is not defined everywhere, as a value", "define it for all arguments"
            )
        return Value(lean.Bind("fun", binders, inner))
