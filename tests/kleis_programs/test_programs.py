"""Every program of the library and of this directory: it reads, its names are known, and nothing in it fails.

A block that exact evaluation cannot decide needs the prover; it must then say so, and be nothing worse.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from kleis.theory.import_search import search_from
from kleis.theory.loader import Loader
from registry.cli.kleis.files.check import check_file
from registry.cli.kleis.files.test import run_file

ROOT = Path(__file__).resolve().parent.parent.parent
LIBRARY = sorted((ROOT / "stdlib" / "kleis").rglob("*.kleis"))
HERE = Path(__file__).resolve().parent
WRONG = sorted((HERE.parent / "kleis_errors").rglob("*.kleis"))
PROGRAMS = sorted(set(HERE.rglob("*.kleis")) - set(WRONG))

_EXPECTED = re.compile(r"// expect-error (\d+): (.+)")


def identifier(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.fixture(scope="module")
def loader() -> Loader:
    return Loader(search_from(os.environ))


@pytest.mark.parametrize("path", [*LIBRARY, *PROGRAMS], ids=identifier)
def test_no_block_fails(loader: Loader, path: Path) -> None:
    report = run_file(loader, str(path))
    assert [str(error) for error in (*report.parse, *report.errors)] == []
    failed = [
        (block.name, block.error, [each for each in block.assertions if each.status != "passed"])
        for block in report.blocks
        if not block.passed and not block.undecided
    ]
    assert failed == []


@pytest.mark.parametrize("path", LIBRARY, ids=identifier)
def test_the_library_has_no_problem_that_is_an_error(loader: Loader, path: Path) -> None:
    report = check_file(loader, str(path))
    assert [each.as_dict() for each in report.problems if each.as_dict()["severity"] == "error"] == []


@pytest.mark.parametrize("path", LIBRARY, ids=identifier)
def test_every_module_of_the_library_has_examples(loader: Loader, path: Path) -> None:
    assert run_file(loader, str(path)).blocks


def test_there_are_programs_to_run() -> None:
    assert len(PROGRAMS) >= 150
    assert len(LIBRARY) >= 5


@pytest.mark.parametrize("path", WRONG, ids=identifier)
def test_a_wrong_program_gives_its_errors_and_no_others(loader: Loader, path: Path) -> None:
    """Its header says which: ``// expect-error LINE: words`` that the message or the hint contains."""
    expected = [(int(line), words) for line, words in _EXPECTED.findall(path.read_text(encoding="utf-8"))]
    assert expected
    report = check_file(loader, str(path))
    given = [each.as_dict() for each in (*report.parse, *report.errors, *report.problems)]
    errors = [each for each in given if each.get("severity", "error") == "error"]
    found = [(each["line"], f"{each['message']} {each['hint']}") for each in errors]
    missing = [
        (line, words)
        for line, words in expected
        if not any(place == line and words in text for place, text in found)
    ]
    surplus = [
        (place, text)
        for place, text in found
        if not any(place == line and words in text for line, words in expected)
    ]
    assert (missing, surplus) == ([], [])
