"""Every test that needs a package of an extra is one that `make check-extras` runs."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]

_NEEDS = re.compile(
    r"needs_numeric\b|importorskip\(\s*\"(?:numpy|scipy|matplotlib|flint|typst|ipykernel|jupyter_client|IPython|pygls|sphinx)\"|find_spec\(\"(?:numpy|typst)\"\)"
)


def test_tests_of_extras_are_run() -> None:
    listed = re.search(r"^EXTRAS_TESTS := ((?:.*\\\n)*.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert listed is not None
    places = [ROOT / each for each in listed[1].replace("\\\n", " ").split()]
    assert [str(each) for each in places if not each.exists()] == []
    needing = [
        path
        for path in (ROOT / "tests").rglob("test_*.py")
        if path != Path(__file__) and _NEEDS.search(path.read_text(encoding="utf-8"))
    ]
    assert len(needing) > 5
    missed = [
        str(path.relative_to(ROOT))
        for path in needing
        if not any(path == place or place in path.parents for place in places)
    ]
    assert missed == []
