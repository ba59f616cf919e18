"""Whether two tools, or terms, do the same (docs/reference/registry.md §9).

1. *Normal forms*: terms with one normal form do the same, errors and their kinds included, unless they read their code.
2. *Proof*: both as Kleis definitions, equal for every input and with a value for every input; or with values for the
   same inputs, equal there, and of one kind of error for all others (`registry.laws.definedness`).
3. *An input that tells them apart*: the prover's counterexample, or one that is made up, run on both by the evaluator.

Two answers are the same if they are one value, or errors of one kind. Inputs at which one of them meets a limit of runs
say nothing. A proof is about the calculus without these limits, and about the inputs of the type that it names. Where
the types of both differ, made-up inputs of either are tried before a proof is believed. Before any answer of `proved`
both are run on inputs: a difference there is a defect of this program, and is reported as one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from kleis.errors import KleisError
from kleis.syntax import tree
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.printer.program import print_type
from pif.analysis.facts import facts_of
from pif.analysis.normal_form.normalize import normalize
from pif.analysis.types.tool_types import Typing, typing_of
from pif.analysis.work import Unfinished, Work
from pif.language.host import Tool, Tools
from pif.language.terms import same_term
from pif.run.evaluate import Answer
from registry.errors import RegistryError
from registry.laws.definedness.predicates import DefinednessPredicates
from registry.laws.definedness.value_conditions import UnknownCondition
from registry.laws.difference_search import DifferenceSearch, input_types
from registry.laws.law_prover import LawProver
from registry.laws.law_report import ABOUT, late
from registry.laws.source_reading import reads_source
from registry.laws.trials import call_term
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

CHECKED = 240
"""Inputs of the type of each that are tried before two are said to be equal, a third of them at borders."""

_CHECK_FUEL = 20_000
_ALL_CHECK_FUEL = 1_000_000
"""Fuel of one such run, and of all."""


def equivalence(
    left: Tool, right: Tool, tools: Tools, prover: LawProver, *, seed: int = 0, inputs: int = INPUTS
) -> Answer:
    """The verdict: `status` is `proved`, `refuted` (with the `counterexample` and both answers) or `unknown`.

    `tools` must answer for both by their labels.
    """
    comparison = _Comparison(left, right, tools, prover)
    answer = comparison.verdict(seed, inputs)
    if answer["status"] == "proved" and (found := comparison.contradiction(answer, seed)) is not None:
        given = ", ".join(
            msgspec.json.encode(each).decode()[:80] for each in found["counterexample"]["input"]
        )
        raise RegistryError(
            "internal", f"they are proved equal ({answer['by']}), but runs give different answers for {given or 'them'}",
            place="against", hint="This is a defect of the program: please report both terms. Neither answer is relied on.",
        )  # fmt: skip
    return answer


class _Comparison:
    def __init__(self, left: Tool, right: Tool, tools: Tools, prover: LawProver) -> None:
        self._pair = (left, right)
        self._tools = tools
        self._prover = prover
        self._typings = [typing_of(each, tools, Work(stop=prover.abandoned)) for each in self._pair]
        self._alike = self._typings[0].text == self._typings[1].text is not None
        self._search = self._new_search(_FUEL, _ALL_FUEL)

    def _new_search(self, fuel: int, all_fuel: int) -> DifferenceSearch:
        return DifferenceSearch(
            self._pair, self._tools, alike=self._alike, fuel=fuel, all_fuel=all_fuel,
            stopped=self._prover.abandoned,
        )  # fmt: skip

    def contradiction(self, answer: Answer, seed: int) -> Answer | None:
        """A difference between tools that an answer says to be equal: looked for before this is answered."""
        everywhere = self._alike or answer["by"] == "normal_form"
        search = self._new_search(_CHECK_FUEL, _ALL_CHECK_FUEL)
        for tool, typing in zip(self._pair, self._typings, strict=True):
            found, _ = search.among(input_types(tool, typing.type_), seed + 1, CHECKED, edges=CHECKED // 3)
            if found is not None and (everywhere or not _has_error(found)):
                return found
        return None

    def _same_normal_form(self) -> bool:
        """Whether both have one normal form, and nothing in them can tell their texts apart."""
        if reads_source(self._pair, self._tools, Work(stop=self._prover.abandoned)):
            return False
        work = Work(stop=self._prover.abandoned)
        try:
            left, right = (normalize(each.term, work.done, work.look) for each in self._pair)
        except Unfinished:
            return False
        return same_term(left, right)

    def _limits(self, claim: tree.Expression) -> str:
        """The inputs that a proof is about, where only one of the tools may take some others."""
        if self._alike or not isinstance(claim, tree.Quantifier):
            return ""
        types = [print_type(each.type) for each in claim.binders]
        return f" of type {', '.join(types)} (their types differ: another input may tell them apart)"

    def verdict(self, seed: int, inputs: int) -> Answer:
        """Proof first, then the search; the other way round where only one of them may take some inputs."""
        if self._same_normal_form():
            return {"status": "proved", "by": "normal_form", "reason": "both have one normal form"}
        own = [
            input_types(tool, typing.type_) for tool, typing in zip(self._pair, self._typings, strict=True)
        ]
        if not self._alike:
            for types in own:
                found, _ = self._search.among(types, seed, inputs)
                if found is not None:
                    return found
            self._search = self._new_search(_FUEL, _ALL_FUEL)
        reason = self._proved()
        if isinstance(reason, dict):
            return reason
        found, tried = self._search.among(own[0], seed, inputs)
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
                values = [given[each.name] for each in _binders(claim)]
                codes = [call_term(each, values) for each in functions]
            except (NotShared, KeyError, KleisError):
                return "the prover's counterexample could not be run"
            found = self._search.at(codes) or self._proved_where_defined(theory, functions, claim)
            return found or "somewhere one of them has no value, and what is equal there is no proposition"
        found = self._proved_where_defined(theory, functions, claim)
        deadline = self._prover.deadline
        if found is None and deadline is not None and deadline.over:
            return late(deadline.seconds)
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
        # No function of the theory has these names: `x1` may be a tool.
        binders = tuple(
            tree.Binder(theory.names.beside(f"x{place}", ()), type_)
            for place, type_ in enumerate(types, 1)
            if type_ is not None
        )
        names = tuple(tree.Name(each.name) for each in binders)
        equation = call("equals", *(call(each.name, *names) for each in functions))
        return tree.Quantifier("forall", binders, None, equation) if binders else equation


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


def _has_error(found: Answer) -> bool:
    """Whether one of two answers is an error: of tools of different types, one may not take the input."""
    return any("error" in row["answer"] for row in found["counterexample"]["answers"])


def _binders(claim: tree.Expression) -> tuple[tree.Binder, ...]:
    return claim.binders if isinstance(claim, tree.Quantifier) else ()


def _known(types: Sequence[tree.TypeExpression | None]) -> list[tree.TypeExpression]:
    return [each for each in types if each is not None]
