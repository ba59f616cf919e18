"""Terms and formulas in SMT-LIB: the rules of kleis/core/terms.py, "Truth and definedness", in the order of the terms there.

What is true of the path to a place (the conditions of `if` around it, the operands before it that decide) is known
there: what the place needs and the path says literally is not asked again.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from kleis import core
from kleis.core.goal import Goal
from kleis.core.sort_printing import sort_text
from kleis.core.traversal import free_variables
from kleis.prover.checker.sequent import NotExpressible
from kleis.prover.checker.translation.builtins import NAMED_CHARACTERS, expression, language, literal_value
from kleis.prover.checker.translation.functions import (
    Closure,
    Environment,
    Functions,
    Meaning,
    Named,
)
from kleis.prover.checker.translation.lists import RECURSIVE, number, operation
from kleis.prover.checker.translation.rationals import mentions_rationals
from kleis.prover.checker.translation.sorts import constructed, erased
from kleis.prover.checker.translation.text import (
    FALSE,
    TRUE,
    binder,
    both,
    call,
    choice,
    either,
    facts,
    implication,
    negation,
    string,
)
from kleis.prover.checker.translation.text import number as digits

__all__ = ["Terms"]

_Path = frozenset[str]
_LARGEST_EXPONENT = 64


class Terms(Functions):
    """The terms of one script."""

    def __init__(self, goal: Goal, partial: set[object]) -> None:
        super().__init__(goal, partial)
        self.characters: list[tuple[str, str]] = []
        self._symbols: dict[core.Symbol, str] = {}

    def meaning(self, term: core.Term, env: Environment, path: _Path) -> Meaning:
        """The term at a place that `path` leads to."""
        match term:
            case core.Variable(name=name):
                text = env[name]
                if not isinstance(text, str):
                    raise NotExpressible("a function as a value")
                return _value(text, term.sort)
            case core.LiteralTerm():
                return self._literal(term)
            case core.SymbolCall(symbol=symbol, arguments=arguments):
                texts, needed = self._strict(arguments, env, path)
                return _value(call(self.symbol(symbol), texts), term.sort).under(needed)
            case core.BuiltinCall():
                return self._builtin(term, env, path)
            case core.DefinitionCall(definition=key, arguments=arguments):
                return self.defined(key, arguments, None, env, path)
            case core.Construction():
                return self._construction(term, env, path)
            case core.Discrimination(constructor=constructor, term=part):
                made = self.meaning(part, env, path)
                return _value(self.sorts.test(constructor, made.text), core.BOOL).under(made.defined)
            case core.Selection(constructor=constructor, index=index, term=part):
                made = self.meaning(part, env, path)
                selected = _value(f"({self.sorts.field(constructor, index)} {made.text})", term.sort)
                return selected.under(both(made.defined, self._made_by(constructor, made.text, path)))
            case core.Equals():
                return self._equals(term, env, path)
            case core.Connective():
                return self._connective(term, env, path)
            case core.Quantifier():
                return self._quantifier(term, env, path)
            case core.Conditional():
                return self._conditional(term, env, path)
            case core.Let(variable=variable, value=value, body=body):
                if isinstance(variable.sort, core.FunctionOf):
                    return self.meaning(body, {**env, variable.name: self.function(value, env)}, path)
                return self._bound((variable,), (value,), body, env, env, path)
            case core.Application(function=function, arguments=arguments):
                return self._application(function, arguments, term.sort, env, path)
            case core.Coercion():
                return self._coercion(term, env, path)
            case core.Narrowing(term=part):
                whole = self.meaning(part, env, path)
                return whole.under(_known(f"(>= {whole.text} 0)", path))
            case core.Undefined(sort=sort):
                if sort == core.BOOL:
                    return Meaning(FALSE, FALSE, FALSE)
                name = self.program.fresh("u")
                self.program.constants.append(f"(declare-fun {name} () {self.sorts.name(sort)})")
                return Meaning(name, "", FALSE)
            case core.Lambda():
                raise NotExpressible("a function as a value")

    def function(self, term: core.Term, env: Environment) -> Closure | Named:
        """A term of a sort of functions, which is a variable, an unknown function or a λ."""
        if isinstance(term, core.Variable):
            found = env[term.name]
            if not isinstance(found, str):
                return found
        if isinstance(term, core.SymbolCall) and not term.arguments:
            return Named(self.symbol(term.symbol))
        if not isinstance(term, core.Lambda):
            raise NotExpressible("a function that is computed")
        values, functions = [], []
        for variable in free_variables(term):
            given = env[variable.name]
            if isinstance(given, str):
                values.append((variable, given))
            else:
                functions.append((variable.name, given))
        return Closure(term, tuple(values), tuple(functions))

    def symbol(self, symbol: core.Symbol) -> str:
        """An unknown function of the script; its results are of their sort."""
        if symbol not in self._symbols:
            domain, result = symbol.domain, symbol.codomain
            if isinstance(result, core.FunctionOf) and not domain:
                domain, result = result.domain, result.codomain
            self._symbols[symbol] = self.declare(domain, result)
        return self._symbols[symbol]

    def declare(self, domain: Sequence[core.Sort], result: core.Sort) -> str:
        """A new unknown function or constant."""
        name = self.program.fresh("c")
        sorts = [self.sorts.name(each) for each in domain]
        self.program.constants.append(f"(declare-fun {name} ({' '.join(sorts)}) {self.sorts.name(result)})")
        bound = [(self.program.fresh("x"), each) for each in domain]
        left = call(name, (each for each, _ in bound))
        given = both(*(self.sorts.guard(sort, each) for each, sort in bound))
        fact = implication(given, self.sorts.guard(result, left))
        if fact != TRUE:
            listed = zip((each for each, _ in bound), sorts, strict=True)
            self.program.facts.append(binder("forall", listed, fact, left))
        return name

    def strict(self, terms: Sequence[core.Term], env: Environment) -> tuple[list[str], str]:
        """The values of all terms, and where they have them."""
        return self._strict(terms, env, frozenset())

    def _strict(self, terms: Sequence[core.Term], env: Environment, path: _Path) -> tuple[list[str], str]:
        found = [self.meaning(each, env, path) for each in terms]
        return [each.text for each in found], both(*(each.defined for each in found))

    def _literal(self, term: core.LiteralTerm) -> Meaning:
        match term.value:
            case bool() as truth:
                return Meaning(TRUE, FALSE) if truth else Meaning(FALSE, TRUE)
            case str() as text:
                self.characters += ((each, each) for each in text)
                return Meaning(string(text))
        real = self.sorts.name(term.sort) == "Real"
        value = Fraction(term.value)
        if not real and self.sorts.name(term.sort) != "Int":
            raise NotExpressible(f"a literal of the sort {sort_text(term.sort)}")
        if value.denominator == 1:
            return Meaning(digits(value.numerator, real=real))
        return Meaning(f"(/ {digits(value.numerator, real=True)} {digits(value.denominator, real=True)})")

    def _construction(self, term: core.Term, env: Environment, path: _Path) -> Meaning:
        """A constructor at its fields; along its last field without recursion, since lists are long."""
        opened, needed = [], []
        while isinstance(term, core.Construction) and term.arguments:
            texts, defined = self._strict(term.arguments[:-1], env, path)
            opened.append(" ".join((f"({self.sorts.constructor(term.constructor)}", *texts)))
            needed.append(defined)
            term = term.arguments[-1]
        if isinstance(term, core.Construction):
            last = Meaning(self.sorts.constructor(term.constructor))
        else:
            last = self.meaning(term, env, path)
        text = " ".join((*opened, last.text + ")" * len(opened)))
        return Meaning(text, "", both(*needed, last.defined))

    def _made_by(self, constructor: core.Constructor, text: str, path: _Path) -> str:
        """Whether a value was made by a constructor: it was if the path excludes all others."""
        others = [negation(self.sorts.test(each, text)) for each in self.sorts.others(constructor)]
        excluded = bool(others) and all(each in path for each in others)
        return TRUE if excluded else _known(self.sorts.test(constructor, text), path)

    # ── Built-ins and functions ──────────────────────────────────────────────────────────────────────────────

    def _builtin(self, term: core.BuiltinCall, env: Environment, path: _Path) -> Meaning:
        given, arguments = term.operation, term.arguments
        name, sorts = given.name, [each.sort for each in given.parameters]
        if name == "apply_lambda":
            return self._application(arguments[0], arguments[1:], term.sort, env, path)
        if name in ("head", "tail", "isEmpty"):
            made = constructed(sorts[0], self.goal)[name != "isEmpty"]
            if name == "isEmpty":
                return self.meaning(core.Discrimination(made, arguments[0]), env, path)
            return self.meaning(core.Selection(made, int(name == "tail"), arguments[0]), env, path)
        if name in ("fst", "snd", "get_field", "set_field"):
            return self._component(term, env, path)
        needed = self._needed(term, env, path)
        if name == "matches" and sorts[1] == core.REGEX:
            word = self.meaning(arguments[0], env, path)
            pattern = language(arguments[1], self.characters)
            return _value(f"(str.in_re {word.text} {pattern})", core.BOOL).under(both(needed, word.defined))
        if name == "power":
            return self._power(term, env, path).under(needed)
        listed = any(isinstance(each, core.ListOf | core.FunctionOf) for each in sorts)
        if name in RECURSIVE and (listed or name not in ("length", "concat", "in_set")):
            return self.recursion(term, env, path).under(needed)
        texts, defined = self._strict(arguments, env, path)
        text = self._expression(given, texts)
        return _value(text, term.sort).under(both(defined, needed))

    def _expression(self, given: core.Operation, texts: list[str]) -> str:
        name, result = given.name, given.result
        first = given.parameters[0].sort if given.parameters else result
        sets = {}
        if isinstance(first, core.SetOf):
            sets["empty"] = f"((as const {self.sorts.name(first)}) false)"
            if name == "complement":
                sets["domain"] = self.sorts.domain(first)
        if name in ("empty_set", "singleton"):
            empty = f"((as const {self.sorts.name(result)}) false)"
            return f"(store {empty} {texts[0]} true)" if texts else empty
        if name == "matches":
            return f"(= {texts[0]} {texts[1]})"
        kinds = [self.sorts.name(each.sort) for each in given.parameters]
        pairs = iter(NAMED_CHARACTERS.get(name, ""))
        self.characters += zip(pairs, pairs, strict=True)
        found = expression(name, kinds, result, texts, **sets)
        if found is None:
            at = ", ".join(sort_text(each.sort) for each in given.parameters)
            raise NotExpressible(f"{name}({at})")
        return found

    def _needed(self, term: core.BuiltinCall, env: Environment, path: _Path) -> str:
        """Where an operation has a value at arguments that have one."""
        condition = term.operation.condition
        if condition is None:
            return TRUE
        values: Environment = {}
        for parameter, each in zip(term.operation.parameters, term.arguments, strict=True):
            if isinstance(parameter.sort, core.FunctionOf):
                values[parameter.name] = self.function(each, env)
            elif parameter.sort != core.REGEX:
                values[parameter.name] = self.meaning(each, env, path).text
        return _known(self.meaning(condition, values, path).text, path)

    def _component(self, term: core.BuiltinCall, env: Environment, path: _Path) -> Meaning:
        whole = term.arguments[0]
        (made,), (result, *_) = (
            constructed(whole.sort, self.goal),
            constructed(term.sort, self.goal) or (None,),
        )
        place = int(term.operation.name == "snd")
        if isinstance(whole.sort, core.RecordOf):
            names = [name for name, _ in whole.sort.fields]
            field = term.arguments[1]
            if not isinstance(field, core.LiteralTerm) or field.value not in names:
                raise NotExpressible("a field that is not written")
            place = names.index(str(field.value))
        if term.operation.name != "set_field":
            return self.meaning(core.Selection(made, place, whole), env, path)
        fields: list[core.Term] = [core.Selection(made, at, whole) for at in range(len(made.fields))]
        fields[place] = term.arguments[2]
        assert result is not None
        return self.meaning(core.Construction(result, tuple(fields)), env, path)

    def _power(self, term: core.BuiltinCall, env: Environment, path: _Path) -> Meaning:
        """A product for an exponent that is written; else a recursion; a quotient of one for a negative exponent."""
        base, exponent = term.arguments
        if exponent.sort not in (core.NATURAL, core.INTEGER):
            raise NotExpressible("a power whose exponent is no integer")
        sort = erased(base.sort)
        written = literal_value(exponent)
        x, n = core.Variable("base", sort), core.Variable("exponent", core.INTEGER)
        if isinstance(written, int) and abs(written) <= _LARGEST_EXPONENT:
            product = number(1, sort) if written == 0 else x
            for _ in range(abs(written) - 1):
                product = operation("times", sort, x, product)
            if written < 0:
                product = operation("divide", sort, number(1, sort), product)
            return self._bound((x,), (base,), product, env, {}, path)
        if exponent.sort == core.NATURAL or sort == core.INTEGER:
            return self.recursion(term, env, path)

        def raised(by: core.Term) -> core.Term:
            return operation("power", sort, x, core.Coercion(by, core.NATURAL))

        upward = operation("geq", core.BOOL, n, number(0, core.INTEGER))
        downward = operation("divide", sort, number(1, sort), raised(operation("negate", core.INTEGER, n)))
        body = core.Conditional(upward, raised(n), downward)
        return self._bound((x, n), (base, exponent), body, env, {}, path)

    def _application(
        self,
        function: core.Term,
        arguments: Sequence[core.Term],
        sort: core.Sort,
        env: Environment,
        path: _Path,
    ) -> Meaning:
        found = self.function(function, env)
        if isinstance(found, Named):
            texts, needed = self._strict(arguments, env, path)
            return _value(call(found.name, texts), sort).under(needed)
        inner: Environment = {variable.name: text for variable, text in found.values}
        inner.update(found.functions)
        return self._bound(found.term.variables, arguments, found.term.body, env, inner, path)

    def _bound(
        self,
        variables: Sequence[core.Variable],
        values: Sequence[core.Term],
        body: core.Term,
        env: Environment,
        inner: Environment,
        path: _Path,
    ) -> Meaning:
        """A body over variables with values, which are computed first."""
        names: list[tuple[str, str]] = []
        inner = dict(inner)
        needed = []
        for variable, term in zip(variables, values, strict=True):
            if isinstance(variable.sort, core.FunctionOf):
                inner[variable.name] = self.function(term, env)
                continue
            value = self.meaning(term, env, path)
            needed.append(value.defined)
            inner[variable.name] = value.text
            if " " in value.text:
                inner[variable.name] = name = self.program.fresh("x")
                names.append((name, value.text))
        found = self.meaning(body, inner, path)
        scoped = Meaning(*(binder("let", names, each) if each else "" for each in found))
        return scoped.under(both(*needed))

    def _coercion(self, term: core.Coercion, env: Environment, path: _Path) -> Meaning:
        before, after = self.sorts.name(term.term.sort), self.sorts.name(term.sort)
        if before == after or isinstance(term.sort, core.Numeric):
            found = self.meaning(term.term, env, path)
            text = found.text
            if before == "Int" and after != "Int":
                text = f"(to_real {text})"
            if after == "h-complex" and before != after:
                text = f"(h-pair {text} 0.0)"
            return Meaning(text, found.false, found.defined)
        return self.coerced(term, env, path)

    # ── Formulas ─────────────────────────────────────────────────────────────────────────────────────────────

    def _equals(self, term: core.Equals, env: Environment, path: _Path) -> Meaning:
        sort = term.left.sort
        if isinstance(sort, core.FunctionOf):
            if any(mentions_rationals(each, self.goal) for each in sort.domain):
                raise NotExpressible("equality of functions of rational numbers")
            variables = tuple(core.Variable(self.program.fresh("·"), each) for each in sort.domain)
            sides = (core.Application(each, variables, sort.codomain) for each in (term.left, term.right))
            return self._quantifier(core.Quantifier("forall", variables, core.Equals(*sides)), env, path)
        left, right = self.meaning(term.left, env, path), self.meaning(term.right, env, path)
        same = f"(= {left.text} {right.text})"
        return _value(same, core.BOOL).under(both(left.defined, right.defined))

    def _connective(self, term: core.Connective, env: Environment, path: _Path) -> Meaning:
        """Strong Kleene.  After operands that have a value, the next one matters only where they do not decide."""
        parts: list[Meaning] = []
        for each in term.arguments:
            parts.append(self.meaning(each, env, path))
            if all(part.defined == TRUE for part in parts):
                path |= facts(parts[-1].false if term.name == "or" else parts[-1].text)
        first = parts[0]
        match term.name:
            case "not":
                return Meaning(first.false, first.text, first.defined)
            case "implies":
                parts = [Meaning(first.false, first.text, first.defined), parts[1]]
        joins = (both, either) if term.name == "and" else (either, both)
        if all(part.defined == TRUE for part in parts):
            text = joins[0](*(part.text for part in parts))
            return Meaning(text, negation(text))
        true, false = joins[0](*(part.text for part in parts)), joins[1](*(part.false for part in parts))
        return Meaning(true, false, either(true, false))

    def _quantifier(self, term: core.Quantifier, env: Environment, path: _Path) -> Meaning:
        inner, listed, guards = self.binding(term.variables, env)
        body = self.meaning(term.body, inner, path)
        guard = both(*guards)
        if body.text in (TRUE, FALSE) and body.defined == TRUE:
            return body  # no sort is empty
        universal = term.kind == "forall"
        every = binder("forall", listed, implication(guard, body.text if universal else body.false))
        some = binder("exists", listed, both(guard, body.false if universal else body.text))
        true, false = (every, some) if universal else (some, every)
        if body.defined == TRUE:
            return Meaning(true, negation(true))
        return Meaning(true, false, either(true, false))

    def binding(
        self, variables: Sequence[core.Variable], env: Environment
    ) -> tuple[Environment, list[tuple[str, str]], list[str]]:
        """Fresh names for bound variables: what they stand for, their sorts in the script, and their guards."""
        inner = dict(env)
        listed, guards = [], []
        for variable in variables:
            inner[variable.name] = name = self.program.fresh("x")
            listed.append((name, self.sorts.name(variable.sort)))
            guards.append(self.sorts.guard(variable.sort, name))
        return inner, listed, guards

    def _conditional(self, term: core.Conditional, env: Environment, path: _Path) -> Meaning:
        condition = self.meaning(term.condition, env, path)
        if condition.text == TRUE or condition.false == TRUE:
            return self.meaning(term.consequent if condition.text == TRUE else term.alternative, env, path)
        yes, no = (
            self.meaning(part, env, path | facts(formula))
            for part, formula in (
                (term.consequent, condition.text),
                (term.alternative, condition.false),
            )
        )
        parts = [
            either(both(condition.text, a), both(condition.false, b))
            for a, b in ((yes.text, no.text), (yes.false, no.false), (yes.defined, no.defined))
        ]
        if yes.defined == no.defined == TRUE:
            value = choice(condition.text, yes.text, no.text)
            false = negation(value) if term.sort == core.BOOL else ""
            return Meaning(value, false).under(condition.defined)
        if term.sort == core.BOOL:
            return Meaning(parts[0], parts[1], either(parts[0], parts[1]))
        return Meaning(choice(condition.text, yes.text, no.text), "", parts[2])


def _value(text: str, sort: core.Sort) -> Meaning:
    return Meaning(text, negation(text)) if sort == core.BOOL else Meaning(text)


def _known(formula: str, path: _Path) -> str:
    return TRUE if formula in path else formula
