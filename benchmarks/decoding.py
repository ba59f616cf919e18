"""Decoding and validating a term of 10,000 nodes against `json.loads` of the same text."""

from __future__ import annotations

import json
from typing import Any

from benchmarks.timing import alternating
from pif.language.decode import decode_text
from pif.language.terms import identity

__all__ = ["LIMIT", "measure"]

LIMIT = 8.0


def _tree(leaves: int) -> Any:
    return 1 if leaves == 1 else {"add": [_tree(leaves // 2), _tree(leaves - leaves // 2)]}


def measure() -> dict[str, float]:
    """Ratios to `json.loads`: decoding, and making the canonical text and its hash."""
    text = json.dumps(_tree(5_000))
    term = decode_text(text)
    assert term.nodes == 9_999
    times = alternating(
        {
            "loads": lambda: json.loads(text),
            "decode": lambda: decode_text(text),
            "hash": lambda: identity(term),
        }
    )
    return {"decode": times["decode"] / times["loads"], "hash": times["hash"] / times["loads"]}
