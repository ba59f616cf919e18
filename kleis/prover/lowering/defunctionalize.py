"""Tasks without list built-ins and without functions as arguments, as far as they can be removed.

See docs/reference/proving.md §9.2.

    map(λ x . x + a, l)      becomes      f(a, l)    with    f(a, Nil) = Nil,  f(a, Cons(h, t)) = Cons(h + a, f(a, t))

What solvers and inductions see is then first-order: a definition that passes a function through unchanged in its
recursion is written once for every function it is called with; the variables captured by that function become
parameters.  Definitions of programs are treated like those of built-ins.

Invariants
    * Claim, axioms and lemmas mean the same before and after: a definition's call is the built-in's value.
    * A function that a claim is about (∀ f …) becomes an unknown operation where it is passed through: a claim holds of
      all functions if and only if it holds of an unknown one.  Such a task has no countermodel that could be read back.
    * The same task gives the same definitions under the same keys, and lowering a lowered task changes nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from kleis import core
from kleis.core.goal import Axiom, Termination
from kleis.core.sort_operations import erased
from kleis.core.sort_printing import sort_text
from kleis.core.terms import tuple_constructor
from kleis.core.traversal import (
    apart_from,
    canonical,
    free_variables,
    parts,
    rebuild,
    stripped,
    substitute,
    subterms,
)
from kleis.definedness.discharge import discharged, is_discharged
from kleis.prover.lowering.list_terms import cons, direct, head, is_nil, nil, tail
from kleis.prover.lowering.named_selections import named_selections
from kleis.prover.lowering.recursive_lists import BUILT_IN, Recursive, recursive
from kleis.prover.protocol.engine import Task

__all__ = ["Lowered", "expanded", "lowered"]

_MOST = 80
"""The number of definitions that are written at most; a task that needs more stays as it is."""


class Lowered(msgspec.Struct, frozen=True):
    """A lowered task, and what was written for it.

    calls
        By the key of a definition that was written: its parameters, and the term that a call of it stands for.
    operations
        By the name of a function variable of the claim: the unknown operation that stands for it.
    """

    task: Task
    calls: Mapping[str, tuple[tuple[core.Variable, ...], core.Term]]
    operations: Mapping[str, core.Symbol]


def expanded(task: Task, *, powers: bool = False) -> Task:
    """The lowered task; the task itself where there is nothing to do."""
    return lowered(task, powers=powers).task


def lowered(task: Task, *, powers: bool = False) -> Lowered:
    """The lowered task with what its definitions and operations stand for.

    `powers`: those with unknown natural exponents, and factorials, are recursive definitions too.  Induction needs that, and solvers
    alone waste their steps on it.
    """
    bodies = (each.body for each in task.goal.definitions)
    if not any(_concerns(each, powers) for each in _everything(task)) and all(map(is_discharged, bodies)):
        return Lowered(task, {}, {})
    expansion = _Expansion(task, powers)
    return Lowered(expansion.task(), expansion.calls, expansion.operations)


def _everything(task: Task) -> Iterator[core.Term]:
    goal = task.goal
    roots = [
        *task.lemmas,
        *(each.formula for each in goal.axioms),
        *(each.body for each in goal.definitions),
    ]
    if goal.claim is not None:
        roots.append(goal.claim)
    for each in subterms(*roots):
        yield each
        if isinstance(each, core.BuiltinCall) and each.operation.condition is not None:
            yield from subterms(each.operation.condition)


def _concerns(term: core.Term, powers: bool) -> bool:
    match term:
        case core.BuiltinCall(operation=operation, arguments=arguments):
            return direct(operation, arguments) is not None or _made(term, powers) is not None
        case core.DefinitionCall(arguments=arguments):
            return any(isinstance(each.sort, core.FunctionOf) for each in arguments)
        case core.Coercion(term=inner, sort=sort):
            return isinstance(inner.sort, core.ListOf | core.TupleOf) and erased(inner.sort) != erased(sort)
        case _:
            return False


def _made(term: core.BuiltinCall, powers: bool) -> Recursive | None:
    """The recursive definition of a built-in at a call."""
    if term.operation.name in ("power", "factorial") and not powers:
        return None
    return recursive(term.operation, term.arguments)


class _Expansion:
    """The expansion of one task."""

    def __init__(self, task: Task, powers: bool) -> None:
        self._task = task
        self._powers = powers
        terminations = dict(task.goal.terminations)
        self._written = {
            each.key: Recursive(each, terminations.get(each.key, _ENDLESS if each.group else _NOT_RECURSIVE))
            for each in task.goal.definitions
        }
        self._made: dict[str, Recursive] = {}
        self._begun: set[str] = set()
        self.calls: dict[str, tuple[tuple[core.Variable, ...], core.Term]] = {}
        self.operations: dict[str, core.Symbol] = {}

    def task(self) -> Task:
        """The expanded task."""
        goal = self._task.goal
        claim = None if goal.claim is None else self._term(self._with_operations(goal.claim))
        axioms = tuple(
            Axiom(each.name, self._term(each.formula), each.standing, each.place) for each in goal.axioms
        )
        lemmas = tuple(map(self._term, self._task.lemmas))
        definitions = self._reached(
            [*lemmas, *(each.formula for each in axioms), *([claim] if claim else [])]
        )
        changed = msgspec.structs.replace(
            goal,
            claim=claim,
            free=() if self.operations else goal.free,
            axioms=axioms,
            symbols=(*goal.symbols, *self.operations.values()),
            definitions=tuple(each.definition for each in definitions),
            terminations=tuple(
                (each.definition.key, each.termination) for each in definitions if each.definition.group
            ),
        )
        return Task(changed, lemmas)

    def _reached(self, roots: Sequence[core.Term]) -> list[Recursive]:
        """The definitions that terms call, callees first."""
        found: dict[str, Recursive] = {}
        seen: set[str] = set()

        def visit(term: core.Term) -> None:
            for each in subterms(term):
                if isinstance(each, core.DefinitionCall) and each.definition not in seen:
                    seen.add(each.definition)
                    made = self._made[each.definition]
                    for part in (made.definition.body, made.termination.condition):
                        if part is not None:
                            visit(part)
                    found[each.definition] = made
                elif isinstance(each, core.BuiltinCall) and each.operation.condition is not None:
                    visit(each.operation.condition)

        for root in roots:
            visit(root)
        return list(found.values())

    # ── Terms ────────────────────────────────────────────────────────────────────────────────────────────

    def _term(self, term: core.Term) -> core.Term:
        term = rebuild(term, self._term)
        match term:
            case core.BuiltinCall():
                return self._builtin(term)
            case core.DefinitionCall():
                return self._call(term)
            case core.Application(function=core.Lambda() as function, arguments=arguments):
                return _let(function, arguments)
            case core.Coercion(term=inner, sort=sort):
                return self._coercion(term, inner, sort)
            case _:
                return term

    def _builtin(self, term: core.BuiltinCall) -> core.Term:
        other = direct(term.operation, term.arguments)
        if other is not None:
            return self._term(other)
        made = _made(term, self._powers)
        if made is not None:
            key, parameters = made.definition.key, made.definition.parameters
            self._written.setdefault(key, made)
            self.calls.setdefault(key, (parameters, core.BuiltinCall(term.operation, parameters)))
            return self._call(core.DefinitionCall(key, term.arguments, term.sort))
        condition = term.operation.condition
        if condition is None or not any(_concerns(each, self._powers) for each in subterms(condition)):
            return term
        operation = msgspec.structs.replace(term.operation, condition=self._term(condition))
        return core.BuiltinCall(operation, term.arguments)

    def _coercion(self, term: core.Term, inner: core.Term, sort: core.Sort) -> core.Term:
        """A coercion of lists and tuples, part by part, where solvers have other sorts for the parts."""
        given = inner.sort
        if erased(given) == erased(sort):
            return term
        if isinstance(given, core.ListOf) and isinstance(sort, core.ListOf):
            key = f"{BUILT_IN}coercion/{sort_text(given)}, {sort_text(sort)}"
            whole = core.Variable("l", given)
            self._written.setdefault(key, _coerced_list(key, given, sort))
            self.calls.setdefault(key, ((whole,), core.Coercion(whole, sort)))
            return self._call(core.DefinitionCall(key, (inner,), sort))
        if isinstance(given, core.TupleOf) and isinstance(sort, core.TupleOf):
            whole = core.Variable("the tuple", given)
            made, taken = tuple_constructor(sort), tuple_constructor(given)
            items = tuple(
                core.Coercion(core.Selection(taken, place, whole), wanted)
                if had != wanted
                else core.Selection(taken, place, whole)
                for place, (had, wanted) in enumerate(zip(given.items, sort.items, strict=True))
            )
            return core.Let(whole, inner, self._term(core.Construction(made, items)))
        return term

    # ── Definitions ──────────────────────────────────────────────────────────────────────────────────────

    def _call(self, call: core.DefinitionCall) -> core.Term:
        """The call of a definition; of an instance of its own where functions are passed to it."""
        raw = self._written.get(call.definition)
        if raw is None or (call.definition in self._made and not raw.definition.parameters):
            return call
        places = [
            place
            for place, each in enumerate(call.arguments)
            if isinstance(each, core.Lambda) and _passes_through(raw.definition, place)
        ]
        if places and len(self._begun) < _MOST:
            return self._instance(raw, call, places)
        self._define(raw)
        return call

    def _define(self, raw: Recursive) -> None:
        """A definition as it is written, its body expanded."""
        definition = raw.definition
        if definition.key in self._begun:
            return
        self._begun.add(definition.key)
        written = named_selections(discharged(definition.body, self._task.goal))
        body = msgspec.structs.replace(definition, body=self._term(written))
        self._made[definition.key] = Recursive(body, self._argued(raw.termination, {}))

    def _instance(self, raw: Recursive, call: core.DefinitionCall, places: Sequence[int]) -> core.Term:
        """The definition with functions in place of parameters; the variables they capture become parameters."""
        definition = raw.definition
        taken = dict.fromkeys(v for place in places for v in _captured(call.arguments[place]))
        given = tuple(core.Variable(f"given {place}", each.sort) for place, each in enumerate(taken))
        inside: dict[core.Term, core.Term] = dict(zip(taken, given, strict=True))
        functions = {
            definition.parameters[place].name: canonical(_with_parameters(call.arguments[place], inside))
            for place in places
        }
        text = repr((places, [functions[name] for name in functions], given))
        key = f"{definition.key} of {hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
        kept = [place for place in range(len(definition.parameters)) if place not in places]
        arguments = (*taken, *(call.arguments[place] for place in kept))
        if key not in self._begun:
            self._begun.add(key)
            written = named_selections(discharged(definition.body, self._task.goal))
            body = self._term(substitute(written, functions))
            made = core.Definition(
                key,
                definition.name,
                (*given, *(definition.parameters[place] for place in kept)),
                definition.result,
                body,
                (key,) if definition.group else (),
            )
            moved = tuple(len(given) + kept.index(each) for each in raw.termination.arguments if each in kept)
            argued = msgspec.structs.replace(self._argued(raw.termination, functions), arguments=moved)
            self._made[key] = Recursive(made, argued)
            whole = tuple(functions.get(each.name, each) for each in definition.parameters)
            self.calls[key] = (made.parameters, core.DefinitionCall(definition.key, whole, call.sort))
        return core.DefinitionCall(key, arguments, call.sort)

    def _argued(self, termination: Termination, functions: Mapping[str, core.Term]) -> Termination:
        condition = termination.condition
        if condition is not None:
            condition = self._term(substitute(condition, functions))
        return msgspec.structs.replace(termination, condition=condition)

    # ── Functions that a claim is about ──────────────────────────────────────────────────────────────────

    def _with_operations(self, claim: core.Term) -> core.Term:
        """The claim with unknown operations for the outermost function variables that are passed through."""
        variables, hypotheses, body = stripped(claim)
        for hypothesis in reversed(hypotheses):
            body = core.Connective("implies", (hypothesis, body))
        passed = [
            each
            for each in variables
            if isinstance(each.sort, core.FunctionOf) and _is_passed_through(body, each)
        ]
        if not passed:
            return claim
        rest = tuple(each for each in variables if each not in passed)
        values: dict[str, core.Term] = {}
        for each in passed:
            assert isinstance(each.sort, core.FunctionOf), "a function"
            symbol = core.Symbol(f"{each.name}#function", each.sort.domain, each.sort.codomain)
            self.operations[each.name] = symbol
            names = tuple(
                core.Variable(f"{each.name} {place}", sort) for place, sort in enumerate(symbol.domain)
            )
            values[each.name] = core.Lambda(names, core.SymbolCall(symbol, names))
        body = substitute(body, values)
        return core.Quantifier("forall", rest, body) if rest else body


_NOT_RECURSIVE = Termination(kind="structural")
_ENDLESS = Termination(kind="unknown", reason="nothing is known of its recursion")


def _coerced_list(key: str, given: core.ListOf, sort: core.ListOf) -> Recursive:
    """A list of one sort of numbers as one of another."""
    xs = core.Variable("l", given)
    first: core.Term = core.Coercion(head(xs), sort.element)
    body = core.Conditional(is_nil(xs), nil(sort), cons(first, core.DefinitionCall(key, (tail(xs),), sort)))
    made = core.Definition(key, "coercion", (xs,), sort, body, (key,))
    return Recursive(made, Termination(kind="structural", arguments=(0,)))


def _captured(function: core.Term) -> Iterator[core.Term]:
    """The variables and constants in a function that it does not bind."""
    yield from free_variables(function)
    for each in subterms(function):
        if isinstance(each, core.SymbolCall) and not each.arguments and not _is_function(each):
            yield each


def _is_function(term: core.Term) -> bool:
    return isinstance(term.sort, core.FunctionOf)


def _with_parameters(function: core.Term, values: Mapping[core.Term, core.Term]) -> core.Term:
    """The function with parameters for what it captures."""
    names = {each.name: new for each, new in values.items() if isinstance(each, core.Variable)}

    def change(term: core.Term) -> core.Term:
        if isinstance(term, core.SymbolCall) and term in values:
            return values[term]
        return rebuild(term, change)

    return change(substitute(function, names))


def _passes_through(definition: core.Definition, place: int) -> bool:
    """Whether a definition passes the parameter unchanged wherever it calls itself."""
    if len(definition.group) > 1:
        return False
    parameter = definition.parameters[place]
    return all(
        each.arguments[place] == parameter
        for each in subterms(definition.body)
        if isinstance(each, core.DefinitionCall) and each.definition == definition.key
    )


def _is_passed_through(term: core.Term, function: core.Variable) -> bool:
    """Whether a function occurs as an argument, and not only applied."""
    if isinstance(term, core.Application) and term.function == function:
        return any(_is_passed_through(each, function) for each in term.arguments)
    if isinstance(term, core.BuiltinCall | core.DefinitionCall) and function in term.arguments:
        return True
    return any(_is_passed_through(each, function) for each in parts(term))


def _let(function: core.Lambda, arguments: Sequence[core.Term]) -> core.Term:
    """An applied λ as a `let`."""
    outside = {each.name for argument in arguments for each in free_variables(argument)}
    apart = apart_from(function, outside)
    assert isinstance(apart, core.Lambda), "a function"
    body: core.Term = apart.body
    for variable, argument in reversed(list(zip(apart.variables, arguments, strict=True))):
        body = (
            substitute(body, {variable.name: argument})
            if _is_plain(argument)
            else core.Let(variable, argument, body)
        )
    return body


def _is_plain(term: core.Term) -> bool:
    """Whether a term always has a value, and is as short as a name for it."""
    return isinstance(term, core.Variable)
