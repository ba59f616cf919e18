"""Properties of dead code: what is called dead can be replaced by anything, and no answer changes."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pif.analysis.normal_form.dead_code import DeadCode, dead_code
from pif.language.budget import Budget
from pif.language.terms import Json, Term, literal, make, print_term
from pif.run.evaluate import Answer, Request, run
from tests.support.terms.term_strategies import Features, Seeded, TermMaker, closed_terms, typed_terms
from tests.support.terms.tool_dictionary import Dictionary

TERMS = st.one_of(
    typed_terms("integer", Features()),
    closed_terms(Features(mistakes=15)),
    typed_terms("list", Features(), size=60),
)
FAILS: Json = {"div": [1, 0]}
LIMITS = {"out_of_fuel", "too_deep"}


def replaced(data: Json, path: str, other: Json) -> Json:
    """JSON with the part that a pointer leads to replaced."""
    keys = [key.replace("~1", "/").replace("~0", "~") for key in path.split("/")[1:]]

    def put(part: Json, left: list[str]) -> Json:
        if not left:
            return other
        key, *rest = left
        if isinstance(part, list):
            return [put(item, rest) if str(index) == key else item for index, item in enumerate(part)]
        return {name: put(value, rest) if name == key else value for name, value in part.items()}

    return put(data, keys)


def outcome(found: Answer) -> tuple[Any, ...]:
    if found["type"] == "error":
        return "error", found["error"]["kind"]
    return "value", found.get("value"), found.get("value_text"), found["kind"]


def ran(code: Json) -> tuple[Any, ...]:
    tools = Dictionary(it={"lam": "unused", "body": code})
    return outcome(run(Request(tool="it"), tools, Budget(fuel=20_000, depth=600)))


def assert_dead(term: Term, part: DeadCode) -> None:
    code = print_term(term)
    before = ran(code)
    if part.kind == "never_runs":
        after = ran(replaced(code, part.path, FAILS))
    elif before[0] == "value":
        after = ran(
            replaced(code, part.path, None if "function" not in part.reason else {"lam": "x", "body": 1})
        )
    else:
        return
    if before[-1] not in LIMITS and after[-1] not in LIMITS:
        assert after == before, (code, part)


@given(TERMS)
def test_what_is_dead_can_be_replaced(term: Term) -> None:
    for part in dead_code(term)[:5]:
        assert_dead(term, part)


def test_seeded_terms_hold_dead_code_of_every_kind() -> None:
    reasons = set()
    for seed in range(400):
        maker = TermMaker(Seeded(seed), Features(), 60)
        term = (
            make("if", (literal(True), maker.typed("integer"), maker.typed("integer")))
            if seed % 4
            else maker.typed("list")
        )
        for part in dead_code(term):
            assert_dead(term, part)
            reasons.add(part.reason.split(" ")[1])
    assert reasons >= {"condition", "uses"}
