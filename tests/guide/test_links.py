"""Every relative link in the documents leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
DOCUMENTS = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("tests/*.md"), *ROOT.glob("stdlib/**/*.md")]
)
_LINK = re.compile(r"\[[^\]]*\]\((?!https?:|mailto:)([^)\s]*)\)")
_FILE = re.compile(r"`((?:pif|kleis|registry|tests|benchmarks|docs|stdlib)/[\w./-]*)`")


def anchors(document: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links(document: Path) -> None:
    text = document.read_text()
    for link in _LINK.findall(text):
        name, _, anchor = link.partition("#")
        target = (document.parent / name) if name else document
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target), link


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_that_are_named(document: Path) -> None:
    for name in _FILE.findall(document.read_text()):
        assert (ROOT / name).exists(), name
