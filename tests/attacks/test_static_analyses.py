"""Terms made to keep a static analysis busy: each analysis ends within its budget, looks at the stop flag, and says what it
did not finish. What an analysis does for one step is bounded, counted in calls of functions: no time is measured.
"""

from __future__ import annotations

import cProfile
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import reduce
from typing import Any

import pytest

from pif.analysis.cost.bounds import cost_json
from pif.analysis.facts import facts_of
from pif.analysis.normal_form.dead_code import MOST, dead_code
from pif.analysis.normal_form.normalize import normalize
from pif.analysis.types.tool_types import Typing, typing_of
from pif.analysis.work import NOT_FINISHED, STEPS, STOPPED, Unfinished, Work
from pif.language.budget import Budget
from pif.language.decode import decode_term
from pif.language.host import Tool
from pif.language.terms import Json, Term
from pif.run.evaluate import Request, run
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.tools.analysis import reach_of
from registry.tools.snapshot_tools import TypeCache
from registry.translate import tool_theory
from registry.translate.symbolic_values import Untranslatable
from registry.translate.tool_theory import ToolTheory
from registry.workspace import requests
from registry.workspace.workspace import Workspace
from tests.support.terms.eager_compilation import compiling_at_once
from tests.support.terms.tool_dictionary import Dictionary

TOOLS = Dictionary()
X: Json = {"var": "x"}


def lam(name: str, body: Json) -> Json:
    return {"lam": name, "body": body}


def let(name: str, value: Json, body: Json) -> Json:
    return {"let": {name: value}, "in": body}


def var(name: str, number: int) -> Json:
    return {"var": f"{name}{number}"}


def nested(count: int, wrap: Callable[[Json, int], Json], inner: Json) -> Json:
    return reduce(wrap, range(count), inner)


def doubled(count: int, last: Callable[[Json], Json]) -> Json:
    """A value of `count` pairs that as a tree has 2^count leaves."""
    body = last(var("a", count))
    for number in range(count, 0, -1):
        body = let(f"a{number}", {"pair": [var("a", number - 1)] * 2}, body)
    return lam("a0", body)


def doubled_type(count: int) -> Json:
    """A function whose input type, as a tree, has 2^count leaves."""
    body = var("a", count)
    for number in range(count, 0, -1):
        before = var("a", number - 1)
        both = {"cons": {"head": {"fst": before}, "tail": [{"snd": before}]}}
        body = let(f"a{number}", {"head": both}, body)
    return lam("a0", body)


def fields(count: int) -> Json:
    return {"record": {f"f{number}": number for number in range(count)}}


SHAPES: dict[str, Callable[[int], Json]] = {
    "a list of numbers": lambda n: lam("x", [*range(n)]),
    "a list of texts": lambda n: lam("x", [f"{number}" for number in range(n)]),
    "a list of calls": lambda n: lam("x", [{"app": [X, number]} for number in range(n // 4)]),
    "a record": lambda n: lam("x", fields(n)),
    "fields of a record": lambda n: let("r", fields(n // 4), lam("x", [{"get": [{"var": "r"}, "f1"]}] * (n // 4))),
    "fields that are missing": lambda n: lam("x", [{"get": [X, f"f{number}"]} for number in range(n // 3)]),
    "a record that grows": lambda n: nested(min(300, n // 8), lambda r, i: {"with": [r, f"k{i}", 1]}, fields(n // 2)),
    "functions in each other": lambda n: lam("x", [nested(350, lambda b, i: lam(f"y{i}", b), X)] * (n // 350)),
    "names in each other": lambda n: lam("x", [nested(350, lambda b, i: let(f"y{i}", 1, b), X)] * (n // 700)),
    "conditions": lambda n: lam("x", [nested(350, lambda a, i: {"and": [a, True]}, True)] * (n // 700)),
    "choices": lambda n: lam(
        "x",
        [nested(300, lambda a, i: {"if": {"cond": {"eq": [X, i]}, "then": i, "else": a}}, 1)] * (n // 1_500),
    ),
    "unknown code": lambda n: lam("x", [{"eval": X}] * (n // 2)),
    "clashes": lambda n: lam("x", [{"add": [fields(10), 1]}] * (n // 13)),
    "quotes": lambda n: lam("x", [{"quote": nested(300, lambda b, i: lam(f"y{i}", b), X)}] * (n // 300)),
}  # fmt: skip
"""Terms of about so many nodes."""

EXPLODING: dict[str, Json] = {
    "a doubled value in a choice": doubled(
        150, lambda v: {"if": {"cond": {"eq": [{"var": "a0"}, 1]}, "then": v, "else": {"pair": [v, v]}}}
    ),
    "a doubled value compared": doubled(150, lambda v: {"eq": [v, v]}),
    "a doubled value shown": doubled(150, lambda v: {"show": v}),
    "a doubled value in a list": doubled(150, lambda v: [v, v]),
    "a doubled value folded": doubled(150, lambda v: {"fold": [lam("p", {"fst": {"var": "p"}}), v, [1, 2]]}),
    "a doubled type": doubled_type(50),
    "doubled calls": {
        "app": [
            nested(
                60,
                lambda f, i: {"app": [lam("f", lam("x", {"app": [{"var": "f"}, {"app": [{"var": "f"}, X]}]})), f]},
                lam("x", {"pair": [X, X]}),
            ),
            1,
        ]
    },
    "a wide accumulator": lam(
        "x", {"fold": [lam("p", {"fst": {"var": "p"}}), fields(3_000), X]}
    ),
    "long polynomials": lam("r", nested(
        100,
        lambda b, i: let(f"y{i}", {"mul": [{"get": [{"var": "r"}, f"f{i}"]}, {"get": [{"var": "r"}, f"g{i}"]}]}, b),
        nested(100, lambda s, i: {"mul": [{"add": [s, {"var": f"y{i}"}]}, 3]}, 1),
    )),
}  # fmt: skip
"""Small terms whose values, types or calls are exponential, or whose bounds are long."""


def _types(term: Term, typing: Typing, work: Work) -> str:
    return typing_of(term, TOOLS, work).unfinished


def _cost(term: Term, typing: Typing, work: Work) -> str:
    return str(cost_json(term, TOOLS, typing, work).get("unknown", ""))


def _dead_code(term: Term, typing: Typing, work: Work) -> str:
    try:
        dead_code(term, work)
    except Unfinished as error:
        return error.reason
    return ""


def _normal_form(term: Term, typing: Typing, work: Work) -> str:
    try:
        normalize(term, work.done)
    except Unfinished as error:
        return error.reason
    return ""


ANALYSES: dict[str, Callable[[Term, Typing, Work], str]] = {
    "types": _types, "cost": _cost, "dead code": _dead_code, "normal form": _normal_form,
}  # fmt: skip
"""Each gives the reason why it is not finished, or an empty text."""


def calls_of(function: Callable[[], object]) -> int:
    """How many functions of Python and C are called, and generators resumed."""
    profile = cProfile.Profile()
    profile.runcall(function)
    return sum(each.callcount for each in profile.getstats())


@pytest.mark.parametrize("analysis", ANALYSES)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_step_is_little_work(shape: str, analysis: str) -> None:
    term = decode_term(SHAPES[shape](3_000))
    work = Work()
    typing = typing_of(term, TOOLS)
    calls = calls_of(lambda: ANALYSES[analysis](term, typing, work))
    assert calls <= 60 * (min(work.used, STEPS) + term.nodes) + 10_000, (calls, work.used)


@pytest.mark.parametrize("shape", EXPLODING)
@pytest.mark.parametrize("analysis", ANALYSES)
def test_small_terms_do_not_explode(shape: str, analysis: str) -> None:
    term = decode_term(EXPLODING[shape])
    work = Work(20_000)
    typing = typing_of(term, TOOLS)
    calls = calls_of(lambda: ANALYSES[analysis](term, typing, work))
    assert calls <= 60 * (min(work.used, work.steps) + term.nodes) + 10_000, (calls, work.used)


@pytest.mark.parametrize("analysis", ANALYSES)
def test_every_analysis_looks_at_the_stop_flag(analysis: str) -> None:
    term = decode_term(SHAPES["functions in each other"](6_000))
    typing = typing_of(term, TOOLS)
    assert ANALYSES[analysis](term, typing, Work(stop=lambda: True)).endswith(STOPPED)


@pytest.mark.parametrize("analysis", ANALYSES)
def test_what_is_not_finished_says_so(analysis: str) -> None:
    term = decode_term(SHAPES["functions in each other"](6_000))
    assert ANALYSES[analysis](term, typing_of(term, TOOLS), Work(100)).endswith(NOT_FINISHED)


def test_cost_bounds_of_long_literals_are_linear() -> None:
    used = []
    for size in (1_000, 2_000, 4_000):
        work = Work()
        term = decode_term(lam("x", [*range(size)]))
        typing = typing_of(term, TOOLS)
        used.append(
            calls_of(lambda term=term, typing=typing, work=work: cost_json(term, TOOLS, typing, work))
        )
    assert used[2] - used[1] <= 2.2 * (used[1] - used[0])


@pytest.fixture
def workspace(tmp_path: Any) -> Iterator[Workspace]:
    made = Workspace(SqliteStore(tmp_path / "home"))
    yield made
    made.close()


def test_evolve_of_a_long_list_has_all_its_answers(workspace: Workspace) -> None:
    code = lam("x", [*range(40_000)])
    answer = workspace.evolve(requests.Evolve(name="long", code=code, description="40,000 numbers"))
    assert answer["outcome"] == "created"
    assert answer["inferred_type"] == "a → list(integer)"
    assert answer["cost"]["min"] == answer["cost"]["max"]
    assert "unfinished" not in answer


def test_evolve_goes_on_without_what_is_not_finished(workspace: Workspace) -> None:
    code = lam("x", [{"get": [X, f"f{number}"]} for number in range(3_000)])
    answer = workspace.evolve(requests.Evolve(name="wide", code=code, description="3,000 fields"))
    assert answer["outcome"] == "created"
    assert answer["inferred_type"] is None
    assert f"types: {NOT_FINISHED}" in answer["unfinished"]
    told = workspace.analyze(requests.Analyze(code="wide", aspects=("types", "validation")))
    assert f"types: {NOT_FINISHED}" in told["unfinished"]
    assert told["valid"]


def test_types_of_a_list_share_their_steps(workspace: Workspace) -> None:
    code = lam("x", [{"get": [X, f"f{number}"]} for number in range(50)])
    workspace.evolve(requests.Evolve(name="wide", code=code, description="50 fields"))
    tools, types = workspace.tools(), TypeCache()
    record = workspace.record("wide")
    shared = Work(1_000)
    assert types.typing(record, tools, shared).unfinished == f"types: {NOT_FINISHED}"
    assert shared.used == shared.steps
    assert types.typing(record, tools, shared).type_ is None
    assert types.typing(record, tools).type_ is not None  # what was cut short was not kept
    assert types.typing(record, tools, shared).type_ is not None


def test_reach_is_cut_and_says_so() -> None:
    tools = Dictionary(**{f"t{number}": lam("x", {"app": [f"t{number + 1}", X]}) for number in range(50)})
    found = reach_of(decode_term({"app": ["t0", X]}), None, tools, Work(20))
    assert found["cut"]
    assert 1 <= len(found["tools"]) < 20
    assert "cut" not in reach_of(decode_term({"app": ["t0", X]}), None, tools)


def test_a_translation_ends_with_its_budget_and_the_stop_flag() -> None:
    wide = lam("x", {"add": [X, {"length": [*range(300)]}]})
    tools: dict[str, Json] = {
        f"t{number}": lam("x", {"add": [{"app": [f"t{number + 1}", X]}, {"length": [*range(300)]}]})
        for number in range(100)
    }
    registry = Dictionary(**tools, t100=wide)
    with pytest.raises(Untranslatable, match=NOT_FINISHED):
        ToolTheory(registry).add("t0")
    with pytest.raises(Untranslatable, match=STOPPED):
        ToolTheory(registry, stop=lambda: True).add("t100")


def test_a_translation_infers_the_type_of_a_tool_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def counted(tool: Tool, *more: Any) -> Typing:
        asked.append(tool.label)
        return typing_of(tool, *more)

    monkeypatch.setattr(tool_theory, "typing_of", counted)
    many = lam("x", nested(80, lambda body, _: {"add": [{"app": ["slow", X]}, body]}, 1))
    ToolTheory(Dictionary(slow=lam("x", {"add": [X, 1]}), it=many)).add("it")
    assert sorted(asked) == ["it@1", "slow@1"]


def test_dead_parts_that_are_told_are_bounded(workspace: Workspace) -> None:
    told = workspace.analyze(requests.Analyze(code=SHAPES["names in each other"](6_000)))
    assert len(told["dead_code"]) == MOST
    assert told["unfinished"] == [f"dead_code: the first {MOST} parts"]


def test_what_is_said_of_huge_code_is_short(workspace: Workspace) -> None:
    for number in range(3):
        workspace.evolve(requests.Evolve(name=f"tool{number}", code=lam("x", X), description="a tool"))
    huge = "tool" * 100_000
    missing = lam("x", [{"app": [f"{number}{huge}", X]} for number in range(30)])
    answers = [
        workspace.evolve(requests.Evolve(name="missing", code=missing, description="names of no tools")),
        workspace.show(huge),
        workspace.run(Request(tool=huge, input=1)),
        workspace.run(
            Request(code=lam("x", {"get": [X, huge]}), input={huge: 1, "other": 2} | {"k": 3}), fuel=10**6
        ),
        workspace.run(Request(code=lam("x", {"add": [X, 1]}), input=[huge]), fuel=10**6),
        workspace.evolve(requests.Evolve(name="c", description="stages", compose=[huge] * 50)),
    ]
    for answer in answers:
        said = answer.get("warnings", answer.get("error", ()))
        assert len(str(said)) < 4_000


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n    return " + " + ".join(["x"] * 4_900),
        "def f(x):\n    return " + "(" * 5_000 + "x" + ")" * 5_000,
        "def f(x):\n    return " + "-" * 15_000 + "x",
        "def f(x):\n"
        + "".join(f"    if x == {i}:\n        y = {i}\n" for i in range(500))
        + "    return x\n",
    ],
    ids=["a long sum", "brackets", "signs", "ways"],
)
def test_python_that_nests_deep_is_refused_early(source: str, workspace: Workspace) -> None:
    answers: list[Any] = []
    request = requests.Evolve(name="p", code=source, description="deep", language="python")
    calls = calls_of(lambda: answers.append(workspace.evolve(request)))
    assert answers[0]["error"]["kind"] == "parse_error"
    assert calls < 2_000_000


def test_a_type_that_is_exponential_as_a_tree_holds_nothing_up(workspace: Workspace) -> None:
    code = doubled_type(60)
    assert workspace.evolve(requests.Evolve(name="wide", code=code, description="2^60 inputs"))[
        "inferred_type"
    ]
    assert "kleis_refused" in workspace.show("wide", kleis=True)
    fuzzed = workspace.fuzz(requests.Fuzz(name="wide"))
    assert fuzzed["error"]["kind"] == "invalid_argument"
    found = workspace.analyze(requests.Analyze(code="wide", against=doubled_type(59)))
    assert found["equivalence"]["status"] == "unknown"
    law = workspace.verify("∀(x : ℤ). wide(x) = x")
    assert law["type"] == "error" or law["status"] != "proved"


def test_a_normal_form_is_stopped_within_a_pass() -> None:
    """One pass over the largest terms takes seconds; the flag was looked at between passes only."""
    term = decode_term(lam("x", [{"add": [X, number]} for number in range(20_000)]))
    looks = 0

    def stop() -> bool:
        nonlocal looks
        looks += 1
        return looks > 10

    work = Work(10**9, stop)
    with pytest.raises(Unfinished, match=STOPPED):
        normalize(term, work.done, work.look)
    assert work.used <= 2 * term.nodes  # one pass was begun


@pytest.mark.parametrize("compiles", [False, True])
def test_a_run_that_normalizes_is_cancelled_within_a_pass(compiles: bool) -> None:
    code = {"normalize": {"quote": lam("x", [{"add": [X, number]} for number in range(20_000)])}}
    looks = 0

    def cancelled() -> bool:
        nonlocal looks
        looks += 1
        return looks > 60

    with compiling_at_once() if compiles else nullcontext():
        answer = run(Request(code=code), TOOLS, Budget(fuel=5_000_000), cancelled=cancelled)
    assert answer["error"]["kind"] == "cancelled"
    assert answer["error"]["fuel_used"] < 2 * 8 * 60_000 + 40_000


def test_facts_have_a_budget() -> None:
    term = decode_term(lam("x", [*range(10_000)]))
    with pytest.raises(Unfinished, match=NOT_FINISHED):
        facts_of(term, Work(1_000))
    assert facts_of(term, Work(10_000)) == facts_of(term)
