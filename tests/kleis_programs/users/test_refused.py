"""Programs that must be refused: `// expect-error LINE: words` says where an error is, and some of its words.

Every error must be expected, and every expected error must come.  The files end in `.kleis.refused`, so that `kleis test` over this directory reads programs only.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from kleis.theory.import_search import search_from
from kleis.theory.loader import Loader
from registry.cli.kleis.files.test import run_file

REFUSED = sorted(Path(__file__).resolve().parent.rglob("*.kleis.refused"))
EXPECTATION = re.compile(r"^// expect-error (\d+): (.+)$", re.MULTILINE)


@pytest.mark.parametrize("path", REFUSED, ids=lambda path: path.name.removesuffix(".kleis.refused"))
def test_every_error_is_expected_and_comes(path: Path, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    program = tmp_path / "refused.kleis"
    program.write_text(text, encoding="utf-8")
    report = run_file(Loader(search_from(os.environ)), str(program))
    found = sorted((error.line, f"{error} {error.hint}") for error in (*report.parse, *report.errors))
    expected = sorted((int(line), words) for line, words in EXPECTATION.findall(text))
    assert [line for line, _ in found] == [line for line, _ in expected]
    unsaid = [words for _, words in expected if not any(words in message for _, message in found)]
    assert unsaid == []
    assert not any(block.passed for block in report.blocks)


def test_there_are_programs_to_refuse() -> None:
    assert len(REFUSED) >= 7
