"""Versions of packages are those that `importlib.metadata` tells."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from kleis.installed_versions import version_of, versions


@pytest.mark.parametrize("name", ["pif-kleis", "z3-solver", "msgspec", "click", "mcp"])
def test_a_version_is_the_stated_one(name: str) -> None:
    assert version_of(name) == versions()[name] == version(name)


def test_a_package_of_another_form_is_asked_of_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "of_eggs.egg-info"
    folder.mkdir()
    (folder / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: of-eggs\nVersion: 1.5\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path, str(tmp_path / "nowhere")])
    assert "of-eggs" not in versions()
    assert version_of("of-eggs") == "1.5"


def test_the_first_folder_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place, number in (("first", "1.0"), ("second", "2.0")):
        folder = tmp_path / place / f"some_thing-{number}.dist-info"
        folder.mkdir(parents=True)
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: some-thing\nVersion: {number}\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "first"), str(tmp_path / "second")])
    assert version_of("some-thing") == version("some-thing") == "1.0"


def test_what_is_not_installed_raises() -> None:
    with pytest.raises(PackageNotFoundError):
        version_of("no-such-package-of-anybody")
