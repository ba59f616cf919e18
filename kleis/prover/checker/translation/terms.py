"""Terms and formulas in SMT-LIB: the rules of kleis/core/terms.py, "Truth and definedness", in the order of the terms there.

What a place needs and the path to it says (conditions of `if` around it, operands before it that decide) is not asked again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import reduce
from itertools import product
from typing import NamedTuple, TypeAlias

from kleis import core
from kleis.core.goal import Goal
from kleis.core.sort_printing import sort_text
from kleis.core.traversal import free_variables, substitute
from kleis.prover.checker.reductions.bounded import numbers_of
from kleis.prover.checker.reductions.builtin_definitions import builtin_definition, is_known, operation
from kleis.prover.checker.reductions.specialise import (
    Specialised,
    cases,
    constructed,
    function,
    is_builtin,
    specialised,
)
from kleis.prover.checker.sequent import NotExpressible
from kleis.prover.checker.translation import text as smt
from kleis.prover.checker.translation.builtins import MEMBERS, expression
from kleis.prover.checker.translation.sorts import Sorts
from kleis.prover.checker.translation.text import FALSE, TRUE, both, call

__all__ = ["Environment", "Meaning", "Restart", "Terms"]

Environment: TypeAlias = dict[str, str]
"""What variables stand for: a text that has a value."""

Path: TypeAlias = frozenset[str]
"""Formulas that are true on the way to a place."""

_Binding: TypeAlias = tuple[Environment, list[tuple[str, str]], list[str]]
_Terms: TypeAlias = Sequence[core.Term]
_Pairs: TypeAlias = Iterable[tuple[core.Variable, core.Term]]

_LARGEST_EXPONENT = 64
_BOUND = re.compile(r"\bx\d+\b")
"""A name that a quantifier or a `let` of the script binds."""
_WHOLE = (core.NATURAL, core.INTEGER)
_MOST_PARTS = 200_000
_MOST_INSTANCES = 512


class Meaning(NamedTuple):
    """A term in the script.

    text
        Its value, or T of a formula; anything where `defined` is false.
    false
        F of a formula; empty for other terms.
    defined
        Where it has a value: T or F, of a formula.
    """

    text: str
    false: str = ""
    defined: str = TRUE

    @classmethod
    def value(cls, text: str, sort: core.Sort) -> Meaning:
        """A value of a sort; a formula is false where it is not true."""
        return cls(text, smt.negation(text)) if sort == core.BOOL else cls(text)

    def under(self, needed: str) -> Meaning:
        """The same, without a value where `needed` is false."""
        text, false = (both(needed, each) for each in self[:2]) if self.false else self[:2]
        return Meaning(text, false, both(needed, self.defined))


class Restart(Exception):
    """A definition has no value somewhere: everything is translated again, with that known."""


class Terms:
    """The terms of one script.  `partial`: functions that lack values; `by_name`: definitions that are not written out."""

    def __init__(
        self, goal: Goal, partial: set[object], *, apart: bool = False, by_name: frozenset[str] = frozenset()
    ) -> None:
        self.goal = goal
        self.approximate = bool(by_name)
        """Whether something known stands for any function of its sorts."""
        self._by_name = by_name
        self._apart = apart
        self.sorts = Sorts(goal)
        self.lines = self.sorts.lines
        self.recursion: list[str] = []
        """The lines that say what recursive functions compute."""
        self._partial = partial
        self._functions: dict[object, tuple[str, str]] = {}
        self._symbols: dict[object, str] = {}
        self._conjuncts: dict[str, Path] = {}
        self._parts = 0

    def meaning(self, term: core.Term, env: Environment, path: Path) -> Meaning:
        """The term at a place that `path` leads to."""
        self._parts += 1
        if self._parts > _MOST_PARTS:
            raise NotExpressible(f"formulas of more than {_MOST_PARTS} parts, definitions written out")
        match term:
            case core.Variable(name=name) if name in env:
                return Meaning.value(env[name], term.sort)
            case core.LiteralTerm(value=value, sort=sort):
                exact = value if isinstance(value, bool | str) else Fraction(value)
                return Meaning.value(smt.literal(exact, self.sorts.name(sort)), sort)
            case core.SymbolCall(symbol=symbol) if not isinstance(term.sort, core.FunctionOf):
                texts, needed = self._strict(term.arguments, env, path)
                return Meaning.value(call(self._symbol(symbol), texts), term.sort).under(needed)
            case core.BuiltinCall():
                return self._builtin(term, env, path)
            case core.DefinitionCall(definition=key, arguments=arguments):
                return self._called(self.goal.definition(key), arguments, env, path)
            case core.Construction():
                return self._construction(term, env, path)
            case core.Discrimination(constructor=made, term=part):
                whole = self.meaning(part, env, path)
                return Meaning.value(self.sorts.test(made, whole.text), core.BOOL).under(whole.defined)
            case core.Selection(constructor=made, index=index, term=part):
                whole = self.meaning(part, env, path)
                selected = call(self.sorts.constructor(made)[1][index], (whole.text,))
                needed = both(whole.defined, self._made_by(made, whole.text, path))
                return Meaning.value(selected, term.sort).under(needed)
            case core.Equals():
                return self._equals(term, env, path)
            case core.Connective():
                return self._connective(term, env, path)
            case core.Quantifier():
                return self._quantifier(term, env, path)
            case core.Conditional():
                return self._conditional(term, env, path)
            case core.Let(variable=variable, value=value, body=body):
                return self._bound([(variable, value)], body, env, path)
            case core.Application(function=given, arguments=arguments):
                inner = function(given)
                if isinstance(inner, core.Lambda):
                    return self._bound(zip(inner.variables, arguments, strict=True), inner.body, env, path)
                texts, needed = self._strict(arguments, env, path)
                return Meaning.value(call(self._symbol(inner.symbol), texts), term.sort).under(needed)
            case core.Coercion():
                return self._coercion(term, env, path)
            case core.Narrowing(term=part):
                whole = self.meaning(part, env, path)
                return whole.under(_unknown(f"(>= {whole.text} 0)", path))
            case core.Undefined(sort=sort):
                return Meaning.value(self._declare("c", (), sort), sort).under(FALSE)
        raise NotExpressible("a function as a value")

    def _symbol(self, symbol: core.Symbol) -> str:
        """An unknown function of the script."""
        if symbol not in self._symbols:
            domain, result = symbol.domain, symbol.codomain
            if isinstance(result, core.FunctionOf) and not domain:
                domain, result = result.domain, result.codomain
            self._symbols[symbol] = self.unknown(domain, result)
        return self._symbols[symbol]

    def unknown(self, domain: Sequence[core.Sort], result: core.Sort) -> str:
        """A new unknown function or constant; its results are of their sort."""
        name = self._declare("c", domain, result)
        _, bound, guards = self.binding(_places(domain))
        left = call(name, (each for each, _ in bound))
        self._fact(bound, smt.implies(both(*guards), self._guard(result, left)), left)
        return name

    def _declare(self, prefix: str, domain: Sequence[core.Sort], result: core.Sort) -> str:
        """A new function or constant of the script."""
        name = self.sorts.fresh(prefix)
        sorts = " ".join(map(self.sorts.name, domain))
        self.lines.append(f"(declare-fun {name} ({sorts}) {self.sorts.name(result)})")
        return name

    def binding(self, variables: Sequence[core.Variable]) -> _Binding:
        """Fresh names for bound variables: what they stand for, their sorts in the script, and their guards."""
        names = {variable.name: self.sorts.fresh("x") for variable in variables}
        listed = [(names[each.name], self.sorts.name(each.sort)) for each in variables]
        return names, listed, [self._guard(each.sort, names[each.name]) for each in variables]

    def _guard(self, sort: core.Sort, text: str) -> str:
        """The formula that says that a value in the script is one of the sort."""
        if not self.sorts.is_guarded(sort):
            return TRUE
        if sort == core.NATURAL:
            return f"(>= {text} 0)"
        if isinstance(sort, core.SetOf):
            x = self.sorts.fresh("x")
            members = smt.implies(f"(select {text} {x})", self._guard(sort.element, x))
            return smt.binder("forall", ((x, self.sorts.name(sort.element)),), members)
        return call(self._members(sort), (text,))

    def _members(self, sort: core.Sort) -> str:
        """A function that says whether a value is one of a sort with constructors."""
        if sort not in self._symbols:
            name = self._symbols[sort] = self._declare("f", (sort,), core.BOOL)
            for made in constructed(sort, self.goal):
                _, bound, guards = self.binding(_places(each.sort for each in made.fields))
                left = call(name, (call(self.sorts.constructor(made)[0], (x for x, _ in bound)),))
                self._fact(bound, f"(= {left} {both(*guards)})", left)
        return self._symbols[sort]

    def _fact(self, bound: Sequence[tuple[str, str]], formula: str, pattern: str) -> None:
        """Assert a formula for all values of some names."""
        if formula != TRUE:
            self.lines.append(f"(assert {smt.binder('forall', bound, formula, pattern)})")

    def _strict(self, terms: _Terms, env: Environment, path: Path) -> tuple[list[str], str]:
        """The values of all terms, and where they have them."""
        found = [self.meaning(each, env, path) for each in terms]
        return [each.text for each in found], both(*(each.defined for each in found))

    def _construction(self, term: core.Term, env: Environment, path: Path) -> Meaning:
        """A constructor at its fields; along its last field without recursion, since lists are long."""
        opened, needed = [], []
        while isinstance(term, core.Construction) and term.arguments:
            texts, defined = self._strict(term.arguments[:-1], env, path)
            opened.append(" ".join((f"({self.sorts.constructor(term.constructor)[0]}", *texts)))
            needed.append(defined)
            term = term.arguments[-1]
        if isinstance(term, core.Construction):
            last = Meaning(self.sorts.constructor(term.constructor)[0])
        else:
            last = self.meaning(term, env, path)
        return Meaning(" ".join((*opened, last.text + ")" * len(opened))), "", both(*needed, last.defined))

    def _made_by(self, constructor: core.Constructor, text: str, path: Path) -> str:
        """Whether a value was made by a constructor: it was if the path excludes all others."""
        test = {each.name: self.sorts.test(each, text) for each in constructed(constructor.sort, self.goal)}
        here = test.pop(constructor.name)
        excluded = bool(test) and path.issuperset(map(smt.negation, test.values()))
        return TRUE if excluded else _unknown(here, path)

    # ── Built-ins ────────────────────────────────────────────────────────────────────────────────────────────

    def _builtin(self, term: core.BuiltinCall, env: Environment, path: Path) -> Meaning:
        given, arguments = term.operation, term.arguments
        if given.name == "power":
            return self._power(term, env, path)
        if given.name in ("get_field", "set_field"):
            return self._field(term, env, path)
        needed = TRUE
        sorts = [each.sort for each in given.parameters]
        if given.condition is not None or not any(isinstance(each, core.FunctionOf) for each in sorts):
            texts, defined = self._strict(arguments, env, path)
            if given.condition is not None:
                values = dict(zip((each.name for each in given.parameters), texts, strict=True))
                needed = _unknown(self.meaning(given.condition, values, path).text, path)
            if isinstance(given.result, core.SetOf) and given.name in MEMBERS:
                of_sets = self._set(given.name, given.result)
                joined = reduce(lambda left, right: call(of_sets, (left, right)), texts)
                return Meaning(call(of_sets, texts) if given.name == "complement" else joined, "", defined)
            kinds = [self.sorts.name(each) for each in sorts]
            found = expression(given.name, kinds, self.sorts.name(given.result), texts)
            if found is not None:
                return Meaning.value(found, term.sort).under(both(defined, needed))
        if is_known(given):
            return self._called(builtin_definition(given), arguments, env, path).under(needed)
        return self._opaque(given, arguments, env, path).under(needed)

    def _opaque(self, given: core.Operation, arguments: _Terms, env: Environment, path: Path) -> Meaning:
        """A built-in of which the script says nothing: any function of its sorts.  Beside it, if `apart`, a constant for
        every way to write its arguments without bound names, so that nothing but arithmetic is left."""
        domain = [each.sort for each in given.parameters]
        if any(isinstance(each, core.FunctionOf) for each in (*domain, given.result)):
            raise NotExpressible(given.name)
        texts, needed = self._strict(arguments, env, path)
        self.approximate = True
        closed = self._apart and not any(_BOUND.search(each) for each in texts)
        key = (given.name, *domain, given.result, *(texts if closed else ()))
        if key not in self._symbols:
            self._symbols[key] = self.unknown(() if closed else domain, given.result)
        return Meaning.value(call(self._symbols[key], () if closed else texts), given.result).under(needed)

    def _set(self, name: str, sort: core.SetOf) -> str:
        """A function of sets to sets, by its members."""
        key = (name, sort)
        if key not in self._symbols:
            domain = (sort,) * (1 if name == "complement" else 2)
            own = self._symbols[key] = self._declare("c", domain, sort)
            _, bound, (*_, guard) = self.binding(_places([*domain, sort.element]))
            *names, x = (each for each, _ in bound)
            left = f"(select {call(own, names)} {x})"
            inside = MEMBERS[name].format(*(f"(select {each} {x})" for each in names))
            self._fact(bound, f"(= {left} {both(guard, inside)})", left)
        return self._symbols[key]

    def _field(self, term: core.BuiltinCall, env: Environment, path: Path) -> Meaning:
        """A field of a record by a name that is written, or the record with another value there."""
        whole, name, *given = term.arguments
        made = constructed(whole.sort, self.goal)
        fields = [(each.name, core.Selection(c, at, whole)) for c in made for at, each in enumerate(c.fields)]
        parts: dict[object, core.Term] = dict(fields)
        if len(made) != 1 or not isinstance(name, core.LiteralTerm) or name.value not in parts:
            raise NotExpressible("a field that is not written, or that the record may lack")
        if not given:
            return self.meaning(parts[name.value], env, path)
        (result,) = constructed(term.sort, self.goal)
        parts[name.value] = given[0]
        changed = core.Construction(result, tuple(parts[each.name] for each in result.fields))
        return self.meaning(changed, env, path)

    def _power(self, term: core.BuiltinCall, env: Environment, path: Path) -> Meaning:
        """A product, for an exponent that is a small natural number."""
        base, exponent = term.arguments
        written = exponent.term if isinstance(exponent, core.Coercion) else exponent
        times = written.value if isinstance(written, core.LiteralTerm) else None
        if not isinstance(times, int) or exponent.sort not in _WHOLE or not 0 <= times <= _LARGEST_EXPONENT:
            return self._unknown_power(term, env, path)
        x = core.Variable("x", base.sort)
        factors: list[core.Term] = [x] * times or [core.Coercion(core.LiteralTerm(1, core.INTEGER), x.sort)]
        product = reduce(lambda left, right: operation("times", x.sort, left, right), factors)
        return self._bound([(x, base)], product, env, path)

    def _unknown_power(self, term: core.BuiltinCall, env: Environment, path: Path) -> Meaning:
        """A power by recursion on a natural exponent; any function of its sorts for other exponents."""
        given = term.operation
        if given.parameters[1].sort == core.NATURAL and given.result != core.COMPLEX:
            return self._called(builtin_definition(given), term.arguments, env, path)
        texts, needed = self._strict(term.arguments, env, path)[0], TRUE
        if given.condition is not None:
            values = dict(zip((each.name for each in given.parameters), texts, strict=True))
            needed = _unknown(self.meaning(given.condition, values, path).text, path)
        return self._opaque(given, term.arguments, env, path).under(needed)

    def _bound(self, pairs: _Pairs, body: core.Term, env: Environment, path: Path) -> Meaning:
        """A body over variables with values, which are computed first; functions are put in their place."""
        bound = dict(pairs)
        functions = {
            x.name: function(bound.pop(x)) for x in tuple(bound) if isinstance(x.sort, core.FunctionOf)
        }
        scope = substitute(core.Lambda(tuple(bound), body), functions)  # renames what would capture
        assert isinstance(scope, core.Lambda)
        names: list[tuple[str, str]] = []
        inner = dict(env)
        needed = []
        for variable, term in zip(scope.variables, bound.values(), strict=True):
            value = self.meaning(term, env, path)
            needed.append(value.defined)
            inner[variable.name] = value.text
            if " " in value.text:
                inner[variable.name] = name = self.sorts.fresh("x")
                names.append((name, value.text))
        found = self.meaning(scope.body, inner, path)
        return Meaning(*(each and smt.binder("let", names, each) for each in found)).under(both(*needed))

    def _coercion(self, term: core.Coercion, env: Environment, path: Path) -> Meaning:
        before, after = self.sorts.name(term.term.sort), self.sorts.name(term.sort)
        found = self.meaning(term.term, env, path)
        if before == after:
            return found
        if not isinstance(term.sort, core.Numeric):
            raise NotExpressible(f"values of {sort_text(term.term.sort)} as {sort_text(term.sort)}")
        text = f"(to_real {found.text})" if before == "Int" else found.text
        return Meaning(text if after == "Real" else f"(h-pair {text} 0.0)", "", found.defined)

    # ── Definitions ──────────────────────────────────────────────────────────────────────────────────────────

    def _called(
        self, definition: core.Definition, arguments: _Terms, env: Environment, path: Path
    ) -> Meaning:
        """A definition at arguments: its body if it is written out, else a function of the script."""
        given, terms = specialised(self.goal, definition, arguments)
        parameters = given.definition.parameters
        if not definition.group and definition.key not in self._by_name:
            return self._bound(zip(parameters, terms, strict=True), given.definition.body, env, path)
        texts, needed = self._strict(terms, env, path)
        name, defined = self._function(given)
        names = (each.name for each in parameters)
        condition = self.meaning(given.condition, dict(zip(names, texts, strict=True)), frozenset()).text
        found = Meaning.value(call(name, texts), definition.result)
        return found.under(both(needed, condition, call(defined, texts) if defined else TRUE))

    def _function(self, given: Specialised) -> tuple[str, str]:
        """A definition as a function, and where it has a value if that is not everywhere."""
        if given.key in self._functions:
            return self._functions[given.key]
        definition = given.definition
        domain = [each.sort for each in definition.parameters]
        name, defined = self._declare("f", domain, definition.result), ""
        if given.key in self._partial:
            defined = self._declare("f", domain, core.BOOL)
        self._functions[given.key] = name, defined
        for arguments, condition, body in cases(given, self.goal):
            env, bound, guards = self.binding([x for each in arguments for x in free_variables(each)])
            texts, _ = self._strict(arguments, env, frozenset())
            guards = [] if is_builtin(definition) else guards
            guards.append(self.meaning(condition, env, frozenset()).text)
            value = self.meaning(body, env, frozenset())
            if value.defined != TRUE and not defined:
                self._partial.add(given.key)
                raise Restart
            if defined:
                where = call(defined, texts)
                self._fact(bound, smt.implies(both(*guards), f"(= {where} {value.defined})"), where)
                guards.append(where)
            if not definition.group:
                continue
            left = call(name, texts)
            self._fact(bound, smt.implies(both(*guards), f"(= {left} {value.text})"), left)
            self.recursion.append(self.lines[-1])
        if self.sorts.is_guarded(definition.result):
            env, bound, guards = self.binding(definition.parameters)
            names = [each for each, _ in bound]
            guards.append(self.meaning(given.condition, env, frozenset()).text)
            guards += [call(defined, names)] * bool(defined)
            left = call(name, names)
            self._fact(bound, smt.implies(both(*guards), self._guard(definition.result, left)), left)
        return name, defined

    # ── Formulas ─────────────────────────────────────────────────────────────────────────────────────────────

    def _equals(self, term: core.Equals, env: Environment, path: Path) -> Meaning:
        sort = term.left.sort
        if isinstance(sort, core.FunctionOf):
            variables = tuple(core.Variable(f"\0x{at}", each) for at, each in enumerate(sort.domain))
            sides = (core.Application(each, variables, sort.codomain) for each in (term.left, term.right))
            return self._quantifier(core.Quantifier("forall", variables, core.Equals(*sides)), env, path)
        (left, right), needed = self._strict((term.left, term.right), env, path)
        return Meaning.value(f"(= {left} {right})", core.BOOL).under(needed)

    def _connective(self, term: core.Connective, env: Environment, path: Path) -> Meaning:
        """Strong Kleene.  After operands that have a value, the next one matters only where they do not decide."""
        parts: list[Meaning] = []
        for each in term.arguments:
            parts.append(self.meaning(each, env, path))
            if all(part.defined == TRUE for part in parts):
                path |= self._facts(parts[-1].false if term.name == "or" else parts[-1].text)
        opposite = Meaning(parts[0].false, parts[0].text, parts[0].defined)
        if term.name == "not":
            return opposite
        if term.name == "implies":
            parts[0] = opposite
        true, false = [part.text for part in parts], [part.false for part in parts]
        joins = (both, smt.either) if term.name == "and" else (smt.either, both)
        found = _formula(joins[0](*true), joins[1](*false), total=all(part.defined == TRUE for part in parts))
        conjunction, members = (found.text, true) if term.name == "and" else (found.false, false)
        self._conjuncts[conjunction] = frozenset().union(*map(self._facts, members))
        return found

    def _facts(self, formula: str) -> Path:
        """What is true where a formula of the script is: its parts, if it is a conjunction."""
        return self._conjuncts.get(formula) or frozenset((formula,))

    def _quantifier(self, term: core.Quantifier, env: Environment, path: Path) -> Meaning:
        numbers = numbers_of(term, _MOST_INSTANCES)
        if numbers is not None:
            return self._each_number(term, numbers, env, path)
        names, listed, guards = self.binding(term.variables)
        body = self.meaning(term.body, {**env, **names}, path)
        guard = both(*guards)
        universal = term.kind == "forall"
        every = smt.binder("forall", listed, smt.implies(guard, body.text if universal else body.false))
        some = smt.binder("exists", listed, both(guard, body.false if universal else body.text))
        true, false = (every, some) if universal else (some, every)
        return _formula(true, false, total=body.defined == TRUE)

    def _each_number(
        self, term: core.Quantifier, numbers: Sequence[range], env: Environment, path: Path
    ) -> Meaning:
        """The body at the only numbers at which the quantifier may be decided."""
        parts = []
        for values in product(*numbers):
            names = {
                each.name: smt.literal(Fraction(value), self.sorts.name(each.sort))
                for each, value in zip(term.variables, values, strict=True)
            }
            parts.append(self.meaning(term.body, {**env, **names}, path))
        joins = (both, smt.either) if term.kind == "forall" else (smt.either, both)
        true, false = joins[0](*(each.text for each in parts)), joins[1](*(each.false for each in parts))
        return _formula(true, false, total=all(each.defined == TRUE for each in parts))

    def _conditional(self, term: core.Conditional, env: Environment, path: Path) -> Meaning:
        condition = self.meaning(term.condition, env, path)
        yes = self.meaning(term.consequent, env, path | self._facts(condition.text))
        no = self.meaning(term.alternative, env, path | self._facts(condition.false))
        chosen = (smt.choice(condition.text, *parts) for parts in zip(yes, no, strict=True))
        return Meaning(*chosen).under(condition.defined)


def _formula(true: str, false: str, *, total: bool) -> Meaning:
    """A formula that is true and false there; false wherever it is not true if it has a value everywhere."""
    return Meaning.value(true, core.BOOL) if total else Meaning(true, false, smt.either(true, false))


def _places(sorts: Iterable[core.Sort]) -> list[core.Variable]:
    return [core.Variable(f"{at}", each) for at, each in enumerate(sorts)]


def _unknown(formula: str, path: Path) -> str:
    """What a place needs, unless the path says it."""
    return TRUE if formula in path else formula
