"""The shared data beside the project, for tests that compare with recorded behaviour; they skip where it is missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data"

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data is not beside the project")


def shared_rows(name: str) -> list[Any]:
    """The rows of a JSON or JSON-lines file of the shared data; none where it is missing."""
    path = SHARED / name
    if not path.is_file():
        return []
    text = path.read_text()
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.splitlines()]
    rows = json.loads(text)
    assert isinstance(rows, list)
    return rows
