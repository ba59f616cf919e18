"""Every relative link in the documents leads somewhere, and the contents list of docs/ names every page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
DOCUMENTS = sorted(
    [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("tests/**/*.md"),
        *ROOT.glob("stdlib/**/*.md"),
    ]
)
_FENCED = re.compile(r"^(```+)[^\n]*\n.*?^\1$", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"\[[^\]]*\]\((?!https?:|mailto:)([^)\s]*)\)")
_FILE = re.compile(r"`((?:pif|kleis|registry|tests|benchmarks|docs|stdlib)/[\w./-]*)`")


def prose(document: Path) -> str:
    """A document without its blocks: what stands in them are no headings and no links."""
    return _FENCED.sub("", document.read_text())


def links(document: Path) -> list[str]:
    """The targets of a document's links to other documents or places in them."""
    return _LINK.findall(_CODE.sub("", prose(document)))


def anchors(document: Path) -> set[str]:
    """The anchors that headings get, the second of one name with `-1` behind it."""
    found: dict[str, int] = {}
    for heading in re.findall(r"^#+ (.*)$", prose(document), re.MULTILINE):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w -]", "", shown).strip().lower().replace(" ", "-")
        found[name] = found.get(name, 0) + 1
    return {name if n == 0 else f"{name}-{n}" for name, count in found.items() for n in range(count)}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links(document: Path) -> None:
    for link in links(document):
        name, _, anchor = link.partition("#")
        target = (document.parent / name) if name else document
        assert target.exists(), link
        assert ROOT in target.resolve().parents, link
        if anchor:
            assert anchor in anchors(target), link


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_that_are_named(document: Path) -> None:
    for name in _FILE.findall(document.read_text()):
        assert (ROOT / name).exists(), name


def test_the_contents_list_names_every_page() -> None:
    contents = ROOT / "docs" / "README.md"
    listed = {(contents.parent / link.partition("#")[0]).resolve() for link in links(contents)}
    pages = {path for path in contents.parent.glob("**/*.md") if path.parent.name != "adr"} - {contents}
    assert pages | {ROOT / "GUIDE.md", contents.parent / "adr" / "README.md"} <= listed


def test_the_guide_is_short() -> None:
    assert (ROOT / "GUIDE.md").stat().st_size <= 40_000
