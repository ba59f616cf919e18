"""The docstring of each folder is a map of it: every module and sub-folder with what it holds, and nothing else."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
_LINE = re.compile(r"^- `(\w+/?)`: \S", re.MULTILINE)
FOLDERS = sorted(
    path.parent for package in ("pif", "kleis", "registry") for path in (ROOT / package).rglob("__init__.py")
)


def _name(folder: Path) -> str:
    return str(folder.relative_to(ROOT))


@pytest.mark.parametrize("folder", FOLDERS, ids=_name)
def test_the_docstring_names_exactly_what_is_there(folder: Path) -> None:
    docstring = ast.get_docstring(ast.parse((folder / "__init__.py").read_text())) or ""
    modules = [path.stem for path in folder.glob("*.py") if path.stem not in ("__init__", "__main__")]
    folders = [f"{path.parent.name}/" for path in folder.glob("*/__init__.py")]
    assert sorted(_LINE.findall(docstring)) == sorted(modules + folders)


def test_every_folder_with_modules_is_a_package() -> None:
    below = {
        path.parent for package in ("pif", "kleis", "registry") for path in (ROOT / package).rglob("*.py")
    }
    assert [_name(folder) for folder in sorted(below - set(FOLDERS))] == []
