"""The file of a session: what is written is read back, and a file that a person edited is read as it stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleis.problems import AnswerWarning
from kleis.sessions import SessionError
from kleis.sessions.files.record import Item, Record, heading, item_text, plain_text, read_record
from kleis.syntax.parser.parser import parse_source

_texts = st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from('\n"/@{}'), max_size=60
) | st.sampled_from(["//@ item {}", "\n//@ session {}\n", "define f() = 1", "\r\n", "\u2028"])
_names = st.lists(st.text("abcαβ_0", min_size=1, max_size=5), max_size=3).map(tuple)
_items = st.builds(
    Item,
    kind=st.sampled_from(["structure", "define", "data"]),
    text=_texts,
    status=st.sampled_from(["consistent", "unknown", "unchecked"]),
    structures=_names,
    functions=_names,
    data_types=_names,
    axioms=_names,
    warnings=st.lists(st.builds(AnswerWarning, st.just("note"), _texts, _texts), max_size=2).map(tuple),
)
_records = st.builds(
    Record,
    imports=st.lists(_texts, max_size=3).map(tuple),
    basis=st.text("0123456789abcdef", max_size=24),
    items=st.lists(_items, max_size=5).map(tuple),
)


def text_of(record: Record) -> str:
    return heading(record.imports, record.basis) + "".join(map(item_text, record.items))


@given(_records)
def test_what_is_written_is_read_back(record: Record) -> None:
    assert read_record(text_of(record), file="s") == record


@given(_records.filter(lambda record: len(record.items) > 0), st.data())
def test_a_file_cut_anywhere_is_never_read_as_other_items(record: Record, data: st.DataObject) -> None:
    """A cut text is the record of fewer items, or not one of ours: never items that nobody accepted."""
    text = text_of(record)
    cut = text[: data.draw(st.integers(0, len(text) - 1))]
    try:
        found = read_record(cut, file="s")
    except SessionError:
        return
    recorded = [each for each in found.items if each.status != "unchecked"]
    kept = [each for each in record.items if each.status != "unchecked"]
    assert recorded == kept[: len(recorded)]


SOURCE = 'import "stdlib/lists.kleis"\n\n// about f\n@decreases(n)\ndefine f(n : ℕ) : ℕ = n\ndata D = A | B\n'


def test_a_file_by_hand_is_items_of_its_declarations() -> None:
    record = read_record(SOURCE, file="s")
    assert record.imports == ("stdlib/lists.kleis",)
    assert [(item.kind, item.functions, item.data_types) for item in record.items] == [
        ("define", ("f",), ()),
        ("data", (), ("D",)),
    ]
    assert record.items[0].text == "// about f\n@decreases(n)\ndefine f(n : ℕ) : ℕ = n"
    assert {item.status for item in record.items} == {"unchecked"}


def test_one_changed_character_makes_all_of_it_unchecked() -> None:
    item = Item(kind="define", text="define f() : ℤ = 1", status="consistent", functions=("f",))
    text = text_of(Record((), "basis", (item,)))
    (changed,) = read_record(text.replace("= 1", "= 2"), file="s").items
    assert changed.status == "unchecked"
    assert changed.text == "define f() : ℤ = 2"


def test_nonsense_is_refused_with_its_place() -> None:
    with pytest.raises(SessionError) as refused:
        read_record("define f() = 1\ndefine g( = 2\n", file="session.kleis")
    assert (refused.value.code, refused.value.line) == ("session-broken", 2)


def test_a_saved_theory_is_plain_kleis() -> None:
    item = Item(kind="define", text="define f() : ℤ = 1", status="consistent", functions=("f",))
    text = plain_text(("stdlib/prelude.kleis",), (item, item), title="t")
    assert "//@" not in text
    assert len(parse_source(text).program.items) == 3


def test_warnings_of_older_records_are_texts_and_are_read() -> None:
    item = Item(
        kind="define", text="define f() = 1", status="unknown", warnings=(AnswerWarning("recorded", "w"),)
    )
    text = text_of(Record((), "0", (item,)))
    older = text.replace('{"code":"recorded","message":"w","hint":""}', '"w"')
    assert older != text
    assert read_record(older, file="s") == read_record(text, file="s")
