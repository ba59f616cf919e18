"""The page on the Kleis language names every code of an error or warning that it specifies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from kleis import budget, builtins, evaluator
from kleis.theory import import_search, loader, theory
from kleis.theory.name_check import check_names, uses

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "reference" / "kleis.md"
MODULES = (
    budget, builtins, evaluator, import_search, loader, check_names, uses, uses,
    uses, theory,
)  # fmt: skip
_CODE = re.compile(r'\bcode="([a-z_-]+)"|report\.(?:error|warn)\(\s*\w+,\s*"([a-z-]+)"')


def sources(module: ModuleType) -> Iterator[Path]:
    """The files of a module, or of a package."""
    path = Path(str(module.__file__))
    yield from path.parent.rglob("*.py") if path.name == "__init__.py" else [path]


def test_every_code_is_in_the_page() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for module in MODULES for path in sources(module))
    codes = {first or second for first, second in _CODE.findall(text)}
    assert len(codes) > 40
    page = PAGE.read_text(encoding="utf-8")
    assert {code for code in codes if f"`{code}`" not in page} == set()
