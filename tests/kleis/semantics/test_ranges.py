"""The values over which quantifiers range, and whether a range is complete."""

from __future__ import annotations

from fractions import Fraction

import pytest

from kleis.budget import Budget
from kleis.builtins.row import Context
from kleis.core import (
    BOOL,
    COMPLEX,
    INTEGER,
    NATURAL,
    RATIONAL,
    REAL,
    REGEX,
    STRING,
    UNIT,
    BitVec,
    Carrier,
    Constructor,
    ConstructorField,
    DataSort,
    Dimension,
    FunctionOf,
    ListOf,
    MatrixOf,
    RecordOf,
    SetOf,
    Sort,
    SortVariable,
    TupleOf,
)
from kleis.semantics.ranges import Bounds, Range, Ranges
from kleis.values import Data, render_value

G = Carrier("G")
COLOUR = DataSort("Colour")
TREE = DataSort("Tree")
WRAPPED = DataSort("Wrapped")
COLOURS = tuple(Constructor(name, (), COLOUR) for name in ("Red", "Green"))
TREES = (
    Constructor("Leaf", (), TREE),
    Constructor("Node", (ConstructorField("_0", TREE), ConstructorField("_1", ListOf(TREE))), TREE),
)
WRAP = (Constructor("Wrap", (ConstructorField("_0", COLOUR),), WRAPPED, alone=True),)
GROUPS = ({COLOUR: COLOURS}, {WRAPPED: WRAP}, {TREE: TREES})
ONE = Dimension((((), 1),))


def ranges(bounds: Bounds | None = None, size: int = 2) -> Ranges:
    return Ranges(bounds or Bounds(), {G: size}, GROUPS, Context(Budget()))


def shown(found: Range) -> list[str]:
    return [render_value(value) for value in found.values]


@pytest.mark.parametrize(
    ("sort", "count"),
    [
        (BOOL, 2), (G, 3), (BitVec(2), 4), (UNIT, 1), (TupleOf((BOOL, G)), 6), (COLOUR, 2), (WRAPPED, 2),
        (RecordOf((("a", BOOL), ("b", BOOL))), 4), (SetOf(BOOL), 4), (SetOf(G), 8), (SetOf(SetOf(BOOL)), 16),
        (FunctionOf((BOOL,), BOOL), 4), (FunctionOf((G, BOOL), BOOL), 64), (TupleOf((WRAPPED, COLOUR)), 4),
        (MatrixOf(ONE, ONE, BOOL), 2),
    ],
)  # fmt: skip
def test_finite_sorts_are_exhausted(sort: Sort, count: int) -> None:
    found = ranges(size=3).of(sort)
    assert (len(found.values), found.complete) == (count, True)
    assert not ranges().is_infinite(sort)


@pytest.mark.parametrize(
    "sort",
    [
        NATURAL, INTEGER, RATIONAL, REAL, COMPLEX, STRING, REGEX, ListOf(BOOL), SetOf(INTEGER), TREE,
        TupleOf((BOOL, STRING)), RecordOf((("a", INTEGER),)), ListOf(UNIT), FunctionOf((BOOL,), INTEGER),
    ],
)  # fmt: skip
def test_infinite_sorts_are_cut_off(sort: Sort) -> None:
    found = ranges().of(sort)
    assert found.values
    assert not found.complete
    assert ranges().is_infinite(sort)
    assert len(set(shown(found))) == len(found.values)


def test_simple_values_come_first() -> None:
    bounds = Bounds(integer=2, natural=3, alphabet="a", length=2)
    assert ranges(bounds).of(NATURAL).values == (0, 1, 2, 3)
    assert ranges(bounds).of(INTEGER).values == (0, 1, -1, 2, -2)
    assert ranges(bounds).of(RATIONAL).values[:6] == (0, 1, -1, 2, -2, Fraction(1, 2))
    assert ranges(bounds).of(STRING).values == ("", "a", "aa")
    assert shown(ranges(bounds).of(ListOf(NATURAL)))[:3] == ["[]", "[0]", "[1]"]


def test_sets_over_infinite_sorts_have_their_complements() -> None:
    found = shown(ranges(Bounds(natural=1, length=1)).of(SetOf(NATURAL)))
    assert found[0] == "empty_set"
    assert "complement(empty_set)" in found
    assert "complement(insert(1, empty_set))" in found


def test_data_are_as_deep_as_allowed() -> None:
    assert shown(ranges(Bounds(depth=1)).of(TREE)) == ["Leaf"]
    two = shown(ranges(Bounds(depth=2)).of(TREE))
    assert two[:3] == ["Leaf", "Node(Leaf, [])", "Node(Leaf, [Leaf])"]
    assert not any("Node(Node" in text for text in two)
    assert any("Node(Node" in text for text in shown(ranges(Bounds(depth=3)).of(TREE)))


def test_large_words_are_represented_by_corners() -> None:
    found = ranges().of(BitVec(32))
    assert not found.complete
    assert {0, 1, 2**31, 2**32 - 1} <= {word.bits for word in found.values}
    assert not ranges().is_infinite(BitVec(32))


def test_no_range_exceeds_its_limit() -> None:
    few = ranges(Bounds(values=20, integer=30, length=3), size=9)
    for sort in (INTEGER, ListOf(INTEGER), SetOf(G), TupleOf((INTEGER, INTEGER)), FunctionOf((G,), G), TREE):
        found = few.of(sort)
        assert 0 < len(found.values) <= 20
        assert not found.complete


def test_a_matrix_whose_size_is_not_known_has_no_range() -> None:
    unknown = Dimension(((("n",), 1),))
    assert ranges().of(MatrixOf(unknown, ONE, BOOL)) == Range((), False)


@pytest.mark.parametrize(("rows", "columns"), [(3, 3), (4, 4), (2, 6), (1, 9)])
def test_large_matrices_are_more_than_the_one_of_zeros(rows: int, columns: int) -> None:
    sizes = (Dimension((((), rows),)), Dimension((((), columns),)))
    found = ranges().of(MatrixOf(*sizes, INTEGER))
    entries = [render_value(each.fields[2]) for each in found.values if isinstance(each, Data)]
    assert len(set(entries)) == len(found.values) > rows * columns
    assert not found.complete
    assert entries[0] == str([0] * (rows * columns))
    if rows == columns:
        assert entries[1] == str([int(place % (rows + 1) == 0) for place in range(rows * columns)])


def test_an_unfinished_sort_is_refused() -> None:
    with pytest.raises(ValueError, match="not finished"):
        ranges().of(SortVariable("t"))


def test_tables_are_all_functions() -> None:
    tables = ranges().tables((BOOL,), G)
    assert tables is not None
    assert tables.count == 4
    graphs = {tuple(str(tables[number].target(x)) for x in (False, True)) for number in range(4)}
    assert len(graphs) == 4
    assert ranges().tables((INTEGER,), BOOL) is None
