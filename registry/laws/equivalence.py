"""Whether two tools, or terms, do the same (docs/reference/registry.md §9).

1. *Normal forms*: terms with one normal form do the same, errors and their kinds included.
2. *Proof*: both as Kleis definitions, equal for every input and with a value for every input; or with values for the
   same inputs, equal there, and of one kind of error for all others (`registry.laws.definedness`).
3. *An input that tells them apart*: the prover's counterexample, or one that is made up, run on both by the evaluator.

Two answers are the same if they are one value, or errors of one kind. Inputs at which one of them meets a limit of runs
say nothing. A proof is about the calculus without these limits, and about the inputs of the type that it names. Where
the types of both differ, made-up inputs of either are tried before a proof is believed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from random import Random

import msgspec

from kleis.errors import KleisError
from kleis.syntax import tree
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.printer.program import print_type
from pif.analysis.facts import facts_of
from pif.analysis.normal_form.normalize import normalize
from pif.analysis.types.sampling import Sampler, shrunk
from pif.analysis.types.tool_types import Typing, typing_of
from pif.analysis.types.unification import Shape, Type, find
from pif.analysis.work import Unfinished, Work
from pif.language.budget import Budget
from pif.language.host import Tool, Tools
from pif.language.terms import Json, Term, make, print_term, same_term
from pif.run.evaluate import Answer, Request, run
from registry.laws.definedness.predicates import DefinednessPredicates
from registry.laws.definedness.value_conditions import UnknownCondition
from registry.laws.law_prover import LawProver
from registry.laws.law_report import ABOUT, LATE
from registry.laws.trials import LIMITS, RUN_FUEL, applied, call_term
from registry.tools.code_and_examples import fuel_of, value_of
from registry.translate.kleis_syntax import call
from registry.translate.symbolic_values import Function, Untranslatable
from registry.translate.tool_theory import ToolTheory, at_integers
from registry.translate.value_conversion import NotShared, from_kleis

__all__ = ["INPUTS", "equivalence"]

INPUTS = 300
"""Made-up inputs of each type."""

_FUEL = 200_000
"""Fuel of one run."""

_ALL_FUEL = 6_000_000
"""Fuel of all runs of a search."""

_FOLLOWED = 200
"""Tools looked at for the errors in which two can end."""

_SHRINKS = 150
"""Smaller inputs tried for a difference."""

_SIZES = (1, 2, 3, 5, 8, 12)


def equivalence(
    left: Tool, right: Tool, tools: Tools, prover: LawProver, *, seed: int = 0, inputs: int = INPUTS
) -> Answer:
    """The verdict: `status` is `proved`, `refuted` (with the `counterexample` and both answers) or `unknown`.

    `tools` must answer for both by their labels.
    """
    if _same_normal_form(left, right, Work(stop=prover.abandoned)):
        return {"status": "proved", "by": "normal_form", "reason": "both have one normal form"}
    return _Comparison(left, right, tools, prover).verdict(seed, inputs)


def _same_normal_form(left: Tool, right: Tool, work: Work) -> bool:
    """Whether two tools are found to have one normal form."""
    try:
        return same_term(normalize(left.term, work.done), normalize(right.term, work.done))
    except Unfinished:
        return False


class _Comparison:
    def __init__(self, left: Tool, right: Tool, tools: Tools, prover: LawProver) -> None:
        self._pair = (left, right)
        self._tools = tools
        self._prover = prover
        self._fuel = _ALL_FUEL
        self._typings = [typing_of(each, tools, Work(stop=prover.abandoned)) for each in self._pair]
        self._alike = self._typings[0].text == self._typings[1].text is not None

    def _limits(self, claim: tree.Expression) -> str:
        """The inputs that a proof is about, where only one of the tools may take some others."""
        if self._alike or not isinstance(claim, tree.Quantifier):
            return ""
        types = [print_type(each.type) for each in claim.binders]
        return f" of type {', '.join(types)} (their types differ: another input may tell them apart)"

    def verdict(self, seed: int, inputs: int) -> Answer:
        """Proof first, then the search; the other way round where only one of them may take some inputs."""
        own = [self._input_types(*each) for each in zip(self._pair, self._typings, strict=True)]
        if not self._alike:
            for types in own:
                found, _ = self._searched(types, seed, inputs)
                if found is not None:
                    return found
            self._fuel = _ALL_FUEL
        reason = self._proved()
        if isinstance(reason, dict):
            return reason
        found, tried = self._searched(own[0], seed, inputs)
        return found or {"status": "unknown", "reason": reason, "cases": tried, "seed": seed}

    # ── Proof ────────────────────────────────────────────────────────────────────────────────────────────────

    def _proved(self) -> Answer | str:
        """The answer, or the reason why there is no proof."""
        theory = ToolTheory(self._tools, stop=self._prover.abandoned)
        try:
            functions = [theory.of(each).function for each in self._pair]
        except Untranslatable as error:
            return f"{error.tool} cannot be said in Kleis: {error}"
        claim = self._claim(theory, functions)
        if claim is None:
            return "their inputs have types that Kleis has no words for, or are not alike"
        try:
            decision = self._prover.decide(theory.theory, claim)
        except KleisError as error:
            return error.message
        verdict = decision.verdict
        if verdict.status == "verified":
            certified = self._prover.certified(theory.theory, claim, decision)
            if certified.certificate is None:
                return certified.reason
            answer: Answer = {"status": "proved", "by": "proof", "engine": verdict.engine, "about": ABOUT}
            return {
                **answer,
                "reason": f"both have a value for every input{self._limits(claim)}, and it is one value",
            }
        if verdict.status == "disproved" and verdict.evidence is not None:
            try:
                given = {
                    each.name: from_kleis(parse_expression(each.value)) for each in verdict.evidence.bindings
                }
                values = [given[f"x{place}"] for place in range(1, len(given) + 1)]
                codes = [call_term(each, values) for each in functions]
            except (NotShared, KeyError, KleisError):
                return "the prover's counterexample could not be run"
            found = self._difference(codes) or self._proved_where_defined(theory, functions, claim)
            return found or "somewhere one of them has no value, and what is equal there is no proposition"
        found = self._proved_where_defined(theory, functions, claim)
        deadline = self._prover.deadline
        if found is None and deadline is not None and deadline.over:
            return f"{LATE}{deadline.seconds:g} s"
        return found or verdict.message or f"the prover does not know ({verdict.reason or verdict.status})"

    def _proved_where_defined(
        self, theory: ToolTheory, functions: Sequence[Function], claim: tree.Expression
    ) -> Answer | None:
        """The proof that both have values for the same inputs, and the same; None where there is none.

        For all other inputs they must end in errors of one kind, so this is asked only where no other kind is possible.
        """
        kind = _only_error(self._pair, self._tools, theory.typing, self._prover.abandoned)
        equation = claim.body if isinstance(claim, tree.Quantifier) else claim
        if not self._alike or kind is None or not isinstance(equation, tree.Call):
            return None
        left, right = equation.arguments
        assert isinstance(left, tree.Call), "a claim is an equation of two calls"
        assert isinstance(right, tree.Call), "a claim is an equation of two calls"
        try:
            predicates = DefinednessPredicates(theory, [each.label for each in functions], [claim])
            asked = predicates.agreement(left, right)
            whole = predicates.theory()
        except UnknownCondition:
            return None
        if not predicates.definitions or not predicates.always_ends:
            return None
        if isinstance(claim, tree.Quantifier):
            asked = msgspec.structs.replace(claim, body=asked)
        decision = self._prover.decide(whole, asked)
        if decision.verdict.status != "verified":
            return None
        if self._prover.certified(whole, asked, decision).certificate is None:
            return None
        reason = f"both have a value for the same inputs, and it is one value; for others both end in {kind}"
        return {"status": "proved", "by": "proof", "engine": decision.verdict.engine, "about": ABOUT,
                "reason": reason, "conditions": list(predicates.definitions)}  # fmt: skip

    def _claim(self, theory: ToolTheory, functions: Sequence[Function]) -> tree.Expression | None:
        """That both functions are equal everywhere; None where their inputs have no common Kleis types."""
        if functions[0].records != functions[1].records:
            return None
        chosen = [theory.parameters(each) for each in self._pair]
        if any(type_ is None for types in chosen for type_ in types):
            return None
        types = chosen[0] if chosen[0] == chosen[1] else tuple(map(at_integers, _known(chosen[0])))
        binders = tuple(
            tree.Binder(f"x{place}", type_) for place, type_ in enumerate(types, 1) if type_ is not None
        )
        names = tuple(tree.Name(each.name) for each in binders)
        equation = call("equals", *(call(each.name, *names) for each in functions))
        return tree.Quantifier("forall", binders, None, equation) if binders else equation

    # ── Search ───────────────────────────────────────────────────────────────────────────────────────────────

    def _searched(self, types: Sequence[Type], seed: int, inputs: int) -> tuple[Answer | None, int]:
        """Try inputs of some types, small ones first: the difference that was found, and how many were tried."""
        random, tried = Random(seed), 0
        for number in range(inputs if types else 1):
            if self._fuel <= 0 or self._prover.abandoned():
                break
            size = _SIZES[number * len(_SIZES) // inputs]
            sampler = Sampler(random, size)
            given = [sampler.input(type_) for type_ in types]
            if self._difference(self._calls(given)) is not None:
                return self._difference(self._calls(self._smallest(given, types))), tried
            tried += 1
        return None, tried

    def _smallest(self, given: list[Term], types: Sequence[Type]) -> list[Term]:
        for place, type_ in enumerate(types):
            given[place] = shrunk(given[place], type_, partial(self._still_differ, given, place), _SHRINKS)
        return given

    def _still_differ(self, given: list[Term], place: int, smaller: Term) -> bool:
        tried = [*given[:place], smaller, *given[place + 1 :]]
        return self._difference(self._calls(tried)) is not None

    @staticmethod
    def _input_types(tool: Tool, typing: Typing) -> list[Type]:
        """The types of the parameters of a tool."""
        found: list[Type] = []
        type_, term = typing.type_, tool.term
        while type_ is not None and term.op == "lam":
            shape = find(type_)
            if not isinstance(shape, Shape) or shape.name != "function":
                break
            found.append(shape.parts[0])
            type_, term = shape.parts[1], term.parts[0]
        return found

    def _calls(self, given: Sequence[Term]) -> list[Term]:
        return [applied(tool.label, given) for tool in self._pair]

    def _difference(self, codes: Sequence[Term]) -> Answer | None:
        """The refutation that two calls show; None where they answer the same, or one meets a limit."""
        answers = [self._answer(each) for each in codes]
        kinds = [each["error"]["kind"] if each["type"] == "error" else "" for each in answers]
        if any(kind in LIMITS for kind in kinds) or "continuation" in [each["type"] for each in answers]:
            return None
        shown = [_shown(each) for each in answers]
        if msgspec.json.encode(shown[0], order="sorted") == msgspec.json.encode(shown[1], order="sorted"):
            if self._alike or "error" in shown[0]:
                return None
            # Quoted code may print as what it gives, and a record as a pair.
            answers = [self._answer(make("show", (each,))) for each in codes]
            shown = [_shown(each) for each in answers]
            if any("error" in each for each in shown) or shown[0] == shown[1]:
                return None
        if any("<function>" in msgspec.json.encode(each).decode() for each in shown):
            return None
        inputs = _inputs(codes[0])
        reason = "they give different answers for this input" if inputs else "their values differ"
        rows = [
            {"tool": tool.label, "code": print_term(code), "answer": answer}
            for tool, code, answer in zip(self._pair, codes, shown, strict=True)
        ]
        return {"status": "refuted", "by": "run", "reason": reason,
                "counterexample": {"input": [print_term(each) for each in inputs], "answers": rows}}  # fmt: skip

    def _answer(self, code: Term) -> Answer:
        # In a list, since a run calls a function that its code gives.
        answer = run(Request(code=[print_term(code)]), self._tools, Budget(fuel=_FUEL))
        self._fuel -= fuel_of(answer) + RUN_FUEL
        return answer


_ERRORS = {"div": "division_by_zero", "mod": "division_by_zero", "head": "empty_list", "tail": "empty_list"}
_WITHOUT_ERRORS = frozenset([
    "var", "lam", "app", "let", "if", "self", "eq", "lt", "lte", "gt", "gte", "and", "or", "not", "add", "sub", "mul",
    "nil", "cons", "isEmpty", "length", "fold", "pair", "fst", "snd", "record",
])  # fmt: skip
"""Operations that never end in an error in a term without type errors."""


def _only_error(
    pair: Sequence[Tool], tools: Tools, typing_of_tool: Callable[[Tool], Typing], stopped: Callable[[], bool]
) -> str | None:
    """The one kind of error that two tools, and those they call, can end in; None where there may be another."""
    kinds: set[str] = set()
    seen: set[str] = set()
    waiting = list(pair)
    while waiting:
        tool = waiting.pop()
        if tool.label in seen:
            continue
        seen.add(tool.label)
        facts = facts_of(tool.term)
        typing = typing_of_tool(tool)
        if stopped() or len(seen) > _FOLLOWED:
            return None
        called = [tools.tool(name) for name in facts.tools]
        if (
            typing.problems
            or typing.unknown
            or not facts.operations.keys() <= _ERRORS.keys() | _WITHOUT_ERRORS
        ):
            return None
        kinds |= {_ERRORS[each] for each in facts.operations if each in _ERRORS}
        if None in called:
            return None
        waiting += [each for each in called if each is not None]
    return kinds.pop() if len(kinds) == 1 else None


def _shown(answer: Answer) -> Json:
    """What counts of an answer: a value with its kind, or the kind of an error."""
    if answer["type"] == "error":
        return {"error": answer["error"]["kind"]}
    return {"value": value_of(answer)[0]}


def _inputs(code: Term) -> list[Term]:
    found: list[Term] = []
    while code.op == "app":
        found.insert(0, code.parts[1])
        code = code.parts[0]
    return found


def _known(types: Sequence[tree.TypeExpression | None]) -> list[tree.TypeExpression]:
    return [each for each in types if each is not None]
