"""The compiled back end is the reference evaluator: value, error, fuel, to the unit (docs/reference/pif.md §14.1).

Compiled code may give up on a run that breaks a rule, and on nothing else: a run that succeeds on the reference and
not compiled fails these tests, for it would cost time and hide a defect.
"""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pif.compiled.generate import draft_function
from pif.language.budget import Budget
from pif.language.decode import decode_term
from pif.language.host import Tool
from pif.language.terms import Term, literal, make, print_term
from pif.language.values import ANY
from pif.run.evaluate import Answer
from tests.support.terms.both_back_ends import at_its_depth, compare, compared
from tests.support.terms.eager_compilation import compiling_at_once
from tests.support.terms.term_strategies import (
    KINDS,
    Features,
    closed_terms,
    data_terms,
    functions,
    gathered_terms,
    hard_terms,
    kept_terms,
    listed_terms,
    moving_terms,
    shaped_terms,
    tool_terms,
    typed_terms,
    written_terms,
)
from tests.support.terms.tool_dictionary import TOOLS, Dictionary, answer

WELL_TYPED = Features(tools=("double", "fact"))
ANYTHING = Features(free=("u",), tools=("double", "fact", "nothing"), context=True, mistakes=4)
META = Features(tools=("double", "fact"), quotes=True, evals=True)

BELOW = st.integers(0, 2**30)


def below(number: int) -> Any:
    return lambda limit: number % limit


@given(st.sampled_from(KINDS).flatmap(lambda kind: typed_terms(kind, WELL_TYPED, size=45)), BELOW)
def test_typed_programs(term: Term, number: int) -> None:
    compared(term, None, below(number))


@given(closed_terms(ANYTHING, size=45), BELOW)
def test_ill_typed_programs(term: Term, number: int) -> None:
    compared(term, None, below(number))


@given(functions(WELL_TYPED, size=50), data_terms(), BELOW)
def test_functions_of_any_input(term: Term, data: Term, number: int) -> None:
    compared(term, data, below(number))


@given(tool_terms(Features(tools=("double",), context=True, mistakes=20), size=40), st.integers(-1, 6), BELOW)
def test_self_recursive_tools(term: Term, count: int, number: int) -> None:
    compared(Tool("t", 1, term), literal(count), below(number))


@given(moving_terms(Features(context=True, free=("u",), tools=("double",))), BELOW)
def test_calls_closures_and_bindings(term: Term, number: int) -> None:
    compared(Tool("t", 1, make("lam", (term,), "x")), None, below(number))


@given(typed_terms("quoted", META, size=40), st.booleans(), BELOW)
def test_meta_programs(term: Term, evaluates: bool, number: int) -> None:
    compared(make("eval", (term,)) if evaluates else make("reify", (term,)), None, below(number))


@given(closed_terms(WELL_TYPED, size=40), st.integers(64, 300), st.integers(1, 12), BELOW)
def test_programs_near_the_size_limits(term: Term, bits: int, characters: int, number: int) -> None:
    budget = Budget(fuel=20_000, depth=1_000, integer_bits=bits, string_length=characters)
    compared(term, None, below(number), budget=budget)


@given(st.sampled_from((1, -3, 2**31, 2**61, -(2**63))).map(literal), st.integers(1, 12), BELOW)
def test_integers_that_outgrow_their_limbs(start: Term, times: int, number: int) -> None:
    """Sums and products that pass the sizes at which charges and limits begin."""
    term = start
    for i in range(times):
        term = make(("add", "mul", "sub")[(number >> i) % 3], (term, start if (number >> i) & 8 else term))
    compared(make("let", (literal(3), term), "x"), None, below(number))


@given(closed_terms(ANYTHING, size=40), st.integers(1, 40), BELOW)
def test_programs_near_the_depth_limit(term: Term, depth: int, number: int) -> None:
    compared(term, None, below(number), budget=Budget(fuel=20_000, depth=depth))


@given(tool_terms(Features(context=True), size=30), st.integers(3, 60), BELOW)
def test_recursion_near_the_depth_limit(term: Term, depth: int, number: int) -> None:
    compared(Tool("t", 1, term), literal(9), below(number), budget=Budget(fuel=20_000, depth=depth))


@given(closed_terms(META, size=40), st.integers(1, 4), BELOW)
def test_programs_near_the_limit_of_nested_evals(term: Term, evals: int, number: int) -> None:
    compared(term, None, below(number), budget=Budget(fuel=20_000, depth=1_000, eval_depth=evals))


@given(hard_terms(), st.integers(0, 4), st.sampled_from((64, 200, 256, 300, 8_192)), BELOW)
def test_terms_in_which_a_compiler_slips(term: Term, count: int, bits: int, number: int) -> None:
    budget = Budget(fuel=20_000, depth=1_000, integer_bits=bits, eval_depth=1 + number % 4)
    compared(Tool("t", 1, make("lam", (term,), "x")), literal(count), below(number), budget=budget)


@given(shaped_terms(), st.integers(0, 4), BELOW)
def test_terms_of_known_shapes(term: Term, count: int, number: int) -> None:
    depth = (1_000, 1_000, 12, 20, 30)[number % 5]
    budget = Budget(fuel=20_000, depth=depth, eval_depth=1 + number % 4)
    compared(Tool("t", 1, make("lam", (term,), "x")), literal(count), below(number), budget=budget)


@given(written_terms(), st.integers(0, 4), st.sampled_from((1_000_000, 1_000_000, 40, 16, 5)), BELOW)
def test_records_and_texts(term: Term, count: int, characters: int, number: int) -> None:
    """Also where texts may not be long, and near the limits of depth."""
    depth = (1_000, 1_000, 12, 20, 30)[number % 5]
    budget = Budget(fuel=20_000, depth=depth, string_length=characters)
    compared(Tool("t", 1, make("lam", (term,), "x")), literal(count), below(number), budget=budget)


def test_a_list_is_searched_in_its_own_order() -> None:
    """Each item that is asked is charged; a gathered list may be read from its end."""
    acc, item = {"fst": {"var": "p"}}, {"snd": {"var": "p"}}
    gathered = {"fold": [{"lam": "p", "body": {"cons": [item, acc]}}, [], [2, 1, 3, 1]]}
    has = {"fold": [{"lam": "p", "body": {"or": [acc, {"eq": [2, item]}]}}, False, {"var": "g"}]}
    walked = {"fold": [{"lam": "p", "body": {"add": [acc, item]}}, 0, {"var": "g"}]}
    compare(decode_term({"lam": "x", "body": {"let": {"g": gathered}, "in": [has, walked]}}))


@given(listed_terms(), st.integers(0, 4), BELOW)
def test_lists_that_are_put_together(term: Term, count: int, number: int) -> None:
    depth = (1_000, 1_000, 12, 20, 30)[number % 5]
    budget = Budget(fuel=20_000, depth=depth)
    compared(Tool("t", 1, make("lam", (term,), "x")), literal(count), below(number), budget=budget)


@given(gathered_terms(), st.integers(0, 4), st.sampled_from((8_192, 8_192, 300, 256)), BELOW)
def test_what_loops_gather(term: Term, count: int, bits: int, number: int) -> None:
    """Also where integers may not be large, and near the limits of depth."""
    depth = (1_000, 1_000, 12, 20, 30)[number % 5]
    budget = Budget(fuel=20_000, depth=depth, integer_bits=bits)
    compared(Tool("t", 1, make("lam", (term,), "x")), literal(count), below(number), budget=budget)


@given(kept_terms(), st.integers(0, 4), st.sampled_from((8_192, 8_192, 200)), BELOW)
def test_what_loops_keep(term: Term, count: int, bits: int, number: int) -> None:
    depth = (1_000, 1_000, 12, 20, 30)[number % 5]
    budget = Budget(fuel=20_000, depth=depth, integer_bits=bits)
    compared(Tool("t", 1, make("lam", (term,), "x")), literal(count), below(number), budget=budget)


def test_the_record_that_a_loop_starts_from_is_not_changed() -> None:
    """Only what the loop has made itself is changed where it is."""
    changed = {"with": [{"fst": {"var": "p"}}, "a", {"snd": {"var": "p"}}]}
    looped = {"fold": [{"lam": "p", "body": changed}, {"var": "w"}, {"var": "l"}]}
    body = {"let": {"w": {"record": {"a": 1}}, "r": looped}, "in": [{"var": "w"}, {"var": "r"}, {"var": "w"}]}
    given = {"app": [{"lam": "y", "body": {"var": "y"}}, [7, 8, 9]]}
    compare(decode_term({"lam": "x", "body": {"let": {"l": given}, "in": body}}))


def test_a_gathered_list_that_grows_after_it_was_linked_is_linked_again() -> None:
    gathering = {"lam": "p", "body": {"cons": [{"snd": {"var": "p"}}, {"fst": {"var": "p"}}]}}
    adding = {"lam": "q", "body": {"add": [{"fst": {"var": "q"}}, {"snd": {"var": "q"}}]}}
    gathered = {"fold": [gathering, [], {"range": [1, {"add": [{"var": "x"}, 6]}]}]}
    first, second = ({"fold": [adding, 0, {"var": name}]} for name in ("xs", "ys"))
    names = {"xs": gathered, "s": first, "kept": [{"var": "xs"}], "ys": {"cons": [5, {"var": "xs"}]}}
    found = [{"var": "kept"}, {"var": "ys"}, {"var": "s"}, second]
    term = decode_term({"lam": "x", "body": {"let": names, "in": found}})
    source = draft_function(term, None, ANY, Dictionary(**TOOLS), checks_sizes=False).source
    assert source.count("down0(") == 2
    compare(term)


def test_the_size_of_what_one_branch_gives_is_tested() -> None:
    """The other branch gives what is no integer, as far as anyone knows; then the product is charged by its sizes."""
    item, acc, same = {"snd": {"var": "p"}}, {"fst": {"var": "p"}}, {"lam": "y", "body": {"var": "y"}}
    large = {"fold": [{"lam": "p", "body": {"add": [acc, {"mul": [item, item]}]}}, 0, {"var": "l"}]}
    mixed = {"if": {"cond": {"lt": [{"var": "x"}, 9]}, "then": large, "else": {"app": [{"var": "f"}, 1]}}}
    kept = {"head": {"app": [{"var": "f"}, [{"var": "m"}]]}}
    body = {"let": {"f": same, "l": {"app": [{"var": "f"}, [2**61] * 80]}, "m": mixed, "k": kept},
            "in": {"lt": [{"mul": [{"var": "k"}, {"var": "k"}]}, 5]}}  # fmt: skip
    compare(decode_term({"lam": "x", "body": body}))


@given(
    st.one_of(
        hard_terms(),
        shaped_terms(),
        written_terms(),
        listed_terms(),
        kept_terms(),
        gathered_terms(),
        typed_terms("integer", WELL_TYPED, size=40),
    ),
    st.integers(0, 4),
)
def test_programs_at_the_least_depth_they_need(term: Term, count: int) -> None:
    program = Tool("t", 1, make("lam", (term,), "x"))
    budget = Budget(fuel=20_000, depth=1_000)
    kind, _, _ = compare(program, literal(count), budget=budget)
    if kind == "ok":
        at_its_depth(program, literal(count), budget)


def answers(term: Term, given: Any = 3, *, bits: int = 8_192, **more: Any) -> tuple[Answer, Answer]:
    """The answers of a run that compiles at once and of one that never does."""
    tools = {**TOOLS, "t": print_term(term)}
    budget = Budget(fuel=20_000, depth=1_000, integer_bits=bits)
    with compiling_at_once():
        compiled = answer("t", given, tools=tools, budget=budget, **more)
    traced = answer("t", given, tools=tools, budget=budget, trace=1, **more)
    del traced["trace"]
    return compiled, traced


@given(functions(Features(tools=("double", "fact", "nothing"), context=True, mistakes=4), size=40))
def test_whole_answers(term: Term) -> None:
    """Kind, place, message and fuel of every answer: who took the steps cannot be told."""
    compiled, traced = answers(term)
    assert compiled == traced


@given(tool_terms(Features(tools=("double",), context=True, mistakes=12)), st.integers(0, 40))
def test_driven_answers(term: Term, drive: int) -> None:
    compiled, traced = answers(term, drive=drive)
    assert compiled == traced


STATES = st.recursive(
    st.one_of(
        st.integers(-(2**70), 2**70), st.integers(-5, 5), st.booleans(), st.text(max_size=40), st.none()
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.tuples(inner, inner).map(lambda parts: {"pair": [*parts]}),
        st.dictionaries(st.text(max_size=3), inner, max_size=3).map(lambda fields: {"record": fields}),
        inner.map(lambda part: {"quote": part}),
    ),
    max_leaves=8,
)


@given(STATES, st.integers(1, 30), st.sampled_from((64, 8_192)))
def test_driven_states_of_every_kind(state: Any, times: int, bits: int) -> None:
    """A state that goes round and round, as it is or inside another, is charged as its literal term each time."""
    again = {"continue": {"input": {"pair": [{"sub": [{"fst": {"var": "s"}}, 1]}, {"snd": {"var": "s"}}]}}}
    wrapped = {
        "continue": {"input": {"pair": [{"sub": [{"fst": {"var": "s"}}, 1]}, [{"snd": {"var": "s"}}]]}}
    }
    for step in (again, wrapped):
        test = {
            "if": {"cond": {"lt": [{"fst": {"var": "s"}}, 1]}, "then": {"snd": {"var": "s"}}, "else": step}
        }
        term = decode_term({"lam": "s", "body": test})
        compiled, traced = answers(term, {"pair": [times, state]}, bits=bits, raw=True, drive=100)
        assert compiled == traced


@given(
    functions(Features(tools=("double",), mistakes=12), size=25), closed_terms(Features(mistakes=12), size=20)
)
def test_inputs_that_have_to_be_evaluated(term: Term, given_term: Term) -> None:
    """Functions among them, which are compiled; and such as fail."""
    compiled, traced = answers(term, print_term(given_term), raw=True)
    assert compiled == traced
