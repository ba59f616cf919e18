"""The history of a prompt: private, bounded, and no more than what was typed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from registry.cli.terminal.prompt.history import LONGEST, MOST, FileHistory


def entries(path: Path) -> list[str]:
    """What a new prompt would offer, first one first."""
    return [*FileHistory(path).load_history_strings()][::-1]


def test_what_was_typed_is_there_again(tmp_path: Path) -> None:
    path = tmp_path / "history" / "kleis"
    history = FileHistory(path)
    for each in ("1 + 1", "define f(x) =\n  x", "∀", "∀", " secret", "", "  \n", "x" * (LONGEST + 1)):
        history.store_string(each)

    assert entries(path) == ["1 + 1", "define f(x) =\n  x", "∀"]
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_it_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "kleis"
    path.write_text("".join(f'"{number}"\n' for number in range(2 * MOST)))
    FileHistory(path).store_string("last")
    assert entries(path) == [*(str(number) for number in range(MOST + 1, 2 * MOST)), "last"]


def test_two_prompts_lose_nothing_of_each_other(tmp_path: Path) -> None:
    path = tmp_path / "kleis"
    one, other = FileHistory(path), FileHistory(path)
    one.store_string("a")
    other.store_string("b")
    one.store_string("c")
    assert entries(path) == ["a", "b", "c"]


@pytest.mark.parametrize("content", [b"\xff\xfe\n", b"{\n[1]\n3\n", b"", b'"fine"\n\x00\x00', b'"a'])
def test_a_damaged_file_is_no_failure(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "kleis"
    path.write_bytes(content)
    assert set(entries(path)) <= {"fine"}
    FileHistory(path).store_string("next")
    assert "next" in entries(path) or not content.endswith(b"\n")


def test_no_link_is_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text('"other"\n')
    (tmp_path / "kleis").symlink_to(target)
    history = FileHistory(tmp_path / "kleis")
    history.store_string("mine")
    assert entries(tmp_path / "kleis") == []
    assert target.read_text() == '"other"\n'


def test_a_home_that_cannot_be_written_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    history = FileHistory(tmp_path / "file" / "kleis")
    history.store_string("mine")
    assert entries(tmp_path / "file" / "kleis") == []
    assert os.listdir(tmp_path) == ["file"]
