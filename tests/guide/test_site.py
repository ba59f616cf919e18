"""The site before Sphinx builds it: every document has its place and its links, every part of the product its entry."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kleis.builtins.rows.table import BUILTINS
from pif.language.primitives import PRIMITIVES
from registry.server.serve import GROUPS
from tests.guide.site.generated import PAGES
from tests.guide.site.staging import ROOT, on_the_site, pages, staged, toctrees
from tests.guide.tables.serving import all_tools

NAMES = pages()


def headings(text: str) -> set[str]:
    return set(re.findall(r"^#+ (.*)$", text, re.MULTILINE))


def test_every_document_is_a_page_and_stands_in_the_contents() -> None:
    assert len(NAMES) == len(set(NAMES.values()))
    index = staged(ROOT / "docs" / "README.md", NAMES)
    decisions = [name for name in NAMES.values() if name.startswith("adr/") and name != "adr/index"]
    trees = toctrees(index, dict.fromkeys(PAGES, ""), decisions)
    listed = [line for line in trees.splitlines() if line and not line.startswith(("`", ":"))]
    assert sorted(listed) == sorted({*NAMES.values(), *PAGES} - {"index"})
    captions = re.findall(r":caption: (.*)", trees)
    assert captions[:3] == ["Start", "Tutorials", "How to"]


@pytest.mark.parametrize(
    ("link", "becomes"),
    [
        ("[a](reference/pif.md)", "[a](reference/pif.md)"),
        ("[a](../GUIDE.md#install)", "[a](guide.md#install)"),
        ("[a](#b)", "[a](#b)"),
        ("[a](https://example.com/x.md)", "[a](https://example.com/x.md)"),
        ("[`a`](../kleis/__init__.py) b", "`a` b"),
        ("`[a](../GUIDE.md)`", "`[a](../GUIDE.md)`"),
        ("```text\n[a](../GUIDE.md)\n```", "```text\n[a](../GUIDE.md)\n```"),
        ("```calls pif\n→ run\n```", "```text\n→ run\n```"),
        ("```json term\n{}\n```", "```json\n{}\n```"),
        ("<!-- table: x -->\n| a |\n", "| a |\n"),
    ],
)
def test_links_and_blocks_become_what_they_are_on_the_site(link: str, becomes: str) -> None:
    document = ROOT / "docs" / "page.md"
    assert on_the_site(link, document, {**NAMES, document: "page"}) == becomes


def test_links_of_the_pages_lead_to_pages() -> None:
    for path, name in NAMES.items():
        text = re.sub(r"^(```+)[^\n]*\n.*?^\1$", "", staged(path, NAMES), flags=re.DOTALL | re.MULTILINE)
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text)):
            if not re.match(r"[a-z]+:|#", target):
                found = (Path("/") / Path(name).parent / target.partition("#")[0]).resolve()
                assert str(found.with_suffix(""))[1:] in {*NAMES.values(), *PAGES}, f"{name}: {target}"


def test_pages_made_from_the_code_have_an_entry_for_each_part() -> None:
    made = {name.rpartition("/")[2]: page() for name, page in PAGES.items()}
    assert all(text.startswith("# ") for text in made.values())
    assert set(PRIMITIVES) <= headings(made["operations"])
    assert {each.name for each in BUILTINS} <= headings(made["built-ins"])
    tools = {each.name for group in all_tools().values() for each in group}
    assert len(tools) > 40
    assert {*tools, *(f"Group {each}" for each in GROUPS)} <= headings(made["mcp-tools"])
    assert {"pif evolve", "kleis verify", "kleis lsp", "kleis policy audit"} <= headings(made["commands"])
    assert {"kleis.verify", "kleis.Theory.models", "pif.run", "registry.open"} <= headings(made["functions"])
    assert "std.gcd" in headings(made["library-tools"])
    assert "structure" in made["grammar"]
    assert "division_by_zero" in made["errors"]
