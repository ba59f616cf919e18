"""Example blocks in the style of public programs, below `blocks/`, a folder for each cause of failure and each family.

Every block passes, but those under a line ``// refused: name: reason``: they do not pass, and the report says the
reason. Nothing is unknown, and nothing passes that asserts nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kleis.budget import deep
from kleis.theory.import_search import search_from
from kleis.theory.loader import Loader
from registry.cli.kleis.files.open_assertions import ProverPool
from registry.cli.kleis.files.test import Block, decide_file, run_file
from registry.cli.kleis.shared.patience import PATIENT

BLOCKS = Path(__file__).parent / "blocks"
FILES = sorted(BLOCKS.rglob("*.kleis"))
REFUSED = re.compile(r"^// refused: (.+): (.+)\nexample \"(.+?)\"", re.MULTILINE)


@pytest.fixture(scope="module")
def pool() -> Iterator[ProverPool]:
    with PATIENT.waiting(live=False, slots=1) as waiting, ProverPool(1, waiting, fresh=True) as provers:
        yield provers


def test_there_are_enough_blocks() -> None:
    assert sum(len(re.findall(r"^example ", file.read_text(), re.MULTILINE)) for file in FILES) >= 250
    assert all(file.parent.parent == BLOCKS for file in FILES)


def has_room_for_chains() -> bool:
    """Whether Python calls through C as deep as a chain of 1,250 operands needs: early releases of 3.12 do not."""

    def descend(levels: int) -> bool:
        return levels == 0 or any(descend(levels - 1) for _ in "x")

    try:
        with deep():
            return descend(2_000)
    except RecursionError:
        return False


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_blocks(file: Path, pool: ProverPool) -> None:
    if file.parent.name == "chains" and not has_room_for_chains():
        pytest.skip("this Python has no room for chains of 1,250 operands")
    found = REFUSED.findall(file.read_text(encoding="utf-8"))
    assert all(named == below for named, _, below in found), "a refusal names the block below it"
    refused = {name: reason for name, reason, _ in found}
    report = decide_file(pool, run_file(Loader(search_from({})), str(file)))()
    assert not report.parse
    assert not report.errors
    assert report.blocks
    for block in report.blocks:
        if block.name in refused:
            assert not block.passed, block
            assert refused[block.name] in said(block), block
        else:
            assert block.passed, block
            assert block.assertions, block
    assert set(refused) <= {block.name for block in report.blocks}


def said(block: Block) -> str:
    """All that the report says of a block."""
    return " ".join((block.error or "", *(each.detail for each in block.assertions)))
