"""What was probably meant by a text that is not JSON: hints for habits of other languages.

Whoever decodes the text of a term asks `hint_for` when that fails, so that every entrance says the same.
"""

from __future__ import annotations

import re

__all__ = ["hint_for", "is_meant_as_json"]

_AS_PYTHON = "keep it as a tool by `evolve` with the language python, and run that"

_HABITS: tuple[tuple[str, str], ...] = (
    (r"\s*```", "Leave out the fence: the code is the JSON alone."),
    (r"\s*(async\s+)?(def|lambda)\b", f"That is Python: {_AS_PYTHON}."),
    (
        r"\s*(\(?[\w\s,]*\)?\s*=>|function\b)",
        f'A function is written {{"lam": "x", "body": …}}; or write it in Python: {_AS_PYTHON}.',
    ),
    (r"\s*\(\s*[\w+*/<>=-]+[\s)]", 'A call is written {"add": [1, 2]} or {"app": [f, a]}.'),
    (r"\s*(True|False|None)\s*$", "JSON writes true, false and null."),
)
"""Patterns of whole texts, and what to do."""

_MISTAKES: tuple[tuple[str, str], ...] = (
    (r"[\[{,:]\s*'|'\s*[\]},:]", 'JSON writes texts and keys in double quotes: {"add": [1, 2]}.'),
    (r"\b(True|False|None|undefined|NaN|Infinity)\b", "JSON writes true, false and null."),
    (r",\s*[\]}]", "JSON has no comma before a closing bracket."),
    (r"[{,]\s*[A-Za-z_]\w*\s*:", 'JSON writes keys in double quotes: {"add": [1, 2]}.'),
    (r"//|/\*|#", "JSON has no comments."),
)
"""Patterns in what was meant as JSON; texts in double quotes are left out."""

_TEXTS = re.compile(r'"(?:[^"\\]|\\.)*"')
_LONGEST = 10_000
"""Characters that are looked at."""


def is_meant_as_json(text: str) -> bool:
    """Whether a text that is no JSON begins as one."""
    return text.lstrip()[:1] in ("{", "[", '"')


def hint_for(text: str) -> str | None:
    """What to do about a text that is no JSON, if that can be guessed."""
    text = text[:_LONGEST]
    for pattern, hint in _HABITS:
        if re.match(pattern, text):
            return hint
    if not is_meant_as_json(text):
        if re.search(r"\w\s*(\*\*|//|==|[-+*/%<>=])\s*\w", text):
            return f'A term is JSON: {{"add": [{{"var": "x"}}, 1]}}. Or write a function in Python: {_AS_PYTHON}.'
        return None
    bare = _TEXTS.sub('""', text)
    for pattern, hint in _MISTAKES:
        if re.search(pattern, bare):
            return hint
    if any(bare.count(opening) > bare.count(closing) for opening, closing in ("{}", "[]")):
        return "A bracket is not closed."
    if any(bare.count(opening) < bare.count(closing) for opening, closing in ("{}", "[]")):
        return "A bracket closes that was not opened."
    return None
