"""The fields of answers of the group `documents`."""

from __future__ import annotations

from typing import Any, TypedDict

__all__ = ["DocumentAnswer", "PlotAnswer"]


class PlotAnswer(TypedDict):
    """A picture that was drawn: what it shows, and the address of its SVG."""

    status: str
    session: str
    picture: dict[str, Any]
    uri: str


class DocumentAnswer(TypedDict):
    """A paper: its address and SHA-256, the verdicts and pictures in it, and what Typst warns of."""

    status: str
    session: str
    form: str
    uri: str
    bytes: int
    sha256: str
    verdicts: list[dict[str, Any]]
    pictures: list[dict[str, Any]]
    notes: list[str]
