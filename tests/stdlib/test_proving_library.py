"""Making the certificates of a library: all of them or none, and nothing left of laws that are gone."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import msgspec
import pytest

from registry.laws.prove_library import NotProved, make_certificates
from registry.tools.code_and_examples import verified
from registry.tools.library import CERTIFICATES, Library

X = {"var": "x"}
TWICE = {"lam": "x", "body": {"add": [X, X]}}


def write(directory: Path, *laws: str) -> None:
    """A library of the tool `twice` with these laws, and of another that has none."""
    told: dict[str, Any] = {"type": "integer → integer", "cost": {}, "examples": []}
    tools = [
        {"name": "twice", "description": "Twice a number", "code": TWICE, "laws": laws, **told},
        {"name": "same", "description": "A number", "code": {"lam": "x", "body": X}, **told},
    ]
    (directory / "small.json").write_bytes(msgspec.json.encode(tools))


def files(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (directory / CERTIFICATES).iterdir()}


def test_files_are_made_for_tools_with_laws_and_go_with_them(tmp_path: Path) -> None:
    write(tmp_path, "∀(x : ℤ). twice(x) = 2 * x", "safe(twice)")
    (tmp_path / CERTIFICATES).mkdir()
    (tmp_path / CERTIFICATES / "gone.json").write_text("{}")
    said = io.StringIO()
    assert make_certificates(tmp_path, said) == 2
    assert "2 laws of 1 tools proved" in said.getvalue()
    made = files(tmp_path)
    assert set(made) == {"twice.json"}
    library = Library(verified, tmp_path)
    record = library.record("std.twice")
    assert record is not None
    assert [law.status for law in library.laws(record)] == ["proved", "proved"]
    assert make_certificates(tmp_path, io.StringIO()) == 2
    assert files(tmp_path) == made, "made again, they are the same"


def test_nothing_is_written_where_a_law_is_not_proved(tmp_path: Path) -> None:
    write(tmp_path, "∀(x : ℤ). twice(x) = 2 * x")
    make_certificates(tmp_path, io.StringIO())
    before = files(tmp_path)
    write(tmp_path, "∀(x : ℤ). twice(x) = 2 * x", "∀(x : ℤ). twice(x) > x")
    with pytest.raises(NotProved, match=r"std\.twice: .* is refuted"):
        make_certificates(tmp_path, io.StringIO())
    assert files(tmp_path) == before
