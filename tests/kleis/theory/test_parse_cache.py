"""The parse cache: equal answers, bounded size, atomic writes, and entries that were tampered with are not used."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleis.syntax.parser.parser import parse_source
from kleis.theory.import_search import ImportSearch
from kleis.theory.loader import Loader
from kleis.theory.parse_cache import ParseCache

TEXT = 'import "x"\ndefine f(x) = -x^2\nexample "a" { let y : ℤ  assert(f(y) = 2.50) }\n@note(anything)\n'


class Counting:
    """A stand-in for the parser that counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, text: str, *, file: str) -> object:
        self.calls += 1
        return parse_source(text, file=file)


@pytest.fixture
def parser(monkeypatch: pytest.MonkeyPatch) -> Counting:
    counting = Counting()
    monkeypatch.setattr("kleis.syntax.parser.parser.parse_source", counting)
    return counting


def entries(root: Path) -> list[Path]:
    return sorted(root.rglob("*.parsed"))


def parse(root: Path, text: str = TEXT, file: str = "a.kleis", capacity: int = 1 << 20) -> object:
    return Loader(ImportSearch(), cache=ParseCache(root, capacity=capacity)).parse(text, file=file)


def test_a_hit_equals_the_parser(tmp_path: Path, parser: Counting) -> None:
    cold, warm = parse(tmp_path), parse(tmp_path)
    assert parser.calls == 1
    assert cold == warm == parse_source(TEXT, file="a.kleis")
    assert len(warm.lints) > 0
    spans = [item.span for item in warm.program.items]
    assert [(s.start, s.end, s.line, s.column) for s in spans] == [
        (s.start, s.end, s.line, s.column) for s in (item.span for item in cold.program.items)
    ]


def test_places_name_the_file_that_is_read_not_the_one_that_was(tmp_path: Path, parser: Counting) -> None:
    parse(tmp_path, file="one.kleis")
    other = parse(tmp_path, file="two.kleis")
    assert parser.calls == 1
    assert other.program.file == "two.kleis"
    assert {lint.file for lint in other.lints} == {"two.kleis"}


def test_another_text_is_another_entry(tmp_path: Path, parser: Counting) -> None:
    parse(tmp_path)
    parse(tmp_path, TEXT + " ")
    assert parser.calls == 2


def test_a_text_with_errors_is_not_kept(tmp_path: Path, parser: Counting) -> None:
    parse(tmp_path, "define = ")
    parse(tmp_path, "define = ")
    assert parser.calls == 2
    assert entries(tmp_path) == []


@pytest.mark.parametrize("damage", ["empty", "cut", "changed", "foreign", "directory"])
def test_a_damaged_entry_is_no_entry(tmp_path: Path, parser: Counting, damage: str) -> None:
    expected = parse(tmp_path)
    (entry,) = entries(tmp_path)
    payload = bytearray(entry.read_bytes())
    payload[len(payload) // 2] ^= 0x41
    if damage == "directory":
        entry.unlink()
        entry.mkdir()
    else:
        entry.write_bytes({
            "empty": b"", "cut": payload[:40], "changed": bytes(payload), "foreign": b"\x80\x04N." * 20,
        }[damage])  # fmt: skip
    assert parse(tmp_path) == expected
    assert parser.calls == 2


def test_a_directory_that_others_may_write_to_is_not_used(tmp_path: Path, parser: Counting) -> None:
    root = tmp_path / "cache"
    parse(root)
    root.chmod(0o777)
    parse(root)
    assert parser.calls == 2


def test_a_link_instead_of_the_directory_is_not_used(tmp_path: Path, parser: Counting) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    parse(tmp_path / "link")
    parse(tmp_path / "link")
    assert parser.calls == 2


def test_where_nothing_can_be_written_parsing_still_works(tmp_path: Path, parser: Counting) -> None:
    (tmp_path / "file").write_text("")
    assert parse(tmp_path / "file" / "cache") == parse_source(TEXT, file="a.kleis")
    assert parser.calls == 1


def test_the_cache_is_bounded_and_the_oldest_goes_first(tmp_path: Path, parser: Counting) -> None:
    texts = [f"define f{index}(x) = x + {index}" for index in range(200)]
    capacity = 8000
    for text in texts:
        parse(tmp_path, text, capacity=capacity)
    assert 0 < sum(path.stat().st_size for path in entries(tmp_path)) <= capacity
    before = parser.calls
    parse(tmp_path, texts[-1], capacity=capacity)
    assert parser.calls == before
    parse(tmp_path, texts[0], capacity=capacity)
    assert parser.calls == before + 1


def test_entries_of_another_parser_are_not_read_and_go_first(
    tmp_path: Path, parser: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    parse(tmp_path)
    monkeypatch.setattr("kleis.theory.parse_cache._parser_version", lambda: "another")
    parse(tmp_path)
    assert parser.calls == 2
    old, new = sorted(entries(tmp_path), key=lambda path: path.parent.name == "another")
    capacity = 10 * new.stat().st_size
    for index in range(6):
        parse(tmp_path, TEXT + f"define g{index} = 1", capacity=capacity)
    assert old.exists()
    for index in range(6, 8):
        parse(tmp_path, TEXT + f"define g{index} = 1", capacity=capacity)
    assert not old.exists()
    assert new.exists()


def test_an_entry_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(source: str, target: str) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr("kleis.theory.parse_cache.os.replace", refuse)
    parse(tmp_path)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_one_loader_parses_a_text_once_even_without_a_directory(parser: Counting) -> None:
    loader = Loader(ImportSearch())
    assert loader.parse(TEXT, file="a") is loader.parse(TEXT, file="a")
    assert parser.calls == 1


def test_lone_surrogates_are_parsed_but_not_kept(tmp_path: Path) -> None:
    text = 'define s = "\ud800"'
    assert parse(tmp_path, text) == parse_source(text, file="a.kleis")
