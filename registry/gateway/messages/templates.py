"""Addresses that have the form of a template (RFC 6570), in linear time."""

from __future__ import annotations

import re

__all__ = ["fits"]

_EXPRESSION = re.compile(r"\{([^{}]*)\}")
_ENDS = "/?#"
"""What no value of a plain expression holds: it would be written with a percent sign."""


def fits(uri: str, template: str, *, strictly: bool = False) -> bool:
    """Whether an address has the form of a template that has an expression; each of them stands for one character or more.

    `strictly`: a plain expression stands for one segment, as `{id}` does; `{+path}`, `{/path}` and the like for any text.
    """
    first, *rest = _EXPRESSION.split(template)
    if not rest or not uri.startswith(first):
        return False
    at = len(first)
    names, texts = rest[::2], rest[1::2]
    for place, (name, text) in enumerate(zip(names, texts, strict=True)):
        is_last = place == len(texts) - 1
        end = len(uri) - len(text) if is_last else uri.find(text, at + 1)
        if end <= at or not uri.startswith(text, end):
            return False
        is_plain = strictly and not name.startswith(("+", "#", "/", ".", ";", "?", "&"))
        if is_plain and any(each in _ENDS for each in uri[at:end]):
            return False
        at = end + len(text)
    return True
