"""Every string that names a module of ours, or something in one, names what is there.

Engines, groups, lazily imported names and what tests replace are named by strings, which no type checker sees.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
_ADDRESS = re.compile(r"(?:pif|kleis|registry|tests|benchmarks)(?:\.[A-Za-z_]\w*)+(?::[A-Za-z_]\w*)?")
_IMPORT_IN_TEXT = re.compile(
    r"^\s*(?:from|import) ((?:pif|kleis|registry|tests|benchmarks)(?:\.\w+)*)", re.MULTILINE
)
_FILES = (".md", ".toml")
"""Endings of file names that look like addresses."""
_MISSING = {"tests.support.provers.no_such_module:ENGINE"}
"""What a test wants to be missing."""


def _addresses(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text())
    constants = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    inner: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            inner |= {id(part) for part in node.values}
            text = "".join(
                str(part.value)
                if isinstance(part, ast.Constant)
                else constants.get(part.value.id, "?")
                if isinstance(part, ast.FormattedValue) and isinstance(part.value, ast.Name)
                else "?"
                for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner:
            text = node.value
        else:
            continue
        if _ADDRESS.fullmatch(text) and not text.endswith(_FILES) and text not in _MISSING:
            yield text
        yield from (found[1] for found in _IMPORT_IN_TEXT.finditer(text) if "\n" in text)


def _exists(address: str) -> bool:
    module, _, name = address.partition(":")
    words = module.split(".")
    if name:
        return find_spec(words[0]) is not None and _exists(f"{module}.{name}")
    for count in range(len(words), 0, -1):
        try:
            found = find_spec(".".join(words[:count]))
        except ModuleNotFoundError:
            continue
        if found is not None:
            thing: object = import_module(".".join(words[:count]))
            for each in words[count:]:
                thing = getattr(thing, each, None)
            return thing is not None
    return False


def _files(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("folder", ["kleis", "registry", "tests", "benchmarks"])
def test_addresses_name_what_is_there(folder: str) -> None:
    named = [(path, address) for path in _files(folder) for address in _addresses(path)]
    assert len(named) > 3, "the addresses are not seen"
    assert not [f"{path.relative_to(ROOT)}: {address}" for path, address in named if not _exists(address)]


@pytest.mark.parametrize(
    ("address", "is_there"),
    [
        ("pif." + "nothing", False),
        ("tests.structure.test_addresses" + ":nothing", False),
        ("tests.structure.test_addresses:ROOT", True),
        ("tests.structure.test_addresses.Path", True),
        ("tests.structure", True),
    ],
)
def test_what_is_missing_is_seen(address: str, is_there: bool) -> None:
    assert _exists(address) is is_there
