"""A picture: its series, axes and options, as JSON values.  This is what tests compare, and what is drawn."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

__all__ = ["Picture", "SecondAxis", "Series"]


class Series(msgspec.Struct, frozen=True, omit_defaults=True):
    """One element.

    kind
        The element's name: ``plot``, ``bar``, ….
    data
        Its rows of numbers: xs and ys; x and y of a text; the rows of a matrix; the samples of boxes.
    text
        What `place` writes.
    """

    kind: str
    data: tuple[tuple[float, ...], ...]
    text: str = ""
    options: dict[str, Any] = {}


class SecondAxis(msgspec.Struct, frozen=True, omit_defaults=True):
    """A second scale, ``x`` or ``y``, with the series that are drawn on it."""

    direction: str
    series: tuple[Series, ...] = ()
    options: dict[str, Any] = {}


class Picture(msgspec.Struct, frozen=True, omit_defaults=True):
    """A whole picture; equal data have equal names, on every machine."""

    series: tuple[Series, ...]
    axes: tuple[SecondAxis, ...] = ()
    options: dict[str, Any] = {}

    @property
    def name(self) -> str:
        """The stem of the file that it is drawn to: ``plot-`` and 16 digits of its hash."""
        encoded = msgspec.json.encode(self, order="deterministic")
        return f"plot-{hashlib.sha256(encoded).hexdigest()[:16]}"

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in centimetres."""
        width = float(self.options.get("width", 12.0))
        return width, float(self.options.get("height", min(width * 2 / 3, 60.0)))

    @property
    def every_series(self) -> tuple[Series, ...]:
        """The series of all axes."""
        return self.series + tuple(each for axis in self.axes for each in axis.series)

    def summary(self) -> dict[str, Any]:
        """What it shows, in short: name, size, title, labels, and of each series kind, points and label."""
        width, height = self.size
        named: dict[str, Any] = {
            key: self.options[key] for key in ("title", "xlabel", "ylabel") if key in self.options
        }
        return {
            "name": self.name,
            "width": width,
            "height": height,
            **named,
            "series": [
                {
                    "kind": each.kind,
                    "points": sum(map(len, each.data)),
                    "label": each.options.get("label", ""),
                }
                for each in self.every_series
            ],
        }
