"""Tasks as many-sorted first-order problems with equality: the fragment that completion and finite models share.

See docs/reference/proving.md §7.3.  The sorts are carriers, the functions are symbols over carriers and Bool.  Everything
in the fragment is total, so a formula is true or false and ¬T(claim) is the negated claim.

The translation
    * Definitions that are not recursive and `let` are unfolded.
    * Bool is no sort: bound variables of sort Bool are expanded, arguments of sort Bool become part of the name of a
      function (``f[true]``), conditions inside terms become cases of the formula around them.
    * ∃ is Skolemised.  The claim's outermost ∀ are Skolem constants named ``?x``, or functions for function binders.
    * The negated claim is a disjunction of `branches`; the claim holds if every branch contradicts the axioms.

Invariants
    * `Problem.dropped` names the axioms outside the fragment.  A proof without them is a proof; a model without them is
      not a model of the task.
    * The same task gives the same problem, names included: witnesses and proofs refer to these names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain, count, islice, product
from typing import TypeAlias

import msgspec

from kleis import core
from kleis.core.goal import Goal
from kleis.core.traversal import substitute, subterms
from kleis.definedness.discharge import Totality
from kleis.prover.checker.rules.named_parts import symbol_text
from kleis.prover.engines.first_order_terms import (
    ALWAYS,
    NEVER,
    TRUE,
    And,
    Apply,
    Exists,
    ForAll,
    Formula,
    Function,
    Iff,
    Literal,
    Not,
    Or,
    Statement,
    Term,
    Variable,
    conjunction,
    disjunction,
    names_in,
    replaced,
    variables_in,
)
from kleis.prover.protocol.engine import Task

__all__ = ["Problem", "translate"]


class Problem(msgspec.Struct, frozen=True):
    """A task in the fragment.

    branches
        The negated claim, Skolemised, as a disjunction.  Empty if there is no claim, or if it is plainly true.
    skolems
        The Skolem function of every variable of the claim's outermost ∀, in order.
    dropped
        Axioms outside the fragment, by name.
    exact
        Whether a model of the problem is a model of the goal: nothing dropped, carriers unrelated.
    """

    axioms: tuple[Statement, ...]
    branches: tuple[Formula, ...]
    skolems: tuple[tuple[str, Function], ...]
    dropped: tuple[str, ...]
    claimed: bool
    exact: bool


def translate(task: Task) -> Problem | None:
    """The task as a first-order problem; None if its claim is outside the fragment, or nothing is inside."""
    if task.goal.unsettled:
        return None
    reader = _Reader(task.goal)
    axioms: list[Statement] = []
    dropped: list[str] = []
    named = [(each.name, each.formula) for each in task.goal.axioms]
    lemmas = [(f"lemma {index}", formula) for index, formula in enumerate(task.lemmas, start=1)]
    for name, formula in (*named, *lemmas):
        try:
            axioms.append(Statement(name, reader.statement(formula)))
        except (_OutsideError, RecursionError):
            dropped.append(name)
    branches: tuple[Formula, ...] = ()
    skolems: tuple[tuple[str, Function], ...] = ()
    claim = task.goal.claim
    if claim is not None:
        try:
            branches, skolems = reader.branches(claim)
        except (_OutsideError, RecursionError):
            return None
    elif not axioms:
        return None
    lost = [name for name in dropped if not name.startswith("lemma ")]
    exact = not lost and all(map(_unrelated, task.goal.carriers))
    return Problem(tuple(axioms), branches, skolems, tuple(dropped), claim is not None, exact)


class _OutsideError(Exception):
    """A part that is not in the fragment, or too large for it."""


_LARGEST = 4_000
"""Formulas beyond so many parts are outside: unfolding and cases must not explode."""

_BRANCHES = 12
"""The negated claim is split into at most so many cases."""

_CASES = 16
"""A term with more cases of its conditions than this is outside."""


def _unrelated(sort: core.Sort) -> bool:
    """Whether distinct arguments of a family of carriers can differ in a model: polynomials can."""
    arguments = sort.arguments if isinstance(sort, core.Carrier) else ()
    return all(
        not any("(" in atom for atoms, _ in each.terms for atom in atoms)
        if isinstance(each, core.Dimension)
        else isinstance(each, core.Carrier) and _unrelated(each)
        for each in arguments
    )


_Case: TypeAlias = tuple[Formula, Term]
_Bindings: TypeAlias = Mapping[str, Variable | Function]


class _Reader:
    """Translates core terms to formulas.  Names of variables and Skolem functions are unique within one problem."""

    def __init__(self, goal: Goal) -> None:
        self._goal = goal
        self._names = _symbol_names(goal)
        self._counter = count()
        self._taken: set[str] = set()
        self._size = 0
        self._total = Totality(goal)

    def statement(self, formula: core.Term) -> Formula:
        """A closed formula, Skolemised."""
        self._size = 0
        return self._skolemised(self._formula(formula, {}), True, {}, ())

    def branches(self, claim: core.Term) -> tuple[tuple[Formula, ...], tuple[tuple[str, Function], ...]]:
        """The negated claim as a disjunction, and its Skolem functions."""
        self._size = 0
        skolems: dict[str, Function] = {}
        while isinstance(claim, core.Quantifier) and claim.kind == "forall":
            variables = [each for each in claim.variables if each.sort != core.BOOL]
            for variable in variables:
                skolems[variable.name] = self._skolem(variable.name, *_arrow(variable.sort))
            rest = tuple(each for each in claim.variables if each.sort == core.BOOL)
            if rest:
                claim = core.Quantifier("forall", rest, claim.body)
                break
            claim = claim.body
        negated = self._skolemised(self._formula(claim, skolems), False, {}, ())
        return _cases_of(negated), tuple(skolems.items())

    # ── Formulas ─────────────────────────────────────────────────────────────────────────────────────────────

    def _formula(self, term: core.Term, bound: _Bindings) -> Formula:
        self._charge()
        match term:
            case core.LiteralTerm(value=bool() as value):
                return ALWAYS if value else NEVER
            case core.Connective(name=name, arguments=arguments):
                parts = tuple(self._formula(each, bound) for each in arguments)
                if name == "and":
                    return And(parts)
                if name == "or":
                    return Or(parts)
                return Not(parts[0]) if name == "not" else Or((Not(parts[0]), parts[1]))
            case core.Equals(left=left, right=right):
                return self._equation(left, right, bound)
            case core.Quantifier(kind=kind, variables=variables, body=body):
                return self._quantified(kind == "forall", variables, body, bound)
            case core.Conditional(condition=condition, consequent=consequent, alternative=alternative):
                test = self._formula(condition, bound)
                yes, no = self._formula(consequent, bound), self._formula(alternative, bound)
                return And((Or((Not(test), yes)), Or((test, no))))
            case core.Let() | core.DefinitionCall():
                return self._formula(self._unfolded(term), bound)
            case core.SymbolCall() | core.Application():
                return _by_cases(
                    (guard, Literal(True, atom, TRUE)) for guard, atom in self._call(term, bound)
                )
            case _:
                raise _OutsideError

    def _equation(self, left: core.Term, right: core.Term, bound: _Bindings) -> Formula:
        if left.sort == core.BOOL:
            return Iff(self._formula(left, bound), self._formula(right, bound))
        sides = product(self._cases(left, bound), self._cases(right, bound))
        return _by_cases((_joined(p, q), Literal(True, a, b)) for (p, a), (q, b) in sides)

    def _quantified(
        self, universal: bool, variables: tuple[core.Variable, ...], body: core.Term, bound: _Bindings
    ) -> Formula:
        truths = [each.name for each in variables if each.sort == core.BOOL]
        own = tuple(self._variable_of(each) for each in variables if each.sort != core.BOOL)
        names = [each.name for each in variables if each.sort != core.BOOL]
        inner = {**bound, **dict(zip(names, own, strict=True))}
        if len(truths) > 4:
            raise _OutsideError
        parts = tuple(
            self._formula(substitute(body, _truth_values(truths, values)) if truths else body, inner)
            for values in product((False, True), repeat=len(truths))
        )
        whole = parts[0] if len(parts) == 1 else And(parts) if universal else Or(parts)
        if not own:
            return whole
        return ForAll(own, whole) if universal else Exists(own, whole)

    # ── Terms ────────────────────────────────────────────────────────────────────────────────────────────────

    def _cases(self, term: core.Term, bound: _Bindings) -> list[_Case]:
        """The values of a term of a carrier, each with its condition; exactly one condition holds."""
        self._charge()
        match term:
            case core.Variable(name=name, sort=core.Carrier()):
                value = bound.get(name)
                if isinstance(value, Function):
                    return [(ALWAYS, Apply(value))]
                if value is None:
                    raise _OutsideError
                return [(ALWAYS, value)]
            case (
                core.SymbolCall(symbol=core.Symbol(codomain=core.Carrier()))
                | core.Application(sort=core.Carrier())
            ):
                return self._call(term, bound)
            case core.Conditional(condition=condition, consequent=consequent, alternative=alternative):
                test = self._formula(condition, bound)
                yes = [(_joined(test, guard), value) for guard, value in self._cases(consequent, bound)]
                no = [(_joined(Not(test), guard), value) for guard, value in self._cases(alternative, bound)]
                return _limited(yes + no)
            case core.Let() | core.DefinitionCall():
                return self._cases(self._unfolded(term), bound)
            case _:
                raise _OutsideError

    def _call(self, term: core.SymbolCall | core.Application, bound: _Bindings) -> list[_Case]:
        if isinstance(term, core.SymbolCall):
            known, symbol = None, term.symbol
            _arrow(core.FunctionOf(symbol.domain, symbol.codomain))
        else:
            if not isinstance(term.function, core.Variable):
                raise _OutsideError
            known, symbol = bound.get(term.function.name), None
            if not isinstance(known, Function) or core.BOOL in known.domain:
                raise _OutsideError
        choices = [self._argument(each, bound) for each in term.arguments]
        cases: list[_Case] = []
        for chosen in product(*choices):
            guard = _joined(*(each for each, _ in chosen))
            values = [value for _, value in chosen]
            fixed = tuple(each if isinstance(each, bool) else None for each in values)
            arguments = tuple(each for each in values if not isinstance(each, bool))
            function = known if symbol is None else self._function(symbol, fixed)
            assert isinstance(function, Function)
            cases.append((guard, Apply(function, arguments)))
        return _limited(cases)

    def _argument(self, term: core.Term, bound: _Bindings) -> list[tuple[Formula, Term | bool]]:
        if term.sort != core.BOOL:
            return [(guard, value) for guard, value in self._cases(term, bound)]
        if isinstance(term, core.LiteralTerm):
            return [(ALWAYS, bool(term.value))]
        test = self._formula(term, bound)
        return [(test, True), (Not(test), False)]

    def _function(self, symbol: core.Symbol, fixed: tuple[bool | None, ...]) -> Function:
        name = self._names[symbol]
        if any(each is not None for each in fixed):
            name += "[" + ", ".join("_" if each is None else str(each).lower() for each in fixed) + "]"
        domain = tuple(sort for sort in symbol.domain if sort != core.BOOL)
        return Function(name, domain, symbol.codomain, symbol, fixed)

    def _unfolded(self, term: core.Let | core.DefinitionCall) -> core.Term:
        """A definition or `let` inlined.  An argument that is not used must have a value, or its condition would be lost."""
        given = (term.value,) if isinstance(term, core.Let) else term.arguments
        if not all(map(self._total.has_a_value, given)):
            raise _OutsideError
        if isinstance(term, core.Let):
            unfolded = substitute(term.body, {term.variable.name: term.value})
        else:
            definition = self._goal.definition(term.definition)
            if definition.group:
                raise _OutsideError
            names = [each.name for each in definition.parameters]
            unfolded = substitute(definition.body, dict(zip(names, given, strict=True)))
        for number, _ in enumerate(subterms(unfolded)):
            if number > _LARGEST:
                raise _OutsideError
        return unfolded

    def _variable_of(self, variable: core.Variable) -> Variable:
        if not isinstance(variable.sort, core.Carrier):
            raise _OutsideError
        return Variable(f"{variable.name}.{next(self._counter)}", variable.sort)

    def _charge(self) -> None:
        self._size += 1
        if self._size > _LARGEST:
            raise _OutsideError

    # ── Negations inwards, ∃ to functions ────────────────────────────────────────────────────────────────────

    def _skolemised(
        self, formula: Formula, positive: bool, values: Mapping[str, Term], scope: tuple[Variable, ...]
    ) -> Formula:
        """The formula or its negation, without quantifiers; `scope` are the universal variables around it."""
        self._charge()
        match formula:
            case Literal():
                left, right = replaced(formula.left, values), replaced(formula.right, values)
                return Literal(positive, left, right)
            case Not(body=body):
                return self._skolemised(body, not positive, values, scope)
            case And(parts=parts) | Or(parts=parts):
                made = tuple(self._skolemised(each, positive, values, scope) for each in parts)
                return conjunction(made) if isinstance(formula, And) == positive else disjunction(made)
            case Iff(left=left, right=right):
                return self._equivalent(left, right, positive, values, scope)
            case ForAll(variables=variables, body=body) | Exists(variables=variables, body=body):
                if isinstance(formula, ForAll) == positive:
                    fresh = {each.name: self._again(each) for each in variables}
                    inner = {**values, **fresh}
                    return self._skolemised(body, positive, inner, (*scope, *fresh.values()))
                around = [values[name] for name in names_in(body) if name in values]
                free = set().union(*map(variables_in, around))
                needed = tuple(each for each in scope if each in free)
                witnesses = {each.name: self._witness(each, needed) for each in variables}
                return self._skolemised(body, positive, {**values, **witnesses}, scope)

    def _equivalent(
        self,
        left: Formula,
        right: Formula,
        positive: bool,
        values: Mapping[str, Term],
        scope: tuple[Variable, ...],
    ) -> Formula:
        """↔ of atoms stays, for completion; otherwise two implications, or two ways to differ."""
        if positive and isinstance(left, Literal) and isinstance(right, Literal):
            made = (self._skolemised(each, True, values, scope) for each in (left, right))
            return Iff(*made)
        one = (self._skolemised(left, False, values, scope), self._skolemised(right, True, values, scope))
        two = (self._skolemised(left, True, values, scope), self._skolemised(right, False, values, scope))
        if positive:
            return conjunction((disjunction(one), disjunction(two)))
        return disjunction((conjunction(one), conjunction(two)))

    def _again(self, variable: Variable) -> Variable:
        return Variable(f"{variable.name.split('.')[0]}.{next(self._counter)}", variable.sort)

    def _witness(self, variable: Variable, scope: tuple[Variable, ...]) -> Term:
        domain = tuple(each.sort for each in scope)
        return Apply(self._skolem(variable.name.split(".")[0], domain, variable.sort), scope)

    def _skolem(self, stem: str, domain: tuple[core.Sort, ...], codomain: core.Sort) -> Function:
        name = f"?{stem}"
        numbers = count(2)
        while name in self._taken:
            name = f"?{stem}{next(numbers)}"
        self._taken.add(name)
        return Function(name, domain, codomain)


def _arrow(sort: core.Sort) -> tuple[tuple[core.Sort, ...], core.Sort]:
    """Domain and codomain of a function over carriers; a carrier is its own codomain."""
    domain, codomain = (sort.domain, sort.codomain) if isinstance(sort, core.FunctionOf) else ((), sort)
    if not all(isinstance(each, core.Carrier) or each == core.BOOL for each in (*domain, codomain)):
        raise _OutsideError
    return domain, codomain


def _symbol_names(goal: Goal) -> dict[core.Symbol, str]:
    """A name for every symbol; overloads carry their sorts."""
    formulas = [each.formula for each in goal.axioms] + [each.body for each in goal.definitions]
    roots = formulas + ([] if goal.claim is None else [goal.claim])
    symbols = dict.fromkeys(each.symbol for each in subterms(*roots) if isinstance(each, core.SymbolCall))
    symbols.update(dict.fromkeys(goal.symbols))
    names = [symbol.name for symbol in symbols]
    own = [
        name
        for name in names
        if names.count(name) == 1 and not name.startswith(("true", "false", "?", "=", "if "))
    ]
    return {each: each.name if each.name in own else symbol_text(each) for each in symbols}


def _truth_values(names: list[str], values: tuple[bool, ...]) -> dict[str, core.Term]:
    return {name: core.LiteralTerm(value, core.BOOL) for name, value in zip(names, values, strict=True)}


def _limited(cases: list[_Case]) -> list[_Case]:
    if len(cases) > _CASES:
        raise _OutsideError
    return cases


def _by_cases(cases: Iterable[tuple[Formula, Formula]]) -> Formula:
    """The formula of the case that holds; exactly one of the conditions does."""
    parts = tuple(said if guard == ALWAYS else And((guard, said)) for guard, said in cases)
    return parts[0] if len(parts) == 1 else Or(parts)


def _joined(*guards: Formula) -> Formula:
    parts = tuple(each for each in guards if each != ALWAYS)
    return parts[0] if len(parts) == 1 else And(parts)


def _cases_of(formula: Formula) -> tuple[Formula, ...]:
    """The formula as a disjunction, as far as its universal variables and the limit on branches allow."""
    found: tuple[Formula, ...]
    match formula:
        case Or(parts=parts):
            apart = (_cases_of(each[0]) if len(each) == 1 else (Or(each),) for each in _grouped(parts))
            found = tuple(chain.from_iterable(apart))
        case And(parts=parts):
            choices = product(*map(_cases_of, parts))
            found = tuple(conjunction(each) for each in islice(choices, _BRANCHES + 1))
        case _:
            return (formula,)
    return found if len(found) <= _BRANCHES else (formula,)


def _grouped(parts: tuple[Formula, ...]) -> list[tuple[Formula, ...]]:
    """Disjuncts by common variables: ∀x. A(x) ∨ B(x) is no disjunction, (∀x. A(x)) ∨ (∀y. B(y)) is one."""
    groups: list[tuple[set[str], tuple[Formula, ...]]] = []
    for part in parts:
        names = set(names_in(part))
        members: tuple[Formula, ...] = (part,)
        apart = []
        for group in groups:
            if group[0] & names:
                names, members = names | group[0], (*group[1], *members)
            else:
                apart.append(group)
        groups = [*apart, (names, members)]
    return [members for _, members in groups]
