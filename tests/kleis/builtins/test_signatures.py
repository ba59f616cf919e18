"""The signatures of built-ins against the functions of the table (docs/reference/proving.md §4.2)."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from kleis.builtins.matrix_shapes import constant, plus_sizes
from kleis.builtins.row import Argument, Builtin, CoreForm, Signature, Undecided, Untyped, Waiting
from kleis.builtins.rows.table import BUILTINS, find_builtin
from kleis.builtins.shapes import NUMBERS
from kleis.core import (
    BOOL,
    COMPLEX,
    INTEGER,
    NATURAL,
    RATIONAL,
    REAL,
    REGEX,
    STRING,
    BitVec,
    Dimension,
    ListOf,
    MatrixOf,
    Numeric,
    RecordOf,
    Sort,
    SortVariable,
    TupleOf,
)
from kleis.core.sort_operations import variables_of
from kleis.elaborate.sorts.sort_inference import Inference
from kleis.errors import EvaluationError
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.tree import Call, Expression, Name, Number
from kleis.syntax.tree.traversal import walk
from tests.support.terms.signature_calls import (
    ANY,
    INT,
    M22,
    M23,
    RECORD,
    TWO,
    TYPED,
    WORD,
    WRITTEN,
    belongs,
    calls_of,
    combinations,
    ground_signatures,
    holds,
    matrix,
    of,
    run,
)

BY_NAME = {row.name: row for row in BUILTINS}


def found(name: str, *arguments: Argument) -> tuple[Signature, ...]:
    answer = BY_NAME[name].signatures(arguments)
    assert not isinstance(answer, Waiting)
    return answer


def shapes(name: str, *arguments: Argument) -> list[tuple[tuple[Sort, ...], Sort]]:
    return [(each.parameters, each.result) for each in found(name, *arguments)]


def the(name: str, *arguments: Argument) -> Signature:
    (only,) = found(name, *arguments)
    return only


# ── The table as a whole ─────────────────────────────────────────────────────────────────────────────────────


def test_a_row_without_a_place_in_propositions_says_why() -> None:
    reasons = {row.name: row.signature.reason for row in BUILTINS if isinstance(row.signature, Untyped)}
    assert all(reason and reason[-1] != "." for reason in reasons.values())
    assert [found(name, *[ANY] * BY_NAME[name].least) for name in reasons] == [()] * len(reasons)


@pytest.mark.parametrize("row", TYPED, ids=lambda row: row.name)
def test_an_alias_has_the_signatures_of_its_row(row: Builtin) -> None:
    for alias in row.aliases:
        again = find_builtin(alias)
        assert again is not None
        assert [again.signatures(call) for call in calls_of(row)] == [
            row.signatures(call) for call in calls_of(row)
        ]


@pytest.mark.parametrize("row", TYPED, ids=lambda row: row.name)
def test_no_signature_at_a_wrong_number_of_arguments(row: Builtin) -> None:
    wrong = [count for count in range(8) if not row.takes(count)]
    assert wrong
    assert [row.signatures((ANY,) * count) for count in wrong] == [()] * len(wrong)


@pytest.mark.parametrize("row", TYPED, ids=lambda row: row.name)
def test_signatures_differ_in_their_parameters_and_rise(row: Builtin) -> None:
    for call in calls_of(row):
        answer = row.signatures(call)
        assert not isinstance(answer, Waiting)
        parameters = [each.parameters for each in answer]
        assert len(set(parameters)) == len(parameters)
        assert all(len(each.names) == len(set(each.names)) == len(call) for each in answer)
        for lower, higher in pairwise(each for each in parameters if _numeric(each)):
            assert lower[-1] != higher[-1] or NUMBERS.index(lower[0]) < NUMBERS.index(higher[0])


def _numeric(parameters: tuple[Sort, ...]) -> bool:
    return bool(parameters) and all(isinstance(each, Numeric) for each in parameters)


# ── Against the functions of the table ───────────────────────────────────────────────────────────────────────

SYNTACTIC = {"bv", "extract", "zext", "sext", "eye", "zeros", "ones", "get_field"}
"""Rows whose condition is about how a call is written: it holds in every call that has a signature."""


@pytest.mark.parametrize("row", TYPED, ids=lambda row: row.name)
def test_a_row_computes_a_value_of_the_result_sort_exactly_where_the_condition_holds(row: Builtin) -> None:
    random = Random(row.name)
    computed = 0
    for signature, arguments in ground_signatures(row):
        for values in combinations(signature, arguments, random):
            if not holds(signature, values):
                with pytest.raises(EvaluationError) as caught:
                    run(row, values)
                assert caught.value.code in ("undefined", "sort")
                continue
            try:
                result = run(row, values)
            except Undecided:
                # Only relations of sets with complements depend on what the sort of the elements is.
                assert row.name in ("subset", "proper_subset", "disjoint")
                continue
            assert belongs(result, signature.result), (signature.parameters, values, result)
            computed += 1
    assert computed


def test_the_typing_is_not_too_wide() -> None:
    """`belongs` tells the sorts of numbers apart, so that the property above can fail."""
    assert not belongs(run(BY_NAME["minus"], (1, 2)), NATURAL)
    assert not belongs(run(BY_NAME["divide"], (1, 2)), INTEGER)
    assert not belongs(run(BY_NAME["sqrt"], (2,)), RATIONAL)
    assert not belongs(run(BY_NAME["bvconcat"], (run(BY_NAME["bvzero"], (3,)),) * 2), BitVec(3))


@pytest.mark.parametrize("row", [row for row in TYPED if row.condition], ids=lambda row: row.name)
def test_a_condition_is_dropped_only_where_it_is_shown(row: Builtin) -> None:
    dropped = {each.condition is None for each, _ in ground_signatures(row)}
    sizes = row.name in SYNTACTIC or row.parameters[0].sort == "Matrix" or row.name == "factorial"
    assert dropped in ({False}, {True}) or row.name == "power"
    assert sizes or row.name == "power" or dropped == {False}


# ── Conditions as text ───────────────────────────────────────────────────────────────────────────────────────


def conditions() -> list[tuple[Signature, tuple[Argument, ...]]]:
    return [pair for row in TYPED for pair in ground_signatures(row) if pair[0].condition is not None]


def test_conditions_use_parameters_and_typed_built_ins_only() -> None:
    for signature, _ in conditions():
        assert signature.condition is not None
        for node in walk(parse_expression(signature.condition)):
            if isinstance(node, Name):
                assert node.name in signature.names
            elif isinstance(node, Call):
                row = find_builtin(node.name)
                assert row is not None
                assert not isinstance(row.signature, Untyped)


def sort_of(node: Expression, sorts: dict[str, Sort]) -> Sort:
    """The sort of a condition's part, by signatures and upward coercions."""
    if isinstance(node, Name):
        return sorts[node.name]
    if isinstance(node, Number):
        return NATURAL
    assert isinstance(node, Call)
    parts = [sort_of(each, sorts) for each in node.arguments]
    row = find_builtin(node.name)
    assert row is not None
    if row.name in ("equals", "neq"):
        assert all(isinstance(each, Numeric) for each in parts)
        return BOOL
    if isinstance(row.signature, CoreForm):
        assert parts == [BOOL] * len(parts)
        return BOOL
    answer = row.signatures(tuple(map(of, parts)))
    assert not isinstance(answer, Waiting)
    fitting = [each for each in answer if all(map(_fits, parts, each.parameters))]
    assert fitting, (row.name, parts)
    return fitting[0].result


def _fits(given: Sort, wanted: Sort) -> bool:
    if isinstance(given, Numeric) and isinstance(wanted, Numeric):
        return NUMBERS.index(given) <= NUMBERS.index(wanted)
    return given == wanted or (bool(variables_of(wanted)) and type(given) is type(wanted))


def test_conditions_are_formulas_at_the_sorts_of_their_signatures() -> None:
    every = conditions()
    assert every
    for signature, _ in every:
        assert signature.condition is not None
        sorts = dict(zip(signature.names, signature.parameters, strict=True))
        assert sort_of(parse_expression(signature.condition), sorts) == BOOL


# ── Numbers ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_arithmetic_stays_in_the_least_sort() -> None:
    assert [result for _, result in shapes("plus", ANY, ANY)] == list(NUMBERS)
    assert [result for _, result in shapes("minus", ANY, ANY)] == [INTEGER, RATIONAL, REAL, COMPLEX]
    assert [result for _, result in shapes("divide", ANY, ANY)] == [RATIONAL, REAL, COMPLEX]
    assert shapes("mod", ANY, ANY) == [((NATURAL, NATURAL), NATURAL), ((INTEGER, INTEGER), INTEGER)]
    assert shapes("abs", ANY) == [
        ((NATURAL,), NATURAL),
        ((INTEGER,), NATURAL),
        ((RATIONAL,), RATIONAL),
        ((REAL,), REAL),
        ((COMPLEX,), REAL),
    ]


def test_there_is_no_order_of_complex_numbers() -> None:
    for name in ("less_than", "leq", "greater_than", "geq", "min", "max"):
        assert all(COMPLEX not in parameters for parameters, _ in shapes(name, ANY, ANY))


def test_powers() -> None:
    assert ((INTEGER, NATURAL), INTEGER) in shapes("power", ANY, ANY)
    assert ((INTEGER, INTEGER), INTEGER) not in shapes("power", ANY, ANY)
    assert {each.condition for each in found("power", ANY, ANY) if each.parameters[1] == NATURAL} == {None}
    assert [each.parameters for each in found("power", ANY, TWO) if each.incomplete] == [(REAL, REAL)]
    assert all(each.incomplete for each in found("power", ANY, INT))


@pytest.mark.parametrize(
    "name",
    [
        "sin",
        "exp",
        "sqrt",
        "ln",
        "pi",
        "gcd",
        "lcm",
        "factorial",
        "numer",
        "random",
        "linspace",
        "cardinality",
        "is_finite_set",
        "trim",
        "splitLines",
        "strToInt",
        "rem",
        "frac",
        "to_real",
    ],
)
def test_what_solvers_approximate_is_incomplete(name: str) -> None:
    answer = found(name, *[ANY] * BY_NAME[name].least)
    assert answer
    assert all(each.incomplete for each in answer)


@pytest.mark.parametrize(
    "name",
    [
        "plus",
        "divide",
        "div",
        "mod",
        "floor",
        "length",
        "append",
        "concat",
        "strlen",
        "replaceAll",
        "substr",
        "indexOf",
        "in_set",
        "union",
    ],
)
def test_what_solvers_know_exactly_is_complete(name: str) -> None:
    answer = found(name, *[ANY] * BY_NAME[name].least)
    assert answer
    assert not any(each.incomplete for each in answer)


@pytest.mark.parametrize("row", [row for row in BUILTINS if row.tier == "T9"], ids=lambda row: row.name)
def test_matrices_are_incomplete(row: Builtin) -> None:
    of_matrices = [
        each
        for each, _ in ground_signatures(row)
        if not all(isinstance(sort, Numeric) for sort in (*each.parameters, each.result))
    ]
    assert of_matrices
    assert all(each.incomplete for each in of_matrices)


# ── Words ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_widths_come_from_arguments_and_literals() -> None:
    assert the("bvadd", WORD, ANY).parameters == (BitVec(4), BitVec(4))
    assert the("bvconcat", WORD, of(BitVec(3))).result == BitVec(7)
    assert the("extract", TWO, of(NATURAL, 1), WORD).result == BitVec(2)
    assert the("sext", TWO, WORD).result == BitVec(6)
    assert the("bvones").result == BitVec(8)


def test_words_of_unknown_width_wait() -> None:
    for arguments in ((ANY, ANY), (ANY, INT), (of(SortVariable("?")), TWO)):
        assert isinstance(BY_NAME["bvadd"].signatures(arguments), Waiting)
    assert isinstance(BY_NAME["bvnot"].signatures((ANY,)), Waiting)
    assert isinstance(BY_NAME["bvconcat"].signatures((WORD, ANY)), Waiting)


def test_words_that_do_not_fit_have_no_signature() -> None:
    assert found("bvadd", WORD, of(BitVec(5))) == ()
    assert found("bvadd", INT, INT) == ()
    assert found("bvadd", WORD, of(NATURAL, 16)) == ()
    assert found("bvadd", WORD, of(RATIONAL)) == ()
    assert found("bv", INT, INT) == ()
    assert found("bv", INT, of(NATURAL, 0)) == ()
    assert found("extract", of(NATURAL, 4), TWO, WORD) == ()
    assert found("zext", INT, WORD) == ()


def test_an_integer_beside_a_word_must_fit_its_width() -> None:
    assert the("bvadd", WORD, INT).condition == "0 - 8 ≤ b ∧ b < 16"
    assert the("bvult", of(NATURAL, 3), WORD).parameters == (INTEGER, BitVec(4))


# ── Tuples, records, regular expressions ─────────────────────────────────────────────────────────────────────


def test_components() -> None:
    assert isinstance(BY_NAME["fst"].signatures((ANY,)), Waiting)
    assert the("snd", of(TupleOf((BOOL, INTEGER, STRING)))).result == INTEGER
    assert found("fst", INT) == ()


def test_fields() -> None:
    assert found("get_field", RECORD, of(STRING, "z")) == ()
    assert found("get_field", RECORD, of(STRING)) == ()
    assert isinstance(BY_NAME["get_field"].signatures((ANY, of(STRING, "x"))), Waiting)
    changed = the("set_field", RECORD, of(STRING, "x"), of(RATIONAL))
    assert changed.result == RecordOf((("x", RATIONAL), ("y", STRING)))
    assert the("set_field", RECORD, of(STRING, "x"), of(NATURAL)).result == RECORD.sort


def test_a_string_is_a_regular_expression() -> None:
    assert the("matches", ANY, of(STRING, "abc")).parameters == (STRING, STRING)
    assert the("re_union", of(STRING), ANY).parameters == (STRING, REGEX)


def test_repeated_parameters_are_numbered() -> None:
    assert found("concat", ANY, ANY)[0].names == ("parts_1", "parts_2")
    assert the("re_union", ANY, ANY, ANY).names == ("r", "s_1", "s_2")


# ── Matrices ─────────────────────────────────────────────────────────────────────────────────────────────────


def dimension(*terms: tuple[tuple[str, ...], int]) -> Dimension:
    return Dimension(terms)


N, M = dimension((("n",), 1)), dimension((("m",), 1))


def test_sizes_are_computed() -> None:
    square = of(MatrixOf(N, M, REAL))
    assert the("transpose", square).result == MatrixOf(M, N, REAL)
    assert the("times", square, of(MatrixOf(M, N, INTEGER))).result == MatrixOf(N, N, REAL)
    one_more = dimension((("n",), 1), ((), 1))
    assert the("append_row", square, of(ListOf(REAL))).result == MatrixOf(one_more, M, REAL)
    assert the("hstack", square, square).result == MatrixOf(N, dimension((("m",), 2)), REAL)
    assert plus_sizes(constant(0), N) == N


def test_sizes_that_disagree_have_no_signature() -> None:
    assert found("plus", M22, M23) == ()
    assert found("plus", of(MatrixOf(N, M, REAL)), of(MatrixOf(M, N, REAL))) == ()
    assert found("times", M23, M23) == ()
    assert found("det", M23) == ()
    assert found("vstack", M22, M23) == ()
    assert found("plus", M22, INT) == ()
    assert found("zeros", INT) == ()


def test_elements_of_both_matrices_join() -> None:
    assert the("plus", M22, of(matrix(2, 2, COMPLEX))).parameters == (matrix(2, 2, COMPLEX),) * 2
    assert the("det", of(matrix(2, 2, NATURAL))).result == INTEGER
    assert the("minus", WRITTEN, WRITTEN).result == matrix(2, 2, INTEGER)
    assert found("plus", of(matrix(2, 2, STRING)), of(matrix(2, 2, STRING))) == ()


def test_a_list_of_lists_is_a_matrix_only_if_its_sizes_are_written() -> None:
    assert the("det", WRITTEN).parameters == (ListOf(ListOf(NATURAL)),)
    assert found("det", of(ListOf(ListOf(NATURAL)))) == ()
    assert found("det", of(ListOf(ListOf(NATURAL)), shape=(2,))) == ()
    assert found("diag_matrix", of(ListOf(NATURAL))) == ()


def test_an_index_stays_below_the_size() -> None:
    assert the("matrix_row", M23, INT).condition == "0 ≤ i ∧ i < 2"
    assert the("matrix_row", of(MatrixOf(N, M, REAL)), INT).condition == "0 ≤ i ∧ i < nrows(m)"
    assert (
        the("set_diag", of(MatrixOf(N, M, REAL)), ANY).condition
        == "length(entries) = min(nrows(m), ncols(m))"
    )


# ── Choice ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("a", NUMBERS, ids=lambda sort: sort.name)
@pytest.mark.parametrize("b", NUMBERS, ids=lambda sort: sort.name)
def test_one_signature_of_arithmetic_costs_least(a: Numeric, b: Numeric) -> None:
    inference = Inference({})
    for name in ("plus", "minus", "times", "divide", "div", "mod", "rem", "power", "min", "leq"):
        costs = []
        for each in found(name, of(a), of(b)):
            parts = [
                inference.cost(given, wanted) for given, wanted in zip((a, b), each.parameters, strict=True)
            ]
            if None not in parts:
                costs.append(tuple(map(sum, zip(*(part for part in parts if part), strict=True))))
        assert costs.count(min(costs, default=())) <= 1
