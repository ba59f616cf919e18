"""Hostile paths: only regular Kleis files are opened, and a confined search stays inside its directories."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleis.errors import LoadError
from kleis.theory.import_search import MAXIMUM_FILE_SIZE, ImportSearch, read_text
from kleis.theory.loader import Loader


def quoted(path: str) -> str:
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'


def codes(search: ImportSearch, directory: Path, path: str) -> list[str]:
    loading = Loader(search).load_text(f"import {quoted(path)}", directory=directory)
    return [error.code for error in loading.errors]


@pytest.fixture
def inside(tmp_path: Path) -> Path:
    directory = tmp_path / "inside"
    directory.mkdir()
    (directory / "kleis.toml").touch()
    (tmp_path / "secret.kleis").write_text("define secret = 1")
    (tmp_path / "secret.txt").write_text("root:x:0:0")
    return directory


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "../secret.txt", "/dev/zero", "/proc/self/environ", "/dev/stdin", "."],
)
def test_only_kleis_files_are_imported(inside: Path, path: str) -> None:
    assert codes(ImportSearch(), inside, path)[0] in ("import-refused", "import-missing")


def test_a_link_to_another_kind_of_file_is_refused(inside: Path) -> None:
    (inside / "innocent.kleis").symlink_to("/etc/passwd")
    assert codes(ImportSearch(), inside, "innocent.kleis") == ["import-refused"]


def test_a_pipe_is_refused_without_being_opened(inside: Path) -> None:
    os.mkfifo(inside / "pipe.kleis")
    assert codes(ImportSearch(), inside, "pipe.kleis") == ["import-refused"]
    with pytest.raises(LoadError, match="not a regular file"):
        read_text(inside / "pipe.kleis", shown="pipe.kleis")


def test_a_directory_and_a_circle_of_links_are_missing(inside: Path) -> None:
    (inside / "folder.kleis").mkdir()
    (inside / "a.kleis").symlink_to(inside / "b.kleis")
    (inside / "b.kleis").symlink_to(inside / "a.kleis")
    assert codes(ImportSearch(), inside, "folder.kleis") == ["import-missing"]
    assert codes(ImportSearch(), inside, "a.kleis") == ["import-missing"]


@pytest.mark.parametrize("path", ["", "  ", "a\0b", "http://example.com/x.kleis", "x" * 5000, "a\nb"])
def test_paths_that_are_none(inside: Path, path: str) -> None:
    assert codes(ImportSearch(), inside, path) == ["import-refused"]


def test_a_name_longer_than_any_file_has(inside: Path) -> None:
    assert codes(ImportSearch(), inside, "x" * 3000) == ["import-missing"]


@pytest.mark.parametrize("path", ["../secret.kleis", "link.kleis", "linked/secret.kleis"])
def test_a_confined_search_stays_inside(inside: Path, path: str) -> None:
    (inside / "link.kleis").symlink_to(inside.parent / "secret.kleis")
    (inside / "linked").symlink_to(inside.parent)
    assert codes(ImportSearch(), inside, path) == []
    assert codes(ImportSearch(confined_to=(inside,)), inside, path) == ["import-refused"]


def test_a_confined_search_refuses_absolute_paths_outside(inside: Path) -> None:
    outside = str(inside.parent / "secret.kleis")
    assert codes(ImportSearch(confined_to=(inside,)), inside, outside) == ["import-refused"]


def test_a_neighbour_whose_name_begins_alike_is_outside(inside: Path) -> None:
    neighbour = inside.parent / "inside2"
    neighbour.mkdir()
    (neighbour / "x.kleis").write_text("")
    assert codes(ImportSearch(confined_to=(inside,)), inside, "../inside2/x.kleis") == ["import-refused"]


def test_dots_never_lead_out_of_the_search_path(inside: Path) -> None:
    library = inside / "library"
    library.mkdir()
    elsewhere = inside / "elsewhere"
    elsewhere.mkdir()
    (inside / "hidden.kleis").write_text("")
    (inside / "kleis.toml").unlink()
    search = ImportSearch(path=(library,), library=library)
    assert codes(search, elsewhere / "deep", "stdlib/../../hidden.kleis") == ["import-missing"]
    assert codes(search, elsewhere / "deep" / "er", "../hidden.kleis") == ["import-missing"]


def test_a_file_that_is_too_long(inside: Path) -> None:
    with open(inside / "long.kleis", "wb") as file:
        file.truncate(MAXIMUM_FILE_SIZE + 1)
    assert codes(ImportSearch(), inside, "long") == ["file-refused"]


def test_bytes_that_are_no_utf8(inside: Path) -> None:
    (inside / "latin.kleis").write_bytes("define x = 1\n  // caf\xe9".encode("latin-1"))
    with pytest.raises(LoadError) as caught:
        read_text(inside / "latin.kleis", shown="latin.kleis")
    assert (caught.value.code, caught.value.line, caught.value.column) == ("file-encoding", 2, 9)


def test_a_byte_order_mark_is_no_text(inside: Path) -> None:
    (inside / "marked.kleis").write_bytes(b"\xef\xbb\xbfdefine x = 1")
    assert read_text(inside / "marked.kleis", shown="marked") == "define x = 1"


@given(st.text(max_size=60))
def test_no_path_raises_anything_but_a_load_error(path: str) -> None:
    search = ImportSearch(path=(Path("/nowhere"),), library=Path("/nowhere/else"))
    with pytest.raises(LoadError) as caught:
        search.find(path, Path("/nowhere/at/all"))
    assert caught.value.code in ("import-missing", "import-refused")
