"""Laws evaluated at assignments, with every tool in them run by PIF's evaluator (docs/reference/registry.md §7.4).

A tool is an operation whose values PIF computes, not its Kleis definition; the rest of the law is evaluated by the
reference semantics of Kleis. So a trial does not depend on the translation, and works for tools without one. A
counterexample of the prover counts only if a trial confirms it.

At an assignment a law is *true*, *false*, *undefined*, or *open*: a run met a limit, or a quantifier inside the law ranges
over more than was looked at. Assignments are a function of the seed: the first ones are small, later ones grow. A
failure is shrunk: numbers toward 0, strings, lists and booleans toward "", [] and false, each within its sort.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import islice
from random import Random
from typing import Literal

import msgspec

from kleis import core
from kleis import values as kleis_values
from kleis.budget import Budget as KleisBudget
from kleis.core.goal import Goal
from kleis.elaborate.elaborator import Elaborator
from kleis.errors import BudgetError, KleisError
from kleis.semantics.models import Model, evaluator_of
from kleis.semantics.ranges import Bounds, Function, Outcome
from kleis.semantics.reference import Account
from kleis.semantics.truth import FALSE, OPEN, TRUE, UNDEFINED, Truth
from kleis.syntax import tree
from kleis.syntax.tree.traversal import walk
from kleis.theory.theory import Theory
from pif.analysis.types.unification import Type
from pif.language.budget import Budget
from pif.language.host import Tools
from pif.language.terms import Json, literal, make, print_term
from pif.language.terms import Term as PifTerm
from pif.run.evaluate import Request, run
from registry.laws.law_text import retyped
from registry.laws.sampling import Unsampled, boundaries, sample, smaller
from registry.tools.code_and_examples import fuel_of, value_of
from registry.translate.kleis_syntax import record
from registry.translate.symbolic_values import Function as ToolFunction
from registry.translate.tool_theory import RecordType, ResultType, ToolSignature
from registry.translate.value_conversion import NotShared, fits, from_json, to_term

__all__ = [
    "LIMITS",
    "RUN_FUEL",
    "Assignment",
    "Tally",
    "Trials",
    "Untried",
    "applied",
    "call_term",
]

FUEL = 200_000
"""Fuel of one run of a tool."""

ALL_FUEL = 4_000_000
"""Fuel of all runs for one law."""

RUN_FUEL = 50
"""What a run counts for besides its fuel, so that runs that use none end too."""

_SIZES = (1, 2, 3, 5, 8, 12)
"""Sizes of the values of an assignment, in turn."""

_SHRINKS = 200
"""Smaller assignments tried for a failure."""

LIMITS = frozenset({"out_of_fuel", "too_deep", "term_too_deep", "value_too_large", "result_too_large",
                     "eval_depth_exceeded", "cancelled"})  # fmt: skip
"""Kinds of errors that say nothing of a tool's value: the run met a limit."""

_BOUNDS = Bounds(integer=4, natural=5, budget=KleisBudget(steps=400_000, depth=150, size=100_000))


class Untried(Exception):
    """A law that cannot be evaluated at assignments; the message says why."""


class Assignment(msgspec.Struct, frozen=True):
    """A law at an assignment: its truth there, and the values of its outermost variables by name.

    `calls` are the runs of tools: the term, and its value or error. `without` are the labels of tools that had no value.
    `premise` is False where a premise of the law is false.
    """

    truth: Literal["true", "false", "undefined", "open"]
    values: dict[str, kleis_values.Value]
    calls: tuple[tuple[Json, Json], ...] = ()
    without: tuple[str, ...] = ()
    premise: bool = True

    def as_json(self) -> dict[str, Json]:
        """The values as PIF's JSON and as Kleis text, and the first runs of tools."""
        inputs: dict[str, Json] = {}
        for name, value in self.values.items():
            try:
                inputs[name] = print_term(to_term(value))
            except NotShared:
                inputs[name] = kleis_values.render_value(value)
        return {
            "input": inputs,
            "kleis": {name: kleis_values.render_value(value) for name, value in self.values.items()},
            "runs": [{"code": code, "answer": answer} for code, answer in self.calls[:12]],
        }


class _Part(msgspec.Struct, frozen=True):
    """What an operation of a trial stands for: the result of a tool, or a field of it. `path` leads to the field: names,
    each with all names of its record."""

    tool: ToolFunction
    name: str
    path: tuple[tuple[str, frozenset[str]], ...] = ()
    takes: tuple[Type | None, ...] = ()

    def of(self, data: Json) -> Json:
        """The part of a result. Raises `NotShared` for a record with other fields."""
        for name, every in self.path:
            if not isinstance(data, dict) or data.keys() != every:
                raise NotShared("a record with other fields")
            data = data[name]
        return data


class _Runs:
    """The runs of tools in trials. What was run once is known."""

    def __init__(self, tools: Tools, fuel: int) -> None:
        self._tools = tools
        self._known: dict[str, Json] = {}
        self.fuel = fuel
        self.made: list[tuple[Json, Json]] = []
        self.failed: list[str] = []
        self.valued: set[str] = set()

    def function(self, part: _Part, symbol: core.Symbol) -> Function:
        """A tool, or a part of its result, as a function of the reference semantics."""
        tool = part.tool

        def value(*given: kleis_values.Value) -> Outcome:
            return self._value(part, given, symbol.codomain)

        return Function(tool.name, symbol.domain, value, total=False)

    def _value(self, part: _Part, given: Sequence[kleis_values.Value], sort: core.Sort) -> Outcome:
        tool = part.tool
        if not all(map(fits, given, part.takes)):
            raise Untried(f"{tool.label} does not take {', '.join(map(kleis_values.render_value, given))}")
        try:
            code = print_term(call_term(tool, given))
        except NotShared:
            return OPEN
        answer = self._run(code)
        shown = (
            answer.get("value_text", answer.get("value"))
            if answer["type"] == "value"
            else answer.get("error")
        )
        if (code, shown) not in self.made:
            self.made.append((code, shown))
        if answer["type"] != "value":
            if answer["type"] == "error" and answer["error"]["kind"] in LIMITS:
                return OPEN
            self.failed.append(tool.label)
            return UNDEFINED
        self.valued.add(tool.label)
        try:
            return from_json(part.of(value_of(answer)), sort)
        except NotShared:
            return OPEN

    def _run(self, code: Json) -> Json:
        key = msgspec.json.encode(code, order="sorted").decode()
        if key not in self._known:
            if self.fuel <= 0:
                return {"type": "error", "error": {"kind": "out_of_fuel"}}
            answer = run(Request(code=code), self._tools, Budget(fuel=FUEL))
            self.fuel -= fuel_of(answer) + RUN_FUEL
            self._known[key] = answer
        return self._known[key]


def call_term(tool: ToolFunction, given: Sequence[kleis_values.Value]) -> PifTerm:
    """The term that calls a tool with the arguments of its Kleis function: fields become records again."""
    terms = map(to_term, given)
    return applied(
        tool.label,
        [
            next(terms) if fields is None else make("record", tuple(islice(terms, len(fields))), fields)
            for fields in tool.records
        ],
    )


def applied(label: str, arguments: Sequence[PifTerm]) -> PifTerm:
    """The term that calls a tool, or evaluates the code of one without parameters."""
    tool = literal(label)
    if not arguments:
        return make("eval", (make("code_of", (tool,)),))
    return reduce(lambda function, argument: make("app", (function, argument)), arguments, tool)


class Trials:
    """One law, ready to be evaluated. Raises `Untried` where it cannot be.

    `at_integers` are the type variables of the law, which are ℤ here.
    """

    def __init__(
        self, law: tree.Expression, signatures: Sequence[ToolSignature], tools: Tools, fuel: int = ALL_FUEL
    ) -> None:
        self.at_integers = tuple(_type_variables(law))
        law = retyped(law, dict.fromkeys(self.at_integers, tree.NamedType("ℤ")))
        self._runs = _Runs(tools, fuel)
        declared = [_declared(each) for each in signatures]
        theory = Theory().extend([item for items, _ in declared for item in items])
        try:
            self._goal: Goal = Elaborator(theory).proposition(law, file="<law>")
        except KleisError as error:
            raise Untried(error.message) from None
        assert self._goal.claim is not None, "a proposition has a claim"
        self.variables, self._body = _stripped(self._goal.claim)
        known = {part.name: part for _, parts in declared for part in parts}
        if self._goal.carriers:
            raise Untried("it speaks of a type that has no values here")
        self._symbols = {
            symbol: self._runs.function(known[symbol.name], symbol)
            for symbol in self._goal.symbols
            if symbol.name in known
        }

    def at(self, given: Mapping[str, kleis_values.Value]) -> Assignment:
        """The law at an assignment of its variables."""
        self._runs.made, self._runs.failed = [], []
        premise = True
        body = self._body
        try:
            while isinstance(body, core.Connective) and body.name == "implies":
                if self._truth(body.arguments[0], given) is FALSE:
                    premise = False
                    break
                body = body.arguments[1]
            found = TRUE if not premise else self._truth(self._body, given)
        except (BudgetError, RecursionError):
            found = OPEN
        runs = self._runs
        without = tuple(dict.fromkeys(runs.failed))
        return Assignment(_TRUTHS.get(found, "open"), dict(given), tuple(runs.made), without, premise)

    def _truth(self, formula: core.Term, given: Mapping[str, kleis_values.Value]) -> Truth:
        account = Account(_BOUNDS.budget)
        model = Model({}, self._symbols)
        return evaluator_of(self._goal, model, _BOUNDS, "one-sided", account).truth(formula, given)

    # ── Many assignments ─────────────────────────────────────────────────────────────────────────────────────

    def search(
        self,
        *,
        seed: int,
        cases: int,
        wrong: Callable[[Assignment], bool],
        stop: Callable[[], bool] | None = None,
        at_boundaries: bool = False,
    ) -> tuple[Assignment | None, Tally]:
        """The first assignment that is `wrong`, shrunk, or None; and the count of those before it, until `stop`.

        `at_boundaries`: before the `cases` made from the seed, values at boundaries are tried, in each variable.
        """
        tally = Tally()
        for given in self._points(Random(seed), cases if self.variables else 1, at_boundaries):
            if self._runs.fuel <= 0 or (stop is not None and stop()):
                break
            assignment = self.at(given)
            if wrong(assignment):
                return self._smallest(assignment, wrong), tally
            tally.note(assignment)
        tally.valued = frozenset(self._runs.valued)
        return None, tally

    def _points(
        self, random: Random, cases: int, at_boundaries: bool
    ) -> Iterator[dict[str, kleis_values.Value]]:
        """The assignments of a search. Raises `Untried`."""
        try:
            if at_boundaries and self.variables:
                yield from boundaries(self.variables)
            for number in range(cases):
                size = _SIZES[min(number * len(_SIZES) // max(cases, 1), len(_SIZES) - 1)]
                yield {each.name: sample(random, each.sort, size) for each in self.variables}
        except Unsampled as error:
            raise Untried(str(error)) from None

    def _smallest(self, assignment: Assignment, wrong: Callable[[Assignment], bool]) -> Assignment:
        left, found = _SHRINKS, True
        while found and left > 0:
            found = False
            for name, value in assignment.values.items():
                for each in smaller(value):
                    left -= 1
                    tried = self.at({**assignment.values, name: each})
                    if wrong(tried):
                        assignment, found = tried, True
                        break
                    if left <= 0:
                        return assignment
                if found:
                    break
        return assignment


class Tally:
    """How many assignments a search saw, by what the law was there. `without` are the tools that had no value at one of
    them, `valued` those that had one in some run."""

    def __init__(self) -> None:
        self.true = self.without_premise = self.without_value = self.open = 0
        self.without: set[str] = set()
        self.valued: frozenset[str] = frozenset()

    def note(self, assignment: Assignment) -> None:
        """Count an assignment."""
        if not assignment.premise:
            self.without_premise += 1
        elif assignment.truth == "true":
            self.true += 1
        elif assignment.truth == "undefined":
            self.without_value += 1
            self.without.update(assignment.without)
        else:
            self.open += 1

    @property
    def total(self) -> int:
        return self.true + self.without_premise + self.without_value + self.open


def _declared(
    signature: ToolSignature,
) -> tuple[list[tree.OperationDeclaration | tree.FunctionDefinition], list[_Part]]:
    """A tool as an operation. One that gives a record is a definition: the record of an operation for each field."""
    name = signature.function.name
    if not isinstance(signature.result, RecordType):
        return [_operation(name, signature.parameters, signature.result)], [
            _Part(signature.function, name, takes=signature.takes)
        ]
    parameters = tuple(
        tree.Parameter(f"x{place}", type_) for place, type_ in enumerate(signature.parameters, 1)
    )
    given = tuple(tree.Name(each.name) for each in parameters)
    operations: list[tree.OperationDeclaration | tree.FunctionDefinition] = []
    parts: list[_Part] = []

    def written(type_: ResultType, path: tuple[tuple[str, frozenset[str]], ...]) -> tree.Expression:
        if isinstance(type_, RecordType):
            every = frozenset(each for each, _ in type_.fields)
            return record({each: written(inner, (*path, (each, every))) for each, inner in type_.fields})
        part = _Part(signature.function, f"{name}_field_{len(parts)}_", path, signature.takes)
        parts.append(part)
        operations.append(_operation(part.name, signature.parameters, type_))
        return tree.Call(part.name, given) if given else tree.Name(part.name)

    body = written(signature.result, ())
    return [*operations, tree.FunctionDefinition(name, parameters, None, body)], parts


def _operation(
    name: str, parameters: tuple[tree.TypeExpression, ...], result: tree.TypeExpression
) -> tree.OperationDeclaration:
    if not parameters:
        return tree.OperationDeclaration(name, result)
    # A product in front of an arrow is a list of arguments; one argument that is a pair is a product in it.
    plain = len(parameters) == 1 and not isinstance(parameters[0], tree.ProductType)
    domain = parameters[0] if plain else tree.ProductType(parameters)
    return tree.OperationDeclaration(name, tree.FunctionType(domain, result))


_NUMBERS = frozenset("ℕℤℚℝℂCQZNR")
"""Names of number types of one character."""


def _type_variables(law: tree.Expression) -> list[str]:
    """The type variables of a law."""
    names = [node.name for node in walk(law) if isinstance(node, tree.NamedType)]
    return [name for name in dict.fromkeys(names) if len(name) == 1 and name not in _NUMBERS]


def _stripped(claim: core.Term) -> tuple[tuple[core.Variable, ...], core.Term]:
    """The variables of the outermost ∀, and its body."""
    variables: list[core.Variable] = []
    while isinstance(claim, core.Quantifier) and claim.kind == "forall":
        variables += claim.variables
        claim = claim.body
    return tuple(variables), claim


_TRUTHS: dict[Truth, Literal["true", "false", "undefined", "open"]] = {
    TRUE: "true",
    FALSE: "false",
    UNDEFINED: "undefined",
}
