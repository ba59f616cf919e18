"""Properties of what is done in one go: plain input without a term, and lists that are printed many items at a time."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pif.language import value_text
from pif.language.errors import PifError
from pif.language.value_text import print_value, show_value
from pif.language.values import Record
from pif.reference.run_input import RunInput, given_term
from pif.run.plain_input import plain_input
from pif.run.read_input import read_data, read_input
from tests.support.terms.term_strategies import JSON

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-300, 300)
    | st.sampled_from(
        [2**53, 2**62, -(2**62), 2**64, "", "word", "12", "true", "[1]", " null ", "x" * 40, "é", "1.5.2"]
    )
    | st.text(max_size=20)
    | st.just(0.5)
)
NAMES = st.sampled_from(["a", "b", "name", "lam", "body", "add", "pair", "nil", "é", "n" * 40])


def _one_shape(items: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Lists of records of one shape, and of lists of one kind, which are read column by column."""
    return st.lists(NAMES, max_size=3, unique=True).flatmap(
        lambda names: st.lists(st.fixed_dictionaries(dict.fromkeys(names, items)), max_size=6)
    ) | st.lists(st.lists(items, max_size=3), max_size=5)


DATA = st.recursive(
    SCALARS,
    lambda items: (
        st.lists(items, max_size=6)
        | st.lists(st.integers(-5, 5), max_size=80)
        | st.dictionaries(NAMES, items, max_size=4)
        | _one_shape(items)
    ),
    max_leaves=40,
)  # fmt: skip


def _shape(value: Any) -> Any:
    """A value with its kinds, which `==` would take for others."""
    if isinstance(value, tuple):
        return (len(value), [_shape(part) for part in value])
    if isinstance(value, Record):
        return [(name, _shape(field)) for name, field in value.fields.items()]
    return (type(value), value)


@given(DATA | JSON, st.booleans())
@example([[1], []], False)
@example([[], []], False)
@example([[[1]], [["a"]]], False)
@example([{"a": 1}, {"a": [1]}], False)
@example([{"a": 1, "b": 2}, {"b": 1, "a": 2}], False)
@example([{"a": 1, "b": 2}, {"a": 1}, {"b": 2}], False)
@example([{}, {"a": 1}], False)
@example(["word", "", "x\0[1]", "12"], False)
@example({"pair": [1, 2]}, False)
@example([True, 1], False)
def test_plain_input_is_what_its_term_gives(data: Any, raw: bool) -> None:
    found = plain_input(data, lambda: read_input(data, raw=raw), raw=raw)
    if found is None:
        return
    expected = given_term(read_input(data, raw=raw))
    assert _figures(found) == _figures(expected)


def _figures(given: RunInput) -> Any:
    return _shape(given.value), given.charge, given.height, given.kind, given.is_bignum, given.is_known


@pytest.mark.parametrize(
    "data", [[1, 2, 3], [{"a": 1, "b": "x"}] * 3, ["word"] * 3, {"a": [[1], [2]]}, [[], [1]]]
)
def test_ordinary_data_is_plain(data: Any) -> None:
    assert plain_input(data, lambda: read_input(data), raw=False) is not None


@given(DATA, st.integers(0, 400), st.booleans())
@example([1] * 100, 150, True)
@example([{"a": 1}] * 100, 10_000, False)
@example([1] * 600 + ["a", 2**60] + [1] * 70, 10_000, True)
@example([1] * 600, 600, False)
@example([{"a": 1}] * 600, 10_000, True)
def test_what_is_printed_together_is_printed_as_alone(data: Any, limit: int, as_term: bool) -> None:
    try:
        value, _ = read_data(data)
    except PifError:
        return
    together = print_value(value, limit, as_term=as_term), *_shown(value, limit)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(value_text._Printer, "together", lambda printer, cell: None)
        alone = print_value(value, limit, as_term=as_term), *_shown(value, limit)
    assert together == alone


def _shown(value: Any, length: int) -> tuple[str | None, int]:
    """What `show` gives, and what it costs."""
    told: list[int] = []
    return show_value(value, length, told.append), sum(told)
