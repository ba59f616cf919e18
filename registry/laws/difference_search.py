"""An input at which two tools give different answers, searched for by running both (docs/reference/registry.md §9).

Two answers are the same if they are one value, or errors of one kind. Inputs at which one of them meets a limit of runs
say nothing, and neither do answers that hold functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from random import Random

import msgspec

from pif.analysis.types.sampling import EDGES, Sampler, shrunk
from pif.analysis.types.unification import Shape, Type, TypeVariable, find
from pif.analysis.work import Unfinished
from pif.language.budget import Budget
from pif.language.host import Tool, Tools
from pif.language.terms import Json, Term, make, print_term
from pif.run.evaluate import Answer, Request, run
from registry.laws.trials import LIMITS, RUN_FUEL, applied
from registry.tools.code_and_examples import fuel_of, value_of

__all__ = ["DifferenceSearch", "input_types"]

_SHRINKS = 150
"""Smaller inputs tried for a difference."""

_SIZES = (1, 2, 3, 5, 8, 12)


class DifferenceSearch:
    """The runs of two tools. `alike`: both have one type, so that what prints the same is the same. `fuel` is that of one
    run, `all_fuel` that of all."""

    def __init__(
        self, pair: Sequence[Tool], tools: Tools, *, alike: bool, fuel: int, all_fuel: int,
        stopped: Callable[[], bool],
    ) -> None:  # fmt: skip
        self._pair = pair
        self._tools = tools
        self._alike = alike
        self._run_fuel = fuel
        self._fuel = all_fuel
        self._stopped = stopped

    def among(
        self, types: Sequence[Type], seed: int, inputs: int, *, edges: int = 0
    ) -> tuple[Answer | None, int]:
        """Try inputs of some types, small ones first: the difference that was found, and how many were tried.

        The first `edges` of them are made of values at borders.
        """
        random, tried = Random(seed), 0
        for number in range(inputs if types else 1):
            if self._fuel <= 0 or self._stopped():
                break
            size = _SIZES[number * len(_SIZES) // inputs]
            sampler = _AtEdges(random, 2, number) if number < edges else Sampler(random, size)
            try:
                given = [sampler.input(type_) for type_ in types]
            except Unfinished:  # the type is too large
                break
            if self.at(self._calls(given)) is not None:
                return self.at(self._calls(self._smallest(given, types))), tried
            tried += 1
        return None, tried

    def _smallest(self, given: list[Term], types: Sequence[Type]) -> list[Term]:
        for place, type_ in enumerate(types):
            given[place] = shrunk(given[place], type_, partial(self._still_differ, given, place), _SHRINKS)
        return given

    def _still_differ(self, given: list[Term], place: int, smaller: Term) -> bool:
        tried = [*given[:place], smaller, *given[place + 1 :]]
        return self.at(self._calls(tried)) is not None

    def _calls(self, given: Sequence[Term]) -> list[Term]:
        return [applied(tool.label, given) for tool in self._pair]

    def at(self, codes: Sequence[Term]) -> Answer | None:
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
        answer = run(Request(code=[print_term(code)]), self._tools, Budget(fuel=self._run_fuel))
        self._fuel -= fuel_of(answer) + RUN_FUEL
        return answer


class _AtEdges(Sampler):
    """Makes inputs of values at borders: small numbers, those beside sizes of integers, empty and short texts and lists."""

    def __init__(self, random: Random, size: int, number: int) -> None:
        super().__init__(random, size)
        self._number = number

    def integer(self) -> int:
        """The borders in turn for the first integer of an input, any of them for the others."""
        number, self._number = self._number, self.random.randrange(len(EDGES))
        return EDGES[number % len(EDGES)]

    def string(self) -> str:
        return self.random.choice(("", "a", "0", "𝄞\n", "ab" * 20))

    def length(self, depth: int) -> int:
        return min(super().length(depth), self.random.randrange(3))


def input_types(tool: Tool, type_: Type | None) -> list[Type]:
    """The types of the parameters of a tool; where its type is not known, variables."""
    found: list[Type] = []
    term = tool.term
    known = type_ is not None
    while term.op == "lam":
        shape = None if type_ is None else find(type_)
        if known and not (isinstance(shape, Shape) and shape.name == "function"):
            break
        found.append(shape.parts[0] if isinstance(shape, Shape) else TypeVariable("type", 0))
        type_ = shape.parts[1] if isinstance(shape, Shape) else None
        term = term.parts[0]
    return found


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
