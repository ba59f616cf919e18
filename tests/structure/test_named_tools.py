"""Whatever a hint, a help text or a document calls `std.…` is a tool of the library, or begins the names of some."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from pif.language.warnings import Rounding
from registry.tools.library import Library
from tests.support.terms.hosted_evaluator import library_tools

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"\bstd\.([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(\.\*)?")
ANY_TOOL = "NAME"

LIBRARY: Library = library_tools().library


def names() -> Iterator[tuple[str, str, bool]]:
    """Where a tool is named, its name without `std.`, and whether `.*` stands behind."""
    sources = [*ROOT.glob("pif/**/*.py"), *ROOT.glob("registry/**/*.py"), *ROOT.glob("docs/**/*.md")]
    for path in [*sources, ROOT / "README.md", ROOT / "GUIDE.md"]:
        for found in NAMED.finditer(path.read_text(encoding="utf-8")):
            yield str(path.relative_to(ROOT)), found[1], bool(found[2])


def resolves(name: str, many: bool) -> bool:
    family = any(known.startswith(f"{name}.") for known in LIBRARY.entries)
    return family if many else family or name == ANY_TOOL or name in LIBRARY.entries


def test_every_tool_that_is_named_is_there() -> None:
    found = list(names())
    assert len(found) > 50
    assert not {(where, name) for where, name, many in found if not resolves(name, many)}
    assert not resolves("decimal.parsed", many=False)
    assert not resolves("decimals", many=True)


def test_the_warning_of_a_rounded_number_names_tools_that_keep_it() -> None:
    rounding = Rounding()
    rounding.note(19.99, 20, "/input", "input")
    (warning,) = rounding.warnings()
    named = {found[1] for found in NAMED.finditer(warning.hint)}
    assert {"decimal", "rational", "decimal.parse"} <= named
