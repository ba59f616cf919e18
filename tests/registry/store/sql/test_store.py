"""The tool store, whichever it is: versions, snapshots, forgetting, searching (docs/reference/registry.md §2)."""

from __future__ import annotations

import pytest

from registry.errors import RegistryError
from registry.records import content_hash
from registry.store.protocol import DESCRIPTION_LIMIT, PAGE_LIMIT
from registry.store.sql.sql_store import SqlStore
from registry.store.sqlite.traces import FILE_NAME
from tests.registry.store.sql.conftest import Clock, Place
from tests.support.stores import evolve


def current(store: SqlStore, name: str) -> tuple[int, str, str] | None:
    record = store.snapshot().record(name)
    return None if record is None else (record.version, record.code, record.description)


def test_a_tool_is_found_again_after_closing(place: Place, clock: Clock) -> None:
    first = place.open(clock=clock)
    made = evolve(first, "square", '{"lam":"x"}', "the square ²", ("self", "eval"))
    first.close()
    second = place.open()
    found = second.snapshot().record("square")
    second.close()

    assert found == made.record
    assert made.outcome == "created"
    assert made.record.version == 1
    assert made.record.capabilities == ("eval", "self")
    assert made.record.created == "2027-01-15T08:00:00.000Z"


def test_each_outcome_of_evolve(store: SqlStore) -> None:
    outcomes = [
        evolve(store, "f", "1", "a"),
        evolve(store, "f", "1", "a"),
        evolve(store, "f", "1", "b"),
        evolve(store, "f", "2", "b"),
        evolve(store, "f", "1", "b"),
    ]

    assert [(one.outcome, one.record.version, one.record.description) for one in outcomes] == [
        ("created", 1, "a"),
        ("unchanged", 1, "a"),
        ("description", 1, "b"),
        ("new_version", 2, "b"),
        ("new_version", 3, "b"),
    ]
    assert [event.kind for event in store.history("f")] == ["evolve", "describe", "evolve", "evolve"]


def test_a_dry_run_answers_alike_and_keeps_nothing(store: SqlStore) -> None:
    steps = [("1", "a", None), ("1", "b", 1), ("2", "b", None), ("2", "b", 2)]
    for code, description, expect in steps:
        before = store.snapshot().sequence
        foreseen = evolve(store, "f", code, description, expect_version=expect, dry_run=True)

        assert store.snapshot().sequence == before
        assert foreseen == evolve(store, "f", code, description, expect_version=expect)
    with pytest.raises(RegistryError, match="not as expected"):
        evolve(store, "f", "9", expect_version=1, dry_run=True)


@pytest.mark.parametrize("expected", [0, 1, 3])
def test_expect_version_protects_what_is_current(store: SqlStore, expected: int) -> None:
    evolve(store, "f", "1")
    evolve(store, "f", "2", expect_version=1)
    with pytest.raises(RegistryError) as refused:
        evolve(store, "f", "3", expect_version=expected)

    assert refused.value.kind == "version_conflict"
    assert refused.value.found == "version 2 is current"
    assert "expect_version: 2" in str(refused.value.hint)
    assert current(store, "f") == (2, "2", "text")


def test_expect_version_zero_means_that_the_name_is_free(store: SqlStore) -> None:
    assert evolve(store, "f", "1", expect_version=0).outcome == "created"
    store.forget("f")
    with pytest.raises(RegistryError, match="the name is free"):
        evolve(store, "f", "1", expect_version=1)

    assert evolve(store, "f", "1", expect_version=0).record.version == 2


def test_rollback_moves_the_name_and_the_next_version_is_still_new(store: SqlStore) -> None:
    for code in "123":
        evolve(store, "f", code, f"says {code}")

    assert store.rollback("f", 1).version == 1
    assert current(store, "f") == (1, "1", "says 1")
    assert evolve(store, "f", "1", "says 1").outcome == "unchanged"
    assert store.rollback("f", 3, expect_version=1).version == 3
    assert evolve(store, "f", "1").record.version == 4


def test_a_rollback_to_what_is_current_is_no_event(store: SqlStore) -> None:
    evolve(store, "f", "1")
    before = store.snapshot().sequence
    store.rollback("f", 1)

    assert store.snapshot().sequence == before


@pytest.mark.parametrize("version", [0, -1, 4, 2**31, 2**70, -(2**70)])
def test_versions_that_never_were(store: SqlStore, version: int) -> None:
    for code in "123":
        evolve(store, "f", code)
    for question in (lambda: store.rollback("f", version), lambda: store.forget("f", version)):
        with pytest.raises(RegistryError, match="has no version") as refused:
            question()

        assert refused.value.kind == "unknown_tool"
        assert refused.value.expected == "one of its versions: 1, 2, 3"
    assert store.snapshot().record("f", version) is None


def test_unknown_names_get_the_nearest_known_one(store: SqlStore) -> None:
    evolve(store, "factorial", "1")
    for question in (
        lambda: store.rollback("factoriel", 1),
        lambda: store.forget("factoriel"),
        lambda: store.history("factoriel"),
    ):
        with pytest.raises(RegistryError, match="no tool named") as refused:
            question()

        assert refused.value.kind == "unknown_tool"
        assert refused.value.hint == "did you mean 'factorial'?"
    assert store.snapshot().nearest("Factorial") == "factorial"


def test_forgetting_one_version(store: SqlStore) -> None:
    for code in "123":
        evolve(store, "f", code)
    other = store.forget("f", 2)
    newest = store.forget("f", 3)

    assert (other.versions, other.current) == ((2,), 3)
    assert (newest.versions, newest.current) == ((3,), 1)
    assert current(store, "f") == (1, "1", "text")
    with pytest.raises(RegistryError, match="was forgotten"):
        store.rollback("f", 2)
    assert evolve(store, "f", "2").record.version == 4
    assert store.forget("f", 4).current == 1
    assert store.forget("f", 1).current is None
    assert current(store, "f") is None


def test_forgetting_a_name_frees_it_and_its_numbers_stay_used(store: SqlStore) -> None:
    for code in "12":
        evolve(store, "f", code)
    forgotten = store.forget("f")

    assert (forgotten.versions, forgotten.current) == ((1, 2), None)
    assert current(store, "f") is None
    assert store.snapshot().record("f", 1) is None
    assert store.snapshot().names() == ()
    assert store.page() == (0, ())
    with pytest.raises(RegistryError, match="no tool named"):
        store.forget("f")
    again = evolve(store, "f", "1")
    assert (again.outcome, again.record.version) == ("created", 3)
    assert store.snapshot().record("f", 1) is None


def test_a_snapshot_does_not_move(store: SqlStore) -> None:
    evolve(store, "f", "1", "first")
    evolve(store, "g", "1")
    before = store.snapshot()
    evolve(store, "f", "1", "described anew")
    evolve(store, "f", "2")
    evolve(store, "h", "3")
    store.forget("g")

    seen = before.record("f")
    assert seen is not None
    assert (seen.version, seen.code, seen.description) == (1, "1", "first")
    assert before.record("f", 2) is None
    assert before.record("g") is not None
    assert before.record("h") is None
    assert before.names() == ("f", "g")
    assert store.snapshot().names() == ("f", "h")


def test_the_snapshot_object_is_the_same_until_something_is_written(store: SqlStore) -> None:
    evolve(store, "f", "1")
    first = store.snapshot()
    evolve(store, "f", "1")

    assert store.snapshot() is first
    evolve(store, "f", "2")
    assert store.snapshot() is not first


def test_forgotten_code_is_erased_after_the_grace_period_and_not_before(
    store: SqlStore, clock: Clock, place: Place
) -> None:
    evolve(store, "f", '"very secret code"', "very secret description")
    evolve(store, "shared", '"very secret code"', "other text")
    evolve(store, "f", '"other"')
    running = store.snapshot()
    store.forget("f", 1)
    clock.now += 3_599
    evolve(store, "g", "1")
    seen = running.record("f", 1)

    assert seen is not None
    assert seen.code == '"very secret code"'
    clock.now += 2
    late = place.open(clock=clock)
    old = late.snapshot()
    evolve(store, "g", "2")
    assert [event.hash for event in store.history("f") if event.version == 1] == [None, None]
    assert current(store, "shared") == (1, '"very secret code"', "other text")
    assert old.record("f", 1) is None
    store.forget("shared")
    clock.now += 3_601
    evolve(store, "g", "3")
    late.close()
    assert not any("secret" in str(row) for row in place.rows(store))
    store.close()
    if not place.url:  # a database keeps what was overwritten until it is vacuumed
        assert b"secret" not in (place.home / FILE_NAME).read_bytes()


def test_a_snapshot_older_than_the_grace_period_says_so(store: SqlStore, clock: Clock) -> None:
    evolve(store, "f", "1")
    running = store.snapshot()
    store.forget("f")
    clock.now += 3_601
    evolve(store, "g", "1")
    with pytest.raises(RegistryError, match="has been erased") as refused:
        running.record("f")

    assert refused.value.kind == "store_error"
    assert refused.value.tool == "f@1"


def test_what_was_forgotten_is_erased_when_somebody_asks_and_counts_no_more(
    place: Place, store: SqlStore, clock: Clock
) -> None:
    empty = store.size()
    for number in range(70):
        evolve(store, f"tool_{number}", f"{number}" * 10_000)
    full = store.size()
    assert full - empty > 1_000_000
    for number in range(70):
        store.forget(f"tool_{number}")
    assert not store.tidy()
    assert store.size() > 1_000_000  # a run may still be using it
    clock.now += 3_601.0
    assert not place.open_to_read().tidy()
    last = store.snapshot().sequence
    assert store.tidy()
    assert store.tidy()  # some at a time
    assert not store.tidy()
    assert store.size() - empty < 100_000
    assert store.snapshot().sequence == last


def test_one_write_erases_a_bounded_number_and_the_next_goes_on(store: SqlStore, clock: Clock) -> None:
    for number in range(100):
        evolve(store, "f", str(number))
    store.forget("f")
    clock.now += 3_601
    left = []
    for number in range(3):
        evolve(store, "g", str(number))
        left.append(sum(event.hash is not None for event in store.history("f")))

    assert left == [36, 0, 0]
    assert store.check() == ()


def test_pages_are_ordered_and_counted(store: SqlStore) -> None:
    for name, description in [
        ("sum_list", "adds the ITEMS"),
        ("a_sum", "Straße"),
        ("sum", "adds two"),
        ("total", "the sum of all items"),
        ("other", "nothing"),
        ("gone", "sum"),
    ]:
        evolve(store, name, "1", description)
    store.forget("gone")

    def names(query: str, offset: int = 0, limit: int = 50) -> tuple[int, list[str]]:
        total, records = store.page(query, offset, limit)
        return total, [record.name for record in records]

    assert names("sum") == (4, ["sum", "sum_list", "a_sum", "total"])
    assert names("SUM", 1, 2) == (4, ["sum_list", "a_sum"])
    assert names("sum", 9) == (4, [])
    assert names("items ADDS") == (1, ["sum_list"])
    assert names("STRASSE") == (1, ["a_sum"])
    assert names("%") == (0, [])
    assert names("_") == (2, ["a_sum", "sum_list"])
    assert names("") == (5, ["a_sum", "other", "sum", "sum_list", "total"])
    assert names("   ") == names("")
    assert names("'; drop table heads --") == (0, [])


def test_a_page_shows_the_text_that_is_current(store: SqlStore) -> None:
    evolve(store, "f", "1", "alpha")
    evolve(store, "f", "1", "beta")
    evolve(store, "f", "2", "gamma")
    store.rollback("f", 1)

    assert store.page("beta")[0] == 1
    assert store.page("alpha")[0] == store.page("gamma")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        (("x" * 1_001,), "query"),
        (("a " * 33,), "query"),
        (("\ud800",), "query"),
        (("", -1), "offset"),
        (("", 2**63), "offset"),
        (("", 0, 0), "limit"),
        (("", 0, PAGE_LIMIT + 1), "limit"),
    ],
)
def test_pages_that_are_refused(store: SqlStore, arguments: tuple[str, int, int], wrong: str) -> None:
    with pytest.raises(RegistryError) as refused:
        store.page(*arguments)

    assert (refused.value.kind, refused.value.place) == ("invalid_argument", wrong)


def test_recent_tools_come_latest_first(store: SqlStore) -> None:
    for name in "abcd":
        evolve(store, name, "1")
    evolve(store, "b", "2")
    store.forget("c")

    assert [record.name for record in store.recent(2)] == ["b", "d"]
    assert [record.name for record in store.recent(9)] == ["b", "d", "a"]


def test_texts_that_cannot_be_stored_are_refused(store: SqlStore) -> None:
    for name, description, kind in [
        ("run", "x", "invalid_name"),
        ("a b", "x", "invalid_name"),
        ("f", "\ud800", "invalid_argument"),
        ("f", "x" * (DESCRIPTION_LIMIT + 1), "invalid_argument"),
    ]:
        with pytest.raises(RegistryError) as refused:
            evolve(store, name, "1", description)

        assert refused.value.kind == kind
    with pytest.raises(RegistryError, match="hash of other code"):
        store.evolve("f", code="1", hash=content_hash("2"), description="", capabilities=[])
    assert store.snapshot().sequence == 0


def test_odd_texts_are_kept_exactly(store: SqlStore) -> None:
    odd = "null \0, quotes ' \" and \U0001f600 \u2028"
    evolve(store, "f", f'"{odd}"', odd)

    assert current(store, "f") == (1, f'"{odd}"', odd)


def test_a_closed_store_refuses_and_closes_again(store: SqlStore) -> None:
    evolve(store, "f", "1")
    snapshot = store.snapshot()
    store.close()
    store.close()
    for question in (
        store.snapshot,
        store.page,
        store.check,
        lambda: evolve(store, "f", "2"),
        lambda: store.history("f"),
        lambda: snapshot.record("g"),
    ):
        with pytest.raises(RegistryError, match="has been closed"):
            question()


def test_check_finds_a_head_that_disagrees_and_a_code_that_changed(store: SqlStore, place: Place) -> None:
    evolve(store, "f", "1")
    evolve(store, "g", "2")
    assert store.check() == ()
    place.stored(store, "UPDATE heads SET latest = 7 WHERE name = 'f'")
    place.stored(store, "UPDATE content SET code = '3' WHERE code = '2'")
    found = "\n".join(store.check())

    assert "head of 'f'" in found
    assert "has another hash" in found
    with pytest.raises(RegistryError, match="damaged"):
        store.snapshot().record("g")
