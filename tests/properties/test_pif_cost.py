"""Properties of cost bounds: every run lies between them. `python -m tests.properties.test_pif_cost N` tries N by hand."""

from __future__ import annotations

import sys
from collections import Counter
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from pif.analysis.cost.bounds import CostBound, cost_of
from pif.analysis.types.sampling import Sampler
from pif.analysis.types.tool_types import Typing, typing_of
from pif.language.budget import Budget
from pif.language.host import Tool
from pif.language.terms import Term, literal, make, print_term, term_text
from pif.run.evaluate import Request, run
from tests.support.terms.loop_maker import LoopMaker
from tests.support.terms.term_strategies import (
    Features,
    MovingMaker,
    Seeded,
    closed_terms,
    tool_terms,
    typed_terms,
)
from tests.support.terms.tool_dictionary import Dictionary

TOOLS = Dictionary(
    double={"mul": [{"var": "x"}, 2]},
    reverse={"fold": [{"lam": "p", "body": {"cons": [{"snd": {"var": "p"}}, {"fst": {"var": "p"}}]}}, [], {"var": "l"}]},
)  # fmt: skip
BUDGET = Budget(fuel=200_000, depth=1_000)
NAMED = ("double",)


def loops() -> st.SearchStrategy[Term]:
    return st.integers(0, 2**40).map(lambda seed: LoopMaker(Seeded(seed), Features(), 60).loop())


TERMS = st.one_of(
    typed_terms("integer", Features(tools=NAMED)),
    typed_terms("function", Features(tools=NAMED)),
    closed_terms(Features(tools=NAMED, context=True, mistakes=15)),
    tool_terms(Features(tools=NAMED, context=True)),
    loops(),
)


def bound(term: Term) -> tuple[CostBound, Typing]:
    tool = Tool("it", 1, term)
    typing = typing_of(tool, TOOLS)
    return cost_of(tool, TOOLS, typing), typing


def assert_between(term: Term, cost: CostBound, typing: Typing, random: Random) -> Counter[str]:
    """Runs lie between the bounds of a term that has them. Returns how they ended."""
    counts: Counter[str] = Counter()
    if cost.low is None or cost.high is None:
        return counts
    shape = typing.function
    for size in (0, 1, 3, 9) if shape is not None else (0,):
        given, sizes, spent = literal(None), dict[str, int](), 0
        if shape is not None:
            given = Sampler(random, size).input(shape.parts[0])
            sizes = cost.sizes.of(given, shape.parts[0])
            inside = make(
                "list", (given,)
            )  # as code a string would be a tool's name, and a function be called
            spent = run(Request(code=print_term(inside)), TOOLS, BUDGET)["fuel_used"] - 3
        registry = Dictionary()
        registry.terms = {**TOOLS.terms, "it": term}
        found = run(Request(tool="it", input=print_term(given), raw=True), registry, BUDGET)
        failed = found["type"] == "error"
        used = found["error"]["fuel_used"] if failed else found["fuel_used"]
        used -= spent
        null = int(typing.type_ is None)  # a function without a type is called on null, which costs 1
        shown = (term_text(term), str(cost.low), str(cost.high), term_text(given), sizes, str(found)[:300])
        assert used - null <= cost.high.value(sizes), shown
        if not failed:
            assert cost.low.value(sizes) <= used, shown
            counts["exact"] += cost.low.value(sizes) == used == cost.high.value(sizes)
        counts["error" if failed else "value"] += 1
    return counts


@given(TERMS, st.integers(0, 2**32))
def test_every_run_lies_between_the_bounds(term: Term, seed: int) -> None:
    cost, typing = bound(term)
    assert_between(term, cost, typing, Random(seed))


def census(seeds: range) -> Counter[str]:
    """How many runs of seeded terms with bounds there were; fails at the first outside its bounds."""
    counts: Counter[str] = Counter()
    for seed in seeds:
        if seed % 3:
            term = LoopMaker(Seeded(seed), Features(), 20 + seed % 60).loop(3 + seed % 2)
        else:
            features = Features(tools=NAMED, evals=seed % 2 == 0, mistakes=(0, 30)[seed % 2])
            term = MovingMaker(Seeded(seed), features, (20, 50)[seed // 3 % 2]).typed(
                ("function", "integer")[seed // 6 % 2]
            )
        cost, typing = bound(term)
        if cost.low is None:
            counts["unknown"] += 1
            continue
        counts["bounded"] += 1
        counts["bounded, with sizes"] += bool(cost.low.names() | (cost.high or cost.low).names())
        counts.update(assert_between(term, cost, typing, Random(seed)))
    return counts


def test_many_seeded_terms() -> None:
    counts = census(range(1_200))
    assert counts["bounded"] > 400
    assert counts["bounded, with sizes"] > 80
    assert counts["value"] > 500
    assert counts["exact"] > 200


if __name__ == "__main__":
    for outcome, count in sorted(census(range(int(sys.argv[1]))).items()):
        print(f"{count:8} {outcome}")
