"""Properties of `normalize` (docs/reference/pif.md §12.1): the reference evaluator says what is equivalent."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pif.analysis.facts import free_names, holds_live
from pif.analysis.normal_form.normalize import normalize
from pif.language.budget import TERM_DEPTH, Budget
from pif.language.decode import decode_term
from pif.language.host import Tool
from pif.language.terms import Json, Term, literal, make, print_term, same_term, term_text
from pif.run.evaluate import Answer, Request, run
from tests.support.terms.term_strategies import (
    KINDS,
    Features,
    MovingMaker,
    Seeded,
    alpha_variant,
    alpha_variants,
    closed_terms,
    moving_terms,
    open_terms,
    pure_terms,
    tool_terms,
    typed_terms,
)

LIMITS = {
    "out_of_fuel", "too_deep", "term_too_deep", "value_too_large", "result_too_large", "eval_depth_exceeded",
}  # fmt: skip
BUDGET = Budget(fuel=30_000, depth=600)
DOUBLE = decode_term({"lam": "n", "body": {"mul": [{"var": "n"}, 2]}})
SCOPE = {"x": 1, "y": [1], "x0": {"var": "n"}}
"""What an `eval` of the term sees; the names of normal forms among it."""

TERMS = st.one_of(
    moving_terms(),
    closed_terms(Features(tools=("double",), context=True, mistakes=12)),
    open_terms(Features(tools=("double",), free=("x", "y", "x0"), mistakes=12)),
    tool_terms(Features(tools=("double",), context=True, mistakes=20)),
    typed_terms("function", Features(tools=("double",), mistakes=30)),
    typed_terms("integer", Features(), size=80),
)


class Registry:
    """The term as the tool `it`, and `double`."""

    def __init__(self, term: Term) -> None:
        self.terms = {"it": term, "double": DOUBLE}

    def tool(self, reference: str) -> Tool | None:
        term = self.terms.get(reference)
        return None if term is None else Tool(reference, 1, term)

    def nearest(self, name: str) -> str | None:
        return None


def outcome(answer: Answer) -> tuple[object, ...]:
    """What equivalent terms have in common: value and kind, the kind of error, or the next step."""
    match answer["type"]:
        case "value":
            return (
                "value",
                answer["kind"],
                answer.get("value_text") or term_text(decode_data(answer["value"])),
            )
        case "continuation":
            return "continuation", answer["tool"], term_text(decode_term(answer["next_input"]))
        case _:
            return "error", answer["error"]["kind"]


def decode_data(value: Json) -> Term:
    """A printed value as a term that shows it (objects as records), so that `true` and 1 stay apart."""
    match value:
        case list():
            return make("list", tuple(decode_data(item) for item in value))
        case dict():
            return make("record", tuple(decode_data(item) for item in value.values()), tuple(value))
        case _:
            return literal(value)


def scenes(term: Term, quoted: Json) -> list[Request]:
    """Programs that use a quoted term: for its value, for the function that it is, in place of a tool's code."""
    run_it = {"eval": quoted}
    call = {"app": [run_it, {"var": "n"}]}
    return [
        Request(code={"lam": "n", "body": {"let": SCOPE, "in": run_it}}, input=2),
        Request(code={"lam": "n", "body": {"let": SCOPE, "in": call}}, input=5),
        Request(code={"lam": "n", "body": call}, input={"quote": {"var": "x"}}),
        Request(code={"lam": "n", "body": run_it}, input=True),
    ]


def assert_equivalent(term: Term) -> None:
    registry = Registry(term)
    plain = scenes(term, {"code_of": "it"})
    normal = scenes(term, {"normalize": {"code_of": "it"}})
    outcomes = [
        (outcome(run(before, registry, BUDGET)), outcome(run(after, registry, BUDGET)))
        for before, after in zip(plain, normal, strict=True)
    ]
    # As a tool of its own, unless it looks at its own source.
    if "code_of" not in term_text(term):
        again = Registry(normalize(term, lambda nodes: None))
        for given_input in (3, 0, "a"):
            request = Request(tool="it", input=given_input, drive=5)
            outcomes.append((outcome(run(request, registry, BUDGET)), outcome(run(request, again, BUDGET))))
    for before, after in outcomes:
        if before[-1] not in LIMITS and after[-1] not in LIMITS:
            assert before == after, term_text(term)


def assert_canonical(term: Term) -> None:
    visited: list[int] = []
    normal = normalize(term, visited.append)
    assert visited[0] == term.nodes
    assert normal.nodes <= term.nodes
    assert normal.height <= TERM_DEPTH
    assert free_names(normal) <= free_names(term)
    assert same_term(decode_term(print_term(normal)), normal)
    assert same_term(normalize(normal, visited.append), normal), term_text(term)


@given(TERMS)
def test_a_normal_form_is_equivalent(term: Term) -> None:
    assert_equivalent(term)


@given(TERMS)
def test_a_normal_form_is_canonical_and_no_larger(term: Term) -> None:
    assert_canonical(term)


@given(alpha_variants(pure_terms()), alpha_variants(moving_terms(Features(context=True, evals=False))))
def test_alpha_variants_have_one_normal_form(first: tuple[Term, Term], second: tuple[Term, Term]) -> None:
    for term, variant in (first, second):
        assert same_term(normalize(term, lambda nodes: None), normalize(variant, lambda nodes: None))


@given(TERMS)
def test_what_an_eval_sees_stays(term: Term) -> None:
    evaluated = make("eval", (term,))
    function = make("lam", (make("list", (term, evaluated)),), "x")
    for whole in (function, evaluated, make("let", (literal(1), function), "y")):
        assert same_term(normalize(whole, lambda nodes: None), whole)


@given(TERMS, st.integers(1, 4))
def test_only_what_visit_raises_comes_out(term: Term, calls: int) -> None:
    class Enough(Exception):
        pass

    count = 0

    def visit(nodes: int) -> None:
        nonlocal count
        count += 1
        if count == calls:
            raise Enough

    visits: list[int] = []
    normalize(term, visits.append)
    if len(visits) >= calls:
        with pytest.raises(Enough):
            normalize(term, visit)
        assert count == calls
    else:
        normalize(term, visit)
        assert count == len(visits)


@pytest.mark.parametrize("seed", range(8))
def test_many_seeded_terms(seed: int) -> None:
    """Wider than Hypothesis goes in the same time: larger terms of every kind."""
    for i in range(60):
        term = seeded(1_000 * seed + i)
        assert_canonical(term)
        assert_equivalent(term)
        if not holds_live(term, "eval"):
            variant = alpha_variant(term, Seeded(i))
            assert same_term(normalize(variant, lambda nodes: None), normalize(term, lambda nodes: None))


def seeded(seed: int) -> Term:
    features: dict[str, Any] = {"tools": ("double",), "context": seed % 2 == 0, "evals": seed % 3 != 0}
    maker = MovingMaker(
        Seeded(seed),
        Features(free=("y", "x0"), mistakes=(0, 10, 25)[seed % 3], **features),
        (20, 50, 120)[seed % 3],
    )
    match seed // 7 % 4:
        case 0:
            return maker.typed(KINDS[seed % len(KINDS)])
        case 1:
            return maker.moving()
        case 2:
            return maker.tool()
        case _:
            return maker.untyped()
