"""What a storage of sessions promises, on both: files of a home and rows of a database."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from kleis.sessions.files.errors import SessionError
from kleis.sessions.files.session_storage import SessionStorage
from tests.registry.store.postgres.conftest import Opened

TEXTS = [
    b"",
    b"structure M(T) { x : T }\n",
    "∀(x : ℤ). x = x\r\n\ttab\n\n".encode(),
    b"NUL \0 stands here",
    "no characters: \ufdd0 \ufdd1\ufdd0 \U0010ffff".encode(),
    b"long " * 400_000,
]


@pytest.fixture
def storage(storage_of: Opened) -> SessionStorage:
    return storage_of("a")


def text_of(storage: SessionStorage, name: str = "s") -> bytes | None:
    read = storage.read(name)
    if read is None:
        return None
    assert read[1] == storage.revision(name)
    return read[0]


def test_a_session_that_is_not_there(storage: SessionStorage) -> None:
    assert (storage.names(), storage.revision("s"), storage.read("s")) == ([], None, None)
    assert storage.write("s", b"late", "some revision") is None
    assert storage.read("s") is None


@pytest.mark.parametrize("number", range(len(TEXTS)))
def test_a_text_comes_back_to_the_byte(storage_of: Opened, number: int) -> None:
    body = TEXTS[number]
    made = storage_of("a").write("s", body, None)
    assert made is not None
    assert storage_of("b").read("s") == (body, made)


def test_a_text_that_is_too_long_is_refused_and_nothing_is_kept(
    storage_of: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("kleis.sessions.files.storage", "registry.store.postgres.session_rows"):
        monkeypatch.setattr(f"{module}.MAXIMUM_SIZE", 1_000)
    storage = storage_of("a")
    first = storage.write("s", b"short", None)
    writes: tuple[Callable[[], object], ...] = (
        lambda: storage.replace("s", b"x" * 1_001),
        lambda: storage.write("s", b"x" * 1_001, first),
    )
    for write in writes:
        with pytest.raises(SessionError, match="longer than 1000 bytes; nothing was kept") as refused:
            write()
        assert refused.value.code == "session-unwritable"
    assert storage.read("s") == (b"short", first)


def test_who_began_from_another_text_writes_nothing(storage: SessionStorage) -> None:
    first = storage.write("s", b"one", None)
    assert storage.write("s", b"other", None) is None
    second = storage.write("s", b"two", first)
    assert storage.write("s", b"other", first) is None
    third = storage.write("s", b"one", second)  # the same text again is another revision
    assert third not in (None, first, second)
    assert storage.write("s", b"other", first) is None
    assert text_of(storage) == b"one"


def test_replacing_asks_nobody(storage: SessionStorage) -> None:
    first = storage.replace("s", b"one")
    second = storage.replace("s", b"two")
    assert first != second
    assert storage.write("s", b"other", first) is None
    assert text_of(storage) == b"two"
    assert storage.names() == ["s"]


@pytest.mark.parametrize("name", ["", "..", "../s", "a/b", ".hidden", "x" * 65, "a.", "é", "a\0b"])
def test_names_that_are_none(storage: SessionStorage, name: str) -> None:
    questions: tuple[Callable[[], object], ...] = (
        lambda: storage.place(name),
        lambda: storage.revision(name),
        lambda: storage.read(name),
        lambda: storage.write(name, b"", None),
        lambda: storage.replace(name, b""),
    )
    for question in questions:
        with pytest.raises(SessionError) as refused:
            question()
        assert refused.value.code == "session-name"
    assert storage.names() == []


def test_what_one_writes_another_reads(storage_of: Opened) -> None:
    one, two = storage_of("a"), storage_of("b")
    first = one.write("s", b"one", None)
    assert two.read("s") == (b"one", first)
    second = two.write("s", b"two", first)
    assert (one.revision("s"), one.write("s", b"three", first)) == (second, None)
    two.replace("r", b"")
    assert one.names() == two.names() == ["r", "s"]


def test_writers_at_once_lose_nothing_and_repeat_nothing(storage_of: Opened) -> None:
    """Eight writers on two machines append lines, each to what it has just read."""
    storages = [storage_of("a"), storage_of("b")]
    barrier = threading.Barrier(8)

    def append(who: int) -> list[int]:
        """The places at which the lines came to stand."""
        storage, places = storages[who % 2], []
        barrier.wait()
        for number in range(6):
            while True:
                read = storage.read("s")
                body, before = read if read is not None else (b"", None)
                if storage.write("s", body + f"{who} {number}\n".encode(), before) is not None:
                    places.append(body.count(b"\n"))
                    break
        return places

    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(append, range(8)))
    read = storages[0].read("s")
    assert read is not None
    lines = read[0].decode().splitlines()
    assert sorted(lines) == sorted(f"{who} {number}" for who in range(8) for number in range(6))
    for who, places in enumerate(told):
        assert [lines[place] for place in places] == [f"{who} {number}" for number in range(6)]


def test_a_saved_theory_is_renewed_only_from_the_text_that_was_seen(storage_of: Opened) -> None:
    one, two = storage_of("one"), storage_of("two")
    path = one.save("groups", b"// first\n", overwrite=False)
    assert two.renew("groups", b"// second\n", b"// first\n")
    assert not one.renew("groups", b"// third\n", b"// first\n")
    assert not one.renew("rings", b"// third\n", b"")
    one.update_saved()
    assert (path.read_bytes(), one.saved("rings")) == (b"// second\n", False)


def test_saved_theories_reach_the_others(storage_of: Opened) -> None:
    one, two = storage_of("a"), storage_of("b")
    assert not one.saved("groups")
    path = one.save("groups", b"// first\n", overwrite=False)
    assert path.read_bytes() == b"// first\n"
    assert path.name == "groups.kleis"
    assert two.saved("groups")
    with pytest.raises(SessionError) as refused:
        two.save("groups", b"// other\n", overwrite=False)
    assert refused.value.code == "save-exists"
    two.save("groups", b"// second\n", overwrite=True)
    one.update_saved()
    assert path.read_bytes() == b"// second\n"
    two.save("rings", b"// rings\n", overwrite=False)
    one.update_saved()
    assert sorted(each.name for each in path.parent.glob("*.kleis")) == ["groups.kleis", "rings.kleis"]
