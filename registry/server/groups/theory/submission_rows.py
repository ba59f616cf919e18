"""Submissions as `list_session` shows them: a row each, as fields and as a line."""

from __future__ import annotations

from typing import Any

from kleis.sessions.files.record import Item
from registry.server.groups.theory.text import warning_text

__all__ = ["PREVIEW", "cut", "item_fields", "item_line"]

PREVIEW = 200
"""Characters of a text where it is not the point."""


def item_fields(number: int, item: Item) -> dict[str, Any]:
    """One submission as `list_session` shows it."""
    fields: dict[str, Any] = {"warnings": [each.as_dict() for each in item.warnings]} if item.warnings else {}
    fields |= {"number": number, "kind": item.kind, "status": item.status, "kleis": cut(item.text)}
    for name in ("structures", "functions", "data_types"):
        if getattr(item, name):
            fields[name] = list(getattr(item, name))
    return fields


def cut(text: str) -> str:
    return text if len(text) <= PREVIEW else text[: PREVIEW - 1] + "…"


def item_line(row: dict[str, Any]) -> str:
    text = " ".join(row["kleis"].split())
    warnings = "".join(f"\n   warning: {warning_text(each)}" for each in row.get("warnings", ()))
    return f"{row['number']}. {row['kind']} [{row['status']}] {text}{warnings}"
