"""Whether a tool and its Kleis definition agree at an input: on the value, and on whether there is one.

The PIF side is the evaluator. The Kleis side is, each on its own: the reference semantics of the elaborated definition,
the Kleis evaluator, and where asked the prover on the ground equation.
"""

from __future__ import annotations

from typing import Any

from kleis.budget import Budget as KleisBudget
from kleis.elaborate.elaborator import Elaborator
from kleis.errors import BudgetError, EvaluationError, KleisError
from kleis.evaluator.environment import environment_of
from kleis.evaluator.evaluate import evaluate
from kleis.semantics.models import Model, evaluator_of
from kleis.semantics.ranges import Bounds
from kleis.semantics.reference import Account
from kleis.semantics.truth import FALSE, TRUE, UNDEFINED
from kleis.syntax.tree import Expression, ListLiteral
from pif.analysis.types.tool_types import typing_of
from pif.analysis.types.type_text import print_type
from pif.language.budget import Budget
from pif.language.decode import decode_term
from pif.language.host import Tools
from pif.language.terms import Term
from pif.run.evaluate import Request, run
from registry.laws.law_prover import LawProver
from registry.translate.kleis_syntax import call, constant, pair
from registry.translate.symbolic_values import Function
from registry.translate.tool_theory import ToolTheory

__all__ = ["Disagreement", "claims", "disagreement", "expression_of", "proved_as_run"]

Json = Any
LIMITS = {"out_of_fuel", "too_deep", "term_too_deep", "value_too_large", "result_too_large"}
BOUNDS = Bounds(budget=KleisBudget(steps=300_000, depth=150, size=100_000))


class Disagreement(Exception):
    """What the two sides say, where that is not one thing."""


def expression_of(term: Term) -> Expression:
    """A written term of data as a Kleis expression."""
    match term.op:
        case "literal":
            return constant(term.value)
        case "list":
            return ListLiteral(tuple(map(expression_of, term.parts)))
        case "pair":
            return pair(expression_of(term.parts[0]), expression_of(term.parts[1]))
        case op:
            raise ValueError(f"no data: {op}")


def data_of(value: Json) -> Expression:
    """A printed value of PIF as a Kleis expression."""
    match value:
        case list():
            return ListLiteral(tuple(map(data_of, value)))
        case {"pair": [first, second]}:
            return pair(data_of(first), data_of(second))
        case _:
            return constant(value)


def arguments_of(function: Function, inputs: list[Json]) -> list[Expression]:
    """What a tool gets, as what its Kleis function gets."""
    given: list[Expression] = []
    for fields, data in zip(function.records, inputs, strict=True):
        if fields is None:
            given.append(expression_of(decode_term(data)))
        else:
            given += [expression_of(decode_term(data["record"][name])) for name in fields]
    return given


def claims(theory: ToolTheory, tools: Tools, name: str, inputs: list[Json]) -> tuple[Expression, bool] | None:
    """An equation about a tool at an input, and whether it has a value; None where a limit was met."""
    code: Json = name
    for each in inputs:
        code = {"app": [code, each]}
    answer = run(Request(code=code), tools, Budget(fuel=200_000))
    function = theory.translated[f"{name}@1"].function
    called = call(function.name, *arguments_of(function, inputs))
    if answer["type"] == "error":
        kind = answer["error"]["kind"]
        if kind in LIMITS:
            return None
        if kind in ("type_error", "missing_key", "unbound_variable", "parse_error"):
            raise Disagreement(f"the maker made a term with {answer}")
        return call("equals", called, called), False
    return call("equals", called, data_of(answer["value"])), True


def is_made_narrower(theory: ToolTheory, tools: Tools, name: str) -> bool:
    """Whether a definition is about fewer types than the tool, which compares its input with values of these."""
    tool = tools.tool(name)
    assert tool is not None
    own = theory.types(tool).whole.type_
    return own is not None and typing_of(tool, tools).text != print_type(own)


def disagreement(theory: ToolTheory, tools: Tools, name: str, inputs: list[Json]) -> str:
    """What is wrong at an input; empty where all agree, `limit` where a limit was met."""
    found = claims(theory, tools, name, inputs)
    if found is None:
        return "limit"
    claim, has_value = found
    try:
        meaning = Elaborator(theory.theory).proposition(claim)
    except KleisError as error:
        if "too long to be written out" in error.message or "the elements of []" in error.message:
            return "limit"  # of what the input can be written as, not of the definition
        if is_made_narrower(theory, tools, name):
            return "limit"  # the definition is about values of one type, and these are of another
        return f"Kleis has no reading: {error}"
    assert meaning.claim is not None
    account = Account(BOUNDS.budget)
    try:
        truth = evaluator_of(meaning, Model({}, {}), BOUNDS, "one-sided", account).truth(meaning.claim)
    except BudgetError:
        return "limit"
    wanted = TRUE if has_value else UNDEFINED
    if truth in (TRUE, FALSE, UNDEFINED) and truth is not wanted:
        return f"reference semantics: {truth}, not {wanted}"
    try:
        value = evaluate(claim, environment_of(theory.theory), KleisBudget(steps=300_000)).value
        evaluated = "true" if value is True else f"{value}"
    except BudgetError:
        return "limit"
    except EvaluationError as error:
        evaluated = "undefined" if error.code != "nesting" else "limit"
    if evaluated == "limit" or truth not in (TRUE, FALSE, UNDEFINED):
        return "limit"
    expected = "true" if has_value else "undefined"
    return "" if evaluated == expected else f"evaluator: {evaluated}, not {expected}"


def proved_as_run(prover: LawProver, theory: ToolTheory, claim: Expression, *, has_value: bool) -> str:
    """What the prover gets wrong on a ground equation; it may not know."""
    verdict = prover.verify(theory.theory, claim)
    if verdict.status == "unknown":
        return ""
    if verdict.status == "verified":
        return "" if has_value else "verified, but there is no value"
    if verdict.status == "disproved":
        undefined = verdict.evidence is not None and verdict.evidence.undefined
        return "" if undefined and not has_value else "disproved, but it is true"
    return f"{verdict.status}: {verdict.message}"
