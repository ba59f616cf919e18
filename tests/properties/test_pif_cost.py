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
from tests.support.terms.term_maker import TermMaker, lam, let, var
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


Names = dict[str, str]


class LoopMaker(TermMaker):
    """Well-typed terms that loop over inputs, one in another. Kinds: integer, string, `integers`, `strings`."""

    def loop(self, depth: int = 4) -> Term:
        """A function whose cost depends on the sizes of its input."""
        kind = self.pick(("integers", "strings", "integer", "string"))
        used = {"integer": "integers", "string": "strings"}.get(kind, kind)
        names = {"x": kind}
        looped = self.folded(self.pick(("integer", used)), depth, names, over=kind)
        return lam("x", self.pick((looped, make("pair", (looped, self.of_kind(used, depth, names))))))

    def of_kind(self, kind: str, depth: int, names: Names) -> Term:
        self.size -= 1
        known = [name for name, its in names.items() if its == kind]
        if depth <= 0 or self.size <= 0 or self.source.below(5) == 0:
            return var(self.pick(known)) if known and self.source.below(4) else self.plain(kind)
        if self.source.below(6) == 0:
            return self.around(kind, depth - 1, names)
        made: Term = getattr(self, "make_" + kind + "_here")(depth - 1, names)
        return made

    def plain(self, kind: str) -> Term:
        match kind:
            case "integer":
                return literal(self.pick((0, 1, 2, 7, -3, 2**200)))
            case "string":
                return literal(self.pick(("", "ab", "a text of more than sixteen characters")))
            case "integers":
                return make("list", tuple(map(literal, self.pick(((), (1,), (3, 5, 2**65))))))
            case _:
                return make("list", tuple(map(literal, self.pick(((), ("a",), ("b", "cd", ""))))))

    def around(self, kind: str, depth: int, names: Names) -> Term:
        """A choice, a name, a call, or a part of a record."""
        value, other = self.of_kind(kind, depth, names), self.of_kind(kind, depth, names)
        match self.source.below(5):
            case 0:
                return make("if", (self.test(depth, names), value, other))
            case 1:
                return let("y", value, self.of_kind(kind, depth, {**names, "y": kind}))
            case 2:
                return make("app", (lam("z", self.of_kind(kind, depth, {**names, "z": kind})), value))
            case 3:
                record = make(
                    "with", (make("record", (value,), ("a",)), literal(self.pick(("a", "b"))), other)
                )
                return make("get", (record, literal("a")))
            case _:
                return make(self.pick(("fst", "snd")), (make("pair", (value, other)),))

    def test(self, depth: int, names: Names) -> Term:
        match self.source.below(4):
            case 0:
                return make("isEmpty", (self.of_kind(self.pick(("integers", "strings")), depth, names),))
            case 1:
                kind = self.pick(("integer", "string"))
                return make("lt", (self.of_kind(kind, depth, names), self.of_kind(kind, depth, names)))
            case 2:
                return make(self.pick(("and", "or")), (self.test(depth - 1, names), literal(True)))
            case _:
                kind = self.pick(("integer", "string", "integers", "strings"))
                return make("eq", (self.of_kind(kind, depth, names), self.of_kind(kind, depth, names)))

    def make_integer_here(self, depth: int, names: Names) -> Term:
        match self.source.below(5):
            case 0:
                return make(
                    "length", (self.of_kind(self.pick(("integers", "string", "strings")), depth, names),)
                )
            case 1:
                return self.folded("integer", depth, names)
            case 2:
                return make("app", (literal("double"), self.of_kind("integer", depth, names)))
            case _:
                op = self.pick(("add", "add", "mul", "sub", "mod", "div"))
                return make(
                    op, (self.of_kind("integer", depth, names), self.of_kind("integer", depth, names))
                )

    def make_string_here(self, depth: int, names: Names) -> Term:
        match self.source.below(4):
            case 0:
                return make(
                    "concat", (self.of_kind("string", depth, names), self.of_kind("string", depth, names))
                )
            case 1:
                kind = self.pick(("integer", "string", "integers", "strings"))
                return make("show", (self.of_kind(kind, depth, names),))
            case 2:
                return make("join", (self.of_kind("string", 0, names), self.of_kind("strings", depth, names)))
            case _:
                return self.folded("string", depth, names)

    def make_integers_here(self, depth: int, names: Names) -> Term:
        match self.source.below(5):
            case 0:
                return make(
                    "range", (self.of_kind("integer", 0, names), self.of_kind("integer", depth, names))
                )
            case 1:
                return make(
                    "cons", (self.of_kind("integer", depth, names), self.of_kind("integers", depth, names))
                )
            case 2:
                return make("tail", (self.of_kind("integers", depth, names),))
            case 3:
                return make("app", (literal("reverse"), self.of_kind("integers", depth, names)))
            case _:
                return self.folded("integers", depth, names)

    def make_strings_here(self, depth: int, names: Names) -> Term:
        match self.source.below(4):
            case 0:
                return make("chars", (self.of_kind("string", depth, names),))
            case 1:
                return make(
                    "cons", (self.of_kind("string", depth, names), self.of_kind("strings", depth, names))
                )
            case 2:
                counts = make(
                    "with", (make("fst", (var("p"),)), make("show", (make("snd", (var("p"),)),)), literal(1))
                )
                items = self.of_kind(self.pick(("integers", "strings")), depth, names)
                return make("keys", (make("fold", (lam("p", counts), make("record", (), ()), items)),))
            case _:
                return self.folded("strings", depth, names)

    def folded(self, kind: str, depth: int, names: Names, over: str | None = None) -> Term:
        """A fold with an accumulator of a kind; `over` says what the name `x` holds that it should go over."""
        match over:
            case "integer":
                items, item = make("range", (literal(0), make("mod", (var("x"), literal(9))))), "integer"
            case "string":
                items, item = make("chars", (var("x"),)), "string"
            case "integers" | "strings":
                items, item = var("x"), over[:-1]
            case _:
                item = self.pick(("integer", "string"))
                items = self.of_kind(item + "s", depth, names)
        sofar, this = make("fst", (var("p"),)), make("snd", (var("p"),))
        inner = {**names, "a": kind, "b": item}
        body = let("a", sofar, let("b", this, self.grown(kind, depth - 1, inner)))
        return make("fold", (lam("p", body), self.plain(kind), items))

    def grown(self, kind: str, depth: int, names: Names) -> Term:
        """The next accumulator: mostly the last one and something more."""
        more = self.of_kind("integer" if kind in ("integer", "integers") else "string", depth, names)
        match kind, self.source.below(5):
            case "integer", 0 | 1 | 2:
                return make("add", (var("a"), more))
            case "string", 0 | 1 | 2:
                return make("concat", (var("a"), more))
            case "integers" | "strings", 0 | 1 | 2:
                return make("cons", (more, var("a")))
            case _:
                return self.of_kind(kind, depth, names)


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
