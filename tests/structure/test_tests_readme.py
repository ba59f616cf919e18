"""Tests stand where tests/README.md says: in the folders of the product, or with their kind; what it names is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import LONGEST

ROOT = Path(__file__).resolve().parent.parent.parent
TESTS = ROOT / "tests"
README = (TESTS / "README.md").read_text()
NAMED = sorted(
    set(re.findall(r"`((?:pif|kleis|registry)\.[\w.]+|(?:pif|kleis|registry|tests|stdlib)/[\w./]*)`", README))
)
WITH_MODULES_OF_THEIR_OWN = {
    "support",
    "programs",
    "browser",
    "conformance",
    "lean",
    "fuzz",
    "guide",
    "structure",
}


def _directories() -> set[Path]:
    """The directories of tests that hold Python files, relative to `tests`."""
    return {path.parent.relative_to(TESTS) for path in TESTS.rglob("*.py")}


@pytest.mark.parametrize("name", NAMED)
def test_what_the_page_names_is_there(name: str) -> None:
    path = ROOT / (name if "/" in name else name.replace(".", "/"))
    assert path.exists() or path.with_suffix(".py").exists()


def test_every_kind_is_named() -> None:
    kinds = {f"tests/{path.parts[0]}/" for path in _directories() if path.parts}
    kinds |= {
        f"tests/{path}/" for path in _directories() if path.parts[:1] == ("support",) and path.parts[1:]
    }
    assert sorted(kinds - set(NAMED)) == []


def test_folders_are_those_of_the_product() -> None:
    folders = [
        path for path in _directories() if path.parts and path.parts[0] in ("pif", "kleis", "registry")
    ]
    assert [str(path) for path in sorted(folders) if not (ROOT / path / "__init__.py").is_file()] == []


def test_beside_tests_there_are_fixtures_only() -> None:
    found = (path.relative_to(TESTS) for path in TESTS.rglob("*.py") if path.name[:5] != "test_")
    others = [path for path in found if path.name not in ("__init__.py", "conftest.py")]
    assert [str(path) for path in others if path.parts[0] not in WITH_MODULES_OF_THEIR_OWN] == []


def test_directories_are_packages() -> None:
    """Without `__init__.py`, two tests of one name in two directories would be one module to pytest."""
    assert [
        str(path) for path in sorted(_directories()) if not (TESTS / path / "__init__.py").is_file()
    ] == []


@pytest.mark.parametrize("name", LONGEST)
def test_the_tests_that_run_first_are_there(name: str) -> None:
    path, _, function = name.partition("::")
    assert (ROOT / path).exists()
    assert not function or f"def {function}(" in (ROOT / path).read_text()
