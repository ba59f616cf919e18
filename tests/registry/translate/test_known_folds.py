"""Folds that are translated to built-in operations of Kleis, compared with their translation as helpers, and with runs.

Rows without a condition, and those that count and add, are proved to be that helper, for all lists. All are run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.syntax.printer.program import print_declaration
from kleis.theory.theory import Theory
from pif.language.decode import decode_term
from pif.language.host import Tool
from registry.laws.law_prover import LawProver
from registry.translate.known_folds import is_reversal
from registry.translate.symbolic_values import Untranslatable
from registry.translate.tool_theory import ToolTheory
from tests.support.terms.law_tools import TOOLS, function, variable
from tests.support.terms.tool_maker import MadeTools
from tests.support.terms.translation_agreement import disagreement

Json = Any
P, L = variable("p"), variable("l")
ACC, ITEM = {"fst": P}, {"snd": P}
POSITIVE = {"gt": [ITEM, 0]}


def folded(step: Json, start: Json = 0, items: Json = L) -> Json:
    return function("l", {"fold": [function("p", step), start, items]})


def kept(condition: Json, then: Json, otherwise: Json) -> Json:
    return {"if": {"cond": condition, "then": then, "else": otherwise}}


def made(codes: dict[str, Json]) -> ToolTheory:
    tools = MadeTools()
    tools.tools = {name: Tool(name, 1, decode_term(code)) for name, code in codes.items()}
    return ToolTheory(tools)


def cons(head: Json, tail: Json) -> Json:
    return {"cons": {"head": head, "tail": tail}}


ROWS = {
    "Cons(item, acc)": "append(reverse(l), start)",
    "Cons(item * item, acc)": "append(reverse(list_map(λ(item : ℤ). item * item, l)), start)",
    "acc + item": "start + sum(l)",
    "acc + item * item": "start + sum(list_map(λ(item : ℤ). item * item, l))",
    "acc * item": "start * product(l)",
    "acc + 1": "start + length(l)",
    "if item > 0 then acc + 1 else acc": "start + length(list_filter(λ(item : ℤ). item > 0, l))",
    "if item > 0 then acc + item else acc": "start + sum(list_filter(λ(item : ℤ). item > 0, l))",
}
"""Steps of folds, and what the fold is."""


@pytest.fixture(scope="module")
def prover() -> Iterator[LawProver]:
    with LawProver() as made:
        yield made


@pytest.mark.parametrize("step", ROWS)
def test_a_row_is_the_helper_with_an_accumulator(prover: LawProver, step: str) -> None:
    sort = "List(ℤ)" if "Cons" in step else "ℤ"
    helper = (
        f"define helper(acc : {sort}, items : List(ℤ)) : {sort} ="
        f" match items {{ [] => acc | Cons(item, rest) => helper({step}, rest) }}"
    )
    theory = Theory().include(parse_program(helper))
    claim = f"∀(start : {sort}, l : List(ℤ)). helper(start, l) = {ROWS[step]}"
    verdict = prover.verify(theory, parse_expression(claim))
    assert verdict.status == "verified", verdict


CODES = {
    "reversal": (folded(cons(ITEM, ACC), {"nil": True}), "reverse(l)"),
    "squares": (folded(cons({"mul": [ITEM, ITEM]}, ACC), {"nil": True}), "reverse(list_map(λ (item : ℤ) . item * item, l))"),
    "positives": (folded(kept(POSITIVE, cons(ITEM, ACC), ACC), {"nil": True}),
                  "reverse(list_filter(λ (item : ℤ) . item > 0, l))"),
    "others": (folded(kept(POSITIVE, ACC, {"add": [1, ACC]})), "length(list_filter(λ (item : ℤ) . ¬(item > 0), l))"),
    "total": (folded({"add": [ITEM, ACC]}), "sum(l)"),
    "more": (folded({"add": [ACC, ITEM]}, 5), "5 + sum(l)"),
    "twice": (folded({"add": [ACC, ACC]}), "twice_fold(0, l)"),
    "nested": (folded({"add": [ACC, {"mul": [ACC, ITEM]}]}), "nested_fold(0, l)"),
    "guarded": (folded(kept({"gt": [ACC, 0]}, {"add": [ACC, ITEM]}, ACC)), "guarded_fold(0, l)"),
    "lessening": (folded({"sub": [ACC, ITEM]}), "lessening_fold(0, l)"),
    "quotients": (folded(cons({"div": [6, ITEM]}, ACC), {"nil": True}),
                  "reverse(list_map(λ (item : ℤ) . div(6, item), l))"),
    "large": (folded(kept({"gt": [{"div": [6, ITEM]}, 1]}, cons({"div": [9, {"sub": [ITEM, 3]}]}, ACC), ACC), {"nil": True}),
              "reverse(list_map(λ (item : ℤ) . div(9, item - 3), list_filter(λ (item : ℤ) . div(6, item) > 1, l)))"),
    "ones": (folded({"let": {"v": {"div": [1, ITEM]}}, "in": {"add": [ACC, 1]}}),
             "sum(list_map(λ (item : ℤ) . let v = div(1, item) in 1, l))"),
}  # fmt: skip


@pytest.mark.parametrize("name", CODES)
def test_what_is_recognised_and_what_is_not(name: str) -> None:
    code, expected = CODES[name]
    definition = made({name: code}).add(name).definitions[-1]
    assert print_declaration(definition).partition(" = ")[2] == expected


@pytest.mark.parametrize("name", CODES)
def test_the_definition_has_a_value_where_the_fold_has_one(name: str) -> None:
    tools = MadeTools()
    tools.tools = {name: Tool(name, 1, decode_term(CODES[name][0]))}
    theory = ToolTheory(tools)
    theory.add(name)
    for items in ([], [0], [3], [1, -2], [2, 0, 3], [0, 5], [4, 1, 1, -1, 7]):
        found = disagreement(theory, tools, name, [items])
        assert found == "" or (found == "limit" and not items), (
            found,
            items,
        )  # of what has [] no type is known


NUMBERS = st.recursive(
    st.sampled_from([ITEM, 0, 1, -2, 3]),
    lambda inner: st.one_of(
        st.builds(
            lambda name, a, b: {name: [a, b]}, st.sampled_from(["add", "sub", "mul", "div"]), inner, inner
        ),
        st.builds(lambda a, b: {"let": {"v": a}, "in": {"add": [variable("v"), b]}}, inner, inner),
    ),
    max_leaves=4,
)
TRUTHS = st.builds(lambda name, a, b: {name: [a, b]}, st.sampled_from(["lt", "eq"]), NUMBERS, NUMBERS)
CONDITIONS = TRUTHS | st.builds(lambda a, b: {"and": [a, b]}, TRUTHS, TRUTHS) | st.none()
OPERATIONS = {
    "cons": ([], lambda taken: cons(taken, ACC)),
    "add": (0, lambda taken: {"add": [ACC, taken]}),
    "mul": (1, lambda taken: {"mul": [taken, ACC]}),
}
BACK = folded(cons(ITEM, ACC), {"nil": True})["body"]


@given(st.sampled_from(sorted(OPERATIONS)), NUMBERS, CONDITIONS, st.booleans(), st.sampled_from([L, BACK]),
       st.sampled_from([None, {"let": {"w": {"div": [1, ITEM]}}}]), st.lists(st.integers(-3, 4), min_size=1, max_size=5))  # fmt: skip
@settings(max_examples=25)
def test_a_recognised_fold_is_what_pif_computes(
    operation: str,
    taken: Json,
    condition: Json,
    when: bool,
    items: Json,
    binding: Json,
    given_list: list[int],
) -> None:
    """Kleis(fold(v)) = eval(fold(v)), and one has a value exactly where the other has."""
    start, stepped = OPERATIONS[operation]
    step = stepped(taken)
    if condition is not None:
        step = kept(condition, step, ACC) if when else kept(condition, ACC, step)
    if binding is not None:
        step = {**binding, "in": step}
    tools = MadeTools()
    tools.tools = {"made": Tool("made", 1, decode_term(folded(step, start, items)))}
    theory = ToolTheory(tools)
    try:
        definitions = theory.add("made").definitions
    except Untranslatable:
        reject()  # it is refused for another reason, such as a type that is not known
    assert len(definitions) == 1, "no helper is needed"
    assert disagreement(theory, tools, "made", [given_list]) in ("", "limit")


def test_a_tool_that_reverses_is_put_in_and_its_reverse_is_the_list() -> None:
    codes = {"back": CODES["reversal"][0], "same": function("l", {"app": ["back", {"app": ["back", L]}]})}
    theory = made(codes)
    assert print_declaration(theory.add("same").definitions[-1]).endswith(" = l")
    assert theory.translated["same@1"].needs == ("back@1",)


def test_only_the_fold_that_reverses_is_a_reversal() -> None:
    assert is_reversal(decode_term(CODES["reversal"][0]))
    for code in (*(code for name, (code, _) in CODES.items() if name != "reversal"), TOOLS["append"]):
        assert not is_reversal(decode_term(code))
    assert not is_reversal(decode_term(folded(cons(ITEM, ACC), {"nil": True}, {"tail": L})))
    assert not is_reversal(decode_term(folded(cons(ITEM, ACC), [1])))


def test_a_fold_over_a_reversed_list_goes_from_the_right() -> None:
    code = folded({"sub": [ITEM, ACC]}, 0, folded(cons(ITEM, ACC), {"nil": True})["body"])
    first, last = made({"weave": code}).add("weave").definitions
    assert "let acc2 = weave_foldr(initial, rest) in item2 - acc2" in print_declaration(first)
    assert print_declaration(last).endswith("weave_foldr(0, l)")
