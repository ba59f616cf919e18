"""Values of witnesses as data: what was written is read, and what is no value of a sort is not."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from kleis import core
from kleis.core.goal import DataType, Goal
from kleis.prover.checker.sequent import RejectedError
from kleis.prover.checker.values import ValueReader, table_data, value_data
from kleis.prover.protocol.witness import FunctionTable
from kleis.semantics.models import Model, evaluator_of
from kleis.semantics.ranges import Bounds
from kleis.semantics.reference import Account

G = core.Carrier("S::G")
COLOUR = core.DataSort("Colour")
TREE = core.DataSort("Tree")
GOAL = Goal(
    claim=None,
    carriers=(G,),
    data=(
        (DataType(COLOUR, (core.Constructor("Red", (), COLOUR), core.Constructor("Green", (), COLOUR))),),
        (
            DataType(
                TREE,
                (
                    core.Constructor("Leaf", (), TREE),
                    core.Constructor(
                        "Node",
                        (
                            core.ConstructorField("_0", TREE),
                            core.ConstructorField("_1", core.NATURAL),
                            core.ConstructorField("_2", TREE),
                        ),
                        TREE,
                    ),
                ),
            ),
        ),
    ),
)
TWO = core.Dimension((((), 2),))
SORTS = [
    core.BOOL,
    core.STRING,
    core.NATURAL,
    core.INTEGER,
    core.RATIONAL,
    core.REAL,
    core.COMPLEX,
    core.BitVec(3),
    core.BitVec(64),
    G,
    COLOUR,
    TREE,
    core.ListOf(core.INTEGER),
    core.ListOf(core.ListOf(G)),
    core.SetOf(core.BOOL),
    core.SetOf(core.INTEGER),
    core.SetOf(G),
    core.TupleOf(()),
    core.TupleOf((core.BOOL, core.REAL)),
    core.RecordOf((("a", core.NATURAL), ("b", core.STRING))),
    core.MatrixOf(TWO, TWO, core.BOOL),
    core.ListOf(core.TupleOf((COLOUR, core.SetOf(COLOUR)))),
]


def reader() -> tuple[ValueReader, Any]:
    bounds = Bounds(length=2, depth=2)
    account = Account(bounds.budget)
    ranges = evaluator_of(GOAL, Model({G: 2}, {}), bounds, "one-sided", account).ranges
    return ValueReader(GOAL, ranges, account), ranges


def through_a_file(data: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(data))


@pytest.mark.parametrize("sort", SORTS, ids=str)
def test_reading_is_the_inverse_of_writing(sort: core.Sort) -> None:
    read, ranges = reader()
    values = ranges.of(sort).values
    assert values
    for each in values:
        data = through_a_file(value_data(each, sort, GOAL))
        again = read.value(data, sort)
        assert read.key((again,)) == read.key((read.member(each, sort),))
        assert through_a_file(value_data(again, sort, GOAL)) == through_a_file(
            value_data(read.member(each, sort), sort, GOAL)
        )


def test_sets_of_almost_everything_are_read_again() -> None:
    read, _ = reader()
    sort = core.SetOf(core.INTEGER)
    data = ["all but", "-1", "5"]
    assert value_data(read.value(data, sort), sort, GOAL) == data


def test_functions_are_their_rows_and_a_value_everywhere_else() -> None:
    read, _ = reader()
    domain = (core.INTEGER, core.BOOL)
    for table in (
        FunctionTable((), 3),
        FunctionTable((((1, True), 0), ((1, False), -2)), 7),
        FunctionTable((((1, True), 0),)),
    ):
        data = through_a_file(table_data(table, domain, core.INTEGER, GOAL))
        assert read.table(data, domain, core.INTEGER) == table


NUMBERS: list[Any] = [
    "",
    " 1",
    "1 ",
    "+1",
    "-0",
    "01",
    "1.0",
    "1e3",
    "1_0",
    "0x1",
    "٣",
    "²",
    "NaN",
    "nan",
    "inf",
    "-inf",
    "Infinity",
    "1/0",
    "2/2",
    "2/4",
    "1/-2",
    "1/2/3",
    "--1",
    "true",
    0,
    1,
    -1,
    1.0,
    10**40,
    True,
    False,
    None,
    [],
    ["1"],
    ["1", "0"],
    ["1", "1", "1"],
    [["0", "1"], "1"],
    {},
    {"int": "1"},
]
WRONG: list[tuple[core.Sort, list[Any]]] = [
    (core.NATURAL, [*NUMBERS, "-1", "1/2", "-1/2", ["0", "1"]]),
    (core.INTEGER, [*NUMBERS, "1/2", "-1/2", ["0", "1"]]),
    (core.RATIONAL, [*NUMBERS, ["0", "1"]]),
    (core.REAL, [*NUMBERS, ["0", "1"]]),
    (core.COMPLEX, NUMBERS),
    (core.BOOL, [0, 1, None, "true", "", [], {}, [True], 1.0]),
    (core.STRING, [0, None, True, ["a"], {}, 1.5]),
    (core.BitVec(3), ["8", "-1", "1/2", 1, True, None, "0b1", "", [], ["1"]]),
    (G, ["0", "g0", 2, 3, -1, True, False, None, 0.0, [], 10**40]),
    (COLOUR, ["Red", [], ["Blue"], ["Red", 1], [["Red"]], [None], {}, None, 0]),
    (TREE, [["Leaf", "1"], ["Node"], ["Node", ["Leaf"], "-1", ["Leaf"]], ["Node", ["Leaf"], 1, ["Leaf"]]]),
    (core.ListOf(core.NATURAL), ["", "12", ["-1"], [0], [["0"]], {}, {"0": "0"}, None, [None]]),
    (
        core.SetOf(core.NATURAL),
        [
            [],
            ["1"],
            ["but", "1"],
            ["of", "-1"],
            ["of", "1", "1"],
            ["all but", "1", "1"],
            [["of"]],
            [True],
            None,
        ],
    ),
    (core.SetOf(G), [["of", 2], ["of", 0, 0], ["all but", 2]]),
    (core.TupleOf((core.BOOL, core.BOOL)), [[], [True], [True, True, True], [0, 1], "tt", None]),
    (core.TupleOf(()), ["", None, [None], {}]),
    (core.RecordOf((("a", core.NATURAL),)), [[], ["-1"], ["1", "1"], {"a": "1"}, [["a", "1"]], None]),
    (core.MatrixOf(TWO, TWO, core.BOOL), [[], [True] * 3, [True] * 5, [[True, True], [True, True]], [0] * 4]),
    (core.FunctionOf((core.BOOL,), core.BOOL), [[[]], [[], True], None, True, []]),
    (core.ListOf(core.FunctionOf((core.BOOL,), core.BOOL)), [[[[], True]]]),
    (core.REGEX, ["a", ["text", "a"], None, []]),
]


@pytest.mark.parametrize(
    ("sort", "data"),
    [(sort, each) for sort, wrong in WRONG for each in wrong],
    ids=lambda each: str(each)[:40],
)
def test_what_is_no_value_of_a_sort_is_refused(sort: core.Sort, data: Any) -> None:
    read, _ = reader()
    with pytest.raises(RejectedError):
        read.value(data, sort)


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        [None],
        [[["1", True]]],
        [[["1", True, "0", "0"]]],
        [[["1", True, "0"], ["1", True, "1"]]],
        [[["1", True, "0"], ["1", True, "0"]]],
        [[["1/2", True, "0"]]],
        [[["1", 1, "0"]]],
        [[], "1/2"],
        [[], "0", "0"],
        [[], None],
        {"rows": []},
        "0",
    ],
    ids=json.dumps,
)
def test_what_is_no_function_is_refused(data: Any) -> None:
    read, _ = reader()
    with pytest.raises(RejectedError):
        read.table(data, (core.INTEGER, core.BOOL), core.INTEGER)


def test_equal_arguments_are_one_argument_however_they_are_written() -> None:
    """Sets have the members they have, in any order."""
    read, _ = reader()
    rows = [[["of", "1", "2"], "0"], [["of", "2", "1"], "1"]]
    with pytest.raises(RejectedError):
        read.table([rows, "0"], (core.SetOf(core.INTEGER),), core.INTEGER)


def test_huge_values_are_refused_before_they_are_made() -> None:
    read, _ = reader()
    with pytest.raises(RejectedError, match="parts"):
        read.value(["0"] * 1_000_001, core.ListOf(core.NATURAL))
