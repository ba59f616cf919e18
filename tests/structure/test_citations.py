"""What comments, docstrings and documents cite is in the repository: pages, their numbered sections, files, modules."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
_PAGE = re.compile(
    r"(?<![\w/.-])((?:[\w.-]+/)*[\w-]+\.md)\b((?:,?(?: and)?\s+§\d+(?:\.\d+)*(?:–§?\d+(?:\.\d+)*)?)*)"
)
_SECTION = re.compile(r"\d+(?:\.\d+)*")
_HEADING = re.compile(r"^#{2,4} (\d+(?:\.\d+)*)\.? ", re.MULTILINE)
_FILE = re.compile(
    r"(?<![\w/.-])((?:pif|kleis|registry|tests|benchmarks)/[\w/-]+\.(?:py|lark|json|toml|kleis))\b"
)
_MODULE = re.compile(
    r"`((?:pif|kleis|registry|tests|benchmarks)(?!\.toml`)(?:\.[a-z_]\w*)+)(?:\.[A-Z]\w*)?(?::\w+)?`"
)
_ISSUE = re.compile(r"\b[Ii]ssues? \d")
_DECISION = re.compile(r"\bADRs? (\d+)")
_CODE = sorted(
    path
    for folder in ("pif", "kleis", "registry", "tests", "benchmarks")
    for path in (ROOT / folder).rglob("*.py")
)
_DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "tests").rglob("*.md")])
_HISTORY = {"CHANGELOG.md"}


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def _headings(page: Path) -> frozenset[str]:
    return frozenset(_HEADING.findall(page.read_text()))


def _prose(path: Path) -> Iterator[tuple[int, str]]:
    """The docstrings and comments of a module, each with its line; comments on following lines are one text."""
    text = path.read_text()
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield node.lineno, node.value.value
    begin, last, lines = 0, -2, list[str]()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT:
            continue
        if token.start[0] != last + 1 and lines:
            yield begin, "\n".join(lines)
            lines = []
        begin = token.start[0] if not lines else begin
        last = token.start[0]
        lines.append(token.string.lstrip("# "))
    if lines:
        yield begin, "\n".join(lines)


def _unresolved(text: str, place: Path) -> Iterator[str]:
    """What a text cites that is not there."""
    for found in _PAGE.finditer(text):
        page = next((base / found[1] for base in (ROOT, place.parent) if (base / found[1]).is_file()), None)
        if page is None:
            yield found[1]
            continue
        for number in _SECTION.findall(found[2]):
            if number not in _headings(page):
                yield f"{found[1]} §{number}"
    if place.suffix == ".py":
        yield from (f"{found} without a page" for found in re.findall(r"§\d[\d.]*", _PAGE.sub("", text)))
    yield from (found for found in _FILE.findall(text) if not (ROOT / found).is_file())
    yield from (found for found in _MODULE.findall(text) if not _is_there(found))
    yield from (f"{found}…" for found in _ISSUE.findall(text))
    yield from (
        f"ADR {number}"
        for number in _DECISION.findall(text)
        if not list(ROOT.glob(f"docs/adr/{int(number):03}-*"))
    )


@cache
def _is_there(address: str) -> bool:
    """Whether a dotted name is a module, or something in one."""
    if _is_module(address):
        return True
    module, _, name = address.rpartition(".")
    return _is_module(module) and hasattr(import_module(module), name)


def _is_module(address: str) -> bool:
    try:
        return find_spec(address) is not None
    except ModuleNotFoundError:  # what stands before the last dot is no package
        return False


@pytest.mark.parametrize("folder", ["pif", "kleis", "registry", "tests", "benchmarks"])
def test_code_cites_what_is_there(folder: str) -> None:
    wrong = [
        f"{_name(path)}:{line}: {each}"
        for path in _CODE
        if path.relative_to(ROOT).parts[0] == folder
        for line, text in _prose(path)
        for each in _unresolved(text, path)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("document", [each for each in _DOCUMENTS if each.name not in _HISTORY], ids=_name)
def test_documents_cite_what_is_there(document: Path) -> None:
    assert not list(_unresolved(document.read_text(), document))


@pytest.mark.parametrize(
    "text",
    [
        "no-such-page.md",
        "docs/reference/kleis.md §99.1",
        "docs/reference/kleis.md §1, §99",
        "§1",
        "kleis/no_such_module.py",
        "`kleis.no_such_module`",
        "`kleis.errors.no_such_name`",
        "issue 3",
        "ADR 999",
    ],
)
def test_what_is_missing_is_seen(text: str) -> None:
    assert list(_unresolved(text, Path(__file__)))


def test_what_is_there_is_found() -> None:
    text = "docs/reference/kleis.md §1, §1.1; README.md, kleis/errors.py, `kleis.errors.KleisError`, "
    text += "`kleis.errors`, `pif.run.evaluate.run`, ADR 12"
    assert not list(_unresolved(text, Path(__file__)))
