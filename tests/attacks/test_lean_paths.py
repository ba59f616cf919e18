"""Attacks through the tools that take paths: files that must not be read or written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from registry.aristotle import allowed_folders as module
from registry.aristotle.allowed_folders import Folders, PathNotAllowed


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    (tmp_path / "secret.lean").write_text("secret")
    return tmp_path / "root"


def refused(call: object, *arguments: object) -> str:
    assert callable(call)
    with pytest.raises(PathNotAllowed) as caught:
        call(*arguments)
    assert "secret" not in caught.value.message
    return caught.value.code


@pytest.mark.parametrize(
    "name", ["../secret.lean", "/etc/passwd", "a/../../secret.lean", "", " ", "a\0b", "x" * 300, "x/" * 3_000]
)
def test_paths_that_lead_out(root: Path, name: str) -> None:
    folders = Folders([root])
    assert refused(folders.read, name) == "path_refused"
    assert refused(folders.output, name) == "path_refused"
    assert refused(folders.project, name) == "path_refused"


def test_a_tilde_is_a_name_like_any_other(root: Path) -> None:
    assert Folders([root]).real("~nobody/x.lean") == root.resolve() / "~nobody" / "x.lean"


def test_links_that_lead_out(root: Path) -> None:
    os.symlink(root.parent / "secret.lean", root / "link.lean")
    os.symlink(root.parent, root / "up")
    folders = Folders([root])
    for name in ("link.lean", "up/secret.lean", "up/new.lean"):
        assert refused(folders.read, name) == "path_refused"
        assert refused(folders.output, name) == "path_refused"


def test_without_roots_nothing_is_allowed(root: Path) -> None:
    (root / "a.lean").write_text("a")
    assert refused(Folders([]).read, str(root / "a.lean")) == "path_refused"


def test_paths_that_stay_inside(root: Path) -> None:
    (root / "d").mkdir()
    (root / "d" / "a.lean").write_text("text")
    os.symlink(root / "d", root / "alias")
    folders = Folders([root])
    for name in ("d/a.lean", "./d/../d/a.lean", "alias/a.lean", str(root / "d" / "a.lean")):
        assert folders.read(name) == (root.resolve() / "d" / "a.lean", "text")


def test_what_is_no_file(root: Path) -> None:
    (root / "d.lean").mkdir()
    os.mkfifo(root / "pipe.lean")
    (root / "bytes.lean").write_bytes(b"\xff\xfe")
    os.symlink(root / "loop.lean", root / "loop.lean")
    folders = Folders([root])
    for name in ("d.lean", "pipe.lean", "bytes.lean", "loop.lean"):
        assert refused(folders.read, name) == "not_a_file"
    assert refused(folders.read, "none.lean") == "not_found"


def test_a_file_that_becomes_a_link_while_it_is_opened(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = root / "a.lean"
    file.write_text("mine")
    opened = os.open

    def swap(path: object, *arguments: object, **more: object) -> int:
        if str(path) == str(file.resolve()) and not file.is_symlink():
            file.unlink()
            os.symlink(root.parent / "secret.lean", file)
        return opened(path, *arguments, **more)

    monkeypatch.setattr(module.os, "open", swap)
    assert refused(Folders([root]).read, "a.lean") == "not_a_file"


def test_a_folder_that_becomes_a_link_while_a_file_is_opened(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "d").mkdir()
    (root / "d" / "secret.lean").write_text("mine")
    real, opened = (root / "d" / "secret.lean").resolve(), os.open

    def swap(path: object, *arguments: object, **more: object) -> int:
        if str(path) == str(real) and not (root / "d").is_symlink():
            os.rename(root / "d", root / "old")
            os.symlink(root.parent, root / "d")
        return opened(path, *arguments, **more)

    monkeypatch.setattr(module.os, "open", swap)
    assert refused(Folders([root]).read, "d/secret.lean") == "path_refused"


def test_writing_never_replaces(root: Path) -> None:
    folders = Folders([root])
    target = folders.output("out.lean")
    assert folders.write_new(target, "one") == root.resolve() / "out.lean"
    assert folders.write_new(target, "two").name == "out.1.lean"
    assert folders.write_new(target, "three").name == "out.2.lean"
    assert (root / "out.lean").read_text() == "one"
    assert refused(folders.output, "out.lean") == "already_exists"
    assert refused(folders.output, "no/such/out.lean") == "not_found"
    os.symlink(root.parent / "secret.lean", root / "s.lean")
    assert folders.write_new(root / "s.lean", "x").name == "s.1.lean"
    assert (root.parent / "secret.lean").read_text() == "secret"
    assert not [path for path in root.iterdir() if path.name.startswith(".")]


def test_numbered_names_end(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_NUMBERS", 2)
    folders = Folders([root])
    for _ in range(3):
        folders.write_new(root / "o.lean", "x")
    assert refused(folders.write_new, root / "o.lean", "x") == "already_exists"


def test_a_folder_that_was_moved_away_before_writing(root: Path) -> None:
    (root / "d").mkdir()
    target = Folders([root]).output("d/out.lean")
    os.rmdir(root / "d")
    os.symlink(root.parent, root / "d")
    assert refused(Folders([root]).write_new, target, "x") == "path_refused"
    assert not (root.parent / "out.lean").exists()


def test_what_of_a_project_goes_along(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "lakefile.toml",
        "lean-toolchain",
        "A.lean",
        "B/C.lean",
        ".env",
        ".git/config",
        "notes.txt",
        ".lake/x.lean",
    ):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(name)
    os.symlink(root.parent / "secret.lean", root / "S.lean")
    os.symlink(root.parent, root / "D")
    found = Folders([root]).project("B/C.lean")
    assert found.name == "B/C.lean"
    assert set(found.files) == {"B/C.lean", "A.lean", "lakefile.toml", "lean-toolchain"}
    monkeypatch.setattr(module, "MOST_FILES", 2)
    assert Folders([root]).project("B/C.lean").left_out == 2
    (root.parent / "lakefile.toml").write_text("outside")
    (root / "lakefile.toml").unlink()
    assert Folders([root]).project("B/C.lean").name == "C.lean", (
        "a project is not looked for outside of the roots"
    )
