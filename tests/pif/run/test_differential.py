"""Behaviour recorded from the original program, wherever the specification does not differ on purpose."""

from __future__ import annotations

from typing import Any

import pytest

from pif.language.errors import PifError
from pif.language.terms import code_text
from tests.support.files.shared_data import needs_shared, shared_rows
from tests.support.terms.tool_dictionary import answer

ROWS = shared_rows("pif-differential.jsonl")


def normalised(data: Any) -> Any:
    """Quoted terms in the one form that both programs' answers are compared in."""
    if isinstance(data, list):
        return [normalised(item) for item in data]
    if not isinstance(data, dict):
        return data
    data = {key: normalised(item) for key, item in data.items()}
    match data:
        case {"nil": _} if len(data) == 1:
            return []
        case {"self": _} if len(data) == 1:
            return {"self": True}
        case {"cons": {"head": head, "tail": list(tail)}} if len(data) == 1:
            return [head, *tail]
        case _:
            return data


@needs_shared
def test_the_rows_are_there() -> None:
    assert len(ROWS) == 529


@pytest.mark.parametrize("row", ROWS, ids=[f"{i}-{row['group']}" for i, row in enumerate(ROWS)])
def test_recorded_run(row: dict[str, Any]) -> None:
    tools = {tool["name"]: tool["code"] for tool in row.get("evolve", [])}
    expected = row["expect"]
    try:
        found = answer(row["code"], row["input"], tools=tools)
    except PifError as refused:  # by `evolve`, which finds here what the original finds when it runs
        found = {"type": "error", "error": refused.as_json()}
    if "error" in expected:
        assert found["type"] == "error", found
        assert found["error"]["kind"] == expected["error"]
    else:
        assert found["type"] == "value", found
        assert code_text(normalised(found["value"])) == code_text(normalised(expected["value"]))
