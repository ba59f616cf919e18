"""The rule `interpretation`: carriers read as numbers, texts or lists, symbols as terms, everything to be proved under it.

See docs/reference/certificates.md §5.4.  Under an interpretation every axiom is a closed formula over built-ins, and so
is the negated claim.  Each is a leaf, for a solver to prove.

Invariants
    * All carriers and all symbols of the goal are interpreted, in its order.
    * What a symbol is read as is a well-sorted term over its parameters ``x0``, ``x1``, …, of built-ins and data alone: it
      mentions no symbol and no definition.
    * A point gives a value to every variable of the claim's outermost ∀, or it is empty.  Where functions are among these
      and terms are given for them, that is said of the others.
    * That a claim is undefined is shown only where nothing is interpreted: a term that has no value somewhere could be
      why.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from kleis import core
from kleis.core.goal import Goal
from kleis.core.sort_printing import sort_text
from kleis.core.traversal import stripped, substitute
from kleis.errors import BudgetError
from kleis.prover.checker.format import Interpretation
from kleis.prover.checker.read_terms import OperationAt, Vocabulary
from kleis.prover.checker.rules.interpreted_goals import Leaves, Meaning, Translation, denied, negated
from kleis.prover.checker.rules.named_parts import arrow, same_names, symbol_text
from kleis.prover.checker.sequent import FALSITY, NotExpressible, RejectedError, Sequent
from kleis.prover.checker.values import ValueReader
from kleis.semantics.foreign_values import NamelessError, value_to_term
from kleis.semantics.models import Model, evaluator_of
from kleis.semantics.ranges import Bounds
from kleis.semantics.reference import Account
from kleis.values import Value

__all__ = ["NEGATED", "InterpretedModel", "check_interpretation", "leaves_of", "parameters_of"]

NEGATED = "negated claim"
"""The leaf that says that the claim is false."""

_NUMBERS = (core.NATURAL, core.INTEGER, core.RATIONAL, core.REAL)

Point = tuple[tuple[core.Variable, Value], ...]
"""Values for the variables of a claim's outermost ∀, at the sorts that these have under an interpretation."""


class InterpretedModel(msgspec.Struct, frozen=True, kw_only=True):
    """A model, if its leaves hold.

    variables
        Those of the claim's outermost ∀ that have values, at the sorts that they have in the claim.
    functions
        The others, which are functions, with their meanings.
    undefined
        The claim is neither true nor false.
    """

    carriers: tuple[tuple[core.Carrier, core.Sort], ...]
    symbols: tuple[tuple[core.Symbol, Meaning], ...]
    variables: tuple[core.Variable, ...]
    point: Point
    leaves: Leaves
    functions: tuple[tuple[str, Meaning], ...] = ()
    undefined: bool = False


def check_interpretation(goal: Goal, witness: Interpretation, operation_at: OperationAt) -> InterpretedModel:
    """The model of every axiom of a goal in which its claim is false, once the leaves are shown; else `RejectedError`.

    A goal without a claim asks for a model of its axioms.
    """
    same_names("carriers", witness.carriers, map(sort_text, goal.carriers))
    same_names("symbols", witness.symbols, map(symbol_text, goal.symbols))
    carriers: dict[core.Carrier, core.Sort] = {}
    plain = Vocabulary(msgspec.structs.replace(goal, carriers=(), symbols=(), definitions=()), operation_at)
    for carrier, (name, data) in zip(goal.carriers, witness.carriers, strict=True):
        sort = plain.sort(data)
        if not isinstance(carrier, core.Carrier) or not _is_known(sort):
            raise RejectedError(
                f"{name} is read neither as a set of numbers, nor as texts, nor as lists of numbers"
            )
        carriers[carrier] = sort
    # The data types under the interpretation: those whose terms may be written.
    inner = Translation(goal, carriers, {}).goal
    vocabulary = Vocabulary(msgspec.structs.replace(inner, symbols=(), definitions=()), operation_at)
    symbols: dict[core.Symbol, Meaning] = {}
    for symbol, (_, data) in zip(goal.symbols, witness.symbols, strict=True):
        parameters, result = parameters_of(symbol, carriers)
        symbols[symbol] = parameters, vocabulary.of_sort(data, result, parameters)
    translation = Translation(goal, carriers, symbols)
    functions = _functions(goal, translation, vocabulary, witness.functions)
    point = _point(goal, translation, witness.point, functions)
    variables = () if goal.claim is None else stripped(goal.claim)[0]
    return InterpretedModel(
        carriers=tuple(carriers.items()),
        symbols=tuple(symbols.items()),
        variables=tuple(each for each in variables if each.name not in functions),
        point=point,
        leaves=leaves_of(
            goal, translation, point, functions, undefined=witness.undefined, inwards=bool(witness.proof)
        ),
        functions=tuple(functions.items()),
        undefined=witness.undefined,
    )


def parameters_of(
    symbol: core.Symbol, carriers: Mapping[core.Carrier, core.Sort]
) -> tuple[tuple[core.Variable, ...], core.Sort]:
    """The parameters of what a symbol is read as, and the sort of the result."""
    read = Translation(Goal(claim=None), carriers, {}).sort(symbol)
    return tuple(core.Variable(f"x{place}", sort) for place, sort in enumerate(read.domain)), read.codomain


def leaves_of(
    goal: Goal,
    translation: Translation,
    point: Point,
    functions: Mapping[str, Meaning] | None = None,
    *,
    undefined: bool = False,
    inwards: bool = False,
) -> Leaves:
    """Every axiom, and the negated claim, at a point and at functions if there are any.

    What is `undefined` is neither true nor false: each would lead to a contradiction.  `inwards`: the negation is pushed inwards.
    """
    leaves = [translation.leaf(each.name, translation.formula(each.formula)) for each in goal.axioms]
    if undefined:
        leaves += _undefined(goal, translation, point, functions or {})
    elif goal.claim is not None:
        claim = translation.formula(goal.claim)
        if point or functions:
            claim = _instance(claim, translation, point, functions or {})
        leaves.append(translation.leaf(NEGATED, denied(claim) if inwards else negated(claim)))
    if inwards and (goal.claim is None or undefined):
        raise RejectedError("a proof of what is not to be shown")
    if functions and goal.claim is None:
        raise RejectedError("functions of no claim")
    return (*leaves, *translation.terminations())


def _instance(
    claim: core.Term, translation: Translation, point: Point, functions: Mapping[str, Meaning]
) -> core.Term:
    """A claim where variables of its outermost ∀ have values, or are functions given by terms."""
    variables, hypotheses, claim = stripped(claim)
    for hypothesis in reversed(hypotheses):
        claim = core.Connective("implies", (hypothesis, claim))
    try:
        terms = {each.name: value_to_term(value, each.sort, translation.goal) for each, value in point}
    except NamelessError:
        raise NotExpressible("a value that no term denotes") from None
    terms |= {name: core.Lambda(*meaning) for name, meaning in functions.items()}
    claim = substitute(claim, terms)
    left = tuple(each for each in variables if each.name not in terms)
    if left:
        claim = core.Quantifier("forall", left, claim)
    return translation.reduced(claim) if functions else claim


def _undefined(
    goal: Goal, translation: Translation, point: Point, functions: Mapping[str, Meaning]
) -> list[tuple[str, Sequent]]:
    """That a claim is not true, and that it is not false."""
    if goal.claim is None or goal.carriers or goal.symbols or point or functions:
        raise RejectedError("a claim is shown to be undefined only as it stands")
    sides = (("claim", goal.claim), (NEGATED, negated(goal.claim)))
    leaves = []
    for name, formula in sides:
        _, leaf = translation.leaf(name, formula)
        leaves.append((name, msgspec.structs.replace(leaf, premises=((name, formula),), claim=FALSITY)))
    return leaves


def _is_known(sort: core.Sort) -> bool:
    return (
        sort in _NUMBERS
        or sort == core.STRING
        or (isinstance(sort, core.ListOf) and sort.element in _NUMBERS)
    )


def _functions(
    goal: Goal, translation: Translation, vocabulary: Vocabulary, given: tuple[tuple[str, Any], ...]
) -> dict[str, Meaning]:
    """What the claim's ∀ variables are that are functions, each a closed term over its parameters."""
    if not given:
        return {}
    variables = () if goal.claim is None else stripped(translation.formula(goal.claim))[0]
    wanted = [each for each in variables if isinstance(each.sort, core.FunctionOf)]
    same_names("functions", given, (each.name for each in wanted))
    if len({each.name for each in variables}) < len(variables):
        raise NotExpressible("two variables of one name")
    found: dict[str, Meaning] = {}
    for variable, (_, data) in zip(wanted, given, strict=True):
        domain, codomain = arrow(variable.sort)
        parameters = tuple(core.Variable(f"x{place}", sort) for place, sort in enumerate(domain))
        found[variable.name] = parameters, vocabulary.of_sort(data, codomain, parameters)
    return found


def _point(
    goal: Goal,
    translation: Translation,
    given: tuple[tuple[str, Any], ...],
    functions: Mapping[str, Meaning],
) -> Point:
    if not given:
        return ()
    variables = () if goal.claim is None else stripped(translation.formula(goal.claim))[0]
    variables = tuple(each for each in variables if each.name not in functions)
    same_names("variables", given, (each.name for each in variables))
    account = Account(_BOUNDS.budget)
    ranges = evaluator_of(translation.goal, Model({}, {}), _BOUNDS, "one-sided", account).ranges
    reader = ValueReader(translation.goal, ranges, account)
    try:
        return tuple(
            (each, reader.value(data, each.sort)) for each, (_, data) in zip(variables, given, strict=True)
        )
    except BudgetError:
        raise RejectedError("the values need more steps than are left") from None


_BOUNDS = Bounds()
