"""The cases of tests/spec, and a registry with the tools of one case."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from pif.analysis.facts import closed
from pif.language.errors import nearest
from pif.language.host import Tool
from registry.tools.code_and_examples import read_code

__all__ = ["CASES", "RUNS", "Case", "Versions", "built"]

Case = dict[str, Any]

CASES: dict[str, Case] = {}
for _file in sorted((Path(__file__).parents[2] / "spec" / "cases").glob("*.json")):
    for _case in json.loads(_file.read_text(encoding="utf-8")):
        _label = f"{_case['section']}: {_case['name']}"
        assert _label not in CASES, _label
        CASES[_label] = _case
RUNS = [label for label, case in CASES.items() if "run" in case]


def built(data: Any) -> Any:
    """A case's data with its builders (`$text`, `$integer`, …) carried out."""
    if isinstance(data, list):
        return [built(item) for item in data]
    if not isinstance(data, dict):
        return data
    match data:
        case {"$text": [piece, times]}:
            return piece * times
        case {"$join": pieces}:
            return "".join(built(pieces))
        case {"$integer": [base, power, more]}:
            return base**power + more
        case {"$digits": [base, power, more]}:
            return str(base**power + more)
        case {"$sha256": text}:
            return "pif1:" + hashlib.sha256(b"pif1\n" + text.encode()).hexdigest()
        case {"$items": [times, item]}:
            return [built(item)] * times
        case {"$fields": [prefix, times, item]}:
            return {f"{prefix}{i}": built(item) for i in range(times)}
        case {"$nested": [times, shape, core]}:
            inner = built(core)
            for _ in range(times):
                inner = _filled(shape, inner)
            return inner
        case _:
            return {key: built(value) for key, value in data.items()}


def _filled(shape: Any, inner: Any) -> Any:
    if shape == "$hole":
        return inner
    if isinstance(shape, list):
        return [_filled(part, inner) for part in shape]
    if isinstance(shape, dict):
        return {key: _filled(part, inner) for key, part in shape.items()}
    return shape


class Versions:
    """A registry for one case: every version of every tool."""

    def __init__(self, versions: dict[str, list[Any]]) -> None:
        self.terms = {
            name: [closed(read_code(code, lambda word: None)) for code in codes]
            for name, codes in versions.items()
        }

    def tool(self, reference: str) -> Tool | None:
        name, _, digits = reference.partition("@")
        terms = self.terms.get(name)
        if terms is None or (digits and not digits.isdigit()):
            return None
        version = int(digits) if digits else len(terms)
        if not 1 <= version <= len(terms):
            return None
        return Tool(name, version, terms[version - 1], reference=reference)

    def nearest(self, name: str) -> str | None:
        return nearest(name, self.terms)
