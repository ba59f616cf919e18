"""The one way from text to HTML: what is not `Markup` is escaped, and characters that deceive are shown.

Control characters and those that turn the direction of writing are written as what they are called, so that no name can
reorder or hide what stands beside it; every element that holds foreign text isolates its direction (`dir="auto"`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from html import escape
from typing import TypeAlias

__all__ = ["LONGEST", "Child", "Markup", "element", "joined", "tagged", "text"]

LONGEST = 20_000
"""Characters of one text that are shown; what is left out is said."""

_DECEIVING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff\ud800-\udfff]"
)

_VOID = frozenset(["br", "hr", "input", "meta"])

_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9:-]*\Z")


class Markup(str):
    """Text that is HTML already. Only this package makes it, of parts that were escaped."""

    __slots__ = ()


Child: TypeAlias = "Markup | str | Iterable[Markup | str] | None"


def text(written: object, limit: int = LONGEST) -> Markup:
    """Foreign text as HTML text, safe inside quoted attributes too; beyond `limit` it says how much is left out."""
    whole = written if isinstance(written, str) else str(written)
    if len(whole) <= limit and whole.isascii() and whole.isprintable():
        return Markup(escape(whole, quote=True))  # most texts
    shown = _DECEIVING.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", whole[:limit])
    left_out = f"… ({len(whole) - limit:,} more characters)" if len(whole) > limit else ""
    return Markup(escape(shown, quote=True) + left_out)


def joined(parts: Iterable[Markup | str | None], between: str = "") -> Markup:
    """Parts one after the other, text among them escaped."""
    return Markup(str(text(between)).join(_child(each) for each in parts if each is not None))


def element(name: str, /, *children: Child, **attributes: object) -> Markup:
    """An element. `class_` and `for_` lose their underscore, others become hyphens; None and False leave an attribute
    out, True gives it no value."""
    return tagged(name, attributes, *children)


def tagged(name: str, attributes: Mapping[str, object], *children: Child) -> Markup:
    """The same with attributes whose names are no names of Python."""
    written = "".join(_attribute(each, value) for each, value in attributes.items())
    if name in _VOID:
        return Markup(f"<{name}{written}>")
    inside = "".join(_child(each) for each in children if each is not None)
    return Markup(f"<{name}{written}>{inside}</{name}>")


def _child(child: Child) -> str:
    if isinstance(child, Markup):
        return child
    if isinstance(child, str):
        return text(child)
    return "" if child is None else "".join(_child(each) for each in child)


def _attribute(name: str, value: object) -> str:
    if value is None or value is False:
        return ""
    name = _attribute_name(name)
    return f" {name}" if value is True else f' {name}="{text(value)}"'


@lru_cache(maxsize=256)
def _attribute_name(name: str) -> str:
    name = name.rstrip("_").replace("_", "-")
    if not _NAME.match(name) or name.lower().startswith("on"):
        raise ValueError(f"{name!r} is no attribute of a view")
    return name
