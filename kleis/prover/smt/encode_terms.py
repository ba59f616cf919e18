"""Terms and formulas in SMT-LIB, with where they are defined.

See docs/reference/proving.md §8.5.  Each formula φ has two formulas, T(φ) and F(φ); where neither holds φ is undefined.
The reference semantics (`kleis.semantics.reference`) says the same of every term: tests compare.

A formula without partial operations is *total*: F is ¬T and is not written twice.  A term is a text with the
formula that says where it has a value.

Invariants
    * Every bound variable of a guarded sort is guarded, under ∀ by → and under ∃ by ∧.
    * What has no exact encoding becomes an uninterpreted function of its sorts and is noted in `approximated`;
      what not even that can express raises `Inexpressible`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

import msgspec

from kleis import core
from kleis.builtins.real_constants import BOUNDS
from kleis.core.sort_printing import sort_text, sorts_text
from kleis.definedness.partial_logic import Language, PartialFormula, conditional, connective, equivalence
from kleis.prover.lowering.bounded_quantifiers import written_out
from kleis.prover.protocol.engine import Inexpressible
from kleis.prover.smt.encode_builtins import OPERATIONS
from kleis.prover.smt.encode_sorts import Sorts
from kleis.prover.smt.smtlib_text import (
    FALSE,
    TRUE,
    Characters,
    application,
    conjunction,
    disjunction,
    implication,
    integer,
    negation,
    quoted,
    real,
    string,
)

__all__ = ["Formula", "Terms", "Value"]


class Formula(msgspec.Struct, frozen=True):
    """A formula: where it is true, and where it is false (None: where it is not true)."""

    true: str
    partial_false: str | None = None

    @property
    def total(self) -> bool:
        """Whether it is true or false everywhere."""
        return self.partial_false is None

    @property
    def false(self) -> str:
        """Where it is false."""
        return negation(self.true) if self.partial_false is None else self.partial_false

    @property
    def defined(self) -> str:
        """Where it is true or false."""
        return TRUE if self.total else disjunction(self.true, self.false)


def _implies(given: PartialFormula[str], then: PartialFormula[str]) -> str:
    if given.total and then.total:
        return implication(given.true, then.true)
    return disjunction(given.false, then.true)


_SMT = Language(conjunction, disjunction, _implies)


class Value(msgspec.Struct, frozen=True):
    """A term: a text, and where it has that value."""

    text: str
    defined: str = TRUE


class Terms:
    """Encodes terms over the sorts of one script, and collects the declarations they need."""

    def __init__(self, sorts: Sorts, definitions: Mapping[str, core.Definition]) -> None:
        self.sorts = sorts
        self.definitions = definitions
        self.symbols: dict[core.Symbol, str] = {}
        self.approximated: dict[tuple[str, tuple[core.Sort, ...], core.Sort], str] = {}
        self.declarations: list[str] = []
        self.functions: dict[str, str] = {}
        """Function variables that are function symbols of the script, by variable name."""
        self.definition_of: Callable[[str], tuple[str, bool]] = _no_definitions
        self.characters = Characters()

    # ── names ────────────────────────────────────────────────────────────────────────────────────────────

    def variable(self, variable: core.Variable) -> str:
        """The name of a variable."""
        return quoted("v", variable.name)

    def symbol(self, symbol: core.Symbol) -> str:
        """The name of a symbol, declared with its guard."""
        if symbol not in self.symbols:
            clash = any(each.name == symbol.name for each in self.symbols)
            shown = f"{symbol.name}/{sorts_text((*symbol.domain, symbol.codomain))}" if clash else symbol.name
            self.symbols[symbol] = quoted("s", shown)
            self._declare(self.symbols[symbol], symbol.domain, symbol.codomain)
        return self.symbols[symbol]

    def _declare(self, name: str, domain: Sequence[core.Sort], codomain: core.Sort) -> None:
        sorts = [self.sorts.name(sort) for sort in domain]
        result = self.sorts.name(codomain)
        self.declarations.append(f"(declare-fun {name} ({' '.join(sorts)}) {result})")
        names = [f"|g:a{place}|" for place in range(len(domain))]
        guard = self.sorts.guard(codomain, application(name, names))
        if guard == TRUE:
            return
        given = conjunction(*(self.sorts.guard(s, n) for s, n in zip(domain, names, strict=True)))
        bound = " ".join(f"({n} {s})" for n, s in zip(names, sorts, strict=True))
        body = implication(given, guard)
        self.declarations.append(f"(assert {f'(forall ({bound}) {body})' if names else body})")

    # ── formulas ─────────────────────────────────────────────────────────────────────────────────────────

    def formula(self, term: core.Term) -> Formula:
        """A term of sort Bool."""
        match term:
            case core.LiteralTerm(value=value):
                return Formula(TRUE if value else FALSE)
            case core.Connective(name=name, arguments=arguments):
                return Formula(*connective(_SMT, name, [self.formula(each) for each in arguments]))
            case core.Equals(left=left, right=right):
                return self._equation(left, right)
            case core.Quantifier():
                return self._quantifier(term)
            case core.Conditional():
                return self._conditional_formula(term)
            case core.Let():
                return self._let_formula(term)
            case core.Discrimination(constructor=constructor, term=inner):
                made = self.value(inner)
                return self._where(self.sorts.tester(constructor, made.text), made.defined)
            case core.DefinitionCall(definition=key):
                return self._call_formula(key, term)
            case core.Undefined():
                return Formula(FALSE, FALSE)
            case _:
                atom = self._plain(term)
                return self._where(atom.text, atom.defined)

    @staticmethod
    def _where(formula: str, defined: str) -> Formula:
        if defined == TRUE:
            return Formula(formula)
        return Formula(conjunction(defined, formula), conjunction(defined, negation(formula)))

    def _equation(self, left: core.Term, right: core.Term) -> Formula:
        if left.sort == core.BOOL:
            a, b = self.formula(left), self.formula(right)
            if a.total and b.total:
                return Formula(f"(= {a.true} {b.true})")
            return Formula(*equivalence(_SMT, a, b))
        x, y = self.value(left), self.value(right)
        return self._where(self._same(left.sort, x.text, y.text), conjunction(x.defined, y.defined))

    def _same(self, sort: core.Sort, left: str, right: str) -> str:
        """Equality of two values: functions and sets are equal if they agree on the guarded arguments."""
        asked = (
            sort.domain
            if isinstance(sort, core.FunctionOf)
            else (sort.element,)
            if isinstance(sort, core.SetOf)
            else ()
        )
        if not any(self.sorts.is_guarded(each) for each in asked):
            if self._holds_guarded_functions(sort):
                raise Inexpressible(
                    "higher-order", f"equality in {sort_text(sort)}, which holds functions from ℕ"
                )
            return f"(= {left} {right})"
        names = [f"|g:q{place}|" for place in range(len(asked))]
        for name in names:
            left, right = f"(select {left} {name})", f"(select {right} {name})"
        given = conjunction(*(self.sorts.guard(s, n) for s, n in zip(asked, names, strict=True)))
        bound = " ".join(f"({n} {self.sorts.name(s)})" for n, s in zip(names, asked, strict=True))
        inner = sort.codomain if isinstance(sort, core.FunctionOf) else core.BOOL
        return f"(forall ({bound}) {implication(given, self._same(inner, left, right))})"

    def _holds_guarded_functions(self, sort: core.Sort, seen: frozenset[core.Sort] = frozenset()) -> bool:
        if sort in seen:
            return False
        for constructor in self.sorts.constructors(sort):
            for field in constructor.fields:
                each = field.sort
                asked = each.domain if isinstance(each, core.FunctionOf) else ()
                asked = (each.element,) if isinstance(each, core.SetOf) else asked
                if any(self.sorts.is_guarded(part) for part in asked):
                    return True
                if self._holds_guarded_functions(each, seen | {sort}):
                    return True
        return False

    def _quantifier(self, term: core.Quantifier) -> Formula:
        instances = written_out(term)
        if instances is not None:
            name = "and" if term.kind == "forall" else "or"
            return Formula(*connective(_SMT, name, [self.formula(each) for each in instances]))
        body = self.formula(term.body)
        guards = conjunction(*(self.sorts.guard(v.sort, self.variable(v)) for v in term.variables))
        bound = " ".join(f"({self.variable(v)} {self.sorts.name(v.sort)})" for v in term.variables)

        def every(formula: str) -> str:
            # No sort is empty, so a constant holds of all values or of none.
            if formula in (TRUE, FALSE):
                return formula
            return f"(forall ({bound}) {implication(guards, formula)})"

        def some(formula: str) -> str:
            return (
                formula if formula in (TRUE, FALSE) else f"(exists ({bound}) {conjunction(guards, formula)})"
            )

        if term.kind == "forall":
            return Formula(every(body.true), None if body.total else some(body.false))
        return Formula(some(body.true), None if body.total else every(body.false))

    def _conditional_formula(self, term: core.Conditional) -> Formula:
        condition = self.formula(term.condition)
        yes, no = self.formula(term.consequent), self.formula(term.alternative)
        if condition.total and yes.total and no.total:
            return Formula(f"(ite {condition.true} {yes.true} {no.true})")
        return Formula(*conditional(_SMT, condition, yes, no))

    def _let_formula(self, term: core.Let) -> Formula:
        value, body = self.value(term.value), self.formula(term.body)
        bind = self._binder(term.variable, value)
        if value.defined == TRUE and body.total:
            return Formula(bind(body.true))
        return Formula(
            conjunction(value.defined, bind(body.true)), conjunction(value.defined, bind(body.false))
        )

    def _binder(self, variable: core.Variable, value: Value) -> Callable[[str], str]:
        """The function that puts a `let` around a text; none is needed around a constant."""
        name = self.variable(variable)

        def bind(text: str) -> str:
            return f"(let (({name} {value.text})) {text})" if name in text else text

        return bind

    def _call_formula(self, key: str, term: core.DefinitionCall) -> Formula:
        arguments = [self.value(each) for each in term.arguments]
        texts = [each.text for each in arguments]
        given = conjunction(*(each.defined for each in arguments))
        name, partial = self.definition_of(key)
        true = application(quoted("d", f"{name}.true") if partial else quoted("d", name), texts)
        if not partial:
            return self._where(true, given)
        false = application(quoted("d", f"{name}.false"), texts)
        return Formula(conjunction(given, true), conjunction(given, false))

    # ── values ───────────────────────────────────────────────────────────────────────────────────────────

    def value(self, term: core.Term) -> Value:
        """A term of any sort; a formula as a value has one where it is true or false."""
        if term.sort == core.BOOL and not isinstance(
            term, core.Variable | core.SymbolCall | core.Selection | core.Application
        ):
            formula = self.formula(term)
            return Value(formula.true, formula.defined)
        match term:
            case core.LiteralTerm():
                return Value(self._literal(term))
            case core.Construction(constructor=constructor, arguments=arguments):
                return self._strict(arguments, self._constructed(constructor))
            case core.Conditional(condition=condition, consequent=consequent, alternative=alternative):
                return self._conditional(condition, consequent, alternative)
            case core.Let(variable=variable, value=value, body=body):
                inner, result = self.value(value), self.value(body)
                bind = self._binder(variable, inner)
                return Value(bind(result.text), conjunction(inner.defined, bind(result.defined)))
            case core.DefinitionCall(definition=key, arguments=arguments):
                return self._call(key, arguments)
            case core.Lambda():
                return self._lambda(term)
            case core.Coercion(term=inner, sort=sort):
                return self._coercion(inner, sort)
            case core.Narrowing(term=inner):
                number = self.value(inner)
                return Value(number.text, conjunction(number.defined, f"(>= {number.text} 0)"))
            case core.Undefined(sort=sort):
                return Value(self._anything(sort), FALSE)
            case _:
                return self._plain(term)

    def _plain(self, term: core.Term) -> Value:
        """Atoms: variables, symbols, built-ins, selections, applications."""
        match term:
            case core.Variable(name=name):
                return Value(self.functions.get(name) or self.variable(term))
            case core.SymbolCall(symbol=symbol, arguments=arguments):
                name = self.symbol(symbol)
                return self._strict(arguments, lambda texts: application(name, texts))
            case core.BuiltinCall(operation=operation, arguments=arguments):
                return self._builtin(operation, arguments)
            case core.Selection(constructor=constructor, index=index, term=inner):
                value = self.value(inner)
                test = self.sorts.tester(constructor, value.text)
                text = f"({self.sorts.selector(constructor, index)} {value.text})"
                return Value(text, conjunction(value.defined, test))
            case core.Application(function=function, arguments=arguments):
                return self._application(function, arguments)
            case _:
                raise Inexpressible("incomplete", f"a {type(term).__name__} as an atom")

    def _strict(self, arguments: Sequence[core.Term], build: Callable[[Sequence[str]], str]) -> Value:
        values = [self.value(each) for each in arguments]
        return Value(build([each.text for each in values]), conjunction(*(each.defined for each in values)))

    def _constructed(self, constructor: core.Constructor) -> Callable[[Sequence[str]], str]:
        self.sorts.name(constructor.sort)
        name = self.sorts.constructor(constructor)
        return lambda texts: application(name, texts)

    def _literal(self, term: core.LiteralTerm) -> str:
        value = term.value
        if isinstance(value, str):
            self.characters.note_literal(value)
            return string(value)
        if isinstance(value, Fraction):
            return real(value)
        return integer(int(value))

    def _conditional(self, condition: core.Term, consequent: core.Term, alternative: core.Term) -> Value:
        test, yes, no = self.formula(condition), self.value(consequent), self.value(alternative)
        text = f"(ite {test.true} {yes.text} {no.text})"
        if yes.defined == TRUE and no.defined == TRUE:
            return Value(text, test.defined)
        defined = disjunction(conjunction(test.true, yes.defined), conjunction(test.false, no.defined))
        return Value(text, defined)

    def _call(self, key: str, arguments: Sequence[core.Term]) -> Value:
        name, partial = self.definition_of(key)
        values = [self.value(each) for each in arguments]
        texts = [each.text for each in values]
        defined = conjunction(*(each.defined for each in values))
        if partial:
            defined = conjunction(defined, application(quoted("d", f"{name}.defined"), texts))
        return Value(application(quoted("d", name), texts), defined)

    def _lambda(self, term: core.Lambda) -> Value:
        body = self.value(term.body)
        if body.defined != TRUE:
            raise Inexpressible("higher-order", "a function that is not defined everywhere, as a value")
        text = body.text
        for variable in reversed(term.variables):
            text = f"(lambda (({self.variable(variable)} {self.sorts.name(variable.sort)})) {text})"
        return Value(text)

    def _application(self, function: core.Term, arguments: Sequence[core.Term]) -> Value:
        if isinstance(function, core.Variable) and function.name in self.functions:
            name = self.functions[function.name]
            return self._strict(arguments, lambda texts: application(name, texts))
        if isinstance(function, core.Lambda):
            return self._beta(function, arguments)
        inner = self.value(function)

        def build(texts: Sequence[str]) -> str:
            result = inner.text
            for each in texts:
                result = f"(select {result} {each})"
            return result

        applied = self._strict(arguments, build)
        return Value(applied.text, conjunction(inner.defined, applied.defined))

    def _beta(self, function: core.Lambda, arguments: Sequence[core.Term]) -> Value:
        """A λ applied where it stands is a `let`."""
        body: core.Term = function.body
        for variable, argument in reversed(list(zip(function.variables, arguments, strict=True))):
            body = core.Let(variable, argument, body)
        return self.value(body)

    def _coercion(self, term: core.Term, sort: core.Sort) -> Value:
        value, given = self.value(term), term.sort
        if isinstance(given, core.Numeric) and isinstance(sort, core.Numeric):
            return Value(self._coerced(term, value.text, given, sort), value.defined)
        if self.sorts.name(given) == self.sorts.name(sort):
            return value
        raise Inexpressible("incomplete", f"{sort_text(given)} taken as {sort_text(sort)}")

    def _coerced(self, term: core.Term, text: str, given: core.Numeric, sort: core.Numeric) -> str:
        if given.name in ("ℕ", "ℤ") and sort.name not in ("ℕ", "ℤ"):
            text = real(int(term.value)) if isinstance(term, core.LiteralTerm) else f"(to_real {text})"
        if sort.name == "ℂ" and given.name != "ℂ":
            self.sorts.name(sort)
            return f"(|c:complex| {text} 0.0)"
        return text

    def _anything(self, sort: core.Sort) -> str:
        """An arbitrary value of a sort, on which nothing depends."""
        name = quoted("u", sort_text(sort))
        if name not in self.functions.values():
            self.functions[f"anything of {sort_text(sort)}"] = name
            self._declare(name, (), sort)
        return name

    # ── built-ins ────────────────────────────────────────────────────────────────────────────────────────

    def _builtin(self, operation: core.Operation, arguments: Sequence[core.Term]) -> Value:
        if operation.name == "re_range":
            self.characters.note_range(arguments)
        values = [self.value(each) for each in arguments]
        texts = [each.text for each in values]
        for variable in operation.parameters:
            self.sorts.name(variable.sort)
        self.sorts.name(operation.result)
        defined = conjunction(*(each.defined for each in values), self._condition(operation, texts))
        return Value(self._encoded(operation, texts), defined)

    def _encoded(self, operation: core.Operation, texts: Sequence[str]) -> str:
        if operation.name in ("empty_set", "singleton"):
            empty = f"((as const {self.sorts.name(operation.result)}) false)"
            return f"(store {empty} {texts[0]} true)" if texts else empty
        if operation.name == "tau" and operation.result == core.REAL:
            return f"(* 2.0 {self._approximate(msgspec.structs.replace(operation, name='pi'))})"
        encode = None if self._is_opaque(operation) else OPERATIONS.get(operation.name)
        text = encode(operation, texts) if encode is not None else None
        if text is not None and not operation.incomplete:
            return text
        if text is not None and operation.name in ("abs", "power", "complex"):
            return text
        return application(self._approximate(operation), texts)

    def _is_opaque(self, operation: core.Operation) -> bool:
        """Whether it makes or asks a regular expression, and the script knows nothing of these."""
        sorts = (operation.result, *(each.sort for each in operation.parameters))
        return self.sorts.opaque_languages and core.REGEX in sorts

    def _approximate(self, operation: core.Operation) -> str:
        """An uninterpreted function for an operation without exact encoding."""
        domain = tuple(each.sort for each in operation.parameters)
        key = operation.name, domain, operation.result
        name = self.approximated.get(key)
        if name is None:
            sorts = sorts_text((*domain, operation.result))
            name = self.approximated[key] = quoted("b", f"{operation.name}/{sorts}")
            self._declare(name, domain, operation.result)
            if operation.name in BOUNDS and not domain and operation.result == core.REAL:
                low, high = (real(each) for each in BOUNDS[operation.name])
                self.declarations.append(f"(assert (and (< {low} {name}) (< {name} {high})))")
        return name

    def _condition(self, operation: core.Operation, texts: Sequence[str]) -> str:
        """Where a call has a value, over the texts of its arguments."""
        if operation.condition is None:
            return TRUE
        formula = self.formula(operation.condition)
        names = [quoted("v", variable.name) for variable in operation.parameters]
        used = [(name, text) for name, text in zip(names, texts, strict=True) if name in formula.true]
        if not used:
            return formula.true
        bound = " ".join(f"({name} {text})" for name, text in used)
        return f"(let ({bound}) {formula.true})"


def _no_definitions(key: str) -> tuple[str, bool]:
    raise Inexpressible("incomplete", f"the definition {key} is not declared")
