"""A proposition as a file for other provers: SMT-LIB, as the solvers here get it, or TPTP.

See docs/reference/proving.md §13.  The SMT-LIB text is that of `kleis.prover.smt.script` and nothing else: `unsat` means
that the claim holds.

TPTP is FOF where there is one sort, else TFF with arithmetic.  It asks what the SMT-LIB script asks: T of every axiom,
and whether T of the claim follows.  Only the first-order part can be written: carriers, ℤ ℚ ℝ (ℕ as guarded $int),
symbols, definitions that are not recursive, arithmetic.  Everything else is rejected with the reason.

Invariant: nothing is approximated in TPTP; a prover's answer about the file is an answer about the claim.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction

import msgspec

from kleis import core
from kleis.core.build_terms import at_arguments
from kleis.core.goal import Goal
from kleis.core.sort_printing import sort_text
from kleis.core.traversal import sorts_of, substitute
from kleis.definedness.partial_logic import Language, PartialFormula, conditional, connective, equivalence
from kleis.errors import KleisError
from kleis.prover.protocol.engine import Inexpressible, Task
from kleis.prover.smt.script import encode

__all__ = ["Exchange", "ExportError", "smtlib", "tptp"]


class ExportError(KleisError):
    """A proposition that the language of another prover cannot express: `code` is ``not-expressible``."""


class Exchange(msgspec.Struct, frozen=True):
    """A file for other provers.

    exact
        Whether a model found is a countermodel: nothing was approximated.
    approximated
        Built-ins that are unknown functions in it.
    """

    text: str
    exact: bool
    approximated: tuple[str, ...] = ()


def smtlib(goal: Goal) -> Exchange:
    """The script that solvers get: `unsat` is a proof of the claim.  Raises `ExportError` where there is none."""
    if goal.unsettled:
        first = goal.unsettled[0]
        raise _export_error(Inexpressible(first.reason, first.message), "SMT-LIB")
    try:
        script = encode(Task(goal))
    except Inexpressible as error:
        raise _export_error(error, "SMT-LIB") from error
    return Exchange(script.text(), script.exact, script.approximated)


def tptp(goal: Goal) -> Exchange:
    """The question in TPTP, FOF or TFF.  Raises `ExportError` where it has no first-order form."""
    try:
        return Exchange(_Writer(goal).text(), True)
    except Inexpressible as error:
        raise _export_error(error, "TPTP") from error


def _export_error(error: Inexpressible, language: str) -> ExportError:
    return ExportError(
        f"{language} cannot say this: {error}",
        code="not-expressible",
        hint="kleis show --meaning prints what the proposition says",
    )


# ── TPTP ────────────────────────────────────────────────────────────────────────────────────────────────────

_NUMBERS = {"ℕ": "$int", "ℤ": "$int", "ℚ": "$rat", "ℝ": "$real"}
_COMPARISONS = {"less_than": "$less", "leq": "$lesseq", "greater_than": "$greater", "geq": "$greatereq"}
_ARITHMETIC = {"plus": "$sum", "minus": "$difference", "times": "$product", "divide": "$quotient"}
_WHOLE = {"div": "$quotient_f", "mod": "$remainder_f"}


_WORDS: dict[type, str] = {
    core.Construction: "a list, tuple or value of a data type",
    core.Selection: "a part of a value of a data type",
    core.Discrimination: "a match",
    core.Conditional: "an if between values",
    core.Lambda: "a function as a value",
    core.Application: "a function as a value",
    core.Variable: "a variable for truth values",
    core.Undefined: "a value that is not there",
}


class _Formula(msgspec.Struct, frozen=True):
    """Where a formula is true, and where it is false (None: where it is not true)."""

    true: str
    partial_false: str | None = None

    @property
    def false(self) -> str:
        return _not(self.true) if self.partial_false is None else self.partial_false

    @property
    def total(self) -> bool:
        return self.partial_false is None


class _Value(msgspec.Struct, frozen=True):
    text: str
    defined: str = "$true"


def _inexpressible(what: str) -> Inexpressible:
    return Inexpressible("incomplete", f"{what} has no first-order form in TPTP")


def _not(formula: str) -> str:
    return {"$true": "$false", "$false": "$true"}.get(formula, f"~ ({formula})")


def _and(*parts: str) -> str:
    kept = list(dict.fromkeys(part for part in parts if part != "$true"))
    if "$false" in kept:
        return "$false"
    return kept[0] if len(kept) == 1 else "$true" if not kept else " & ".join(f"({part})" for part in kept)


def _or(*parts: str) -> str:
    kept = list(dict.fromkeys(part for part in parts if part != "$false"))
    if "$true" in kept:
        return "$true"
    return kept[0] if len(kept) == 1 else "$false" if not kept else " | ".join(f"({part})" for part in kept)


def _implies(given: str, then: str) -> str:
    return then if given == "$true" else f"({given}) => ({then})"


def _implication(given: PartialFormula[str], then: PartialFormula[str]) -> str:
    return _implies(given.true, then.true) if given.total else _or(given.false, then.true)


_TPTP = Language(_and, _or, _implication)


class _Writer:
    """Writes one question."""

    def __init__(self, goal: Goal) -> None:
        self._goal = goal
        self._definitions = {each.key: each for each in goal.definitions}
        self._names: dict[object, str] = {}
        self._taken: set[str] = set()
        self._variables: dict[str, str] = {}
        self._typed = not self._is_untyped()

    def _is_untyped(self) -> bool:
        """Whether one sort is enough: then FOF."""
        terms = [each.formula for each in self._goal.axioms]
        terms += [] if self._goal.claim is None else [self._goal.claim]
        terms += [each.body for each in self._goal.definitions]
        sorts = {sort for term in terms for sort in sorts_of(term)} - {core.BOOL}
        sorts |= {sort for each in self._goal.symbols for sort in (*each.domain, each.codomain)} - {core.BOOL}
        return len(sorts) <= 1 and all(
            isinstance(each, core.Carrier) and not each.arguments for each in sorts
        )

    def text(self) -> str:
        """The whole file."""
        if self._goal.unsettled:
            raise Inexpressible(self._goal.unsettled[0].reason, self._goal.unsettled[0].message)
        language = "tff" if self._typed else "fof"
        axioms = [(each.name, self._closed(each.formula)) for each in self._goal.axioms]
        claim = None if self._goal.claim is None else self._closed(self._goal.claim)
        lines = [
            f"% Written by kleis export --tptp.  {'Typed' if self._typed else 'Untyped'} first-order form."
        ]
        lines += self._declarations() if self._typed else []
        lines += [f"{language}({self._label(name)}, axiom, {formula})." for name, formula in axioms]
        if claim is not None:
            lines.append(f"{language}(claim, conjecture, {claim}).")
        return "\n".join(lines) + "\n"

    def _closed(self, formula: core.Term) -> str:
        if not isinstance(formula, core.Term) or formula.sort != core.BOOL:
            raise _inexpressible("a value as a formula")
        return self._formula(formula).true

    # ── names ────────────────────────────────────────────────────────────────────────────────────────────

    def _name(self, key: object, text: str, prefix: str) -> str:
        """A lower-case name of its own for a sort or symbol."""
        if key not in self._names:
            letters = re.sub(r"[^A-Za-z0-9_]", lambda found: f"_u{ord(found.group()):x}", text)
            wanted = f"{prefix}{letters}" if prefix else letters[:1].lower() + letters[1:]
            wanted = wanted if wanted[:1].isalpha() else f"c_{wanted}"
            name, count = wanted, 1
            while name in self._taken:
                count += 1
                name = f"{wanted}_{count}"
            self._taken.add(name)
            self._names[key] = name
        return self._names[key]

    @staticmethod
    def _label(name: str) -> str:
        escaped = name.replace("\\", "\\\\").replace("'", "\\'")
        return f"'{escaped}'"

    def _sort(self, sort: core.Sort) -> str:
        if isinstance(sort, core.Numeric) and sort.name in _NUMBERS:
            return _NUMBERS[sort.name]
        if isinstance(sort, core.Carrier) and not sort.arguments:
            return self._name(sort, sort.name.replace("::", "_"), "t_")
        raise _inexpressible(f"the sort {sort_text(sort)}")

    def _symbol(self, symbol: core.Symbol) -> str:
        for sort in symbol.domain:
            self._sort(sort)
        if symbol.codomain != core.BOOL:
            self._sort(symbol.codomain)
        return self._name(symbol, symbol.name.replace("::", "_"), "s_")

    def _variable(self, variable: core.Variable) -> str:
        if variable.name not in self._variables:
            letters = re.sub(r"[^A-Za-z0-9_]", lambda found: f"_u{ord(found.group()):x}", variable.name)
            name, count = f"X_{letters}", 1
            while name in self._variables.values():
                count += 1
                name = f"X_{letters}_{count}"
            self._variables[variable.name] = name
        return self._variables[variable.name]

    def _declarations(self) -> list[str]:
        lines = []
        symbols = [each for each in self._names if isinstance(each, core.Symbol)]
        signatures = {each: self._signature(each) for each in symbols}
        for sort in [each for each in self._names if isinstance(each, core.Carrier)]:
            lines.append(f"tff({self._names[sort]}_type, type, {self._names[sort]}: $tType).")
        for each in symbols:
            lines.append(f"tff({self._names[each]}_type, type, {self._names[each]}: {signatures[each]}).")
        for each in symbols:
            if guard := self._guarded(each):
                lines.append(f"tff({self._names[each]}_natural, axiom, {guard}).")
        return lines

    def _signature(self, symbol: core.Symbol) -> str:
        result = "$o" if symbol.codomain == core.BOOL else self._sort(symbol.codomain)
        if not symbol.domain:
            return result
        domain = " * ".join(self._sort(each) for each in symbol.domain)
        return f"({domain}) > {result}" if len(symbol.domain) > 1 else f"{domain} > {result}"

    def _guarded(self, symbol: core.Symbol) -> str:
        """The axioms that operations with natural results give natural numbers."""
        if symbol.codomain != core.Numeric("ℕ"):
            return ""
        variables = tuple(core.Variable(f"a{place}", sort) for place, sort in enumerate(symbol.domain))
        call = self._applied(self._symbol(symbol), [self._variable(each) for each in variables])
        return self._bound("!", variables, f"$greatereq({call},0)")

    # ── formulas ─────────────────────────────────────────────────────────────────────────────────────────

    def _bound(self, quantifier: str, variables: Sequence[core.Variable], body: str) -> str:
        if not variables or body in ("$true", "$false"):
            return body
        guards = _and(
            *(f"$greatereq({self._variable(each)},0)" for each in variables if each.sort == core.Numeric("ℕ"))
        )
        inner = _implies(guards, body) if quantifier == "!" else _and(guards, body)
        names = ", ".join(
            f"{self._variable(each)}: {self._sort(each.sort)}" if self._typed else self._variable(each)
            for each in variables
        )
        return f"{quantifier} [{names}] : ({inner})"

    def _formula(self, term: core.Term) -> _Formula:
        match term:
            case core.LiteralTerm(value=value):
                return _Formula("$true" if value else "$false")
            case core.Connective(name=name, arguments=arguments):
                return _Formula(*connective(_TPTP, name, [self._formula(each) for each in arguments]))
            case core.Equals(left=left, right=right):
                return self._equation(left, right)
            case core.Quantifier(kind=kind, variables=variables, body=body):
                return self._quantified(kind, variables, self._formula(body))
            case core.Conditional(condition=condition, consequent=yes, alternative=no):
                parts = self._formula(condition), self._formula(yes), self._formula(no)
                return self._conditional(*parts)
            case core.Let(variable=variable, value=value, body=body):
                # The value is inlined; its condition is kept even where it is not used.
                inner = self._formula(substitute(body, {variable.name: value}))
                return self._where_defined(inner, self._defined(value))
            case core.DefinitionCall(definition=key, arguments=arguments):
                return self._call(key, arguments)
            case core.Undefined():
                return _Formula("$false", "$false")
            case core.SymbolCall(symbol=symbol, arguments=arguments):
                atom = self._strict(arguments, lambda given: self._applied(self._symbol(symbol), given))
                return self._atom(atom)
            case core.BuiltinCall():
                return self._atom(self._builtin(term))
            case _:
                raise _inexpressible(_WORDS.get(type(term), "this kind of formula"))

    @staticmethod
    def _atom(value: _Value) -> _Formula:
        if value.defined == "$true":
            return _Formula(value.text)
        return _Formula(_and(value.defined, value.text), _and(value.defined, _not(value.text)))

    @staticmethod
    def _where_defined(formula: _Formula, defined: str) -> _Formula:
        if defined == "$true":
            return formula
        return _Formula(_and(defined, formula.true), _and(defined, formula.false))

    def _defined(self, value: core.Term) -> str:
        if value.sort == core.BOOL:
            formula = self._formula(value)
            return "$true" if formula.total else _or(formula.true, formula.false)
        return self._value(value).defined

    def _equation(self, left: core.Term, right: core.Term) -> _Formula:
        if left.sort == core.BOOL:
            a, b = self._formula(left), self._formula(right)
            if a.total and b.total:
                return _Formula(f"({a.true}) <=> ({b.true})")
            return _Formula(*equivalence(_TPTP, a, b))
        x, y = self._value(left), self._value(right)
        return self._atom(_Value(f"{x.text} = {y.text}", _and(x.defined, y.defined)))

    def _quantified(self, kind: str, variables: Sequence[core.Variable], body: _Formula) -> _Formula:
        if any(each.sort == core.BOOL for each in variables):
            raise _inexpressible("a quantifier over truth values")
        every, some = ("!", "?") if kind == "forall" else ("?", "!")
        true = self._bound(every, variables, body.true)
        return _Formula(true, None if body.total else self._bound(some, variables, body.false))

    @staticmethod
    def _conditional(condition: _Formula, yes: _Formula, no: _Formula) -> _Formula:
        true, false = conditional(_TPTP, condition, yes, no)
        return _Formula(true, None if condition.total and yes.total and no.total else false)

    def _call(self, key: str, arguments: Sequence[core.Term]) -> _Formula:
        """A call of a definition, inlined; all its arguments must have values."""
        formula = self._formula(self._body(key, arguments))
        return self._where_defined(formula, _and(*(self._defined(each) for each in arguments)))

    def _body(self, key: str, arguments: Sequence[core.Term]) -> core.Term:
        definition = self._definitions[key]
        if definition.group:
            raise _inexpressible(f"the recursive definition {definition.name}")
        return at_arguments(definition.body, definition, arguments)

    # ── values ───────────────────────────────────────────────────────────────────────────────────────────

    def _value(self, term: core.Term) -> _Value:
        if term.sort == core.BOOL:
            raise _inexpressible("a truth value as an argument")
        match term:
            case core.Variable():
                return _Value(self._variable(term))
            case core.LiteralTerm(value=value, sort=sort):
                return _Value(self._number(value, sort))
            case core.SymbolCall(symbol=symbol, arguments=arguments):
                return self._strict(arguments, lambda given: self._applied(self._symbol(symbol), given))
            case core.BuiltinCall():
                return self._builtin(term)
            case core.DefinitionCall(definition=key, arguments=arguments):
                inner = self._value(self._body(key, arguments))
                given = (self._defined(each) for each in arguments)
                return _Value(inner.text, _and(*given, inner.defined))
            case core.Let(variable=variable, value=value, body=body):
                inner = self._value(substitute(body, {variable.name: value}))
                return _Value(inner.text, _and(self._defined(value), inner.defined))
            case core.Coercion(term=inner_term, sort=sort):
                return self._coerced(inner_term, sort)
            case core.Narrowing(term=inner_term):
                number = self._value(inner_term)
                return _Value(number.text, _and(number.defined, f"$greatereq({number.text},0)"))
            case _:
                raise _inexpressible(_WORDS.get(type(term), "this kind of term"))

    def _strict(self, arguments: Sequence[core.Term], build: Callable[[list[str]], str]) -> _Value:
        given = [self._value(each) for each in arguments]
        return _Value(build([each.text for each in given]), _and(*(each.defined for each in given)))

    @staticmethod
    def _applied(head: str, given: Sequence[str]) -> str:
        return f"{head}({','.join(given)})" if given else head

    @staticmethod
    def _number(value: object, sort: core.Sort) -> str:
        if not isinstance(value, int | Fraction) or not isinstance(sort, core.Numeric):
            raise _inexpressible("a literal that is no number")
        fraction = Fraction(value)
        match sort.name:
            case "ℕ" | "ℤ":
                return str(fraction.numerator)
            case "ℚ":
                return f"{fraction.numerator}/{fraction.denominator}"
            case _:
                return f"$to_real({fraction.numerator}/{fraction.denominator})"

    def _coerced(self, term: core.Term, sort: core.Sort) -> _Value:
        if isinstance(term, core.LiteralTerm) and isinstance(sort, core.Numeric):
            return _Value(self._number(term.value, sort))
        source, target = self._sort(term.sort), self._sort(sort)
        value = self._value(term)
        if source == target:
            return value
        if not target.startswith("$"):
            raise _inexpressible(f"{sort_text(term.sort)} read as {sort_text(sort)}")
        return _Value(f"$to_{target[1:]}({value.text})", value.defined)

    def _builtin(self, term: core.BuiltinCall) -> _Value:
        operation, arguments = term.operation, term.arguments
        given = [self._value(each) for each in arguments]
        texts = [each.text for each in given]
        text = self._operation(term, texts)
        condition = "$true"
        if operation.condition is not None:
            names = (each.name for each in operation.parameters)
            inside = substitute(operation.condition, dict(zip(names, arguments, strict=True)))
            condition = self._formula(inside).true
        return _Value(text, _and(*(each.defined for each in given), condition))

    @staticmethod
    def _operation(term: core.BuiltinCall, texts: Sequence[str]) -> str:
        name = term.operation.name
        sort = term.arguments[0].sort if term.arguments else term.sort
        if isinstance(sort, core.Numeric) and sort.name in _NUMBERS:
            if name in _COMPARISONS:
                return f"{_COMPARISONS[name]}({','.join(texts)})"
            if name in _WHOLE and sort.name in ("ℕ", "ℤ"):
                return f"{_WHOLE[name]}({','.join(texts)})"
            if name == "negate":
                return f"$uminus({texts[0]})"
            if name in _ARITHMETIC and len(texts) == 2 and (name != "divide" or sort.name in ("ℚ", "ℝ")):
                return f"{_ARITHMETIC[name]}({','.join(texts)})"
        raise _inexpressible(f"the built-in {name}")
