"""Random programs that ask a theory: the two back ends agree on value, error and fuel, and ask nothing that the fuel does
not pay for."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from pif.language.budget import Budget
from pif.language.primitives import ASK
from pif.language.terms import Term, literal, make, print_term
from pif.run.evaluate import Answer, Request, run
from tests.support.terms.eager_compilation import compiling_at_once
from tests.support.terms.term_strategies import KINDS, Features, typed_terms
from tests.support.terms.tool_dictionary import TOOLS, Dictionary
from tests.support.theories.fake_theory import FakeTheory

FEATURES = Features(tools=("double", "fact"), quotes=True, evals=True, mistakes=2)


def asking(term: Term) -> Term:
    """The term with questions in it: where a text is made, the theory is asked about it."""
    parts = tuple(asking(part) for part in term.parts)
    made = term.rebuilt(parts)
    match term.op:
        case "show":
            return make("kleis", (made,))
        case "concat":
            return make("get", (make("verify", (made,)), literal("claim")))
        case "keys":
            return make("tail", (make("cons", (make("operations", (literal("G"),)), made)),))
        case _:
            return made


def answer(term: Term, fuel: int) -> tuple[Answer, int]:
    theory = FakeTheory()
    budget = Budget(fuel=fuel, depth=1_000)
    found = run(Request(code=print_term(term)), Dictionary(**TOOLS), budget, theory=theory)
    return found, len(theory.asked)


@given(
    st.sampled_from(KINDS).flatmap(lambda kind: typed_terms(kind, FEATURES, size=45)),
    st.integers(0, 2**30),
)
def test_both_back_ends_agree(term: Term, number: int) -> None:
    term = asking(term)
    whole, asked = answer(term, 20_000)
    used = msgspec.to_builtins(whole).get("fuel_used") or whole["error"]["fuel_used"]
    assert asked * ASK <= max(used, 1)
    for fuel in {20_000, max(1, used), max(1, used - 1), 1 + number % max(1, used)}:
        expected, _ = answer(term, fuel)
        with compiling_at_once():
            assert answer(term, fuel)[0] == expected
