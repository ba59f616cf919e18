"""The executable reference semantics of the typed core: brute force, slow and obvious.

Every rule is a sentence of kleis/core/terms.py, in the order of the terms there.  What a built-in computes is given by
its row in kleis/builtins. See docs/reference/proving.md §4.4.

    term     a value; `UNDEFINED`; or `OPEN` where the bounds do not show which
    formula  a `Truth`: the set of truth values that remain possible (kleis/semantics/truth.py)

Two modes
    *relativised*: a quantifier means the values of its range, exactly.
    *one-sided*: a quantifier means its sort.  Over a cut-off range the values beyond may be anything, so ∀ is never
    true and ∃ never false there.  An answer of this mode that is decided holds without any bounds.

Equality of functions means ``∀ arguments. f(…) = g(…)``, so a quantifier stands there too.

What stays open in both modes
    Whatever a float takes part in (no verdict rests on one); a symbol that the model gives no function for; equality of
    regular expressions that are built differently; and a term for which the budget does not suffice, which
    `Account.exceeded` records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, TypeAlias

from kleis import core
from kleis.budget import Budget
from kleis.builtins.row import Builtin, Context, Requests, Undecided
from kleis.builtins.rows.table import find_builtin
from kleis.core.goal import Goal
from kleis.errors import BudgetError, EvaluationError
from kleis.semantics.enclosures import ORDERS, PRECISION, Encloser, compared, mentions_irrationals
from kleis.semantics.ranges import Function, Outcome, Ranges, constructed
from kleis.semantics.truth import (
    FALSE,
    OPEN,
    TRUE,
    UNDEFINED,
    Truth,
    conjunction,
    disjunction,
    implication,
    negation,
    truth_of,
    union,
)
from kleis.semantics.value_equality import Comparison, entries, known
from kleis.values import (
    Data,
    ListValue,
    SetValue,
    Value,
    contains_float,
    equality_key,
    exact,
)

__all__ = ["Account", "Environment", "Evaluator", "Mode"]

Mode: TypeAlias = Literal["relativised", "one-sided"]

Environment: TypeAlias = Mapping[str, Value]
"""The values of the variables by name.  Bound variables shadow; nothing is ever substituted, so nothing is captured."""


_Rule: TypeAlias = Callable[[Any, Environment], Outcome]


class Account(Context):
    """The meter of one decision.  `exceeded` is set where the budget has left something open.

    `precision` is the number of binary digits with which irrational numbers are compared; `enclosed` is set where that has
    decided a comparison, `imprecise` where it has left one open.
    """

    __slots__ = ("enclosed", "exceeded", "imprecise", "precision")

    def __init__(self, budget: Budget, precision: int = PRECISION) -> None:
        super().__init__(budget)
        self.precision = precision
        self.enclosed = self.exceeded = self.imprecise = False


class Evaluator:
    """The values of terms in one interpretation of the symbols.

    `symbols` holds a function for every symbol that has one; constants are functions without arguments.
    """

    def __init__(
        self,
        goal: Goal,
        ranges: Ranges,
        account: Account,
        mode: Mode,
        symbols: Mapping[core.Symbol, Function] | None = None,
    ) -> None:
        self.ranges = ranges
        self.symbols = symbols or {}
        self._account = account
        self._comparison = Comparison(ranges, account, one_sided=mode == "one-sided")
        self._definitions = {each.key: each for each in goal.definitions}
        self._terminations = dict(goal.terminations)
        self._plain_definitions = {
            key: each
            for key, each in self._definitions.items()
            if not each.group and key not in self._terminations
        }
        self._depth = 0

    def under(self, symbols: Mapping[core.Symbol, Function]) -> Evaluator:
        """The same in another interpretation."""
        copied = Evaluator.__new__(Evaluator)
        copied.__dict__.update(self.__dict__)
        copied.symbols = symbols
        return copied

    def truth(self, formula: core.Term, environment: Environment | None = None) -> Truth:
        """Whether a formula holds."""
        outcome = self.outcome(formula, environment or {})
        assert isinstance(outcome, Truth), "a formula is a term of sort Bool"
        return outcome

    def outcome(self, term: core.Term, environment: Environment) -> Outcome:
        """The value of a term; a `Truth` where its sort is Bool, or where there is no value that is known."""
        account = self._account
        account.remaining -= 1  # as `charge` does, which would be a tenth of the time
        if account.remaining < 0:
            account.stop_at_steps()
        if self._depth >= account.budget.depth:
            account.exceeded = True
            return OPEN
        if type(term) is core.Variable:
            return known(environment[term.name])
        self._depth += 1
        try:
            rule: _Rule = getattr(self, _RULES[type(term)])
            return known(rule(term, environment))
        finally:
            self._depth -= 1

    def _literal(self, term: core.LiteralTerm, environment: Environment) -> Outcome:
        value = term.value
        return value if isinstance(value, (bool, int, str)) else exact(value)

    def _equals(self, term: core.Equals, environment: Environment) -> Outcome:
        left, right = self.outcome(term.left, environment), self.outcome(term.right, environment)
        same = self._comparison.same(left, right)
        return self._by_bounds("equals", term.left, term.right, environment) if same is OPEN else same

    def _construction(self, term: core.Construction, environment: Environment) -> Outcome:
        fields = self._values(term.arguments, environment)
        return fields if isinstance(fields, Truth) else constructed(term.constructor, fields)

    def _discrimination(self, term: core.Discrimination, environment: Environment) -> Outcome:
        made = self.outcome(term.term, environment)
        return made if isinstance(made, Truth) else _is_made_by(term.constructor, made)

    def _selection(self, term: core.Selection, environment: Environment) -> Outcome:
        made = self.outcome(term.term, environment)
        return made if isinstance(made, Truth) else _selected(term.constructor, term.index, made)

    def _let(self, term: core.Let, environment: Environment) -> Outcome:
        values = self._values((term.value,), environment)
        if isinstance(values, Truth):
            return values
        return self.outcome(term.body, {**environment, term.variable.name: values[0]})

    def _application(self, term: core.Application, environment: Environment) -> Outcome:
        values = self._values((term.function, *term.arguments), environment)
        return values if isinstance(values, Truth) else _applied(values[0], values[1:])

    def _coercion(self, term: core.Coercion, environment: Environment) -> Outcome:
        return self._comparison.coerced(self.outcome(term.term, environment))

    def _narrowing(self, term: core.Narrowing, environment: Environment) -> Outcome:
        number = self.outcome(term.term, environment)
        return UNDEFINED if isinstance(number, int) and number < 0 else number

    def _undefined(self, term: core.Undefined, environment: Environment) -> Outcome:
        return UNDEFINED

    # ── Calls: strict in all arguments ───────────────────────────────────────────────────────────────────────

    def _values(self, terms: tuple[core.Term, ...], environment: Environment) -> tuple[Value, ...] | Truth:
        """The values of all terms; undefined if one is, open if one is not known."""
        values: list[Value] = []
        known = defined = True
        for term in terms:  # all of them, even after an undefined one: a subclass or caller may record each
            value = self.outcome(term, environment)
            if not isinstance(value, Truth):
                values.append(value)
            elif value is TRUE or value is FALSE:
                values.append(value is TRUE)
            elif value is UNDEFINED:
                defined = False
            else:
                known = False
        return UNDEFINED if not defined else tuple(values) if known else OPEN

    def _symbol_call(self, term: core.SymbolCall, environment: Environment) -> Outcome:
        arguments = self._values(term.arguments, environment)
        if isinstance(arguments, Truth):
            return arguments
        function = self.symbols.get(term.symbol)
        return OPEN if function is None else _applied(function, arguments)

    def _definition_call(self, term: core.DefinitionCall, environment: Environment) -> Outcome:
        arguments = self._values(term.arguments, environment)
        if isinstance(arguments, Truth):
            return arguments
        definition = self._definitions[term.definition]
        names = [parameter.name for parameter in definition.parameters]
        inner = dict(zip(names, arguments, strict=True))
        termination = self._terminations.get(term.definition)
        if termination is not None and termination.condition is not None:
            terminates = self.truth(termination.condition, inner)
            if terminates is not TRUE:
                return OPEN if terminates.may_be_true else UNDEFINED
        return self.outcome(definition.body, inner)

    def _lambda(self, term: core.Lambda, environment: Environment) -> Outcome:
        names = [variable.name for variable in term.variables]

        def call(*given: Value) -> Outcome:
            return self.outcome(term.body, {**environment, **dict(zip(names, given, strict=True))})

        return Function("λ", tuple(variable.sort for variable in term.variables), call, total=False)

    # ── Built-ins ────────────────────────────────────────────────────────────────────────────────────────────

    def _builtin_call(self, term: core.BuiltinCall, environment: Environment) -> Outcome:
        arguments = self._values(term.arguments, environment)
        operation = term.operation
        if arguments is OPEN and operation.name in ORDERS and len(term.arguments) == 2:
            return self._by_bounds(operation.name, *term.arguments, environment)
        if isinstance(arguments, Truth):
            return arguments
        if operation.condition is not None:
            names = [parameter.name for parameter in operation.parameters]
            defined = self.truth(operation.condition, dict(zip(names, arguments, strict=True)))
            if defined is not TRUE:
                return OPEN if defined.may_be_true else UNDEFINED
        if operation.name in _SET_RELATIONS:
            return self._set_relation(operation, arguments)
        return self._computed(operation.name, operation.result, arguments)

    def _by_bounds(self, order: str, left: core.Term, right: core.Term, environment: Environment) -> Truth:
        """A comparison of reals of which one is not known exactly, such as π > 3."""
        if left.sort != core.REAL or not mentions_irrationals(left, right):
            return OPEN
        encloser = Encloser(
            self._account.precision, self._account.charge, self.outcome, self._plain_definitions.get
        )
        first = encloser.of(left, environment)
        second = None if first is None else encloser.of(right, environment)
        truth = OPEN if first is None or second is None else compared(order, first, second)
        self._account.enclosed |= truth is not OPEN
        self._account.imprecise |= truth is OPEN
        return truth

    def _computed(self, name: str, result: core.Sort, arguments: tuple[Value, ...]) -> Outcome:
        """The value that the row computes.  A row without a value where its condition holds is a defect, and raises."""
        row = find_builtin(name)
        if row is None:
            raise KeyError(name)
        try:
            return self._normalized(self._run(row, arguments), result)
        except Undecided:
            return OPEN
        except EvaluationError as error:
            if error.code != "approximation":
                raise
            return OPEN
        except BudgetError as error:
            if error.code == "budget_steps":
                raise
            self._account.exceeded = True
            return OPEN

    def _run(self, row: Builtin, arguments: tuple[Value, ...]) -> Outcome:
        if not row.higher_order:
            value: Value = row.run(self._account, *arguments)
            return value
        requests: Requests = row.run(self._account, *arguments)
        answer: Any = None
        while True:
            try:
                function, given = requests.send(answer)
            except StopIteration as stop:
                result: Value = stop.value
                return result
            answer = _as_value(_applied(function, given))
            if isinstance(answer, Truth):
                return answer

    def _normalized(self, outcome: Outcome, sort: core.Sort) -> Outcome:
        """A value as the value model has it: no float, no complement that can be listed, fields of records by name."""
        if isinstance(outcome, Truth) or contains_float(outcome, self._account):
            return outcome if isinstance(outcome, Truth) else OPEN
        if isinstance(sort, core.RecordOf) and isinstance(outcome, Data):
            return Data("record", _by_name(outcome))
        if not (isinstance(outcome, SetValue) and outcome.complement and isinstance(sort, core.SetOf)):
            return outcome
        elements = self.ranges.of(sort.element)
        if elements.complete:
            keys = ((equality_key(each, self._account), each) for each in elements.values)
            return SetValue({key: each for key, each in keys if key not in outcome.members})
        return outcome if self.ranges.is_infinite(sort.element) else OPEN

    def _set_relation(self, operation: core.Operation, arguments: tuple[Value, ...]) -> Truth:
        """Inclusion and disjointness by differences: the rows do not know the sort of the elements."""
        sort = operation.parameters[0].sort
        rest = self._computed(_SET_RELATIONS[operation.name], sort, arguments)
        if not isinstance(rest, SetValue):
            return OPEN
        empty = truth_of(not rest.members and not rest.complement)
        if operation.name != "proper_subset":
            return empty
        return conjunction(empty, negation(self._comparison.equal(*arguments)))

    # ── Formulas ─────────────────────────────────────────────────────────────────────────────────────────────

    def _connective(self, term: core.Connective, environment: Environment) -> Truth:
        first = self.truth(term.arguments[0], environment)
        rest = term.arguments[1:]
        match term.name:
            case "not":
                return negation(first)
            case "implies":
                return TRUE if first is FALSE else implication(first, self.truth(rest[0], environment))
            case "and":
                for part in rest:
                    if first is FALSE:
                        return FALSE
                    first = conjunction(first, self.truth(part, environment))
            case "or":
                for part in rest:
                    if first is TRUE:
                        return TRUE
                    first = disjunction(first, self.truth(part, environment))
        return first

    def _quantifier(self, term: core.Quantifier, environment: Environment) -> Truth:
        universal = term.kind == "forall"
        combine, decisive = (conjunction, FALSE) if universal else (disjunction, TRUE)
        result = negation(decisive)
        environments, complete = self.environments(term.variables, environment)
        empty = True
        for inner in environments:
            empty = False
            result = combine(result, self.truth(term.body, inner))
            if result is decisive:
                return result
        return OPEN if empty else result if complete else combine(result, OPEN)

    def environments(
        self, variables: tuple[core.Variable, ...], environment: Environment
    ) -> tuple[Iterator[dict[str, Value]], bool]:
        """The environments that a quantifier tries, and whether these are all it ranges over."""
        names = [variable.name for variable in variables]
        points, complete = self._comparison.points(tuple(variable.sort for variable in variables))
        return ({**environment, **dict(zip(names, point, strict=True))} for point in points), complete

    def _conditional(self, term: core.Conditional, environment: Environment) -> Outcome:
        condition = self.truth(term.condition, environment)
        if condition is TRUE:
            return self.outcome(term.consequent, environment)
        if condition is FALSE:
            return self.outcome(term.alternative, environment)
        if condition is UNDEFINED or term.sort != core.BOOL:
            return condition if condition is UNDEFINED else OPEN
        possible = [UNDEFINED] if condition.may_be_undefined else []
        if condition.may_be_true:
            possible.append(self.truth(term.consequent, environment))
        if condition.may_be_false:
            possible.append(self.truth(term.alternative, environment))
        return union(*possible)


_RULES: Mapping[type[core.Term], str] = {
    core.LiteralTerm: "_literal",
    core.SymbolCall: "_symbol_call",
    core.BuiltinCall: "_builtin_call",
    core.DefinitionCall: "_definition_call",
    core.Equals: "_equals",
    core.Connective: "_connective",
    core.Quantifier: "_quantifier",
    core.Conditional: "_conditional",
    core.Construction: "_construction",
    core.Discrimination: "_discrimination",
    core.Selection: "_selection",
    core.Let: "_let",
    core.Lambda: "_lambda",
    core.Application: "_application",
    core.Coercion: "_coercion",
    core.Narrowing: "_narrowing",
    core.Undefined: "_undefined",
}
"""The method with the rule of each kind of term but variables, which are looked up."""

_SET_RELATIONS = {"subset": "difference", "proper_subset": "difference", "disjoint": "intersect"}
"""The relations that hold where the result of another operation is empty."""


def _as_value(outcome: Outcome) -> Outcome:
    """A value that is known; otherwise `UNDEFINED`, or `OPEN`."""
    if not isinstance(outcome, Truth):
        return outcome
    if outcome is TRUE or outcome is FALSE:
        return outcome is TRUE
    return outcome if outcome is UNDEFINED else OPEN


def _applied(function: Value, arguments: tuple[Value, ...]) -> Outcome:
    assert isinstance(function, Function), "only functions are applied"
    outcome: Outcome = function.target(*arguments)
    return outcome


def _by_name(record: Data) -> tuple[Value, ...]:
    return tuple(
        Data("field", entry) for entry in sorted(entries(record).items(), key=lambda entry: entry[0])
    )


def _is_made_by(constructor: core.Constructor, value: Value) -> bool:
    if isinstance(value, ListValue):
        return (len(value) > 0) == (constructor.name == "Cons")
    return isinstance(value, Data) and value.constructor == constructor.name


def _selected(constructor: core.Constructor, index: int, value: Value) -> Outcome:
    if not _is_made_by(constructor, value):
        return UNDEFINED
    if isinstance(value, ListValue):
        return value.tail if index else value.head
    assert isinstance(value, Data)
    if value.constructor == "record":
        return entries(value)[constructor.fields[index].name]
    return value.fields[index]
