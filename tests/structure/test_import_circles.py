"""No circle of imports between modules, lazy imports and those for type checkers counted."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from kleis.strongly_connected import components

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGES = ("pif", "kleis", "registry")


def _modules() -> dict[str, str]:
    """The sources of the modules, by name."""
    found = {}
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            found[name] = path.read_text(encoding="utf-8")
    return found


def _imported(source: str, modules: dict[str, str]) -> Iterator[str]:
    """The modules that a module imports anywhere; of ``from package import module`` the module.

    No tree is kept: all together they are millions of objects, through which the collector of garbage looks each time.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for each in node.names:
                inner = f"{node.module}.{each.name}"
                yield inner if inner in modules else node.module


def _circles(modules: dict[str, str]) -> list[tuple[str, ...]]:
    edges = {name: {*_imported(source, modules)} - {name} for name, source in modules.items()}
    return [each for each in components(edges) if len(each) > 1]


def test_there_is_no_circle() -> None:
    assert _circles(_modules()) == []


def test_a_lazy_circle_is_found() -> None:
    first = "from p import second"
    second = "def late():\n    import p.first"
    assert _circles({"p": "", "p.first": first, "p.second": second}) == [("p.first", "p.second")]
