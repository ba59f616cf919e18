"""Colours, strokes, lengths, marks and alignments, written as in Typst and read by small tables.

Nothing is evaluated: what is in no table is an error that lists what is.  Colours become ``#rrggbbaa``, lengths points
(1/72 inch).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import msgspec

from kleis.errors import EvaluationError
from kleis.spelling import nearest

__all__ = [
    "COLOUR_MAPS",
    "MARKS",
    "Stroke",
    "alignment",
    "choice",
    "colour",
    "fraction",
    "length",
    "picture_error",
    "stroke",
]

_NAMED = {
    "black": "000000", "gray": "aaaaaa", "grey": "aaaaaa", "silver": "dddddd", "white": "ffffff", "navy": "001f3f",
    "blue": "0074d9", "aqua": "7fdbff", "cyan": "7fdbff", "teal": "39cccc", "eastern": "239dad", "purple": "b10dc9",
    "fuchsia": "f012be", "magenta": "f012be", "maroon": "85144b", "red": "ff4136", "orange": "ff851b",
    "yellow": "ffdc00", "olive": "3d9970", "green": "2ecc40", "lime": "01ff70", "brown": "8b4513", "pink": "ffb6c1",
}  # fmt: skip
"""The named colours of Typst, and five that are often meant."""

MARKS = {
    "none": "", "o": "o", "circle": "o", ".": ".", "x": "x", "+": "+", "s": "s", "square": "s", "d": "D",
    "diamond": "D", "D": "D", "^": "^", "triangle": "^", "v": "v", "<": "<", ">": ">", "*": "*", "star": "*",
    "p": "p", "pentagon": "p", "h": "h", "hexagon": "h", "|": "|", "-": "_", "a": "*",
}  # fmt: skip
"""Marks of points, and what they are called in the drawing."""

COLOUR_MAPS = {
    "viridis": "viridis", "plasma": "plasma", "inferno": "inferno", "magma": "magma", "cividis": "cividis",
    "turbo": "turbo", "rainbow": "rainbow", "spectral": "Spectral", "coolwarm": "coolwarm", "vlag": "coolwarm",
    "icefire": "coolwarm", "rocket": "magma", "mako": "viridis", "gray": "gray", "jet": "jet",
}  # fmt: skip
"""Colour maps; those that are not at hand are drawn by the nearest that is."""

_UNITS = {"pt": 1.0, "mm": 72 / 25.4, "cm": 72 / 2.54, "in": 72.0, "em": 11.0}
_LONGEST = 400
_LENGTH = re.compile(r"\s*(-?\d{1,6}(?:\.\d{1,9})?)\s*(pt|mm|cm|in|em)\s*")
_PERCENT = re.compile(r"\s*(-?\d{1,4}(?:\.\d{1,9})?)\s*%\s*")
_SHADE = re.compile(r"\.(lighten|darken|transparentize)\(\s*(\d{1,3}(?:\.\d{1,6})?)\s*%\s*\)")
_RGB = re.compile(
    r'rgb\(\s*"#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})"\s*\)|#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})'
)
_PARTS = re.compile(r"rgb\(\s*(\d{1,3}%?)\s*,\s*(\d{1,3}%?)\s*,\s*(\d{1,3}%?)\s*\)")
_LUMA = re.compile(r"luma\(\s*(\d{1,3}%?)\s*\)")
_DASHES = ("solid", "dashed", "dotted", "dash-dotted")


class Stroke(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line: its colour and width where they are given; `none` for no line at all."""

    colour: str = ""
    width: float | None = None
    dash: str = "solid"
    none: bool = False


def picture_error(
    message: str, *, found: str = "", expected: Iterable[str] = (), hint: str = ""
) -> EvaluationError:
    """The error of a picture that cannot be drawn as it is written."""
    return EvaluationError(message, code="plot", found=found[:80], expected=tuple(expected), hint=hint)


def choice(text: str, table: Iterable[str], what: str) -> str:
    """`text` if it is in the table; else an error that lists the table."""
    known = list(table)
    if text in known:
        return text
    close = nearest(text[:40], known)
    hint = f"did you mean {close[0]}?" if close else ""
    raise picture_error(f"{text[:40]!r} is no {what}; there are {', '.join(known)}", found=text, hint=hint)


def colour(text: str) -> str:
    """A colour as ``#rrggbbaa``: a name, ``rgb("#…")``, ``rgb(r, g, b)``, ``luma(n)``, shaded by methods; or ``none``."""
    written = text.strip()
    if len(written) > _LONGEST:
        raise picture_error("a colour that is longer than any colour", found=written)
    if written in ("none", "auto"):
        return written
    base, parts = _base_colour(written)
    rest = written[len(base) :]
    while rest:
        shade = _SHADE.match(rest)
        if shade is None:
            raise _no_colour(written)
        parts = _shaded(parts, shade[1], min(float(shade[2]) / 100, 1.0))
        rest = rest[shade.end() :]
    return "#" + "".join(f"{round(max(0.0, min(part, 255.0))):02x}" for part in parts)


_Parts = tuple[float, float, float, float]


def _base_colour(text: str) -> tuple[str, _Parts]:
    """The colour that a text begins with, and how it is written."""
    if found := _RGB.match(text):
        digits = found[1] or found[2]
        if len(digits) == 3:
            digits = "".join(each * 2 for each in digits)
        digits = digits.ljust(8, "f")
        red, green, blue, opacity = (float(int(digits[place : place + 2], 16)) for place in (0, 2, 4, 6))
        return found[0], (red, green, blue, opacity)
    if found := _PARTS.match(text):
        red, green, blue = (_part(each) for each in found.groups())
        return found[0], (red, green, blue, 255.0)
    if found := _LUMA.match(text):
        return found[0], (_part(found[1]),) * 3 + (255.0,)
    name = re.match(r"[a-z]*", text)
    digits = _NAMED.get(name[0] if name else "", "")
    if not name or not digits:
        raise _no_colour(text)
    return name[0], (int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16), 255.0)


def _part(text: str) -> float:
    return float(text.rstrip("%")) * (2.55 if text.endswith("%") else 1.0)


def _shaded(parts: _Parts, how: str, amount: float) -> _Parts:
    red, green, blue, opacity = parts
    if how == "transparentize":
        return red, green, blue, opacity * (1 - amount)
    goal = 255.0 if how == "lighten" else 0.0
    red, green, blue = (each + (goal - each) * amount for each in (red, green, blue))
    return red, green, blue, opacity


def _no_colour(text: str) -> EvaluationError:
    close = nearest(text[:40], _NAMED)
    return picture_error(
        f"{text[:40]!r} is no colour; there are {', '.join(_NAMED)}",
        found=text,
        expected=("a name", 'rgb("#…")', "name.lighten(40%)"),
        hint=f"did you mean {close[0]}?" if close else "",
    )


def length(text: str) -> float:
    """A length in points: ``2pt``, ``1.5mm``, ``0.2em`` (1em is 11pt)."""
    found = _LENGTH.fullmatch(text[:_LONGEST])
    if found is None:
        raise picture_error(
            f"{text[:40]!r} is no length", found=text, expected=[f"2{unit}" for unit in _UNITS]
        )
    return float(found[1]) * _UNITS[found[2]]


def fraction(text: str) -> float:
    """A share: ``20%`` is 0.2."""
    found = _PERCENT.fullmatch(text[:_LONGEST])
    if found is None:
        raise picture_error(f"{text[:40]!r} is no share", found=text, expected=("20%",))
    return float(found[1]) / 100


def stroke(text: str) -> Stroke:
    """A line: ``2pt``, ``red``, ``1.5pt + blue``, ``none``, ``(paint: red, thickness: 1pt, dash: "dashed")``."""
    written = text.strip()
    if written == "none":
        return Stroke(none=True)
    if written == "auto":
        return Stroke()
    if written.startswith("(") and written.endswith(")"):
        return _stroke_of_fields(written[1:-1])
    made = Stroke()
    for part in written.split("+"):
        if _LENGTH.fullmatch(part[:_LONGEST]):
            made = msgspec.structs.replace(made, width=length(part))
        elif part.strip().strip('"') in _DASHES:
            made = msgspec.structs.replace(made, dash=part.strip().strip('"'))
        else:
            made = msgspec.structs.replace(made, colour=colour(part))
    return made


_FIELDS: dict[str, tuple[str, Callable[[str], object]]] = {
    "paint": ("colour", colour),
    "thickness": ("width", length),
    "dash": ("dash", lambda text: choice(text.strip('"'), _DASHES, "dash")),
}


def _stroke_of_fields(text: str) -> Stroke:
    made = Stroke()
    for part in filter(str.strip, text[:_LONGEST].split(",")):
        name, _, value = part.partition(":")
        field, read = _FIELDS[choice(name.strip(), _FIELDS, "part of a stroke")]
        made = msgspec.structs.replace(made, **{field: read(value.strip())})
    return made


_SIDES = ("top", "bottom", "left", "right", "center", "horizon")


def alignment(text: str) -> tuple[str, ...]:
    """The sides of an alignment: ``right + top``."""
    return tuple(choice(part.strip(), _SIDES, "alignment") for part in text[:_LONGEST].split("+"))
