"""What Lean is given to read: questions of documents and of the demo, and laws of tools."""

from __future__ import annotations

from pathlib import Path

from tests.lean.shown import shown_by_the_demo, shown_in
from tests.lean.texts import ROOT
from tests.lean.tool_laws import theories_of_laws

DOCUMENT = """
$ cat > bands.kleis <<'END'
> structure Band(B) { operation (⊗) : B × B → B }
> END
$ kleis verify --import bands.kleis '∀(x : B). x = x' --explain | head -1
$ kleis verify '∀(x : ℤ). x ≠ 42' --expect disproved
$ kleis verify --import other.kleis 'p(1)'
$ kleis verify --using Band '∀(x : B). x = x'
$ kleis verify '∀(x : ℤ). ('
```kleis
define one = 1
```
"""


def test_what_a_document_asks_stands_below_what_it_asks_about(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(DOCUMENT, encoding="utf-8")
    block, bands, rest = shown_in(path)
    assert block == "define one = 1\n"
    assert bands.startswith("structure Band(B)")
    assert bands.endswith('example "asked" {\n    assert(∀(x : B). x = x)\n}\n')
    assert rest == '\nexample "asked" {\n    assert(∀(x : ℤ). x ≠ 42)\n}\n'


def test_the_demo_has_a_theory_a_session_and_its_policy() -> None:
    first, second, policy = shown_by_the_demo()
    assert "structure Strange" not in first + second  # it was refused
    assert "assert(∀(x : W). x ⊙ u = x)" in first
    assert first.startswith("structure Symmetries(W) {")
    assert second.startswith("structure Symmetries(W) {")
    assert "assert(using Abelian " in second
    assert policy.startswith('import "stdlib/policies/coding_agent.kleis"\n')


def test_the_guide_asks_about_groups() -> None:
    groups = next(each for each in shown_in(ROOT / "GUIDE.md") if "structure Group" in each)
    assert "assert(∀(x : G). x • inv(x) = e)" in groups


def test_laws_of_tools_are_assertions_below_the_definitions() -> None:
    found = dict(theories_of_laws())
    assert {"numbers", "lists", "rounding"} <= set(found)
    assert "define clamp(" in found["numbers"]
    assert "assert(∀(n : ℤ). tool_sign(tool_sign(n)) = tool_sign(n))" in found["numbers"]
